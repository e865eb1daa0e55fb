"""A coup drawn against time: one lane for the calls, one for the stakes, one a hand, one for the settlement.

Units are those of the SVG: 1000 wide, whatever the coup's length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from veedor.monitor.story import CoupStory
from veedor.monitor.wording import amount_text, card_name
from veedor.rules.events import (
    BankDeclared,
    BetCollected,
    BetPaid,
    BetPlaced,
    BettingClosed,
    BettingOpened,
    CagnottePaid,
    CardDealt,
    CardTurned,
    HandTaken,
    Said,
    TableEvent,
    ViewLost,
    ViewRestored,
)

WIDTH = 1000.0
LANE_HEIGHT = 46.0
TOP = 26.0  # for the numbers of the findings
LEFT = 84.0  # for the names of the lanes
SHORTEST_S = 10.0
_HAND_OF_SPEAKER = {"banker": "B", "croupier": "calls"}
_TICKS_S = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600)
_MOST_TICKS = 14
_FLAG = 21.0  # a flag with its number is as wide


@dataclass(frozen=True)
class Mark:
    """Something at a moment. `kind` card, back, chip, word, paid, collected or call; x, y its middle."""

    kind: str
    x: float
    y: float
    label: str
    event: TableEvent


@dataclass(frozen=True)
class Timeline:
    """`lanes` are names with their y; `ticks` x and seconds; `flags` x and number of each finding.

    `span` are the first and last moment and their x; `lost` x, width and zones of what was out of sight.
    """

    height: float
    lanes: tuple[tuple[str, float], ...]
    ticks: tuple[tuple[float, float], ...]
    marks: tuple[Mark, ...]
    flags: tuple[tuple[float, int, str], ...]
    span: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    lost: tuple[tuple[float, float, str], ...] = ()

    @property
    def number_places(self) -> tuple[float, ...]:
        """The x of each flag's number: those of one moment stand side by side."""
        return apart([x for x, _, _ in self.flags], _FLAG, WIDTH)


def draw_timeline(coup: CoupStory, findings: Iterable[tuple[int, float, str]]) -> Timeline:
    """The coup's timeline; `findings` are number, time and CSS classes."""
    flagged = sorted(findings, key=lambda each: each[1])
    start_s = coup.opened_t
    stop_s = max([coup.last_t, start_s + SHORTEST_S, *(t for _, t, _ in flagged)])

    def x(t_s: float) -> float:
        share = (min(max(t_s, start_s), stop_s) - start_s) / (stop_s - start_s)
        return round(LEFT + 14 + share * (WIDTH - LEFT - 40), 1)

    hands = [hand.name for hand in coup.hands if hand.name not in ("P1", "P2", "B")] or ["P1", "P2", "B"]
    names = ("calls", "bets", *hands, "money")
    lanes = {name: TOP + LANE_HEIGHT * (row + 0.5) for row, name in enumerate(names)}
    marks = []
    for event in coup.events:
        drawn = _drawn(event, coup)
        if drawn is not None and drawn[1] in lanes:
            kind, lane, label = drawn
            marks.append(Mark(kind, x(event.t), lanes[lane], label, event))
    step = next((each for each in _TICKS_S if (stop_s - start_s) / each <= _MOST_TICKS), _TICKS_S[-1])
    first = int(start_s // step + 1) * step
    ticks = tuple((x(float(t)), float(t)) for t in range(first, int(stop_s) + 1, step))
    flags = tuple((x(t), number, classes) for number, t, classes in flagged)
    height = TOP + LANE_HEIGHT * len(names) + 22
    lost = tuple(
        (x(start), max(1.0, x(stop) - x(start)), zones) for zones, start, stop in _unseen(coup, stop_s)
    )
    span = (start_s, stop_s, x(start_s), x(stop_s))
    return Timeline(height, tuple(lanes.items()), ticks, _spread(marks), flags, span, lost)


def _unseen(coup: CoupStory, stop_s: float) -> list[tuple[str, float, float]]:
    """Zones that could not be seen, from when to when: since before the coup, where it saw them come back."""
    since: dict[str, float] = {}
    found = []
    for event in coup.events:
        if isinstance(event, ViewLost | ViewRestored):
            for zone in event.zones or ("",):
                if isinstance(event, ViewLost):
                    since.setdefault(zone, event.t)
                else:
                    found.append((zone, since.pop(zone, coup.opened_t), event.t))
    return found + [(zone, start, stop_s) for zone, start in since.items()]


def _drawn(event: TableEvent, coup: CoupStory) -> tuple[str, str, str] | None:
    """Kind, lane and label of an event; None if it is not drawn."""
    if isinstance(event, BankDeclared):
        return "call", "calls", amount_text(event.amount)
    if isinstance(event, BettingOpened):
        return "call", "calls", "hagan juego"
    if isinstance(event, BettingClosed):
        return "call", "calls", "no va más"
    if isinstance(event, BetPlaced):
        return "chip", "bets", amount_text(event.amount)
    if isinstance(event, CardDealt):
        shows = _face(coup, event.card)
        return ("back" if shows == "??" else "card"), event.to, card_name(shows)
    if isinstance(event, HandTaken):
        return "taken", event.hand, "↑"
    if isinstance(event, Said):
        words = str(event.point) if event.point is not None else event.words
        return "word", _HAND_OF_SPEAKER.get(event.by, event.by), words
    if isinstance(event, BetPaid):
        return "paid", "money", f"+{amount_text(event.amount)}"
    if isinstance(event, BetCollected):
        return "collected", "money", f"−{amount_text(event.amount)}"
    if isinstance(event, CagnottePaid):
        return "call", "money", amount_text(event.amount)
    return None


def _face(coup: CoupStory, card: str) -> str:
    """What the card showed at last, wherever it lies by now."""
    turned = [event.shows for event in coup.events if isinstance(event, CardTurned) and event.card == card]
    return turned[-1] if turned else "??"


def apart(wanted: Sequence[float], width: float, most: float) -> tuple[float, ...]:
    """Rising places, moved so that things of this width lie side by side up to `most` if there is room."""
    gap = min(width, (most - LEFT) / max(len(wanted), 1))
    placed = list(wanted)
    for at in range(1, len(placed)):
        placed[at] = max(placed[at], placed[at - 1] + gap)
    for at in reversed(range(len(placed))):
        placed[at] = min(placed[at], most - width / 2 - gap * (len(placed) - 1 - at))
    return tuple(round(each, 1) for each in placed)


def _spread(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """Marks of a lane that would lie on one another, set alternately a little higher and lower."""
    placed: list[Mark] = []
    last: dict[float, tuple[float, int]] = {}
    for mark in marks:
        before, turn = last.get(mark.y, (-1e9, 0))
        close = mark.x - before < 13 + 7 * len(mark.label)
        turn = turn + 1 if close else 0
        last[mark.y] = (mark.x, turn)
        shift = (0.0, -11.0, 11.0)[turn % 3]
        placed.append(Mark(mark.kind, mark.x, mark.y + shift, mark.label, mark.event))
    return tuple(placed)
