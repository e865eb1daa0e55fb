"""A card across another stays; a turned second box on one card goes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from veedor.vision.card_doubles import without_turned_doubles
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.obb import corners_from_xywhr

FACE, BACK, HAND = ObjectClass.CARD_FACE, ObjectClass.CARD_BACK, ObjectClass.HAND


def _card(turn_deg: float, x: float = 100, y: float = 100) -> np.ndarray:
    return corners_from_xywhr(np.array([[x, y, 40, 56, np.deg2rad(turn_deg)]]))[0]


def _picture(*cards: tuple[np.ndarray, tuple[int, int, int]]) -> np.ndarray:
    image = np.full((200, 200, 3), (60, 90, 20), np.uint8)
    for quad, colour in cards:
        cv2.fillConvexPoly(image, np.round(quad).astype(np.int32), colour, cv2.LINE_AA)
    noisy = image + np.random.default_rng(0).normal(0, 5, image.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


def _found(*boxes: tuple[np.ndarray, float, ObjectClass]) -> Detections:
    return Detections(
        np.array([box for box, _, _ in boxes], dtype=np.float32),
        np.array([score for _, score, _ in boxes], dtype=np.float32),
        np.array([int(kind) for _, _, kind in boxes]),
    )


@pytest.mark.parametrize("turn", [45.0, 70.0, 90.0])
def test_a_turned_second_box_on_one_card_goes(turn: float) -> None:
    image = _picture((_card(0), (240, 240, 240)))
    kept = without_turned_doubles(image, _found((_card(0), 0.8, FACE), (_card(turn), 0.6, FACE)))
    assert kept.scores.tolist() == pytest.approx([0.8])


def test_a_turned_box_goes_even_if_it_scored_higher() -> None:
    image = _picture((_card(0), (240, 240, 240)))
    kept = without_turned_doubles(image, _found((_card(0), 0.7, FACE), (_card(60), 0.8, FACE)))
    assert kept.scores.tolist() == pytest.approx([0.7])


@pytest.mark.parametrize("colour", [(240, 240, 240), (60, 40, 180)])
def test_a_card_under_a_crossed_one_stays(colour: tuple[int, int, int]) -> None:
    image = _picture((_card(90), colour), (_card(0), (240, 240, 240)))
    assert len(without_turned_doubles(image, _found((_card(0), 0.8, FACE), (_card(90), 0.6, BACK)))) == 2


def test_a_card_half_under_another_stays() -> None:
    lower = _card(20, 118, 104)
    image = _picture((lower, (235, 240, 240)), (_card(0), (240, 240, 240)))
    assert len(without_turned_doubles(image, _found((_card(0), 0.9, FACE), (lower, 0.5, FACE)))) == 2


def test_a_hand_over_a_card_is_not_asked() -> None:
    image = _picture((_card(0), (240, 240, 240)))
    assert len(without_turned_doubles(image, _found((_card(0), 0.8, FACE), (_card(45), 0.6, HAND)))) == 2
