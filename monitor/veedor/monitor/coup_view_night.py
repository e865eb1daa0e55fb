"""A session's journal judged coup by coup, for people who look at it again.

Judged by the checker that judges a running table; nothing here writes anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from veedor.monitor.coup_view_run import Mark, NightRun
from veedor.monitor.errors import MonitorError
from veedor.monitor.finding_numbers import Key, Told
from veedor.monitor.language import text
from veedor.monitor.store.layout import SessionFolder
from veedor.monitor.store.session_record import told_findings
from veedor.monitor.story import CoupStory
from veedor.rules.account import Account
from veedor.rules.coup import Coup
from veedor.rules.errors import RulesError
from veedor.rules.events import EventCorrected, SessionOpened, TableEvent
from veedor.rules.finding import Finding
from veedor.rules.journal import read_journal
from veedor.rules.profile import RuleProfile, load_profile
from veedor.rules.session import Session
from veedor.rules.session_close import settlement_now
from veedor.rules.settled import corrections_of, settled
from veedor.rules.settlement import Settlement
from veedor.vision.errors import VisionError
from veedor.vision.table_file import load_table


class NightFault(MonitorError):
    """A session that cannot be judged again; one line says why."""


@dataclass(frozen=True)
class Night:
    """A session's journal as it is written, and the numbers its findings were told under."""

    session: str
    profile: RuleProfile
    written: tuple[TableEvent, ...] = field(repr=False)
    told: tuple[Told, ...] = field(default=(), repr=False)

    @property
    def last_id(self) -> int:
        return max((event.id for event in self.written), default=0)

    def standing(self, more: Iterable[EventCorrected] = ()) -> list[TableEvent]:
        """The events in order of time with their corrections, and with `more` of them, applied."""
        events = (*self.written, *more)
        return list(settled(events, corrections_of(events)))


@dataclass(frozen=True)
class JudgedCoup:
    """A coup as it stood before the next one opened; `place` counts those of the session from 1.

    `rules` and what follows are None for a coup that the rules could not follow; `bank` is what the bank held
    before it.
    """

    place: int
    story: CoupStory
    rules: Coup | None = None
    settlement: Settlement | None = None
    account: Account | None = None
    bank: Decimal | None = None
    findings: tuple[tuple[int, Finding], ...] = ()


@dataclass(frozen=True)
class Judged:
    """What comes of a session's events. `loose` are findings outside every coup."""

    profile: RuleProfile
    coups: tuple[JudgedCoup, ...]
    loose: tuple[tuple[int, Finding], ...]
    events: tuple[TableEvent, ...] = field(repr=False)
    marks: tuple[Mark, ...] = field(default=(), repr=False)

    def coup(self, place: int) -> JudgedCoup | None:
        return self.coups[place - 1] if 1 <= place <= len(self.coups) else None

    def findings(self) -> dict[int, Finding]:
        """Every finding by its number."""
        found = [each for coup in self.coups for each in coup.findings]
        return dict((*found, *self.loose))

    def numbers(self) -> list[tuple[int, Key, int]]:
        """Place, key and number of each finding."""
        found = [(coup.place, each) for coup in self.coups for each in coup.findings]
        found += [(0, each) for each in self.loose]
        return [(place, finding.key, number) for place, (number, finding) in found]


def read_night(folder: SessionFolder) -> Night:
    """A session's journal with the rules it was played by; NightFault where either cannot be had."""
    if not folder.journal.is_file():
        raise NightFault(f"{folder.journal}: " + text(es="no existe", en="no such file"))
    events = read_journal(folder.journal).events
    return Night(folder.session, _profile(folder, events), events, tuple(told_findings(folder)))


def _profile(folder: SessionFolder, events: Sequence[TableEvent]) -> RuleProfile:
    path = folder.table_file
    named = next((each.profile for each in events if isinstance(each, SessionOpened)), None)
    kept = folder.profile_file  # a review may have been judged by other rules than the table's own
    try:
        if kept.is_file():
            return load_profile(kept)
        if path.is_file():
            return load_profile(load_table(path).profile, named_in=path)
        if named is not None:
            return load_profile(named, named_in=folder.journal)
    except (RulesError, VisionError) as fault:
        raise NightFault(str(fault)) from fault
    raise NightFault(f"{folder.path}: " + text(es="no dice con qué reglas", en="does not say by which rules"))


def judge(
    events: Sequence[TableEvent],
    profile: RuleProfile,
    told: Iterable[Told] = (),
    before: Judged | None = None,
) -> Judged:
    """Judge events that stand in order of time.

    Findings that were told before keep their numbers, and so do those of `before`, the same session judged
    with other events; what came before the first of those is taken over from it.
    """
    run = NightRun(profile, told)
    start = 0
    if before is not None:
        start = run.take_over(before, events)
    for place in range(start, len(events)):
        run.feed(place, events[place])
    run.finish()
    by_place: dict[int, list[tuple[int, Finding]]] = {}
    for number, finding in run.standing.items():
        by_place.setdefault(_place_of(finding, run.teller.coups), []).append((number, finding))
    coups = tuple(
        _coup(place, story, run.sessions.get(place), by_place.get(place, []))
        for place, story in enumerate(run.teller.coups, 1)
    )
    return Judged(profile, coups, tuple(by_place.get(0, [])), tuple(events), tuple(run.marks))


def _place_of(finding: Finding, coups: Sequence[CoupStory]) -> int:
    """The coup a finding is of: coups count anew with each shoe, so the last of its number before it."""
    fitting = [place for place, coup in enumerate(coups, 1) if coup.number == finding.coup]
    before = [place for place in fitting if coups[place - 1].opened_t <= finding.t]
    return (before or [0])[-1]


def _coup(
    place: int, story: CoupStory, session: Session | None, findings: list[tuple[int, Finding]]
) -> JudgedCoup:
    found = tuple(sorted(findings, key=lambda each: (each[1].t, each[0])))
    if session is None or session.coup is None:
        return JudgedCoup(place, story, findings=found)
    coup = session.coup
    settled_with = session.settled_with if coup.closed is not None else None
    bank = session.bank.amount if settled_with is None else settled_with[0]
    account = session.account if coup.closed is not None else None
    return JudgedCoup(place, story, coup, settlement_now(session, coup), account, bank, found)
