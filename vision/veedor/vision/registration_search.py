"""Where the table may be in a picture: many camera poses tried coarsely, by cloth and printed lines.

For a guess of focal length and tilt the picture is seen from straight above, up to turn, size and place;
those are found by correlating the layout with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.felt_lines import FeltPicture, PrintedLines
from veedor.vision.layout import TableLayout

FloatArray = NDArray[np.float64]
Plane = NDArray[np.float32]
Spectrum = NDArray[np.float32]

# Tilts in degrees with the focal lengths (picture widths) that are tried, the usual first; straight above
# focal lengths look alike.
VIEWS = (
    (0.0, (1.0,)), (36.0, (1.2,)), (25.0, (0.75,)), (47.0, (1.2,)), (12.0, (0.9,)), (25.0, (1.2,)),
    (36.0, (0.75,)), (47.0, (0.75,)),
)  # fmt: skip
TURNS = 48
# Table lengths that the picture's width may show at its middle.
SHOWN = tuple(0.36 * 1.17**step for step in range(10))
CELLS = 64  # across the picture seen from above
GRID = 128
FARTHEST = 2.5  # times as far as the middle of the picture: what lies beyond is left out
LEAST_SEEN = 0.2  # of the printed lines, inside the picture
KEPT_A_VIEW = 14


@dataclass(frozen=True)
class Guess:
    """A camera that may have taken the picture, `score` 0..1."""

    camera: Camera
    score: float


def guesses(
    picture: FeltPicture, lines: PrintedLines, layout: TableLayout, size: tuple[int, int]
) -> Iterator[list[Guess]]:
    """Possible cameras of a picture of `size` (width, height) at full resolution, view by view, each view's
    best first: whoever finds one that fits need not wait for the rest."""
    for tilt_deg, focals in VIEWS:
        for focal in focals:
            view = _View(picture, size, np.deg2rad(tilt_deg), focal * size[0])
            yield view.matches(lines, layout)


class _View:
    """The picture seen from above under a guess of tilt (radians) and focal length."""

    def __init__(self, picture: FeltPicture, size: tuple[int, int], tilt: float, focal_px: float) -> None:
        self._size, self._focal = size, focal_px
        self._cos, self._sin = float(np.cos(tilt)), float(np.sin(tilt))
        height, width = picture.felt.shape
        border = np.array(
            [(x, y) for x in (0, width / 2, width) for y in (0, height / 4, height / 2, height)]
        )
        corners, ahead = self._above(border / picture.scale)
        corners = corners[ahead]
        low, high = corners.min(axis=0), corners.max(axis=0)
        self._middle = (low + high) / 2
        self._cell = float((high - low).max()) / CELLS
        ridges, ahead = self._above(picture.ridges_px / picture.scale)
        weights = np.minimum(picture.strengths[ahead], 12.0)
        thin = _splat(self._cells(ridges[ahead]), weights)
        # Many weak specks in a cell make no line, and a strong line counts no more than a faint one.
        thin = np.minimum(thin, float(np.percentile(thin[thin > 0], 60)) if (thin > 0).any() else 1.0)
        thin /= max(float(thin.max()), 1e-6)
        shown, felt = self._seen(picture)
        self._felt_area, self._ridge_sum = float(felt.sum()), float(thin.sum())
        self._broad = _fft(np.minimum(cv2.dilate(thin, np.ones((3, 3))), 1.0))
        self._thin, self._shown, self._felt = _fft(thin), _fft(shown), _fft(felt)

    def matches(self, lines: PrintedLines, layout: TableLayout) -> list[Guess]:
        """The best guesses of turn, size and place."""
        if self._ridge_sum <= 0:
            return []
        length = float(np.ptp(layout.outline_mm[:, 0]))
        found: list[tuple[float, float, float, FloatArray]] = []
        for share in SHOWN:
            scale = self._size[0] / self._focal / (share * length)  # plane units a millimetre
            for turn in np.arange(TURNS) * (2 * np.pi / TURNS):
                found.append(self._best_place(lines, layout, scale, float(turn)))
        found.sort(key=lambda each: -each[0])
        kept = found[:KEPT_A_VIEW]
        return [Guess(self._camera(scale, turn, place), score) for score, scale, turn, place in kept]

    def _best_place(
        self, lines: PrintedLines, layout: TableLayout, scale: float, turn: float
    ) -> tuple[float, float, float, FloatArray]:
        spin = scale / self._cell * np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        half = GRID / 2
        dots = lines.places_mm @ spin + half
        inside = ((dots >= 1) & (dots < GRID - 2)).all(axis=1)
        # Every place stands for a length; a cell counts once.
        template = np.minimum(_splat(dots[inside], np.ones(int(inside.sum()))), 1.0)
        broad = cv2.dilate(template, np.ones((3, 3)))
        cloth = np.zeros((GRID, GRID), np.float32)
        edge = layout.outline_mm @ spin + half
        cv2.fillPoly(cloth, [np.round(edge * 16).astype(np.int32)], 1.0, cv2.LINE_8, 4)
        template_f, broad_f, cloth_f = (_fft(plane) for plane in (template, broad, cloth))
        hits = _correlation(self._broad, template_f)
        seen = _correlation(self._shown, template_f)
        explained = _correlation(self._thin, broad_f)
        on_cloth = _correlation(self._felt, cloth_f)
        cloth_seen = _correlation(self._shown, cloth_f)
        recall = hits / np.maximum(seen, LEAST_SEEN * float(template.sum()))
        precision = explained / self._ridge_sum
        overlap = on_cloth / np.maximum(self._felt_area + cloth_seen - on_cloth, 1.0)
        score = np.sqrt(np.maximum(recall * precision, 0.0)) * (0.4 + 0.6 * np.clip(overlap, 0, 1))
        row, column = np.unravel_index(int(score.argmax()), score.shape)
        # The shift of the template's middle, wrapped round the grid.
        shift = np.array([column, row], np.float64)
        shift[shift >= half] -= GRID
        place = self._middle + shift * self._cell
        return float(score[row, column]), scale, turn, place

    def _camera(self, scale: float, turn: float, place: FloatArray) -> Camera:
        right = np.array([1.0, 0.0, 0.0])
        up = np.array([0.0, -self._cos, self._sin])
        rotation = np.column_stack(
            [
                np.cos(turn) * right + np.sin(turn) * up,
                -np.sin(turn) * right + np.cos(turn) * up,
                np.array([0.0, -self._sin, -self._cos]),
            ]
        )
        translation = (np.array([0.0, 0.0, 1.0]) + place[0] * right + place[1] * up) / scale
        width, height = self._size
        matrix = np.array(
            [[self._focal, 0, (width - 1) / 2], [0, self._focal, (height - 1) / 2], [0, 0, 1.0]]
        )
        return Camera(width, height, matrix, np.zeros(5), rotation, translation)

    def _above(self, pixels: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Plane coordinates (n, 2), up being y, of pixels (n, 2), and which are not too far away."""
        x = (pixels[:, 0] - (self._size[0] - 1) / 2) / self._focal
        y = (pixels[:, 1] - (self._size[1] - 1) / 2) / self._focal
        depth = self._sin * y + self._cos
        ahead = depth > self._cos / FARTHEST
        far = self._cos / np.where(ahead, depth, 1.0)
        return np.column_stack([far * x, far * (self._sin - self._cos * y) - self._sin]), ahead

    def _cells(self, plane: FloatArray) -> FloatArray:
        cells: FloatArray = (plane - self._middle) / self._cell + GRID / 2
        return cells

    def _seen(self, picture: FeltPicture) -> tuple[Plane, Plane]:
        """What of the grid the picture shows, and where it shows cloth."""
        steps = (np.arange(GRID) - GRID / 2) * self._cell
        u, v = np.meshgrid(steps + self._middle[0], steps + self._middle[1])
        # A point of the plane in camera axes is (u, -cos v, 1 + sin v).
        depth = 1 + self._sin * v
        x = self._focal * u / np.maximum(depth, 1e-3) + (self._size[0] - 1) / 2
        y = self._focal * -self._cos * v / np.maximum(depth, 1e-3) + (self._size[1] - 1) / 2
        ok = (depth > 0.05) & (depth < FARTHEST)
        ok &= (x >= 0) & (y >= 0) & (x < self._size[0]) & (y < self._size[1])
        felt = cv2.remap(
            picture.felt.astype(np.float32),
            (x * picture.scale).astype(np.float32),
            (y * picture.scale).astype(np.float32),
            cv2.INTER_NEAREST,
        )
        shown = ok.astype(np.float32)
        return shown, np.asarray(felt * shown, np.float32)


