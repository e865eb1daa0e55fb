"""The journal file: JSON Lines, append-only, gapless ids from 1.

Writing: every line goes to the operating system in one write, so a killed process loses at most the line
it was writing; ``Fsync`` says when the disk itself is asked to keep it (a power cut). Reading: what cannot be
read is reported once, with its line number, and the rest is still there to be judged.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from types import TracebackType

from veedor.rules.errors import JournalError
from veedor.rules.event_codec import decode_event, encode_event
from veedor.rules.events import CoupClosed, TableEvent
from veedor.rules.faults import FaultList, JournalFault, SequenceAudit

# Observers write an event when they are sure of it, up to 5 s after it happened and as much later as their
# looks are (26 s were seen on a starved machine); a person may enter what was a minute ago, or what no look
# has reached yet. Neighbours may be out of order by that and some room; more is a fault.
TIME_SLACK_S = 100.0
# How many events back a line that stands twice is known as such.
REMEMBERED = 256


class Fsync(Enum):
    """When the disk is asked to keep what was written."""

    EVERY_EVENT = "every_event"
    EVERY_COUP = "every_coup"  # at coup_closed and on closing: at most one coup is lost in a power cut
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class JournalReading:
    """The events of a journal in the order written, and its faults."""

    events: tuple[TableEvent, ...]
    faults: tuple[JournalFault, ...]


class JournalWriter:
    """Appends events to a journal; one writer for one file.

    Opening an existing journal cuts a torn last line (a write that was killed) and goes on after the last id.
    """

    def __init__(self, path: str | os.PathLike[str], *, fsync: Fsync = Fsync.EVERY_COUP) -> None:
        self.path = Path(path)
        self.fsync = fsync
        self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self.last_id = self._settle_tail()

    def _settle_tail(self) -> int:
        last_id = 0
        whole = 0
        with open(self.path, "rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                whole += len(line)
                last_id = max(last_id, _id_of(line))
        if whole < os.fstat(self._fd).st_size:
            os.ftruncate(self._fd, whole)
        return last_id

    def append(self, event: TableEvent) -> TableEvent:
        """Writes the event and returns it with the id it was given."""
        numbered = replace(event, id=self.last_id + 1)
        line = json.dumps(encode_event(numbered), ensure_ascii=False, separators=(", ", ": ")) + "\n"
        data = line.encode()
        try:
            while data:
                data = data[os.write(self._fd, data) :]
            self.last_id += 1
            if self.fsync is Fsync.EVERY_EVENT or (
                self.fsync is Fsync.EVERY_COUP and type(event) is CoupClosed
            ):
                os.fsync(self._fd)
        except OSError as error:
            error.filename = str(self.path)  # a full disk is told with what it has no room for
            raise
        return numbered

    def close(self) -> None:
        """Closes the file; a second call does nothing."""
        if self._fd >= 0:
            if self.fsync is not Fsync.NEVER:
                os.fsync(self._fd)
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> JournalWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _id_of(line: bytes) -> int:
    try:
        number = json.loads(line).get("id", 0)
    except (ValueError, AttributeError, RecursionError):
        return 0
    return number if type(number) is int else 0


class JournalReader:
    """Reads a journal line by line in bounded memory; iterate it, then look at ``faults``.

    ``line`` is the number of the line that gave the event in hand.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.line = 0
        self._faults = FaultList()
        self._sequence = SequenceAudit(self._faults, slack_s=TIME_SLACK_S)
        self._next_ids = {1}
        self._recent: dict[int, TableEvent] = {}

    @property
    def faults(self) -> list[JournalFault]:
        """What was wrong with the lines read so far."""
        return self._faults.all()

    def __iter__(self) -> Iterator[TableEvent]:
        try:
            file = open(self.path, "rb")  # noqa: SIM115 - closed by the with below, opened apart for its error
        except OSError as error:
            raise JournalError(f"{self.path}: {error.strerror or error}") from None
        with file:
            for number, raw in enumerate(file, 1):
                self.line = number
                if raw.strip():
                    event = self._read(number, raw)
                    if event is not None:
                        yield event

    def _read(self, number: int, raw: bytes) -> TableEvent | None:
        try:
            mapping = json.loads(raw)
        except (ValueError, RecursionError):  # nested past any sense
            torn = not raw.endswith(b"\n")
            en = "last line is cut short" if torn else "not JSON"
            es = "la última línea está cortada" if torn else "no es JSON"
            self._left_out(number, en, es, key=en)
            return None
        if not isinstance(mapping, dict):
            found = type(mapping).__name__
            en, es = f"expected an object, found {found}", f"se esperaba un objeto y hay {found}"
            self._left_out(number, en, es, key=en)
            return None
        try:
            event = decode_event(mapping)
        except JournalError as error:
            self._left_out(number, str(error), error.spanish)
            self._next_ids.add(_id_of(raw) + 1)
            return None
        return self._admit(number, event, has_id="id" in mapping)

    def _left_out(self, number: int, en: str, es: str, key: str = "") -> None:
        self._faults.note(number, en=f"{en}, left out", es=f"{es}, se omite", key=key)

    def _admit(self, number: int, event: TableEvent, *, has_id: bool) -> TableEvent | None:
        if not has_id:
            self._faults.note(number, en="id: missing", es="id: falta", key="id")
        elif self._recent.get(event.id) == event:
            name = f"id {event.id}"
            self._left_out(number, f"{name}: the same event again", f"{name}: el mismo suceso otra vez")
            return None
        else:
            if event.id not in self._next_ids:
                name, due = f"id {event.id}", max(self._next_ids)
                self._faults.note(number, en=f"{name}: expected {due}", es=f"{name}: se esperaba {due}")
                # Told once: what follows may go on from here, or from where the record was.
                self._next_ids = {event.id + 1, max(self._next_ids)}
            else:
                self._next_ids = {event.id + 1}
            self._recent[event.id] = event
            if len(self._recent) > REMEMBERED:
                del self._recent[next(iter(self._recent))]
        self._sequence.feed(number, event)
        return event


def read_journal(path: str | os.PathLike[str]) -> JournalReading:
    """The whole journal at once; raises JournalError only where the file itself cannot be opened."""
    reader = JournalReader(path)
    events = tuple(reader)
    return JournalReading(events, tuple(reader.faults))
