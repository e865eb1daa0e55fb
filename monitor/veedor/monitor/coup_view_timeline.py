"""A session drawn against time: coups, stakes, findings, and when what could not be seen.

Units are those of the SVG: 1000 wide, whatever the session's length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from veedor.monitor.store.rows import EventRow
from veedor.monitor.store.search import FoundCoup
from veedor.monitor.timeline import apart

WIDTH, LEFT, RIGHT = 1000.0, 74.0, 8.0
TOP, LANE = 8.0, 34.0
_SHORTEST_S = 60.0
_SLOT = 1.2  # of a coup, at least: it must be seen and hit
_TICKS_MIN = (1, 2, 5, 10, 15, 30, 60, 120)
_MOST_TICKS = 16
_FLAG = 14.0  # a flag with its number is as wide


@dataclass(frozen=True)
class Block:
    """A coup: where it begins, how wide it is, and its stakes as a share (`bar`) of the largest."""

    coup: FoundCoup
    x: float
    width: float
    bar: float


@dataclass(frozen=True)
class Flag:
    """A finding at its moment, in the coup at `place` (0 outside any)."""

    x: float
    number: int
    place: int
    tone: str


@dataclass(frozen=True)
class Lost:
    """A stretch in which a zone could not be seen."""

    x: float
    width: float
    zones: str
    start_s: float
    stop_s: float


@dataclass(frozen=True)
class SessionTimeline:
    """`ticks` are x with the time on the wall, or media time in minutes where that is not known."""

    height: float
    blocks: tuple[Block, ...]
    flags: tuple[Flag, ...]
    lost: tuple[Lost, ...]
    ticks: tuple[tuple[float, str], ...]


def draw_session(coups: Sequence[FoundCoup], views: Iterable[EventRow]) -> SessionTimeline:
    """The session's timeline; `views` are its events of views lost and restored."""
    first_s = coups[0].opened_t if coups else 0.0
    ends = [each.closed_t or each.opened_t for each in coups]
    last_s = max([first_s + _SHORTEST_S, *ends])

    def x(t_s: float) -> float:
        share = (min(max(t_s, first_s), last_s) - first_s) / (last_s - first_s)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 2)

    staked = [sum((bet.amount or Decimal(0) for bet in coup.bets), Decimal(0)) for coup in coups]
    most = max([*staked, Decimal(1)])
    blocks = tuple(
        Block(coup, x(coup.opened_t), max(_SLOT, x(end) - x(coup.opened_t)), float(much / most))
        for coup, end, much in zip(coups, ends, staked, strict=True)
    )
    found = sorted(((coup, each) for coup in coups for each in coup.findings), key=lambda each: x(each[1].t))
    places = apart([x(each.t) for _, each in found], _FLAG, WIDTH - RIGHT)
    flags = tuple(
        Flag(at, each.number, coup.place, f"severity-{each.severity} verdict-{each.verdict}")
        for at, (coup, each) in zip(places, found, strict=True)
    )
    lost = tuple(
        Lost(x(start), max(1.0, round(x(stop) - x(start), 2)), zones, start, stop)
        for zones, start, stop in stretches(views, last_s)
        if stop > first_s and start < last_s
    )
    return SessionTimeline(TOP + 3 * LANE + 20, blocks, flags, lost, tuple(_ticks(coups, last_s, x)))


def stretches(views: Iterable[EventRow], last_s: float) -> list[tuple[str, float, float]]:
    """What could not be seen from when to when: the zones' names, empty for the whole table."""
    open_at: dict[str, float] = {}
    found = []
    for event in sorted(views, key=lambda each: (each.t, each.id)):
        zones = [str(each) for each in event.body.get("zones") or [""]]
        for zone in zones:
            if event.kind == "view_lost":
                open_at.setdefault(zone, event.t)
            elif zone in open_at:
                found.append((zone, open_at.pop(zone), event.t))
    return found + [(zone, start, last_s) for zone, start in open_at.items()]


def _ticks(coups: Sequence[FoundCoup], last_s: float, x: object) -> list[tuple[float, str]]:
    assert callable(x)
    if not coups:
        return []
    first_s, at = coups[0].opened_t, coups[0].at
    minutes = (last_s - first_s) / 60
    step = next((each for each in _TICKS_MIN if minutes / each <= _MOST_TICKS), 240)
    begun_min = 0.0 if at is None else _minute(at)
    ticks = []
    mark = (int(begun_min // step) + 1) * step
    while mark - begun_min < minutes:
        t_s = first_s + (mark - begun_min) * 60
        shown = f"{mark} min" if at is None else f"{mark // 60 % 24:02d}:{mark % 60:02d}"
        ticks.append((x(t_s), shown))
        mark += step
    return ticks


def _minute(at: datetime) -> float:
    return at.hour * 60 + at.minute + at.second / 60
