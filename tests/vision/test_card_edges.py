"""Outlines are moved onto the border of a drawn card, in perspective, beside its own pips and neighbours."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from veedor.vision.card_edges import fit_outlines

TRUE = np.array([[150.2, 80.7], [212.5, 88.1], [204.9, 178.3], [139.4, 166.8]])


def _picture(*quads: np.ndarray, paper: int = 235, felt: int = 60) -> np.ndarray:
    image = np.full((260, 360, 3), felt, np.uint8)
    card = np.full((440, 315, 3), paper, np.uint8)
    for x, y in ((85, 100), (230, 100), (85, 340), (230, 340)):
        cv2.circle(card, (x, y), 32, (40, 30, 200), -1)
    sheet = np.array([[0, 0], [315, 0], [315, 440], [0, 440]], np.float32) - 0.5
    for quad in quads:
        matrix = cv2.getPerspectiveTransform(sheet, (quad * 4 + 1.5).astype(np.float32))
        large = cv2.resize(image, None, fx=4, fy=4, interpolation=cv2.INTER_NEAREST)
        cv2.warpPerspective(card, matrix, (1440, 1040), dst=large, borderMode=cv2.BORDER_TRANSPARENT)
        image = cv2.resize(large, (360, 260), interpolation=cv2.INTER_AREA)
    noisy = cv2.GaussianBlur(image, (0, 0), 0.8) + np.random.default_rng(0).normal(0, 3, image.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


def _rough(seed: int) -> np.ndarray:
    return (
        TRUE
        + np.random.default_rng(seed).normal(0, 2.0, 2)
        + np.random.default_rng(seed + 9).normal(0, 2, (4, 2))
    )


def _error(found: np.ndarray) -> float:
    return float(np.linalg.norm(found - TRUE, axis=1).max())


@pytest.mark.parametrize("seed", range(5))
def test_a_rough_outline_is_moved_onto_the_border(seed: int) -> None:
    rough = _rough(seed)
    found = fit_outlines(_picture(TRUE), rough[None])[0]
    assert _error(found) < 1.5
    assert _error(rough) > 1.8


def test_a_dark_card_on_a_light_cloth_as_well() -> None:
    assert _error(fit_outlines(_picture(TRUE, paper=40, felt=200), _rough(1)[None])[0]) < 1.5


def test_a_neighbour_close_by_does_not_attract_the_edge() -> None:
    beside = TRUE + np.array([70.0, 8.0])
    assert _error(fit_outlines(_picture(TRUE, beside), _rough(2)[None])[0]) < 1.5


def test_without_any_border_the_outline_stays() -> None:
    blank = np.full((260, 360, 3), 90, np.uint8)
    assert np.allclose(fit_outlines(blank, TRUE[None]), TRUE[None], atol=1e-3)


def test_no_outlines_give_none() -> None:
    assert fit_outlines(np.zeros((10, 10, 3), np.uint8), np.zeros((0, 4, 2))).shape == (0, 4, 2)
