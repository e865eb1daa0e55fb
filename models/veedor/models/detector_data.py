"""Fills tile stores: rendered tables, composites on photographs, and photographs with outlined cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.training_stills import StillOptions, write_stills
from veedor.models.composites import composite
from veedor.models.detector_tiles import write_tile
from veedor.models.labels import upright
from veedor.models.photographs import BoxedPicture
from veedor.vision.card_edges import fit_outlines
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.obb import iou_matrix

FloatArray = NDArray[np.float64]
Picture = NDArray[np.uint8]

STILL_PX = 384
# A card's outline is taken as found where the box round it agrees with the label this well.
AGREEMENT_IOU = 0.86
SURE_SCORE = 0.5
TILE_CARD_PX = (30.0, 48.0, 80.0)  # widths at which a photograph's cards are stored


def make_stills(store: Path, count: int) -> int:
    """Render the first `count` training pictures that are not there yet; how many were made."""
    return write_stills(store, range(count), "train", StillOptions(STILL_PX))


def make_composites(store: Path, count: int, photographs: Sequence[Picture] = ()) -> int:
    """Make the first `count` composites that are not there yet; how many were made."""
    made = 0
    for seed in range(count):
        name = f"c{seed:06d}"
        if not (store / "images" / f"{name}.jpg").is_file():
            picture = composite(seed, photographs)
            write_tile(store, name, picture.image, picture.corners_px, picture.class_ids)
            made += 1
    return made


def outline_photographs(
    store: Path, pictures: Sequence[BoxedPicture], find: Callable[[Picture], Detections]
) -> tuple[int, int]:
    """Store photographs whose every labelled card `find` outlines as its box demands: how many, how many not.

    `find` detects at several scales with an earlier detector. Where a labelled card is not confirmed, or
    something is found that no label explains, the picture is left out: a wrong outline teaches more harm
    than a missing picture does.
    """
    taken = 0
    for picture in pictures:
        image = picture.read()
        outlines = _confirmed(image, picture, find(image))
        if outlines is not None:
            taken += 1
            _write_scales(store, picture.path.stem, image, outlines)
    return taken, len(pictures) - taken


def _confirmed(image: Picture, picture: BoxedPicture, found: Detections) -> FloatArray | None:
    """Outlines (n, 4, 2) of all labelled cards, or None."""
    faces = found.where(
        np.flatnonzero((found.class_ids <= int(ObjectClass.CARD_BACK)) & (found.scores > 0.2))
    )
    if len(faces) == 0 or len(picture.boxes_px) == 0:
        return None
    rough = faces.corners_px.astype(np.float64)
    fitted = fit_outlines(image, rough).astype(np.float64)
    truth = np.array([upright(box) for box in picture.boxes_px])
    chosen: list[FloatArray] = []
    used: set[int] = set()
    candidates = np.stack([rough, fitted])
    overlap = np.stack([iou_matrix(truth, _around(each)) for each in candidates])
    for row in range(len(truth)):
        which, column = np.unravel_index(overlap[:, row].argmax(), overlap[:, row].shape)
        if overlap[which, row, column] < AGREEMENT_IOU:
            return None
        chosen.append(candidates[which, column])
        used.add(int(column))
    for index in range(len(faces)):
        if index not in used and faces.scores[index] > SURE_SCORE:
            return None
    return np.array(chosen)


def _around(quads: FloatArray) -> FloatArray:
    boxes = np.hstack([quads.min(axis=1), quads.max(axis=1)])
    return np.array([upright(box) for box in boxes]).reshape(-1, 4, 2)


def _write_scales(store: Path, name: str, image: Picture, outlines: FloatArray) -> None:
    edges = np.linalg.norm(np.roll(outlines, -1, axis=1) - outlines, axis=2)
    width = float(np.median(edges.min(axis=1)))
    kinds = np.full(len(outlines), int(ObjectClass.CARD_FACE))
    for target in TILE_CARD_PX:
        scale = target / width
        if scale < 1.3:
            size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
            way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
            small = np.asarray(cv2.resize(image, size, interpolation=way), dtype=np.uint8)
            ratio = np.array(size) / np.array([image.shape[1], image.shape[0]])
            write_tile(store, f"{name}-{target:.0f}", small, (outlines + 0.5) * ratio - 0.5, kinds)
