"""Surfaces to lay training objects on: painted felts, cloths and clutter, or pieces of photographs."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

PHOTOGRAPH_SHARE = 0.5
MIN_PIECE_PX = 60


def surface(rng: np.random.Generator, side_px: int, photographs: Sequence[Picture]) -> Picture:
    """A square BGR picture without cards or chips on it."""
    if len(photographs) and rng.random() < PHOTOGRAPH_SHARE:
        return _piece(photographs[int(rng.integers(len(photographs)))], side_px, rng)
    image = _cloth(rng, side_px)
    if rng.random() < 0.75:
        _print(image, rng)
    if rng.random() < 0.35:
        _clutter(image, rng)
    return image


def _piece(photograph: Picture, side_px: int, rng: np.random.Generator) -> Picture:
    """A random square of a photograph, turned, enlarged or shrunk, its colours shifted."""
    height, width = photograph.shape[:2]
    side = int(rng.integers(min(MIN_PIECE_PX, height, width), min(height, width) + 1))
    top, left = int(rng.integers(height - side + 1)), int(rng.integers(width - side + 1))
    piece = np.rot90(photograph[top : top + side, left : left + side], int(rng.integers(4)))
    if rng.random() < 0.5:
        piece = piece[:, ::-1]
    way = cv2.INTER_AREA if side > side_px else cv2.INTER_CUBIC
    resized = cv2.resize(np.ascontiguousarray(piece), (side_px, side_px), interpolation=way)
    gains = rng.uniform(0.75, 1.25, 3)
    return np.asarray(np.clip(resized * gains, 0, 255), dtype=np.uint8)


def _cloth(rng: np.random.Generator, side_px: int) -> Picture:
    """One colour with a texture of several grain sizes; greens and dark tones are the commonest."""
    hue = float(rng.choice([rng.normal(70, 14), rng.normal(112, 9), rng.normal(175, 6), rng.uniform(0, 180)]))
    saturation, value = rng.uniform(0, 230), rng.uniform(15, 235)
    if rng.random() < 0.6:
        value = rng.uniform(40, 150)
    colour = np.array([[[hue % 180, saturation, value]]]).astype(np.uint8)
    base = cv2.cvtColor(colour, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32)
    texture = np.zeros((side_px, side_px), np.float32)
    for grain in (1, 2, 5, 24, 90):
        cells = max(2, side_px // grain)
        # Unequal sides make weaves, wood grain and brushed cloth.
        shape = (cells, max(2, cells // int(rng.integers(1, 5))))
        layer = rng.normal(0, rng.uniform(0, 9), shape).astype(np.float32)
        texture += cv2.resize(layer, (side_px, side_px), interpolation=cv2.INTER_CUBIC)
    if rng.random() < 0.5:
        texture = np.ascontiguousarray(texture.T)
    return np.asarray(
        np.clip(base * (1 + texture[..., None] / 90) + texture[..., None] * 0.25, 0, 255), dtype=np.uint8
    )


def _print(image: Picture, rng: np.random.Generator) -> None:
    """Lines, curves, numbers and boxes as felts carry them."""
    side = image.shape[0]
    ink = _colour(rng) if rng.random() < 0.5 else tuple(int(part) for part in rng.integers(150, 250, 3))
    for _ in range(int(rng.integers(1, 7))):
        thickness = int(rng.integers(1, 6))
        first, second = rng.integers(-side // 4, side + side // 4, (2, 2))
        shape = int(rng.integers(4))
        if shape == 0:
            cv2.line(image, tuple(map(int, first)), tuple(map(int, second)), ink, thickness, cv2.LINE_AA)
        elif shape == 1:
            axes = tuple(int(part) for part in rng.integers(15, side, 2))
            angle = float(rng.uniform(0, 180))
            cv2.ellipse(image, tuple(map(int, first)), axes, angle, 0, 360, ink, thickness, cv2.LINE_AA)
        elif shape == 2:
            box = cv2.boxPoints(
                (
                    (float(first[0]), float(first[1])),
                    tuple(rng.uniform(20, 120, 2)),
                    float(rng.uniform(0, 90)),
                )
            )
            cv2.polylines(image, [np.round(box).astype(np.int32)], True, ink, thickness, cv2.LINE_AA)
        else:
            word = "".join(rng.choice(list("0123456789ABDNPSTOU"), int(rng.integers(1, 6))))
            size = float(rng.uniform(0.5, 3.0))
            cv2.putText(image, word, tuple(map(int, first)), int(rng.integers(0, 5)), size, ink, thickness)


def _clutter(image: Picture, rng: np.random.Generator) -> None:
    """Papers, boxes, cables and stains that are no cards: light shapes of other proportions above all."""
    side = image.shape[0]
    for _ in range(int(rng.integers(1, 6))):
        centre = rng.uniform(0, side, 2)
        length = float(np.exp(rng.uniform(np.log(15), np.log(260))))
        proportion = float(rng.choice([rng.uniform(1.0, 1.12), rng.uniform(1.9, 6.0)]))
        light = rng.random() < 0.5
        colour = tuple(int(part) for part in rng.integers(190, 256, 3)) if light else _colour(rng)
        if rng.random() < 0.65:
            angle = float(rng.uniform(0, 180))
            box = cv2.boxPoints(((float(centre[0]), float(centre[1])), (length, length / proportion), angle))
            cv2.fillConvexPoly(image, np.round(box).astype(np.int32), colour, cv2.LINE_AA)
        else:
            points = centre + np.cumsum(rng.normal(0, length / 3, (9, 2)), axis=0)
            cv2.polylines(
                image,
                [np.round(points).astype(np.int32)],
                False,
                colour,
                int(rng.integers(1, 7)),
                cv2.LINE_AA,
            )


def _colour(rng: np.random.Generator) -> tuple[int, int, int]:
    blue, green, red = (int(part) for part in rng.integers(0, 256, 3))
    return blue, green, red
