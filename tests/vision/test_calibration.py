from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from printed_felts import LAYOUT, SIZE, error_mm, overhead, printed_felt
from veedor.vision.calibration import (
    camera_from_points,
    checked,
    felt_error_mm,
    landmarks,
    named,
    reference_points,
)
from veedor.vision.errors import VisionError
from veedor.vision.table import ReferencePoint, Table, reprojection_error_mm

TRUTH = overhead()


def clicked(count: int, *, noise_px: float = 0.0, seed: int = 5) -> tuple[ReferencePoint, ...]:
    rng = np.random.default_rng(seed)
    points = reference_points(LAYOUT)
    names = rng.permutation(list(points))[:count]
    pixels = TRUTH.project(np.array([points[name] for name in names])) + rng.normal(0, noise_px, (count, 2))
    return named(
        {str(name): (float(x), float(y)) for name, (x, y) in zip(names, pixels, strict=True)}, LAYOUT
    )


def test_clicked_points_give_the_camera_with_its_lens() -> None:
    points = clicked(20)
    camera = camera_from_points(points, SIZE)
    assert error_mm(camera, TRUTH) < 2.0
    assert (reprojection_error_mm(camera, points) or 0) < 0.5


def test_the_error_of_clicks_is_told() -> None:
    points = clicked(16, noise_px=1.0)
    camera = camera_from_points(points, SIZE)
    assert 1.0 < (reprojection_error_mm(camera, points) or 0) < 8.0


@pytest.mark.parametrize("count", [8, 12, 20])
def test_the_error_over_the_felt_is_what_is_to_be_expected_of_such_clicks(count: int) -> None:
    known, ratios = reference_points(LAYOUT), []
    places = np.array(list(known.values()))
    for seed in range(12):
        points = clicked(count, noise_px=1.0, seed=seed)
        camera = camera_from_points(points, SIZE)
        shown = TRUTH.project(places)
        in_picture = ((shown > 0) & (shown < np.array(SIZE))).all(axis=1)
        off = np.linalg.norm(camera.to_felt(shown[in_picture]) - places[in_picture], axis=1)
        rms, worst = felt_error_mm(camera, points, LAYOUT)
        assert rms < worst and off.max() < 3 * worst
        ratios.append(float(np.sqrt(np.square(off).mean())) / rms)
    assert 0.5 < np.median(ratios) < 1.5


@pytest.mark.parametrize(
    ("points", "told"),
    [
        (clicked(3), "at least 4 points"),
        (
            tuple(
                ReferencePoint(str(x), (x, 100.0), (x / 3 + 400, 200.0)) for x in (0.0, 100.0, 200.0, 500.0)
            ),
            "on one line",
        ),
    ],
)
def test_points_that_tell_no_camera_are_refused(points: tuple[ReferencePoint, ...], told: str) -> None:
    with pytest.raises(VisionError, match=told):
        camera_from_points(points, SIZE)


def test_a_name_that_the_layout_has_not_is_refused_with_those_it_has() -> None:
    with pytest.raises(VisionError, match=r"no point 'P1.hand:middle'; there are: P1.hand:bottom-left"):
        named({"P1.hand:middle": (1.0, 2.0)}, LAYOUT)


def test_corners_are_named_as_the_croupier_sees_them() -> None:
    points = reference_points(LAYOUT)
    assert points["P1.hand:top-left"] == (-880.0, 120.0)
    assert points["P2.hand:bottom-right"] == (880.0, -120.0)


def test_landmarks_are_measured_in_the_picture() -> None:
    image = printed_felt(TRUTH)
    points = landmarks(image, LAYOUT, TRUTH)
    assert len(points) > 25
    assert 0.0 < (reprojection_error_mm(TRUTH, points) or 0) < 1.5
    again = camera_from_points(points, SIZE)
    assert error_mm(again, TRUTH) < 4.0


def test_a_check_tells_a_good_calibration_from_a_moved_one() -> None:
    image = printed_felt(TRUTH)
    table = Table("t", "T", "dos-panos-limitada", LAYOUT, camera=TRUTH, reference_points=clicked(8))
    good = checked(image, table)
    assert good.error_mm is not None and good.error_mm < 1.0 and good.support > 0.8
    moved = checked(np.roll(image, 3, axis=0), table)
    assert moved.error_mm is not None and moved.error_mm > 3.0
    lost = checked(np.roll(image, 60, axis=0), table)
    assert lost.error_mm is None or lost.error_mm > 3.0
    with pytest.raises(VisionError, match="960 x 540, found 100 x 80"):
        checked(np.zeros((80, 100, 3), np.uint8), table)
    with pytest.raises(VisionError, match="no calibration"):
        checked(image, replace(table, camera=None))
