"""Straightens cards in photographs for training the reader: finds the white outline, checks it, cuts it out.

Two kinds of labelled folders are understood, each with a `labels.json`: whole cards in axis-aligned boxes
(ranks as words, no suits), and corner indices in boxes (`7H`), of which two of one card lie in opposite
corners. Run `python -m veedor.models.reader_photographs BOXES_FOLDER CORNERS_FOLDER OUT`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.models.labels import read_json
from veedor.models.reader_faces import FACE_HEIGHT_PX, FACE_WIDTH_PX
from veedor.vision.obb import clockwise_short_edge_first

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]
WORDS = {"nine": "9", "ten": "T", "jack": "J", "queen": "Q", "king": "K", "ace": "A"}
# Chosen by looking at what passed: below these the outline is often another card's or the table's.
BOX_SCORE, INDEX_SCORE = 0.80, 0.85
BOX_RIM, INDEX_RIM = 0.12, 0.20
SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float64)


def straighten_boxed(folder: Path, out: Path) -> int:
    """Cards of the pictures under `folder/train`, written as `out/9_-NAME-0.png`; returns how many."""
    labels = read_json(folder / "labels.json")
    count = 0
    for name, objects in labels.items():
        picture = cv2.imread(str(folder / name)) if name.startswith("train/") else None
        if picture is None:
            continue
        for place, thing in enumerate(objects):
            quad = _in_box(np.asarray(picture, np.uint8), np.asarray(thing["box"], dtype=float))
            if quad is not None:
                label = WORDS[thing["label"]] + "_"
                count += _write(picture, quad, out / f"{label}-{Path(name).stem}-{place}.png")
    return count


def straighten_indexed(folder: Path, out: Path) -> int:
    """Cards with two labelled indices, written as `out/7H-NAME.png`; returns how many."""
    labels = read_json(folder / "labels.json")
    count = 0
    for name, objects in labels.items():
        picture = cv2.imread(str(folder / name))
        if picture is None:
            continue
        for label in {thing["label"] for thing in objects} - {"BACK"}:
            boxes = [np.asarray(thing["box"], dtype=float) for thing in objects if thing["label"] == label]
            if len(boxes) != 2:
                continue
            centres = np.array([(box[:2] + box[2:]) / 2 for box in boxes])
            quad = _round_indices(np.asarray(picture, np.uint8), centres)
            if quad is not None:
                short = label.replace("10", "T")
                count += _write(picture, quad, out / f"{short}-{Path(name).stem[:40]}.png")
    return count


def _write(picture: Picture, quad: Floats, path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), _straight(picture, quad))
    return 1


def _in_box(picture: Picture, box: Floats) -> Floats | None:
    size = max(box[2] - box[0], box[3] - box[1])
    reach = size * 0.06 + 2
    low = np.maximum(0, box[:2] - reach).astype(int)
    high = np.minimum(picture.shape[1::-1], box[2:] + reach).astype(int)
    best, found = BOX_SCORE, None
    for mask in _white(picture[low[1] : high[1], low[0] : high[0]]):
        _, parts, statistics, _ = cv2.connectedComponentsWithStats(mask)
        if len(statistics) < 2:
            continue
        quad, score = _quad(parts == 1 + int(np.argmax(statistics[1:, 4])))
        if quad is None:
            continue
        quad = _short_first(quad + low)
        miss = np.abs(np.concatenate([quad.min(0), quad.max(0)]) - box).max() / size
        edges = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1).reshape(2, 2).sum(0)
        if miss <= 0.07 and 1.05 < edges.max() / max(edges.min(), 1.0) < 2.1 and score - miss > best:
            best, found = score - miss, quad
    return found if found is not None and _rim_fault(_straight(picture, found)) < BOX_RIM else None


def _round_indices(picture: Picture, centres: Floats) -> Floats | None:
    distance = float(np.linalg.norm(centres[0] - centres[1]))
    if distance < 60:
        return None
    middle = centres.mean(0)
    low = np.maximum(0, middle - 1.1 * distance).astype(int)
    high = np.minimum(picture.shape[1::-1], middle + 1.1 * distance).astype(int)
    share = np.linspace(0.02, 0.98, 40)[:, None]
    line = (centres[0] * (1 - share) + centres[1] * share - low).astype(int)
    best, found = INDEX_SCORE, None
    for mask in _white(picture[low[1] : high[1], low[0] : high[0]]):
        _, parts = cv2.connectedComponents(mask)
        on_line = parts[np.clip(line[:, 1], 0, len(parts) - 1), np.clip(line[:, 0], 0, parts.shape[1] - 1)]
        if not on_line.any():
            continue
        quad, score = _quad(parts == np.bincount(on_line[on_line > 0]).argmax())
        if quad is None or score <= best:
            continue
        turned = _indices_on_diagonal(_short_first(quad + low), centres)
        if turned is not None:
            best, found = score, turned
    return found if found is not None and _rim_fault(_straight(picture, found)) < INDEX_RIM else None


def _indices_on_diagonal(quad: Floats, centres: Floats) -> Floats | None:
    """The outline turned so that the indices are top left and bottom right, as they are on every deck."""
    homography = cv2.getPerspectiveTransform(quad.astype(np.float32), SQUARE.astype(np.float32))
    inside = cv2.perspectiveTransform(centres[None].astype(np.float32), homography)[0]
    for corner in range(4):
        first, second = np.abs(inside[0] - SQUARE[corner]), np.abs(inside[1] - SQUARE[(corner + 2) % 4])
        if max(first.max(), second.max()) < 0.25 and inside.min() >= 0 and inside.max() <= 1:
            return np.roll(quad, -(corner % 2), axis=0)
    return None


def _white(picture: Picture) -> Iterator[Picture]:
    """Masks of what may be a card's paper, by several thresholds."""
    lightness = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB)[..., 0]
    saturation = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV)[..., 1]
    level, _ = cv2.threshold(lightness, 0, 255, cv2.THRESH_OTSU)
    for lowest in (level, level * 1.15, level * 0.85, 150, 180):
        for most in (255, 90, 60):
            mask = ((lightness > lowest) & (saturation <= most)).astype(np.uint8) * 255
            yield np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)


