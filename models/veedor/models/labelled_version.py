"""A frozen version of labelled pictures: a folder that never changes, and is checked when it is read.

    manifest.json                what it is: sessions with their splits, tables, the sha256 of every file
    labels.jsonl                 every picture with everything that is labelled in it
    images/SPLIT/ID.png          the pixels
    labels/SPLIT/ID.txt, …       the outlines in YOLO-OBB form, for other programs
    tables/….toml                the calibrated table of each session

Splits go by session, so that no night is both learnt from and measured on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.digests import sha256_of
from veedor.datasets.labelled import LabelError, LabelledObject, LabelledPicture, detection_of_corners
from veedor.datasets.labelled_json import picture_from_json
from veedor.models import labels
from veedor.models.errors import EvaluationError, TrainingError
from veedor.vision.detections import ObjectClass
from veedor.vision.errors import VisionError
from veedor.vision.footprints import CARDS, CHIPS
from veedor.vision.table import Table
from veedor.vision.table_file import load_table

SCHEMA = 1
MANIFEST, LABELS, IMAGES, TABLES = "manifest.json", "labels.jsonl", "images", "tables"
TRAIN = "train"
VISIBLE = "visible_fraction"  # in an object's `extra`, where that is known
OCCLUDED_VISIBLE = 0.5  # of something that is said to be covered in part, and not how much
MIN_VISIBLE = 0.25  # of something that has to be found


@dataclass(frozen=True)
class LabelledVersion:
    """A version that was found whole. `tables` are calibrated tables by session, where there are any."""

    folder: Path
    name: str
    number: int
    digest: str
    pictures: tuple[LabelledPicture, ...]
    tables: Mapping[str, Table]

    @property
    def label(self) -> str:
        """The version in one line, as a manifest of weights tells it."""
        return f"{self.name} version {self.number}, sha256 {self.digest}"

    @cached_property
    def training(self) -> tuple[LabelledPicture, ...]:
        return tuple(each for each in self.pictures if each.split == TRAIN)

    @cached_property
    def held_out(self) -> tuple[LabelledPicture, ...]:
        """What was never trained on: every other split."""
        return tuple(each for each in self.pictures if each.split != TRAIN)

    def file_of(self, picture: LabelledPicture) -> Path:
        return self.folder / image_name(picture)

    def image_of(self, picture: LabelledPicture) -> NDArray[np.uint8]:
        """The pixels, BGR; TrainingError if they cannot be read."""
        image = cv2.imread(str(self.file_of(picture)), cv2.IMREAD_COLOR)
        if image is None:
            raise TrainingError(f"{self.file_of(picture)}: not a readable picture")
        return np.asarray(image, np.uint8)


def image_name(picture: LabelledPicture) -> str:
    """Where a picture's pixels stand in its version."""
    return f"{IMAGES}/{picture.split}/{picture.id}.png"


def visible(item: LabelledObject) -> float:
    """The share of an object that shows, as far as its label tells."""
    told = dict(item.extra).get(VISIBLE)
    try:
        share = float(told) if told is not None else None
    except ValueError:
        share = None
    if share is not None:
        return min(max(share, 0.0), 1.0)
    return OCCLUDED_VISIBLE if item.occluded else 1.0


def read_version(folder: Path) -> LabelledVersion:
    """The version in `folder`; EvaluationError names the file that is missing, changed or not understood."""
    manifest = read_manifest(folder)
    _check_files(folder, manifest["files"])
    try:
        lines = (folder / LABELS).read_text(encoding="utf-8").splitlines()
        pictures = tuple(picture_from_json(json.loads(line)) for line in lines)
    except (LabelError, ValueError, RecursionError) as fault:
        raise EvaluationError(f"{folder / LABELS}: {fault}") from fault
    known = {each.session for each in pictures}
    tables = {}
    for session, name in manifest["tables"].items():
        if session in known:
            try:
                tables[session] = load_table(folder / name)
            except VisionError as fault:
                raise EvaluationError(str(fault)) from fault
    digest = sha256_of(folder / MANIFEST)
    return LabelledVersion(folder, manifest["name"], manifest["version"], digest, pictures, tables)


def read_manifest(folder: Path) -> dict[str, Any]:
    """What a version's manifest says; EvaluationError if it is none."""
    path = folder / MANIFEST
    manifest = labels.read_json(path)
    if manifest.get("schema") != SCHEMA:
        raise EvaluationError(f"{path}: not a manifest of labelled pictures of schema {SCHEMA}")
    for key, kind in (("files", dict), ("tables", dict), ("name", str), ("version", int)):
        if not isinstance(manifest.get(key), kind):
            raise EvaluationError(f"{path}: {key!r} is missing or not what it must be")
    return manifest


def _check_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, digest in sorted(files.items()):
        path = folder / name
        if ".." in Path(name).parts or Path(name).is_absolute():
            raise EvaluationError(f"{folder / MANIFEST}: {name!r} leads out of the version")
        if not path.is_file():
            raise EvaluationError(f"{path}: missing, though the version's manifest lists it")
        if sha256_of(path) != digest:
            raise EvaluationError(f"{path}: changed since the version was frozen")
    if LABELS not in files:
        raise EvaluationError(f"{folder / MANIFEST}: lists no {LABELS}")


def held_out_set(version: LabelledVersion) -> labels.LabelledSet:
    """The pictures that were kept from training, as a set to measure weights on."""
    return as_labelled_set(version, version.held_out)


def as_labelled_set(version: LabelledVersion, pictures: Iterable[LabelledPicture]) -> labels.LabelledSet:
    """Pictures of a version as a set to measure weights on, each at its session's table."""
    return labels.LabelledSet(
        f"{version.name}-{version.number}", tuple(_measured(version, each) for each in pictures)
    )


def _measured(version: LabelledVersion, picture: LabelledPicture) -> labels.LabelledPicture:
    table = version.tables.get(picture.session)
    worth = {chip.name: chip.value for chip in table.chips} if table is not None else {}
    cards, chips = [], []
    for item in picture.objects:
        corners = detection_of_corners(item.corners_px)
        asked = not item.truncated and visible(item) >= MIN_VISIBLE
        if item.kind in CARDS:
            up = item.kind is ObjectClass.CARD_FACE
            rank, suit = (item.rank, item.suit) if up else (None, None)
            cards.append(labels.CardLabel(corners, rank, suit, face_up=up, asked=asked))
        elif item.kind in CHIPS:
            plaque = item.kind is ObjectClass.PLAQUE
            known = item.chips is not None and all(name in worth for name in item.chips)
            values = tuple(worth[name] for name in item.chips or ()) if known else None
            chips.append(labels.ChipLabel(corners, plaque, asked=asked, values=values or None))
    calibrated = table if table is not None and table.camera is not None else None
    return labels.LabelledPicture(version.file_of(picture), tuple(cards), tuple(chips), calibrated)
