"""Faces do not leave the house: what lies beside the table is averaged away in exported pictures.

No face detector decides: one that misses a face would show it. Kept is what must be seen. With a calibrated
table that is the felt and a narrow rim; without one, the area that the labelled cards and chips span, which
lies on the table whatever the camera. Labelled things other than hands stay visible outside of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.formats.placing import Size
from veedor.datasets.labelled import LabelledObject, detection_of_corners
from veedor.vision.camera import Camera
from veedor.vision.detections import ObjectClass
from veedor.vision.table import Table

Image = NDArray[np.uint8]
Mask = NDArray[np.uint8]

RIM_MM = 30.0  # kept round the felt
SPAN = 0.25  # of the largest thing's size, kept round the area that things span
BLOCKS = 24  # along the picture's longer side: a face becomes one to three blocks
_STEP_MM = 20.0  # between points of the outline, so that the lens may bend it


def camera_of(table: Table | None, size: Size) -> Camera | None:
    """The table's camera that makes pictures of that size, the main one first."""
    if table is None:
        return None
    cameras = [view.camera for view in table.views() if view.camera is not None]
    return next((each for each in cameras if (each.width, each.height) == size), None)


def felt_outline_px(table: Table, camera: Camera) -> NDArray[np.float64]:
    """The felt's edge in the picture, (n, 2), as OpenCV counts pixels."""
    corners = np.asarray(table.layout.outline_mm, np.float64)
    points = []
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        steps = max(1, round(float(np.linalg.norm(end - start)) / _STEP_MM))
        points.append(start + np.linspace(0, 1, steps, endpoint=False)[:, None] * (end - start))
    return camera.project(np.concatenate(points))


def visible_mask(size: Size, objects: Sequence[LabelledObject], table: Table | None) -> Mask:
    """255 where a picture may be seen, (H, W)."""
    mask = np.zeros((size[1], size[0]), np.uint8)
    things = [detection_of_corners(item.corners_px) for item in objects if item.kind is not ObjectClass.HAND]
    camera = camera_of(table, size)
    if camera is not None and table is not None:
        _fill(mask, felt_outline_px(table, camera))
        mask = _grown(mask, RIM_MM * camera.px_per_mm())
    elif things:
        largest = max(float(np.linalg.norm(corners[0] - corners[2])) for corners in things)
        hull = cv2.convexHull(np.concatenate(things).astype(np.float32)).reshape(-1, 2)
        _fill(mask, hull.astype(np.float64))
        mask = _grown(mask, SPAN * largest)
    for corners in things:
        _fill(mask, corners)
    return mask


def hidden(image: Image, mask: Mask) -> Image:
    """The picture with everything outside the mask averaged over large blocks."""
    height, width = image.shape[:2]
    block = max(width, height) / BLOCKS
    coarse = (max(1, round(width / block)), max(1, round(height / block)))
    small = cv2.resize(image, coarse, interpolation=cv2.INTER_AREA)
    large = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    return np.where(mask[:, :, None] > 0, image, np.asarray(large, np.uint8))


def _fill(mask: Mask, points: NDArray[np.float64]) -> None:
    """Paint an area; points are taken to a sixteenth of a pixel and to a reach that OpenCV can count."""
    limited = np.clip(points, -30_000, 30_000 + max(mask.shape))
    cv2.fillPoly(mask, [np.round(limited * 16).astype(np.int32)], 255, lineType=cv2.LINE_8, shift=4)


def _grown(mask: Mask, by_px: float) -> Mask:
    reach = min(max(1, round(by_px)), 400)
    # A square's corner reaches farther than the radius, never less.
    return np.asarray(cv2.dilate(mask, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)), np.uint8)
