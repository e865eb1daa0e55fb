"""Geometry of oriented boxes: corners, overlap of convex quadrilaterals, suppression of doubles.

Frames: pixels, x right, y down, so that "clockwise" is clockwise as seen and has a positive shoelace sum.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from veedor.vision.detections import ObjectClass

FloatArray = NDArray[np.float64]

# Objects that can be taken for one another on the same spot compete; others may lie over one another.
_RIVALS: dict[ObjectClass, int] = {
    ObjectClass.CARD_FACE: 0,
    ObjectClass.CARD_BACK: 0,
    ObjectClass.CUT_CARD: 0,
    ObjectClass.CHIP_STACK: 1,
    ObjectClass.PLAQUE: 1,
    ObjectClass.HAND: 2,
    ObjectClass.PALA: 3,
    ObjectClass.SHOE: 4,
}
# The corner after each of four; rolling an array takes five times as long as picking from it.
NEXT = np.array([1, 2, 3, 0])
RIVAL_GROUP: NDArray[np.int64] = np.array([_RIVALS[each] for each in ObjectClass], dtype=np.int64)

# Two 63 x 88 mm cards crossed at right angles on one centre overlap by IoU 0.557: boxes whose directions
# differ need more overlap before one of them is a double.
DOUBLE_IOU = 0.5
# The mean of the boxes that overlap the best one so much is a better outline than the best: on held-out
# rendered tiles 314 for 273 of 750 faces overlap their truth by 0.85, the mean overlap is 0.811 for 0.797.
VOTE_IOU = 0.7
DOUBLE_IOU_CROSSED = 0.58
CROSSED_FROM_DEG = 25.0
# Cards on one felt are of one size: a clearly smaller box inside another shows part of the same card.
PART_SHARE = 0.75
PART_AREA = 0.65
# Two looks at different scales see one card a little differently; a card beside it is seen by both.
DOUBLE_IOU_LOOKS = 0.3


def corners_from_xywhr(boxes: FloatArray) -> FloatArray:
    """Corners (n, 4, 2) of boxes (n, 5): centre x, y, width, height, turn in radians, clockwise as seen.

    The first edge runs along the width.
    """
    boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 5)
    cos, sin = np.cos(boxes[:, 4]), np.sin(boxes[:, 4])
    half_width = boxes[:, 2:3] / 2 * np.column_stack([cos, sin])
    half_height = boxes[:, 3:4] / 2 * np.column_stack([-sin, cos])
    offsets = np.stack(
        [
            -half_width - half_height,
            half_width - half_height,
            half_width + half_height,
            half_height - half_width,
        ],
        axis=1,
    )
    corners: FloatArray = boxes[:, None, :2] + offsets
    return corners


def xywhr_from_corners(corners: FloatArray) -> FloatArray:
    """The boxes (n, 5) of `corners_from_xywhr`, of quadrilaterals (n, 4, 2) that are nearly rectangles.

    Width and height are the means of opposite edges; the turn is the first edge's, in radians, -pi/2..pi/2.
    """
    corners = np.asarray(corners, dtype=np.float64).reshape(-1, 4, 2)
    along = (corners[:, 1] - corners[:, 0] + corners[:, 2] - corners[:, 3]) / 2
    across = (corners[:, 3] - corners[:, 0] + corners[:, 2] - corners[:, 1]) / 2
    turn = np.arctan2(along[:, 1], along[:, 0])
    turn = (turn + np.pi / 2) % np.pi - np.pi / 2
    return np.column_stack(
        [corners.mean(axis=1), np.linalg.norm(along, axis=1), np.linalg.norm(across, axis=1), turn]
    )


def clockwise_short_edge_first(corners: FloatArray) -> FloatArray:
    """The same quadrilaterals (n, 4, 2), clockwise as seen, their first edge one of the two shorter."""
    corners = np.array(corners, dtype=np.float64).reshape(-1, 4, 2)
    wrong = signed_area(corners) < 0
    corners[wrong] = corners[wrong][:, ::-1]
    edges = np.linalg.norm(corners[:, NEXT] - corners, axis=2)
    long_first = edges[:, 0] + edges[:, 2] > edges[:, 1] + edges[:, 3]
    corners[long_first] = corners[long_first][:, NEXT]
    return corners


def signed_area(polygons: FloatArray) -> FloatArray:
    """Shoelace areas (n,) of polygons (n, k, 2), positive where clockwise as seen."""
    x, y = polygons[..., 0], polygons[..., 1]
    next_x, next_y = (np.concatenate([part[..., 1:], part[..., :1]], axis=-1) for part in (x, y))
    area: FloatArray = (x * next_y - next_x * y).sum(axis=-1) / 2
    return area


def intersection_area(first: FloatArray, second: FloatArray) -> FloatArray:
    """Areas (n,) shared by pairs of convex quadrilaterals (n, 4, 2), both clockwise as seen.

    The shared polygon's vertices are the corners of one inside the other and the crossings of edges; sorted
    by direction from their mean they give its area. Exact but for rounding.
    """
    count = len(first)
    if count == 0:
        return np.zeros(0)
    origin = first.mean(axis=1, keepdims=True)  # keeps the products small: pictures are thousands of px wide
    first, second = first - origin, second - origin
    crossings, crossed = _edge_crossings(first, second)
    points = np.concatenate([first, second, crossings], axis=1)
    valid = np.concatenate([_inside(first, second), _inside(second, first), crossed], axis=1)
    number = valid.sum(axis=1)
    centre = np.where(valid[..., None], points, 0.0).sum(axis=1) / np.maximum(number, 1)[:, None]
    offsets = points - centre[:, None]
    angles = np.where(valid, np.arctan2(offsets[..., 1], offsets[..., 0]), np.inf)
    order = np.argsort(angles, axis=1)
    ordered = np.take_along_axis(offsets, order[..., None], axis=1)
    # Slots past the last vertex repeat the first one, so that they add nothing to the shoelace sum.
    beyond = np.arange(points.shape[1])[None, :] >= number[:, None]
    ordered = np.where(beyond[..., None], ordered[:, :1], ordered)
    return np.where(number >= 3, np.abs(signed_area(ordered)), 0.0)


def pair_iou(first: FloatArray, second: FloatArray) -> FloatArray:
    """Intersection over union (n,) of pairs of convex quadrilaterals (n, 4, 2), any direction of turning."""
    first, second = _clockwise(first), _clockwise(second)
    shared = intersection_area(first, second)
    union = signed_area(first) + signed_area(second) - shared
    return np.where(union > 0, shared / np.maximum(union, 1e-9), 0.0)


def iou_matrix(first: FloatArray, second: FloatArray) -> FloatArray:
    """Intersection over union (n, m) of convex quadrilaterals (n, 4, 2) and (m, 4, 2)."""
    first = np.asarray(first, dtype=np.float64).reshape(-1, 4, 2)
    second = np.asarray(second, dtype=np.float64).reshape(-1, 4, 2)
    result = np.zeros((len(first), len(second)))
    rows, columns = np.nonzero(_boxes_touch(first, second))
    result[rows, columns] = pair_iou(first[rows], second[columns])
    return result


def suppress_doubles(
    corners: FloatArray,
    scores: FloatArray,
    class_ids: NDArray[np.int64],
    looks: NDArray[np.int64] | None = None,
) -> NDArray[np.intp]:
    """Indices of the boxes to keep, best score first: of rivals on one spot only the best stays.

    `corners` (n, 4, 2), `scores` (n,), `class_ids` (n,) of `ObjectClass`. Faces and backs compete, a hand
    and what it covers do not. `looks` (n,) tells apart looks at the same picture in different scales.
    """
    order = np.argsort(-np.asarray(scores), kind="stable")
    corners = np.asarray(corners, dtype=np.float64).reshape(-1, 4, 2)[order]
    groups = RIVAL_GROUP[class_ids[order]]
    close = np.triu(_boxes_touch(corners, corners) & (groups[:, None] == groups[None, :]), k=1)
    rows, columns = np.nonzero(close)
    corners = _clockwise(corners)
    shared, area = intersection_area(corners[rows], corners[columns]), signed_area(corners)
    small, large = np.minimum(area[rows], area[columns]), np.maximum(area[rows], area[columns])
    overlap = shared / np.maximum(small + large - shared, 1e-9)
    turns = np.rad2deg(xywhr_from_corners(clockwise_short_edge_first(corners))[:, 4])
    apart = np.abs((turns[rows] - turns[columns] + 90) % 180 - 90)
    limit = np.where(apart > CROSSED_FROM_DEG, DOUBLE_IOU_CROSSED, DOUBLE_IOU)
    if looks is not None:
        limit = np.where(looks[order][rows] == looks[order][columns], limit, DOUBLE_IOU_LOOKS)
    double = overlap > limit
    double |= (shared > PART_SHARE * small) & (small < PART_AREA * large)
    rows, columns = rows[double], columns[double]
    keep = np.ones(len(order), dtype=bool)
    starts = np.searchsorted(rows, np.arange(len(order) + 1))
    for index in range(len(order)):
        if keep[index]:
            keep[columns[starts[index] : starts[index + 1]]] = False
    return order[keep]


def voted(
    kept: FloatArray, rivals: FloatArray, scores: FloatArray, same: NDArray[np.bool_]
) -> FloatArray:
    """Boxes `kept` (n, 4, 2), each the mean of the rivals (m, 4, 2) that lie where it does.

    `scores` (m,) weigh by their squares, `same` (n, m) says which may vote: those of the same class. A box
    that only itself votes for stays.
    """
    kept, rivals = clockwise_short_edge_first(kept), clockwise_short_edge_first(rivals)
    rows, columns = np.nonzero(same & _boxes_touch(kept, rivals))
    agree = pair_iou(kept[rows], rivals[columns]) > VOTE_IOU
    rows, columns = rows[agree], columns[agree]
    # A box may be told from any of its corners on; of chips any edge may be the shorter.
    turned = np.stack([np.roll(rivals[columns], step, axis=1) for step in range(4)], axis=1)
    away = np.abs(turned - kept[rows][:, None]).sum(axis=(2, 3))
    aligned = turned[np.arange(len(rows)), away.argmin(axis=1)]
    weights = np.asarray(scores, np.float64)[columns] ** 2
    total, whole = np.zeros_like(kept), np.zeros(len(kept))
    np.add.at(total, rows, aligned * weights[:, None, None])
    np.add.at(whole, rows, weights)
    return np.where(whole[:, None, None] > 0, total / np.maximum(whole, 1e-9)[:, None, None], kept)


def _clockwise(polygons: FloatArray) -> FloatArray:
    polygons = np.asarray(polygons, dtype=np.float64).reshape(-1, 4, 2)
    return np.where((signed_area(polygons) < 0)[:, None, None], polygons[:, ::-1], polygons)


def _boxes_touch(first: FloatArray, second: FloatArray) -> NDArray[np.bool_]:
    """(n, m): whether the axis-aligned boxes around the quadrilaterals overlap."""
    low_a, high_a = first.min(axis=1)[:, None], first.max(axis=1)[:, None]
    low_b, high_b = second.min(axis=1)[None, :], second.max(axis=1)[None, :]
    return np.asarray(((low_a < high_b) & (low_b < high_a)).all(axis=2))


def _inside(points: FloatArray, polygons: FloatArray) -> NDArray[np.bool_]:
    """(n, 4): which of the points (n, 4, 2) lie in the clockwise polygon (n, 4, 2) of the same row."""
    edges = polygons[:, NEXT] - polygons
    offsets = points[:, :, None] - polygons[:, None]
    side = edges[:, None, :, 0] * offsets[..., 1] - edges[:, None, :, 1] * offsets[..., 0]
    return np.asarray((side >= -1e-9).all(axis=2))


def _edge_crossings(first: FloatArray, second: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Crossing points (n, 16, 2) of every edge of one with every edge of the other, and which exist."""
    start_a, start_b = first[:, :, None], second[:, None]
    edge_a = (first[:, NEXT] - first)[:, :, None]
    edge_b = (second[:, NEXT] - second)[:, None]
    between = start_b - start_a
    cross = edge_a[..., 0] * edge_b[..., 1] - edge_a[..., 1] * edge_b[..., 0]
    parallel = np.abs(cross) < 1e-12
    divisor = np.where(parallel, 1.0, cross)
    share_a = (between[..., 0] * edge_b[..., 1] - between[..., 1] * edge_b[..., 0]) / divisor
    share_b = (between[..., 0] * edge_a[..., 1] - between[..., 1] * edge_a[..., 0]) / divisor
    exists = ~parallel & (share_a >= 0) & (share_a <= 1) & (share_b >= 0) & (share_b <= 1)
    points = start_a + share_a[..., None] * edge_a
    count = len(first)
    return points.reshape(count, 16, 2), exists.reshape(count, 16)
