"""A slanting camera's felt, straightened: places go there and back, and a card has its true shape."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from veedor.vision.camera import Camera, look_at
from veedor.vision.motion import Region
from veedor.vision.straight_view import StraightView, slant_deg

OUTLINE = np.array([(-1400.0, -700.0), (1400.0, -700.0), (1400.0, 700.0), (-1400.0, 700.0)])


def camera(slant: float, size: tuple[int, int] = (1280, 720)) -> Camera:
    height, way = 2600.0, np.deg2rad(slant)
    return look_at(
        size,
        focal_px=size[0] * 0.75,
        position_mm=np.array([0.0, -height * np.tan(way), height]),
        target_mm=np.zeros(3),
        distortion=(-0.06, 0.0, 0.0, 0.0, 0.0),
    )


@pytest.mark.parametrize("slant", [0.0, 12.0, 38.0])
def test_the_slant_is_measured_from_straight_above(slant: float) -> None:
    assert slant_deg(camera(slant)) == pytest.approx(slant, abs=1e-6)


@pytest.mark.parametrize("size", [(1920, 1080), (3840, 2160)])
def test_a_card_aslant_is_straight_at_its_size_and_its_corners_go_back(size: tuple[int, int]) -> None:
    seen = camera(40.0, size)
    card_mm = np.array([(300.0, 244.0), (363.0, 244.0), (363.0, 156.0), (300.0, 156.0)])
    corners_px = seen.project(card_mm)
    image = np.full((size[1], size[0], 3), 60, np.uint8)
    cv2.fillConvexPoly(image, np.round(corners_px * 16).astype(np.int32), (250, 250, 250), cv2.LINE_AA, 4)
    view = StraightView(seen, OUTLINE, 0.5)
    straight, begins = view.crop(image, Region(0, 0, *size))
    found = np.argwhere(straight[:, :, 0] > 155)
    assert np.ptp(found, axis=0) + 1 == pytest.approx((44, 31.5), abs=3.0)
    box = np.array([[(x, y) for x, y in ((0, 0), (31.5, 0), (31.5, 44), (0, 44))]], np.float32)
    box += found.min(axis=0)[::-1].astype(np.float32) - 0.5
    assert view.to_picture(box, begins)[0] == pytest.approx(corners_px, abs=2.0 * size[0] / 1280)


def test_a_region_gives_its_own_part_of_the_view() -> None:
    seen = camera(35.0)
    view = StraightView(seen, OUTLINE, 0.5)
    image = np.random.default_rng(3).integers(0, 255, (720, 1280, 3), np.uint8)
    whole, start = view.crop(image, Region(0, 0, 1280, 720))
    part, begins = view.crop(image, Region(500, 300, 700, 420))
    x, y = begins[0] - start[0], begins[1] - start[1]
    assert (whole[y : y + part.shape[0], x : x + part.shape[1]] == part).all()
    centre = seen.to_felt(np.array([[600.0, 360.0]]))[0]
    back = view.to_picture(np.full((1, 4, 2), [(p / 2) for p in part.shape[1::-1]], np.float32), begins)
    assert np.linalg.norm(seen.to_felt(back[0, :1].astype(np.float64))[0] - centre) < 60.0


def test_nothing_found_is_nothing_in_the_picture() -> None:
    view = StraightView(camera(35.0), OUTLINE, 0.5)
    assert view.to_picture(np.zeros((0, 4, 2), np.float32), (0, 0)).shape == (0, 4, 2)
