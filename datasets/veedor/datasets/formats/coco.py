"""COCO: `images/SPLIT/ID.png` and `annotations/instances_SPLIT.json`.

An object is an annotation with its outline as `segmentation`, upright `bbox`, `area`, and `attributes` for
the rest. Coordinates count from the picture's outer corner, as labelled pictures do. Each image says besides
which recording shows it and when.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from veedor.datasets.formats.attributes import Shape, outline_of, to_attributes, to_object
from veedor.datasets.formats.cvat_shapes import turned_box
from veedor.datasets.formats.faults import FormatFault
from veedor.datasets.formats.outlines import Outline
from veedor.datasets.formats.placing import Found, Place, Placed, Size, Source, places_by_split
from veedor.datasets.formats.reading import check_count, first_there, inside, number, read_json, whole
from veedor.datasets.labelled import SPLITS, LabelError, LabelledObject, LabelledPicture, signed_area
from veedor.datasets.labelled_json import kind_name, time_base_text
from veedor.vision.detections import ObjectClass

ANNOTATIONS, INSTANCES = "annotations", "instances_"
Record = dict[str, Any]


class Coco:
    """See the module."""

    one_window = False

    def places(self, pictures: Sequence[LabelledPicture], recordings: Mapping[str, Path]) -> list[Place]:
        return places_by_split(pictures)

    def write(self, items: Sequence[Placed], out: Path, title: str) -> None:
        (out / ANNOTATIONS).mkdir()
        numbered = list(enumerate(items, start=1))
        counted = 0
        for split in SPLITS:
            here = [(image, item) for image, item in numbered if item.picture.split == split]
            if not here:
                continue
            annotations: list[Record] = []
            for image, item in here:
                for each in item.objects:
                    counted += 1
                    annotations.append(_annotation(each, (counted, image), item.window.size))
            record = {
                "info": {"description": title, "version": "1.0"},
                "licenses": [],
                "images": [_image(image, item) for image, item in here],
                "annotations": annotations,
                "categories": [
                    {"id": kind.value + 1, "name": kind_name(kind), "supercategory": "table"}
                    for kind in ObjectClass
                ],
            }
            text = json.dumps(record, ensure_ascii=False, indent=1)
            (out / ANNOTATIONS / f"{INSTANCES}{split}.json").write_text(text + "\n", encoding="utf-8")

    def read(self, source: Source) -> list[Found]:
        return [found for path in _label_files(source.path) for found in _read_file(path, source)]


def _image(image: int, item: Placed) -> Record:
    picture = item.picture
    return {
        "id": image,
        "file_name": Path(item.place.file).name,
        "width": item.window.width,
        "height": item.window.height,
        "veedor": {
            "recording": picture.recording,
            "pts": picture.pts,
            "time_base": time_base_text(picture),
            "session": picture.session,
            "table": picture.table,
        },
    }


def _annotation(item: LabelledObject, numbers: tuple[int, int], size: Size) -> Record:
    outline = outline_of(item, size)
    across, down = [x for x, _ in outline], [y for _, y in outline]
    attributes: Record = {**to_attributes(item, size), "occluded": item.occluded}
    attributes["truncated"] = item.truncated
    return {
        "id": numbers[0],
        "image_id": numbers[1],
        "category_id": item.kind.value + 1,
        "segmentation": [[part for point in outline for part in point]],
        "bbox": [min(across), min(down), max(across) - min(across), max(down) - min(down)],
        "area": signed_area(outline),
        "iscrowd": 0,
        "attributes": attributes,
    }


def _label_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    folder = path / ANNOTATIONS if (path / ANNOTATIONS).is_dir() else path
    # Beside the boxes, COCO sets have files of captions and key points.
    found = sorted(folder.glob(f"{INSTANCES}*.json")) or sorted(folder.glob("*.json"))
    if not found:
        raise FormatFault(path, "holds no file of COCO annotations")
    return found


def _read_file(path: Path, source: Source) -> list[Found]:
    record = read_json(path)
    if not isinstance(record, dict):
        raise FormatFault(path, "not a COCO file: no JSON object")
    images, annotations, categories = (
        _records(record, name, path) for name in ("images", "annotations", "categories")
    )
    kinds: dict[int, ObjectClass | str] = {}
    for each in categories:
        kind = source.kind(each.get("name"))
        kinds[_number_of(each, "category", path)] = str(each.get("name")) if kind is None else kind
    by_image: dict[int, list[Record]] = {}
    for each in annotations:
        by_image.setdefault(_number_of(each, "annotation", path, "image_id"), []).append(each)
    found, seen = [], set()
    split = path.stem.removeprefix(INSTANCES)
    for each in images:
        image = _number_of(each, "image", path)
        if image in seen:
            raise FormatFault(path, f"image {image} stands twice")
        seen.add(image)
        file = _picture_of(each.get("file_name"), split, path, source)
        objects = _reader(path, by_image.get(image, []), kinds, source)
        size = _size(each, path)
        found.append(Found(path, None, file, None, size, objects, split if split in SPLITS else None))
    lost = set(by_image) - seen
    if lost:
        raise FormatFault(path, f"annotations of image {min(lost)}, which is not listed")
    return found


def _records(record: Record, name: str, path: Path) -> list[Record]:
    found = record.get(name)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise FormatFault(path, f"not a COCO file: {name} is not a list of objects")
    return found


def _number_of(record: Record, what: str, path: Path, name: str = "id") -> int:
    found = whole(record.get(name))
    if found is None or isinstance(record.get(name), str):
        raise FormatFault(path, f"{what} {record.get('id')!r:.40}: {name} is not a number from 0")
    return found


def _size(image: Record, path: Path) -> Size:
    width, height = whole(image.get("width")), whole(image.get("height"))
    if not width or not height:
        raise FormatFault(path, f"image {image['id']}: width and height are not numbers above 0")
    return width, height


def _picture_of(name: object, split: str, path: Path, source: Source) -> Path:
    """Where the pixels are: COCO sets put them beside the labels' folder in one of several ways."""
    base = path.parent.parent if path.parent.name == ANNOTATIONS else path.parent
    roots = [base / "images" / split, base / "images", base / split, base]
    if source.pictures is not None:
        given = source.pictures
        roots = [given / "images" / split, given / "images", given / split, given]
    places = [inside(root, name, path) for root in roots]
    return first_there(places)


