from __future__ import annotations

import numpy as np
import pytest
from veedor.datasets.layouts import dos_panos_10
from veedor.vision.betting_places import place_of, place_of_group
from veedor.vision.layout import Line, LineKind, TableLayout

LAYOUT = dos_panos_10()


def on_line(name: str, off_mm: float = 0.0) -> np.ndarray:
    line = next(line for line in LAYOUT.lines if line.name == name)
    index = len(line.points_mm) // 2
    start, end = line.points_mm[index - 1], line.points_mm[index]
    along = (end - start) / np.hypot(*(end - start))
    return (start + end) / 2 + np.array([-along[1], along[0]]) * off_mm


@pytest.mark.parametrize(
    ("place", "plays"),
    [
        (LAYOUT.zone("P1.seat2.bet").centre_mm, "P1"),
        (LAYOUT.zone("P2.seat9.bet").centre_mm, "P2"),
        (LAYOUT.zone("P1.other").centre_mm, "P2"),
        (LAYOUT.zone("P2.other").centre_mm, "P1"),
        (LAYOUT.zone("forbidden.banker_right").centre_mm, "forbidden"),
        (LAYOUT.zone("P1.seat3.player").centre_mm, None),
        (LAYOUT.zone("bank").centre_mm, None),
        (np.array([5000.0, 0.0]), None),
        (on_line("P1.seat4.half"), "half:P1"),
        (on_line("P2.seat8.half", 9.0), "half:P2"),
        (on_line("P1.caballo", -9.0), "caballo"),
        (on_line("P2.caballo", 9.0), "caballo"),
    ],
)
def test_what_a_base_plays(place: np.ndarray, plays: str | None) -> None:
    assert place_of(LAYOUT, place).plays == plays


def test_off_the_line_the_area_decides() -> None:
    inside, outside = (place_of(LAYOUT, on_line("P1.seat3.half", off)) for off in (30.0, -30.0))
    assert {inside.plays, outside.plays} == {"P1", None}
    assert inside.seat == outside.seat == 3
    assert inside.line_gap_mm == pytest.approx(18.0, abs=0.5)


def test_a_row_along_a_line_plays_the_line_although_its_ends_leave_it() -> None:
    places = [on_line("P1.caballo"), on_line("P1.caballo", 14.0), on_line("P1.caballo", -3.0)]
    assert place_of_group(LAYOUT, places).plays == "caballo"


def test_where_both_lines_meet_half_of_a_caballo_plays() -> None:
    lines = (
        Line("h", LineKind.HALF, np.array([[0.0, 0.0], [100.0, 0.0]]), 12.0, 1, 1),
        Line("c", LineKind.CABALLO, np.array([[50.0, -50.0], [50.0, 50.0]]), 12.0, 1),
    )
    layout = TableLayout("x", np.array([[-200.0, -200.0], [200, -200], [200, 200], [-200, 200]]), (), lines)
    assert place_of(layout, np.array([50.0, 0.0])).plays == "half:caballo"
