"""CVAT for video, XML 1.1: for each recording `SPLIT/RECORDING/{annotations.xml, frames.csv, images/}`.

CVAT knows a frame by its number alone. `frames.csv` says of each number which instant of the recording it
is: `frame,pts,time_base,t_s,picture`. Where the recording was at hand, numbers count its frames in
the order of their presentation, as CVAT counts those of the same file, whatever its rate does; else they
count the labelled pictures. A track ends before any frame that is not labelled, so that no program draws
shapes between.
"""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from veedor.datasets.formats.cvat_images import label_files
from veedor.datasets.formats.cvat_shapes import (
    add,
    add_polygon,
    is_shape,
    label_of,
    layer,
    read_shape,
    save_document,
    start_document,
)
from veedor.datasets.formats.faults import FormatFault
from veedor.datasets.formats.frame_numbers import numbers_of
from veedor.datasets.formats.placing import Found, Place, Placed, Size, Source
from veedor.datasets.formats.reading import check_count, first_there, whole
from veedor.datasets.formats.xml_reading import Node, read_xml
from veedor.datasets.labelled import SPLITS, LabelledObject, LabelledPicture
from veedor.datasets.labelled_json import kind_name, time_base_text
from veedor.vision.detections import ObjectClass

ANNOTATIONS, FRAMES = "annotations.xml", "frames.csv"
_SHORT = 16  # digits of a recording's SHA-256 that name its folder


class CvatVideo:
    """See the module."""

    one_window = True

    def places(self, pictures: Sequence[LabelledPicture], recordings: Mapping[str, Path]) -> list[Place]:
        numbers = numbers_of(pictures, recordings)
        return [
            Place(
                f"{each.split}/{each.recording[:_SHORT]}/images/frame_{numbers[each.id]:06d}.png",
                numbers[each.id],
            )
            for each in pictures
        ]

    def write(self, items: Sequence[Placed], out: Path, title: str) -> None:
        folders: dict[Path, list[Placed]] = {}
        for item in items:
            folders.setdefault((out / item.place.file).parent.parent, []).append(item)
        for folder, here in folders.items():
            here.sort(key=_frame)
            _write_recording(here, folder, title)

    def read(self, source: Source) -> list[Found]:
        found = []
        for path in _annotations(source.path):
            found += _read_file(path, source)
        return found


def _frame(item: Placed) -> int:
    assert item.place.frame is not None
    return item.place.frame


def _write_recording(items: Sequence[Placed], folder: Path, title: str) -> None:
    size = items[0].window.size
    last = _frame(items[-1])
    root, task = start_document(title, "interpolation", last)
    original = ET.SubElement(task, "original_size")
    add(original, "width", str(size[0]))
    add(original, "height", str(size[1]))
    tracks: dict[tuple[str, ObjectClass], list[tuple[int, int, LabelledObject]]] = {}
    for item in items:
        for order, each in enumerate(item.objects):
            tracks.setdefault((each.id, each.kind), []).append((_frame(item), order, each))
    for number, ((_, kind), seen) in enumerate(tracks.items()):
        facts = {"id": str(number), "label": kind_name(kind), "source": "manual"}
        track = ET.SubElement(root, "track", facts)
        for place, (frame, order, each) in enumerate(seen):
            given = {"frame": str(frame), "keyframe": "1", "outside": "0", "z_order": str(order)}
            add_polygon(track, each, size, given)
            following = seen[place + 1][0] if place + 1 < len(seen) else last + 1
            if following > frame + 1:
                add_polygon(track, each, size, given | {"frame": str(frame + 1), "outside": "1"})
    save_document(root, folder / ANNOTATIONS)
    with (folder / FRAMES).open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("frame", "pts", "time_base", "t_s", "picture"))
        for item in items:
            picture = item.picture
            row = (_frame(item), picture.pts, time_base_text(picture), float(picture.t), picture.id)
            table.writerow(row)


def _annotations(path: Path) -> list[Path]:
    """The label files of an export of several recordings, of one, or the file itself."""
    if not path.is_dir():
        return [path]
    for depth in ("", "*/", "*/*/"):
        found = sorted(path.glob(f"{depth}{ANNOTATIONS}"))
        if found:
            return found
    return label_files(path)


def _read_file(path: Path, source: Source) -> list[Found]:
    root = read_xml(path)
    if root.tag != "annotations":
        raise FormatFault(path, f"not CVAT annotations: the root is <{root.tag[:40]}>", root.line)
    if any(True for _ in root.all("image")):
        raise FormatFault(path, "holds images: this is CVAT for images", root.line)
    size = _original_size(root, path)
    shapes: dict[int, list[tuple[Node, Node]]] = {}
    for track in root.all("track"):
        for node in track.children:
            if is_shape(node, path) and node.given.get("outside") != "1":
                shapes.setdefault(_frame_of(node, path), []).append((track, node))
    base = source.pictures or path.parent
    numbers = sorted(set(shapes) | (set() if source.by_frames else _empty_frames(base)))
    split = next((part for part in reversed(path.parts[:-1]) if part in SPLITS), None)
    found = []
    for number in numbers:
        here = shapes.get(number, [])
        line = here[0][1].line if here else None
        objects = _reader(here, path, source)
        frame = number if source.by_frames else None
        found.append(Found(path, line, _picture_of(number, base), frame, size, objects, split))
    return found


def _original_size(root: Node, path: Path) -> Size | None:
    node = root.first("meta", "task", "original_size") or root.first("meta", "original_size")
    if node is None:
        return None
    width, height = node.first("width"), node.first("height")
    found = [whole(each.text) if each is not None else None for each in (width, height)]
    if not found[0] or not found[1]:
        raise FormatFault(path, "original_size is not two numbers above 0", node.line)
    return found[0], found[1]


def _frame_of(node: Node, path: Path) -> int:
    found = whole(node.given.get("frame"))
    if found is None:
        raise FormatFault(path, f"frame {node.given.get('frame')!r:.40} is not a number from 0", node.line)
    return found


def _picture_of(number: int, base: Path) -> Path:
    """`frame_000012`, as CVAT and this program name a frame's picture, in either letter case and form."""
    names = [f"frame_{number:06d}{suffix}" for suffix in (".png", ".PNG", ".jpg")]
    places = [folder / name for folder in (base / "images", base) for name in names]
    return first_there(places)


def _empty_frames(base: Path) -> set[int]:
    """Frames whose picture is there: one without any shape has been looked at and is empty."""
    folder = base / "images" if (base / "images").is_dir() else base
    numbers = (whole(path.stem.removeprefix("frame_")) for path in folder.glob("frame_*"))
    return {number for number in numbers if number is not None}


def _reader(
    shapes: Sequence[tuple[Node, Node]], path: Path, source: Source
) -> Callable[[Size], tuple[LabelledObject, ...]]:
    def objects(size: Size) -> tuple[LabelledObject, ...]:
        check_count(shapes, path)
        ordered = sorted(shapes, key=lambda pair: layer(pair[1]))
        return tuple(_object(track, node, size) for track, node in ordered)

    def _object(track: Node, node: Node, size: Size) -> LabelledObject:
        kind = label_of(track, path, source)
        merged = [*track.all("attribute"), *node.children]  # what never changes stands in the track
        whole_node = Node(node.tag, node.given, node.line, merged, node.parts)
        return read_shape(whole_node, kind, path, size, f"track-{track.given.get('id', '')[:20]}")

    return objects
