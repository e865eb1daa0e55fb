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
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as fault:
            raise UsageFault(f"{path}: {text(es='no es un diseño', en='not a layout')}: {fault!r}") from None
    return load_layout(path if path.suffix or path.is_file() else layout_path(name))


def clicked_points(
    given: Sequence[str], file: Path | None, layout: TableLayout
) -> tuple[ReferencePoint, ...]:
    """Points given as `NAME=X,Y;…` and in a file; none only where neither is given."""
    from veedor.vision.calibration import FEWEST_POINTS, named
    from veedor.vision.errors import VisionError

    places = [] if file is None else [(str(file), *each) for each in _points_file(file)]
    places += [("--points", *each) for written in given for each in _written_points(written)]
    if not places:
        return ()
    points: dict[str, ReferencePoint] = {}
    for where, name, pixel in places:
        if name in points:
            twice = text(es="el punto se da dos veces", en="the point is given twice")
            raise UsageFault(f"{where}: {name}: {twice}")
        if not all(math.isfinite(number) for number in pixel):
            raise UsageFault(f"{where}: {name}: {text(es='no es un número', en='not a number')}")
        try:
            (points[name],) = named({name: pixel}, layout)
        except VisionError as fault:
            raise VisionError(f"{where}: {fault}") from None
    if len(points) < FEWEST_POINTS:
        few = text(
            es=f"hacen falta al menos {FEWEST_POINTS} puntos, y hay {len(points)}",
            en=f"at least {FEWEST_POINTS} points are needed, and there are {len(points)}",
        )
        raise UsageFault(f"{places[0][0]}: {few}")
    return tuple(points.values())


def check_near(points: Sequence[ReferencePoint], size: tuple[int, int]) -> None:
    """UsageFault for a point that lies further off the picture of `size` than it is large."""
    for point in points:
        if not all(-side <= place <= 2 * side for place, side in zip(point.px, size, strict=True)):
            (x, y), (width, height) = point.px, size
            raise UsageFault(
                text(
                    es=f"{point.name}={x:g},{y:g}: muy fuera de la imagen, de {width} x {height}",
                    en=f"{point.name}={x:g},{y:g}: far outside of the picture of {width} x {height}",
                )
            )


def _written_points(given: str) -> list[tuple[str, tuple[float, float]]]:
    parts = [part.strip() for part in given.split(";") if part.strip()]
    if not parts:
        raise UsageFault(f"--points: {_no_point()}")
    found = []
    for part in parts:
        name, _, place = part.rpartition("=")
        try:
            x, y = (float(number) for number in place.split(","))
        except ValueError:
            raise UsageFault(
                text(
                    es=f"--points: se espera NOMBRE=X,Y, se encontró '{part:.100}'",
                    en=f"--points: expected NAME=X,Y, found '{part:.100}'",
                )
            ) from None
        found.append((name.strip(), (x, y)))
    return found


def _points_file(path: Path) -> list[tuple[str, tuple[float, float]]]:
    try:
        data = path.read_text(encoding="utf-8-sig")
        if path.suffix.lower() == ".json":
            held = json.loads(data, object_pairs_hook=_once)
        else:
            held = tomllib.loads(data)
        entries = held.get("points", held)
        found = [(str(name), _pixel(place)) for name, place in entries.items()]
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as fault:
        wrong = text(es="se espera nombre = [x, y]", en="expected name = [x, y]")
        told = f"; {fault.args[0]}" if isinstance(fault, _TwiceError) else ""
        raise UsageFault(f"{path}: {wrong}{told}") from None
    if not found:
        raise UsageFault(f"{path}: {_no_point()}")
    return found


class _TwiceError(ValueError):
    """A name stands twice in one object."""


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise _TwiceError(text(es=f"{name} está dos veces", en=f"{name} stands there twice"))
        found[name] = value
    return found


def _pixel(place: object) -> tuple[float, float]:
    if not isinstance(place, list) or len(place) != 2:
        raise TypeError
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in place):
        raise TypeError
    return float(place[0]), float(place[1])


def _no_point() -> str:
    return text(es="ningún punto", en="no point")


def write_table(table: Table, path: Path) -> None:
    """Whole or not at all, and never a file that cannot be read back."""
    from veedor.datasets.replacing import replacing
    from veedor.vision.errors import VisionError
    from veedor.vision.table_file import load_table, save_table

    with replacing(path) as part:
        save_table(table, part)
        try:
            load_table(part)
        except VisionError as fault:
            raise VisionError(str(fault).replace(str(part), str(path))) from None
