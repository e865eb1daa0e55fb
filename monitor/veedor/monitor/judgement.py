"""What follows from a table's events in order of time: coups, accounts, findings.

A word that arrives late or is corrected changes what was judged since. Then everything from the beginning of
its coup on is judged again, and only what comes out otherwise is told.
"""

from __future__ import annotations

import copy
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from veedor.monitor.bookkeeping import Bookkeeper
from veedor.monitor.finding_numbers import FindingNumbers, Told, stand, withdrawn
from veedor.monitor.sight_book import SightBook
from veedor.monitor.story import Storyteller
from veedor.rules.checker import Checker
from veedor.rules.events import CoupClosed, CoupOpened, EventCorrected, TableEvent
from veedor.rules.finding import Finding
from veedor.rules.profile import RuleProfile
from veedor.rules.settled import replacement_of

# Coups that can be judged again without judging the whole session: some hours' worth costs little memory.
_MARKS = 60

# A finding and its number; withdrawn, revised or new, as its own fields say.
Report = tuple[int, Finding]


@dataclass(frozen=True)
class _Mark:
    """Everything as it stood before `events[index]`."""

    index: int
    checker: Checker
    teller: Storyteller
    books: Bookkeeper
    sight: SightBook
    coups_closed: int
    standing: Mapping[int, Finding]


class Judgement:
    """One session's events, in order of time, and what follows from them."""

    def __init__(self, profile: RuleProfile) -> None:
        self.profile = profile
        self.checker = Checker(profile)
        self.teller = Storyteller()
        self.books = Bookkeeper(profile)
        self.sight = SightBook()
        self.coups_closed = 0
        self.events: list[TableEvent] = []
        self.standing: dict[int, Finding] = {}
        self._numbers = FindingNumbers()
        self._marks = [self._mark()]

    def know(self, told: Iterable[Told]) -> None:
        """Numbers that findings of this session were told under before, in their order."""
        self._numbers.know(told)

    def feed(self, event: TableEvent) -> list[Report]:
        """An event that comes after all others."""
        if isinstance(event, CoupOpened):
            self._marks.append(self._mark())
            if len(self._marks) > _MARKS:
                del self._marks[1]
        self.events.append(event)
        return self._follow(event)

    def insert(self, event: TableEvent) -> list[Report]:
        """An event that was told late: it takes its place in time."""
        place = bisect_right(self.events, event.t, key=lambda other: other.t)
        if place == len(self.events):
            return self.feed(event)
        self.events.insert(place, event)
        return self._again(place)

    def has(self, number: int) -> bool:
        """Whether an event of this id stands."""
        return self._place(number) is not None

    def correct(self, correction: EventCorrected) -> list[Report]:
        """Put another event, or nothing, in the place of one that stands; with 0, add what was missed."""
        added = replacement_of(correction)
        if not correction.corrects and added is not None:
            return self.insert(added)
        place = self._place(correction.corrects)
        if place is None:
            return []
        del self.events[place]
        new = replacement_of(correction)
        if new is not None:
            at = bisect_right(self.events, new.t, key=lambda other: other.t)
            self.events.insert(at, new)
            place = min(place, at)
        return self._again(place)

    def finish(self) -> list[Report]:
        """Nothing comes any more."""
        return self._judged(self.checker.finish())

    def _place(self, number: int) -> int | None:
        for place in range(len(self.events) - 1, -1, -1):
            event = self.events[place]
            if event.id == number and not isinstance(event, EventCorrected):
                return place
        return None

    def _mark(self) -> _Mark:
        teller, books = copy.copy(self.teller), copy.copy(self.books)
        teller.coups, teller.before = list(teller.coups), list(teller.before)
        books.accounts = list(books.accounts)
        return _Mark(
            len(self.events),
            self.checker.fork(),
            teller,
            books,
            copy.deepcopy(self.sight),
            self.coups_closed,
            dict(self.standing),
        )

    def _again(self, place: int) -> list[Report]:
        """Judge anew from the coup on in which `events[place]` is; what comes out otherwise."""
        while self._marks[-1].index > place:
            self._marks.pop()
        before, events = self.standing, self.events
        mark = self._marks.pop()
        self.checker, self.teller, self.books, self.sight = mark.checker, mark.teller, mark.books, mark.sight
        self.coups_closed, self.standing = mark.coups_closed, dict(mark.standing)
        self.events = events[: mark.index]
        self._marks.append(self._mark())
        rest = events[mark.index :]
        if rest and isinstance(rest[0], CoupOpened) and mark.index:
            self._marks.pop()  # feed sets it again
        for event in rest:
            self.feed(event)
        return self._changes(before)

    def _changes(self, before: Mapping[int, Finding]) -> list[Report]:
        gone = [
            (number, withdrawn(finding)) for number, finding in before.items() if number not in self.standing
        ]
        changed = [
            (number, replace(finding, revises=number in before))
            for number, finding in self.standing.items()
            if number not in before or replace(before[number], revises=finding.revises) != finding
        ]
        return gone + changed

    def _follow(self, event: TableEvent) -> list[Report]:
        self.teller.feed(event)
        self.books.feed(event)
        self.sight.feed(event)
        self.coups_closed += isinstance(event, CoupClosed)
        return self._judged(self.checker.feed(event))

    def _judged(self, found: Iterable[Finding]) -> list[Report]:
        reports = []
        for finding in found:
            number = self._numbers.number(finding, len(self.teller.coups))
            stand(self.standing, number, finding)
            reports.append((number, finding))
        return reports
