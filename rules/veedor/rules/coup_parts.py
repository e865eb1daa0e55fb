"""What a coup is made of: cards where they lie, stakes as they stand."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from veedor.rules.cards import UNKNOWN, UNREAD, Card, parse_card
from veedor.rules.errors import CardError
from veedor.rules.event_types import (
    BetPlaced,
    CardDealt,
    CardDrawn,
    CardDropped,
    CardTurned,
    TableEvent,
)
from veedor.rules.evolving import Evolving

MOUTH = "mouth"
FLOOR = "floor"
BASKET = "basket"
DEAD = "dead"
SHOE = "shoe"
OFF_TABLE = "off_table"
ZERO = Decimal(0)


def extraction_order(card_id: str, fallback: int) -> int:
    """Card ids are numbered in order of extraction (``c7`` is the seventh); ``fallback`` for other ids."""
    digits = card_id[1:]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else fallback


def read_face(text: str | None) -> Card:
    """The face an event shows; UNKNOWN where it says nothing readable."""
    if text is None:
        return UNKNOWN
    try:
        return parse_card(text)
    except CardError:
        return UNKNOWN


@dataclass(frozen=True)
class CardState(Evolving):
    """One physical card within a coup.

    ``place`` is where it lies (a hand, or mouth, floor, basket, dead, shoe, off_table); ``hand`` the hand it
    belongs or last belonged to; ``third`` tells a card dealt after the first two of each hand. ``turned`` is
    the event that gave the reading in use, ``turned_t`` when its face was first seen.
    """

    id: str
    order: int
    place: str = MOUTH
    hand: str | None = None
    third: bool = False
    face: Card = UNKNOWN
    drawn: CardDrawn | None = None
    dealt: CardDealt | None = None
    turned: CardTurned | None = None
    turned_t: float | None = None
    dropped: CardDropped | None = None

    @property
    def first_hand(self) -> str | None:
        """The hand it was first dealt to, before anybody moved it."""
        return self.dealt.to if self.dealt else None

    def shown(self, event: CardTurned) -> CardState:
        """The card after its face was seen; a later unreadable look never takes back what was read."""
        face = read_face(event.shows)
        rank = face.rank if face.rank != UNREAD else self.face.rank
        suit = face.suit if face.suit != UNREAD else self.face.suit
        # The event that gave the rank is the evidence, so that confidence is that of the reading used.
        turned = event if self.turned is None or face.rank != UNREAD else self.turned
        first = event.t if self.turned_t is None else min(self.turned_t, event.t)
        return self.evolve(face=Card(rank, suit), turned=turned, turned_t=first)


@dataclass(frozen=True)
class Bet(Evolving):
    """One stake; ``amount`` None where the chips could not be counted.

    ``late``: placed after the call. ``paid``, ``collected``, ``returned`` and ``commission`` are what was
    really moved, ``counted`` False once one of those amounts was not seen. ``moves`` are the events that
    moved or changed it: a verdict on the stake is no surer than the least sure of them.
    """

    id: str
    zone: str
    placed: BetPlaced
    order: int
    amount: Decimal | None = None
    late: bool = False
    removed: bool = False
    paid: Decimal = ZERO
    collected: Decimal = ZERO
    returned: Decimal = ZERO
    commission: Decimal = ZERO
    counted: bool = True
    last: TableEvent | None = None
    moves: tuple[TableEvent, ...] = ()
    commission_event: TableEvent | None = None

    @property
    def bettor(self) -> str:
        """Who placed it: the bettor's id, else the seat, else ``none``."""
        if self.placed.bettor:
            return self.placed.bettor
        return f"seat{self.placed.seat}" if self.placed.seat is not None else "none"

    @property
    def seat(self) -> int | None:
        """The seat number, None for somebody standing."""
        if self.placed.seat is not None:
            return self.placed.seat
        return seat_number(self.placed.bettor)

    @property
    def is_touched(self) -> bool:
        """True once something was paid, collected or returned on it."""
        return self.last is not None

    @property
    def net(self) -> Decimal:
        """What the bettor really gained, before commission."""
        return self.paid - self.collected


def seat_number(person: str | None) -> int | None:
    """The number in ``seat7``; None for anybody else."""
    if person and person.startswith("seat") and person[4:].isascii() and person[4:].isdigit():
        return int(person[4:])
    return None


def plain(amount: Decimal | None) -> str:
    """An amount without exponent or idle zeros; ``?`` where it was not counted."""
    return "?" if amount is None else f"{amount.normalize():f}"
