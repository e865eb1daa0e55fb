"""Whether the camera still stands where it was calibrated: the felt's printed lines against the picture."""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.frames import Image
from veedor.vision.layout import TableLayout, ZoneKind

FloatArray = NDArray[np.float64]

STEP_MM = 25.0  # between the places looked at along a line
REACH_PX = 16  # how far the picture is searched for the lines
SIDE_PX = 6  # a printed line is brighter or darker than the felt so far beside it
# How much better the found shift must explain the lines than the usual one, and how well at least: a dark or
# covered table says nothing.
CLEAR = 1.6
LEAST = 0.15
FEWEST = 80
PRINTED = (ZoneKind.BET, ZoneKind.PLAYER, ZoneKind.OTHER_PANO, ZoneKind.HAND)


class CalibrationCheck:
    """Measures how far the picture of one table has moved."""

    def __init__(self, layout: TableLayout, camera: Camera) -> None:
        places, ways = _along_lines(layout)
        middle = camera.project(places)
        ahead = camera.project(places + ways)
        along = ahead - middle
        along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
        self._normals = np.column_stack([-along[:, 1], along[:, 0]])
        reach = REACH_PX + SIDE_PX + 2
        inside = (middle > reach).all(axis=1) & (middle < (camera.width - reach, camera.height - reach)).all(
            axis=1
        )
        self._middle, self._normals = middle[inside], self._normals[inside]
        steps = np.arange(-REACH_PX - SIDE_PX, REACH_PX + SIDE_PX + 1)
        self._points = (self._middle[:, None] + steps[:, None] * self._normals[:, None]).astype(np.float32)
        axis = np.arange(-REACH_PX, REACH_PX + 1)
        self._shifts = np.array(
            [(x, y) for x in axis for y in axis if x * x + y * y <= REACH_PX**2], np.float64
        )

    def shift_px(self, image: Image) -> float | None:
        """Length of the picture's shift in pixels, whole ones; None where the lines are not clear enough."""
        if len(self._middle) < FEWEST:
            return None
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        found = cv2.remap(grey, self._points[..., 0], self._points[..., 1], cv2.INTER_LINEAR)
        profile = np.asarray(found, np.float64)
        inner = profile[:, SIDE_PX:-SIDE_PX]
        sides = (profile[:, : -2 * SIDE_PX] + profile[:, 2 * SIDE_PX :]) / 2
        ridge = np.abs(inner - sides)
        ridge /= np.maximum(ridge.max(axis=1, keepdims=True), 8.0)
        # A place of a line moves across it by the part of the shift along its normal.
        across = np.rint(self._shifts @ self._normals.T).astype(np.intp) + REACH_PX
        scores = ridge[np.arange(len(ridge)), across].mean(axis=1)
        best = int(scores.argmax())
        if scores[best] < max(LEAST, CLEAR * float(np.median(scores))):
            return None
        return float(np.hypot(*self._shifts[best]))


def _along_lines(layout: TableLayout) -> tuple[FloatArray, FloatArray]:
    """Places (n, 2) in mm on the printed lines and unit directions (n, 2) along them."""
    closed = [zone.polygon_mm for zone in layout.zones if zone.kind in PRINTED]
    curves = [np.vstack([polygon, polygon[:1]]) for polygon in closed]
    curves += [line.points_mm for line in layout.lines]
    places, ways = [np.zeros((0, 2))], [np.zeros((0, 2))]
    for curve in curves:
        for start, end in pairwise(curve):
            length = float(np.hypot(*(end - start)))
            count = int(length // STEP_MM)
            if count:
                shares = (np.arange(count) + 0.5) / count
                places.append(start + shares[:, None] * (end - start))
                ways.append(np.repeat((end - start)[None] / length, count, axis=0))
    return np.concatenate(places), np.concatenate(ways)
