"""Chips and plaques of one picture: which of the set, how many, how high."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.chip_colours import ChipColours
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.footprints import TALLEST_STACK, ChipGeometry, bases_mm, stack_height
from veedor.vision.frames import Image
from veedor.vision.table import ChipType, Table

# A box is off by about 1 mm a side at 0.6 px/mm; past this error in chips a height says nothing.
SIDE_ERROR_MM = 0.8
LARGEST_ERROR = 3.0


@dataclass(frozen=True)
class ChipReadings:
    """Aligned with the detections: `probs` (n, k), NaN for what is no chip; `heights`
    (n,) in chips, NaN unknown; `heights_mm` (n,), 0 for what is no chip."""

    probs: NDArray[np.float32]
    heights: NDArray[np.float32]
    heights_mm: NDArray[np.float64]


class ChipReader:
    """Reads the chips of one table through its camera."""

    def __init__(self, table: Table, camera: Camera) -> None:
        self._camera = camera
        self._chips = table.chips
        self._colours = ChipColours(table, camera)
        self._geometry = ChipGeometry.of(table.chips)
        plaques = [chip.thickness_mm for chip in table.chips if chip.plaque]
        self._plaque_mm = float(np.mean(plaques)) if plaques else ChipType.thickness_mm

    def read(self, image: Image, found: Detections, quads_mm: NDArray[np.float64]) -> ChipReadings:
        """Colours against the set, heights by the visible side."""
        count = len(found)
        heights = np.full(count, np.nan, np.float32)
        heights_mm = np.zeros(count)
        plaques = found.class_ids == ObjectClass.PLAQUE
        heights[plaques], heights_mm[plaques] = 1.0, self._plaque_mm
        for row in np.flatnonzero(found.class_ids == ObjectClass.CHIP_STACK).tolist():
            heights[row], heights_mm[row] = self._height(quads_mm[row])
        probs = np.full((count, len(self._chips)), np.nan, np.float32)
        bases = bases_mm(self._camera, found, quads_mm, heights_mm).astype(np.float64)
        for row in np.flatnonzero(heights_mm > 0).tolist():
            edge = quads_mm[row][2] - quads_mm[row][1]
            probs[row] = self._colours.read(
                image,
                bases[row],
                float(heights_mm[row]),
                plaque=bool(plaques[row]),
                turn_rad=float(np.arctan2(edge[1], edge[0])),
            )
        return ChipReadings(probs, heights, heights_mm)

    def _height(self, quad_mm: NDArray[np.float64]) -> tuple[float, float]:
        """Height in chips, NaN where the view is too steep to tell, and in mm for what follows."""
        chips, error = stack_height(self._camera, quad_mm, self._geometry)
        if error * SIDE_ERROR_MM > LARGEST_ERROR:
            return np.nan, self._geometry.thickness_mm
        chips = min(max(1.0, chips), float(TALLEST_STACK))
        return chips, chips * self._geometry.thickness_mm
