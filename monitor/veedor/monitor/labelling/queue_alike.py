"""Whether two pictures of one table show the same: the same things at the same places, looking the same."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.monitor.labelling.queue_tracks import FOLLOWED
from veedor.vision.frames import Image
from veedor.vision.percept import Percept

SIDE = 8
ALIKE_BITS = 10.0  # of 64, on average: compression and noise alone turn over about four
ALIKE_SHARE = 0.9  # of the things in view
SAME_MM = 12.0


@dataclass(frozen=True)
class Appearance:
    """The things of a picture: class, place (n, 2) in mm, and a hash (n, 64) of how each looks."""

    classes: NDArray[np.int64]
    places_mm: NDArray[np.float64]
    bits: NDArray[np.bool_]


def appearance(image: Image, percept: Percept) -> Appearance:
    """Cards and chips with their difference hashes; hands move too much to be compared."""
    rows = np.flatnonzero(np.isin(percept.detections.class_ids, FOLLOWED))
    bits = [_hash(image, percept.detections.corners_px[row]) for row in rows]
    return Appearance(
        percept.detections.class_ids[rows],
        percept.base_mm[rows].astype(np.float64),
        np.array(bits, np.bool_).reshape(-1, SIDE * SIDE),
    )


def alike(one: Appearance, other: Appearance) -> bool:
    """Whether labelling the second after the first would teach nothing more. Empty ones are alike."""
    if not len(one.classes) and not len(other.classes):
        return True
    matched, bits = 0, 0.0
    for kind, place, look in zip(one.classes, one.places_mm, one.bits, strict=True):
        near = np.linalg.norm(other.places_mm - place, axis=1) <= SAME_MM
        candidates = np.flatnonzero(near & (other.classes == kind))
        if len(candidates):
            matched += 1
            bits += float((other.bits[candidates] != look).sum(axis=1).min())
    most = max(len(one.classes), len(other.classes))
    return matched >= ALIKE_SHARE * most and bits <= ALIKE_BITS * matched


def _hash(image: Image, corners_px: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Where a thing grows brighter to the right, on a grid of 8 x 8."""
    low = np.maximum(np.floor(corners_px.min(axis=0)), 0).astype(int)
    high = np.ceil(corners_px.max(axis=0)).astype(int) + 1
    part = image[low[1] : high[1], low[0] : high[0]]
    if not part.size:
        return np.zeros(SIDE * SIDE, np.bool_)
    grey = cv2.cvtColor(part, cv2.COLOR_BGR2GRAY)
    small = cv2.resize(grey, (SIDE + 1, SIDE), interpolation=cv2.INTER_AREA).astype(np.int16)
    return np.asarray((small[:, 1:] > small[:, :-1]).ravel())
