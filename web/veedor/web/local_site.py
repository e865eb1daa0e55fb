"""The site of `veedor demo` and `veedor watch SOURCE`: one table in this process, on this machine alone."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from veedor.monitor.fault_words.telling import message_of
from veedor.monitor.fold import EntryFault
from veedor.monitor.language import Language
from veedor.monitor.operator_events import OperatorDesk
from veedor.monitor.pages import FindingView
from veedor.monitor.store import StoreError
from veedor.monitor.store.lines import append_line
from veedor.web.site import (
    Answer,
    BoardView,
    Commands,
    Decision,
    FindingKey,
    Press,
    Receipt,
    RecordedFinding,
    SiteFault,
    TableFace,
    WatchedTable,
)

TABLE, SESSION = "table", "now"


@dataclass
class LocalRecord:
    """Findings of the board, decisions in a file of the run's folder; in memory alone without a folder."""

    board: BoardView
    folder: Path | None = None
    _decided: dict[int, Decision] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def decide(self, key: FindingKey, decision: Decision) -> None:
        found = self.finding(key)
        if found is None:
            raise SiteFault(f"no finding {key.number}")
        with self._lock:
            if self.folder is not None:
                _append(self.folder / "decisions.jsonl", found.view, decision)
            self._decided[key.number] = decision

    def decisions(self, table: str, session: str) -> Mapping[int, Decision]:
        with self._lock:
            return dict(self._decided)

    def open_findings(self) -> Sequence[RecordedFinding]:
        _, state = self.board.latest()
        keys = [FindingKey(TABLE, SESSION, view.number) for view in state.findings]
        found = [each for key in keys if (each := self.finding(key)) is not None]
        return [each for each in reversed(found) if each.is_open]

    def finding(self, key: FindingKey) -> RecordedFinding | None:
        if (key.table, key.session) != (TABLE, SESSION):
            return None
        _, state = self.board.latest()
        view = next((each for each in state.findings if each.number == key.number), None)
        return None if view is None else RecordedFinding(key, view, self._decided.get(key.number))

    def still(self, key: FindingKey) -> Path | None:
        return None

    def clip(self, key: FindingKey) -> Path | None:
        return None


_ACTIONS = {Answer.ACCEPTED: "accept", Answer.DISMISSED: "dismiss", Answer.ESCALATED: "escalate"}


def _append(path: Path, view: FindingView, decision: Decision) -> None:
    """A line as the decisions of a data folder have it."""

    def line(number: int) -> dict[str, object]:
        return {
            "schema": 1, "id": number, "finding": view.number, "code": view.code, "verdict": view.verdict,
            "action": _ACTIONS[decision.answer], "reason": decision.reason, "who": decision.who,
            "at": decision.at,
        }  # fmt: skip

    try:
        append_line(path, line)
    except StoreError as fault:
        raise SiteFault(str(fault)) from fault


@dataclass(frozen=True)
class DeskCommands:
    """Entries straight to the table's desk, which is in this process."""

    desk: OperatorDesk

    def send(self, table: str, event: Mapping[str, object], press: Press) -> Receipt:
        try:
            taken = self.desk.enter(event, who=press.by, key=press.key)
        except EntryFault as fault:
            raise _fault(fault) from fault
        return Receipt(taken.id, taken.t)

    def correct(self, table: str, entry: int, event: Mapping[str, object] | None, press: Press) -> Receipt:
        try:
            done = self.desk.correct(entry, event, by=press.by, reason=None, key=press.key)
        except EntryFault as fault:
            raise _fault(fault) from fault
        return Receipt(done.id, done.t)


def _fault(fault: EntryFault) -> SiteFault:
    return SiteFault(str(fault), message_of(fault, Language.ES), refused=True)


@dataclass(frozen=True)
class LocalSite:
    """One table at the root of a page that nobody has to sign in to."""

    board: BoardView
    face: TableFace
    record: LocalRecord
    commands: Commands | None = None

    @property
    def language(self) -> Language:
        return self.face.language

    def tables(self) -> Sequence[WatchedTable]:
        return (WatchedTable(TABLE, SESSION, self.face, self.board),)


def local_site(
    board: BoardView, face: TableFace, folder: Path | None = None, commands: Commands | None = None
) -> LocalSite:
    """The site of one board; decisions are kept in `folder`."""
    return LocalSite(board, face, LocalRecord(board, folder), commands)
