"""Skewed detections are corrected by the card's own paper, and stand where no outline agrees with them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from laid_cards import card_corners, laid_on
from veedor.datasets.art import Deck
from veedor.vision.outline import refine_outline

FELT = (46, 92, 30)


def _table(cards: dict[str, np.ndarray], *, line_px: int = 0) -> np.ndarray:
    picture = np.full((240, 240, 3), FELT, np.uint8)
    if line_px:  # felt print that runs under the card
        cv2.line(picture, (0, 130), (239, 100), (200, 220, 225), line_px, cv2.LINE_AA)
    for card, corners in cards.items():
        picture = laid_on(picture, Deck(8, indexed=True).face(card), corners)
    return picture


def _fault(found: np.ndarray, truth: np.ndarray) -> float:
    side = np.linalg.norm(truth - np.roll(truth, -1, axis=0), axis=1).mean()
    return float(np.linalg.norm(found - truth, axis=1).max() / side)


@pytest.mark.parametrize("card", ["AH", "TC", "KS"])
@pytest.mark.parametrize("width_px", [30, 75])
@pytest.mark.parametrize("skew_deg", [-22, 3, 17])
def test_a_skewed_detection_is_turned_onto_the_card(
    card: str, width_px: float, skew_deg: float
) -> None:
    truth = card_corners(width_px, 25, (118, 121))
    skewed = card_corners(width_px * 1.06, 25 + skew_deg, (119, 120))
    found = refine_outline(_table({card: truth}, line_px=width_px // 15), skewed)
    assert _fault(found, truth) < min(0.06, _fault(skewed, truth))


def test_corners_keep_their_order() -> None:
    truth = card_corners(60, 40, (120, 120))
    picture = _table({"7D": truth})
    for first in (0, 2):
        detected = np.roll(card_corners(62, 46, (120, 120)), -first, axis=0)
        assert _fault(refine_outline(picture, detected), np.roll(truth, -first, axis=0)) < 0.05


def test_a_neighbour_close_by_does_not_draw_the_outline_over() -> None:
    truth, other = card_corners(40, 0, (100, 120)), card_corners(40, 0, (143, 120))
    found = refine_outline(_table({"5S": truth, "9H": other}), card_corners(42, 6, (101, 120)))
    assert _fault(found, truth) < 0.08


def test_bare_felt_leaves_the_detection_as_it_is() -> None:
    detected = card_corners(40, 10, (120, 120))
    assert np.array_equal(refine_outline(_table({}), detected), detected)
    assert np.array_equal(refine_outline(_table({}, line_px=5), detected), detected)


def test_a_card_cut_by_the_picture_edge_raises_nothing() -> None:
    truth = card_corners(60, 0, (5, 120))
    found = refine_outline(_table({"3C": truth}), truth)
    assert found.shape == (4, 2)
    assert np.isfinite(found).all()
