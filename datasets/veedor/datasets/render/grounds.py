"""Surfaces that are no gaming felt: wood, carpet, white tables, cloth, stone, clutter, by chance."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.float32]
Rng = np.random.Generator
Bgr = tuple[float, float, float]

WOODS: tuple[Bgr, ...] = (
    (70, 110, 160),
    (40, 66, 104),
    (120, 160, 196),
    (30, 42, 60),
    (150, 180, 205),
    (60, 84, 150),
)
CARPETS: tuple[Bgr, ...] = (
    (120, 150, 175),
    (90, 100, 110),
    (60, 80, 120),
    (40, 40, 46),
    (110, 80, 60),
    (50, 90, 60),
)
PALE: tuple[Bgr, ...] = ((225, 230, 232), (205, 212, 218), (238, 238, 238), (190, 205, 220), (215, 220, 205))


def random_ground(rng: Rng, size: int) -> NDArray[np.uint8]:
    """A square BGR picture of some surface."""
    kinds: tuple[tuple[Callable[[Rng, int], Image], float], ...] = (
        (_wood, 0.2), (_carpet, 0.2), (_pale, 0.16), (_cloth, 0.14), (_stone, 0.1), (_dark, 0.08),
        (_checks, 0.06), (_plain, 0.06),
    )  # fmt: skip
    chances = np.array([weight for _, weight in kinds])
    draw = kinds[int(rng.choice(len(kinds), p=chances / chances.sum()))][0]
    image = np.ascontiguousarray(np.clip(draw(rng, size), 0, 255), dtype=np.uint8)
    if rng.random() < 0.25:
        _scatter(rng, image)
    return image


def fractal(
    rng: Rng, size: tuple[int, int], *, coarse: int = 3, octaves: int = 5, fade: float = 0.55
) -> Image:
    """Noise (rows, columns) of many scales, mean 0, deviation about 1."""
    total = np.zeros(size, np.float32)
    weight, power = 1.0, 0.0
    for octave in range(octaves):
        cells = min(coarse * 2**octave, max(size))
        layer = rng.standard_normal((cells + 1, cells + 1), dtype=np.float32)
        total += weight * cv2.resize(layer, size[::-1], interpolation=cv2.INTER_LINEAR)
        power += weight**2
        weight *= fade
    return np.asarray(total / np.sqrt(power), np.float32)


def _tinted(level: Image, colour: Bgr, rng: Rng, spread: float = 18.0) -> Image:
    shade = np.clip(np.array(colour) + rng.normal(0, spread, 3), 5, 250).astype(np.float32)
    return np.asarray(level[:, :, None] * shade, np.float32)


def _wood(rng: Rng, size: int) -> Image:
    stretched = fractal(rng, (size, max(size // 10, 8)), coarse=4)
    waves = cv2.resize(stretched, (size, size), interpolation=cv2.INTER_LINEAR).T
    rows = np.linspace(0, float(rng.uniform(8, 30)), size, dtype=np.float32)[:, None]
    rings = np.sin((rows + waves * float(rng.uniform(0.8, 3.0))) * 2 * np.pi)
    fine = cv2.resize(
        rng.standard_normal((size, 24), dtype=np.float32), (size, size), interpolation=cv2.INTER_LINEAR
    )
    level = 1 + float(rng.uniform(0.03, 0.16)) * rings + float(rng.uniform(0.03, 0.09)) * fine
    image = _tinted(np.asarray(level, np.float32), _pick(WOODS, rng), rng)
    if rng.random() < 0.5:  # boards
        board = int(rng.integers(size // 8, size // 3))
        for start in range(int(rng.integers(board)), size, board):
            image[start : start + 2] *= 0.55
            image[start : start + board] *= float(rng.uniform(0.88, 1.1))
    return image


def _carpet(rng: Rng, size: int) -> Image:
    tufts = rng.standard_normal((size, size), dtype=np.float32)
    grain = float(rng.uniform(0.7, 2.2))
    tufts = cv2.GaussianBlur(tufts, (0, 0), grain) * grain * 3.0
    level = 1 + float(rng.uniform(0.08, 0.3)) * tufts + 0.08 * fractal(rng, (size, size))
    image = _tinted(np.asarray(level, np.float32), _pick(CARPETS, rng), rng)
    if rng.random() < 0.3:
        other = np.array(_pick(CARPETS, rng), np.float32)
        share = (fractal(rng, (size, size), coarse=6) > 0.7).astype(np.float32)[:, :, None]
        image = np.asarray(image * (1 - share) + image / 100 * other * share, np.float32)
    return image


def _pale(rng: Rng, size: int) -> Image:
    level = (
        1
        + 0.03 * fractal(rng, (size, size), coarse=2)
        + 0.01 * rng.standard_normal((size, size), dtype=np.float32)
    )
    level = level * _gradient(rng, size, 0.3)
    return _tinted(np.asarray(level, np.float32), _pick(PALE, rng), rng, 8.0)


def _cloth(rng: Rng, size: int) -> Image:
    folds = fractal(rng, (size, size), coarse=2, octaves=3, fade=0.4)
    weave = np.sin(np.arange(size, dtype=np.float32) * float(rng.uniform(1.2, 2.6)))
    level = 1 + float(rng.uniform(0.0, 0.16)) * folds + 0.03 * weave[None, :] + 0.03 * weave[:, None]
    level = level + 0.04 * rng.standard_normal((size, size), dtype=np.float32)
    colour = tuple(float(part) for part in rng.uniform(20, 200, 3))
    image = _tinted(np.asarray(level, np.float32), (colour[0], colour[1], colour[2]), rng)
    if rng.random() < 0.4:
        stripe = tuple(float(part) for part in rng.uniform(20, 230, 3))
        pitch, wide = int(rng.integers(12, 90)), int(rng.integers(2, 24))
        for start in range(0, size, pitch):
            image[:, start : start + wide] = (
                image[:, start : start + wide] * 0.3 + np.array(stripe, np.float32) * 0.7
            )
            if rng.random() < 0.5:
                image[start : start + wide] = (
                    image[start : start + wide] * 0.5 + np.array(stripe, np.float32) * 0.5
                )
    return image


def _stone(rng: Rng, size: int) -> Image:
    veins = np.abs(fractal(rng, (size, size), coarse=3, octaves=6, fade=0.7))
    specks = cv2.GaussianBlur(rng.standard_normal((size, size), dtype=np.float32), (0, 0), 0.8) * 2
    level = (
        float(rng.uniform(0.6, 1.0))
        + 0.2 * np.minimum(veins * 2, 1)
        + float(rng.uniform(0.02, 0.18)) * specks
    )
    return _tinted(np.asarray(level, np.float32), _pick(PALE + CARPETS, rng), rng)


def _dark(rng: Rng, size: int) -> Image:
    level = (
        1
        + 0.35 * fractal(rng, (size, size), coarse=3, octaves=4)
        + 0.1 * rng.standard_normal((size, size), dtype=np.float32)
    )
    image = _tinted(np.asarray(level, np.float32), (34.0, 32.0, 32.0), rng, 10.0)
    if rng.random() < 0.5:  # window light on a smooth top
        glow = np.exp(-(((fractal(rng, (size, size), coarse=1, octaves=1) - 0.4) / 0.4) ** 2))
        image += float(rng.uniform(20, 130)) * glow[:, :, None]
    return image


def _checks(rng: Rng, size: int) -> Image:
    pitch = int(rng.integers(24, 150))
    rows, columns = np.indices((size, size)) // pitch
    first, second = (np.array(_pick(PALE + CARPETS + WOODS, rng), np.float32) for _ in range(2))
    even = ((rows + columns) % 2 == 0)[:, :, None]
    image = np.where(even, first, second) * (1 + 0.05 * fractal(rng, (size, size)))[:, :, None]
    grout = (np.arange(size) % pitch) < 3
    image[grout] *= 0.7
    image[:, grout] *= 0.7
    return np.asarray(image, np.float32)


def _plain(rng: Rng, size: int) -> Image:
    level = _gradient(rng, size, 0.5) + 0.02 * rng.standard_normal((size, size), dtype=np.float32)
    colour = rng.uniform(10, 245, 3)
    return _tinted(np.asarray(level, np.float32), (float(colour[0]), float(colour[1]), float(colour[2])), rng)


def _gradient(rng: Rng, size: int, depth: float) -> Image:
    angle = float(rng.uniform(0, 2 * np.pi))
    axis = np.linspace(-0.5, 0.5, size, dtype=np.float32)
    slope = axis[None, :] * np.float32(np.cos(angle)) + axis[:, None] * np.float32(np.sin(angle))
    return np.asarray(1 + float(rng.uniform(-depth, depth)) * slope, np.float32)


def _scatter(rng: Rng, image: NDArray[np.uint8]) -> None:
    """Shapes, lines and letters of no meaning: whatever lies or stands about."""
    size = image.shape[0]
    for _ in range(int(rng.integers(3, 22))):
        colour = [float(part) for part in rng.uniform(0, 255, 3)]
        place = rng.uniform(0, size, 2)
        kind = int(rng.integers(5))
        if kind == 0:
            box = cv2.boxPoints(
                (
                    (float(place[0]), float(place[1])),
                    tuple(rng.uniform(6, size / 3, 2)),
                    float(rng.uniform(0, 180)),
                )
            )
            cv2.fillConvexPoly(image, np.round(box * 16).astype(np.int32), colour, cv2.LINE_AA, 4)
        elif kind == 1:
            axes = tuple(int(part) for part in rng.uniform(3, size / 6, 2))
            cv2.ellipse(
                image,
                (int(place[0]), int(place[1])),
                axes,
                float(rng.uniform(0, 180)),
                0,
                360,
                colour,
                -1,
                cv2.LINE_AA,
            )
        elif kind == 2:
            end = place + rng.normal(0, size / 3, 2)
            cv2.line(image, _whole(place), _whole(end), colour, int(rng.integers(1, 14)), cv2.LINE_AA)
        elif kind == 3:
            letters = "".join(chr(int(code)) for code in rng.integers(48, 91, int(rng.integers(1, 9))))
            cv2.putText(
                image,
                letters,
                _whole(place),
                int(rng.integers(0, 5)),
                float(rng.uniform(0.3, 3)),
                colour,
                int(rng.integers(1, 5)),
                cv2.LINE_AA,
            )
        else:
            points = place + rng.normal(0, size / 8, (int(rng.integers(3, 7)), 2))
            cv2.fillPoly(image, [np.round(points * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)


def _whole(point: NDArray[np.float64]) -> tuple[int, int]:
    return int(point[0]), int(point[1])


def _pick(colours: tuple[Bgr, ...], rng: Rng) -> Bgr:
    return colours[int(rng.integers(len(colours)))]
