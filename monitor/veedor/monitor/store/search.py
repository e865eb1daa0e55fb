"""Coups looked for by what was staked, found and decided in them, and by the clock on the wall."""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation

from veedor.monitor.store.queries import FINDINGS_IN_FULL, finding_of
from veedor.monitor.store.rows import FindingRow, State
from veedor.monitor.store.store import Store

MOST_FOUND = 100_000  # coups of one search: years of a table
_SHORTEST_S = 60.0  # a coup that was never closed lasts so long at least, as far as a search is concerned
_DAY_MIN = 24 * 60


@dataclass(frozen=True)
class CoupFilter:
    """What a coup must have; what is None or empty does not limit.

    `person` is a seat (`seat4`), a bettor or the actor of a finding; `low` and `high` bound the amount of a
    stake; `since` and `until` are days, both included; `from_min` and `to_min` minutes of the day, and a
    stretch that ends before it begins goes past midnight.
    """

    table_id: str | None = None
    session: str | None = None
    person: str | None = None
    low: Decimal | None = None
    high: Decimal | None = None
    codes: tuple[str, ...] = ()
    verdicts: tuple[str, ...] = ()
    states: tuple[State, ...] = ()
    since: date | None = None
    until: date | None = None
    from_min: int | None = None
    to_min: int | None = None
    with_findings: bool = False
    with_bets: bool = False  # all of them, not looked for

    @property
    def asks_findings(self) -> bool:
        return bool(self.codes or self.verdicts or self.states or self.with_findings)

    @property
    def asks_stakes(self) -> bool:
        return self.low is not None or self.high is not None


@dataclass(frozen=True)
class FoundBet:
    """A stake as it was placed, corrections applied."""

    bet: str
    t: float
    zone: str
    who: str
    amount: Decimal | None


@dataclass(frozen=True)
class FoundCoup:
    """A coup that fits, with what of it fits; `at` and `until` by the clock on the wall, None if unknown."""

    session: str
    table_id: str
    table_name: str
    place: int
    number: int
    opened_t: float
    closed_t: float | None
    at: datetime | None
    until: datetime | None
    findings: tuple[FindingRow, ...] = ()
    bets: tuple[FoundBet, ...] = ()

    def covers(self, minute: int | None) -> bool:
        """Whether the coup was in course at that minute of a day."""
        if minute is None or self.at is None or self.until is None:
            return False
        return _overlaps(self.at, self.until, minute, minute)


@dataclass(frozen=True)
class _Times:
    """When a session's coups opened, to place what happened by its time."""

    opened: list[float] = field(default_factory=list)
    places: list[int] = field(default_factory=list)

    def place(self, t: float) -> int:
        index = bisect_right(self.opened, t)
        return self.places[index - 1] if index else 0


def wall_clock(started_at: str | None, t: float) -> datetime | None:
    """The time on the wall at media time `t`: by the offset the session names, by this machine's for UTC."""
    if not started_at:
        return None
    try:
        start = datetime.fromisoformat(started_at)
        moment = start + timedelta(seconds=t)
        return moment.astimezone() if start.tzinfo is None or not start.utcoffset() else moment
    except (ValueError, OverflowError):
        return None


def search(store: Store, wanted: CoupFilter) -> list[FoundCoup]:
    """Newest night first, a night's coups in order."""
    with store.database.reading() as db:
        coups = _coups(db, wanted)
        times = _times(coups)
        findings = _findings(db, wanted, times)
        bets = _bets(db, wanted, times)
    found = [
        _found(
            row,
            findings.get((row["session"], row["place"]), ()),
            bets.get((row["session"], row["place"]), ()),
        )
        for row in coups
    ]
    return [each for each in found if _fits(each, wanted)]


def sessions_of(store: Store, wanted: CoupFilter) -> list[str]:
    """The sessions in which there may be coups that fit, newest first: all, however many."""
    where, values = _where(wanted)
    with store.database.reading() as db:
        rows = db.execute(
            f"SELECT s.session FROM sessions s WHERE {where} ORDER BY s.started_at DESC, s.session DESC",
            values,
        )
        return [row["session"] for row in rows]


