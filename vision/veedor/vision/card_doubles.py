"""Tells a card laid across another from a second, turned box on one and the same card.

Both overlap alike, so geometry cannot tell. But the part of the second box beside the first shows the second
card's face or back if there is one, and the cloth if there is none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.obb import iou_matrix
from veedor.vision.sampling import colours_at

FloatArray = NDArray[np.float64]

OVERLAP = 0.3
CLOTH_SHARE = 0.35  # of the way from cloth to card: a part that differs less from the cloth is cloth
_INNER = np.linspace(-0.94, 0.94, 13)
_RING = np.linspace(-1.0, 1.0, 13)
_RING_OUT = 1.3
MIN_POINTS = 6


def without_turned_doubles(image_bgr: NDArray[np.uint8], found: Detections) -> Detections:
    """The detections less those cards whose part beside another card on their spot is bare cloth.

    Of a pair the less likely one is asked first, but a turned box may be the likelier of the two.
    """
    cards = np.flatnonzero(found.class_ids <= int(ObjectClass.CARD_BACK))
    corners = found.corners_px[cards].astype(np.float64)
    rows, columns = np.nonzero(np.triu(iou_matrix(corners, corners) > OVERLAP, k=1))
    keep = np.ones(len(cards), dtype=bool)
    for first, second in zip(rows.tolist(), columns.tolist(), strict=True):
        pair = sorted((first, second), key=lambda each: float(found.scores[cards[each]]))
        for asked, other in (pair, pair[::-1]):
            if keep[first] and keep[second]:
                beside = np.delete(np.arange(len(cards)), asked)
                beside = beside[keep[beside]]
                if _bare(image_bgr, corners[asked], corners[other], corners[beside]):
                    keep[asked] = False
    if keep.all():
        return found
    return found.where(np.setdiff1d(np.arange(len(found)), cards[~keep]))


def _bare(image_bgr: NDArray[np.uint8], asked: FloatArray, other: FloatArray, others: FloatArray) -> bool:
    """Whether what `asked` has beside the other cards looks like the cloth around it."""
    beside = _points(asked, *_grid(_INNER))
    beside = beside[~_covered(beside, others)]
    ring = _points(asked, *_outline(_RING))
    ring = ring[~_covered(ring, others)]
    face = _points(other, *_outline(np.linspace(-0.88, 0.88, 13), 0.88))
    if len(beside) < MIN_POINTS or len(ring) < MIN_POINTS:
        return False
    cloth, card, part = (_colour(image_bgr, points) for points in (ring, face, beside))
    return bool(np.linalg.norm(part - cloth) < CLOTH_SHARE * np.linalg.norm(card - cloth))


def _grid(steps: FloatArray) -> tuple[FloatArray, FloatArray]:
    across, along = np.meshgrid(steps, steps)
    return across.ravel(), along.ravel()


def _outline(steps: FloatArray, out: float = _RING_OUT) -> tuple[FloatArray, FloatArray]:
    """Places on a frame around (or, with `out` below one, along the inside of) a box."""
    edge, steps = np.full(len(steps), out), steps * out
    return (
        np.concatenate([steps, steps, edge, -edge]),
        np.concatenate([edge, -edge, steps, steps]),
    )


def _points(quad: FloatArray, across: FloatArray, along: FloatArray) -> FloatArray:
    """Pixels (n, 2) of places given as -1..1 across and along a quadrilateral."""
    u, v = (across[:, None] + 1) / 2, (along[:, None] + 1) / 2
    top = quad[0] + (quad[1] - quad[0]) * u
    bottom = quad[3] + (quad[2] - quad[3]) * u
    points: FloatArray = top + (bottom - top) * v
    return points


def _covered(points: FloatArray, quads: FloatArray) -> NDArray[np.bool_]:
    inside = np.zeros(len(points), dtype=bool)
    for quad in quads:
        edges = np.roll(quad, -1, axis=0) - quad
        offsets = points[:, None] - quad[None]
        inside |= (edges[:, 0] * offsets[..., 1] - edges[:, 1] * offsets[..., 0] >= 0).all(axis=1)
    return inside


def _colour(image_bgr: NDArray[np.uint8], points: FloatArray) -> FloatArray:
    return np.asarray(np.median(colours_at(image_bgr, points), axis=0), dtype=np.float64)
