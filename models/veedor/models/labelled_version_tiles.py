"""Labelled pictures as training tiles of the detector, mixed with what it learnt before.

A picture of a calibrated table is cut as the detector sees it there: straightened where the camera looks
aslant, at the scales of a look. Without a table the labelled cards say what scale is wanted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.labelled import LabelledPicture, continuous, detection_of_corners, on_resized
from veedor.datasets.yolo_labels import inside_box
from veedor.models.detector_tiles import JPEG_QUALITY, Tile, TileStores, round_upright
from veedor.models.labelled_version import MIN_VISIBLE, LabelledVersion, visible
from veedor.vision.detections import ObjectClass
from veedor.vision.footprints import felt_quads
from veedor.vision.motion import Region
from veedor.vision.perceive import CLOSE_PX_PER_MM, DETECTOR_PX_PER_MM
from veedor.vision.straight_view import straight_views
from veedor.vision.table import Table

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]
Labelled = tuple[Image, FloatArray, NDArray[np.int64]]

TILE_PX, STEP_PX = 416, 320
FITTED_BY = 100  # tiles of each kind
EMPTY_SHARE = 0.15  # of the tiles in which nothing is labelled so many are kept
CARD_PX = 31.5  # a card's width at the scale of a look
SLANTED_ROOM_MM = 150.0


@dataclass(frozen=True)
class MixedTiles:
    """Tiles of labelled pictures and so large a `share` of earlier ones in every pass."""

    labelled: tuple[Tile, ...]
    rehearsal: TileStores | None
    share: float

    def refresh(self) -> None:
        if self.rehearsal is not None:
            self.rehearsal.refresh()

    def training(self) -> list[Tile]:
        return [*self.labelled, *(self.rehearsal.training() if self.rehearsal is not None else [])]

    def held_out(self) -> list[Tile]:
        """What integers are fitted by: tiles of both kinds, from small stores as many as there are."""
        earlier: list[Tile] = []
        if self.rehearsal is not None:
            every = self.rehearsal.held_out() + self.rehearsal.training()
            earlier = every[:: max(1, len(every) // FITTED_BY)]
        return [*self.labelled[:: max(1, len(self.labelled) // FITTED_BY)], *earlier]

    def epoch(self, rng: np.random.Generator) -> list[Tile]:
        """Every labelled tile once, and earlier ones drawn anew to make up their share."""
        if self.rehearsal is None or self.share <= 0:
            return list(self.labelled)
        earlier = self.rehearsal.training()
        wanted = round(len(self.labelled) * self.share / (1 - self.share))
        chosen = rng.choice(len(earlier), min(wanted, len(earlier)), replace=False)
        return [*self.labelled, *(earlier[int(index)] for index in np.sort(chosen))]


def version_tiles(version: LabelledVersion, pictures: Sequence[LabelledPicture]) -> tuple[Tile, ...]:
    """Tiles of a version's pictures, always the same."""
    tiles: list[Tile] = []
    for picture in pictures:
        image = version.image_of(picture)
        wanted = [item for item in picture.objects if visible(item) >= MIN_VISIBLE]
        corners = np.array([detection_of_corners(item.corners_px) for item in wanted]).reshape(-1, 4, 2)
        kinds = np.array([int(item.kind) for item in wanted], np.int64)
        table = version.tables.get(picture.session)
        whole = (image, corners, kinds)
        views = _table_views(whole, table) if table is not None else _free_views(whole)
        for number, view in enumerate(views):
            tiles += _cut(f"{picture.id}-{number}", *view)
    return tuple(tiles)


def _table_views(whole: Labelled, table: Table) -> Iterator[Labelled]:
    """The picture at the scales of a look at the table."""
    image, corners, kinds = whole
    camera = table.camera
    if camera is None:
        yield from _free_views(whole)
        return
    outline = _grown(table.layout.outline_mm)
    height, width = image.shape[:2]
    slanted = straight_views(camera, outline, (DETECTOR_PX_PER_MM, CLOSE_PX_PER_MM))
    for scale in (DETECTOR_PX_PER_MM, CLOSE_PX_PER_MM):
        if slanted:
            view, begins = slanted[scale].crop(image, Region(0, 0, width, height))
            start = np.array([outline[:, 0].min(), outline[:, 1].max()])
            felt = felt_quads(camera, corners.astype(np.float32)) if len(corners) else corners
            yield view, (felt - start) * (scale, -scale) - 0.5 - np.array(begins), kinds
        else:
            middle = camera.to_felt(np.array([[width / 2, height / 2]]))[0]
            yield _scaled(whole, scale / camera.px_per_mm(float(middle[0]), float(middle[1])))


def _free_views(whole: Labelled) -> Iterator[Labelled]:
    """The picture with its cards about as wide as they are at a table."""
    _, corners, kinds = whole
    cards = corners[kinds <= int(ObjectClass.CARD_BACK)]
    if not len(cards):
        return
    edges = np.linalg.norm(np.roll(cards, -1, axis=1) - cards, axis=2)
    width = float(np.median(edges.min(axis=1)))
    for scale in (1.0, CLOSE_PX_PER_MM / DETECTOR_PX_PER_MM):
        yield _scaled(whole, min(CARD_PX * scale / max(width, 1.0), 1.5))


def _scaled(whole: Labelled, scale: float) -> Labelled:
    image, corners, kinds = whole
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = np.asarray(cv2.resize(image, size, interpolation=method), np.uint8)
    ratio = np.array(size) / np.array([image.shape[1], image.shape[0]])
    return small, on_resized(corners, ratio), kinds


def _grown(outline_mm: FloatArray) -> FloatArray:
    middle = (outline_mm.max(axis=0) + outline_mm.min(axis=0)) / 2
    return np.asarray(outline_mm + np.sign(outline_mm - middle) * SLANTED_ROOM_MM)


def _cut(name: str, image: Image, corners: FloatArray, kinds: NDArray[np.int64]) -> Iterator[Tile]:
    """Overlapping squares that cover the picture; of empty ones every few."""
    height, width = image.shape[:2]
    empty = 0.0
    for top in _starts(height):
        for left in _starts(width):
            part = image[top : top + TILE_PX, left : left + TILE_PX]
            size = (part.shape[1], part.shape[0])
            kept = [
                (box, int(kind))
                for quad, kind in zip(corners, kinds, strict=True)
                if (box := inside_box(quad - (left, top), size)) is not None
            ]
            empty += 0.0 if kept else EMPTY_SHARE
            if not kept and empty < 1:
                continue
            empty = empty % 1
            _, coded = cv2.imencode(".jpg", part, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
            boxes = np.array([box for box, _ in kept]).reshape(-1, 4, 2)
            classes = np.array([kind for _, kind in kept], np.int64)
            upright = round_upright(continuous(boxes), classes) if kept else boxes
            yield Tile(f"{name}-{left}-{top}", np.asarray(coded, np.uint8), upright, classes)


def _starts(length: int) -> list[int]:
    """Where tiles begin so that they cover a side with even overlaps."""
    if length <= TILE_PX:
        return [0]
    count = 1 + -(-(length - TILE_PX) // STEP_PX)
    return [round(value) for value in np.linspace(0, length - TILE_PX, count)]
