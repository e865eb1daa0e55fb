"""What CVAT's two XML forms (version 1.1) have in common: labels, polygons, and boxes that may be turned."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

from veedor.datasets.formats.attributes import (
    CHOICES,
    Shape,
    names_of,
    outline_of,
    to_attributes,
    to_object,
)
from veedor.datasets.formats.faults import FormatFault
from veedor.datasets.formats.outlines import Outline
from veedor.datasets.formats.placing import Size, Source
from veedor.datasets.formats.reading import number
from veedor.datasets.formats.xml_reading import Node
from veedor.datasets.labelled import LabelError, LabelledObject, Point
from veedor.datasets.labelled_json import kind_name
from veedor.vision.detections import ObjectClass

VERSION = "1.1"
COLOURS = ("#e6194b", "#3cb44b", "#ffe119", "#4363d8", "#f58231", "#911eb4", "#46f0f0", "#f032e6")
_OTHER_SHAPES = frozenset({"polyline", "points", "mask", "ellipse", "cuboid", "skeleton"})


def turned_box(edges: tuple[float, float, float, float], degrees: float) -> Outline:
    """Corners of a box (left, top, right, bottom) turned clockwise as seen about its middle.

    From the corner that was top left before the turn, clockwise.
    """
    left, top, right, bottom = edges
    middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
    cosine, sine = _turn(degrees)
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return tuple(_turned(x - middle_x, y - middle_y, cosine, sine, (middle_x, middle_y)) for x, y in corners)


def _turn(degrees: float) -> tuple[float, float]:
    """Cosine and sine; of quarter turns exactly."""
    quarters = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}
    turn = degrees % 360.0
    return quarters.get(turn, (math.cos(math.radians(turn)), math.sin(math.radians(turn))))


def _turned(x: float, y: float, cosine: float, sine: float, middle: Point) -> Point:
    return middle[0] + x * cosine - y * sine, middle[1] + x * sine + y * cosine


def start_document(title: str, mode: str, last_frame: int) -> tuple[ET.Element, ET.Element]:
    """The root and its task, with every class and its attributes."""
    root = ET.Element("annotations")
    add(root, "version", VERSION)
    task = ET.SubElement(ET.SubElement(root, "meta"), "task")
    facts = {
        "id": "0", "name": title, "size": str(last_frame + 1), "mode": mode, "overlap": "0", "bugtracker": "",
        "start_frame": "0", "stop_frame": str(last_frame), "frame_filter": "",
    }  # fmt: skip
    for name, value in facts.items():
        add(task, name, value)
    labels = ET.SubElement(task, "labels")
    for kind in ObjectClass:
        label = ET.SubElement(labels, "label")
        add(label, "name", kind_name(kind))
        add(label, "color", COLOURS[kind.value % len(COLOURS)])
        add(label, "type", "any")
        attributes = ET.SubElement(label, "attributes")
        for name in names_of(kind):
            _declare(ET.SubElement(attributes, "attribute"), name)
    return root, task


def _declare(attribute: ET.Element, name: str) -> None:
    choices = CHOICES.get(name)
    kind = "text" if choices is None else "checkbox" if name == "truncated" else "select"
    add(attribute, "name", name)
    add(attribute, "mutable", "True")
    add(attribute, "input_type", kind)
    add(attribute, "default_value", "" if choices is None else choices[0])
    add(attribute, "values", "" if choices is None else "\n".join(choices))


def add(parent: ET.Element, tag: str, text: str) -> None:
    ET.SubElement(parent, tag).text = text


def save_document(root: ET.Element, path: Path) -> None:
    ET.indent(root)
    path.parent.mkdir(parents=True, exist_ok=True)
    ET.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def add_polygon(parent: ET.Element, item: LabelledObject, size: Size, given: Mapping[str, str]) -> None:
    """One object as a polygon; numbers come back to the last bit."""
    points = ";".join(f"{x!r},{y!r}" for x, y in outline_of(item, size))
    facts = {"occluded": "1" if item.occluded else "0", "points": points, **given}
    polygon = ET.SubElement(parent, "polygon", facts)
    for name, value in to_attributes(item, size).items():
        add(polygon, "attribute", value)
        polygon[-1].set("name", name)


def label_of(node: Node, path: Path, source: Source) -> ObjectClass:
    name = node.given.get("label")
    kind = source.kind(name)
    if kind is None:
        raise FormatFault(path, source.unknown(name), node.line)
    return kind


def is_shape(node: Node, path: Path) -> bool:
    """Whether an element is a box or polygon; another shape is a fault, what is no shape is not."""
    if node.tag in _OTHER_SHAPES:
        raise FormatFault(path, f"a {node.tag}, where a polygon or box is expected", node.line)
    return node.tag in ("polygon", "box")


def read_shape(node: Node, kind: ObjectClass, path: Path, size: Size, name: str) -> LabelledObject:
    """The object of a `polygon` or `box`; `name` is its id where it brings none."""
    attributes = {each.given.get("name", ""): each.text for each in node.all("attribute")}
    points = _polygon(node, path) if node.tag == "polygon" else _box(node, path)
    occluded = node.given.get("occluded", "0") == "1"
    try:
        return to_object(Shape(kind, points, attributes, occluded, name), size)
    except LabelError as fault:
        raise FormatFault(path, str(fault), node.line) from None


def layer(node: Node) -> int:
    """Where in the pile a shape lies: CVAT's `z_order`."""
    text = node.given.get("z_order", "0")
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        return 0
    return int(text)


def _polygon(node: Node, path: Path) -> Outline:
    points: list[Point] = []
    for pair in node.given.get("points", "").split(";"):
        parts = [number(part) for part in pair.split(",")]
        if len(parts) != 2 or parts[0] is None or parts[1] is None:
            raise FormatFault(path, f"point {pair!r:.40} is not two numbers in a picture's reach", node.line)
        points.append((parts[0], parts[1]))
    if len(points) < 3:
        raise FormatFault(path, "a polygon of fewer than three points", node.line)
    return tuple(points)


def _box(node: Node, path: Path) -> Outline:
    values = [number(node.given.get(name)) for name in ("xtl", "ytl", "xbr", "ybr")]
    angle = number(node.given.get("rotation", "0"))
    left, top, right, bottom = (0.0 if value is None else value for value in values)
    if None in values or angle is None:
        fault = "xtl, ytl, xbr, ybr or rotation is not a number in a picture's reach"
        raise FormatFault(path, fault, node.line)
    if right <= left or bottom <= top:
        raise FormatFault(path, "a box without width or height", node.line)
    return turned_box((left, top, right, bottom), angle)
