"""Flat training pictures: the same for a seed, their boxes on what was drawn."""

from __future__ import annotations

import numpy as np
from veedor.models.composites import SIDE_PX, composite
from veedor.models.detector_tiles import share_inside
from veedor.vision.detections import ObjectClass


def test_a_seed_gives_the_same_picture() -> None:
    first, second = composite(5), composite(5)
    assert np.array_equal(first.image, second.image)
    assert np.array_equal(first.corners_px, second.corners_px)


def test_pictures_hold_cards_and_chips_that_are_mostly_in_view() -> None:
    kinds: set[int] = set()
    for seed in range(6):
        made = composite(seed)
        assert made.image.shape == (SIDE_PX, SIDE_PX, 3)
        assert len(made.corners_px) == len(made.class_ids)
        kinds |= set(made.class_ids.tolist())
        if len(made.corners_px):
            assert (share_inside(made.corners_px, SIDE_PX) > 0.2).all()
    assert {ObjectClass.CARD_FACE, ObjectClass.CARD_BACK, ObjectClass.CHIP_STACK} <= kinds


def test_photographs_serve_as_surfaces() -> None:
    grass = np.zeros((200, 200, 3), np.uint8)
    grass[..., 1] = 200
    greens = [composite(seed, [grass]).image[..., 1].mean() for seed in range(4)]
    assert greens != [composite(seed).image[..., 1].mean() for seed in range(4)]
