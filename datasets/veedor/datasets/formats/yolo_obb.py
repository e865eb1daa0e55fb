"""YOLO-OBB as ultralytics reads it: `data.yaml`, `images/SPLIT/ID.png`, `labels/SPLIT/ID.txt`.

A line is `class x1 y1 … x4 y4` in shares of width and height. That says neither rank nor what lies outside
the picture, so `exact.jsonl` beside it has every object as it is. On the way back an object keeps what
`exact.jsonl` knows of it; its corners are those of its line wherever somebody has changed that.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from veedor.datasets.formats.faults import FormatFault
from veedor.datasets.formats.outlines import (
    card_way_round,
    corners_of_outline,
    outline_inside,
    smallest_box,
)
from veedor.datasets.formats.placing import Found, Place, Placed, Size, Source, places_by_split
from veedor.datasets.formats.reading import check_count, inside, number, parse_json, read_text
from veedor.datasets.labelled import (
    SPLITS,
    Corners,
    LabelError,
    LabelledObject,
    LabelledPicture,
    Point,
    signed_area,
)
from veedor.datasets.labelled_json import kind_name, object_from_json, object_to_json
from veedor.vision.detections import ObjectClass
from veedor.vision.obb import iou_matrix
from veedor.vision.sources import PICTURE_SUFFIXES

DATA, EXACT = "data.yaml", "exact.jsonl"
LEAST_AREA_PX = 1.0  # of what lies in the picture; less has nothing to find
SAME_PLACE = 0.5  # intersection over union by which a changed line is still the same object


class YoloObb:
    """See the module."""

    one_window = False

    def places(self, pictures: Sequence[LabelledPicture], recordings: Mapping[str, Path]) -> list[Place]:
        return places_by_split(pictures)

    def write(self, items: Sequence[Placed], out: Path, title: str) -> None:
        used = {item.picture.split for item in items}
        for split in SPLITS:
            for kind in ("images", "labels"):
                (out / kind / split).mkdir(parents=True, exist_ok=True)
        exact = []
        for item in items:
            lines = [line for each in item.objects if (line := label_line(each, item.window.size))]
            label = out / "labels" / str(item.picture.split) / f"{item.picture.id}.txt"
            label.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            objects = [object_to_json(each) for each in item.objects]
            exact.append(json.dumps({"file": item.place.file, "objects": objects}, ensure_ascii=False))
        (out / EXACT).write_text("".join(f"{line}\n" for line in exact), encoding="utf-8")
        (out / DATA).write_text(_data_yaml(used), encoding="utf-8")

    def read(self, source: Source) -> list[Found]:
        data = source.path / DATA if source.path.is_dir() else source.path
        names, folders = _read_data(data)
        kinds: list[ObjectClass] = []
        for name in names:
            kind = source.kind(name)
            if kind is None:
                raise FormatFault(data, source.unknown(name))
            kinds.append(kind)
        exact = _read_exact(data.parent)
        found = []
        for split, folder in folders.items():
            for file in _pictures(folder):
                label = _label_of(file)
                objects = _reader(
                    label, [kind for kind in kinds if kind is not None], exact.get(file.resolve())
                )
                found.append(Found(label, None, file, None, None, objects, split))
            _refuse_orphans(folder)
        return found


def label_line(item: LabelledObject, size: Size) -> str:
    """The line of an object; empty where next to nothing of it lies in the picture."""
    part = outline_inside(item.corners_px, size)
    if not part or signed_area(part) < LEAST_AREA_PX:
        return ""
    box = part if part == item.corners_px else smallest_box(part)
    if box is None:
        return ""
    shares = [min(max(x / side, 0.0), 1.0) for point in box for x, side in zip(point, size, strict=True)]
    return f"{item.kind.value} {' '.join(f'{share:.9f}' for share in shares)}"


def _data_yaml(used: set[str | None]) -> str:
    lines = ["# Oriented boxes of a baccarat table, split by session."]
    lines.append("train: images/train")
    if "val" in used:
        lines.append("val: images/val")
    else:
        lines.append("val: images/train  # no session was kept apart: scores on these say nothing")
    if "test" in used:
        lines.append("test: images/test")
    lines += ["names:", *(f"  {kind.value}: {kind_name(kind)}" for kind in ObjectClass)]
    return "\n".join(lines) + "\n"


def _read_data(path: Path) -> tuple[list[str], dict[str, Path]]:
    """Class names by number, and the folder of each split."""
    try:
        record = yaml.safe_load(read_text(path))
    except (yaml.YAMLError, RecursionError, ValueError) as fault:
        raise FormatFault(path, f"not YAML: {' '.join(str(fault).split())[:120]}") from None
    if not isinstance(record, dict):
        raise FormatFault(path, "not a description of a data set")
    given = record.get("names")
    if isinstance(given, dict) and set(given) == set(range(len(given))):
        given = [given[each] for each in range(len(given))]
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise FormatFault(path, "names is not a list of classes, or one that counts from 0")
    folders: dict[str, Path] = {}
    for split in SPLITS:
        name = record.get(split)
        if name is None:
            continue
        # Exports of some sites say `../train/images` of what lies beside data.yaml.
        told = name.removeprefix("../") if isinstance(name, str) else name
        folder = inside(path.parent, told, path)
        if not folder.is_dir():
            raise FormatFault(path, f"{split}: no such folder {name!r:.80}")
        if folder not in folders.values():
            folders[split] = folder
    if not folders:
        raise FormatFault(path, "names no folder of train, val or test")
    return given, folders


def _pictures(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in PICTURE_SUFFIXES)


def _label_of(file: Path) -> Path:
    """`…/images/…/NAME.png` has its labels in `…/labels/…/NAME.txt`, as ultralytics looks for them."""
    parts = list(file.parts)
    for place in range(len(parts) - 2, -1, -1):
        if parts[place] == "images":
            parts[place] = "labels"
            break
    return Path(*parts).with_suffix(".txt")


def _refuse_orphans(folder: Path) -> None:
    labels = _label_of(folder / "x.png").parent
    pictures = {path.stem for path in _pictures(folder)}
    for label in sorted(labels.glob("*.txt")) if labels != folder else ():
        if label.stem not in pictures:
            raise FormatFault(label, f"its picture is missing in {folder}")


def _reader(
    label: Path, kinds: Sequence[ObjectClass], known: Sequence[LabelledObject] | None
) -> Callable[[Size], tuple[LabelledObject, ...]]:
    def objects(size: Size) -> tuple[LabelledObject, ...]:
        text = read_text(label) if label.exists() else ""
        drawn = [
            (line.strip(), *_drawn(line, label, row, kinds, size))
            for row, line in enumerate(text.splitlines(), start=1)
            if line.strip()
        ]
        check_count(drawn, label)
        return _joined(drawn, known or (), size)

    return objects


def _drawn(
    line: str, label: Path, row: int, kinds: Sequence[ObjectClass], size: Size
) -> tuple[ObjectClass, Corners]:
    parts = line.split()
    if len(parts) != 9:
        raise FormatFault(label, f"expected a class and four corners, found {len(parts)} words", row)
    if not (parts[0].isascii() and parts[0].isdigit() and len(parts[0]) < 6 and int(parts[0]) < len(kinds)):
        raise FormatFault(label, f"unknown class {parts[0]!r:.20}", row)
    shares = [number(part) for part in parts[1:]]
    points: list[Point] = []
    for x, y in zip(shares[::2], shares[1::2], strict=True):
        if x is None or y is None or not (-1 <= x <= 2 and -1 <= y <= 2):
            raise FormatFault(label, "a corner is not two shares of the picture", row)
        points.append((x * size[0], y * size[1]))
    corners = corners_of_outline(points)
    if corners is None:
        raise FormatFault(label, "the four corners enclose nothing", row)
    return kinds[int(parts[0])], corners


def _joined(
    drawn: Sequence[tuple[str, ObjectClass, Corners]], known: Sequence[LabelledObject], size: Size
) -> tuple[LabelledObject, ...]:
    """Lines with what is known of their objects, in the order of the lines.

    First each line finds the object it was written from, then changed lines the object that lies there.
    Objects outside the picture have no line and stay; the others have been deleted.
    """
    written = [label_line(item, size) for item in known]
    left = {place for place, line in enumerate(written) if line}
    result: dict[int, LabelledObject] = {}
    for row, (line, _, _) in enumerate(drawn):
        match = next((place for place in sorted(left) if written[place] == line), None)
        if match is not None:
            left.discard(match)
            result[row] = known[match]
    for row, (_, kind, corners) in enumerate(drawn):
        if row not in result:
            match = _nearest(kind, corners, [(place, known[place]) for place in sorted(left)])
            if match is None:
                result[row] = LabelledObject(f"new-{row + 1}", kind, card_way_round(kind, corners))
            else:
                left.discard(match)
                result[row] = replace(known[match], corners_px=corners)
    outside = [item for item, line in zip(known, written, strict=True) if not line]
    return _in_order(known, [result[row] for row in range(len(drawn))], outside)


def _in_order(
    known: Sequence[LabelledObject], seen: list[LabelledObject], outside: list[LabelledObject]
) -> tuple[LabelledObject, ...]:
    """As they stood before; new ones last."""
    order = {item.id: place for place, item in enumerate(known)}
    return tuple(sorted([*seen, *outside], key=lambda item: order.get(item.id, len(order))))


def _nearest(kind: ObjectClass, corners: Corners, known: Sequence[tuple[int, LabelledObject]]) -> int | None:
    shares = [(overlap(corners, item.corners_px), place) for place, item in known if item.kind is kind]
    best = max(shares, default=(0.0, -1))
    return best[1] if best[0] >= SAME_PLACE else None


def overlap(one: Corners, other: Corners) -> float:
    """Intersection over union of two boxes."""
    return float(iou_matrix(np.array([one]), np.array([other]))[0, 0])


def _read_exact(root: Path) -> dict[Path, tuple[LabelledObject, ...]]:
    path = root / EXACT
    if not path.is_file():
        return {}
    known: dict[Path, tuple[LabelledObject, ...]] = {}
    for row, line in enumerate(read_text(path).splitlines(), start=1):
        record: Any = parse_json(line, path, row)
        if not isinstance(record, dict) or not isinstance(record.get("objects"), list):
            raise FormatFault(path, "not a picture with objects", row)
        file = inside(root, record.get("file"), path, row)
        try:
            known[file.resolve()] = tuple(object_from_json(each) for each in record["objects"])
        except LabelError as fault:
            raise FormatFault(path, str(fault), row) from None
    return known
