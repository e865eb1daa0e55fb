"""What the pages show and change, as protocols: a local table in this process, or the tables of a bus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from veedor.monitor.errors import MonitorError
from veedor.monitor.felt_svg import FeltDrawing
from veedor.monitor.language import Bilingual, Language
from veedor.monitor.live_state import LiveState
from veedor.monitor.pages import FindingView
from veedor.rules.verdict import Verdict


@dataclass(frozen=True)
class TableFace:
    """What of a watched table stays the same; `language` is the page's unless it asks otherwise.

    `hands` are those that speak, by the journal's names: the keys of the keypad go by them.
    """

    name: str
    profile: Bilingual
    source: str
    felt: FeltDrawing
    language: Language
    hands: tuple[str, ...] = ("P1", "P2")


class BoardView(Protocol):
    """Where pages read what a running table publishes (`veedor.monitor.live_state.Board`)."""

    def latest(self) -> tuple[int, LiveState]: ...

    def picture(self) -> tuple[int, bytes | None]: ...

    def viewed(self) -> AbstractContextManager[None]: ...

    def still(self, number: int) -> bytes | None: ...


@dataclass(frozen=True)
class WatchedTable:
    """A table as it runs. `silent_s`: for how long nothing was heard of the process that watches it."""

    id: str
    session: str
    face: TableFace
    board: BoardView
    silent_s: float = 0.0


@dataclass(frozen=True)
class FindingKey:
    """One finding of one session of one table."""

    table: str
    session: str
    number: int


class Answer(StrEnum):
    """What a person makes of a finding."""

    ACCEPTED = "accepted"
    DISMISSED = "dismissed"
    ESCALATED = "escalated"
    RULED = "ruled"  # by an inspector; the reason is his ruling


@dataclass(frozen=True)
class Decision:
    """What somebody decided, and why; `at` UTC in ISO 8601."""

    answer: Answer
    reason: str
    who: str
    at: str


@dataclass(frozen=True)
class RecordedFinding:
    """A finding of the record with the last decision on it; `at` when it was found, UTC, empty if unknown."""

    key: FindingKey
    view: FindingView
    decision: Decision | None = None
    at: str = ""

    @property
    def is_open(self) -> bool:
        """Nobody has answered it, or it was passed on to somebody who has not."""
        if self.view.verdict == Verdict.WITHDRAWN:
            return False
        return self.decision is None or self.decision.answer is Answer.ESCALATED


class Record(Protocol):
    """Findings and what people decided about them."""

    def decide(self, key: FindingKey, decision: Decision) -> None:
        """On disk when it returns; SiteFault if it cannot be written down."""

    def decisions(self, table: str, session: str) -> Mapping[int, Decision]:
        """The last decision on each finding of a session that has one."""

    def open_findings(self) -> Sequence[RecordedFinding]:
        """Of every table and session, newest first."""

    def finding(self, key: FindingKey) -> RecordedFinding | None: ...

    def still(self, key: FindingKey) -> Path | None: ...

    def clip(self, key: FindingKey) -> Path | None:
        """None until it has been cut."""


@dataclass(frozen=True)
class Receipt:
    """What the table's process says of an entry it has taken: its number there, and media time."""

    entry: int
    t_s: float


@dataclass(frozen=True)
class Press:
    """A key pressed `by` somebody. Sent again with the same `key`, it is one entry all the same."""

    by: str
    key: str | None = None


class SiteFault(MonitorError):
    """Something could not be recorded: the table's process or the disk said no, or said nothing.

    `refused`: it was asked for something that cannot be.
    """

    def __init__(self, english: str, spanish: str | None = None, *, refused: bool = False) -> None:
        super().__init__(english)
        self.spanish, self.refused = spanish or english, refused


class Commands(Protocol):
    """The way of operators' entries into the journals. SiteFault where one was not taken, nor will be."""

    def send(self, table: str, event: Mapping[str, object], press: Press) -> Receipt: ...

    def correct(self, table: str, entry: int, event: Mapping[str, object] | None, press: Press) -> Receipt:
        """Put another event in the place of an entry, or nothing (None): both stay in the journal."""


class Site(Protocol):
    """Everything that pages are about."""

    @property
    def language(self) -> Language: ...

    @property
    def record(self) -> Record: ...

    @property
    def commands(self) -> Commands | None:
        """None where nothing can be entered."""

    def tables(self) -> Sequence[WatchedTable]:
        """In the order of the wall."""
