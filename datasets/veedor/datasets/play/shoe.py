"""The sabot: six decks, three of each back colour, in the order they will come out."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from veedor.rules.cards import full_deck

# SH-02: the coloured card goes in with ten cards below it.
CARDS_BELOW_CUT = 10


@dataclass(frozen=True)
class ShoeCard:
    """One physical card: its face like `7H` and the index (0 or 1) of its back colour."""

    face: str
    back: int
    number: int  # unique in the shoe


@dataclass
class Shoe:
    """Cards still to come, next one last."""

    rest: list[ShoeCard] = field(default_factory=list)

    @classmethod
    def shuffled(cls, rng: Random, decks: int = 6) -> Shoe:
        """A new shoe; half of the decks have one back, half the other (EQ-04)."""
        faces = [str(card) for card in full_deck()]
        cards = [
            ShoeCard(face, deck * 2 // decks, deck * len(faces) + index)
            for deck in range(decks)
            for index, face in enumerate(faces)
        ]
        rng.shuffle(cards)
        return cls(cards)

    def draw(self) -> ShoeCard:
        """The next card out."""
        return self.rest.pop()

    def reshuffled(self, rng: Random) -> Shoe:
        """The same cards in another order: how a wanted coup is forced without inventing a card."""
        cards = list(self.rest)
        rng.shuffle(cards)
        return Shoe(cards)

    def copy(self) -> Shoe:
        return Shoe(list(self.rest))
