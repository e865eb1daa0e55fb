"""Patterns of a court's robes: one ink over a whole canvas."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from veedor.datasets.art.paint import Canvas, Colour, Points, ellipse, turned


def _stripes(layer: Canvas, ink: Colour, pitch: float, rng: np.random.Generator) -> None:
    width, height = layer.size_mm
    direction = turned(np.array([[1.0, 0.0]]), float(rng.choice([0, 90, 45, -45, 30])))[0]
    across = np.array([-direction[1], direction[0]])
    middle = np.array([width / 2, height / 2])
    share = rng.uniform(0.25, 0.55)
    for offset in np.arange(-60.0, 60.0, pitch):
        start = middle + across * offset
        layer.stroke(
            np.array([start - direction * 70, start + direction * 70]), ink, pitch * share, closed=False
        )


def _checks(layer: Canvas, ink: Colour, pitch: float, rng: np.random.Generator) -> None:
    tilt = float(rng.choice([0, 45]))
    square = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]) * pitch * rng.uniform(0.7, 1.0)
    _repeat(layer, turned(square, tilt), ink, pitch)


def _dots(layer: Canvas, ink: Colour, pitch: float, rng: np.random.Generator) -> None:
    radius = pitch * rng.uniform(0.2, 0.4)
    _repeat(layer, ellipse((0, 0), (radius, radius), count=16), ink, pitch)


def _crosses(layer: Canvas, ink: Colour, pitch: float, rng: np.random.Generator) -> None:
    arm, half = pitch * 0.42, pitch * rng.uniform(0.08, 0.16)
    cross = np.array(
        [(-half, -arm), (half, -arm), (half, -half), (arm, -half), (arm, half), (half, half),
         (half, arm), (-half, arm), (-half, half), (-arm, half), (-arm, -half), (-half, -half)]
    )  # fmt: skip
    _repeat(layer, cross, ink, pitch)


def _chevrons(layer: Canvas, ink: Colour, pitch: float, rng: np.random.Generator) -> None:
    width, height = layer.size_mm
    xs = np.arange(-pitch, width + pitch, pitch)
    for y in np.arange(0.0, height, pitch):
        zigzag = np.column_stack([xs, y + pitch * 0.5 * (np.arange(len(xs)) % 2)])
        layer.stroke(zigzag, ink, pitch * rng.uniform(0.2, 0.4), closed=False)


def _repeat(layer: Canvas, shape: Points, ink: Colour, pitch: float) -> None:
    width, height = layer.size_mm
    for row, y in enumerate(np.arange(0.0, height + pitch, pitch)):
        for x in np.arange(0.0, width + pitch, pitch * 2):
            layer.fill(shape + np.array([x + pitch * (row % 2), y]), ink)


Pattern = Callable[[Canvas, Colour, float, np.random.Generator], None]
PATTERNS: tuple[Pattern, ...] = (_stripes, _stripes, _checks, _dots, _crosses, _chevrons)
