"""A session's events through the rule checker, with marks from which a changed session is judged on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veedor.monitor.finding_numbers import FindingNumbers, Told, stand
from veedor.monitor.story import CoupStory, Storyteller
from veedor.rules.checker import Checker
from veedor.rules.events import CoupOpened, TableEvent
from veedor.rules.finding import Finding
from veedor.rules.profile import RuleProfile
from veedor.rules.session import Session

if TYPE_CHECKING:
    from veedor.monitor.coup_view_night import Judged


@dataclass(frozen=True)
class Mark:
    """Everything as it stood before `events[index]`, at which a coup opens."""

    index: int
    checker: Checker
    stories: tuple[CoupStory, ...]
    earlier: tuple[TableEvent, ...]
    standing: Mapping[int, Finding]
    sessions: Mapping[int, Session]


class NightRun:
    """Judges like a running table does (`veedor.monitor.judgement`), without its books, for sessions at rest.

    `sessions` are the rules' own states, by the place of the coup they show at its end.
    """

    def __init__(self, profile: RuleProfile, told: Iterable[Told] = ()) -> None:
        self.checker, self.teller = Checker(profile), Storyteller()
        self.standing: dict[int, Finding] = {}
        self.sessions: dict[int, Session] = {}
        self.marks: list[Mark] = []
        self._opened: TableEvent | None = None
        self._numbers = FindingNumbers(told)

    def take_over(self, before: Judged, events: Sequence[TableEvent]) -> int:
        """Go on from the coup in which the events begin to differ; where in them that is."""
        for place, key, number in before.numbers():
            self._numbers.take(place, key, number)
        same = 0
        for old, new in zip(before.events, events, strict=False):
            if old is not new and old != new:
                break
            same += 1
        kept = [mark for mark in before.marks if mark.index <= same]
        if not kept:
            return 0
        mark = kept[-1]
        self.checker = mark.checker.fork()
        self.teller.coups, self.teller.before = list(mark.stories), list(mark.earlier)
        self.standing, self.sessions = dict(mark.standing), dict(mark.sessions)
        self.marks = kept[:-1]
        return mark.index

    def feed(self, index: int, event: TableEvent) -> None:
        """The next event in order of time, `index` of them before it."""
        if isinstance(event, CoupOpened):
            self._opened = event
            teller = self.teller
            mark = Mark(
                index,
                self.checker.fork(),
                tuple(teller.coups),
                tuple(teller.before),
                dict(self.standing),
                dict(self.sessions),
            )
            self.marks.append(mark)
        self.teller.feed(event)
        self._judged(self.checker.feed(event))
        session = self.checker.session
        if self._opened is not None and session.coup is not None and session.coup.opened is self._opened:
            self.sessions[len(self.teller.coups)] = session

    def finish(self) -> None:
        """Nothing comes any more."""
        self._judged(self.checker.finish())

    def _judged(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            stand(self.standing, self._numbers.number(finding, len(self.teller.coups)), finding)
