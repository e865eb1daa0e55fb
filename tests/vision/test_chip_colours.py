from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from veedor.datasets.art import chip_centre_rgb
from veedor.datasets.looks import random_look
from veedor.datasets.render import Renderer
from veedor.datasets.scene import ChipStyle, Scene, StackPose
from veedor.vision.chip_colours import ChipColours
from veedor.vision.table import ChipType, Table

# Black with white spots and white with black ones: no colour tells them apart, only where it is.
BLACK, WHITE = (24, 24, 29), (238, 232, 224)
STYLES = (
    ChipStyle("1000", 1000, BLACK, accent_rgb=WHITE),
    ChipStyle("5", 5, WHITE, accent_rgb=BLACK),
    ChipStyle("50", 50, (39, 79, 156), accent_rgb=WHITE),
)


def table_with(seed: int, *, centres: bool) -> tuple[Table, Renderer, int]:
    """A look's table that plays with STYLES, what draws it, and the seed of its chips' art."""
    look, camera = random_look(seed, "play")
    look = replace(look, chips=STYLES)
    chips = tuple(
        ChipType(
            style.name,
            style.value,
            style.colour_rgb,
            accent_rgb=style.accent_rgb,
            centre_rgb=chip_centre_rgb(style, look.deck_seed) if centres else None,
        )
        for style in STYLES
    )
    table = Table("t", "T", "dos-panos-limitada", look.layout, chips, camera, felt_rgb=look.felt_rgb)
    return table, Renderer(look, camera), look.deck_seed


@pytest.mark.parametrize("seed", [107, 203, 211])
def test_chips_of_one_anothers_colours_are_told_apart_by_their_centres(seed: int) -> None:
    table, renderer, _ = table_with(seed, centres=True)
    places = list(product((-900.0, -400.0, 500.0, 950.0), (-420.0, 60.0, 400.0)))
    names = [STYLES[number % 3].name for number in range(len(places))]
    stacks = tuple(
        StackPose(f"s{x}{y}", (name,), x, y, 0.0, 17.0 * number)
        for number, (name, (x, y)) in enumerate(zip(names, places, strict=True))
    )
    image = renderer.render(Scene(stacks=stacks), np.random.default_rng(seed)).image
    assert table.camera is not None
    colours = ChipColours(table, table.camera)
    colours.look(image)
    read = [colours.read(image, np.array(place), 3.4, plaque=False) for place in places]
    assert [table.chips[int(probs.argmax())].name for probs in read] == names
    assert min(probs.max() for probs in read) > 0.6


def test_a_set_without_centres_is_read_by_ground_and_spots() -> None:
    table, renderer, _ = table_with(107, centres=False)
    stack = StackPose("s", ("50",), 300.0, -420.0, 0.0, 0.0)
    image = renderer.render(Scene(stacks=(stack,)), np.random.default_rng(1)).image
    assert table.camera is not None
    probs = ChipColours(table, table.camera).read(image, np.array([300.0, -420.0]), 3.4, plaque=False)
    assert table.chips[int(probs.argmax())].name == "50"
    assert probs.sum() == pytest.approx(1.0)
