"""Labelled pictures that the shipped weights are measured on, by the name of their set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from veedor.models.errors import EvaluationError
from veedor.models.labels import CardLabel, ChipLabel, LabelledPicture, LabelledSet, read_json, upright
from veedor.models.photoreal_tables import load_photoreal
from veedor.models.rendered_set import RENDERED, load_rendered

_RANKS_BY_NAME = {"ace": "A", "nine": "9", "ten": "T", "jack": "J", "queen": "Q", "king": "K"}


def load_set(name: str, data: Path) -> LabelledSet:
    """The set `name`, found as `data/name` or `data/real/name`; EvaluationError if it is not there."""
    if name == RENDERED:
        return load_rendered()
    reader = _READERS.get(name)
    if reader is None:
        raise EvaluationError(f"{name}: no such labelled set; known are {', '.join(SET_NAMES)}")
    if not data.is_dir():
        raise EvaluationError(f"{data}: no such folder of labelled sets")
    folder = _folder_of(name, data)
    if folder is None:
        raise EvaluationError(f"{data}: holds no set {name!r} (looked for {name} and real/{name})")
    return reader(folder)


def sets_there(data: Path | None) -> tuple[str, ...]:
    """The names of the sets that a folder holds; the rendered one is always there."""
    found = [name for name in _READERS if data is not None and _folder_of(name, data) is not None]
    return (*found, RENDERED)


def _folder_of(name: str, data: Path) -> Path | None:
    return next((folder for folder in (data / name, data / "real" / name) if folder.is_dir()), None)


def _felt_webcam(folder: Path) -> LabelledSet:
    """Frames of a webcam over cards and chips: `labels.json`, polygons labelled `10C` or `chip:red`."""
    pictures = []
    for name, entries in sorted(read_json(folder / "labels.json").items()):
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
    for name, entries in sorted(read_json(folder / "labels.json").items()):
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


_READERS: Mapping[str, Callable[[Path], LabelledSet]] = {
    "felt-webcam": _felt_webcam,
    "felt-webcam-noindex": _felt_webcam,
    "phone-photos": _phone_photos,
    "photoreal": load_photoreal,
}
SET_NAMES = (*_READERS, RENDERED)
