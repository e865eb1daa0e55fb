"""Where the reader's training faces come from: own decks, public card art, straightened photographs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.art import Deck
from veedor.datasets.art.backs import FAMILIES
from veedor.vision.reader import RANKS, SUITS

FACE_WIDTH_PX, FACE_HEIGHT_PX = 189, 264  # 3 px/mm
# Own decks of these seeds (modulo) are never trained on: calibration and tests read them.
HELD_OUT_MODULUS, HELD_OUT_REMAINDER = 5, 4


@dataclass(frozen=True)
class Face:
    """One card's picture BGR uint8 (264, 189, 3), alpha uint8 (264, 189); rank, suit -1 where not known."""

    picture: NDArray[np.uint8]
    alpha: NDArray[np.uint8]
    rank: int
    suit: int
    back: bool = False
    indexed: bool = True
    photographed: bool = False


def is_held_out(seed: int) -> bool:
    """Whether own decks of this seed are kept for calibration."""
    return seed % HELD_OUT_MODULUS == HELD_OUT_REMAINDER


class OwnDecks:
    """Faces of own decks, drawn one at a time into a pool that slowly turns over."""

    def __init__(self, rng: np.random.Generator, *, held_out: bool = False, pool: int = 1500) -> None:
        self._rng = rng
        self._held_out = held_out
        self._pool_size = pool
        self._pool: list[Face] = []

    def _draw(self) -> Face:
        rng = self._rng
        seed = int(rng.integers(1_000_000)) * HELD_OUT_MODULUS
        seed += HELD_OUT_REMAINDER if self._held_out else int(rng.integers(HELD_OUT_MODULUS - 1))
        deck = Deck(seed, indexed=bool(rng.random() < 0.3))
        if rng.random() < 0.08:
            names = list(FAMILIES)
            colour = names[int(rng.choice(len(names), p=[0.4, 0.4, 0.08, 0.06, 0.06]))]
            picture = deck.back(colour, FACE_HEIGHT_PX)
            return Face(picture[..., :3].copy(), picture[..., 3].copy(), -1, -1, back=True)
        # Courts look alike when small: they are drawn more often than their share.
        weights = np.array([1.2, 1, 1, 1, 1, 1, 1.1, 1.1, 1.1, 1.1, 1.7, 1.7, 1.7])
        rank = int(rng.choice(13, p=weights / weights.sum()))
        suit = int(rng.integers(4))
        picture = deck.face(RANKS[rank] + SUITS[suit], FACE_HEIGHT_PX)
        return Face(picture[..., :3].copy(), picture[..., 3].copy(), rank, suit, indexed=deck.indexed)

    def take(self) -> Face:
        """A face by chance."""
        if len(self._pool) < self._pool_size and (len(self._pool) < 200 or self._rng.random() < 0.1):
            self._pool.append(self._draw())
            return self._pool[-1]
        place = int(self._rng.integers(len(self._pool)))
        if self._rng.random() < 0.02:
            self._pool[place] = self._draw()
        return self._pool[place]


class FixedFaces:
    """Faces read from files, chosen by weight."""

    def __init__(self, faces: Sequence[Face], weights: Sequence[float], rng: np.random.Generator) -> None:
        self._faces = list(faces)
        self._probabilities = np.asarray(weights, dtype=float) / np.sum(weights)
        self._cumulative = np.cumsum(self._probabilities)
        self._rng = rng

    def __len__(self) -> int:
        return len(self._faces)

    def take(self) -> Face:
        """A face by chance."""
        place = int(np.searchsorted(self._cumulative, self._rng.random()))
        return self._faces[min(place, len(self._faces) - 1)]


# How much each public deck resembles what lies on casino tables, by the eye.
ART_WEIGHTS: dict[str, float] = {
    "npm-2color-bare": 4.0,
    "npm-2color": 2.0,
    "npm-2color-bf-bare": 0.5,
    "npm-2color-bf": 0.5,
    "standard": 2.0,
    "gm-paris": 2.5,
    "xskat-french": 2.0,
    "dondorf": 1.5,
    "oxygen-white": 0.4,
    "nicu-ornamental": 0.4,
}


def read_art(folder: Path, rng: np.random.Generator) -> FixedFaces | None:
    """Public card art prepared as `folder/DECK/7H.png` and `back.png` (BGRA); None where there is none."""
    faces, weights = [], []
    for deck, weight in ART_WEIGHTS.items():
        for path in sorted((folder / deck).glob("*.png")):
            picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
            if picture is None or picture.ndim != 3 or picture.shape[2] != 4:
                continue
            picture = cv2.resize(picture, (FACE_WIDTH_PX, FACE_HEIGHT_PX), interpolation=cv2.INTER_AREA)
            back = path.stem == "back"
            rank, suit = (-1, -1) if back else (RANKS.index(path.stem[0]), SUITS.index(path.stem[1]))
            share = picture[..., 3:].astype(np.float32) / 255
            flat = (picture[..., :3] * share + 250 * (1 - share)).astype(np.uint8)
            # Corners of art are drawn in many ways; ours are round.
            faces.append(Face(flat, _round_alpha(), rank, suit, back=back, indexed=not deck.endswith("bare")))
            weights.append(weight * (3.0 if back else 1.5 if rank >= RANKS.index("J") else 1.0))
    return FixedFaces(faces, weights, rng) if faces else None


def _round_alpha() -> NDArray[np.uint8]:
    alpha = np.zeros((FACE_HEIGHT_PX, FACE_WIDTH_PX), np.uint8)
    radius = 10
    cv2.rectangle(alpha, (radius, 0), (FACE_WIDTH_PX - 1 - radius, FACE_HEIGHT_PX - 1), 255, -1)
    cv2.rectangle(alpha, (0, radius), (FACE_WIDTH_PX - 1, FACE_HEIGHT_PX - 1 - radius), 255, -1)
    for x in (radius, FACE_WIDTH_PX - 1 - radius):
        for y in (radius, FACE_HEIGHT_PX - 1 - radius):
            cv2.circle(alpha, (x, y), radius, 255, -1)
    return alpha


def read_photographs(folder: Path, rng: np.random.Generator) -> FixedFaces | None:
    """Straightened photographs `folder/7H-….png`, `_` for an unknown suit; None where there are none."""
    faces, weights = [], []
    for path in sorted(folder.glob("*.png")):
        picture = cv2.imread(str(path))
        if picture is None:
            continue
        picture = cv2.resize(picture, (FACE_WIDTH_PX, FACE_HEIGHT_PX), interpolation=cv2.INTER_AREA)
        suit = SUITS.find(path.stem[1])
        faces.append(
            Face(
                np.asarray(picture, np.uint8),
                _round_alpha(),
                RANKS.index(path.stem[0]),
                suit,
                photographed=True,
            )
        )
        weights.append(1.0)
    return FixedFaces(faces, weights, rng) if faces else None
