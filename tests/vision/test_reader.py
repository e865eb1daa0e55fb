"""Straightening a card and reading it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from laid_cards import card_corners, laid_on
from veedor.datasets.art import RANKS as ART_RANKS
from veedor.datasets.art import SUITS, Deck
from veedor.models.registry import weights_path
from veedor.vision.errors import VisionError
from veedor.vision.reader import CROP_HEIGHT_PX, CROP_WIDTH_PX, MARGIN, RANKS, CardReadings, Reader, rectify

FELT = (46, 92, 30)
HELD_OUT_SEED = 4_000_004  # decks of seed 4 modulo 5 are never trained on


def _laid(face: np.ndarray, width_px: float, turn_deg: float) -> tuple[np.ndarray, np.ndarray]:
    """A picture of a face on felt and the card's corners in it."""
    side = int(width_px * 2.4)
    corners = card_corners(width_px, turn_deg, (side / 2, side / 2))
    return laid_on(np.full((side, side, 3), FELT, np.uint8), face, corners), corners


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(weights_path("reader"))


def test_rectify_keeps_the_margin_of_felt_and_puts_the_first_edge_on_top() -> None:
    picture = np.full((400, 400, 3), FELT, np.uint8)
    picture[100:276, 100:226] = (250, 250, 250)
    picture[100:120, 100:226] = (0, 0, 250)  # the card's top in red
    corners = np.array([[100, 100], [226, 100], [226, 276], [100, 276]]) - 0.5
    crop = rectify(picture, corners)
    assert crop.shape == (CROP_HEIGHT_PX, CROP_WIDTH_PX, 3)
    share = MARGIN / (1 + 2 * MARGIN)
    inside = np.abs(crop.astype(int) - FELT).max(axis=2) > 60
    rows, columns = np.flatnonzero(inside.any(1)), np.flatnonzero(inside.any(0))
    assert abs(rows[0] - CROP_HEIGHT_PX * share) <= 1
    assert abs(columns[0] - CROP_WIDTH_PX * share) <= 1
    assert abs(CROP_WIDTH_PX - 1 - columns[-1] - CROP_WIDTH_PX * share) <= 1
    assert crop[9, 36, 2] > 200 > crop[9, 36, 0]
    assert crop[90, 36].min() > 200
    upside_down = rectify(picture, np.roll(corners, 2, axis=0))
    assert np.abs(upside_down[::-1, ::-1].astype(int) - crop).mean() < 2.0


@pytest.mark.parametrize("width_px", [40, 150, 420])
@pytest.mark.parametrize("turn_deg", [0, 33, 110])
def test_rectify_gives_the_same_crop_whatever_size_and_turn(width_px: int, turn_deg: int) -> None:
    face = Deck(3, indexed=True).face("9C")
    straight = rectify(*_laid(face, 200, 0)).astype(float)
    crop = rectify(*_laid(face, width_px, turn_deg)).astype(float)
    assert np.abs(crop - straight).mean() < 9.0


def test_rectify_wants_four_corners() -> None:
    with pytest.raises(ValueError, match=r"\(3, 2\)"):
        rectify(np.zeros((9, 9, 3), np.uint8), np.zeros((3, 2)))


def test_readings_refuse_columns_that_do_not_belong_together() -> None:
    one = np.ones(1, np.float32)
    with pytest.raises(ValueError, match="ranks"):
        CardReadings(np.zeros((1, 12), np.float32), np.zeros((1, 4), np.float32), one, one)
    with pytest.raises(ValueError, match="readings of 2"):
        CardReadings(np.zeros((1, 13), np.float32), np.zeros((1, 4), np.float32), np.ones(2, np.float32), one)


