"""Outlines of objects as other programs take them: inside the picture, and back to four corners."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from veedor.datasets.labelled import Corners, Point, as_corners, clockwise, signed_area
from veedor.vision.detections import ObjectClass
from veedor.vision.footprints import CARDS

# Programs that keep two decimals move a point by 0.005 at most; farther, and somebody has moved it.
ROUNDING_PX = 0.0075

Outline = tuple[Point, ...]


def outline_inside(corners_px: Corners, size: tuple[int, int]) -> Outline:
    """The part of an outline that lies in a picture of `size`, clockwise; empty where none does.

    Corners that are all inside come back as they are, to the last bit.
    """
    width, height = float(size[0]), float(size[1])
    if all(0 <= x <= width and 0 <= y <= height for x, y in corners_px):
        return corners_px
    points: list[Point] = list(corners_px)
    for axis, limit, sign in ((0, 0.0, 1), (0, width, -1), (1, 0.0, 1), (1, height, -1)):
        points = _cut(points, axis, limit, sign)
    tidy = [point for point, following in pairwise([*points, *points[:1]]) if point != following]
    return tuple(tidy) if len(tidy) >= 3 and signed_area(tidy) > 0 else ()


def _cut(points: list[Point], axis: int, limit: float, sign: int) -> list[Point]:
    """What lies on one side of a border: `axis` is 0 for x, `sign` 1 where larger is inside."""
    kept: list[Point] = []
    for start, end in pairwise([*points, *points[:1]]):
        near, far = (start[axis] - limit) * sign, (end[axis] - limit) * sign
        if near >= 0:
            kept.append(start)
        if (near >= 0) != (far >= 0):
            share = near / (near - far)
            crossing = [start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])]
            crossing[axis] = limit
            kept.append((crossing[0], crossing[1]))
    return kept


def same_outline(one: Sequence[Point], other: Sequence[Point], tolerance_px: float = ROUNDING_PX) -> bool:
    """Whether two outlines have the same points in the same order, but for another program's rounding."""
    return len(one) == len(other) and all(
        abs(x - u) <= tolerance_px and abs(y - v) <= tolerance_px
        for (x, y), (u, v) in zip(one, other, strict=True)
    )


def corners_of_outline(points: Sequence[Point]) -> Corners | None:
    """Four corners, clockwise, of an outline of three points or more; None where it encloses nothing.

    Four that make a box are taken as they stand; any other outline has the smallest box round it.
    """
    if len(points) == 4:
        corners = clockwise(as_corners(points))
        if _is_convex(corners):
            return corners
    return smallest_box(points)


def smallest_box(points: Sequence[Point]) -> Corners | None:
    """The box of least area round points, clockwise; None where they lie on a line."""
    hull = _hull(points)
    if len(hull) < 3:
        return None
    best: tuple[float, NDArray[np.float64]] | None = None
    for start, end in zip(hull, np.roll(hull, -1, axis=0), strict=True):
        along = (end - start) / np.linalg.norm(end - start)
        turned = np.array([along, [-along[1], along[0]]])
        places = hull @ turned.T
        (left, top), (right, bottom) = places.min(axis=0), places.max(axis=0)
        area = (right - left) * (bottom - top)
        if best is None or area < best[0]:
            box = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
            best = area, box @ turned
    assert best is not None
    corners = as_corners(best[1])
    return corners if _is_convex(corners) else None


def card_way_round(kind: ObjectClass, corners_px: Corners) -> Corners:
    """Corners of a foreign file with a card's first edge a short one, as labelled pictures have it."""
    if kind not in CARDS:
        return corners_px
    (x, y), (u, v), (a, b), _ = corners_px
    if (u - x) ** 2 + (v - y) ** 2 <= (a - u) ** 2 + (b - v) ** 2:
        return corners_px
    return (*corners_px[1:], corners_px[0])


def _is_convex(corners: Corners) -> bool:
    return signed_area(corners) > 0 and all(
        signed_area([corners[(turn + step) % 4] for step in range(3)]) >= 0 for turn in range(4)
    )


def _hull(points: Sequence[Point]) -> NDArray[np.float64]:
    """Convex hull, clockwise as seen (Andrew's monotone chain), without points on its edges."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return np.array(ordered, np.float64).reshape(-1, 2)

    def chain(way: Sequence[Point]) -> list[Point]:
        kept: list[Point] = []
        for point in way:
            while len(kept) >= 2 and signed_area([kept[-2], kept[-1], point]) <= 0:
                kept.pop()
            kept.append(point)
        return kept[:-1]

    return np.array([*chain(ordered), *chain(ordered[::-1])], np.float64)
