"""What a journal says of each coup, without the names it gave to cards and stakes: those are its own."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from veedor.rules.events import (
    BetChanged,
    BetCollected,
    BetPaid,
    BetPlaced,
    BetRemoved,
    CardDealt,
    CardMoved,
    CardTurned,
    CoupClosed,
    CoupOpened,
    TableEvent,
)

UNREAD = "??"


@dataclass(frozen=True)
class CoupSeen:
    """Faces by hand as dealt; stakes and what they gained or lost by zone, None for unknown. `corrected`: a
    person has put something of it right."""

    number: int
    t_s: float
    hands: Mapping[str, tuple[str, ...]]
    stakes: Mapping[str, Decimal | None]
    settled: Mapping[str, Decimal | None]
    corrected: bool = False


@dataclass
class _Open:
    number: int
    t_s: float
    where: dict[str, str] = field(default_factory=dict)
    faces: dict[str, str] = field(default_factory=dict)
    zones: dict[str, str] = field(default_factory=dict)
    amounts: dict[str, Decimal | None] = field(default_factory=dict)
    gains: dict[str, Decimal | None] = field(default_factory=dict)

    def closed(self) -> CoupSeen:
        hands: dict[str, tuple[str, ...]] = {}
        for card, hand in self.where.items():
            hands[hand] = (*hands.get(hand, ()), self.faces.get(card, UNREAD))
        return CoupSeen(
            self.number, round(self.t_s, 3), hands, self._by_zone(self.amounts), self._by_zone(self.gains)
        )

    def _by_zone(self, amounts: Mapping[str, Decimal | None]) -> dict[str, Decimal | None]:
        """All stakes of a zone together: whether two piles are one stake or two, is a matter of view."""
        total: dict[str, Decimal | None] = {}
        for bet, amount in amounts.items():
            zone = self.zones.get(bet, bet)
            before = total.get(zone, Decimal(0))
            total[zone] = None if amount is None or before is None else before + amount
        return total


def coups_of(events: Iterable[TableEvent]) -> list[CoupSeen]:
    """Every coup of a journal that stands; what was seen after the last one opened counts for that."""
    coups: list[CoupSeen] = []
    current: _Open | None = None
    for event in events:
        if isinstance(event, CoupOpened):
            if current is not None:
                coups.append(current.closed())
            current = _Open(event.coup or len(coups) + 1, event.t)
        elif current is not None and isinstance(event, CoupClosed):
            coups.append(current.closed())
            current = None
        elif current is not None:
            _take(current, event)
    if current is not None:
        coups.append(current.closed())
    return coups


def with_corrected(coups: Sequence[CoupSeen], put_right: Iterable[float]) -> list[CoupSeen]:
    """The coups, those marked in which something was put right; between two it is the earlier one's."""
    starts = [each.t_s for each in coups]
    marked = {bisect_right(starts, t_s) - 1 for t_s in put_right}
    return [replace(each, corrected=place in marked) for place, each in enumerate(coups)]


def _take(coup: _Open, event: TableEvent) -> None:
    match event:
        case CardDealt(card=card, to=to) | CardMoved(card=card, to=to):
            coup.where[card] = to
        case CardTurned(card=card, shows=shows):
            coup.faces[card] = shows
        case BetPlaced(bet=bet, zone=zone, amount=amount):
            coup.zones[bet], coup.amounts[bet] = zone, amount
        case BetChanged(bet=bet, zone=zone, amount=amount):
            if zone is not None:
                coup.zones[bet] = zone
            if amount is not None:
                coup.amounts[bet] = amount
        case BetRemoved(bet=bet):
            coup.amounts.pop(bet, None)
        case BetPaid(bet=bet, amount=amount):
            coup.gains[bet] = _added(coup.gains, bet, amount)
        case BetCollected(bet=bet, amount=amount):
            coup.gains[bet] = _added(coup.gains, bet, None if amount is None else -amount)
        case _:
            pass


def _added(gains: Mapping[str, Decimal | None], bet: str, amount: Decimal | None) -> Decimal | None:
    before = gains.get(bet, Decimal(0))
    return None if amount is None or before is None else before + amount
