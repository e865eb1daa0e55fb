"""Reads what a card is from a straightened crop of its whole face, with or without corner indices."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
from numpy.typing import NDArray
from veedor.vision.errors import VisionError
from veedor.vision.outline import refine_outline

RANKS = "A23456789TJQK"
SUITS = "SHDC"
CROP_WIDTH_PX, CROP_HEIGHT_PX = 72, 100
MARGIN = 0.06  # of the card's side, kept around it: the weights were trained with this much felt in view

# Below this the reader answers `?`. Probabilities are calibrated, so 0.6 is wrong at most twice in five
# on the worst crops and hardly ever on clear ones.
MIN_PROB = 0.6
# Corners that the paper moves by more than this share of the card's side are not taken for granted.
TRUSTED_CORRECTION = 0.06
# A picture enlarged more than this in one step of linear sampling would alias when shrunk to the crop.
LARGEST_SHRINK = 1.5

Floats = NDArray[np.float32]


def rectify(
    image_bgr: NDArray[np.uint8], corners_px: NDArray[np.floating], *, margin: float = MARGIN
) -> NDArray[np.uint8]:
    """The card straightened: BGR uint8 (100, 72, 3), its first edge at the top, `margin` of felt around it.

    `corners_px` (4, 2): the card's sharp corners clockwise as seen, first edge a short one, pixels of
    `image_bgr` with (0, 0) the centre of the first. What lies outside the picture repeats its edge.
    """
    corners = np.asarray(corners_px, dtype=np.float64)
    if corners.shape != (4, 2):
        raise ValueError(f"a card has corners (4, 2), found {corners.shape}")
    short_edges = np.linalg.norm(corners[[1, 2]] - corners[[0, 3]], axis=1)
    short_px = max(float(short_edges.max()), 1.0)
    shrink = short_px * (1 + 2 * margin) / CROP_WIDTH_PX
    if shrink > LARGEST_SHRINK:
        image_bgr, corners = _shrunk(image_bgr, corners, shrink)
    left, top = CROP_WIDTH_PX * margin / (1 + 2 * margin), CROP_HEIGHT_PX * margin / (1 + 2 * margin)
    right, bottom = CROP_WIDTH_PX - left, CROP_HEIGHT_PX - top
    target = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], dtype=np.float32) - 0.5
    homography = cv2.getPerspectiveTransform(corners.astype(np.float32), target)
    crop = cv2.warpPerspective(
        image_bgr,
        homography,
        (CROP_WIDTH_PX, CROP_HEIGHT_PX),
        flags=cv2.INTER_LINEAR if shrink > 1 else cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(crop, dtype=np.uint8)


def _shrunk(
    image_bgr: NDArray[np.uint8], corners: NDArray[np.float64], shrink: float
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """The card's surroundings averaged down by `shrink`, and the corners in them."""
    height, width = image_bgr.shape[:2]
    reach = np.ptp(corners, axis=0) * 0.2 + 4
    low = np.clip(np.floor(corners.min(axis=0) - reach), 0, (width - 1, height - 1)).astype(int)
    high = np.clip(np.ceil(corners.max(axis=0) + reach), low + 1, (width, height)).astype(int)
    part = image_bgr[low[1] : high[1], low[0] : high[0]]
    size = np.maximum(np.round((high - low) / shrink), 1).astype(int)
    small = cv2.resize(part, (int(size[0]), int(size[1])), interpolation=cv2.INTER_AREA)
    scale = size / (high - low)
    return np.asarray(small, dtype=np.uint8), (corners - low + 0.5) * scale - 0.5


