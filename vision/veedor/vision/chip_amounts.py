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

FloatArray = NDArray[np.float64]

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
        chips = [self._chip(track) for track in tracks]
        counts = [self._counts(track) for track in tracks]
        chosen, sure = self._likeliest([chip.value if chip is not None else 0 for chip, _ in chips], counts)
        readings = []
        for (chip, probability), count, track in zip(chips, chosen, tracks, strict=True):
            if chip is None:
                readings.append(PileReading(None, 0, None, 0.0))
                continue
            known = bool(track.count_looks) or track.family is Family.PLAQUE
            confidence = round(probability * sure if known else 0.0, 3)
            readings.append(
                PileReading(chip.name, chip.value, count if known and sure >= SURE else None, confidence)
            )
        whole = sure * float(np.prod([probability for _, probability in chips]))
        return readings, round(whole, 3)

    def _chip(self, track: Track) -> tuple[ChipType | None, float]:
        probs = track.chip()
        if not track.chip_readings or not len(probs):
            return None, 0.0
        best = int(probs.argmax())
        return self._chips[best], float(probs[best])

    @staticmethod
    def _counts(track: Track) -> FloatArray:
        if track.family is Family.PLAQUE or not track.count_looks:
            return np.asarray(np.eye(TALLEST)[0], np.float64)
        return track.counts()

    def _likeliest(self, values: Sequence[int], counts: Sequence[FloatArray]) -> tuple[list[int], float]:
        """The likeliest counts of the piles together, and their probability."""
        options = [np.flatnonzero(each >= LIKELY * each.max()) for each in counts]
        if np.prod([len(each) for each in options]) > MOST_SUMS:
            options = [np.array([int(each.argmax())]) for each in counts]
        weights = []
        for picked in product(*options):
            weight = float(np.prod([each[number] for each, number in zip(counts, picked, strict=True)]))
            total = sum(value * (int(number) + 1) for value, number in zip(values, picked, strict=True))
            if self.unit is not None and self.unit > 0 and Decimal(total) % self.unit:
                weight *= ODD_SUM
            weights.append((weight, [int(number) + 1 for number in picked]))
        best, chosen = max(weights)
        return chosen, best / sum(weight for weight, _ in weights)
