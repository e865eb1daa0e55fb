"""Labelled cards as crops for the reader's training: cut out as the detector would, and varied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.labelled import LabelledObject, LabelledPicture, detection_of_corners, on_resized
from veedor.models.labelled_version import LabelledVersion, visible
from veedor.models.reader_crops import Sample, outlined
from veedor.vision.detections import ObjectClass
from veedor.vision.footprints import CARDS
from veedor.vision.reader import RANKS, SUITS

Image = NDArray[np.uint8]
ROOM = 0.5  # of a card's longer side, kept round it: felt and neighbours are part of a crop
WIDEST_PX = 110.0
BACK_SHARE = 0.1
READABLE = 0.75  # of a card that shows


@dataclass(frozen=True)
class CardPatch:
    """A labelled card with its surroundings. Indices are -1 where the label does not say or it is a back."""

    image: Image
    corners_px: NDArray[np.float64]
    rank: int
    suit: int
    back: bool

    @property
    def width_px(self) -> float:
        return float(np.linalg.norm(self.corners_px[1] - self.corners_px[0]))


class LabelledCards:
    """The cards of labelled pictures; every rank comes by as often as any other, as far as there are some."""

    def __init__(self, patches: Sequence[CardPatch], rng: np.random.Generator) -> None:
        self._rng = rng
        self._backs = [each for each in patches if each.back]
        groups: dict[tuple[int, int], list[CardPatch]] = {}
        for each in patches:
            if not each.back:
                groups.setdefault((each.rank, each.suit), []).append(each)
        self._faces = [groups[key] for key in sorted(groups)]

    def __len__(self) -> int:
        return len(self._faces) + len(self._backs)

    def sample(self) -> Sample:
        """A crop of a card by chance, as another detector's outline and another light would give it."""
        rng = self._rng
        if self._backs and (not self._faces or rng.random() < BACK_SHARE):
            patch = self._backs[int(rng.integers(len(self._backs)))]
        else:
            group = self._faces[int(rng.integers(len(self._faces)))]
            patch = group[int(rng.integers(len(group)))]
        image, corners = _resized(patch, rng)
        crop = outlined(_relit(image, rng), corners, rng)
        return Sample(crop, patch.rank, patch.suit, int(patch.back), patch.width_px)


def card_patches(version: LabelledVersion, pictures: Sequence[LabelledPicture]) -> list[CardPatch]:
    """The cards of a version's pictures that show enough to be read."""
    patches = []
    for picture in pictures:
        image = version.image_of(picture)
        for item in picture.objects:
            readable = not item.truncated and visible(item) >= READABLE
            if readable and item.kind in CARDS:
                patch = _patch(image, item)
                if patch is not None:
                    patches.append(patch)
    return patches


def _patch(image: Image, item: LabelledObject) -> CardPatch | None:
    back = item.kind is ObjectClass.CARD_BACK
    rank = RANKS.index(item.rank) if item.rank is not None and not back else -1
    suit = SUITS.index(item.suit) if item.suit is not None and not back else -1
    if not back and rank < 0 and suit < 0:
        return None
    corners = detection_of_corners(item.corners_px)
    reach = float(np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1).max()) * ROOM
    low = np.maximum(np.floor(corners.min(axis=0) - reach), 0).astype(int)
    limit = np.array([image.shape[1], image.shape[0]])
    high = np.minimum(np.ceil(corners.max(axis=0) + reach), limit).astype(int)
    if (high - low < 8).any():
        return None
    return CardPatch(image[low[1] : high[1], low[0] : high[0]].copy(), corners - low, rank, suit, back)


def _resized(patch: CardPatch, rng: np.random.Generator) -> tuple[Image, NDArray[np.float64]]:
    """Now and then a little smaller, as from farther away; never wider than the reader is trained on."""
    scale = min(1.0, WIDEST_PX / max(patch.width_px, 1.0))
    if rng.random() < 0.4:
        scale *= rng.uniform(0.75, 1.0)
    if scale > 0.99:
        return patch.image, patch.corners_px
    size = (max(4, round(patch.image.shape[1] * scale)), max(4, round(patch.image.shape[0] * scale)))
    small = cv2.resize(patch.image, size, interpolation=cv2.INTER_AREA)
    ratio = np.array(size) / np.array([patch.image.shape[1], patch.image.shape[0]])
    return np.asarray(small, np.uint8), on_resized(patch.corners_px, ratio)


def _relit(image: Image, rng: np.random.Generator) -> Image:
    """Another exposure, tint and noise, sometimes out of focus or compressed harder."""
    picture = image.astype(np.float32)
    if rng.random() < 0.3:
        picture = cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.3, 0.9)))
    gain = np.exp(rng.normal(0, 0.15)) * (1 + np.clip(rng.normal(0, 0.04, 3), -0.12, 0.12))
    picture = picture * gain.astype(np.float32) + np.float32(rng.normal(0, 4))
    picture += rng.normal(0, rng.uniform(0.5, 4), picture.shape).astype(np.float32)
    result = np.asarray(np.clip(picture, 0, 255), np.uint8)
    if rng.random() < 0.3:
        quality = int(rng.integers(45, 96))
        _, coded = cv2.imencode(".jpg", result, [cv2.IMWRITE_JPEG_QUALITY, quality])
        result = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)
    return result
