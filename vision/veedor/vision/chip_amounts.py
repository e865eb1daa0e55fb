"""What chips are worth: which chip and how many, from a track's readings."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.footprints import ChipGeometry, lean_per_mm
from veedor.vision.table import ChipType
from veedor.vision.tracker import Family, Track

FloatArray = NDArray[np.float64]

TALLEST = 8
# How far the visible side's length errs, mm: the detector's box, and chips that stand a little off one
# another.
SIDE_SIGMA_MM = 1.2
# Most chips lie alone; a count that the view does not tell is taken from this only where it is asked for.
PRIOR = np.array([0.45, 0.25, 0.14, 0.1, 0.02, 0.02, 0.01, 0.01])
SURE = 0.5


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
    """Reads the piles of one table's chip set."""

    def __init__(self, chips: tuple[ChipType, ...], camera: Camera) -> None:
        self._chips = chips
        self._camera = camera
        self._thickness = ChipGeometry.of(chips).thickness_mm

    def read(self, track: Track) -> PileReading:
        """The pile that a track shows."""
        probs = track.chip()
        if not track.chip_readings or not len(probs):
            return PileReading(None, 0, None, 0.0)
        best = int(probs.argmax())
        chip = self._chips[best]
        counts = self.counts(track)
        count = int(counts.argmax()) + 1
        sure = float(counts[count - 1])
        confidence = round(float(probs[best]) * sure, 3)
        return PileReading(chip.name, chip.value, count if sure >= SURE else None, confidence)

    def counts(self, track: Track) -> FloatArray:
        """Distribution (TALLEST,) of the number of chips, from 1."""
        if track.family is Family.PLAQUE:
            return np.asarray(np.eye(TALLEST)[0], np.float64)
        height = track.height_chips
        if height is None:
            return np.asarray(PRIOR / PRIOR.sum(), np.float64)
        lean = float(np.hypot(*lean_per_mm(self._camera, track.base_mm))) * self._thickness
        sigma = SIDE_SIGMA_MM / max(lean, 1e-6)
        away = (np.arange(1, TALLEST + 1) - height) / sigma
        weights = PRIOR * np.exp(-0.5 * away**2)
        if weights.sum() <= 0:
            weights = np.exp(-np.abs(away))
        return np.asarray(weights / weights.sum(), np.float64)
