"""Which entries have been taken, by the keys they came with: one that comes again is only answered again."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)

KEPT = 2000  # the newest; who sends an entry again does so within seconds


@dataclass(frozen=True)
class Taken:
    """An entry as it was asked for (`mark`), and number and media time of its events in the journal."""

    mark: str
    events: tuple[tuple[int, float], ...] = ()


class EntryKeys:
    """The keys of a session's entries: in a file, to outlive the table's process; without one in memory.

    A key is written down just before the journal's line is: of an entry whose process died in between, the
    journal (`in_journal`, the numbers of what was entered) tells whether it was taken.
    """

    def __init__(self, path: Path | None = None, in_journal: Container[int] = ()) -> None:
        self._path = path
        self._taken: dict[str, Taken] = {}
        holders: dict[int, str] = {}
        _end_last_line(path)
        for key, mark, number, t_s in _lines(path):
            # A number that was promised twice is that of whom it was promised to last.
            self._taken.pop(holders.pop(number, ""), None)
            if number in in_journal:
                self._keep(key, mark, number, t_s)
                holders[number] = key
            elif not number:
                self._taken.pop(key, None)

    def get(self, key: str) -> Taken | None:
        return self._taken.get(key)

    def promise(self, key: str, mark: str, number: int, t_s: float) -> None:
        """Note that the journal's next line is one of this entry."""
        self._write(key, mark, number, t_s)
        self._keep(key, mark, number, t_s)
        if len(self._taken) > KEPT:
            del self._taken[next(iter(self._taken))]

    def forget(self, key: str) -> Taken | None:
        """The entry of this key, which is nobody's any more: who gave it up may enter it anew."""
        taken = self._taken.pop(key, None)
        if taken is not None:
            self._write(key, taken.mark, 0, 0.0)
        return taken

    def _keep(self, key: str, mark: str, number: int, t_s: float) -> None:
        known = self._taken.get(key)
        before = known.events if known is not None and known.mark == mark else ()
        self._taken[key] = Taken(mark, (*before, (number, t_s)))

    def _write(self, key: str, mark: str, number: int, t_s: float) -> None:
        if self._path is None:
            return
        line = json.dumps({"key": key, "mark": mark, "id": number, "t": t_s}) + "\n"
        try:
            with self._path.open("ab", buffering=0) as file:
                file.write(line.encode())
        except OSError as fault:  # the entry itself is not refused for that
            log.error("%s: %s", self._path, fault.strerror or fault)


def mark_of(asked: object) -> str:
    """What makes two requests the same entry."""
    told = json.dumps(asked, sort_keys=True, default=str)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _end_last_line(path: Path | None) -> None:
    """So that the next line does not stick to one that was torn by a kill."""
    if path is not None and path.is_file() and not path.read_bytes().endswith(b"\n"):
        with path.open("ab") as file:
            file.write(b"\n")


def _lines(path: Path | None) -> Iterator[tuple[str, str, int, float]]:
    if path is None or not path.is_file():
        return
    with path.open("rb") as file:
        for raw in file:
            try:
                line = json.loads(raw)
                yield str(line["key"]), str(line["mark"]), int(line["id"]), float(line["t"])
            except (ValueError, KeyError, TypeError, RecursionError):
                continue  # torn by a kill
