"""What a label may be, and what is refused with its reason."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from labelled_strategies import corners
from veedor.datasets.formats.outlines import (
    card_way_round,
    corners_of_outline,
    outline_inside,
    smallest_box,
)
from veedor.datasets.labelled import (
    LabelError,
    LabelledObject,
    LabelledPicture,
    LabelledSet,
    clockwise,
    corners_of_detection,
    detection_of_corners,
    signed_area,
)
from veedor.datasets.labelled_json import object_from_json, picture_from_json, picture_to_json
from veedor.vision.detections import ObjectClass

SQUARE = ((1.0, 1.0), (9.0, 1.0), (9.0, 13.0), (1.0, 13.0))
CARD = LabelledObject("c1", ObjectClass.CARD_FACE, SQUARE, "7", "H")
PICTURE = LabelledPicture("p", "0" * 64, 7, Fraction(1, 90000), 64, 48, "s", "t", None, "me", 0, (CARD,))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"id": ""}, "id is not a text"),
        ({"id": 7}, "id is not a text"),
        ({"id": "a\nb"}, "id holds a control character"),
        ({"id": "\ud800"}, "id holds a control character"),
        ({"id": "x" * 501}, "id is longer than 500"),
        ({"kind": 3}, "unknown kind 3"),
        ({"corners_px": SQUARE[:3]}, "expected four corners"),
        ({"corners_px": list(SQUARE)}, "expected four corners"),
        ({"corners_px": (*SQUARE[:3], (float("nan"), 1.0))}, "is not two finite numbers"),
        ({"corners_px": (*SQUARE[:3], (float("inf"), 1.0))}, "is not two finite numbers"),
        ({"corners_px": (*SQUARE[:3], (1e9, 1.0))}, "is beyond 65535 px"),
        ({"corners_px": SQUARE[::-1]}, "do not go clockwise"),
        ({"corners_px": ((1.0, 1.0),) * 4}, "lie on a line"),
        ({"corners_px": (SQUARE[0], SQUARE[1], SQUARE[3], SQUARE[2])}, "lie on a line|crosses itself"),
        ({"corners_px": (SQUARE[0], SQUARE[1], (2.0, 2.0), SQUARE[3])}, "dented"),
        ({"rank": "10"}, "rank '10' is not one of A 2 3"),
        ({"suit": "♥"}, "suit '♥' is not one of S H D C"),
        ({"zone": ""}, "zone is not a text"),
        ({"back": "\x00"}, "back holds a control character"),
        ({"chips": ("",)}, "a chip is not a text"),
        ({"chips": ("a",) * 1001}, "1001 chips are more than 1000"),
        ({"chips": ("a",), "count": 2}, "count 2 and 1 named chips"),
        ({"count": -1}, "count -1 is not a number"),
        ({"count": True}, "count True is not a number"),
        ({"occluded": 1}, "occluded is neither true nor false"),
        ({"extra": (("a", "1"), ("a", "2"))}, "a name stands twice in extra"),
        ({"extra": (("", "1"),)}, "a name in extra is not a text"),
        ({"extra": (("a", 1),)}, "extra a is not a text"),
    ],
)
def test_objects_that_cannot_be(change: dict[str, object], fault: str) -> None:
    with pytest.raises(LabelError, match=fault) as caught:
        replace(CARD, **change)
    assert str(caught.value).startswith("object")


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"id": "../p"}, "an id is made of letters"),
        ({"id": ".hidden"}, "an id is made of letters"),
        ({"id": "x" * 201}, "an id is made of letters"),
        ({"recording": "A" * 64}, "is not a SHA-256"),
        ({"pts": 1.0}, "is not a number of ticks"),
        ({"pts": 2**62}, "is not a number of ticks"),
        ({"time_base": 0.04}, "is not a fraction above 0"),
        ({"time_base": Fraction(0)}, "is not a fraction above 0"),
        ({"width": 0}, "width 0 is not from 1"),
        ({"height": 65536}, "height 65536 is not from 1"),
        ({"split": "validation"}, "split 'validation' is not one of train val test"),
        ({"author": ""}, "author is not a text"),
        ({"revision": -1}, "revision -1"),
        ({"objects": (CARD, CARD)}, "the object id c1 stands twice"),
    ],
)
def test_pictures_that_cannot_be(change: dict[str, object], fault: str) -> None:
    with pytest.raises(LabelError, match=fault):
        replace(PICTURE, **change)


def test_a_set_has_each_picture_once() -> None:
    with pytest.raises(LabelError, match="the picture id p stands twice"):
        LabelledSet("x", "1", (PICTURE, PICTURE), Path())
    assert LabelledSet("x", "1", (PICTURE,), Path("a")).file_of(PICTURE) == Path("a/p.png")


def test_the_time_of_a_picture_is_exact() -> None:
    late = replace(PICTURE, pts=10**15 + 1, time_base=Fraction(1001, 30000))
    assert late.t == Fraction((10**15 + 1) * 1001, 30000)
    assert picture_from_json(json.loads(json.dumps(picture_to_json(late)))).t == late.t


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"kind": "dragon"}, "unknown kind 'dragon'"),
        ({"kind": None}, "unknown kind None"),
        ({"corners_px": "abc"}, "corners_px is not four pairs"),
        ({"corners_px": [[1, "2"]] * 4}, "corners_px is not four pairs"),
        ({"corners_px": [[1, 2]] * 5}, "expected four points"),
        ({"extra": [["a"]]}, "extra is not a list of pairs"),
        ({"chips": "red"}, "chips is not a list"),
        ({"colour": "red"}, "unknown field colour"),
    ],
)
def test_json_that_is_no_object(change: dict[str, object], fault: str) -> None:
    record = {"id": "c1", "kind": "shoe", "corners_px": [list(point) for point in SQUARE]}
    object_from_json(record)
    with pytest.raises(LabelError, match=fault):
        object_from_json(record | change)
    with pytest.raises(LabelError, match="not a JSON object"):
        object_from_json([record])
    with pytest.raises(LabelError, match="without an id"):
        object_from_json({"kind": "shoe"})


@pytest.mark.parametrize("text", ["1/0", "1", "x/2", "-1/2", "1.0/2", "²/3", None, 5])
def test_a_time_base_is_a_fraction(text: object) -> None:
    with pytest.raises(LabelError, match="is not a fraction like"):
        picture_from_json(picture_to_json(PICTURE) | {"time_base": text})


def test_half_a_pixel_lies_between_the_two_ways_to_count() -> None:
    # The top left pixel alone, as OpenCV's corners of its outline and as ours.
    around = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    assert corners_of_detection(around) == ((0, 0), (1, 0), (1, 1), (0, 1))
    assert np.array_equal(detection_of_corners(corners_of_detection(around)), around)


def test_corners_are_put_in_order_without_moving_the_first() -> None:
    assert clockwise(SQUARE) == SQUARE
    assert clockwise((SQUARE[0], *SQUARE[:0:-1])) == SQUARE


def test_a_foreign_card_begins_with_a_short_edge() -> None:
    lying = (SQUARE[3], *SQUARE[:3])
    assert card_way_round(ObjectClass.CARD_BACK, lying) == SQUARE
    assert card_way_round(ObjectClass.CARD_BACK, SQUARE) == SQUARE
    assert card_way_round(ObjectClass.SHOE, lying) == lying


@given(corners())
@settings(deadline=None, max_examples=60)
def test_outlines_stay_in_the_picture_and_boxes_hold_them(found) -> None:
    part = outline_inside(found, (64, 48))
    assert all(0 <= x <= 64 and 0 <= y <= 48 for x, y in part)
    if not part:
        return
    assert 0 < signed_area(part) <= signed_area(found) * (1 + 1e-9)
    box = smallest_box(part)
    if box is not None:
        assert signed_area(box) >= signed_area(part) * (1 - 1e-6)
        xs, ys = [x for x, _ in part], [y for _, y in part]
        upright = (max(xs) - min(xs)) * (max(ys) - min(ys))
        assert signed_area(box) <= upright * (1 + 1e-6)


def test_the_box_round_a_turned_outline_is_turned() -> None:
    diamond = ((5.0, 0.0), (10.0, 5.0), (7.5, 7.5), (5.0, 10.0), (0.0, 5.0))
    box = corners_of_outline(diamond)
    assert box is not None
    assert signed_area(box) == pytest.approx(50)
    assert corners_of_outline([(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]) is None
