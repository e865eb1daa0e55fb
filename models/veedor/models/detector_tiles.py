"""Training tiles of the detector: how they are stored, varied and put into batches.

A store is a folder in the YOLO-OBB form that labelling programs exchange: `images/…/NAME.jpg` and
`labels/…/NAME.txt`, one object a line: class index, then four corners x y as shares of width and height.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.models.errors import TrainingError
from veedor.models.felt_prints import FeltPrints
from veedor.vision.detections import ObjectClass
from veedor.vision.detector import PAD_GREY
from veedor.vision.obb import (
    clockwise_short_edge_first,
    corners_from_xywhr,
    intersection_area,
    signed_area,
    xywhr_from_corners,
)

FloatArray = NDArray[np.float64]

HOLD_OUT_EVERY = 40  # one tile in so many is kept for measuring
# A box that keeps less than this share of itself inside a cut tile is not asked for.
MIN_SHARE_INSIDE = 0.3
SCALE_RANGE = (0.7, 1.6)
JPEG_QUALITY = 95
RARE_BELOW = 0.3  # a class in a smaller share of the tiles is rare
ROUND_BELOW = 1.15  # proportion of a chip stack's sides under which it counts as round


@dataclass(frozen=True)
class Tile:
    """One stored tile. `encoded` is its JPEG file, `corners_px` (n, 4, 2), `class_ids` (n,).

    Corners count from the corner of the first pixel, as the network does.
    """

    name: str
    encoded: NDArray[np.uint8]
    corners_px: FloatArray
    class_ids: NDArray[np.int64]

    @property
    def held_out(self) -> bool:
        return zlib.crc32(self.name.encode()) % HOLD_OUT_EVERY == 0


@dataclass(frozen=True)
class Batch:
    """`images` (n, size, size, 3) BGR; boxes (m, 5) of all: centre, size, turn, in px and radians."""

    images: NDArray[np.uint8]
    image_index: NDArray[np.int64]
    class_ids: NDArray[np.int64]
    boxes: FloatArray


def write_tile(
    store: Path, name: str, image_bgr: NDArray[np.uint8], corners_px: FloatArray, class_ids: NDArray[np.int64]
) -> None:
    """Add a tile; corners (n, 4, 2) count from the first pixel's centre, as pictures do everywhere here."""
    for folder in ("images", "labels"):
        (store / folder).mkdir(parents=True, exist_ok=True)
    height, width = image_bgr.shape[:2]
    shares = (np.asarray(corners_px, dtype=np.float64).reshape(-1, 4, 2) + 0.5) / np.array([width, height])
    lines = [
        f"{int(kind)} " + " ".join(f"{value:.5f}" for value in quad.ravel())
        for kind, quad in zip(class_ids, shares, strict=True)
    ]
    (store / "labels" / f"{name}.txt").write_text("".join(line + "\n" for line in lines), encoding="ascii")
    cv2.imwrite(str(store / "images" / f"{name}.jpg"), image_bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])


class TileStores:
    """The tiles of some stores, kept encoded in memory; `refresh` takes in what has been written since."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._tiles: dict[str, Tile] = {}
        self.refresh()
        if not self._tiles:
            places = ", ".join(str(folder) for folder in self._folders)
            raise TrainingError(f"no training tiles (images/*.jpg with labels/*.txt) in {places}")

    def refresh(self) -> None:
        for folder in self._folders:
            for image in sorted((folder / "images").rglob("*.jpg")):
                key = str(image)
                label = folder / "labels" / image.relative_to(folder / "images").with_suffix(".txt")
                if key not in self._tiles and label.is_file():
                    tile = _load(image, label)
                    if tile is not None:
                        self._tiles[key] = tile

    def training(self) -> list[Tile]:
        return [tile for tile in self._tiles.values() if not tile.held_out]

    def epoch(self, rng: np.random.Generator) -> list[Tile]:
        """The tiles of one pass: all of them."""
        return self.training()

    def held_out(self) -> list[Tile]:
        return [tile for tile in self._tiles.values() if tile.held_out]


def batches(
    tiles: Sequence[Tile],
    size: int,
    count: int,
    rng: np.random.Generator,
    prints: FeltPrints | None = None,
) -> Iterator[Batch]:
    """All tiles in random order, those with rare objects more than once, varied, `count` a batch.

    The last short batch is left out.
    """
    repeats = repetitions(tiles)
    times = np.floor(repeats + rng.random(len(tiles))).astype(np.intp)
    order = rng.permutation(np.repeat(np.arange(len(tiles)), times))
    for start in range(0, len(order) - count + 1, count):
        yield batch([vary(tiles[index], size, rng, prints) for index in order[start : start + count]])


def repetitions(tiles: Sequence[Tile]) -> FloatArray:
    """How often (n,) each tile is shown in a pass, on average: once, more where it holds a rare class.

    The root of how far the class's rarest share of tiles stays below `RARE_BELOW`, as usual for long tails.
    """
    present = np.zeros((len(tiles), len(ObjectClass)), dtype=bool)
    for row, tile in enumerate(tiles):
        present[row, tile.class_ids] = True
    share = np.maximum(present.mean(axis=0), 1 / max(len(tiles), 1))
    wanted = np.maximum(1.0, np.sqrt(RARE_BELOW / share))
    return np.asarray(np.where(present, wanted, 1.0).max(axis=1))


def batch(samples: Sequence[tuple[NDArray[np.uint8], FloatArray, NDArray[np.int64]]]) -> Batch:
    """Samples (image, corners, classes) of one size as a batch."""
    return Batch(
        np.stack([image for image, _, _ in samples]),
        np.repeat(np.arange(len(samples)), [len(kinds) for _, _, kinds in samples]),
        np.concatenate([kinds for _, _, kinds in samples]),
        np.concatenate(
            [xywhr_from_corners(clockwise_short_edge_first(corners)) for _, corners, _ in samples]
        ),
    )


def vary(
    tile: Tile, size: int, rng: np.random.Generator, prints: FeltPrints | None = None
) -> tuple[NDArray[np.uint8], FloatArray, NDArray[np.int64]]:
    """The tile cut to `size` at a random scale, place, quarter turn and mirroring, with random colours.

    Tiles already hold objects in every direction, so turns by quarters suffice and cost no border.
    """
    image, of_tile, class_ids = plain(tile), tile.corners_px, tile.class_ids
    if prints is not None:
        added = prints.on(image, of_tile, class_ids, rng)
        image, of_tile, class_ids = added.image, added.corners_px, added.class_ids
    height, width = image.shape[:2]
    scale = float(np.exp(rng.uniform(*np.log(SCALE_RANGE)))) * size / max(320, size)
    turn = int(rng.integers(4))
    cos, sin = ((1, 0), (0, 1), (-1, 0), (0, -1))[turn]
    linear = np.array([[cos, -sin], [sin, cos]], dtype=np.float64) * scale
    if rng.random() < 0.5:
        linear[:, 0] *= -1
    spread = np.abs(linear) @ np.array([width, height])
    slack = (size - spread) / 2
    centre = size / 2 + rng.uniform(-1, 1, 2) * np.abs(slack)
    offset = centre - linear @ (np.array([width, height]) / 2)
    # warpAffine counts from pixel centres, the corners here from the first pixel's corner.
    matrix = np.column_stack([linear, offset + linear @ [0.5, 0.5] - 0.5])
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    if scale < 0.8:  # warpAffine does not average over what it skips
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), 0.45 / scale))
    grey = (PAD_GREY,) * 3
    cut = cv2.warpAffine(image, matrix, (size, size), flags=method, borderValue=grey)
    corners = of_tile @ linear.T + offset
    keep = share_inside(corners, size) >= MIN_SHARE_INSIDE
    return _recolour(np.asarray(cut, dtype=np.uint8), rng), corners[keep], class_ids[keep]


def plain(tile: Tile) -> NDArray[np.uint8]:
    """The tile's picture as stored."""
    return np.asarray(cv2.imdecode(tile.encoded, cv2.IMREAD_COLOR), dtype=np.uint8)


