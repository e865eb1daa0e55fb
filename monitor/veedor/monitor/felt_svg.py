"""A table's felt from above as SVG, to scale: one SVG unit is one millimetre, y pointing down.

SVG's y axis points down and the table's up, so table points are drawn at (x, -y).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from veedor.vision.layout import Zone, ZoneKind
from veedor.vision.table import Table

MARGIN_MM = 60.0
DEFAULT_COLOUR = "#14503a"
SHADE = 0.75  # the drawing stands on a dark page: darker than the felt under the room's light


@dataclass(frozen=True)
class FeltShape:
    """One zone, line or the outline: `kind` its CSS class, `path` SVG path data, `name` a zone's own."""

    kind: str
    path: str
    label: str = ""
    x: float = 0.0
    y: float = 0.0
    name: str = ""


@dataclass(frozen=True)
class FeltDrawing:
    """Shapes from the bottom up, the view box that holds them, and the felt's own colour."""

    view_box: str
    shapes: tuple[FeltShape, ...]
    colour: str = DEFAULT_COLOUR


def draw_felt(table: Table) -> FeltDrawing:
    """The felt's printed parts; zones that are looked up first lie on top."""
    layout = table.layout
    low, high = layout.outline_mm.min(axis=0), layout.outline_mm.max(axis=0)
    width, height = high - low + 2 * MARGIN_MM
    view_box = f"{_n(low[0] - MARGIN_MM)} {_n(-high[1] - MARGIN_MM)} {_n(width)} {_n(height)}"
    outline = FeltShape("felt", path_data(layout.outline_mm, closed=True))
    zones = tuple(_zone_shape(zone) for zone in reversed(layout.zones))
    lines = tuple(
        FeltShape(f"line line-{line.kind}", path_data(line.points_mm, closed=False)) for line in layout.lines
    )
    colour = DEFAULT_COLOUR
    if table.felt_rgb is not None:
        red, green, blue = (round(part * SHADE) for part in table.felt_rgb)
        colour = f"#{red:02x}{green:02x}{blue:02x}"
    return FeltDrawing(view_box, (outline, *zones, *lines), colour)


def path_data(points_mm: NDArray[np.float64], *, closed: bool) -> str:
    """SVG path data through table points (n, 2) in mm."""
    steps = [f"{_n(x)} {_n(-y)}" for x, y in points_mm]
    return "M" + "L".join(steps) + ("Z" if closed else "")


def _zone_shape(zone: Zone) -> FeltShape:
    x, y = zone.centre_mm
    label = ""
    if zone.kind is ZoneKind.BET and zone.seat is not None:
        label = str(zone.seat)
    elif zone.kind is ZoneKind.HAND and zone.pano is not None:
        label = f"P{zone.pano}"
    elif zone.kind is ZoneKind.BANKER_HAND:
        label = "B"
    elif zone.kind is ZoneKind.OTHER_PANO and zone.pano is not None:
        label = f"→ P{3 - zone.pano}"
    return FeltShape(
        f"zone zone-{zone.kind}",
        path_data(zone.polygon_mm, closed=True),
        label,
        float(x),
        -float(y),
        zone.name,
    )


def _n(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")
