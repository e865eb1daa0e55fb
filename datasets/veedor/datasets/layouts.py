"""Shipped table layouts, and the geometry that the dos-paños one was drawn from.

`python -m veedor.datasets.layouts OUT.toml` writes it anew.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from veedor.datasets.errors import DatasetError
from veedor.vision.layout import Line, LineKind, TableLayout, Zone, ZoneKind
from veedor.vision.table_file import save_layout

FloatArray = NDArray[np.float64]

DOS_PANOS_10 = "dos-panos-10"

HALF_LENGTH_MM = 1400.0
HALF_HEIGHT_MM = 700.0
STRAIGHT_MM = HALF_LENGTH_MM - HALF_HEIGHT_MM  # half length of the stadium's straight sides
NOTCH_HALF_WIDTH_MM = 200.0
NOTCH_Y_MM = -560.0
PLAYER_DEPTH_MM = 140.0
BET_DEPTH_MM = 340.0
HALF_LINE_WIDTH_MM = 12.0  # tolerance of a base on a line, to either side
FORBIDDEN_FROM_MM, FORBIDDEN_TO_MM = 215.0, 390.0
SEATS_PER_PANO = 5
ARC_STEP_DEG = 4.0


def layout_path(name: str) -> Path:
    """The shipped layout file of that name, in a checkout or in an installed wheel."""
    here = Path(__file__).resolve()
    for folder in (here.parent / "data" / "layouts", here.parents[2] / "layouts"):
        path = folder / f"{name}.toml"
        if path.is_file():
            return path
    known = ", ".join(layout_names()) or "none"
    raise DatasetError(f"no shipped layout is called '{name}'; there are: {known}")


def layout_names() -> list[str]:
    """Names of the shipped layouts."""
    here = Path(__file__).resolve()
    folders = (here.parent / "data" / "layouts", here.parents[2] / "layouts")
    return sorted({path.stem for folder in folders for path in folder.glob("*.toml")})


def dos_panos_10() -> TableLayout:
    """An oval of 2.8 m by 1.4 m with ten seats, banker at the top, croupier's notch at the bottom."""
    zones: list[Zone] = [
        _area("P1.hand", ZoneKind.HAND, (-880, -560, -120, 120), pano=1),
        _area("P2.hand", ZoneKind.HAND, (560, 880, -120, 120), pano=2),
        _area("banker_hand", ZoneKind.BANKER_HAND, (-170, 170, 300, 470)),
        _area("shoe", ZoneKind.SHOE, (190, 420, 250, 480)),
        _area("bank", ZoneKind.BANK, (-200, 200, 490, 690)),
        _area("basket", ZoneKind.BASKET, (-230, -80, -540, -420)),
        _area("cagnotte", ZoneKind.CAGNOTTE, (100, 200, -540, -440)),
        _area("tips", ZoneKind.TIPS, (0, 70, -530, -450)),
        _area("croupier", ZoneKind.CROUPIER, (-FORBIDDEN_FROM_MM, FORBIDDEN_FROM_MM, NOTCH_Y_MM, -360)),
    ]
    band = (HALF_HEIGHT_MM - BET_DEPTH_MM, HALF_HEIGHT_MM)
    # The banker looks down the picture, so his right is its left; the croupier looks up.
    zones += [
        _area("forbidden.banker_right", ZoneKind.FORBIDDEN, (-FORBIDDEN_TO_MM, -FORBIDDEN_FROM_MM, *band)),
        _area("forbidden.banker_left", ZoneKind.FORBIDDEN, (FORBIDDEN_FROM_MM, FORBIDDEN_TO_MM, *band)),
        _area(
            "forbidden.croupier_left",
            ZoneKind.FORBIDDEN,
            (-FORBIDDEN_TO_MM, -FORBIDDEN_FROM_MM, -band[1], -band[0]),
        ),
        _area(
            "forbidden.croupier_right",
            ZoneKind.FORBIDDEN,
            (FORBIDDEN_FROM_MM, FORBIDDEN_TO_MM, -band[1], -band[0]),
        ),
    ]
    lines: list[Line] = []
    for pano, mirror in ((1, 1.0), (2, -1.0)):
        border = _half_ellipse() * (mirror, 1.0)
        zones.append(Zone(f"P{pano}.other", ZoneKind.OTHER_PANO, border, pano))
        lines.append(Line(f"P{pano}.caballo", LineKind.CABALLO, border, HALF_LINE_WIDTH_MM, pano))
        for number in range(SEATS_PER_PANO):
            seat = number + 1 + (pano - 1) * SEATS_PER_PANO
            middle = _seat_curve(number, PLAYER_DEPTH_MM)
            player = np.vstack([_seat_curve(number, 0.0), middle[::-1]])
            bet = np.vstack([middle, _seat_curve(number, BET_DEPTH_MM)[::-1]])
            name, flip = f"P{pano}.seat{seat}", (mirror, 1.0)
            zones.append(Zone(f"{name}.player", ZoneKind.PLAYER, player * flip, pano, seat))
            zones.append(Zone(f"{name}.bet", ZoneKind.BET, bet * flip, pano, seat))
            lines.append(Line(f"{name}.half", LineKind.HALF, middle * flip, HALF_LINE_WIDTH_MM, pano, seat))
    return TableLayout(DOS_PANOS_10, _outline(), tuple(zones), tuple(lines))


