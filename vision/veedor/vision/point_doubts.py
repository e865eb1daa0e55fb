"""Which of the points that were clicked are likely wrong, where they do not agree with one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.table import ReferencePoint

FloatArray = NDArray[np.float64]

# Any four points agree; the fifth is the first that can speak against them.
FEWEST_TO_SWAP, FEWEST_TO_OMIT = 5, 6
MUCH_BETTER = 5.0  # times nearer to each other: what was tried explains what is wrong


@dataclass(frozen=True)
class Suspects:
    """Two points with each other's names, or the one that fits worst."""

    names: tuple[str, ...]
    swapped: bool


def suspects(camera: Camera | None, points: Sequence[ReferencePoint]) -> Suspects | None:
    """The points to look at first, where `camera` sees them elsewhere than they were clicked, or none does.

    Without a camera None where nothing tells which it is.
    """
    mm = np.array([point.mm for point in points])
    px = np.array([point.px for point in points])
    before = _misfit_px(mm, px)
    if len(points) >= FEWEST_TO_SWAP:
        pairs = list(combinations(range(len(points)), 2))
        misfits = [_misfit_px(mm, _swapped(px, *pair)) for pair in pairs]
        best = int(np.argmin(misfits))
        if misfits[best] < before / MUCH_BETTER:
            return Suspects(tuple(points[each].name for each in pairs[best]), swapped=True)
    if len(points) >= FEWEST_TO_OMIT:
        misfits = [_misfit_px(np.delete(mm, n, axis=0), np.delete(px, n, axis=0)) for n in range(len(points))]
        best = int(np.argmin(misfits))
        if misfits[best] < before / MUCH_BETTER:
            return Suspects((points[best].name,), swapped=False)
    if camera is None:
        return None
    off = np.nan_to_num(np.linalg.norm(camera.project(mm) - px, axis=1), nan=np.inf)
    return Suspects((points[int(np.argmax(off))].name,), swapped=False)


def _swapped(px: FloatArray, one: int, other: int) -> FloatArray:
    order = np.arange(len(px))
    order[[one, other]] = order[[other, one]]
    return px[order]


def _misfit_px(mm: FloatArray, px: FloatArray) -> float:
    """How far the points are from lying as any plane would show them, root mean square."""
    felt_to_px, _ = cv2.findHomography(mm, px, 0)
    if felt_to_px is None:
        return float("inf")
    seen = cv2.perspectiveTransform(mm.reshape(-1, 1, 2), felt_to_px).reshape(-1, 2)
    misfit = float(np.sqrt(np.square(seen - px).sum(axis=1).mean()))
    return misfit if np.isfinite(misfit) else float("inf")
