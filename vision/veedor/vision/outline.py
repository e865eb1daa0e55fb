"""Corrects a detected card's outline by the paper it is printed on.

`card_edges` moves an outline that is nearly right onto the border. One that is turned aside by a neighbour or
a printed line needs another look: the light region under it, as a whole. Paper is lighter
than what lies around it nearly always. Where no clean outline agrees with the detection, that one stands.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.obb import clockwise_short_edge_first

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]
Line = tuple[Floats, float]  # normal and distance from the origin

# The outline must be the detected card's, not its neighbour's or a whole row's.
LEAST_OVERLAP = 0.56  # intersection over union with the detection
LEAST_FILL = 0.9  # share of the four-cornered outline that is paper
LONGEST_SIDES = (1.0, 2.3)  # long to short side; a card is 1.4, seen aslant up to about 2.2
LEAST_PARALLEL = 0.8  # of two opposite sides, the shorter to the longer
SIZES = (0.72, 1.3)  # area to the detection's
WORKING_WIDTH_PX = 64.0  # of the card: finer pictures are averaged down to it, coarser ones enlarged
LARGEST_ENLARGEMENT = 3.0
NARROW = 0.3  # of the card's width: printed lines are narrower
SIDE_REACHES = (0.1, 0.06, 0.03)  # of a side, how far from it its points may lie, one fit after the other
REACH = 0.3  # of the card's size, kept around the detection
SAME_DIRECTION, OTHER_DIRECTION = np.deg2rad(9), np.deg2rad(35)


def refine_outline(image_bgr: Picture, corners_px: NDArray[np.floating]) -> Floats:
    """The card's corners (4, 2) px near the detected ones, in the same order; those themselves if unsure."""
    detected = np.asarray(corners_px, dtype=np.float64)
    sides = np.linalg.norm(detected - np.roll(detected, -1, axis=0), axis=1)
    scale = min(WORKING_WIDTH_PX / max(float(sides.min()), 1.0), LARGEST_ENLARGEMENT)
    reach = REACH * float(sides.max())
    height, width = image_bgr.shape[:2]
    low = np.clip(np.floor(detected.min(0) - reach), 0, (width - 1, height - 1)).astype(int)
    high = np.clip(np.ceil(detected.max(0) + reach), low + 1, (width, height)).astype(int)
    part = image_bgr[low[1] : high[1], low[0] : high[0]]
    size = np.maximum(np.round((high - low) * scale), 1).astype(int)
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    near = np.asarray(cv2.resize(part, (int(size[0]), int(size[1])), interpolation=way), np.uint8)
    ratio = size / (high - low)
    box = (detected - low + 0.5) * ratio - 0.5
    area = max(cv2.contourArea(box.astype(np.float32)), 1.0)
    best, found = 0.0, None
    for mask in _paper(near, box):
        shape = _four_corners(mask, box)
        if shape is None:
            continue
        quad, fill = shape
        share = cv2.contourArea(quad.astype(np.float32)) / area
        if not SIZES[0] <= share <= SIZES[1] or _overlap(quad, box) < LEAST_OVERLAP:
            continue
        if fill > best:
            best, found = fill, quad
    if found is None:
        return detected
    return _in_order_of((found + 0.5) / ratio - 0.5 + low, detected)


def _paper(near: Picture, box: Floats) -> Iterator[Picture]:
    """Masks of what may be the paper, by thresholds between the card's lightness and its surroundings'."""
    inside = np.zeros(near.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, np.round(box).astype(np.int32), 1)
    lightness = cv2.GaussianBlur(cv2.cvtColor(near, cv2.COLOR_BGR2LAB)[..., 0], (0, 0), 0.8)
    paper = float(np.percentile(lightness[inside > 0], 80)) if inside.any() else 200.0
    ground = float(np.percentile(lightness[inside == 0], 25)) if (inside == 0).any() else 60.0
    for share in (0.5, 0.35, 0.25, 0.65):
        level = ground + (paper - ground) * share
        yield _without_lines(np.asarray(lightness > level, np.uint8), box)


def _without_lines(mask: Picture, box: Floats) -> Picture:
    """Signs and figures filled in, and whatever is narrow (printed lines that touch the card) taken off."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    whole = np.zeros_like(mask)
    cv2.drawContours(whole, contours, -1, 1, cv2.FILLED)
    width = float(np.linalg.norm(box - np.roll(box, -1, axis=0), axis=1).min())
    across = max(3, int(width * NARROW) | 1)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (across, across))
    return np.asarray(cv2.morphologyEx(whole, cv2.MORPH_OPEN, kernel), np.uint8)


def _four_corners(mask: Picture, box: Floats) -> tuple[Floats, float] | None:
    """Outline of the part of `mask` in the box and how well it is filled; None if it has not four corners."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    middle = (float(box[:, 0].mean()), float(box[:, 1].mean()))
    area = cv2.contourArea(box.astype(np.float32))
    for contour in sorted(contours, key=cv2.contourArea, reverse=True)[:4]:
        if cv2.contourArea(contour) < 0.5 * area:
            return None
        if cv2.pointPolygonTest(contour, middle, False) >= 0:
            return _fitted(contour)
    return None