def _area(
    name: str, kind: ZoneKind, box_mm: tuple[float, float, float, float], *, pano: int | None = None
) -> Zone:
    left, right, low, high = box_mm
    return Zone(
        name, kind, np.array([[left, low], [right, low], [right, high], [left, high]], dtype=np.float64), pano
    )


def _half_ellipse() -> FloatArray:
    angles = np.deg2rad(np.arange(90.0, 270.0 + ARC_STEP_DEG / 2, ARC_STEP_DEG))
    points: FloatArray = np.column_stack([-50.0 + 380.0 * np.cos(angles), -20.0 + 210.0 * np.sin(angles)])
    return points.round(2)


def _outline() -> FloatArray:
    angles = np.deg2rad(np.arange(90.0, 270.0 + ARC_STEP_DEG / 2, ARC_STEP_DEG))
    left = np.column_stack([-STRAIGHT_MM + HALF_HEIGHT_MM * np.cos(angles), HALF_HEIGHT_MM * np.sin(angles)])
    notch = np.array([[-NOTCH_HALF_WIDTH_MM, -HALF_HEIGHT_MM], [-NOTCH_HALF_WIDTH_MM, NOTCH_Y_MM]])
    right = np.vstack([left, notch])[::-1] * (-1.0, 1.0)
    outline: FloatArray = np.vstack([left, notch, right])
    return outline.round(2)


def _seat_curve(number: int, depth_mm: float) -> FloatArray:
    """The left half's border at `depth_mm` from the edge along seat `number` (0..4), from the banker on.

    Seats share the middle of the betting band evenly, so that the corners get as much room as the straight.
    """
    straight = STRAIGHT_MM - FORBIDDEN_TO_MM
    arc = np.pi * (HALF_HEIGHT_MM - (PLAYER_DEPTH_MM + BET_DEPTH_MM) / 2)
    share = (2 * straight + arc) / SEATS_PER_PANO
    # How far the first and the last seat reach round the corner.
    bend = np.rad2deg((share - straight) / (arc / np.pi))
    turn = (180.0 - 2 * bend) / (SEATS_PER_PANO - 2)
    edges = [90.0, *(90.0 + bend + turn * index for index in range(SEATS_PER_PANO - 1)), 270.0]
    radius = HALF_HEIGHT_MM - depth_mm
    steps = max(2, round((edges[number + 1] - edges[number]) / ARC_STEP_DEG) + 1)
    angles = np.deg2rad(np.linspace(edges[number], edges[number + 1], steps))
    points = np.column_stack([-STRAIGHT_MM + radius * np.cos(angles), radius * np.sin(angles)])
    if number == 0:
        points = np.vstack([[-FORBIDDEN_TO_MM, radius], points])
    if number == SEATS_PER_PANO - 1:
        points = np.vstack([points, [-FORBIDDEN_TO_MM, -radius]])
    return points.round(2)


if __name__ == "__main__":
    save_layout(dos_panos_10(), Path(sys.argv[1]))
