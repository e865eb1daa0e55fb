"""Looks at one picture in several scales become one answer: no parts, no doubles, nothing of odd size."""

from __future__ import annotations

import numpy as np
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.detector import merge_looks, scales_for
from veedor.vision.obb import corners_from_xywhr

FACE, CHIP, HAND = int(ObjectClass.CARD_FACE), int(ObjectClass.CHIP_STACK), int(ObjectClass.HAND)
SCALES = [0.25, 0.4, 0.64]


def _look(*boxes: tuple[float, float, float, float, float, int]) -> Detections:
    """Boxes (x, y, short side, degrees, score, class), in the full picture's pixels."""
    if not boxes:
        return Detections.empty()
    values = np.array([[x, y, side, side * 88 / 63, np.deg2rad(turn)] for x, y, side, turn, _, _ in boxes])
    return Detections(
        corners_from_xywhr(values).astype(np.float32),
        np.array([box[4] for box in boxes], dtype=np.float32),
        np.array([box[5] for box in boxes]),
    )


def test_a_card_seen_in_two_looks_is_one_card() -> None:
    merged = merge_looks(
        [_look(), _look((200, 200, 90, 0, 0.8, FACE)), _look((205, 198, 88, 4, 0.9, FACE))], SCALES
    )
    assert len(merged) == 1


def test_a_court_figure_taken_for_a_card_in_a_close_look_is_dropped() -> None:
    whole, part = (200, 200, 90, 0, 0.8, FACE), (195, 190, 36, 0, 0.9, FACE)
    other = (500, 200, 92, 20, 0.85, FACE)
    merged = merge_looks([_look(), _look(whole, other), _look(part, other)], SCALES)
    assert sorted(np.round(merged.corners_px.mean(axis=1)[:, 0]).tolist()) == [200, 500]


def test_a_box_of_several_cards_in_a_distant_look_is_dropped() -> None:
    cards = [(200 + 110 * step, 200, 90, 0, 0.8, FACE) for step in range(3)]
    merged = merge_looks([_look((310, 200, 250, 90, 0.9, FACE)), _look(*cards), _look(*cards)], SCALES)
    assert len(merged) == 3


def test_overlapping_cards_seen_together_stay_two() -> None:
    both = (200, 200, 90, 0, 0.8, FACE), (240, 215, 90, 30, 0.85, FACE)
    assert len(merge_looks([_look(), _look(*both), _look(*both)], SCALES)) == 2


def test_hands_and_chips_are_kept_beside_cards() -> None:
    seen = (200, 200, 90, 0, 0.8, FACE), (400, 200, 60, 0, 0.7, CHIP), (300, 400, 200, 0, 0.6, HAND)
    merged = merge_looks([_look(), _look(*seen), _look()], SCALES)
    assert sorted(merged.class_ids.tolist()) == [FACE, CHIP, HAND]


def test_without_a_card_all_looks_count() -> None:
    merged = merge_looks(
        [_look((400, 200, 120, 0, 0.7, CHIP)), _look(), _look((100, 90, 40, 0, 0.7, CHIP))], SCALES
    )
    assert len(merged) == 2


def test_nothing_seen_is_nothing() -> None:
    assert len(merge_looks([_look(), _look(), _look()], SCALES)) == 0


def test_scales_span_the_picture_and_do_not_enlarge_much() -> None:
    scales = scales_for((1280, 800))
    assert scales == sorted(scales)
    assert 1 <= scales[-1] <= 1.5
    assert scales_for((40, 30)) == [1.0]
