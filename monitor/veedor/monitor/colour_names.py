"""Plain names for the colours of chips and card backs."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

# Upper hue bound of each name, OpenCV's half degrees.
_HUES = (
    (9, "red"),
    (21, "orange"),
    (34, "yellow"),
    (84, "green"),
    (129, "blue"),
    (150, "purple"),
    (169, "pink"),
)
_DARK, _GREY_SATURATION, _WHITE = 55, 45, 175


def colour_name(rgb: tuple[int, int, int] | NDArray[np.integer]) -> str:
    """The nearest everyday name of a colour of 0..255."""
    pixel = np.asarray(rgb, np.uint8).reshape(1, 1, 3)
    hue, saturation, value = (int(part) for part in cv2.cvtColor(pixel, cv2.COLOR_RGB2HSV)[0, 0])
    if value < _DARK:
        return "black"
    if saturation < _GREY_SATURATION:
        return "white" if value >= _WHITE else "grey"
    return next((name for bound, name in _HUES if hue <= bound), "red")


def colour_within(image_bgr: NDArray[np.uint8], corners_px: NDArray[np.floating], share: float) -> str:
    """The commonest named colour in the middle `share` of a quadrangle (4, 2) of a picture."""
    middle = corners_px.mean(axis=0)
    inner = np.round(middle + (corners_px - middle) * share).astype(np.int32)
    left, top, width, height = cv2.boundingRect(inner.reshape(-1, 1, 2))
    left, top = max(left, 0), max(top, 0)
    part = image_bgr[top : top + height, left : left + width]
    if part.size == 0:
        return "grey"
    mask = np.zeros(part.shape[:2], np.uint8)
    cv2.fillPoly(mask, [(inner - (left, top)).reshape(-1, 1, 2)], 255)
    pixels = part[mask > 0]
    if not len(pixels):
        return "grey"
    names, counts = np.unique(
        [colour_name(pixel[::-1]) for pixel in pixels[:: max(1, len(pixels) // 200)]], return_counts=True
    )
    return str(names[counts.argmax()])
