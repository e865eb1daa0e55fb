"""Whether the chips of a set can be told apart by their colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.chip_colours import COLOUR_SIGMA, EVIDENCE, ChipPalette, disc_points
from veedor.vision.table import ChipType
from veedor.vision.told_colours import CENTRE

FloatArray = NDArray[np.float64]

SAFE = 0.95  # how surely one of two chips has to be told from the other
SPOTS_OUTSIDE, FIGURES_INSIDE = 0.3, 0.25  # shares of a top's pixels, for what a chip is taken to look like


@dataclass(frozen=True)
class Confusion:
    """Two chips of a set that look alike. `sure`: how surely the worse of the two is told from the other;
    `delta_e` between their grounds (CIE 1976).
    """

    one: str
    other: str
    sure: float
    delta_e: float


def confusions(chips: Sequence[ChipType]) -> list[Confusion]:
    """The pairs of one shape that are not told apart surely enough, the worst first."""
    found = []
    for one, other in combinations(chips, 2):
        if one.plaque == other.plaque:
            sure = min(_sureness(one, other), _sureness(other, one))
            if sure < SAFE:
                found.append(Confusion(one.name, other.name, sure, delta_e(one.colour_rgb, other.colour_rgb)))
    return sorted(found, key=lambda each: each.sure)


def delta_e(one_rgb: Sequence[int], other_rgb: Sequence[int]) -> float:
    """CIE 1976 colour difference; 2 is just noticed side by side, 10 at a glance."""
    pair = np.array([one_rgb, other_rgb], np.float32).reshape(1, 2, 3) / 255
    one, other = cv2.cvtColor(pair, cv2.COLOR_RGB2LAB)[0].astype(np.float64)
    return float(np.linalg.norm(one - other))


def _sureness(one: ChipType, other: ChipType) -> float:
    """Probability that the first is read as itself and not as the second, by what it should look like."""
    pixels, inside = _looks(one)
    scores = ChipPalette((one, other)).scores(pixels, inside)
    return float(1.0 / (1.0 + np.exp(-EVIDENCE * (scores[0] - scores[1]))))


def _looks(chip: ChipType) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Pixels (m, 3) BGR of a top, noise and all, and which of them are its middle."""
    inside = np.hypot(*disc_points().T) < CENTRE
    if chip.plaque:
        inside = np.zeros(len(inside), np.bool_)
    palette = ChipPalette((chip,))
    rng = np.random.default_rng(0)
    drawn = rng.random(len(inside))
    ground = np.where(inside[:, None], palette.centre[0], palette.body[0])
    second = np.where(inside[:, None], palette.ink[0], palette.accent[0])
    share = np.where(inside, FIGURES_INSIDE, SPOTS_OUTSIDE)
    pixels = np.where((drawn < share)[:, None], second, ground)
    return pixels + rng.normal(0, COLOUR_SIGMA / 2, pixels.shape), inside
