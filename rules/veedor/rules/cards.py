"""Cards, their notation and their baccarat points.

Notation: rank then suit, ``7H``, ``TD``, ``KS``; ``?`` stands for what was not read (``??``, ``7?``, ``?H``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from veedor.rules.errors import CardError

RANKS = "A23456789TJQK"
SUITS = "SHDC"
UNREAD = "?"

# EQ-05: figures and tens count nothing, the ace one, the others their pips (001 VI p1).
POINTS = {rank: (index + 1 if index < 9 else 0) for index, rank in enumerate(RANKS)}


@dataclass(frozen=True, slots=True)
class Card:
    """One card face; ``rank`` or ``suit`` is ``?`` where it was not read."""

    rank: str
    suit: str

    def __str__(self) -> str:
        return self.rank + self.suit

    @property
    def points(self) -> int | None:
        """Points of the rank, 0–9; None where the rank was not read."""
        return POINTS.get(self.rank)

    @property
    def is_read(self) -> bool:
        """True when both rank and suit were read."""
        return self.rank != UNREAD and self.suit != UNREAD


UNKNOWN = Card(UNREAD, UNREAD)


@lru_cache(maxsize=512)
def parse_card(text: str) -> Card:
    """Reads ``7H``, ``7?``, ``??``; raises CardError for anything else."""
    if len(text) == 2:
        rank, suit = text[0], text[1]
        if (rank in RANKS or rank == UNREAD) and (suit in SUITS or suit == UNREAD):
            return Card(rank, suit)
    raise CardError(f"card: expected a rank of {RANKS}? and a suit of {SUITS}?, found {text!r}")


def full_deck() -> tuple[Card, ...]:
    """The 52 cards of one French deck, suits in the order of SUITS."""
    return tuple(Card(rank, suit) for suit in SUITS for rank in RANKS)


def total(cards: Iterable[Card | None]) -> int | None:
    """Point of a hand, modulo ten (EQ-06); None if any card is missing or unread."""
    points = 0
    for card in cards:
        value = None if card is None else POINTS.get(card.rank)
        if value is None:
            return None
        points += value
    return points % 10
