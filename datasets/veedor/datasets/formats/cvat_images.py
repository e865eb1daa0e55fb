"""CVAT for images, XML 1.1: `SPLIT.xml` and `images/SPLIT/ID.png`."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from veedor.datasets.formats.cvat_shapes import (
    add_polygon,
    is_shape,
    label_of,
    layer,
    read_shape,
    save_document,
    start_document,
)
from veedor.datasets.formats.faults import FormatFault
from veedor.datasets.formats.placing import Found, Place, Placed, Size, Source, places_by_split
from veedor.datasets.formats.reading import check_count, first_there, inside, whole
from veedor.datasets.formats.xml_reading import Node, read_xml
from veedor.datasets.labelled import SPLITS, LabelledObject, LabelledPicture


class CvatImages:
    """See the module."""

    one_window = False

    def places(self, pictures: Sequence[LabelledPicture], recordings: Mapping[str, Path]) -> list[Place]:
        return places_by_split(pictures)

    def write(self, items: Sequence[Placed], out: Path, title: str) -> None:
        for split in SPLITS:
            here = [item for item in items if item.picture.split == split]
            if not here:
                continue
            root, _ = start_document(title, "annotation", len(here) - 1)
            for row, item in enumerate(here):
                facts = {
                    "id": str(row), "name": f"{item.picture.id}.png",
                    "width": str(item.window.width), "height": str(item.window.height),
                }  # fmt: skip
                image = ET.SubElement(root, "image", facts)
                for order, each in enumerate(item.objects):
                    given = {"label": each.kind.name.lower(), "source": "manual", "z_order": str(order)}
                    add_polygon(image, each, item.window.size, given)
            save_document(root, out / f"{split}.xml")

    def read(self, source: Source) -> list[Found]:
        return [found for path in label_files(source.path) for found in _read_file(path, source)]


def label_files(path: Path) -> list[Path]:
    """The XML files of a folder, or the file itself."""
    if not path.is_dir():
        return [path]
    found = sorted(path.glob("*.xml"))
    if not found:
        raise FormatFault(path, "holds no XML file")
    return found


def _read_file(path: Path, source: Source) -> list[Found]:
    root = read_xml(path)
    if root.tag != "annotations":
        raise FormatFault(path, f"not CVAT annotations: the root is <{root.tag[:40]}>", root.line)
    if any(True for _ in root.all("track")):
        raise FormatFault(path, "holds tracks: this is CVAT for video", root.line)
    split = path.stem if path.stem in SPLITS else None
    found = []
    names: set[str] = set()
    for node in root.all("image"):
        name = node.given.get("name", "")
        if name in names:
            raise FormatFault(path, f"the image {name!r:.80} stands twice", node.line)
        names.add(name)
        size = whole(node.given.get("width")), whole(node.given.get("height"))
        if not size[0] or not size[1]:
            raise FormatFault(path, "width and height are not numbers above 0", node.line)
        objects = _reader(node, path, source)
        file = _picture_of(name, path, node.line, source)
        found.append(Found(path, node.line, file, None, (size[0], size[1]), objects, split))
    return found


def _picture_of(name: str, path: Path, line: int, source: Source) -> Path:
    base = source.pictures or path.parent
    roots = [base / "images" / path.stem, base / "images", base]
    # An export that was given back by CVAT as `annotations.xml` may be of any split.
    roots += [base / "images" / split for split in SPLITS]
    places = [inside(root, name, path, line) for root in roots]
    return first_there(places)


def _reader(image: Node, path: Path, source: Source) -> Callable[[Size], tuple[LabelledObject, ...]]:
    def objects(size: Size) -> tuple[LabelledObject, ...]:
        shapes = sorted((node for node in image.children if is_shape(node, path)), key=layer)
        check_count(shapes, path, image.line)
        return tuple(
            read_shape(node, label_of(node, path, source), path, size, f"new-{row}")
            for row, node in enumerate(shapes, start=1)
        )

    return objects
