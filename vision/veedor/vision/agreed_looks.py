"""One picture looked at in slightly different sizes: what the looks agree on counts, what one saw alone not.

A letter of print that looks like a chip in one size seldom does in the next. On fifty frames of rendered
sessions three sizes make 0 false cards of 5 and 7 false chips of 21, and lose 2 of 633 chips. It costs two
and a half times a look, so it is for single pictures; a recording shows every moment several times anyway.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.frames import Image
from veedor.vision.obb import RIVAL_GROUP, iou_matrix, suppress_doubles, voted
from veedor.vision.perceive import ObjectDetector

SIZES = (1.0, 0.85, 1.18)
FAINTER = 0.6  # of the least score: a look may see what the others see well only faintly
SAME_IOU = 0.45


class AgreedLooks:
    """A detector that asks another one several times."""

    def __init__(self, one: ObjectDetector, sizes: tuple[float, ...] = SIZES) -> None:
        self._one = one
        self._sizes = sizes

    def detect(self, image_bgr: Image, *, scale: float = 1.0, min_score: float = 0.35) -> Detections:
        """What the looks agree on, best first; a score is the mean of the looks', 0 where one saw nothing."""
        fainter = FAINTER * min_score
        looks = [self._one.detect(image_bgr, scale=scale * size, min_score=fainter) for size in self._sizes]
        agreed = agree(looks)
        return agreed.where(np.flatnonzero(agreed.scores >= min_score))


def agree(looks: Sequence[Detections]) -> Detections:
    """Looks at one picture, corners in its pixels, as one: outlines and classes by the looks' votes."""
    every = looks[0]
    for other in looks[1:]:
        every = every.joined(other)
    corners, scores = every.corners_px.astype(np.float64), every.scores.astype(np.float64)
    number = np.repeat(np.arange(len(looks)), [len(each) for each in looks])
    kept = every.where(suppress_doubles(corners, scores, every.class_ids, number))
    kept_corners = kept.corners_px.astype(np.float64)
    rivals = RIVAL_GROUP[kept.class_ids][:, None] == RIVAL_GROUP[every.class_ids][None]
    votes = np.where(rivals & (iou_matrix(kept_corners, corners) > SAME_IOU), scores[None], 0.0)
    mean = sum(_best(votes[:, number == look]) for look in range(len(looks))) / len(looks)
    by_class = np.stack([votes[:, every.class_ids == kind].sum(axis=1) for kind in ObjectClass], axis=1)
    same = kept.class_ids[:, None] == every.class_ids[None]
    outlines = voted(kept_corners, corners, scores, same)
    found = Detections(outlines.astype(np.float32), np.asarray(mean, np.float32), by_class.argmax(axis=1))
    return found.where(np.argsort(-found.scores, kind="stable"))


def _best(votes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The best vote (n,) that a look gives each box of (n, m), 0 if it saw nothing there."""
    return np.asarray(votes.max(axis=1, initial=0.0), np.float64)
