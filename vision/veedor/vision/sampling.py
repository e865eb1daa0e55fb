"""A picture's values at points between its pixels."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

_WIDE = 256  # a single row or column of very many points is more than OpenCV takes


def sampled(
    plane: NDArray[np.generic], points: NDArray[np.floating], how: int = cv2.INTER_LINEAR
) -> NDArray[np.generic]:
    """Values of a picture (h, w) or (h, w, c) at points (..., 2); beyond its border those at the border."""
    flat = points.reshape(-1, 2).astype(np.float32)
    if not len(flat):
        return np.zeros((*points.shape[:-1], *plane.shape[2:]), plane.dtype)
    padded = np.zeros((-(-len(flat) // _WIDE) * _WIDE, 2), np.float32)
    padded[: len(flat)] = flat
    grid = padded.reshape(-1, _WIDE, 2)
    found = cv2.remap(plane, grid[..., 0], grid[..., 1], how, borderMode=cv2.BORDER_REPLICATE)
    rows = found.reshape(-1, *plane.shape[2:])[: len(flat)]
    return np.asarray(rows.reshape(*points.shape[:-1], *plane.shape[2:]))


def colours_at(image: NDArray[np.uint8], points: NDArray[np.floating]) -> NDArray[np.float64]:
    """Colours (..., 3) BGR at points (..., 2) of a picture."""
    return np.asarray(sampled(image, points), np.float64)
