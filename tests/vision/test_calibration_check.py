from __future__ import annotations

import cv2
import numpy as np
import pytest
from table_scenes import table
from veedor.vision.calibration_check import PRINTED, CalibrationCheck

TABLE = table()


def felt(*, noise: float = 4.0) -> np.ndarray:
    """A felt with its printed lines, seen by the table's camera."""
    assert TABLE.camera is not None
    image = np.full((1080, 1920, 3), (60, 92, 20), np.uint8)
    for zone in TABLE.layout.zones:
        if zone.kind in PRINTED:
            outline = np.round(TABLE.camera.project(zone.polygon_mm)).astype(np.int32)
            cv2.polylines(image, [outline], True, (150, 205, 226), 5, cv2.LINE_AA)
    rng = np.random.default_rng(0)
    return np.clip(image + rng.normal(0, noise, image.shape), 0, 255).astype(np.uint8)


def check() -> CalibrationCheck:
    assert TABLE.camera is not None
    return CalibrationCheck(TABLE.layout, TABLE.camera)


@pytest.mark.parametrize("shift", [(0, 0), (4, 0), (0, -7), (-6, 8)])
def test_a_nudged_camera_is_noticed(shift: tuple[int, int]) -> None:
    matrix = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float32)
    moved = cv2.warpAffine(felt(), matrix, (1920, 1080))
    assert check().shift_px(moved) == pytest.approx(np.hypot(*shift), abs=1.0)


def test_a_picture_without_lines_says_nothing() -> None:
    assert check().shift_px(np.full((1080, 1920, 3), 70, np.uint8)) is None
    noise = np.random.default_rng(1).integers(0, 255, (1080, 1920, 3), dtype=np.uint8)
    assert check().shift_px(noise) is None


def test_a_covered_half_does_not_mislead() -> None:
    picture = felt()
    picture[:, :900] = 90
    assert check().shift_px(picture) == pytest.approx(0.0, abs=1.0)
