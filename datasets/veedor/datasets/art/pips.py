"""Suit signs and where they stand on a card."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from veedor.datasets.art.paint import Points, bezier, ellipse

CARD_MM = (63.0, 88.0)

# Columns -1, 0, 1 and rows -1 (top) .. 1 (bottom) of the standard international arrangement; a sign below
# the middle stands upside down.
THIRD = 1 / 3
PLACES: dict[str, tuple[tuple[float, float], ...]] = {
    "A": ((0, 0),),
    "2": ((0, -1), (0, 1)),
    "3": ((0, -1), (0, 0), (0, 1)),
    "4": ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    "5": ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    "6": ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    "7": ((-1, -1), (1, -1), (0, -0.5), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    "8": ((-1, -1), (1, -1), (0, -0.5), (-1, 0), (1, 0), (0, 0.5), (-1, 1), (1, 1)),
    "9": ((-1, -1), (1, -1), (-1, -THIRD), (1, -THIRD), (0, 0), (-1, THIRD), (1, THIRD), (-1, 1), (1, 1)),
    "T": (
        (-1, -1), (1, -1), (0, -2 * THIRD), (-1, -THIRD), (1, -THIRD),
        (-1, THIRD), (1, THIRD), (0, 2 * THIRD), (-1, 1), (1, 1),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class PipShape:
    """How one deck draws its four signs; lengths are shares of the sign's height."""

    width: float  # of the sign
    lobe: float  # fullness of hearts' and spades' shoulders, clubs' leaves
    waist: float  # how far a diamond's sides curve inwards
    stem: float  # width of the foot of spades and clubs
    spread: float  # how far apart clubs' leaves stand

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> PipShape:
        """A shape by chance."""
        return cls(
            width=float(rng.uniform(0.78, 1.0)),
            lobe=float(rng.uniform(0.0, 1.0)),
            waist=float(rng.uniform(-0.04, 0.13)),
            stem=float(rng.uniform(0.3, 0.6)),
            spread=float(rng.uniform(0.0, 1.0)),
        )

    def outlines(self, suit: str) -> list[Points]:
        """Closed outlines of a sign one unit high about its middle, y down; their union is the sign."""
        if suit == "H":
            return [_heart(self)]
        if suit == "D":
            return [_diamond(self)]
        if suit == "S":
            body = _heart(self) * (1, -0.84) + (0, -0.08)
            return [body, _foot(self, 0.12)]
        if suit == "C":
            return _club(self)
        raise KeyError(suit)


def _heart(shape: PipShape) -> Points:
    half = shape.width / 2
    top = 0.36 + 0.14 * shape.lobe
    dip = -0.36 + 0.12 * shape.lobe
    shoulder = -0.12 - 0.1 * shape.lobe
    right = bezier(
        (0, dip),
        ((0.06, -top), (0.2 * half, -0.5), (half * 0.55, -0.5)),
        ((half * 0.86, -0.5), (half, -0.4), (half, shoulder)),
        ((half, 0.1 + 0.06 * shape.lobe), (half * 0.3, 0.2), (0, 0.5)),
    )
    left = right[::-1] * (-1, 1)
    return np.concatenate([right, left])


def _diamond(shape: PipShape) -> Points:
    half, pinch = shape.width * 0.42, shape.waist
    corners = [(0.0, -0.5), (half, 0.0), (0.0, 0.5), (-half, 0.0)]
    parts = []
    for start, end in zip(corners, corners[1:] + corners[:1], strict=True):
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        pulled = (middle[0] * (1 - 2 * pinch), middle[1] * (1 - 2 * pinch))
        parts.append(bezier(start, (pulled, pulled, end))[:-1])
    return np.concatenate(parts)


def _foot(shape: PipShape, top: float) -> Points:
    half = shape.stem / 2
    right = bezier((0.03, top), ((0.05, 0.35), (half * 0.4, 0.46), (half, 0.5)))
    return np.concatenate([right, right[::-1] * (-1, 1)])


def _club(shape: PipShape) -> list[Points]:
    radius = 0.215 + 0.03 * shape.lobe
    side = (0.2 + 0.07 * shape.spread) * (shape.width / 0.9)
    low = 0.07 + 0.03 * shape.spread
    middle = ellipse((0, 0), (0.12, 0.14))
    leaves = [
        ellipse((0, -0.5 + radius), (radius, radius)),
        ellipse((-side, low), (radius, radius)),
        ellipse((side, low), (radius, radius)),
    ]
    return [*leaves, middle, _foot(shape, 0.0)]
