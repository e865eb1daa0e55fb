"""Card backs: one printed colour on white, in patterns that look the same upside down."""

from __future__ import annotations

import numpy as np
from veedor.datasets.art.paint import Canvas, Colour, ellipse, jittered, mixed, rounded_rectangle
from veedor.datasets.art.pips import CARD_MM

FAMILIES: dict[str, tuple[Colour, ...]] = {
    "red": ((36, 28, 170), (48, 40, 196), (30, 22, 130), (60, 50, 205)),
    "blue": ((130, 52, 24), (160, 84, 30), (100, 40, 30), (178, 96, 52)),
    "green": ((60, 96, 26), (44, 80, 20)),
    "black": ((40, 36, 36), (60, 54, 50)),
    "purple": ((110, 40, 90), (130, 60, 110)),
}


def draw_back(canvas: Canvas, colour: str, rng: np.random.Generator) -> None:
    """Print a back of one colour family over the whole canvas."""
    shades = FAMILIES[colour]
    ink = jittered(shades[int(rng.integers(len(shades)))], rng, 16)
    light = mixed((250, 250, 250), ink, float(rng.uniform(0.0, 0.2)))
    border = float(rng.choice([0.0, 3.0, 4.0, 5.5]))
    layer = canvas.blank(ink)
    (_lattice, _rosettes, _waves, _weave, _dots, _medallion)[int(rng.integers(6))](layer, light, rng)
    if rng.random() < 0.5:
        _centre_piece(layer, ink, light, rng)
    if border == 0.0:
        canvas.pixels = layer.pixels
        return
    inner = rounded_rectangle(
        (border, border), (CARD_MM[0] - 2 * border, CARD_MM[1] - 2 * border), float(rng.uniform(0.4, 3))
    )
    canvas.lay(layer, canvas.mask(inner))
    if rng.random() < 0.6:
        canvas.stroke(inner, ink, float(rng.uniform(0.4, 1.0)))


def _lattice(layer: Canvas, light: Colour, rng: np.random.Generator) -> None:
    pitch, width = rng.uniform(3.0, 7.0), rng.uniform(0.5, 1.2)
    steep = rng.uniform(0.8, 1.6)
    reach = 88.0
    for offset in np.arange(-120, 120, pitch):
        for sign in (-1, 1):
            start = np.array([CARD_MM[0] / 2 + offset, CARD_MM[1] / 2])
            step = np.array([1.0, sign * steep]) * reach
            layer.stroke(np.stack([start - step, start + step]), light, width, closed=False)


def _rosettes(layer: Canvas, light: Colour, rng: np.random.Generator) -> None:
    pitch = rng.uniform(8.0, 13.0)
    width = rng.uniform(0.4, 0.8)
    for y in np.arange(CARD_MM[1] / 2 % pitch - pitch, 100, pitch):
        for x in np.arange(CARD_MM[0] / 2 % pitch - pitch, 80, pitch):
            for radius in (0.62, 0.4, 0.18):
                layer.stroke(ellipse((x, y), (pitch * radius, pitch * radius)), light, width)


def _waves(layer: Canvas, light: Colour, rng: np.random.Generator) -> None:
    pitch, swing = rng.uniform(2.4, 4.5), rng.uniform(1.5, 6.0)
    length = rng.uniform(10, 30)
    ys = np.linspace(0, CARD_MM[1], 120)
    phase = np.sin((ys - CARD_MM[1] / 2) / length * 2 * np.pi)
    for x in np.arange(-10, 75, pitch):
        layer.stroke(np.column_stack([x + swing * phase, ys]), light, pitch * 0.3, closed=False)
        if swing < 4:
            layer.stroke(np.column_stack([x - swing * phase, ys]), light, pitch * 0.2, closed=False)


def _weave(layer: Canvas, light: Colour, rng: np.random.Generator) -> None:
    pitch = rng.uniform(3.0, 6.0)
    for row, y in enumerate(np.arange(0, 90, pitch)):
        for column, x in enumerate(np.arange(0, 66, pitch)):
            horizontal = (row + column) % 2 == 0
            for step in (0.2, 0.5, 0.8):
                if horizontal:
                    line = np.array([(x, y + step * pitch), (x + pitch, y + step * pitch)])
                else:
                    line = np.array([(x + step * pitch, y), (x + step * pitch, y + pitch)])
                layer.stroke(line, light, 0.35, closed=False)


def _dots(layer: Canvas, light: Colour, rng: np.random.Generator) -> None:
    pitch, share = rng.uniform(2.2, 5.0), rng.uniform(0.2, 0.42)
    for row, y in enumerate(np.arange(0, 92, pitch * 0.866)):
        for x in np.arange(0, 68, pitch):
            layer.fill(
                ellipse((x + pitch / 2 * (row % 2), y), (pitch * share, pitch * share), count=14), light
            )


def _medallion(layer: Canvas, light: Colour, rng: np.random.Generator) -> None:
    centre = (CARD_MM[0] / 2, CARD_MM[1] / 2)
    petals = int(rng.integers(6, 14))
    for ring in np.arange(4.0, 60.0, rng.uniform(3.0, 6.0)):
        angle = np.linspace(0, 2 * np.pi, 120)
        radius = ring * (1 + 0.12 * np.cos(petals * angle))
        points = np.column_stack([centre[0] + radius * np.cos(angle), centre[1] + radius * np.sin(angle)])
        layer.stroke(points, light, rng.uniform(0.4, 1.0))


def _centre_piece(layer: Canvas, ink: Colour, light: Colour, rng: np.random.Generator) -> None:
    centre = (CARD_MM[0] / 2, CARD_MM[1] / 2)
    wide, high = rng.uniform(6, 16), rng.uniform(6, 22)
    layer.outlined(ellipse(centre, (wide, high)), light, ink, 0.8)
    layer.outlined(ellipse(centre, (wide * 0.7, high * 0.7)), ink, light, 0.6)
