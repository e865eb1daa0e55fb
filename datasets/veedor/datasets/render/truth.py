"""What a rendered picture holds, exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from veedor.vision.detections import ObjectClass


@dataclass(frozen=True)
class ObjectTruth:
    """One object of a rendered picture.

    `corners_px` (4, 2) float64, clockwise as seen, in the picture's own (distorted) pixels, hidden and
    out-of-frame parts included: a card's sharp 63 × 88 mm rectangle from the top left of the side seen,
    and a plaque's top face, both a short edge first; a tight oriented box round a chip stack's or shoe's
    solid, a whole pala, and a hand with its wrist but not the forearm. `visible_fraction` is the visible
    share of the whole outline, what lies outside the frame counting as not visible. `base_mm` is the
    centre of the base on the felt; `rotation_deg` counter-clockwise in table axes. `face` and `back` are
    set for cards: the face even if it lies underneath. `chips` bottom to top.
    """

    kind: ObjectClass
    id: str
    corners_px: NDArray[np.float64]
    base_mm: tuple[float, float]
    rotation_deg: float
    visible_fraction: float
    face: str | None = None
    back: str | None = None
    chips: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rendered:
    """A picture, BGR uint8 (H, W, 3), and its objects in drawing order, lowest first."""

    image: NDArray[np.uint8]
    objects: tuple[ObjectTruth, ...]
