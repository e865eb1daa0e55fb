"""A small canvas in millimetres: filled shapes, strokes and patterns, drawn larger and then averaged down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Pair = Sequence[float] | NDArray[Any]
Image = NDArray[np.uint8]
Colour = tuple[int, int, int]  # BGR, 0..255

SUBPIXEL_BITS = 4
SUPERSAMPLING = 2


def bezier(start: Pair, *curves: Sequence[Pair], steps: int = 14) -> Points:
    """Points (n, 2) along cubic curves; each curve is (control, control, end)."""
    here = np.asarray(start, dtype=np.float64)
    parts = [here[None]]
    along = np.linspace(0, 1, steps + 1)[1:, None]
    for curve in curves:
        first, second, end = (np.asarray(point, dtype=np.float64) for point in curve)
        parts.append(
            (1 - along) ** 3 * here
            + 3 * (1 - along) ** 2 * along * first
            + 3 * (1 - along) * along**2 * second
            + along**3 * end
        )
        here = end
    return np.concatenate(parts)


def ellipse(centre: Pair, radii: Pair, tilt_deg: float = 0.0, count: int = 48) -> Points:
    """Points (count, 2) of an ellipse."""
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    points = np.column_stack([radii[0] * np.cos(angle), radii[1] * np.sin(angle)])
    return turned(points, tilt_deg) + np.asarray(centre, dtype=np.float64)


def rounded_rectangle(corner: Pair, size: Pair, radius: float) -> Points:
    """Points of a rectangle with round corners; `corner` is its top left."""
    x0, y0 = corner
    x1, y1 = x0 + size[0], y0 + size[1]
    quarter = np.linspace(0, np.pi / 2, 9)
    parts = []
    for centre_x, centre_y, start in (
        (x1 - radius, y1 - radius, 0.0),
        (x0 + radius, y1 - radius, np.pi / 2),
        (x0 + radius, y0 + radius, np.pi),
        (x1 - radius, y0 + radius, 3 * np.pi / 2),
    ):
        parts.append(
            np.column_stack(
                [centre_x + radius * np.cos(start + quarter), centre_y + radius * np.sin(start + quarter)]
            )
        )
    return np.concatenate(parts)


def turned(points: Points, degrees: float) -> Points:
    """Points turned about the origin, clockwise as seen with y down."""
    angle = np.deg2rad(degrees)
    matrix = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    result: Points = points @ matrix.T
    return result


def mixed(first: Colour, second: Colour, share: float) -> Colour:
    """`first` with `share` of `second`."""
    blend = [round(a * (1 - share) + b * share) for a, b in zip(first, second, strict=True)]
    return blend[0], blend[1], blend[2]


def jittered(colour: Colour, rng: np.random.Generator, amount: float) -> Colour:
    """`colour` moved by up to `amount` grey levels in each channel."""
    moved = np.clip(np.asarray(colour) + rng.uniform(-amount, amount, 3), 0, 255).astype(int)
    return int(moved[0]), int(moved[1]), int(moved[2])


class Canvas:
    """BGR picture addressed in millimetres from its top left, y down."""

    def __init__(self, size_mm: tuple[float, float], px_per_mm: float, colour: Colour) -> None:
        self.size_mm = size_mm
        self.scale = px_per_mm * SUPERSAMPLING
        width, height = (round(side * self.scale) for side in size_mm)
        self.pixels: Image = np.full((height, width, 3), colour, np.uint8)

    def blank(self, colour: Colour) -> Canvas:
        """A canvas of the same size in one colour."""
        other = Canvas.__new__(Canvas)
        other.size_mm, other.scale = self.size_mm, self.scale
        other.pixels = np.full_like(self.pixels, colour)
        return other

    def _fixed(self, points: Points) -> NDArray[np.int32]:
        scaled = (np.asarray(points, dtype=np.float64) * self.scale - 0.5) * (1 << SUBPIXEL_BITS)
        return np.round(scaled).astype(np.int32).reshape(-1, 1, 2)

    def fill(self, points: Points, colour: Colour) -> None:
        """Fill a closed shape."""
        cv2.fillPoly(self.pixels, [self._fixed(points)], colour, cv2.LINE_AA, SUBPIXEL_BITS)

    def stroke(self, points: Points, colour: Colour, width_mm: float, *, closed: bool = True) -> None:
        """Draw along the points."""
        thickness = max(1, round(width_mm * self.scale))
        cv2.polylines(
            self.pixels, [self._fixed(points)], closed, colour, thickness, cv2.LINE_AA, SUBPIXEL_BITS
        )

    def outlined(self, points: Points, colour: Colour, line: Colour, width_mm: float) -> None:
        """Fill a closed shape and draw its outline."""
        self.fill(points, colour)
        if width_mm > 0:
            self.stroke(points, line, width_mm)

    def cut_out(self, shape: Points, size_px: tuple[int, int]) -> Image:
        """The finished picture (H, W, 4), transparent outside a shape, read-only: it is kept and shared."""
        alpha = self.blank((0, 0, 0))
        alpha.fill(shape, (255, 255, 255))
        picture = np.dstack([self.finished(size_px), alpha.finished(size_px)[..., :1]])
        picture.flags.writeable = False
        return picture

    def mask(self, points: Points) -> Image:
        """Coverage 0..255 of a shape, picture-shaped."""
        mask = np.zeros(self.pixels.shape[:2], np.uint8)
        cv2.fillPoly(mask, [self._fixed(points)], 255, cv2.LINE_AA, SUBPIXEL_BITS)
        return mask

    def lay(self, other: Canvas, mask: Image) -> None:
        """Copy `other` where `mask` (0..255) covers."""
        share = mask[..., None].astype(np.uint16)
        blend = (other.pixels * share + self.pixels * (255 - share) + 127) // 255
        self.pixels = blend.astype(np.uint8)

    def text(
        self, text: str, box: tuple[float, float, float, float], colour: Colour, font: tuple[int, float]
    ) -> None:
        """Write `text` filling the box (x, y, width, height in mm); `font`: a Hershey face, line width mm."""
        face, width_mm = font
        thickness = max(1, round(width_mm * 16))
        (wide, high), base = cv2.getTextSize(text, face, 4.0, thickness)
        stamp = np.zeros((high + base + 80, wide + 80), np.uint8)
        cv2.putText(stamp, text, (40, high + 40), face, 4.0, 255, thickness, cv2.LINE_AA)
        rows, columns = np.flatnonzero(stamp.any(1)), np.flatnonzero(stamp.any(0))
        if not len(rows):
            return
        stamp = stamp[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        x0, y0 = round(box[0] * self.scale), round(box[1] * self.scale)
        size = max(1, round(box[2] * self.scale)), max(1, round(box[3] * self.scale))
        stamp = np.asarray(cv2.resize(stamp, size, interpolation=cv2.INTER_AREA), np.uint8)
        height, width = self.pixels.shape[:2]
        stamp = stamp[max(0, -y0) : height - y0, max(0, -x0) : width - x0]
        y0, x0 = max(0, y0), max(0, x0)
        window = self.pixels[y0 : y0 + stamp.shape[0], x0 : x0 + stamp.shape[1]]
        share = stamp[..., None].astype(np.float32) / 255
        window[:] = np.round(window * (1 - share) + np.asarray(colour, np.float32) * share).astype(np.uint8)

    def half_turned(self) -> Canvas:
        """The same picture upside down."""
        other = self.blank((0, 0, 0))
        other.pixels = np.ascontiguousarray(self.pixels[::-1, ::-1])
        return other

    def finished(self, size_px: tuple[int, int]) -> Image:
        """The picture averaged down to (width, height) pixels."""
        return np.asarray(cv2.resize(self.pixels, size_px, interpolation=cv2.INTER_AREA), np.uint8)
