"""Chips and plaques from above, and the colours of a chip's edge."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.art.paint import Canvas, Colour, Image, ellipse, mixed, rounded_rectangle, turned
from veedor.datasets.scene import ChipStyle

SIDE_STEPS = 96


def _bgr(rgb: tuple[int, int, int]) -> Colour:
    return rgb[2], rgb[1], rgb[0]


def _rng(style: ChipStyle, seed: int) -> np.random.Generator:
    return np.random.default_rng([seed, style.value, *style.colour_rgb])


def _spots(seed: int) -> tuple[int, float]:
    """How many spots stand on the edge of a set's chips, and what share of the edge they take."""
    rng = np.random.default_rng([seed, 77])
    return int(rng.choice([4, 6, 6, 8, 12])), float(rng.uniform(0.25, 0.5))


def chip_side_colours(style: ChipStyle, seed: int = 0) -> NDArray[np.uint8]:
    """Edge of a chip: BGR uint8 (96, 3), by angle counter-clockwise as seen from above, the first at +x."""
    count, share = _spots(seed)
    phase = (np.arange(SIDE_STEPS) + 0.5) / SIDE_STEPS * count % 1.0
    edge = np.empty((SIDE_STEPS, 3), np.uint8)
    edge[:] = _bgr(style.colour_rgb)
    edge[phase < share] = _bgr(style.accent_rgb)
    return edge


def _kind(seed: int) -> int:
    return int(np.random.default_rng([seed, 79]).integers(4))


def chip_centre_rgb(style: ChipStyle, seed: int = 0) -> tuple[int, int, int]:
    """Colour round the figures in the middle of a round chip's top."""
    body, accent = style.colour_rgb, style.accent_rgb
    found = mixed(accent, body, 0.15) if _kind(seed) < 2 else mixed(body, (255, 255, 255), 0.18)
    return found[0], found[1], found[2]


@lru_cache(maxsize=256)
def chip_top(style: ChipStyle, size_px: int, seed: int = 0) -> Image:
    """Top of a round chip: BGRA uint8 (size_px, size_px, 4), spots as in `chip_side_colours`; read-only."""
    count, share = _spots(seed)
    rng = _rng(style, seed)
    body, accent = _bgr(style.colour_rgb), _bgr(style.accent_rgb)
    # Drawn in a square of 40 mm whatever the chip's own diameter.
    canvas = Canvas((40.0, 40.0), size_px / 40.0, body)
    middle = np.array([20.0, 20.0])
    inner = float(np.random.default_rng([seed, 78]).uniform(13.5, 16.5))
    for spot in range(count):
        start, end = 360 * spot / count, 360 * (spot + share) / count
        arc = np.deg2rad(np.linspace(start, end, 8))
        # Counter-clockwise from above is clockwise-negative with y down.
        outer = np.column_stack([np.cos(arc), -np.sin(arc)])
        canvas.fill(np.concatenate([outer * 21, outer[::-1] * inner]) + middle, accent)
    canvas.stroke(ellipse(middle, (19.8, 19.8)), mixed(body, (0, 0, 0), 0.35), 0.4)
    kind = _kind(seed)
    canvas.fill(ellipse(middle, (inner, inner)), body)
    canvas.stroke(ellipse(middle, (inner, inner)), accent if kind % 2 else mixed(body, (0, 0, 0), 0.3), 0.7)
    disc = _bgr(chip_centre_rgb(style, seed))
    radius = inner * float(rng.uniform(0.66, 0.7))
    canvas.fill(ellipse(middle, (radius, radius)), disc)
    canvas.stroke(ellipse(middle, (radius, radius)), mixed(body, (0, 0, 0), 0.25), 0.5)
    if kind == 3:
        for step in range(24):
            ray = turned(np.array([[radius + 0.6, 0.0], [inner - 0.6, 0.0]]), step * 15.0)
            canvas.stroke(ray + middle, accent, 0.5, closed=False)
    dark = sum(disc) > 380
    ink = (20, 20, 20) if dark else (245, 245, 245)
    _value(canvas, str(style.value), (20.0, 20.0), (radius * 1.45, radius * 0.72), ink)
    return canvas.cut_out(ellipse(middle, (20.0, 20.0), count=96), (size_px, size_px))


@lru_cache(maxsize=64)
def plaque_face(style: ChipStyle, px_per_mm: float = 4.0, seed: int = 0) -> Image:
    """Top of a plaque: BGRA uint8 of `style.size_mm` (width, height) at `px_per_mm`; read-only."""
    rng = _rng(style, seed)
    body, accent = _bgr(style.colour_rgb), _bgr(style.accent_rgb)
    width, height = style.size_mm
    canvas = Canvas((width, height), px_per_mm, body)
    rim = float(rng.uniform(2.5, 5.0))
    round_mm = float(rng.uniform(2.0, 7.0))
    pearl = mixed(body, (255, 255, 255), float(rng.uniform(0.1, 0.3)))
    canvas.fill(rounded_rectangle((rim, rim), (width - 2 * rim, height - 2 * rim), round_mm), pearl)
    for _ in range(14):
        x, y = rng.uniform(rim, width - rim), rng.uniform(rim, height - rim)
        cloud = ellipse((x, y), (rng.uniform(3, 12), rng.uniform(1, 4)), float(rng.uniform(0, 180)))
        layer = canvas.blank(mixed(pearl, (255, 255, 255), 0.12))
        canvas.lay(layer, canvas.mask(cloud))
    canvas.stroke(rounded_rectangle((rim, rim), (width - 2 * rim, height - 2 * rim), round_mm), accent, 0.9)
    ink = accent if abs(sum(accent) - sum(pearl)) > 200 else (20, 20, 20)
    _value(canvas, str(style.value), (width / 2, height / 2), (width * 0.6, height * 0.34), ink)
    outline = rounded_rectangle((0, 0), (width, height), round_mm)
    return canvas.cut_out(outline, (round(width * px_per_mm), round(height * px_per_mm)))


def _value(
    canvas: Canvas, text: str, centre: tuple[float, float], room: tuple[float, float], ink: Colour
) -> None:
    high = min(room[1], room[0] / (0.7 * len(text)))
    wide = 0.7 * high * len(text)
    box = (centre[0] - wide / 2, centre[1] - high / 2, wide, high)
    canvas.text(text, box, ink, (cv2.FONT_HERSHEY_DUPLEX, 0.45))
