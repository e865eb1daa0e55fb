"""Table and layout files as TOML text. The standard library reads TOML but does not write it."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray
from veedor.vision.layout import TableLayout
from veedor.vision.table import ChipType, Table

SCHEMA = 1


def layout_to_toml(layout: TableLayout) -> str:
    """A layout file's text."""
    return "\n".join([f"schema = {SCHEMA}", "", *_layout_lines(layout)]) + "\n"


def table_to_toml(table: Table) -> str:
    """A table file's text."""
    lines = [
        f"schema = {SCHEMA}",
        f"id = {_text(table.id)}",
        f"name = {_text(table.name)}",
        f"profile = {_text(table.profile)}",
    ]
    if table.source is not None:
        lines.append(f"source = {_text(table.source)}")
    if table.felt_rgb is not None:
        lines.append(f"felt_rgb = {list(table.felt_rgb)}")
    for chip in table.chips:
        lines += ["", *_chip_lines(chip)]
    if table.camera is not None:
        lines += ["", *_calibration_lines("calibration", table)]
    for other, view in zip(table.cameras, table.views()[1:], strict=True):
        lines += ["", "[[cameras]]", f"name = {_text(other.name)}"]
        if other.source is not None:
            lines.append(f"source = {_text(other.source)}")
        lines += ["", *_calibration_lines("cameras.calibration", view)]
    return "\n".join([*lines, "", *_layout_lines(table.layout)]) + "\n"


def _text(value: str) -> str:
    # A JSON string is a TOML basic string, save for characters outside the BMP, hence ensure_ascii off.
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    return repr(float(value)) if value != round(value) else repr(float(round(value)))


def _array(values: NDArray[np.float64], digits: int | None = None) -> str:
    if values.ndim == 0:
        return _number(round(float(values), digits) if digits is not None else float(values))
    return "[" + ", ".join(_array(entry, digits) for entry in values) + "]"


def _layout_lines(layout: TableLayout) -> list[str]:
    lines = ["[layout]", f"name = {_text(layout.name)}", f"outline_mm = {_array(layout.outline_mm, 2)}"]
    for zone in layout.zones:
        lines += ["", "[[layout.zones]]", f"name = {_text(zone.name)}", f"kind = {_text(zone.kind)}"]
        lines += _place_lines(zone.pano, zone.seat)
        lines.append(f"polygon_mm = {_array(zone.polygon_mm, 2)}")
    for line in layout.lines:
        lines += ["", "[[layout.lines]]", f"name = {_text(line.name)}", f"kind = {_text(line.kind)}"]
        lines += _place_lines(line.pano, line.seat)
        lines += [
            f"half_width_mm = {_number(line.half_width_mm)}",
            f"points_mm = {_array(line.points_mm, 2)}",
        ]
    return lines


def _place_lines(pano: int | None, seat: int | None) -> list[str]:
    return [f"{key} = {value}" for key, value in (("pano", pano), ("seat", seat)) if value is not None]


def _chip_lines(chip: ChipType) -> list[str]:
    lines = [
        "[[chips]]",
        f"name = {_text(chip.name)}",
        f"value = {chip.value}",
        f"colour_rgb = {list(chip.colour_rgb)}",
    ]
    if chip.accent_rgb is not None:
        lines.append(f"accent_rgb = {list(chip.accent_rgb)}")
    if chip.centre_rgb is not None:
        lines.append(f"centre_rgb = {list(chip.centre_rgb)}")
    if chip.plaque:
        lines += ["plaque = true", f"size_mm = {_array(np.array(chip.size_mm))}"]
    else:
        lines.append(f"diameter_mm = {_number(chip.diameter_mm)}")
    return [*lines, f"thickness_mm = {_number(chip.thickness_mm)}"]


def _calibration_lines(key: str, table: Table) -> list[str]:
    camera = table.camera
    assert camera is not None
    to_felt = np.linalg.inv(camera.felt_to_undistorted)
    lines = [
        f"[{key}]",
        f"width = {camera.width}",
        f"height = {camera.height}",
        f"homography = {_array(to_felt / to_felt[2, 2])}",
        f"matrix = {_array(np.asarray(camera.matrix, dtype=np.float64))}",
        f"distortion = {_array(np.asarray(camera.distortion, dtype=np.float64))}",
    ]
    if table.reprojection_error_mm is not None:
        lines.append(f"reprojection_error_mm = {_number(table.reprojection_error_mm)}")
    for point in table.reference_points:
        lines += ["", f"[[{key}.points]]", f"name = {_text(point.name)}"]
        lines += [f"mm = {_array(np.array(point.mm))}", f"px = {_array(np.array(point.px), 3)}"]
    return lines
