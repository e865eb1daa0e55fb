"""What chips are worth: which chips and how many, from the readings of their tracks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product

import numpy as np
from veedor.vision.percept import TALLEST
from veedor.vision.table import ChipType
from veedor.vision.tracker import Family, Track

SURE = 0.4  # a count less likely than this is not told
# Stakes come in whole units of the table; another sum is possible but needs so much better evidence.
ODD_SUM = 0.15
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

    def read_together(self, tracks: Sequence[Track]) -> tuple[list[PileReading], float]:
        """The piles of one sum, read so that they suit one another, and how sure the whole is."""
        options = [self._options(track) for track in tracks]
        if not all(options):
            return [PileReading(None, 0, None, 0.0) for _ in tracks], 0.0
        while np.prod([len(each) for each in options]) > MOST_SUMS:
            options = [each[: max(1, len(each) - 1)] for each in options]
        best, whole = 0.0, 0.0
        chosen: tuple[_Option, ...] = ()
        for picked in product(*options):
            weight = float(np.prod([option.probability for option in picked]))
            total = sum(option.chip.value * option.count for option in picked)
            if self.unit is not None and self.unit > 0 and Decimal(total) % self.unit:
                weight *= ODD_SUM
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

    def _options(self, track: Track) -> list[_Option]:
        """What a pile may be, the likeliest first."""
        chips = track.chip()
        if not track.chip_readings or not len(chips):
            return []
        counted = track.family is Family.PLAQUE or track.count_looks > 0
        counts = track.counts() if track.count_looks and track.family is not Family.PLAQUE else _ONE
        options = [
            _Option(self._chips[chip], int(count) + 1, float(chips[chip] * counts[count]), counted)
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