@dataclass(frozen=True)
class CardReadings:
    """Readings of n crops, each row of probabilities summing to one.

    `rank_probs` (n, 13) by `RANKS`, `suit_probs` (n, 4) by `SUITS`, both given that it is a face;
    `face_prob` and `back_prob` (n,), the rest up to one being neither. All float32.
    """

    rank_probs: Floats
    suit_probs: Floats
    face_prob: Floats
    back_prob: Floats

    def __post_init__(self) -> None:
        count = len(self.face_prob)
        found = self.rank_probs.shape, self.suit_probs.shape, self.back_prob.shape
        if found != ((count, len(RANKS)), (count, len(SUITS)), (count,)):
            raise ValueError(
                f"readings of {count} crops need ranks ({count}, 13), suits ({count}, 4), backs ({count},), "
                f"found {', '.join(map(str, found))}"
            )

    def __len__(self) -> int:
        return len(self.face_prob)

    def where(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> CardReadings:
        """The rows that `keep` (mask or indices) selects."""
        return CardReadings(
            self.rank_probs[keep], self.suit_probs[keep], self.face_prob[keep], self.back_prob[keep]
        )

    def best(self, index: int, min_prob: float = MIN_PROB) -> str:
        """Row `index` in two signs like `7H`; a sign less probable than `min_prob` is `?`, so `7?` or `??`.

        What is more likely no face than one is `??`.
        """
        if self.face_prob[index] < 0.5:
            return "??"
        rank, suit = self.rank_probs[index], self.suit_probs[index]
        return (RANKS[int(rank.argmax())] if rank.max() >= min_prob else "?") + (
            SUITS[int(suit.argmax())] if suit.max() >= min_prob else "?"
        )

    @classmethod
    def empty(cls) -> CardReadings:
        none = np.zeros(0, np.float32)
        return cls(np.zeros((0, len(RANKS)), np.float32), np.zeros((0, len(SUITS)), np.float32), none, none)


class Reader:
    """The card reader's weights, ready to read. Not tied to a table: the crop is all it sees."""

    def __init__(self, model_path: str | Path, *, threads: int = 1) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        try:
            self._session = onnxruntime.InferenceSession(
                str(model_path), sess_options=options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # ONNX Runtime's own errors share no public base
            raise VisionError(f"{model_path}: not a readable model file: {error}".splitlines()[0]) from error
        names = {output.name for output in self._session.get_outputs()}
        if not {"rank_probs", "suit_probs", "kind_probs"} <= names:
            raise VisionError(f"{model_path}: not a card reader; its outputs are {', '.join(sorted(names))}")

    def read_cards(self, image_bgr: NDArray[np.uint8], corners_px: NDArray[np.floating]) -> CardReadings:
        """Read the cards that a detector outlined as `corners_px` (n, 4, 2), px of `image_bgr`.

        Each outline is corrected by the card's paper first. Where the correction is large it may be a
        neighbour's fault, so the detection is read as well and the two readings are averaged.
        """
        crops, owners = [], []
        for row, corners in enumerate(np.asarray(corners_px, dtype=np.float64)):
            refined = refine_outline(image_bgr, corners)
            side_px = float(np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1).mean())
            moved = float(np.linalg.norm(refined - corners, axis=1).max()) / max(side_px, 1.0)
            for outline in (refined, corners) if moved > TRUSTED_CORRECTION else (refined,):
                crops.append(rectify(image_bgr, outline))
                owners.append(row)
        if not crops:
            return CardReadings.empty()
        readings = self.read(np.stack(crops))
        owner, count = np.array(owners), np.bincount(owners)

        def averaged(column: Floats) -> Floats:
            total = np.zeros((len(count), *column.shape[1:]), np.float32)
            np.add.at(total, owner, column)
            return np.asarray(total / count.reshape(-1, *[1] * (column.ndim - 1)), np.float32)

        return CardReadings(
            averaged(readings.rank_probs),
            averaged(readings.suit_probs),
            averaged(readings.face_prob),
            averaged(readings.back_prob),
        )

    def read(self, crops: NDArray[np.uint8], *, batch: int = 64) -> CardReadings:
        """Read crops BGR uint8 (n, 100, 72, 3) made by `rectify`, either way up."""
        if len(crops) == 0:
            return CardReadings.empty()
        if crops.dtype != np.uint8 or crops.shape[1:] != (CROP_HEIGHT_PX, CROP_WIDTH_PX, 3):
            raise ValueError(
                f"crops are uint8 (n, {CROP_HEIGHT_PX}, {CROP_WIDTH_PX}, 3), "
                f"found {crops.dtype} {crops.shape}"
            )
        ranks, suits, kinds = [], [], []
        for start in range(0, len(crops), batch):
            part = np.ascontiguousarray(crops[start : start + batch])
            rank, suit, kind = self._session.run(["rank_probs", "suit_probs", "kind_probs"], {"crops": part})
            ranks.append(rank)
            suits.append(suit)
            kinds.append(kind)
        kind = np.concatenate(kinds)
        return CardReadings(
            np.concatenate(ranks), np.concatenate(suits), kind[:, 0].copy(), kind[:, 1].copy()
        )
