"""A chip set measured on rendered chips is the one that was drawn, and tells them apart in other pictures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from veedor.datasets.looks import random_look
from veedor.datasets.render import Renderer
from veedor.datasets.scene import ChipStyle, PlaquePose, Scene, StackPose
from veedor.vision.chip_colours import ChipColours
from veedor.vision.chip_confusion import confusions, delta_e
from veedor.vision.chip_enrolment import (
    EnrolmentError,
    Pointed,
    chip_of,
    enrolled,
    measure_chip,
    with_felt,
)
from veedor.vision.table import ChipType, Table

STYLES = (
    ChipStyle("5", 5, (230, 228, 220), accent_rgb=(40, 60, 140)),
    ChipStyle("20", 20, (176, 32, 38), accent_rgb=(240, 238, 230)),
    ChipStyle("100", 100, (30, 60, 150), accent_rgb=(240, 238, 230)),
    ChipStyle("5000", 5000, (176, 32, 38), plaque=True, size_mm=(84.0, 54.0), accent_rgb=(240, 238, 230)),
)
TOUCHING = ((0.0, 60.0), (40.0, 60.0), (20.0, 94.6), (-20.0, 94.6))
PLACES = ((-900.0, -400.0), (-400.0, 60.0), (500.0, 60.0), (640.0, -180.0))


def table_and_renderer(seed: int) -> tuple[Table, Renderer]:
    """A look's table that plays with STYLES but does not know them yet."""
    look, camera = random_look(seed, "play")
    look = replace(look, chips=STYLES)
    return Table("t", "T", "dos-panos-limitada", look.layout, (), camera), Renderer(look, camera)


def scene(shift_mm: float, turn: float) -> Scene:
    stacks = tuple(
        StackPose(name, (name,), x + shift_mm, y + shift_mm, 0.0, turn)
        for name, (x, y) in zip(("5", "20", "100"), PLACES, strict=False)
    )
    x, y = PLACES[3]
    return Scene(stacks=stacks, plaques=(PlaquePose("p", "5000", x + shift_mm, y, 0.0, turn),))


def pointed(table: Table, name: str, value: int, place: tuple[float, float]) -> Pointed:
    assert table.camera is not None
    x, y = table.camera.project(np.array([[*place, 3.4]]))[0]
    return Pointed(float(x), float(y), name, value)


@pytest.mark.parametrize("seed", [107, 203])
def test_enrolled_chips_have_their_size_and_are_read_elsewhere(seed: int) -> None:
    table, renderer = table_and_renderer(seed)
    image = renderer.render(scene(0.0, 10.0), np.random.default_rng(seed)).image
    table = with_felt(table, image)
    marks = [
        pointed(table, name, value, place)
        for (name, value), place in zip(
            (("5", 5), ("20", 20), ("100", 100), ("5000", 5000)), PLACES, strict=True
        )
    ]
    chips = [chip_of([measure_chip(table, image, mark)]) for mark in marks]
    assert [chip.plaque for chip in chips] == [False, False, False, True]
    assert [chip.diameter_mm for chip in chips[:3]] == pytest.approx([40.0] * 3, abs=3.0)
    assert chips[3].size_mm == pytest.approx((84.0, 54.0), abs=4.0)
    table = enrolled(table, chips)
    assert [chip.name for chip in table.chips] == ["5", "20", "100", "5000"]
    again = renderer.render(scene(25.0, 55.0), np.random.default_rng(seed + 1)).image
    assert table.camera is not None
    colours = ChipColours(table, table.camera)
    colours.look(again)
    for name, (x, y) in zip(("5", "20", "100"), PLACES, strict=False):
        probs = colours.read(again, np.array([x + 25.0, y + 25.0]), 3.4, plaque=False)
        assert table.chips[int(probs.argmax())].name == name


def test_what_is_larger_than_any_chip_is_told_unless_its_shape_was_given() -> None:
    table, renderer = table_and_renderer(107)
    near = [StackPose(f"s{n}", ("100",), x, y, 0.0, 20.0) for n, (x, y) in enumerate(TOUCHING)]
    image = renderer.render(Scene(stacks=tuple(near)), np.random.default_rng(0)).image
    mark = pointed(table, "gold", 5000, (0.0, 60.0))
    assert measure_chip(table, image, mark).too_big
    assert not measure_chip(table, image, replace(mark, shape="round")).too_big
    alone = renderer.render(scene(0.0, 0.0), np.random.default_rng(0)).image
    assert not measure_chip(table, alone, pointed(table, "20", 20, PLACES[1])).too_big


def test_where_nothing_lies_nothing_is_enrolled() -> None:
    table, renderer = table_and_renderer(107)
    image = renderer.render(Scene(), np.random.default_rng(0)).image
    with pytest.raises(EnrolmentError, match=r"red at .*nothing stands out"):
        measure_chip(table, image, pointed(table, "red", 20, (300.0, -60.0)))
    with pytest.raises(EnrolmentError, match="outside the picture"):
        measure_chip(table, image, Pointed(99_999.0, 5.0, "red", 20))


def test_a_chip_cannot_have_two_values_or_two_shapes() -> None:
    table, renderer = table_and_renderer(107)
    image = renderer.render(scene(0.0, 0.0), np.random.default_rng(0)).image
    red = measure_chip(table, image, pointed(table, "20", 20, PLACES[1]))
    with pytest.raises(EnrolmentError, match="more than one value"):
        chip_of([red, replace(red, pointed=replace(red.pointed, value=25))])
    with pytest.raises(EnrolmentError, match="round chip and as a plaque"):
        chip_of([red, replace(red, plaque=True)])


def test_a_set_keeps_its_other_chips_unless_told_otherwise() -> None:
    table, _ = table_and_renderer(107)
    old = ChipType("old", 1, (10, 10, 10)), ChipType("20", 20, (0, 0, 0))
    table = replace(table, chips=old)
    new = ChipType("20", 20, (170, 30, 30))
    assert [chip.name for chip in enrolled(table, [new]).chips] == ["old", "20"]
    assert enrolled(table, [new]).chip("20").colour_rgb == (170, 30, 30)
    assert enrolled(table, [new], only=True).chips == (new,)


def test_chips_too_much_alike_are_named_the_worst_first() -> None:
    red, blue = ChipType("red", 20, (176, 32, 38)), ChipType("blue", 100, (30, 60, 150))
    crimson = ChipType("crimson", 50, (184, 36, 40))
    plaque = replace(red, name="plaque", plaque=True)
    assert confusions((red, blue, plaque)) == []
    (found,) = confusions((red, blue, crimson))
    assert (found.one, found.other) == ("red", "crimson")
    assert found.sure < 0.9
    assert found.delta_e == pytest.approx(delta_e((176, 32, 38), (184, 36, 40)))
    assert delta_e((0, 0, 0), (255, 255, 255)) == pytest.approx(100, abs=0.5)
