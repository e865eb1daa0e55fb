"""Amounts as chips: what a player puts down for a stake, what the bank pays with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import Protocol

from veedor.datasets.errors import DatasetError

STACK_LIMIT = 4  # chips of one colour on one another


class ChipLike(Protocol):
    """A chip of a table's set: of the table file or of the renderer."""

    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...
    @property
    def plaque(self) -> bool: ...


@dataclass(frozen=True)
class Pile:
    """Chips of one kind on one another, or one plaque."""

    chip: str
    value: int
    count: int
    plaque: bool = False

    @property
    def amount(self) -> int:
        return self.value * self.count

    @property
    def names(self) -> tuple[str, ...]:
        return (self.chip,) * self.count


@dataclass(frozen=True)
class ChipSet:
    """A table's chips, highest value first."""

    chips: tuple[ChipLike, ...]

    @classmethod
    def of(cls, chips: Iterable[ChipLike]) -> ChipSet:
        ordered = tuple(sorted(chips, key=lambda chip: -chip.value))
        if not ordered:
            raise DatasetError("chip set: expected at least one chip, found none")
        return cls(ordered)

    @property
    def smallest(self) -> int:
        return self.chips[-1].value

    def unit(self, rate_percent_hundredths: int) -> int:
        """The stake unit: the least amount whose deduction can be paid in whole chips.

        `rate_percent_hundredths` is the cagnotte in hundredths of a percent (200 for 2 %).
        """
        unit = self.smallest
        while unit * rate_percent_hundredths % (10_000 * self.smallest):
            unit += self.smallest
        return unit

    def piles(self, amount: int) -> tuple[Pile, ...]:
        """`amount` in as few chips as the set allows, as piles of at most STACK_LIMIT."""
        piles: list[Pile] = []
        rest = amount
        for chip in self.chips:
            count, rest = divmod(rest, chip.value)
            limit = 1 if chip.plaque else STACK_LIMIT
            while count > 0:
                piles.append(Pile(chip.name, chip.value, min(limit, count), chip.plaque))
                count -= limit
        if rest:
            raise DatasetError(f"chips: {amount} cannot be paid with chips from {self.smallest} up")
        return tuple(piles)

    def handful(self, amount: int) -> int:
        """How many chips `amount` takes."""
        return sum(pile.count for pile in self.piles(amount))

    @lru_cache(maxsize=64)  # noqa: B019 - chip sets are few and live as long as the program
    def easy_amounts(self, unit: int, *, chips: int, most: int) -> tuple[int, ...]:
        """Multiples of `unit` up to `most` units that at most `chips` chips in three piles make up."""
        return tuple(
            unit * number
            for number in range(1, most + 1)
            if self.handful(unit * number) <= chips and len(self.piles(unit * number)) <= 3
        )


def take(piles: Sequence[Pile], amount: int) -> tuple[tuple[Pile, ...], tuple[Pile, ...]] | None:
    """Splits piles into (taken, left), `taken` worth `amount`; None if the chips do not allow it."""
    for order in (sorted(piles, key=lambda pile: -pile.value), list(piles)):
        rest = amount
        taken: list[Pile] = []
        left: list[Pile] = []
        for pile in order:
            count = min(pile.count, rest // pile.value)
            rest -= count * pile.value
            if count:
                taken.append(Pile(pile.chip, pile.value, count, pile.plaque))
            if count < pile.count:
                left.append(Pile(pile.chip, pile.value, pile.count - count, pile.plaque))
        if rest == 0:
            return tuple(taken), tuple(left)
    return None


def half_up(amount: int, unit: int) -> int:
    """The larger of the two parts of an amount shared in whole units (BT-05, C-04)."""
    return ceil(amount / unit / 2) * unit
