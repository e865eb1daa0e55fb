"""Flat textured pieces seen in perspective."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.render.canvas import FloatImage, Sprite, sprite_of

FloatArray = NDArray[np.float64]

PAD_PX = 2  # transparent border of every level, so that warped edges come out smooth
LEVEL_STEP = 2**0.5
# Sampling a level somewhat finer than the picture and letting bilinear filtering do the rest keeps pips crisp
# without shimmer.
OVERSAMPLING = 1.2
FRAME_MARGIN_PX = 48
FIELD_STEP_PX = 8  # smooth fields are computed so coarsely and interpolated
EVEN_GAIN = 0.04  # differences of brightness over a piece that nobody sees


class Texture:
    """A picture with alpha that can be drawn at any scale. `bgra` (H, W, 4) uint8, straight alpha."""

    def __init__(self, bgra: NDArray[np.uint8], px_per_mm: float) -> None:
        self.px_per_mm = px_per_mm
        self.size_px = (bgra.shape[1], bgra.shape[0])
        alpha = bgra[:, :, 3:4].astype(np.uint16)
        self._full = bgra.copy()
        self._full[:, :, :3] = ((bgra[:, :, :3] * alpha + 127) // 255).astype(np.uint8)
        self._levels: dict[int, NDArray[np.uint8]] = {}

    def level(self, px_per_mm: float) -> NDArray[np.uint8]:
        """Premultiplied BGRA, padded by PAD_PX, at about that scale and never coarser than it."""
        ratio = max(self.px_per_mm / max(px_per_mm, 1e-6), 1.0)
        step = int(np.log(ratio) / np.log(LEVEL_STEP))
        if step not in self._levels:
            size = tuple(max(2, round(side / LEVEL_STEP**step)) for side in self.size_px)
            small = self._full if step == 0 else cv2.resize(self._full, size, interpolation=cv2.INTER_AREA)
            self._levels[step] = cv2.copyMakeBorder(
                small, PAD_PX, PAD_PX, PAD_PX, PAD_PX, cv2.BORDER_CONSTANT, value=(0, 0, 0, 0)
            )
        return self._levels[step]


@dataclass(frozen=True)
class Glint:
    """The lamp mirrored in a surface: `offsets` (4, 2) at the corners (Lighting.mirror_offsets), how wide it
    spreads in the same measure, and its brightness 0..1 at the middle."""

    offsets: FloatArray
    spread: float
    strength: float


def plane_sprite(
    texture: Texture,
    corners_px: FloatArray,
    gain: FloatImage,
    *,
    glint: Glint | None = None,
    frame: tuple[int, int] | None = None,
) -> Sprite:
    """Draw a texture whose corners, clockwise from the top left, fall on `corners_px` (4, 2).

    `gain` is BGR brightness, (3,) or one row a corner (4, 3). With `frame` (width, height) only what lies in
    or near the frame is drawn: for long things whose whole area nobody asks for.
    """
    low, target, patch = _warped(texture, corners_px, 2, frame)
    height, width = patch.shape[:2]
    floats = patch.astype(np.float32)
    coverage = floats[:, :, 3] * np.float32(1 / 255)
    colour = floats[:, :, :3]
    if gain.ndim == 2 and float(np.ptp(gain)) < EVEN_GAIN:
        gain = gain.mean(axis=0)
    if gain.ndim == 1:
        colour = colour * gain
    else:
        colour = colour * linear_field(target, gain, (width, height))
    if glint is not None and glint.strength > 0 and np.abs(glint.offsets).min() < 4 * glint.spread:
        field = linear_field(target, glint.offsets.astype(np.float32), (width, height))
        shine = np.exp((field**2).sum(axis=2) * np.float32(-0.5 / glint.spread**2)) * np.float32(
            glint.strength * 255
        )
        colour = colour + (shine * coverage)[:, :, None]
    return sprite_of(int(low[0]), int(low[1]), colour, coverage)


def linear_field(
    points: NDArray[np.float32], values: NDArray[np.float32], size: tuple[int, int]
) -> FloatImage:
    """The best plane through `values` (n, k) given at `points` (n, 2), over a patch (height, width, k)."""
    design = np.column_stack([points, np.ones(len(points))])
    fit = np.linalg.lstsq(design, values, rcond=None)[0].astype(np.float32)
    small = (max(2, size[0] // FIELD_STEP_PX), max(2, size[1] // FIELD_STEP_PX))
    columns = (np.arange(small[0], dtype=np.float32)[None, :, None] + 0.5) * np.float32(
        size[0] / small[0]
    ) - 0.5
    rows = (np.arange(small[1], dtype=np.float32)[:, None, None] + 0.5) * np.float32(size[1] / small[1]) - 0.5
    field = np.asarray(columns * fit[0] + rows * fit[1] + fit[2], np.float32)
    fine = cv2.resize(field, size, interpolation=cv2.INTER_LINEAR)
    return np.asarray(fine, np.float32).reshape(size[1], size[0], -1)


def plane_coverage(
    texture: Texture, corners_px: FloatArray, *, pad_px: int, frame: tuple[int, int] | None = None
) -> tuple[int, int, NDArray[np.uint8]]:
    """Left, top and the coverage (h, w) 0..255 of a texture laid on `corners_px`, with a margin."""
    low, _, patch = _warped(texture, corners_px, pad_px, frame)
    return int(low[0]), int(low[1]), np.ascontiguousarray(patch[:, :, 3])


def _warped(
    texture: Texture, corners_px: FloatArray, pad_px: int, frame: tuple[int, int] | None
) -> tuple[NDArray[np.intp], NDArray[np.float32], NDArray[np.uint8]]:
    """Top left (2,), the corners from there (4, 2), and the texture as seen, premultiplied BGRA."""
    low = np.floor(corners_px.min(axis=0)).astype(int) - pad_px
    high = np.ceil(corners_px.max(axis=0)).astype(int) + pad_px
    if frame is not None:
        low = np.clip(low, -FRAME_MARGIN_PX, np.array(frame))
        high = np.clip(high, low + 1, np.array(frame) + FRAME_MARGIN_PX)
    width, height = (int(side) for side in high - low + 1)
    edges = np.linalg.norm(corners_px - np.roll(corners_px, -1, axis=0), axis=1)
    wide_mm, high_mm = (side / texture.px_per_mm for side in texture.size_px)
    scale = max((edges[0] + edges[2]) / (2 * wide_mm), (edges[1] + edges[3]) / (2 * high_mm))
    level = texture.level(scale * OVERSAMPLING)
    left, right = PAD_PX - 0.5, level.shape[1] - PAD_PX - 0.5
    top, bottom = PAD_PX - 0.5, level.shape[0] - PAD_PX - 0.5
    source = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    target = (corners_px - low).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(source, target)
    patch = cv2.warpPerspective(level, matrix, (width, height), flags=cv2.INTER_LINEAR)
    return low, target, patch
