"""Words as printed on felt, with the Spanish letters that the drawing library's fonts lack."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

FONT_SCALE = 4.0


def stamp(text: str, font: int, weight: float) -> NDArray[np.uint8]:
    """A word as coverage (h, w) 0..255, cut to its letters; `weight` = stroke width / letter height."""
    plain = text.replace("Ñ", "N").replace("Á", "A")
    (_, tall), _ = cv2.getTextSize("N", font, FONT_SCALE, 1)
    thickness = max(1, round(tall * weight))
    (wide, high), base = cv2.getTextSize(plain, font, FONT_SCALE, thickness)
    pad = 20 + thickness
    room = high // 2
    image = np.zeros((high + base + 2 * pad + room, wide + 2 * pad), np.uint8)
    cv2.putText(image, plain, (pad, pad + room + high), font, FONT_SCALE, 255, thickness, cv2.LINE_AA)
    for place, letter in enumerate(text):
        if letter != "Ñ":
            continue
        alone = np.zeros_like(image)
        cv2.putText(
            alone, plain[: place + 1], (pad, pad + room + high), font, FONT_SCALE, 255, thickness, cv2.LINE_AA
        )
        right = int(np.flatnonzero(alone.any(axis=0))[-1])
        single = np.zeros_like(image)
        cv2.putText(single, "N", (pad, pad + room + high), font, FONT_SCALE, 255, thickness, cv2.LINE_AA)
        ink = np.flatnonzero(single.any(axis=0))
        wide_n, top = int(ink[-1] - ink[0]), int(np.flatnonzero(single.any(axis=1))[0])
        x = np.linspace(right - wide_n * 0.8, right - wide_n * 0.2, 12)
        y = top - tall * 0.2 - np.sin(np.linspace(-np.pi, np.pi, 12)) * tall * 0.07
        points = np.round(np.column_stack([x, y])).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(image, [points], False, 255, max(1, thickness * 3 // 4), cv2.LINE_AA)
    rows, columns = np.flatnonzero(image.any(axis=1)), np.flatnonzero(image.any(axis=0))
    return image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
