"""Labelled photographs for training: whole cards in axis-aligned boxes, by one `labels.json` a folder.

`labels.json` maps a picture's path to a list of `{"label": …, "box": [x0, y0, x1, y1]}` in pixels.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.models.errors import TrainingError

Picture = NDArray[np.uint8]
FloatArray = NDArray[np.float64]

PIECES_A_PICTURE = 4
PIECE_PX = (90, 320)
CLEAR_PX = 14.0  # room left round a labelled card, so that no shadow or corner of it is taken


@dataclass(frozen=True)
class BoxedPicture:
    """A picture file and its whole cards: `boxes_px` (n, 4) x0 y0 x1 y1, `labels` as the set names them."""

    path: Path
    boxes_px: FloatArray
    labels: tuple[str, ...]

    def read(self) -> Picture:
        image = cv2.imread(str(self.path))
        if image is None:
            raise TrainingError(f"{self.path}: not a readable picture")
        return np.asarray(image, dtype=np.uint8)


def boxed_pictures(folder: Path, part: str) -> list[BoxedPicture]:
    """The pictures of `part` (such as `train`) of a folder with `labels.json`."""
    path = folder / "labels.json"
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as fault:
        raise TrainingError(f"{path}: missing") from fault
    except ValueError as fault:
        raise TrainingError(f"{path}: not readable as JSON: {fault}") from fault
    except RecursionError:
        raise TrainingError(f"{path}: not readable as JSON: nested too deep") from None
    pictures = []
    for name in sorted(listed):
        if name.startswith(f"{part}/"):
            boxes = np.array([entry["box"] for entry in listed[name]], dtype=np.float64).reshape(-1, 4)
            labels = tuple(str(entry["label"]) for entry in listed[name])
            pictures.append(BoxedPicture(folder / name, boxes, labels))
    return pictures


def card_free_pieces(pictures: Sequence[BoxedPicture], seed: int = 0) -> list[Picture]:
    """Squares of the photographs without any labelled card: surfaces to lay drawn cards on."""
    rng = np.random.default_rng([seed, 12])
    pieces = []
    for picture in pictures:
        image = picture.read()
        height, width = image.shape[:2]
        low, high = picture.boxes_px[:, :2] - CLEAR_PX, picture.boxes_px[:, 2:] + CLEAR_PX
        found = 0
        for _ in range(60):
            side = int(rng.integers(PIECE_PX[0], min(PIECE_PX[1], height, width)))
            corner = np.array([rng.integers(width - side + 1), rng.integers(height - side + 1)])
            if not ((corner < high) & (corner + side > low)).all(axis=1).any():
                pieces.append(image[corner[1] : corner[1] + side, corner[0] : corner[0] + side].copy())
                found += 1
                if found == PIECES_A_PICTURE:
                    break
    return pieces
