from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from veedor.vision.detections import Detections
from veedor.vision.errors import PerceptError
from veedor.vision.percept import TALLEST, Percept, decode_percepts, encode_percepts


def a_percept(index: int, count: int) -> Percept:
    rng = np.random.default_rng(index)
    ranks = rng.random((count, 13), np.float32)
    ranks[::2] = np.nan
    return Percept(
        index,
        index * 0.2,
        Detections(
            rng.random((count, 4, 2), np.float32), rng.random(count, np.float32), rng.integers(0, 8, count)
        ),
        rng.random((count, 2), np.float32),
        ranks,
        rng.random((count, 4), np.float32),
        rng.random((count, 5), np.float32),
        rng.random((count, 8), np.float32),
        rng.random(count) > 0.5,
        ("P1.hand", "shoe") if index % 2 else (),
        None if index == 0 else 0.25,
    )


def test_percepts_are_read_back_as_written() -> None:
    percepts = [a_percept(0, 3), a_percept(1, 0), a_percept(2, 5)]
    data = encode_percepts(percepts)
    assert data == encode_percepts(percepts)
    again = decode_percepts(data)
    for one, other in zip(percepts, again, strict=True):
        assert (one.index, one.t_s, one.moving) == (other.index, other.t_s, other.moving)
        assert one.camera_shift_px == other.camera_shift_px
        for name in ("base_mm", "rank_probs", "suit_probs", "chip_probs", "count_probs", "fresh"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        np.testing.assert_array_equal(one.detections.corners_px, other.detections.corners_px)


def test_an_empty_run_is_read_back() -> None:
    assert decode_percepts(encode_percepts([])) == []
    assert len(decode_percepts(encode_percepts([Percept.empty(4, 0.8, 5)]))[0]) == 0


def test_damage_is_one_line() -> None:
    data = encode_percepts([a_percept(0, 3)])
    for damaged in (data[: len(data) // 2], b"", b"no record"):
        with pytest.raises(PerceptError) as caught:
            decode_percepts(damaged)
        assert "\n" not in str(caught.value)


def test_columns_must_be_aligned() -> None:
    one = a_percept(0, 3)
    with pytest.raises(ValueError, match="3 detections"):
        Percept(
            0,
            0.0,
            one.detections,
            one.base_mm[:2],
            one.rank_probs,
            one.suit_probs,
            one.chip_probs,
            one.count_probs,
            one.fresh,
        )


def test_the_highest_count_stands_for_that_many_or_more_and_is_not_told() -> None:
    rows = np.full((3, TALLEST), 0.02, np.float32)
    rows[0, 0], rows[1, TALLEST - 2], rows[2, TALLEST - 1] = 0.9, 0.9, 0.9
    assert replace(a_percept(0, 3), count_probs=rows).counts.tolist() == [1, TALLEST - 1, 0]