def _reader(
    path: Path, records: Sequence[Record], kinds: Mapping[int, ObjectClass | str], source: Source
) -> Callable[[Size], tuple[LabelledObject, ...]]:
    def objects(size: Size) -> tuple[LabelledObject, ...]:
        check_count(records, path)
        return tuple(_object(each, row, kinds, size) for row, each in enumerate(records, start=1))

    def _object(
        record: Record, row: int, kinds: Mapping[int, ObjectClass | str], size: Size
    ) -> LabelledObject:
        number_ = _number_of(record, "annotation", path)
        category = whole(record.get("category_id"))
        kind = None if category is None else kinds.get(category)
        if kind is None:
            raise FormatFault(path, f"annotation {number_}: category {category} is not listed")
        if not isinstance(kind, ObjectClass):
            raise FormatFault(path, f"annotation {number_}: {source.unknown(kind)}")
        given = record.get("attributes", {})
        if not isinstance(given, dict):
            raise FormatFault(path, f"annotation {number_}: attributes is not a JSON object")
        points = _points(record, given, path)
        try:
            return to_object(Shape(kind, points, given, False, f"new-{row}"), size)
        except LabelError as fault:
            raise FormatFault(path, f"annotation {number_}: {fault}") from None

    return objects


def _points(record: Record, given: Record, path: Path) -> Outline:
    """The outline: the polygon, or the box, turned where CVAT says by how much."""
    where = f"annotation {record['id']}"
    drawn = record.get("segmentation")
    if isinstance(drawn, dict):
        raise FormatFault(path, f"{where}: a mask, where an outline is expected")
    if drawn and "rotation" not in given:
        if not isinstance(drawn, list) or not all(
            isinstance(part, list) and len(part) >= 6 and len(part) % 2 == 0 for part in drawn
        ):
            raise FormatFault(path, f"{where}: segmentation is not a list of outlines")
        parts = [number(part) for polygon in drawn for part in polygon]
        if any(part is None for part in parts):
            raise FormatFault(path, f"{where}: segmentation holds what is no number in a picture's reach")
        numbers = [part for part in parts if part is not None]
        return tuple(zip(numbers[::2], numbers[1::2], strict=True))
    box = record.get("bbox")
    edges = [number(part) for part in box] if isinstance(box, list) else []
    angle = number(given.get("rotation", 0.0))
    if len(edges) != 4 or angle is None or not math.isfinite(angle):
        raise FormatFault(path, f"{where}: neither an outline nor a bbox of four numbers")
    left, top, width, height = (0.0 if edge is None else edge for edge in edges)
    if None in edges or width <= 0 or height <= 0:
        raise FormatFault(path, f"{where}: bbox is not a place with a width and height above 0")
    return turned_box((left, top, left + width, top + height), angle)
