"""What chips are worth: which chips and how many, from the readings of their tracks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product

import numpy as np
from numpy.typing import NDArray
from veedor.vision.percept import TALLEST
from veedor.vision.table import ChipType
from veedor.vision.tracker import Family, Track

SURE = 0.34  # a count less likely than this is not told
# Stakes come in whole units of the table; another sum is possible but needs so much better evidence.
ODD_SUM = 0.15
UNEXPECTED = 0.03
# How often a stack has a chip more or less than its looks say, however sure they are: chips slip.
OFF_BY_ONE = 0.08
# The counter learned from stacks of all heights. Four of five chips of played stakes and payments lie alone
# or beside one another: how much more often each height comes than there, kept on the careful side.
USUAL = np.array([2.1, 0.72, 0.3, 0.22, 0.22, 0.2, 0.2, 0.2])
SHOWN = 0.15  # a count for which the view itself speaks less is not told, however usual it is
LIKELY = 0.02  # counts less likely than this of their best are left out of sums
MOST_SUMS = 4096


@dataclass(frozen=True)
class PileReading:
    """Chips of one kind. `count` None where it cannot be told; `confidence` of chip and count together."""

    chip: str | None
    value: int
    count: int | None
    confidence: float

    @property
    def amount(self) -> Decimal | None:
        return None if self.count is None or self.chip is None else Decimal(self.value * self.count)


class ChipAmounts:
    """Reads the piles of one table's chip set. `unit` is the table's stake unit once it is known."""

    def __init__(self, chips: tuple[ChipType, ...]) -> None:
        self._chips = chips
        self.unit: Decimal | None = None

    def read(self, track: Track) -> PileReading:
        """The pile that a track shows, by itself."""
        return self.read_together([track])[0][0]

    def read_together(
        self, tracks: Sequence[Track], expected: Sequence[Decimal] = (), *, in_units: bool = True
    ) -> tuple[list[PileReading], float]:
        """The piles of one sum, read so that they suit one another, and how sure the whole is.

        `expected` are sums that croupiers nearly always pay here; another one needs so much better evidence.
        `in_units`: whether the sum is likely a whole number of the table's units, as stakes are.
        """
        options = [self._options(track) for track in tracks]
        if not all(options):
            return [PileReading(None, 0, None, 0.0) for _ in tracks], 0.0
        options = self._few(options)
        best, whole = 0.0, 0.0
        chosen: tuple[_Option, ...] = ()
        for picked in product(*options):
            weight = float(np.prod([option.probability for option in picked]))
            total = Decimal(sum(option.chip.value * option.count for option in picked))
            weight *= self._in_units(total) if in_units else 1.0
            if expected and total not in expected:
                weight *= UNEXPECTED
            whole += weight
            if weight > best:
                best, chosen = weight, picked
        sure = best / whole
        readings = [
            PileReading(
                option.chip.name,
                option.chip.value,
                option.count if option.counted and sure >= SURE else None,
                round(sure if option.counted else 0.0, 3),
            )
            for option in chosen
        ]
        return readings, round(sure if all(option.counted for option in chosen) else 0.0, 3)

    def sums(self, tracks: Sequence[Track]) -> dict[Decimal, float]:
        """Probabilities of what the piles may be worth together; empty where one of them was not read or is
        likely too high to be counted."""
        options = self._few([self._options(track) for track in tracks])
        if any(each and each[0].count >= TALLEST for each in options):
            return {}
        found: dict[Decimal, float] = {}
        if not options or not all(options):
            return found
        for picked in product(*options):
            total = Decimal(sum(option.chip.value * option.count for option in picked))
            weight = float(np.prod([option.probability for option in picked])) * self._in_units(total)
            found[total] = found.get(total, 0.0) + weight
        whole = sum(found.values())
        return {total: weight / whole for total, weight in found.items()}

    def _in_units(self, total: Decimal) -> float:
        return ODD_SUM if self.unit is not None and self.unit > 0 and total % self.unit else 1.0

    @staticmethod
    def _few(options: list[list[_Option]]) -> list[list[_Option]]:
        while options and np.prod([len(each) for each in options]) > MOST_SUMS:
            options = [each[: max(1, len(each) - 1)] for each in options]
        return options

    def _options(self, track: Track) -> list[_Option]:
        """What a pile may be, the likeliest first."""
        chips = track.chip()
        if not track.chip_readings or not len(chips):
            return []
        plaque = track.family is Family.PLAQUE
        seen = _blunted(track.counts()) if track.count_looks and not plaque else _ONE
        counts = seen * USUAL if track.count_looks and not plaque else _ONE
        counted = plaque or track.count_looks > 0
        options = [
            _Option(
                self._chips[chip],
                int(count) + 1,
                float(chips[chip] * counts[count]),
                # The highest count stands for any number from there on.
                counted and bool(seen[count] >= SHOWN and count < TALLEST - 1),
            )
            for chip in np.flatnonzero(chips >= LIKELY * chips.max())
            for count in np.flatnonzero(counts >= LIKELY * counts.max())
        ]
        return sorted(options, key=lambda option: -option.probability)


@dataclass(frozen=True)
class _Option:
    chip: ChipType
    count: int
    probability: float
    counted: bool  # whether the count was read at all


_ONE = np.eye(TALLEST)[0]


def _blunted(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """A distribution over counts with some of each moved to its neighbours."""
    beside = (np.append(counts[1:], 0.0) + np.append(0.0, counts[:-1])) / 2
    mixed: NDArray[np.float64] = (1 - OFF_BY_ONE) * counts + OFF_BY_ONE * beside
    return np.asarray(mixed / mixed.sum(), np.float64)