def search_in(store: Store, sessions: Iterable[str], wanted: CoupFilter) -> Iterator[FoundCoup]:
    """The coups of these sessions that fit, one session after another: only one is held at a time."""
    for session in sessions:
        yield from search(store, replace(wanted, session=session))


def _coups(db: sqlite3.Connection, wanted: CoupFilter) -> list[sqlite3.Row]:
    where, values = _where(wanted)
    return db.execute(
        "SELECT c.*, s.table_id, s.table_name, s.started_at FROM coups c JOIN sessions s USING (session)"
        f" WHERE {where} ORDER BY s.started_at DESC, s.session DESC, c.place LIMIT ?",
        [*values, MOST_FOUND],
    ).fetchall()


def _where(wanted: CoupFilter) -> tuple[str, list[object]]:
    """What the sessions must be, as SQL."""
    where, values = ["1"], list[object]()
    for column, value in (("s.table_id", wanted.table_id), ("s.session", wanted.session)):
        if value is not None:
            where.append(f"{column} = ?")
            values.append(value)
    # Days are those on the wall: some more are taken here, and what does not fit is left out below.
    if wanted.since is not None:
        where.append("s.started_at >= ?")
        values.append((_earlier(wanted.since, 3)).isoformat())
    if wanted.until is not None:
        where.append("s.started_at < ?")
        values.append((_earlier(wanted.until, -2)).isoformat())
    return " AND ".join(where), values


def _earlier(day: date, days: int) -> date:
    try:
        return day - timedelta(days=days)
    except OverflowError:
        return day


def _times(coups: Sequence[sqlite3.Row]) -> Mapping[str, _Times]:
    times: dict[str, _Times] = defaultdict(_Times)
    for row in coups:
        times[row["session"]].opened.append(row["opened_t"])
        times[row["session"]].places.append(row["place"])
    return times


def _findings(
    db: sqlite3.Connection, wanted: CoupFilter, times: Mapping[str, _Times]
) -> dict[tuple[str, int], tuple[FindingRow, ...]]:
    """The findings that fit, by their coup."""
    where, values = ["verdict <> 'withdrawn'", _SESSIONS], [_listed(times)]
    several = (("code", wanted.codes), ("verdict", wanted.verdicts), ("state", wanted.states))
    for column, options in several:
        if options:
            where.append(f"{column} IN (SELECT value FROM json_each(?))")
            values.append(json.dumps([str(each) for each in options]))
    place = (
        "(SELECT max(d.place) FROM coups d WHERE d.session = found.session AND d.number = found.coup"
        " AND (d.opened_t <= found.t OR d.place = 1))"
    )
    rows = db.execute(
        f"SELECT *, {place} AS place FROM ({FINDINGS_IN_FULL}) AS found WHERE {' AND '.join(where)}"
        " ORDER BY session, t, number",
        values,
    )
    grouped: dict[tuple[str, int], list[FindingRow]] = defaultdict(list)
    for row in rows:
        grouped[row["session"], row["place"] or 0].append(finding_of(row))
    return {key: tuple(each) for key, each in grouped.items()}


_SESSIONS = "session IN (SELECT value FROM json_each(?))"


def _listed(times: Mapping[str, _Times]) -> str:
    return json.dumps(list(times))


_UNTOUCHED = "NOT EXISTS (SELECT 1 FROM gone WHERE gone.session = e.session AND gone.id = e.id)"
_PLACED = f"""
WITH gone AS (
    SELECT session, json_extract(line, '$.corrects') AS id FROM events
    WHERE kind = 'event_corrected' AND {_SESSIONS})
SELECT session, id, t, line FROM events AS e WHERE kind = 'bet_placed' AND {_SESSIONS} AND {_UNTOUCHED}
UNION ALL
SELECT session, id, coalesce(json_extract(line, '$.replacement.t'), t), json_extract(line, '$.replacement')
    FROM events AS e WHERE kind = 'event_corrected' AND {_SESSIONS} AND {_UNTOUCHED}
    AND json_extract(line, '$.replacement.event') = 'bet_placed'
"""


