"""Labelled pictures that the shipped weights are measured on, whatever form a set keeps its labels in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from veedor.models.errors import EvaluationError

FloatArray = NDArray[np.float64]

# A card of which less is visible is not asked for, nor is finding it a fault.
MIN_VISIBLE = 0.5
_RANKS_BY_NAME = {"ace": "A", "nine": "9", "ten": "T", "jack": "J", "queen": "Q", "king": "K"}


@dataclass(frozen=True)
class CardLabel:
    """One true card. `corners_px` (4, 2); rank, suit and face are None where the set does not say."""

    corners_px: FloatArray
    rank: str | None = None
    suit: str | None = None
    face_up: bool | None = None
    asked: bool = True


@dataclass(frozen=True)
class ChipLabel:
    """One true stack or plaque: `corners_px` (4, 2), a box round it."""

    corners_px: FloatArray
    plaque: bool


@dataclass(frozen=True)
class LabelledPicture:
    path: Path
    cards: tuple[CardLabel, ...]
    chips: tuple[ChipLabel, ...] = ()


@dataclass(frozen=True)
class LabelledSet:
    """A named set. `upright_boxes`: labels are axis-aligned, and so are found cards to be compared.

    `edge_unlabelled`: cards cut by the picture's edge are not all labelled, so finding one is no fault.
    """

    name: str
    pictures: tuple[LabelledPicture, ...]
    upright_boxes: bool = False
    edge_unlabelled: bool = False


def load_set(name: str, data: Path) -> LabelledSet:
    """The set `name`, found as `data/name` or `data/real/name`; EvaluationError if it is not there."""
    reader = _READERS.get(name)
    if reader is None:
        raise EvaluationError(f"{name}: no such labelled set; known are {', '.join(SET_NAMES)}")
    if not data.is_dir():
        raise EvaluationError(f"{data}: no such folder of labelled sets")
    for folder in (data / name, data / "real" / name):
        if folder.is_dir():
            return reader(folder)
    raise EvaluationError(f"{data}: holds no set {name!r} (looked for {name} and real/{name})")


def _felt_webcam(folder: Path) -> LabelledSet:
    """Frames of a webcam over cards and chips: `labels.json`, polygons labelled `10C` or `chip:red`."""
    pictures = []
    for name, entries in sorted(_json(folder / "labels.json").items()):
        cards, chips = [], []
        for entry in entries:
            polygon = np.array(entry["polygon"], dtype=np.float64)
            if entry["label"].startswith("chip"):
                low, high = polygon.min(axis=0), polygon.max(axis=0)
                chips.append(ChipLabel(upright(np.concatenate([low, high])), plaque=False))
            else:
                rank = entry["label"][:-1].replace("10", "T")
                cards.append(CardLabel(polygon, rank, entry["label"][-1], face_up=True))
        pictures.append(LabelledPicture(folder / name, tuple(cards), tuple(chips)))
    return LabelledSet(folder.name, tuple(pictures))


def _phone_photos(folder: Path) -> LabelledSet:
    """The test part of photographs by hand: `labels.json`, upright boxes, ranks by name, no suits."""
    pictures = []
    for name, entries in sorted(_json(folder / "labels.json").items()):
        if name.startswith("test/"):
            cards = tuple(
                CardLabel(
                    upright(np.array(entry["box"], dtype=np.float64)),
                    rank=_RANKS_BY_NAME.get(entry["label"]),
                    face_up=True,
                )
                for entry in entries
            )
            pictures.append(LabelledPicture(folder / name, cards))
    return LabelledSet(folder.name, tuple(pictures), upright_boxes=True, edge_unlabelled=True)


def _photoreal(folder: Path) -> LabelledSet:
    """Path-traced tables: one JSON a picture with every object and its visible share."""
    pictures = []
    for path in sorted(folder.glob("*.json")):
        truth = _json(path)
        if "objects" not in truth:
            continue  # the layout of the table
        cards, chips = [], []
        for thing in truth["objects"]:
            seen = thing["visible_fraction"] >= MIN_VISIBLE
            if thing["class"] in ("card_face", "card_back"):
                up = thing["class"] == "card_face"
                cards.append(
                    CardLabel(
                        np.array(thing["quad_px"], dtype=np.float64),
                        thing.get("rank", "").replace("10", "T") or None if up else None,
                        thing.get("suit") if up else None,
                        face_up=up,
                        asked=seen,
                    )
                )
            elif thing["class"] in ("chip_stack", "plaque") and thing.get("role") == "bet" and seen:
                outline = thing["quad_px"] if thing["class"] == "plaque" else thing["polygon_px"]
                chips.append(ChipLabel(_box_round(outline), plaque=thing["class"] == "plaque"))
        pictures.append(LabelledPicture(folder / truth["image"], tuple(cards), tuple(chips)))
    return LabelledSet(folder.name, tuple(pictures))


_READERS: Mapping[str, Callable[[Path], LabelledSet]] = {
    "felt-webcam": _felt_webcam,
    "felt-webcam-noindex": _felt_webcam,
    "phone-photos": _phone_photos,
    "photoreal": _photoreal,
}
SET_NAMES = tuple(_READERS)


def upright(box: FloatArray) -> FloatArray:
    """Corners (4, 2), clockwise, of a box x0 y0 x1 y1."""
    x0, y0, x1, y1 = box
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


def _box_round(points: Any) -> FloatArray:
    import cv2

    return np.asarray(cv2.boxPoints(cv2.minAreaRect(np.array(points, dtype=np.float32))), dtype=np.float64)


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as fault:
        raise EvaluationError(f"{path}: missing") from fault
    except (json.JSONDecodeError, UnicodeDecodeError) as fault:
        raise EvaluationError(f"{path}: not readable as JSON: {fault}") from fault
    if not isinstance(content, dict):
        raise EvaluationError(f"{path}: expected a JSON object, found {type(content).__name__}")
    return content