def _splat(cells: FloatArray, weights: FloatArray) -> Plane:
    """Weights summed in the cells (n, 2) that lie on the grid."""
    column, row = np.rint(cells[:, 0]).astype(np.intp), np.rint(cells[:, 1]).astype(np.intp)
    ok = (column >= 0) & (row >= 0) & (column < GRID) & (row < GRID)
    summed = np.bincount(row[ok] * GRID + column[ok], weights[ok], GRID * GRID)
    return summed.reshape(GRID, GRID).astype(np.float32)


def _fft(plane: Plane) -> Spectrum:
    """The spectrum in OpenCV's packing."""
    return np.asarray(cv2.dft(plane), np.float32)


def _correlation(picture: Spectrum, template: Spectrum) -> Plane:
    """How well the template fits the picture at every shift."""
    product = cv2.mulSpectrums(picture, template, 0, conjB=True)
    return np.asarray(cv2.idft(product, flags=cv2.DFT_SCALE | cv2.DFT_REAL_OUTPUT), np.float32)


def spread(found: list[Guess], apart_px: float, most: int) -> Iterator[Guess]:
    """The best of each group of cameras that put the table's middle and ends within `apart_px`."""
    marks = np.array([[0.0, 0.0], [700.0, 0.0], [0.0, 400.0]])
    kept: list[FloatArray] = []
    for guess in found:
        pixels = guess.camera.project(marks)
        if all(np.linalg.norm(pixels - other, axis=1).max() > apart_px for other in kept):
            kept.append(pixels)
            yield guess
            if len(kept) == most:
                return
