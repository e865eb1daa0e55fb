"""Table files and layout files (TOML): reading with one-line faults, and writing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.layout import Line, LineKind, TableLayout, Zone, ZoneKind
from veedor.vision.table import (
    LONGEST_NAME,
    ChipType,
    OtherCamera,
    ReferencePoint,
    Table,
    is_table_id,
    reprojection_error_mm,
)
from veedor.vision.toml_reading import Section, read_toml
from veedor.vision.toml_writing import layout_to_toml, table_to_toml

__all__ = [
    "ChipType",
    "OtherCamera",
    "ReferencePoint",
    "Table",
    "load_layout",
    "load_table",
    "reprojection_error_mm",
    "save_layout",
    "save_table",
]

SCHEMA = 1


def load_layout(path: Path | str) -> TableLayout:
    """The layout of a layout file; TableFileError names the file, the key and the fault."""
    document = read_toml(Path(path))
    _check_schema(document)
    layout = _read_layout(document.section("layout"))
    document.finish()
    return layout


def load_table(path: Path | str) -> Table:
    """The table of a table file; TableFileError names the file, the key and the fault."""
    document = read_toml(Path(path))
    _check_schema(document)
    camera: Camera | None = None
    points: tuple[ReferencePoint, ...] = ()
    error: float | None = None
    if document.has("calibration"):
        camera, points, error = _read_calibration(document.section("calibration"))
    table = Table(
        id=_read_id(document),
        name=_read_name(document),
        profile=document.text("profile"),
        layout=_read_layout(document.section("layout")),
        chips=_read_chips(document),
        camera=camera,
        reference_points=points,
        reprojection_error_mm=error,
        source=document.text("source") if document.has("source") else None,
        felt_rgb=_read_colour(document, "felt_rgb") if document.has("felt_rgb") else None,
        cameras=tuple(_read_camera(entry) for entry in document.sections("cameras")),
    )
    if table.cameras and camera is None:
        raise document.fault("cameras", "the main camera is not calibrated: [calibration] is missing")
    _check_unique(document, "cameras", [other.name for other in table.cameras])
    document.finish()
    return table


def _read_id(document: Section) -> str:
    name = document.text("id")
    if not is_table_id(name):
        raise document.fault("id", f"expected up to 48 letters, digits, . _ -, found {name[:60]!r}")
    return name


def _read_name(document: Section) -> str:
    name = document.text("name")
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise document.fault(
            "name", f"expected up to {LONGEST_NAME} letters in one line, found {name[:60]!r}"
        )
    return name


def save_layout(layout: TableLayout, path: Path | str) -> None:
    """Write a layout file that `load_layout` reads back."""
    Path(path).write_text(layout_to_toml(layout), encoding="utf-8")


def save_table(table: Table, path: Path | str) -> None:
    """Write a table file that `load_table` reads back."""
    Path(path).write_text(table_to_toml(table), encoding="utf-8")


def _check_schema(document: Section) -> None:
    schema = document.integer("schema")
    if schema != SCHEMA:
        raise document.fault("schema", f"expected {SCHEMA}, found {schema}")


def _read_layout(section: Section) -> TableLayout:
    outline = section.array("outline_mm", (None, 2))
    _check_polygon(section, "outline_mm", outline)
    zones = tuple(_read_zone(entry) for entry in section.sections("zones"))
    lines = tuple(_read_line(entry) for entry in section.sections("lines"))
    for key, names in (("zones", [zone.name for zone in zones]), ("lines", [line.name for line in lines])):
        _check_unique(section, key, names)
    layout = TableLayout(section.text("name"), outline, zones, lines)
    section.finish()
    return layout


def _read_zone(section: Section) -> Zone:
    kind = section.choice("kind", ZoneKind)
    polygon = section.array("polygon_mm", (None, 2))
    _check_polygon(section, "polygon_mm", polygon)
    pano, seat = _read_place(section)
    zone = Zone(section.text("name"), kind, polygon, pano, seat)
    section.finish()
    return zone


def _read_line(section: Section) -> Line:
    kind = section.choice("kind", LineKind)
    points = section.array("points_mm", (None, 2))
    if len(points) < 2:
        raise section.fault("points_mm", f"expected at least 2 points, found {len(points)}")
    half_width = section.number("half_width_mm")
    if half_width <= 0:
        raise section.fault("half_width_mm", f"expected more than 0, found {half_width:g}")
    pano, seat = _read_place(section)
    line = Line(section.text("name"), kind, points, half_width, pano, seat)
    section.finish()
    return line


def _read_place(section: Section) -> tuple[int | None, int | None]:
    pano, seat = section.optional_integer("pano"), section.optional_integer("seat")
    if pano not in (None, 1, 2):
        raise section.fault("pano", f"expected 1 or 2, found {pano}")
    if seat is not None and seat < 1:
        raise section.fault("seat", f"expected 1 or more, found {seat}")
    return pano, seat


def _read_chips(document: Section) -> tuple[ChipType, ...]:
    chips = []
    for section in document.sections("chips"):
        chip = ChipType(
            name=section.text("name"),
            value=section.integer("value"),
            colour_rgb=_read_colour(section, "colour_rgb"),
            plaque=section.flag("plaque", default=False),
            diameter_mm=section.number("diameter_mm", ChipType.diameter_mm),
            thickness_mm=section.number("thickness_mm", ChipType.thickness_mm),
            size_mm=_read_size(section),
            accent_rgb=_read_colour(section, "accent_rgb") if section.has("accent_rgb") else None,
            centre_rgb=_read_colour(section, "centre_rgb") if section.has("centre_rgb") else None,
        )
        if chip.value <= 0:
            raise section.fault("value", f"expected more than 0, found {chip.value}")
        if chip.diameter_mm <= 0 or chip.thickness_mm <= 0 or min(chip.size_mm) <= 0:
            raise section.fault("", "expected sizes above 0 mm")
        section.finish()
        chips.append(chip)
    _check_unique(document, "chips", [chip.name for chip in chips])
    return tuple(chips)


def _read_size(section: Section) -> tuple[float, float]:
    if not section.has("size_mm"):
        return ChipType.size_mm
    width, height = section.array("size_mm", (2,))
    return float(width), float(height)


def _read_colour(section: Section, key: str) -> tuple[int, int, int]:
    values = section.array(key, (3,))
    if (values < 0).any() or (values > 255).any():
        raise section.fault(key, f"expected red, green, blue of 0 to 255, found {values.tolist()}")
    red, green, blue = (round(float(value)) for value in values)
    return red, green, blue


def _read_calibration(section: Section) -> tuple[Camera, tuple[ReferencePoint, ...], float | None]:
    width, height = section.integer("width"), section.integer("height")
    if width <= 0 or height <= 0:
        raise section.fault("width", f"expected a picture size above 0, found {width} x {height}")
    matrix = section.array("matrix", (3, 3))
    if matrix[0, 0] <= 0 or matrix[1, 1] <= 0:
        raise section.fault("matrix", "expected focal lengths above 0")
    distortion = section.array("distortion", (5,))
    to_felt = section.array("homography", (3, 3))
    if abs(np.linalg.det(to_felt / max(float(np.abs(to_felt).max()), 1e-300))) < 1e-12:
        raise section.fault("homography", "cannot be inverted: it maps the picture onto a line or a point")
    camera = Camera.from_homography(
        np.asarray(np.linalg.inv(to_felt), np.float64), matrix, distortion, (width, height)
    )
    if not np.isfinite(camera.rotation).all() or camera.position_mm[2] <= 0:
        raise section.fault("homography", "puts the camera under the felt")
    points = tuple(_read_point(entry) for entry in section.sections("points"))
    _check_unique(section, "points", [point.name for point in points])
    stored = section.number("reprojection_error_mm") if section.has("reprojection_error_mm") else None
    section.finish()
    return camera, points, stored if stored is not None else reprojection_error_mm(camera, points)


def _read_camera(section: Section) -> OtherCamera:
    name = section.text("name")
    source = section.text("source") if section.has("source") else None
    camera, points, error = _read_calibration(section.section("calibration"))
    section.finish()
    return OtherCamera(name, camera, source, points, error)


def _read_point(section: Section) -> ReferencePoint:
    x_mm, y_mm = section.array("mm", (2,))
    x_px, y_px = section.array("px", (2,))
    point = ReferencePoint(section.text("name"), (float(x_mm), float(y_mm)), (float(x_px), float(y_px)))
    section.finish()
    return point


def _check_unique(section: Section, key: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise section.fault(key, f"the name '{name}' stands twice")
        seen.add(name)


def _check_polygon(section: Section, key: str, polygon: NDArray[np.float64]) -> None:
    if len(polygon) < 3:
        raise section.fault(key, f"expected at least 3 points, found {len(polygon)}")
    crossing = crossing_edges(polygon)
    if crossing is not None:
        first, second = crossing
        raise section.fault(key, f"edge {first + 1} crosses edge {second + 1}")
    if abs(float(cv2.contourArea(polygon.astype(np.float32).reshape(-1, 1, 2)))) < 1.0:
        raise section.fault(key, "expected an area of at least 1 mm²")


def crossing_edges(polygon: NDArray[np.float64]) -> tuple[int, int] | None:
    """The first two edges of a closed polygon (n, 2) that cross or touch out of turn, or None."""
    count = len(polygon)
    following = np.roll(polygon, -1, axis=0)
    for first in range(count):
        for second in range(first + 1, count):
            if second - first in (1, count - 1):
                continue
            if _segments_meet(polygon[first], following[first], polygon[second], following[second]):
                return first, second
    return None


def _segments_meet(
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    other: NDArray[np.float64],
    other_end: NDArray[np.float64],
) -> bool:
    def side(origin: NDArray[np.float64], tip: NDArray[np.float64], point: NDArray[np.float64]) -> float:
        edge, offset = tip - origin, point - origin
        return float(np.sign(edge[0] * offset[1] - edge[1] * offset[0]))

    def between(origin: NDArray[np.float64], tip: NDArray[np.float64], point: NDArray[np.float64]) -> bool:
        return bool((np.minimum(origin, tip) <= point).all() and (point <= np.maximum(origin, tip)).all())

    sides = (
        side(start, end, other),
        side(start, end, other_end),
        side(other, other_end, start),
        side(other, other_end, end),
    )
    if sides[0] * sides[1] < 0 and sides[2] * sides[3] < 0:
        return True
    touching = (
        (sides[0], start, end, other),
        (sides[1], start, end, other_end),
        (sides[2], other, other_end, start),
        (sides[3], other, other_end, end),
    )
    return any(value == 0 and between(origin, tip, point) for value, origin, tip, point in touching)
