"""What `veedor calibrate` is given and leaves: layouts, clicked points, table files."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text

if TYPE_CHECKING:
    from veedor.vision.layout import TableLayout
    from veedor.vision.table import ReferencePoint, Table


def layout_named(name: str) -> TableLayout:
    """A shipped layout by its name, or that of a layout file."""
    from veedor.datasets.layouts import layout_path
    from veedor.vision.table_file import load_layout

    path = Path(name)
    if path.suffix.lower() == ".json":
        from veedor.models.labels import read_json
        from veedor.models.photoreal_tables import layout_of

        try:
            return layout_of(read_json(path))
        except (KeyError, TypeError, ValueError) as fault:
            raise UsageFault(f"{path}: {text(es='no es un diseño', en='not a layout')}: {fault!r}") from None
    return load_layout(path if path.suffix or path.is_file() else layout_path(name))


def clicked_points(
    given: Sequence[str], file: Path | None, layout: TableLayout
) -> tuple[ReferencePoint, ...]:
    """Points given as `NAME=X,Y;…` and in a file."""
    from veedor.vision.calibration import named

    clicked: dict[str, tuple[float, float]] = {}
    if file is not None:
        clicked |= _points_file(file)
    for part in (part for each in given for part in each.split(";") if part.strip()):
        name, _, place = part.rpartition("=")
        try:
            x, y = (float(number) for number in place.split(","))
        except ValueError:
            raise UsageFault(
                text(
                    es=f"--points: se espera NOMBRE=X,Y, se encontró '{part.strip()}'",
                    en=f"--points: expected NAME=X,Y, found '{part.strip()}'",
                )
            ) from None
        clicked[name.strip()] = (x, y)
    for name, place_px in clicked.items():
        if not all(math.isfinite(number) for number in place_px):
            raise UsageFault(f"--points: {name}: {text(es='no es un número', en='not a number')}")
    return named(clicked, layout)


def _points_file(path: Path) -> dict[str, tuple[float, float]]:
    try:
        data = path.read_text(encoding="utf-8-sig")
        held = json.loads(data) if path.suffix.lower() == ".json" else tomllib.loads(data)
        entries = held.get("points", held)
        return {str(name): (float(place[0]), float(place[1])) for name, place in entries.items()}
    except (ValueError, TypeError, AttributeError, KeyError, IndexError, OverflowError, RecursionError):
        raise UsageFault(
            f"{path}: {text(es='se espera nombre = [x, y]', en='expected name = [x, y]')}"
        ) from None


def write_table(table: Table, path: Path) -> None:
    """Whole or not at all, and never a file that cannot be read back."""
    from veedor.vision.table_file import load_table, save_table

    part = path.with_name(path.name + ".part")
    save_table(table, part)
    try:
        load_table(part)
    except Exception:
        part.unlink()
        raise
    part.replace(path)
