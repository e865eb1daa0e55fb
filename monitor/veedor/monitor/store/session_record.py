"""What one watched table leaves: its folder's files, and their index beside."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import Any

from veedor.monitor.durable import write_json
from veedor.monitor.finding_numbers import Key, Told
from veedor.monitor.finding_views import finding_view
from veedor.monitor.language import Bilingual, text
from veedor.monitor.store.alarms import Alarm, OnceTold
from veedor.monitor.store.errors import StoreError
from veedor.monitor.store.indexer import Indexer
from veedor.monitor.store.layout import SessionFolder, new_session_folder
from veedor.monitor.store.lines import append_line, read_lines
from veedor.monitor.store.reserve import DiskReserve
from veedor.monitor.store.rows import ClipRow
from veedor.monitor.store.store import Store
from veedor.monitor.store.truth import info_of
from veedor.monitor.store.writing import SessionInfo
from veedor.monitor.utc import utc_now, utc_text
from veedor.rules.events import TableEvent
from veedor.rules.finding import Finding

_TEXTS = ("title", "expected", "found", "remedy", "reason")


class SessionRecord:
    """Takes what happens at a table; the journal itself is the fold's.

    Files first, the index after, by a thread of its own: whoever watches the table never waits for it. No
    call raises for a full disk or a store that does not answer: the alarm is told, in a line, and what is
    missing is written as soon as it can be.
    """

    def __init__(self, store: Store, folder: SessionFolder, info: SessionInfo, alarm: Alarm) -> None:
        self.store, self.folder = store, folder
        self._info = info
        self._alarm = OnceTold(alarm)
        self._lock = threading.Lock()  # of what waits to be written to files
        self._unwritten: list[dict[str, Any]] = []
        self._told: dict[object, Mapping[str, Any]] = {}  # the last word on each finding
        self._index = Indexer(store, folder, self._alarm, self._write_findings)

    @classmethod
    def begin(
        cls, store: Store, table_id: str, table_name: str, *, source: str | None = None, alarm: Alarm
    ) -> SessionRecord:
        """Make the folder of a session that starts now; what killed ones left unindexed is brought in."""
        started = datetime.now(UTC)
        try:
            folder = new_session_folder(store.data, table_id, started)
        except StoreError:
            if not DiskReserve(store.data).give():  # not a byte to spare: that is what it was kept for
                raise
            folder = new_session_folder(store.data, table_id, started)
        at = utc_text(started)
        info = SessionInfo(folder.session, table_id, table_name, started_at=at, source=source)
        record = cls(store, folder, info, alarm)
        record._write_about()
        record._index.put()
        return record

    @classmethod
    def resume(cls, store: Store, session: str, *, alarm: Alarm) -> SessionRecord:
        """Go on with a session that broke off; findings told again word for word are not written again."""
        folder = store.folder(session)
        if not folder.path.is_dir():
            raise StoreError(f"{folder.path}: " + text(es="no existe", en="no such folder"))
        record = cls(store, folder, info_of(folder), alarm)
        for _, line in read_lines(folder.findings, []):
            record._told[line.get("number")] = _without_time(line)
        # It goes on: the end that it may have had was none.
        record._info = replace(record._info, ended_at=None)
        record._write_about()
        record._index.put()
        return record

    @property
    def session(self) -> str:
        return self.folder.session

    @property
    def info(self) -> SessionInfo:
        return self._info

    def events(self, events: Iterable[TableEvent]) -> None:
        """Events that the journal has taken, in its order."""
        taken = list(events)
        self._index.put(lambda: self.store.record_events(self.session, taken))

    def finding(self, number: int, finding: Finding) -> bool:
        """A finding under its number, or another word on one: to findings.jsonl, then to the index.

        False where the same was told before, word for word.
        """
        line = finding_line(number, finding, utc_now())
        with self._lock:
            if self._told.get(number) == _without_time(line):
                return False
            self._told[number] = _without_time(line)
            self._unwritten.append(line)
        self._write_findings()
        return True

    def clip(self, clip: ClipRow) -> None:
        """Evidence that lies in its folder."""
        self._index.put(lambda: self.store.record_clip(clip))

    def flush(self) -> None:
        """Wait until everything told so far has been tried to be written and indexed."""
        self._write_findings()
        self._index.flush()

    def tend(self) -> None:
        """To be called now and then: the index's thread is started anew if it has died."""
        self._index.tend()

    @property
    def troubles(self) -> Mapping[str, str]:
        """What keeps the record or its index from being written now, by part."""
        return self._alarm.standing_by_kind

    def end(self) -> None:
        """The session ends as it should."""
        self._info = replace(self._info, ended_at=utc_now())
        self._write_about()
        self._index.put(lambda: self.store.record_session(self._info))
        self.flush()
        self.stop()

    def stop(self) -> None:
        """No more comes; unless `end` was called the session counts as broken off."""
        self._index.stop()

    def _write_findings(self) -> None:
        with self._lock:
            while self._unwritten:
                try:
                    line = append_line(self.folder.findings, partial(_numbered, self._unwritten[0]))
                except StoreError as fault:
                    self._alarm.tell("findings", str(fault))
                    return
                self._alarm.over("findings")
                self._unwritten.pop(0)
                index = partial(self.store.record_finding, self.session, line["seq"], line)
                self._index.put(index)

    def _write_about(self) -> None:
        about = {"schema": 1} | asdict(self._info)
        try:
            write_json(self.folder.about, about)
        except OSError as fault:
            self._alarm.tell("about", f"{self.folder.about}: {fault.strerror or fault}")

    def __enter__(self) -> SessionRecord:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.end()
        else:
            self.stop()


def _without_time(line: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in line.items() if name not in ("at", "seq", "revises")}


def told_findings(folder: SessionFolder) -> list[Told]:
    """`Finding.key` and number of each finding that a session's findings.jsonl speaks of, as first told."""
    found: dict[int, Key] = {}
    for count, line in read_lines(folder.findings, []):
        number, coup = line.get("number", count), line.get("coup", 0)
        names = [line.get(name, "") for name in ("code", "actor", "subject")]
        if type(number) is int and type(coup) is int and all(isinstance(each, str) for each in names):
            found.setdefault(number, (coup, *names))
    return [(key, number) for number, key in found.items()]


def _numbered(line: Mapping[str, Any], count: int) -> Mapping[str, Any]:
    return {**line, "seq": count}


def finding_line(number: int, finding: Finding, at: str) -> dict[str, Any]:
    """A finding as the live monitor's findings.jsonl has it: the finding in English, and what pages need.

    `number` stays the same when it is revised; `texts` are the words in both languages; `at` is UTC.
    """
    line = dict(finding.to_json("en")) | {"number": number, "at": at}
    if finding.subject:
        line["subject"] = finding.subject
    return line | {"texts": texts_of(number, finding)}


def texts_of(number: int, finding: Finding) -> Mapping[str, Mapping[str, str]]:
    """The finding's words in both languages."""
    view = finding_view(number, finding)
    both: dict[str, Bilingual] = {name: getattr(view, name) for name in _TEXTS}
    return {
        "es": {name: words.es for name, words in both.items()},
        "en": {name: words.en for name, words in both.items()},
    }
