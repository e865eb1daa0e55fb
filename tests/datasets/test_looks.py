"""Looks of the two splits have nothing in common, and cameras show whole tables."""

from __future__ import annotations

import colorsys

import numpy as np
import pytest
from veedor.datasets.errors import DatasetError
from veedor.datasets.looks import DECK_SEEDS, FELTS, random_look


def hue_and_saturation(rgb: tuple[int, int, int]) -> tuple[float, float]:
    hue, saturation, _ = colorsys.rgb_to_hsv(*(part / 255 for part in rgb))
    return hue * 360, saturation


def test_the_same_seed_gives_the_same_look() -> None:
    first, camera = random_look(5, "play")
    again, same = random_look(5, "play")
    assert first.felt_rgb == again.felt_rgb
    assert first.chips == again.chips
    assert (camera.matrix == same.matrix).all()
    assert random_look(6, "play")[0].deck_seed != first.deck_seed


def test_splits_share_no_deck_and_no_felt() -> None:
    assert max(DECK_SEEDS["train"]) <= min(DECK_SEEDS["play"])
    for play in FELTS["play"]:
        for train in FELTS["train"]:
            if train.saturation[1] < play.saturation[0]:  # a grey felt has no hue
                continue
            apart = train.hue[1] < play.hue[0] or play.hue[1] < train.hue[0]
            wrapped = (play.hue[0] - 360 > train.hue[1]) or (play.hue[1] - 360 < train.hue[0])
            assert apart and wrapped, (train, play)
    decks = {split: {random_look(seed, split)[0].deck_seed for seed in range(40)} for split in DECK_SEEDS}
    assert not decks["train"] & decks["play"]


@pytest.mark.parametrize("seed", range(101, 111))
def test_a_play_camera_shows_the_whole_table(seed: int) -> None:
    look, camera = random_look(seed, "play")
    pixels = camera.project(look.layout.outline_mm)
    assert (pixels > 0).all()
    assert (pixels < np.array([1920, 1080])).all()
    assert 0.5 < camera.px_per_mm() < 0.75  # a card about 39 x 54 px
    down = camera.rotation[2] @ np.array([0.0, 0.0, -1.0])
    assert np.rad2deg(np.arccos(down)) < 27


def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(DatasetError, match="expected split"):
        random_look(1, "exam")  # type: ignore[arg-type]