def test_best_says_what_it_cannot_tell() -> None:
    ranks = np.full((3, 13), 0.02, np.float32)
    ranks[0, RANKS.index("7")] = ranks[1, RANKS.index("7")] = 0.76
    suits = np.array([[0.1, 0.8, 0.05, 0.05], [0.4, 0.1, 0.1, 0.4], [0.25] * 4], np.float32)
    readings = CardReadings(ranks, suits, np.array([0.9, 0.9, 0.9], np.float32), np.zeros(3, np.float32))
    assert [readings.best(row) for row in range(3)] == ["7H", "7?", "??"]
    assert readings.best(0, min_prob=0.9) == "??"
    assert readings.where(np.array([1])).best(0) == "7?"
    no_face = CardReadings(ranks, suits, np.array([0.2] * 3, np.float32), np.array([0.8] * 3, np.float32))
    assert no_face.best(0) == "??"


def test_a_file_that_is_no_reader_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.onnx"
    path.write_bytes(b"not a model")
    with pytest.raises(VisionError, match=r"broken\.onnx"):
        Reader(path)


def test_reader_takes_none_and_refuses_other_shapes(reader: Reader) -> None:
    assert len(reader.read(np.zeros((0, CROP_HEIGHT_PX, CROP_WIDTH_PX, 3), np.uint8))) == 0
    with pytest.raises(ValueError, match="found"):
        reader.read(np.zeros((1, 64, 64, 3), np.uint8))


@pytest.mark.parametrize("indexed", [False, True])
def test_reader_knows_a_deck_it_has_never_seen(reader: Reader, indexed: bool) -> None:
    deck = Deck(HELD_OUT_SEED, indexed=indexed)
    cards = [rank + suit for rank in ART_RANKS for suit in SUITS]
    crops = np.stack([rectify(*_laid(deck.face(card), 38, 7 * i)) for i, card in enumerate(cards)])
    readings = reader.read(crops)
    right = [RANKS[row.argmax()] == card[0] for row, card in zip(readings.rank_probs, cards, strict=True)]
    assert np.mean(right) >= 0.94
    assert (readings.face_prob > 0.5).all()
    assert np.allclose(readings.rank_probs.sum(axis=1), 1, atol=1e-3)


def test_reader_tells_backs_and_felt_from_faces(reader: Reader) -> None:
    deck = Deck(HELD_OUT_SEED, indexed=False)
    backs = [rectify(*_laid(deck.back(colour), 40, 20)) for colour in ("red", "blue")]
    felt = rectify(np.full((90, 90, 3), FELT, np.uint8), np.array([[20, 20], [50, 20], [50, 62], [20, 62]]))
    readings = reader.read(np.stack([*backs, felt]))
    assert (readings.back_prob[:2] > 0.5).all()
    assert readings.face_prob[2] < 0.5
    assert readings.best(0) == readings.best(2) == "??"


def test_reading_does_not_depend_on_which_way_up_the_card_lies(reader: Reader) -> None:
    deck = Deck(HELD_OUT_SEED, indexed=False)
    crops = np.stack([rectify(*_laid(deck.face(card), 34, 15)) for card in ("7H", "8S", "KD")])
    upright, turned = reader.read(crops), reader.read(np.ascontiguousarray(crops[:, ::-1, ::-1]))
    assert np.allclose(upright.rank_probs, turned.rank_probs, atol=1e-3)


def test_skewed_outlines_are_read_by_the_cards_own_corners(reader: Reader) -> None:
    deck = Deck(HELD_OUT_SEED, indexed=False)
    right = []
    for place, card in enumerate(("4C", "7D", "8S", "9H", "TD", "QS", "KH", "JD")):
        picture, corners = _laid(deck.face(card), 44, 31 * place)
        turn = np.deg2rad(21 * (-1) ** place)
        spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        skewed = (corners - corners.mean(0)) @ spin + corners.mean(0)
        readings = reader.read_cards(picture, np.stack([corners, skewed]))
        assert len(readings) == 2
        right += [RANKS[row.argmax()] == card[0] for row in readings.rank_probs]
    assert np.mean(right) > 0.9
    assert len(reader.read_cards(picture, np.zeros((0, 4, 2)))) == 0
