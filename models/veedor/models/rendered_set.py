"""A labelled set that needs no data folder: drawn tables of looks and decks that no training shows."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from veedor.datasets.training_stills import StillMaker, StillOptions
from veedor.models.labels import CardLabel, ChipLabel, LabelledPicture, LabelledSet
from veedor.models.photoreal_tables import MIN_VISIBLE
from veedor.vision.detections import ObjectClass
from veedor.vision.footprints import CARDS, CHIPS

RENDERED = "rendered"
FIRST_SEED = 970_000  # training and its validation draw below 960 000
PICTURES = 40
SIZE_PX = 416


@lru_cache(maxsize=2)
def load_rendered(pictures: int = PICTURES) -> LabelledSet:
    """The first so many pictures, always the same."""
    maker = StillMaker(StillOptions(size_px=SIZE_PX, look_split="play"))
    return LabelledSet(
        RENDERED, tuple(_picture(maker, seed) for seed in range(FIRST_SEED, FIRST_SEED + pictures))
    )


def _picture(maker: StillMaker, seed: int) -> LabelledPicture:
    still = maker.still(seed)
    cards, chips = [], []
    for thing in still.objects:
        asked = thing.visible_fraction >= MIN_VISIBLE
        corners = np.asarray(thing.corners_px, np.float64)
        if thing.kind in CARDS:
            up = thing.kind is ObjectClass.CARD_FACE
            face = thing.face if up and thing.face else None
            rank, suit = (face[0], face[1]) if face else (None, None)
            cards.append(CardLabel(corners, rank, suit, face_up=up, asked=asked))
        elif thing.kind in CHIPS:
            chips.append(ChipLabel(corners, thing.kind is ObjectClass.PLAQUE, asked=asked))
    return LabelledPicture(Path(f"{seed}.png"), tuple(cards), tuple(chips), image=still.image)
