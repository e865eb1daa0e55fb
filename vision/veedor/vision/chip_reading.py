"""Chips and plaques of one picture: which of the set, how many, how high."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.chip_colours import ChipColours
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.footprints import ChipGeometry, bases_mm, stack_height
from veedor.vision.frames import Image
from veedor.vision.percept import TALLEST
from veedor.vision.stack_counter import StackCounter, stack_patch
from veedor.vision.table import ChipType, Table

FloatArray = NDArray[np.float64]

# Without weights only the box's length tells a stack's height. A side of a box errs by about 1.2 mm at
# 0.6 px/mm, and most stacks of a stake are low.
SIDE_SIGMA_MM = 1.2
PRIOR = np.array([0.45, 0.25, 0.14, 0.1, 0.02, 0.02, 0.01, 0.01])


@dataclass(frozen=True)
class ChipReadings:
    """Aligned with the detections.

    `probs` (n, k) over the set and `count_probs` (n, 8) over 1 to 8 chips, NaN for what is no chip;
    `heights_mm` (n,), 0 for what is no chip.
    """

    probs: NDArray[np.float32]
    count_probs: NDArray[np.float32]
    heights_mm: FloatArray


class ChipReader:
    """Reads the chips of one table through its camera."""

    def __init__(self, table: Table, camera: Camera, counter: StackCounter | None = None) -> None:
        self._camera = camera
        self._chips = table.chips
        self._colours = ChipColours(table, camera)
        self._counter = counter
        self._geometry = ChipGeometry.of(table.chips)
        plaques = [chip.thickness_mm for chip in table.chips if chip.plaque]
        self._plaque_mm = float(np.mean(plaques)) if plaques else ChipType.thickness_mm

    def read(self, image: Image, found: Detections, quads_mm: FloatArray) -> ChipReadings:
        """Colours against the set, counts by the visible side, heights."""
        count = len(found)
        counts = np.full((count, TALLEST), np.nan, np.float32)
        heights = np.zeros(count)
        plaques = found.class_ids == ObjectClass.PLAQUE
        counts[plaques], heights[plaques] = np.eye(TALLEST, dtype=np.float32)[0], self._plaque_mm
        stacks = np.flatnonzero(found.class_ids == ObjectClass.CHIP_STACK)
        if len(stacks):
            counts[stacks] = self._counts(image, quads_mm[stacks])
            heights[stacks] = (counts[stacks].argmax(axis=1) + 1) * self._geometry.thickness_mm
        probs = np.full((count, len(self._chips)), np.nan, np.float32)
        bases = bases_mm(self._camera, found, quads_mm, heights).astype(np.float64)
        if (heights > 0).any():
            self._colours.look(image)
        for row in np.flatnonzero(heights > 0).tolist():
            edge = quads_mm[row][2] - quads_mm[row][1]
            probs[row] = self._colours.read(
                image,
                bases[row],
                float(heights[row]),
                plaque=bool(plaques[row]),
                turn_rad=float(np.arctan2(edge[1], edge[0])),
            )
        return ChipReadings(probs, counts, heights)

    def _counts(self, image: Image, quads_mm: FloatArray) -> NDArray[np.float32]:
        if self._counter is None:
            return np.array([self._by_length(quad) for quad in quads_mm], np.float32)
        size = self._geometry.diameter_mm, self._geometry.thickness_mm
        looks = [stack_patch(image, self._camera, quad.mean(axis=0), *size) for quad in quads_mm]
        patches, facts = (np.array(part, np.float32) for part in zip(*looks, strict=True))
        return np.exp(self._counter.count(patches, facts))

    def _by_length(self, quad_mm: FloatArray) -> FloatArray:
        chips, error = stack_height(self._camera, quad_mm, self._geometry)
        away = (np.arange(1, TALLEST + 1) - chips) / max(error * SIDE_SIGMA_MM, 1e-6)
        weights = PRIOR * np.exp(-0.5 * (away**2 - (away**2).min()))
        return np.asarray(weights / weights.sum(), np.float64)
