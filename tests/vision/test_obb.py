"""Geometry of oriented boxes against hand-made cases and OpenCV's own intersection."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from veedor.vision.detections import ObjectClass
from veedor.vision.obb import (
    clockwise_short_edge_first,
    corners_from_xywhr,
    intersection_area,
    iou_matrix,
    pair_iou,
    signed_area,
    suppress_doubles,
    voted,
    xywhr_from_corners,
)

FACE, BACK, HAND = int(ObjectClass.CARD_FACE), int(ObjectClass.CARD_BACK), int(ObjectClass.HAND)


def _box(x: float, y: float, width: float, height: float, degrees: float = 0.0) -> np.ndarray:
    return corners_from_xywhr(np.array([[x, y, width, height, np.deg2rad(degrees)]]))[0]


def test_an_upright_box_has_its_corners_clockwise_from_the_top_left() -> None:
    assert _box(10, 20, 4, 6).tolist() == [[8, 17], [12, 17], [12, 23], [8, 23]]


def test_a_positive_turn_is_clockwise_as_seen() -> None:
    right_edge = _box(0, 0, 10, 2, 90)
    assert np.allclose(right_edge.mean(axis=0), 0)
    assert np.allclose(right_edge[1] - right_edge[0], [0, 10])


def test_boxes_and_corners_are_inverse() -> None:
    rng = np.random.default_rng(3)
    boxes = np.column_stack(
        [rng.uniform(0, 900, (50, 2)), rng.uniform(5, 90, (50, 2)), rng.uniform(-1.5, 1.5, 50)]
    )
    assert np.allclose(xywhr_from_corners(corners_from_xywhr(boxes)), boxes)


def test_short_edge_first_and_clockwise_whatever_the_order_given() -> None:
    card = _box(50, 50, 63, 88, 33)
    for shift in range(4):
        for order in (np.arange(4), np.arange(4)[::-1]):
            arranged = clockwise_short_edge_first(np.roll(card, shift, axis=0)[order][None])[0]
            assert np.linalg.norm(arranged[1] - arranged[0]) == pytest.approx(63)
            assert signed_area(arranged) == pytest.approx(63 * 88)


def test_shared_area_agrees_with_opencv_on_random_pairs() -> None:
    rng = np.random.default_rng(5)
    boxes = np.column_stack(
        [rng.uniform(-15, 15, (400, 2)), rng.uniform(5, 60, (400, 2)), rng.uniform(-2, 2, 400)]
    )
    first = corners_from_xywhr(boxes[:200]) + 2000.0
    second = corners_from_xywhr(boxes[200:]) + 2000.0
    shared = intersection_area(first, second)
    expected = [
        cv2.intersectConvexConvex((a - 2000).astype(np.float32), (b - 2000).astype(np.float32))[0]
        for a, b in zip(first, second, strict=True)
    ]
    assert np.allclose(shared, expected, atol=0.05)
    assert (shared > 0).any() and (shared == 0).any()


def test_iou_of_equal_half_shifted_and_apart_boxes() -> None:
    first = np.stack([_box(0, 0, 10, 10)] * 3)
    second = np.stack([_box(0, 0, 10, 10, 90), _box(5, 0, 10, 10), _box(10, 0, 10, 10)])
    assert np.allclose(pair_iou(first, second), [1.0, 1 / 3, 0.0])
    assert np.allclose(pair_iou(first[:, ::-1], second), [1.0, 1 / 3, 0.0])
    assert np.allclose(iou_matrix(first[:1], second), [[1.0, 1 / 3, 0.0]])
    assert iou_matrix(np.zeros((0, 4, 2)), second).shape == (0, 3)


def test_cards_crossed_at_right_angles_on_one_centre_both_stay() -> None:
    corners = np.stack([_box(0, 0, 31, 44), _box(0, 0, 31, 44, 90)])
    kept = suppress_doubles(corners, np.array([0.8, 0.9]), np.array([FACE, FACE]))
    assert kept.tolist() == [1, 0]


def test_a_face_and_a_back_on_one_spot_leave_the_likelier() -> None:
    corners = np.stack([_box(0, 0, 31, 44), _box(2, 1, 31, 44, 3), _box(200, 0, 31, 44)])
    kept = suppress_doubles(corners, np.array([0.5, 0.7, 0.6]), np.array([FACE, BACK, FACE]))
    assert kept.tolist() == [1, 2]


def test_a_hand_does_not_suppress_the_card_below_it() -> None:
    corners = np.stack([_box(0, 0, 31, 44), _box(0, 0, 31, 44)])
    assert len(suppress_doubles(corners, np.array([0.5, 0.9]), np.array([FACE, HAND]))) == 2


def test_a_suppressed_box_suppresses_nothing_itself() -> None:
    """A chain of cards, each a double of its neighbour only, leaves every other one."""
    corners = np.stack([_box(12.0 * step, 0, 44, 31) for step in range(4)])
    kept = suppress_doubles(corners, np.array([0.9, 0.8, 0.7, 0.6]), np.full(4, FACE))
    assert kept.tolist() == [0, 2]


def test_nothing_found_leaves_nothing() -> None:
    assert len(suppress_doubles(np.zeros((0, 4, 2)), np.zeros(0), np.zeros(0, np.int64))) == 0


def test_an_outline_is_the_mean_of_those_that_agree_on_it() -> None:
    def box(x: float, y: float, turn_deg: float = 0.0) -> np.ndarray:
        return corners_from_xywhr(np.array([[x, y, 30.0, 42.0, np.deg2rad(turn_deg)]]))[0]

    kept = np.stack([box(100, 100), box(300, 100, 60)])
    rivals = np.stack([box(100, 100), box(104, 100), box(100, 120), box(98, 102), box(300, 100, 240)])
    same = np.array([[True, True, True, False, True]] * 2)
    scores = np.array([0.9, 0.9, 0.8, 0.9, 0.5])
    middles = voted(kept, rivals, scores, same).mean(axis=1)
    # Half way to the second; the third lies elsewhere, the fourth is of another class.
    assert middles == pytest.approx(np.array([[102.0, 100.0], [300.0, 100.0]]), abs=1e-6)
    turned = np.roll(rivals[:1], 2, axis=1)  # the same box told from its opposite corner
    assert voted(kept[:1], turned, scores[:1], same[:1, :1]) == pytest.approx(
        clockwise_short_edge_first(kept[:1])
    )
    alone = voted(kept, rivals[2:3], scores[2:3], same[:, 2:3])
    assert alone == pytest.approx(clockwise_short_edge_first(kept))
