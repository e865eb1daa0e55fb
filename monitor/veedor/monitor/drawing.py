"""Outlines of recognised objects on a picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.labelled import on_resized
from veedor.vision.detections import ObjectClass
from veedor.vision.frames import Image

# BGR, bright enough to stand out from green, blue and red felts alike.
_COLOURS: dict[ObjectClass, tuple[int, int, int]] = {
    ObjectClass.CARD_FACE: (120, 255, 140),
    ObjectClass.CARD_BACK: (255, 200, 90),
    ObjectClass.CHIP_STACK: (60, 190, 255),
    ObjectClass.PLAQUE: (60, 190, 255),
    ObjectClass.HAND: (200, 170, 255),
    ObjectClass.PALA: (190, 190, 190),
    ObjectClass.CUT_CARD: (80, 80, 255),
    ObjectClass.SHOE: (190, 190, 190),
}
_QUIET = frozenset({ObjectClass.HAND, ObjectClass.PALA, ObjectClass.SHOE})
_INK = (18, 20, 22)
_REFERENCE_WIDTH_PX = 1280  # a picture of this width gets lines of two pixels and text 15 px high


@dataclass(frozen=True)
class Outline:
    """One object on a picture: `corners_px` (4, 2) in that picture, and what to write beside it."""

    kind: ObjectClass
    corners_px: NDArray[np.float32]
    label: str = ""


def outlined(image: Image, outlines: Iterable[Outline], *, width_px: int | None = None) -> Image:
    """A copy of a BGR picture, shrunk to `width_px` if it is wider, with the outlines drawn in."""
    ratio = 1.0 if width_px is None else min(1.0, width_px / image.shape[1])
    if ratio < 1.0:
        size = (round(image.shape[1] * ratio), round(image.shape[0] * ratio))
        # Shrunk by less than half nothing is lost between the pixels, in a fifth of the time.
        how = cv2.INTER_LINEAR if ratio > 0.5 else cv2.INTER_AREA
        canvas = np.asarray(cv2.resize(image, size, interpolation=how), np.uint8)
    else:
        canvas = image.copy()
    unit = max(canvas.shape[1] / _REFERENCE_WIDTH_PX, 0.5)
    for outline in sorted(outlines, key=lambda each: each.kind not in _QUIET):
        corners = on_resized(outline.corners_px, ratio)
        colour = _COLOURS[outline.kind]
        thickness = max(1, round((1 if outline.kind in _QUIET else 2) * unit))
        points = np.round(corners * 8).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(canvas, [points], True, colour, thickness, cv2.LINE_AA, shift=3)
        if outline.label:
            _write(canvas, outline.label, corners, colour, unit)
    return canvas


def _write(
    canvas: Image, label: str, corners: NDArray[np.float64], colour: tuple[int, int, int], unit: float
) -> None:
    font, scale = cv2.FONT_HERSHEY_SIMPLEX, 0.5 * unit
    (width, height), _ = cv2.getTextSize(label, font, scale, 1)
    pad = round(3 * unit)
    left = int(np.clip(corners[:, 0].mean() - width / 2, 0, max(0, canvas.shape[1] - width - 2 * pad)))
    bottom = int(np.clip(corners[:, 1].min() - pad, height + 2 * pad, canvas.shape[0]))
    cv2.rectangle(canvas, (left, bottom - height - 2 * pad), (left + width + 2 * pad, bottom), colour, -1)
    place = (left + pad, bottom - pad)
    cv2.putText(canvas, label, place, font, scale, _INK, max(1, round(unit)), cv2.LINE_AA)


def jpeg(image: Image, quality: int) -> bytes:
    """The picture as a JPEG file; the same bytes for the same picture."""
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert done, "OpenCV encodes any 8-bit BGR picture as JPEG"
    return bytes(data)
