"""Columnar detections of one picture."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class ObjectClass(IntEnum):
    """What the detector knows; the value is the class index of the weights."""

    CARD_FACE = 0
    CARD_BACK = 1
    CHIP_STACK = 2
    PLAQUE = 3
    HAND = 4
    PALA = 5
    CUT_CARD = 6
    SHOE = 7


@dataclass(frozen=True)
class Detections:
    """Oriented boxes of one picture.

    `corners_px` (n, 4, 2) float32, clockwise as seen, in the stored picture's own (distorted) pixels; of a
    card the first edge is a short one. `scores` (n,) float32 in 0..1, `class_ids` (n,) int64 of
    `ObjectClass`.
    """

    corners_px: NDArray[np.float32]
    scores: NDArray[np.float32]
    class_ids: NDArray[np.int64]

    def __post_init__(self) -> None:
        count = len(self.scores)
        if self.corners_px.shape != (count, 4, 2) or self.class_ids.shape != (count,):
            raise ValueError(
                f"detections of {count} scores need corners ({count}, 4, 2) and classes ({count},), "
                f"found {self.corners_px.shape} and {self.class_ids.shape}"
            )

    def __len__(self) -> int:
        return len(self.scores)

    def where(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> Detections:
        """The rows that `keep` (mask or indices) selects."""
        return Detections(self.corners_px[keep], self.scores[keep], self.class_ids[keep])

    def joined(self, other: Detections) -> Detections:
        """These rows and then the other's."""
        return Detections(
            np.concatenate([self.corners_px, other.corners_px]),
            np.concatenate([self.scores, other.scores]),
            np.concatenate([self.class_ids, other.class_ids]),
        )

    @classmethod
    def empty(cls) -> Detections:
        return cls(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32), np.zeros(0, np.int64))
