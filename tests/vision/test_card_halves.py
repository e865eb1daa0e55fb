from __future__ import annotations

import numpy as np
import pytest
from table_scenes import camera
from veedor.vision.card_halves import halves_joined, is_part_of
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.footprints import felt_quads

CAMERA = camera()


def box(x: float, y: float, wide: float, long: float, turn_deg: float = 0.0) -> np.ndarray:
    """Corners (4, 2) in mm; `long` along y before the turn."""
    turn = np.deg2rad(turn_deg)
    ways = np.array([(np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))])
    corners = np.array([(-wide, -long), (wide, -long), (wide, long), (-wide, long)]) / 2
    return corners @ ways + (x, y)


def found(*boxes: np.ndarray, scores: tuple[float, ...] = (0.8, 0.7)) -> tuple[Detections, np.ndarray]:
    corners = np.array([CAMERA.project(each) for each in boxes], np.float32)
    kinds = np.full(len(boxes), int(ObjectClass.CARD_BACK))
    seen = Detections(corners, np.array(scores[: len(boxes)], np.float32), kinds)
    return seen, felt_quads(CAMERA, seen.corners_px)


@pytest.mark.parametrize("turn", [0.0, 35.0, 90.0])
def test_two_halves_of_a_card_are_one(turn: float) -> None:
    ways = np.array([-np.sin(np.deg2rad(turn)), np.cos(np.deg2rad(turn))])
    middles = [np.array([680.0, 4.0]) + ways * off for off in (14.0, -18.0)]
    halves = [box(*middle, 66.0, long, turn) for middle, long in zip(middles, (60.0, 51.0), strict=True)]
    joined, quads = halves_joined(CAMERA, *found(*halves))
    assert len(joined) == len(quads) == 1 and joined.scores[0] == pytest.approx(0.8)
    whole = box(680 + ways[0] * 0.25, 4 + ways[1] * 0.25, 66.0, 87.5, turn)
    assert np.linalg.norm(quads[0].mean(axis=0) - whole.mean(axis=0)) < 1.0
    again = felt_quads(CAMERA, joined.corners_px)[0]
    near = np.linalg.norm(again[:, None] - whole[None], axis=2)
    assert near.min(axis=0).max() < 2.0


@pytest.mark.parametrize(
    "other",
    [
        box(747, 0, 63, 88),  # beside it, as cards of a hand lie
        box(680, 30, 63, 88),  # half over it
        box(710, 0, 63, 88),
        box(680, 0, 63, 88, 60),  # across it
        box(680, 62, 66, 51),  # the near half of another
    ],
)
def test_two_cards_are_two(other: np.ndarray) -> None:
    joined, _ = halves_joined(CAMERA, *found(box(680, 0, 63, 88), other))
    assert len(joined) == 2


def test_a_part_of_a_card_is_told_from_another_card_on_it() -> None:
    place = np.array([680.0, 4.0])
    assert is_part_of(box(681, -18, 60, 49, 20), place, 90.0)  # an end of it, a little turned
    assert is_part_of(box(680, 18, 64, 60), place, 90.0)
    assert not is_part_of(box(680, 4, 63, 88, 90), place, 90.0)  # another across it
    assert not is_part_of(box(680, 34, 63, 88), place, 90.0)
    assert not is_part_of(box(680, 60, 60, 49), place, 90.0)  # an end of one beyond it
