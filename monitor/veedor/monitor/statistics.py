"""What many sessions come to: findings and how many were false, hands an hour, points against expectation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from veedor.monitor.statistics_tests import Fit, Share, chi_square
from veedor.monitor.store.rows import State
from veedor.monitor.store.search import CoupFilter, FoundCoup, search
from veedor.monitor.store.store import Store
from veedor.monitor.story import tell
from veedor.rules.cards import POINTS
from veedor.rules.events import TableEvent, decode_event
from veedor.rules.odds import pair_chances
from veedor.rules.settled import corrections_of, settled
from veedor.rules.verdict import Verdict

# A longer rest between two coups is a pause, not a slow hand.
PAUSE_S = 600.0
_CARDS = ("coup_opened", "card_dealt", "card_moved", "card_turned", "card_dropped", "event_corrected")
_DECIDED = (State.ACCEPTED, State.DISMISSED, State.RULED)


@dataclass(frozen=True)
class CodeCount:
    """Findings of one code by what they say and by what people made of them."""

    code: str
    broken: int = 0
    undecided: int = 0
    inspector: int = 0
    states: Mapping[State, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return self.broken + self.undecided + self.inspector


@dataclass(frozen=True)
class Pace:
    """Coups that were played, in so many hours without the pauses."""

    coups: int
    hours: float

    @property
    def an_hour(self) -> float | None:
        return self.coups / self.hours if self.hours > 0 else None


@dataclass(frozen=True)
class PointsOf:
    """How often a hand's first two cards came to each point, and how that fits the exact chances."""

    hand: str
    counts: tuple[int, ...]
    fit: Fit

    @property
    def n(self) -> int:
        return sum(self.counts)


@dataclass(frozen=True)
class ShiftCount:
    """One shift at one table: from its first hour of the day on."""

    table_id: str
    hour: int
    coups: int
    findings: int
    false_alarms: Share


@dataclass(frozen=True)
class Statistics:
    """Of all coups that fit a filter. `false_alarms`: of accusations that people decided, those dismissed."""

    coups: int
    sessions: int
    codes: tuple[CodeCount, ...]
    false_alarms: Share
    pace: Pace
    points: tuple[PointsOf, ...]
    expected: tuple[float, ...]
    shifts: tuple[ShiftCount, ...]
    unread: int = 0  # hands of two cards of which one was not read


def statistics(store: Store, wanted: CoupFilter, shifts: Sequence[int] = (6, 14, 22)) -> Statistics:
    """The figures of the coups that fit; `shifts` are the hours at which dealers change."""
    coups = search(store, wanted)
    chances = tuple(float(each) for each in pair_chances())
    counts, unread = _points(store, coups)
    points = tuple(
        PointsOf(hand, tuple(found[point] for point in range(10)), chi_square(_row(found), chances))
        for hand, found in sorted(counts.items())
    )
    return Statistics(
        len(coups),
        len({each.session for each in coups}),
        _codes(coups),
        _false_alarms(coups),
        _pace(coups),
        points,
        chances,
        _shifts(coups, sorted(set(shifts)) or [0]),
        unread,
    )


def _row(found: Counter[int]) -> list[int]:
    return [found[point] for point in range(10)]


def _codes(coups: Iterable[FoundCoup]) -> tuple[CodeCount, ...]:
    """Most frequent first."""
    verdicts: dict[str, Counter[str]] = {}
    states: dict[str, Counter[State]] = {}
    for coup in coups:
        for each in coup.findings:
            verdicts.setdefault(each.code, Counter())[each.verdict] += 1
            states.setdefault(each.code, Counter())[each.state] += 1
    rows = [
        CodeCount(
            code,
            found[Verdict.BROKEN],
            found[Verdict.UNDECIDED],
            found[Verdict.INSPECTOR],
            dict(states[code]),
        )
        for code, found in verdicts.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.total, row.code)))


def _false_alarms(coups: Iterable[FoundCoup]) -> Share:
    accused = [each.state for coup in coups for each in coup.findings if each.verdict == Verdict.BROKEN]
    decided = [state for state in accused if state in _DECIDED]
    return Share(decided.count(State.DISMISSED), len(decided))


def _pace(coups: Sequence[FoundCoup]) -> Pace:
    """From opening to opening; the last coup of a session, and one before a pause, until it was closed."""
    played_s = 0.0
    for coup, following in zip(coups, [*coups[1:], None], strict=True):
        own_s = 0.0 if coup.closed_t is None else coup.closed_t - coup.opened_t
        until_next_s = own_s
        if following is not None and following.session == coup.session:
            until_next_s = following.opened_t - coup.opened_t
        played_s += until_next_s if 0.0 < until_next_s <= PAUSE_S else min(max(own_s, 0.0), PAUSE_S)
    return Pace(len(coups), played_s / 3600)


def _shifts(coups: Iterable[FoundCoup], hours: Sequence[int]) -> tuple[ShiftCount, ...]:
    grouped: dict[tuple[str, int], list[FoundCoup]] = {}
    for coup in coups:
        if coup.at is not None:
            grouped.setdefault((coup.table_id, _shift_of(coup.at, hours)), []).append(coup)
    return tuple(
        ShiftCount(table, hour, len(each), sum(len(coup.findings) for coup in each), _false_alarms(each))
        for (table, hour), each in sorted(grouped.items())
    )


def _shift_of(at: datetime, hours: Sequence[int]) -> int:
    return max((hour for hour in hours if hour <= at.hour), default=hours[-1])


def _points(store: Store, coups: Iterable[FoundCoup]) -> tuple[dict[str, Counter[int]], int]:
    """How often each hand's first two cards came to each point; and how many could not be read."""
    counts: dict[str, Counter[int]] = {}
    unread = 0
    places: dict[str, set[int]] = {}
    for coup in coups:
        places.setdefault(coup.session, set()).add(coup.place)
    for session, wanted in places.items():
        for place, hand, point in _pairs_of(store, session):
            if place not in wanted:
                continue
            if point is None:
                unread += 1
            else:
                counts.setdefault(hand, Counter())[point] += 1
    return counts, unread


def _pairs_of(store: Store, session: str) -> tuple[tuple[int, str, int | None], ...]:
    with store.database.reading() as db:
        last = db.execute("SELECT max(id) FROM events WHERE session = ?", (session,)).fetchone()[0] or 0
    return _pairs(store, session, last)


@lru_cache(512)
def _pairs(store: Store, session: str, last: int) -> tuple[tuple[int, str, int | None], ...]:
    """Place of the coup, hand, and point of its first two cards, None where one was not read.

    Sessions grow at their end alone: `last`, the number of the last event, says whether this is still true.
    """
    marks = ", ".join("?" * len(_CARDS))
    with store.database.reading() as db:
        rows = db.execute(
            f"SELECT line FROM events WHERE session = ? AND kind IN ({marks}) AND id <= ? ORDER BY id",
            (session, *_CARDS, last),
        ).fetchall()
    events: list[TableEvent] = [decode_event(json.loads(line)) for (line,) in rows]
    found = []
    for place, coup in enumerate(tell(settled(events, corrections_of(events))), 1):
        for hand in coup.hands:
            if len(hand.cards) >= 2:
                ranks = [card.shows[0] for card in hand.cards[:2]]
                points = [POINTS.get(rank) for rank in ranks]
                known = [each for each in points if each is not None]
                found.append((place, hand.name, sum(known) % 10 if len(known) == 2 else None))
    return tuple(found)