def _quad(part: NDArray[np.bool_]) -> tuple[Floats | None, float]:
    """Four corners round a region and how well it fills them, 0..1."""
    contours, _ = cv2.findContours(part.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    contour = max(contours, key=cv2.contourArea)
    hull = cv2.convexHull(contour)
    area = cv2.contourArea(hull)
    if area < 400:
        return None, 0.0
    for tolerance in np.linspace(0.01, 0.12, 23):
        corners = cv2.approxPolyDP(hull, tolerance * cv2.arcLength(hull, True), True)
        if len(corners) == 4:
            fill = area / max(cv2.contourArea(corners), 1.0)
            return corners[:, 0].astype(float), min(fill, 1 / fill) * cv2.contourArea(contour) / area
    return None, 0.0


def _short_first(quad: Floats) -> Floats:
    away = quad - quad.mean(0)
    from_upper_left = quad[np.argsort(np.arctan2(away[:, 1], away[:, 0]))]
    ordered: Floats = clockwise_short_edge_first(from_upper_left)[0]
    return ordered


def _straight(picture: Picture, quad: Floats) -> Picture:
    middle = quad.mean(0)
    quad = middle + (quad - middle) * 1.015  # the polygon cuts the round corners a little
    shrink = float(np.linalg.norm(quad[1] - quad[0])) / FACE_WIDTH_PX
    if shrink > 1.5:
        picture = np.asarray(
            cv2.resize(picture, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA), np.uint8
        )
        quad = (quad + 0.5) / shrink - 0.5
    target = SQUARE * (FACE_WIDTH_PX, FACE_HEIGHT_PX) - 0.5
    homography = cv2.getPerspectiveTransform(quad.astype(np.float32), target.astype(np.float32))
    size = (FACE_WIDTH_PX, FACE_HEIGHT_PX)
    straight = cv2.warpPerspective(
        picture, homography, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(straight, np.uint8)


def _rim_fault(card: Picture) -> float:
    """Share of the rim that is not paper like the paper further in; high where the outline is wrong."""
    lab = cv2.GaussianBlur(cv2.cvtColor(card, cv2.COLOR_BGR2LAB), (0, 0), 2).astype(float)
    height, width = lab.shape[:2]
    places = [(x, y) for y in range(8, height - 8, 8) for x in (4, width - 5)]
    places += [(x, y) for x in range(8, width - 8, 8) for y in (4, height - 5)]
    near = [np.percentile(lab[max(0, y - 40) : y + 40, max(0, x - 40) : x + 40, 0], 90) for x, y in places]
    rim = np.array([lab[y, x] for x, y in places])
    darker = np.abs(rim[:, 0] - near) / np.maximum(near, 60) * 3
    tinted = np.abs(rim[:, 1:] - np.median(rim[:, 1:], axis=0)).max(1) / 18
    return float((np.maximum(darker, tinted) > 1).mean())


if __name__ == "__main__":
    boxes, corners, target_folder = map(Path, sys.argv[1:4])
    print(straighten_boxed(boxes, target_folder) + straighten_indexed(corners, target_folder), "cards")