def _fitted(contour: NDArray[np.int32]) -> tuple[Floats, float] | None:
    hull = cv2.convexHull(contour)
    if cv2.contourArea(contour) < LEAST_FILL * cv2.contourArea(hull):
        return None
    rough = _parallelogram(hull[:, 0].astype(np.float64))
    quad = rough
    for reach in SIDE_REACHES:
        quad = None if quad is None else _by_sides(contour[:, 0].astype(np.float64), quad, reach)
    if quad is None:
        return None
    edges = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1).reshape(2, 2)
    if (edges.min(axis=0) < LEAST_PARALLEL * edges.max(axis=0)).any():
        return None
    sides = edges.sum(0) / 2
    fill = cv2.contourArea(hull) / max(cv2.contourArea(quad.astype(np.float32)), 1.0)
    if not (LEAST_FILL <= fill <= 1.1 and LONGEST_SIDES[0] <= sides.max() / sides.min() <= LONGEST_SIDES[1]):
        return None
    return quad, min(fill, 1 / fill)


def _parallelogram(hull: Floats) -> Floats | None:
    """Corners (4, 2) round a hull, along the two directions most of its edge has; its corners may be cut."""
    edges = np.roll(hull, -1, axis=0) - hull
    lengths = np.linalg.norm(edges, axis=1)
    angles = np.arctan2(edges[:, 1], edges[:, 0]) % np.pi

    def apart(angle: float) -> Floats:
        gap: Floats = np.abs(angles - angle)
        return np.minimum(gap, np.pi - gap)

    weights = np.array([lengths[apart(float(angle)) < SAME_DIRECTION].sum() for angle in angles])
    first = int(weights.argmax())
    across = apart(float(angles[first])) > OTHER_DIRECTION
    if not across.any():
        return None
    second = int(np.where(across, weights, -1).argmax())
    lines: list[Line] = []
    for chosen, pick in ((first, np.min), (second, np.min), (first, np.max), (second, np.max)):
        near = apart(float(angles[chosen])) < SAME_DIRECTION
        turned = (angles[near] - angles[chosen] + np.pi / 2) % np.pi - np.pi / 2
        angle = float(angles[chosen] + np.average(turned, weights=lengths[near]))
        normal = np.array([-np.sin(angle), np.cos(angle)])
        lines.append((normal, float(pick(hull @ normal))))
    return _crossings(lines)


def _by_sides(points: Floats, rough: Floats, reach: float) -> Floats | None:
    """Corners where lines through the four sides meet: the round corners themselves are left out of it."""
    lines: list[Line] = []
    for start, end in zip(rough, np.roll(rough, -1, axis=0), strict=True):
        along = end - start
        length = float(np.linalg.norm(along))
        along /= max(length, 1e-6)
        away = points - start
        position = away @ along
        distance = np.abs(away @ np.array([-along[1], along[0]]))
        side = points[
            (position > 0.18 * length) & (position < 0.82 * length) & (distance < reach * length + 0.8)
        ]
        if len(side) < 5:
            return None
        vx, vy, x, y = cv2.fitLine(side.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
        # A contour runs through the outermost paper pixels' centres; the edge is half a pixel further out.
        normal = np.array([vy, -vx], dtype=np.float64)
        point = np.array([x, y], dtype=np.float64)
        outwards = 1.0 if normal @ (point - points.mean(0)) > 0 else -1.0
        lines.append((normal, float(normal @ point) + 0.5 * outwards))
    return _crossings(lines)


def _crossings(lines: list[Line]) -> Floats | None:
    """Where each line meets the one before it; None where two are nearly parallel."""
    corners = []
    for (first, one), (second, other) in zip(lines[-1:] + lines[:-1], lines, strict=True):
        matrix = np.stack([first, second])
        if abs(float(np.linalg.det(matrix))) < 0.3:
            return None
        corners.append(np.linalg.solve(matrix, np.array([one, other])))
    return np.array(corners)


def _overlap(quad: Floats, box: Floats) -> float:
    first, second = (cv2.convexHull(each.astype(np.float32)) for each in (quad, box))
    common, _ = cv2.intersectConvexConvex(first, second)
    whole = cv2.contourArea(first) + cv2.contourArea(second) - common
    return float(common / max(whole, 1e-6))


def _in_order_of(quad: Floats, detected: Floats) -> Floats:
    """`quad` clockwise, its first edge the short one that is nearer to the detection's first edge."""
    quad = clockwise_short_edge_first(quad)[0]
    target = detected[:2].mean(0) - detected.mean(0)
    both = (quad, np.roll(quad, 2, axis=0))
    return max(both, key=lambda each: float((each[:2].mean(0) - each.mean(0)) @ target))
