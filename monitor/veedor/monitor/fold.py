"""Percepts and heard events to journal, findings and story: the same for a review and for a live table."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType

from veedor.monitor.announcements import Announcements
from veedor.monitor.bookkeeping import Bookkeeper, CoupAccount
from veedor.monitor.sight_book import SightBook
from veedor.monitor.story import Storyteller
from veedor.rules.checker import Checker
from veedor.rules.events import CoupClosed, SessionOpened, TableEvent
from veedor.rules.finding import Finding
from veedor.rules.journal import Fsync, JournalWriter
from veedor.rules.profile import RuleProfile
from veedor.rules.verdict import Verdict
from veedor.vision.doubt import LOST_STEP_S
from veedor.vision.observer import Observer
from veedor.vision.percept import Percept
from veedor.vision.table import Table

PICTURES_ENDED = "end of the pictures"


class Fold:
    """One table's record as it grows. A context manager: it owns the journal file."""

    def __init__(
        self, table: Table, profile: RuleProfile, announcements: Announcements, journal: Path, fsync: Fsync
    ) -> None:
        self.profile = profile
        self.observer = Observer(table)
        self.checker = Checker(profile)
        self.teller = Storyteller()
        self.books = Bookkeeper(profile)
        self.sight = SightBook()
        self._standing: dict[int, Finding] = {}
        self._numbers: dict[tuple[int, str, str, str], int] = {}
        self.events: list[TableEvent] = []
        self.coups_closed = 0
        self._reported = 0
        self._heard = deque(announcements.events)
        self._looked_s: float | None = None
        self._journal = JournalWriter(journal, fsync=fsync)
        if not any(isinstance(event, SessionOpened) for event in announcements.events):
            self._take([SessionOpened(profile.id, t=0.0)])

    def look(self, percept: Percept) -> None:
        """Take in what was perceived, and what was said up to then."""
        while self._heard and self._heard[0].t <= percept.t_s:
            self._take(self.observer.hear(self._heard.popleft()))
        self._looked_s = percept.t_s
        self._take(self.observer.see(percept))

    def lose(self, t_s: float, reason: str) -> None:
        """Nothing is seen from `t_s` on, which may lie some seconds back."""
        self.observer.gap_begins(t_s, reason)

    def regain(self, t_s: float, reason: str) -> None:
        """What was lost for this reason is seen again."""
        self.observer.gap_ends(t_s, reason)

    def wait(self, t_s: float) -> None:
        """Nobody can look, and it is `t_s`: what was said until then and what is due."""
        while self._heard and self._heard[0].t <= t_s:
            self._take(self.observer.hear(self._heard.popleft()))
        self._take(self.observer.wait(t_s))

    def finish(self, *, hear_rest: bool = True) -> None:
        """Nothing comes any more. `hear_rest`: what was said later is part of the record all the same.

        Nobody saw what went with it: the view counts as lost from the last look on.
        """
        if self._heard and hear_rest and self._heard[-1].t > (self._looked_s or 0.0) + LOST_STEP_S:
            self.observer.lose(self._looked_s or 0.0, PICTURES_ENDED)
        while self._heard and hear_rest:
            self._take(self.observer.hear(self._heard.popleft()))
        self._take(self.observer.finish())
        self._judge(self.checker.finish())

    @property
    def findings(self) -> Mapping[int, Finding]:
        """The findings that stand, by a number that a finding keeps when it is revised."""
        return self._standing

    @property
    def account(self) -> CoupAccount:
        """Of the coup in course, or of the last one."""
        return self.books.accounts[-1] if self.books.accounts else CoupAccount()

    def _take(self, events: Iterable[TableEvent]) -> None:
        for event in events:
            numbered = self._journal.append(event)
            self.events.append(numbered)
            self.teller.feed(numbered)
            self.books.feed(numbered)
            self.sight.feed(numbered)
            self.coups_closed += isinstance(event, CoupClosed)
            self._judge(self.checker.feed(numbered))

    def _judge(self, found: Iterable[Finding]) -> None:
        for finding in found:
            if not finding.revises or finding.key not in self._numbers:
                self._reported += 1
                self._numbers[finding.key] = self._reported
            number = self._numbers[finding.key]
            if finding.verdict is Verdict.WITHDRAWN:
                self._standing.pop(number, None)
            else:
                self._standing[number] = finding

    def __enter__(self) -> Fold:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._journal.close()