def _bets(
    db: sqlite3.Connection, wanted: CoupFilter, times: Mapping[str, _Times]
) -> dict[tuple[str, int], tuple[FoundBet, ...]]:
    """The stakes that fit, by their coup; none are looked for where none were asked for."""
    if not wanted.asks_stakes and not wanted.with_bets and wanted.person is None:
        return {}
    sessions = _listed(times)
    grouped: dict[tuple[str, int], list[FoundBet]] = defaultdict(list)
    for name, _, t, line in db.execute(_PLACED, (sessions, sessions, sessions)):
        bet = _bet(t, json.loads(line))
        if _bet_fits(bet, wanted):
            grouped[name, times[name].place(t)].append(bet)
    return {key: tuple(sorted(each, key=lambda bet: bet.t)) for key, each in grouped.items()}


def _bet(t: float, line: Mapping[str, object]) -> FoundBet:
    seat, bettor = line.get("seat"), line.get("bettor")
    who = str(bettor) if bettor else f"seat{seat}" if seat is not None else "?"
    try:
        amount = None if line.get("amount") is None else Decimal(str(line["amount"]))
    except InvalidOperation:
        amount = None
    return FoundBet(str(line.get("bet", "")), t, str(line.get("zone", "")), who, amount)


def _bet_fits(bet: FoundBet, wanted: CoupFilter) -> bool:
    if wanted.person is not None and bet.who != wanted.person:
        return False
    if wanted.low is not None and (bet.amount is None or bet.amount < wanted.low):
        return False
    return wanted.high is None or (bet.amount is not None and bet.amount <= wanted.high)


def _found(row: sqlite3.Row, findings: Iterable[FindingRow], bets: Iterable[FoundBet]) -> FoundCoup:
    end_t = row["closed_t"] if row["closed_t"] is not None else row["opened_t"] + _SHORTEST_S
    return FoundCoup(
        row["session"],
        row["table_id"],
        row["table_name"],
        row["place"],
        row["number"],
        row["opened_t"],
        row["closed_t"],
        wall_clock(row["started_at"], row["opened_t"]),
        wall_clock(row["started_at"], end_t),
        tuple(findings),
        tuple(bets),
    )


def _fits(coup: FoundCoup, wanted: CoupFilter) -> bool:
    if wanted.asks_findings and not coup.findings:
        return False
    if wanted.asks_stakes and not coup.bets:
        return False
    if wanted.person is not None and not coup.bets:
        accused = not wanted.asks_stakes and any(each.actor == wanted.person for each in coup.findings)
        if not accused:
            return False
    asked = (wanted.since, wanted.until, wanted.from_min, wanted.to_min)
    if all(each is None for each in asked):
        return True
    if coup.at is None or coup.until is None:
        return False
    if wanted.since is not None and coup.at.date() < wanted.since:
        return False
    if wanted.until is not None and coup.at.date() > wanted.until:
        return False
    if wanted.from_min is None and wanted.to_min is None:
        return True
    first = 0 if wanted.from_min is None else wanted.from_min
    last = _DAY_MIN - 1 if wanted.to_min is None else wanted.to_min
    return _overlaps(coup.at, coup.until, first, last)


def _overlaps(start: datetime, stop: datetime, from_min: int, to_min: int) -> bool:
    """Whether a coup's time has a part of a stretch of the day, which may go past midnight."""
    length = (to_min - from_min) % _DAY_MIN + 1
    midnight = start.replace(hour=0, minute=0, second=0, microsecond=0)
    for days in (-1, 0, 1):
        first = midnight + timedelta(days=days, minutes=from_min)
        if start < first + timedelta(minutes=length) and stop >= first:
            return True
    return False
