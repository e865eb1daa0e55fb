"""A simulated session as labelled pictures: frames of its video with the truth that drew them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from veedor.datasets.digests import sha256_of
from veedor.datasets.formats.faults import FormatFault
from veedor.datasets.formats.frame_numbers import Shown, frames_at
from veedor.datasets.formats.outlines import outline_inside
from veedor.datasets.formats.reading import parse_json
from veedor.datasets.labelled import (
    LabelError,
    LabelledObject,
    LabelledPicture,
    LabelledSet,
    corners_of_detection,
)
from veedor.datasets.labelled_json import KIND_BY_NAME
from veedor.datasets.simulate import BOXES, TABLE, VIDEO
from veedor.rules.cards import RANKS, SUITS
from veedor.vision.detections import ObjectClass
from veedor.vision.sources import VideoSource
from veedor.vision.table import Table
from veedor.vision.table_file import load_table

AUTHOR = "simulator"
LEAST_VISIBLE = 0.15  # of an object; less is not labelled
WHOLLY_VISIBLE = 0.98


@dataclass(frozen=True)
class SimulatedLabels:
    """A simulated session's labels, its table, and its recording's SHA-256."""

    labels: LabelledSet
    table: Table
    recording: str
    video: Path


def is_simulated(folder: Path) -> bool:
    """Whether a folder is what `veedor simulate` has written, with its video."""
    return all((folder / name).is_file() for name in (BOXES, VIDEO, TABLE))


def simulated_labels(folder: Path, into: Path, every: int = 25) -> SimulatedLabels:
    """Every so many frames of the session, decoded into `into` as `ID.png`, with everything that shows."""
    table = load_table(folder / TABLE)
    source = VideoSource(folder / VIDEO)
    lines = (folder / BOXES).read_text(encoding="utf-8").splitlines()
    if len(lines) != source.info.frames:
        raise FormatFault(folder / BOXES, f"{len(lines)} lines for {source.info.frames} frames of the video")
    digest = sha256_of(folder / VIDEO)
    pictures = []
    for shown in frames_at(folder / VIDEO, range(0, len(lines), every)):
        record = _record(lines[shown.number], folder / BOXES, shown, source.info.rate_fps)
        picture = _picture(record, shown, table, digest)
        cv2.imwrite(str(into / f"{picture.id}.png"), shown.image)
        pictures.append(picture)
    labels = LabelledSet(table.id, digest[:12], tuple(pictures), into)
    return SimulatedLabels(labels, table, digest, folder / VIDEO)


def _record(line: str, path: Path, shown: Shown, rate_fps: float) -> Mapping[str, Any]:
    """The line of a frame, which must say its number and its time: a line too many would shift them all."""
    record = parse_json(line, path, shown.number + 1)
    try:
        told, t_s = int(record["index"]), float(record["t"])
    except (KeyError, TypeError, ValueError):
        raise FormatFault(path, "not a frame with an index and a time", shown.number + 1) from None
    found = float(shown.pts * shown.time_base)
    if told != shown.number or not math.isclose(t_s, found, abs_tol=0.25 / rate_fps):
        fault = f"is of frame {told} at {t_s} s, the video's frame {shown.number} of {found:.4f} s"
        raise FormatFault(path, fault, shown.number + 1)
    return dict(record)


def _picture(record: Mapping[str, Any], shown: Shown, table: Table, digest: str) -> LabelledPicture:
    height, width = shown.image.shape[:2]
    try:
        objects = tuple(
            _object(box, table, (width, height))
            for box in record["objects"]
            if box["visible_fraction"] >= LEAST_VISIBLE
        )
        return LabelledPicture(
            f"{digest[:12]}-{shown.number:06d}", digest, shown.pts, shown.time_base, width, height,
            f"{table.id}-{digest[:12]}", table.id, None, AUTHOR, 0, objects,
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, LabelError) as fault:
        raise FormatFault(BOXES, f"not an object as it was drawn: {fault}", shown.number + 1) from None


def _object(box: Mapping[str, Any], table: Table, size: tuple[int, int]) -> LabelledObject:
    kind = KIND_BY_NAME[box["class"]]
    corners = corners_of_detection(np.array(box["corners_px"], np.float64))
    face = box.get("face") if kind is ObjectClass.CARD_FACE else None
    chips = tuple(box["chips"]) if box.get("chips") else None
    zone = table.layout.zone_at(*box["base_mm"])
    extra = {"visible_fraction": json.dumps(box["visible_fraction"])}
    return LabelledObject(
        id=box["id"],
        kind=kind,
        corners_px=corners,
        rank=face[0] if face and face[0] in RANKS else None,
        suit=face[1] if face and face[1] in SUITS else None,
        chips=chips,
        count=None if chips is None else len(chips),
        zone=None if zone is None else zone.name,
        occluded=box["visible_fraction"] < WHOLLY_VISIBLE,
        truncated=outline_inside(corners, size) != corners,
        extra=tuple(extra.items()),
    )
