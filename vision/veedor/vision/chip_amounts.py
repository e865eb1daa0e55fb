"""What chips are worth: which chip and how many, from a track's readings."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from veedor.vision.table import ChipType
from veedor.vision.tracker import Family, Track

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

    def __init__(self, chips: tuple[ChipType, ...]) -> None:
        self._chips = chips

    def read(self, track: Track) -> PileReading:
        """The pile that a track shows."""
        probs = track.chip()
        if not track.chip_readings or not len(probs):
            return PileReading(None, 0, None, 0.0)
        best = int(probs.argmax())
        chip = self._chips[best]
        if track.family is Family.PLAQUE:
            return PileReading(chip.name, chip.value, 1, round(float(probs[best]), 3))
        counts = track.counts()
        count = int(counts.argmax()) + 1
        sure = float(counts[count - 1]) if track.count_looks else 0.0
        confidence = round(float(probs[best]) * sure, 3)
        return PileReading(chip.name, chip.value, count if sure >= SURE else None, confidence)