def share_inside(corners: FloatArray, size: int) -> FloatArray:
    """Share (n,) of each box (n, 4, 2) that lies within a square of `size`."""
    corners = clockwise_short_edge_first(corners)
    frame = np.array([[0, 0], [size, 0], [size, size], [0, size]], dtype=np.float64)
    shared = intersection_area(corners, np.broadcast_to(frame, corners.shape))
    return np.asarray(shared / np.maximum(signed_area(corners), 1e-9))


def _recolour(image: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Moderate shifts of hue, saturation and brightness, now and then blur or noise."""
    gains = 1 + rng.uniform(-1, 1, 3) * np.array([0.015, 0.45, 0.3])
    steps = np.arange(256, dtype=np.float64)
    hue = ((steps * gains[0]) % 180).astype(np.uint8)
    saturation = np.clip(steps * gains[1], 0, 255).astype(np.uint8)
    value = np.clip(steps * gains[2], 0, 255).astype(np.uint8)
    hsv = cv2.cvtColor(image, cv2.COLOR_BGR2HSV)
    table = np.stack([hue, saturation, value], axis=-1)[None]
    result = cv2.cvtColor(cv2.LUT(hsv, table), cv2.COLOR_HSV2BGR)
    if rng.random() < 0.15:
        result = cv2.GaussianBlur(result, (0, 0), rng.uniform(0.4, 1.2))
    if rng.random() < 0.15:
        noise = rng.normal(0, rng.uniform(2, 8), result.shape)
        result = np.clip(result + noise, 0, 255).astype(np.uint8)
    return np.asarray(result, dtype=np.uint8)


def _load(image: Path, label: Path) -> Tile | None:
    """The stored tile, or None while its picture is still being written."""
    encoded = np.frombuffer(image.read_bytes(), dtype=np.uint8)
    if len(encoded) < 4 or encoded[-2:].tobytes() != b"\xff\xd9":
        return None
    rows = [line.split() for line in label.read_text(encoding="ascii").splitlines() if line]
    try:
        values = np.array(rows, dtype=np.float64).reshape(-1, 9)
    except ValueError as fault:
        raise TrainingError(f"{label}: expected lines of a class and eight numbers: {fault}") from fault
    picture = cv2.imdecode(encoded, cv2.IMREAD_COLOR)
    if picture is None:
        raise TrainingError(f"{image}: not a readable picture")
    height, width = picture.shape[:2]
    corners = values[:, 1:].reshape(-1, 4, 2) * np.array([width, height])
    kinds = values[:, 0].astype(np.int64)
    return Tile(image.stem, encoded, round_upright(corners, kinds), kinds)


def round_upright(corners: FloatArray, kinds: NDArray[np.int64]) -> FloatArray:
    """Round chips have no direction: their boxes are made upright, lest the network learn to guess one."""
    boxes = xywhr_from_corners(corners)
    proportion = boxes[:, 2] / np.maximum(boxes[:, 3], 1e-9)
    near_round = (np.abs(np.log(np.maximum(proportion, 1e-9))) < np.log(ROUND_BELOW)) & (
        kinds == int(ObjectClass.CHIP_STACK)
    )
    boxes[:, 2:4] = boxes[:, 2:4].mean(axis=1, keepdims=True)
    boxes[:, 4] = 0.0
    return np.where(near_round[:, None, None], corners_from_xywhr(boxes), corners)
