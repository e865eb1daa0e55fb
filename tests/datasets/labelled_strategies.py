"""Labelled objects and pictures of every kind, for property tests."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import strategies as st
from veedor.datasets.labelled import (
    LabelledObject,
    LabelledPicture,
    as_corners,
    signed_area,
)
from veedor.rules.cards import RANKS, SUITS
from veedor.vision.detections import ObjectClass

SIZE = (64, 48)

# Everything that a file of labels could stumble over, but for control characters, which are refused.
_TRAPS = [
    "true",
    "7.0",
    "10",
    "?",
    "[]",
    '["rojo"]',
    "a,b",
    " x ",
    "<&>\"'",
    "ñandú",
    "null",
    "None",
    "0",
    "🂡",
]
texts = st.one_of(
    st.sampled_from(_TRAPS),
    st.text(
        st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\u2028\u2029\ufffe\uffff"),
        min_size=1,
        max_size=12,
    ),
)


@st.composite
def corners(draw: st.DrawFn, size: tuple[int, int] = SIZE):
    """A slightly skewed box, in or partly or wholly out of the picture."""
    place = st.floats(-20, 80, allow_nan=False)
    x, y = draw(place), draw(place)
    length, breadth = draw(st.floats(3, 40)), draw(st.floats(3, 40))
    turn = draw(st.floats(0, 2 * math.pi))
    points = []
    for right, down in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        u, v = right * length / 2, down * breadth / 2
        skew = st.floats(-0.4, 0.4)
        points.append(
            (
                x + u * math.cos(turn) - v * math.sin(turn) + draw(skew),
                y + u * math.sin(turn) + v * math.cos(turn) + draw(skew),
            )
        )
    found = as_corners(points)
    assert signed_area(found) > 0
    return found


@st.composite
def objects(draw: st.DrawFn, name: str | None = None) -> LabelledObject:
    chips = draw(st.none() | st.lists(texts, max_size=4).map(tuple))
    count = (
        draw(st.none() | st.integers(0, 30)) if chips is None else draw(st.sampled_from([None, len(chips)]))
    )
    extra = draw(st.dictionaries(texts, texts | st.just(""), max_size=3))
    return LabelledObject(
        id=draw(texts) if name is None else name,
        kind=draw(st.sampled_from(ObjectClass)),
        corners_px=draw(corners()),
        rank=draw(st.none() | st.sampled_from(RANKS)),
        suit=draw(st.none() | st.sampled_from(SUITS)),
        back=draw(st.none() | texts),
        chips=chips,
        count=count,
        zone=draw(st.none() | texts),
        occluded=draw(st.booleans()),
        truncated=draw(st.booleans()),
        extra=tuple(extra.items()),
    )


@st.composite
def pictures(draw: st.DrawFn, name: str, pts: int, recording: str) -> LabelledPicture:
    found = draw(st.lists(objects(), max_size=4, unique_by=lambda item: item.id))
    return LabelledPicture(
        id=name,
        recording=recording,
        pts=pts,
        time_base=draw(st.sampled_from([Fraction(1, 12800), Fraction(1, 90000), Fraction(1001, 30000)])),
        width=SIZE[0],
        height=SIZE[1],
        session=draw(texts),
        table=draw(texts),
        split=draw(st.sampled_from(["train", "val", "test", None])),
        author=draw(texts),
        revision=draw(st.integers(0, 50)),
        objects=tuple(found),
    )


@st.composite
def picture_lists(draw: st.DrawFn) -> tuple[LabelledPicture, ...]:
    """Up to three pictures of up to two recordings, each at an instant of its own."""
    count = draw(st.integers(1, 3))
    recordings = [draw(st.sampled_from(["a" * 64, "b" * 64])) for _ in range(count)]
    found = [draw(pictures(f"p-{row}", 1000 * row + 7, recordings[row])) for row in range(count)]
    return tuple(found)
