"""Cards laid on a picture, with their corners."""

from __future__ import annotations

import cv2
import numpy as np

SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64)


def card_corners(width_px: float, turn_deg: float, middle: tuple[float, float]) -> np.ndarray:
    """Corners (4, 2) of a card of that width, turned clockwise about its middle."""
    card = (SQUARE - 0.5) * (width_px, width_px * 88 / 63)
    turn = np.deg2rad(turn_deg)
    return card @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + middle


def laid_on(picture: np.ndarray, face: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """The picture with a face (H, W, 4) between these corners."""
    width = float(np.linalg.norm(corners[1] - corners[0]))
    size = (round(width * 1.3), round(width * 1.3 * 88 / 63))
    small = cv2.resize(face, size, interpolation=cv2.INTER_AREA)
    source = (SQUARE * size - 0.5).astype(np.float32)
    homography = cv2.getPerspectiveTransform(source, corners.astype(np.float32))
    laid = cv2.warpPerspective(small, homography, picture.shape[1::-1])
    share = laid[..., 3:] / 255.0
    return np.round(laid[..., :3] * share + picture * (1 - share)).astype(np.uint8)
