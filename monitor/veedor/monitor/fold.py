"""Percepts and heard events to journal, findings and story: the same for a review and for a live table."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from veedor.monitor.announcements import Announcements
from veedor.monitor.bookkeeping import Bookkeeper, CoupAccount
from veedor.monitor.correctable import uncorrectable
from veedor.monitor.errors import MonitorError
from veedor.monitor.judgement import Judgement, Report
from veedor.monitor.sight_book import SightBook
from veedor.monitor.story import Storyteller
from veedor.rules.events import BancoCalled, EventCorrected, Ruling, Said, SessionOpened, TableEvent
from veedor.rules.finding import Finding
from veedor.rules.journal import Fsync, JournalWriter
from veedor.rules.profile import RuleProfile
from veedor.rules.settled import replacement_of
from veedor.vision.doubt import LOST_STEP_S
from veedor.vision.observer import Observer
from veedor.vision.percept import Percept
from veedor.vision.table import Table

PICTURES_ENDED = "end of the pictures"
BANKER = "banker"


class EntryFault(MonitorError):
    """What somebody enters cannot be taken; one line says why, `spanish` the same."""

    def __init__(self, en: str, es: str) -> None:
        super().__init__(en)
        self.spanish = es


class Fold:
    """One table's record as it grows. A context manager: it owns the journal file.

    Safe to use from several threads: a look, an entry and a reader of the state take their turns. `on_event`
    is called with each event that has been journalled, `on_finding` with each finding that is new or has
    changed and its number, `on_look` with each look that comes, all in the thread that brought them.
    """

    def __init__(
        self,
        table: Table,
        profile: RuleProfile,
        announcements: Announcements,
        journal: Path | JournalWriter,
        fsync: Fsync = Fsync.EVERY_COUP,
    ) -> None:
        self.profile = profile
        self.observer = Observer(table)
        self.judgement = Judgement(profile)
        self.lock = threading.RLock()
        self.on_event: Callable[[TableEvent], None] = _nothing
        self.on_finding: Callable[[int, Finding], None] = _nothing
        self.on_look: Callable[[Percept], None] = _nothing
        # Events of the file have numbers of their own; those here count from the journal's beginning.
        self._heard = deque(replace(event, id=0) for event in announcements.events)
        self._looked_s: float | None = None
        self._journal = JournalWriter(journal, fsync=fsync) if isinstance(journal, Path) else journal
        self._opened = any(isinstance(event, SessionOpened) for event in announcements.events)
        if isinstance(journal, Path):
            self.open()

    def open(self, opening: SessionOpened | None = None) -> None:
        """Begin the record, where the announcements do not."""
        if not self._opened:
            self._opened = True
            self._take([opening or SessionOpened(self.profile.id, t=0.0)])

    def resume(self, events: Iterable[TableEvent], lost_s: float, reason: str) -> None:
        """Go on with a record that broke off: its events as they stand, and since when nobody has looked."""
        with self.lock:
            self._opened = True
            for event in events:
                self._tell(self.judgement.feed(event))
            self.observer.resume(self.judgement.events, lost_s, reason)

    def look(self, percept: Percept) -> None:
        """Take in what was perceived, and what was said up to then."""
        with self.lock:
            self.on_look(percept)
            self._hear(percept.t_s)
            self._looked_s = percept.t_s
            self._take(self.observer.see(percept))

    def lose(self, t_s: float, reason: str) -> None:
        """Nothing is seen from `t_s` on, which may lie some seconds back."""
        with self.lock:
            self.observer.gap_begins(t_s, reason)

    def regain(self, t_s: float, reason: str) -> None:
        """What was lost for this reason is seen again."""
        with self.lock:
            self.observer.gap_ends(t_s, reason)

    def wait(self, t_s: float) -> None:
        """Nobody can look, and it is `t_s`: what was said until then and what is due."""
        with self.lock:
            self._hear(t_s)
            self._take(self.observer.wait(t_s))

    def enter(self, event: TableEvent) -> TableEvent:
        """Somebody enters an event: journalled at once, judged in its place in time; as numbered."""
        with self.lock:
            entered = self._write(event)
            self._place(entered)
        return entered

    def correct(self, correction: EventCorrected) -> EventCorrected:
        """Put something else, or nothing, in the place of an event that stands. EntryFault if none does."""
        with self.lock:
            number = correction.corrects
            waits = self.observer.waits(number)
            if not waits and not self.judgement.has(number):
                shown = f"{number!s:.24}"
                raise EntryFault(
                    f"event {shown}: there is none, or it was corrected already",
                    f"suceso {shown}: no existe o ya se corrigió",
                )
            for each in (self._standing(number), correction.replacement):
                own = None if each is None else uncorrectable(each)
                if own is not None:
                    raise EntryFault(own[1], own[0])
            if correction.replacement is not None:
                # Without a time of its own it stands at the time of what it replaces.
                t_s = self._standing(number).t if correction.replacement.t < 0.0 else correction.replacement.t
                correction = replace(correction, replacement=replace(correction.replacement, t=t_s))
            numbered = self._write(correction)
            assert isinstance(numbered, EventCorrected)
            if waits:
                self.observer.take_back(number)
                new = replacement_of(numbered)
                if new is not None:
                    self._place(new)
            else:
                self._tell(self.judgement.correct(numbered))
        return numbered

    def finish(self, *, hear_rest: bool = True) -> None:
        """Nothing comes any more. `hear_rest`: what was said later is part of the record all the same.

        Nobody saw what went with it: the view counts as lost from the last look on.
        """
        with self.lock:
            if self._heard and hear_rest and self._heard[-1].t > (self._looked_s or 0.0) + LOST_STEP_S:
                self.observer.lose(self._looked_s or 0.0, PICTURES_ENDED)
            while self._heard and hear_rest:
                self._take(self.observer.hear(self._heard.popleft()))
            self._take(self.observer.finish())
            self._tell(self.judgement.finish())

    @property
    def last_id(self) -> int:
        """Of the journal's newest line."""
        return self._journal.last_id

    @property
    def findings(self) -> Mapping[int, Finding]:
        """The findings that stand, by a number that a finding keeps when it is revised."""
        return self.judgement.standing

    @property
    def events(self) -> list[TableEvent]:
        """The events as they stand, in order of time."""
        return self.judgement.events

    @property
    def teller(self) -> Storyteller:
        return self.judgement.teller

    @property
    def books(self) -> Bookkeeper:
        return self.judgement.books

    @property
    def sight(self) -> SightBook:
        return self.judgement.sight

    @property
    def coups_closed(self) -> int:
        return self.judgement.coups_closed

    @property
    def account(self) -> CoupAccount:
        """Of the coup in course, or of the last one."""
        return self.books.accounts[-1] if self.books.accounts else CoupAccount()

    def _hear(self, until_s: float) -> None:
        while self._heard and self._heard[0].t <= until_s:
            self._take(self.observer.hear(self._heard.popleft()))

    def _place(self, entered: TableEvent) -> None:
        """An event of the journal to where it belongs: among what waits, or among what has been judged."""
        late = isinstance(entered, EventCorrected) or entered.t < self.observer.told_s
        if late or (stands_alone(entered) and not self.observer.words_wait):
            self.observer.note(entered)
            self._tell(self.judgement.insert(entered))
        else:
            self._take(self.observer.hear(entered))

    def _standing(self, number: int) -> TableEvent:
        waiting = self.observer.waits(number)
        return next(event for event in (waiting or reversed(self.events)) if event.id == number)

    def _take(self, events: Iterable[TableEvent]) -> None:
        for event in events:
            # What was entered has its line already.
            numbered = event if event.id else self._write(event)
            # A word that was judged at once may be later than this.
            self._tell(self.judgement.insert(numbered))

    def _write(self, event: TableEvent) -> TableEvent:
        numbered = self._journal.append(event)
        self.on_event(numbered)
        return numbered

    def _tell(self, reports: Iterable[Report]) -> None:
        for number, finding in reports:
            self.on_finding(number, finding)

    def __enter__(self) -> Fold:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._journal.close()


def stands_alone(word: TableEvent) -> bool:
    """Whether a word is judged by words before it, so that nothing the cameras have yet to tell changes it.

    The banker's are not: what he says depends on third cards that may have been dealt by then.
    """
    return isinstance(word, BancoCalled | Ruling) or (isinstance(word, Said) and word.by != BANKER)


def _nothing(*told: object) -> None:
    """Nobody listens."""
