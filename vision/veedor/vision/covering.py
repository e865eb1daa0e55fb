"""What hides the felt: hands with the forearms behind them, and the pala."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.detections import ObjectClass
from veedor.vision.footprints import felt_quads
from veedor.vision.percept import Percept

FloatArray = NDArray[np.float64]

HAND_REACH_MM = 45.0  # round a hand's box: fingers, cuffs, shadow, the height of a hand over the felt
ARM_HALF_WIDTH_MM = 95.0  # half a sleeve, and what it seems off its place by its height
ARM_LENGTH_MM = 900.0


@dataclass(frozen=True)
class Limb:
    """A hand or a pala: its outline on the felt (4, 2), middle (2,), unit direction (2,) of its long side."""

    quad_mm: FloatArray
    middle_mm: FloatArray
    along: FloatArray
    pointed: bool = False  # `along` leads from the fingers to the elbow

    @classmethod
    def of(cls, quad_mm: FloatArray) -> Limb:
        first, second = quad_mm[1] - quad_mm[0], quad_mm[2] - quad_mm[1]
        lengths = np.hypot(*first), np.hypot(*second)
        side = first if lengths[0] > lengths[1] else second
        return cls(quad_mm, quad_mm.mean(axis=0), side / max(np.hypot(*side), 1e-9))

    def gap_mm(self, point_mm: FloatArray) -> float:
        """Distance from the point to the box, 0 inside."""
        away = np.asarray(point_mm, np.float64) - self.middle_mm
        across = np.array([-self.along[1], self.along[0]])
        half_long = max(np.abs((self.quad_mm - self.middle_mm) @ self.along))
        half_short = max(np.abs((self.quad_mm - self.middle_mm) @ across))
        over = np.array([abs(away @ self.along) - half_long, abs(away @ across) - half_short])
        return float(np.hypot(*np.maximum(over, 0.0)))

    def on_arm_line(self, point_mm: FloatArray) -> bool:
        """Whether the point may lie under the forearm, which no box holds; unless `pointed`, both ways."""
        away = np.asarray(point_mm, np.float64) - self.middle_mm
        across = abs(away @ np.array([-self.along[1], self.along[0]]))
        behind = float(away @ self.along) if self.pointed else abs(float(away @ self.along))
        return bool(across < ARM_HALF_WIDTH_MM and 0.0 < behind < ARM_LENGTH_MM)

    def pointed_to(self, body_mm: FloatArray) -> Limb:
        """The same limb of somebody whose elbow is known to be over there."""
        sign = 1.0 if float((body_mm - self.middle_mm) @ self.along) >= 0 else -1.0
        return replace(self, along=self.along * sign, pointed=True)


@dataclass(frozen=True)
class Cover:
    """The limbs of one percept."""

    hands: tuple[Limb, ...] = ()
    palas: tuple[Limb, ...] = ()

    @classmethod
    def of(cls, camera: Camera, percept: Percept) -> Cover:
        kinds = percept.detections.class_ids
        quads = felt_quads(camera, percept.detections.corners_px)
        hands = tuple(Limb.of(quads[row]) for row in np.flatnonzero(kinds == ObjectClass.HAND))
        palas = tuple(Limb.of(quads[row]) for row in np.flatnonzero(kinds == ObjectClass.PALA))
        return cls(hands, palas)

    def hides(self, point_mm: FloatArray) -> bool:
        """Whether something may stand between the camera and the felt here."""
        near = any(limb.gap_mm(point_mm) < HAND_REACH_MM for limb in (*self.hands, *self.palas))
        return near or any(hand.on_arm_line(point_mm) for hand in self.hands)

    def hand_near(self, point_mm: FloatArray, reach_mm: float = HAND_REACH_MM) -> Limb | None:
        """The nearest hand within `reach_mm` of the point."""
        gaps = [(hand.gap_mm(point_mm), number) for number, hand in enumerate(self.hands)]
        near = [pair for pair in gaps if pair[0] < reach_mm]
        return self.hands[min(near)[1]] if near else None
