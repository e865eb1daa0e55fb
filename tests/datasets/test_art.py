"""Own drawings: equal seeds draw equal pictures, different seeds different ones; cards show what they are."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from veedor.datasets.art import RANKS, SUITS, Deck, chip_side_colours, chip_top, plaque_face
from veedor.datasets.scene import ChipStyle

RED_CHIP = ChipStyle("red", 20, (190, 30, 40))


def _ink(face: np.ndarray, paper: tuple[int, int, int]) -> np.ndarray:
    distance = np.abs(face[..., :3].astype(int) - paper).max(axis=2)
    return ((distance > 90) & (face[..., 3] > 200)).astype(np.uint8)


def test_equal_seeds_draw_equal_decks() -> None:
    for card in ("7H", "KS"):
        first = np.array(Deck(31, indexed=True).face(card, 176))
        again = Deck(31, indexed=True)._draw_face(card, 2.0).finished((126, 176))
        assert np.array_equal(first[..., :3], again)


def test_different_seeds_draw_different_decks() -> None:
    for card in ("AS", "7H", "JD", "QC", "KS"):
        faces = [Deck(seed, indexed=False).face(card, 176).astype(int) for seed in range(6)]
        for other in faces[1:]:
            assert np.abs(other - faces[0])[..., :3].mean() > 2.0
    backs = [Deck(seed, indexed=False).back("blue", 176).astype(int) for seed in range(6)]
    assert all(np.abs(other - backs[0]).mean() > 5.0 for other in backs[1:])


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("suit", SUITS)
def test_a_plain_card_without_index_shows_as_many_signs_as_its_rank(seed: int, suit: str) -> None:
    deck = Deck(seed, indexed=False)
    for rank in "23456789T":
        ink = _ink(deck.face(rank + suit), deck.style.paper)
        count = cv2.connectedComponents(ink)[0] - 1
        assert count == (10 if rank == "T" else int(rank)), rank + suit


def test_corners_are_empty_without_index_and_inked_with_one() -> None:
    for seed in range(8):
        for indexed in (False, True):
            deck = Deck(seed, indexed=indexed)
            for card in ("AH", "5S", "QD"):
                corner = _ink(deck.face(card), deck.style.paper)[:64, :20]  # 5 mm x 16 mm
                assert corner.any() == indexed, (seed, card)


def test_a_face_is_card_shaped_with_transparent_corners() -> None:
    face = Deck(4, indexed=False).face("TC")
    assert face.shape == (352, 252, 4)
    assert face.dtype == np.uint8
    assert face[0, 0, 3] == 0
    assert face[176, 126, 3] == 255


def test_courts_look_the_same_upside_down_and_ranks_differ() -> None:
    deck = Deck(2, indexed=False)
    faces = {rank: deck.face(rank + "H", 176)[..., :3].astype(int) for rank in "JQK"}
    for face in faces.values():
        assert np.abs(face - face[::-1, ::-1]).mean() < 6.0
    assert np.abs(faces["J"] - faces["Q"]).mean() > 6.0
    assert np.abs(faces["Q"] - faces["K"]).mean() > 6.0


def test_backs_are_of_their_colour_family() -> None:
    for seed in range(10):
        deck = Deck(seed, indexed=False)
        red, blue = (deck.back(colour, 88)[10:-10, 10:-10, :3].mean((0, 1)) for colour in ("red", "blue"))
        assert red[2] > red[0] + 15
        assert blue[0] > blue[2] + 15


def test_unknown_cards_and_backs_are_named_in_the_error() -> None:
    deck = Deck(0, indexed=False)
    with pytest.raises(KeyError, match="10H"):
        deck.face("10H")
    with pytest.raises(KeyError, match="orange"):
        deck.back("orange")
    assert len({deck.face(rank + suit).tobytes() for rank in RANKS for suit in SUITS}) == 52


def test_a_chip_shows_its_colour_and_its_edge_matches_its_top() -> None:
    for seed in range(4):
        top = chip_top(RED_CHIP, 160, seed)
        assert top.shape == (160, 160, 4)
        assert top[0, 0, 3] == 0
        side = chip_side_colours(RED_CHIP, seed)
        angle = np.deg2rad((np.arange(len(side)) + 0.5) / len(side) * 360)
        rim = top[
            np.round(79.5 - 74 * np.sin(angle)).astype(int), np.round(79.5 + 74 * np.cos(angle)).astype(int)
        ]
        agreeing = np.abs(rim[:, :3].astype(int) - side).max(axis=1) < 60
        assert agreeing.mean() > 0.85


def test_a_plaque_is_as_large_as_its_style_says() -> None:
    plaque = plaque_face(ChipStyle("big", 5000, (180, 30, 40), plaque=True, size_mm=(84.0, 54.0)), 4.0)
    assert plaque.shape == (216, 336, 4)
    assert plaque[108, 20, 2] > plaque[108, 20, 0] + 60
