from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from printed_felts import LAYOUT, SIZE, error_mm, overhead, printed_felt
from veedor.vision import registration_search
from veedor.vision.camera import look_at
from veedor.vision.felt_lines import look_at_felt, printed_lines
from veedor.vision.registration import Doubt, half_turned, register
from veedor.vision.registration_fit import FineFit, RoughFit, changed, project


@pytest.mark.parametrize("turned", [False, True])
def test_a_camera_is_found_from_the_lines_whichever_way_the_table_stands(turned: bool) -> None:
    truth = overhead(turned=turned)
    found = register(printed_felt(truth), LAYOUT)
    assert found.certain and found.camera is not None
    assert error_mm(found.camera, truth) < 3.0
    assert found.error_mm is not None and found.error_mm < 2.0


def test_a_picture_without_lines_gives_a_doubt_and_no_camera() -> None:
    found = register(np.full((SIZE[1], SIZE[0], 3), 90, np.uint8), LAYOUT)
    assert not found.certain and found.camera is None and found.doubt is Doubt.NO_LINES


def test_a_table_of_another_print_is_not_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half the bands elsewhere, the middle moved: close enough to try, too far to claim."""
    monkeypatch.setattr(registration_search, "VIEWS", registration_search.VIEWS[:1])
    other = replace(
        LAYOUT,
        zones=tuple(
            replace(zone, polygon_mm=zone.polygon_mm * (0.8, 0.72) + (60.0, 55.0)) for zone in LAYOUT.zones
        ),
        lines=tuple(replace(line, points_mm=line.points_mm * (1.0, 0.6)) for line in LAYOUT.lines),
    )
    assert not register(printed_felt(overhead(), other), LAYOUT).certain


def test_slanting_cameras_are_drawn_from_a_rough_guess_to_the_lines() -> None:
    truth = look_at(
        SIZE,
        focal_px=1000.0,
        position_mm=np.array([300.0, -2100.0, 2300.0]),
        target_mm=np.array([0.0, -60.0, 0.0]),
        distortion=(-0.05, 0.005, 0.0, 0.0, 0.0),
    )
    image = printed_felt(truth)
    rough = changed(truth, np.array([0.01, -0.012, 0.012, 25.0, -20.0, 60.0, 0.05, 0.05, 0.0]))
    assert error_mm(rough, truth) > 40
    nearer = RoughFit(look_at_felt(image), printed_lines(LAYOUT, 20.0)).fit(rough)
    camera = FineFit(image, printed_lines(LAYOUT)).fit(nearer)
    assert error_mm(camera, truth) < 3.0


def test_slopes_say_how_pixels_move() -> None:
    camera = overhead()
    lines = printed_lines(LAYOUT, 100.0)
    seen = project(camera, lines)
    for unknown, size in enumerate((1e-5, 1e-5, 1e-5, 0.01, 0.01, 0.01, 1e-5, 1e-4, 1e-4)):
        step = np.zeros(9)
        step[unknown] = size
        moved = project(changed(camera, step), lines).pixels - seen.pixels
        assert np.allclose(moved, seen.slopes[:, :, unknown] * size, atol=2e-4)


def test_the_other_way_round_is_the_same_oval_and_another_table() -> None:
    camera = overhead()
    turned = half_turned(camera)
    assert np.allclose(
        turned.project(np.array([[-300.0, 200.0]])), camera.project(np.array([[300.0, -200.0]]))
    )


def test_each_line_is_printed_once_and_none_along_the_rail() -> None:
    lines = printed_lines(LAYOUT)
    assert len(lines) == len(lines.pieces) and lines.pieces.max() == lines.piece_count - 1
    assert np.abs(lines.places_mm[:, 1]).max() < 680
    half = np.abs(lines.places_mm - (-600.0, 560.0)).max(axis=1) < 5.01
    assert half.sum() <= 1  # where the bet's border and the half line are one
