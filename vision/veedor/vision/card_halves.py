"""A card that was found in two halves is one card.

Patterned backs and faces sometimes give two boxes, one for either end of the card. Each may pass for a card
by itself, but the two together have a card's width and length, which two cards do not: a box of a card that
lies under another is drawn round the whole of it.
"""

from __future__ import annotations

from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.footprints import CARD_MM
from veedor.vision.obb import clockwise_short_edge_first

FloatArray = NDArray[np.float64]

WIDE, LONG = 0.15, 0.1  # how far the two together may be from a card's width and length
SHORT = 0.83  # of the whole's length, that either is at most
FLUSH_MM = 8.0  # how far one may stand out beside the other
FARTHEST_MM = 60.0

PART = 0.75  # of a card's area, that a part of one has at most
INSIDE = 0.8  # of its own area, that lies within the card, give or take so many mm
ROUND_MM = 5.0


def is_part_of(quad_mm: FloatArray, place_mm: FloatArray, turn_deg: float) -> bool:
    """Whether a card's box (4, 2) is of a part of the card that lies at a place, its long side so turned.

    A box of another card that lies on it is as large as a card.
    """
    turn = np.deg2rad(turn_deg)
    along, across = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    half_long, half_wide = CARD_MM[1] / 2 + ROUND_MM, CARD_MM[0] / 2 + ROUND_MM
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    card = place_mm + signs[:, :1] * half_long * along + signs[:, 1:] * half_wide * across
    part = cv2.convexHull(quad_mm.astype(np.float32))
    area = cv2.contourArea(part)
    if not 0 < area < PART * CARD_MM[0] * CARD_MM[1]:
        return False
    common, _ = cv2.intersectConvexConvex(part, cv2.convexHull(card.astype(np.float32)))
    return bool(common >= INSIDE * area)


def halves_joined(camera: Camera, found: Detections, quads_mm: FloatArray) -> tuple[Detections, FloatArray]:
    """The detections and their outlines on the felt (n, 4, 2), halves of one card put together.

    The whole has the score and the class of the better half.
    """
    cards = np.flatnonzero(found.class_ids <= int(ObjectClass.CARD_BACK))
    corners, quads = found.corners_px.copy(), quads_mm.copy()
    keep = np.ones(len(found), np.bool_)
    for one, other in combinations(cards.tolist(), 2):
        if not (keep[one] and keep[other]):
            continue
        if np.linalg.norm(quads[one].mean(axis=0) - quads[other].mean(axis=0)) > FARTHEST_MM:
            continue
        whole = _whole(quads[one], quads[other])
        if whole is None:
            continue
        better, worse = (one, other) if found.scores[one] >= found.scores[other] else (other, one)
        corners[better] = clockwise_short_edge_first(camera.project(whole))[0]
        quads[better], keep[worse] = whole, False
    if keep.all():
        return found, quads_mm
    return Detections(corners, found.scores, found.class_ids).where(keep), quads[keep]


def _whole(one: FloatArray, other: FloatArray) -> FloatArray | None:
    """The card (4, 2) that two boxes in mm are the halves of, None if they are not."""
    for start, stop in ((one[0], one[1]), (one[1], one[2])):
        along = (stop - start) / max(float(np.linalg.norm(stop - start)), 1e-9)
        axes = np.stack([along, (-along[1], along[0])])
        low = np.stack([(quad @ axes.T).min(axis=0) for quad in (one, other)])
        high = np.stack([(quad @ axes.T).max(axis=0) for quad in (one, other)])
        length, width = high.max(axis=0) - low.min(axis=0)
        if abs(width / CARD_MM[0] - 1) > WIDE or abs(length / CARD_MM[1] - 1) > LONG:
            continue
        flush = max(abs(low[0, 1] - low[1, 1]), abs(high[0, 1] - high[1, 1])) < FLUSH_MM
        if flush and (high[:, 0] - low[:, 0]).max() < SHORT * length:
            (left, bottom), (right, top) = low.min(axis=0), high.max(axis=0)
            corners = np.array([(left, bottom), (right, bottom), (right, top), (left, top)])
            return np.asarray(corners @ axes, np.float64)
    return None
