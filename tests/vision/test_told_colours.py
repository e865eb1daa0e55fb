"""Chips of which only the colours' names are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import table_scenes
from veedor.vision.chip_colours import ChipColours, disc_points
from veedor.vision.table import ChipType
from veedor.vision.told_colours import CENTRE, ToldColours, are_told

TOLD = {
    "white": (235, 235, 230),
    "red": (190, 30, 35),
    "blue": (35, 70, 160),
    "green": (30, 120, 60),
    "purple": (100, 45, 130),
    "black": (30, 30, 32),
}
CHIPS = tuple(ChipType(name, value, colour) for value, (name, colour) in enumerate(TOLD.items(), 1))
WHITE, AMBER, CREAM = (244, 242, 236), (225, 160, 60), (230, 222, 200)


def named(pixels: np.ndarray) -> str:
    scores = ToldColours(CHIPS).scores(pixels, np.hypot(*disc_points().T))
    return CHIPS[int(scores.argmax())].name


def top(
    body: tuple[int, int, int], spots: tuple[int, int, int], share: float = 0.32, label: float = 0.0
) -> np.ndarray:
    """Pixels (m, 3) BGR of a top as the reader takes them: ground, spots, a cream middle, all blurred.

    `share` of the rim are spots; a white label reaches to `label` of the radius.
    """
    points = disc_points()
    turns = (np.arctan2(points[:, 1], points[:, 0]) / (2 * np.pi) * 6) % 1.0
    in_spot = np.clip((share - np.abs(turns - 0.5) * 2 + 0.1) / 0.2, 0, 1)[:, None]
    colours = np.array(body) * (1 - in_spot) + np.array(spots) * in_spot
    colours[np.hypot(*points.T) < label] = WHITE
    colours[np.hypot(*points.T) < CENTRE] = CREAM
    noisy = colours + np.random.default_rng(3).normal(0, 6, colours.shape)
    return np.clip(noisy, 0, 255)[:, ::-1]


@pytest.mark.parametrize(
    ("name", "body", "spots"),
    [
        ("white", (222, 214, 205), (178, 40, 48)),
        ("white", (238, 236, 230), (30, 60, 150)),
        ("red", (206, 88, 92), WHITE),
        ("red", (150, 22, 30), WHITE),
        ("blue", (70, 128, 205), WHITE),
        ("blue", (40, 62, 120), AMBER),
        ("green", (70, 150, 98), WHITE),
        ("green", (24, 84, 52), AMBER),
        ("purple", (128, 84, 160), AMBER),
        ("purple", (86, 40, 110), WHITE),
        ("black", (44, 44, 48), AMBER),
        ("black", (22, 24, 22), WHITE),
    ],
)
@pytest.mark.parametrize("light", [1.0, 0.6])
def test_a_told_colour_is_known_though_the_plastic_is_paler_or_darker(
    name: str, body: tuple[int, int, int], spots: tuple[int, int, int], light: float
) -> None:
    assert named(top(body, spots) * light) == name


@pytest.mark.parametrize(
    ("name", "body"), [("blue", (40, 90, 190)), ("green", (40, 130, 80)), ("black", (32, 32, 36))]
)
def test_a_white_label_and_as_much_white_as_colour_on_the_rim_make_no_white_chip(
    name: str, body: tuple[int, int, int]
) -> None:
    assert named(top(body, WHITE, share=0.5, label=0.62)) == name


def test_a_white_chip_with_a_white_label_and_coloured_spots_is_white() -> None:
    assert named(top((238, 236, 230), (30, 60, 150), label=0.62)) == "white"


def test_a_set_is_told_where_a_round_chip_was_never_looked_at() -> None:
    enrolled = tuple(replace(chip, accent_rgb=WHITE, centre_rgb=CREAM) for chip in CHIPS)
    assert are_told(CHIPS) and not are_told(enrolled)
    assert are_told((*enrolled[1:], CHIPS[0]))
    plaque = ChipType("5000", 5000, (190, 30, 35), plaque=True)
    assert not are_told((*enrolled, plaque))


def test_without_spots_given_the_reader_goes_by_names_and_with_them_by_colours() -> None:
    camera = table_scenes.camera()
    image = np.zeros((camera.height, camera.width, 3), np.uint8)
    image[:] = top((206, 88, 92), WHITE).mean(axis=0).astype(np.uint8)  # pinkish: neither red nor white
    told = ChipColours(replace(table_scenes.table(), chips=CHIPS, felt_rgb=None), camera)
    told = told.read(image, np.zeros(2), 3.4, plaque=False)
    assert CHIPS[int(told.argmax())].name == "red"
    assert told.sum() == pytest.approx(1.0)
