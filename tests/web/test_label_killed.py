"""Objects corrected in the page by a script, `veedor serve` killed in the middle: nothing is lost."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
from browsing import browser
from veedor.datasets.labelled import LabelledObject, LabelledPicture
from veedor.monitor.labelling.store import LabelStore
from veedor.monitor.labelling.tables import keep_table
from veedor.vision.detections import ObjectClass
from veedor.vision.table import ChipType

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
FACE, BACK, STACK = ObjectClass.CARD_FACE, ObjectClass.CARD_BACK, ObjectClass.CHIP_STACK
CHIPS = (ChipType("white", 100, (240, 240, 240)), ChipType("blue", 500, (20, 20, 200)))


def box(name: str, kind: ObjectClass, x: float, y: float, **more: object) -> LabelledObject:
    corners = ((x, y), (x + 45.0, y), (x + 45.0, y + 63.0), (x, y + 63.0))
    return LabelledObject(name, kind, corners, **more)  # type: ignore[arg-type]


def drawn(row: float) -> tuple[LabelledObject, ...]:
    return (
        box("t1", FACE, 60.0, row, rank="7", suit="H"),
        box("t2", FACE, 160.0, row, rank="T", suit="C"),
        box("t3", BACK, 260.0, row),
        box("t4", STACK, 360.0, row, chips=("white", "blue"), count=2),
        box("t6", STACK, 560.0, row + 70, chips=("blue",) * 3, count=3),
        box("t5", FACE, 460.0, row, rank="K", suit="D"),
    )


def proposed(row: float) -> tuple[LabelledObject, ...]:
    """Right, misread, taken for a face, miscounted and off; one that is nothing; the last is missing."""
    return (
        box("m1", FACE, 60.0, row, rank="7", suit="H"),
        box("m2", FACE, 160.0, row, rank="9", suit="S"),
        box("m3", FACE, 260.0, row, rank="2"),
        box("m4", STACK, 366.0, row + 5, chips=("blue",), count=1),
        box("m6", STACK, 560.0, row + 70, count=3),
        box("m5", BACK, 550.0, row),
    )


def test_what_was_acknowledged_outlives_the_server(tmp_path: Path) -> None:
    from labelling import Server, measure
    from night import TABLE

    store = LabelStore(tmp_path)
    keep_table(store.folder, replace(TABLE, id="mesa-1", name="Mesa 1", chips=CHIPS))
    image = np.full((300, 640, 3), 90, np.uint8)
    truth = {}
    for number, row in enumerate((40.0, 120.0)):
        name = f"p{number}"
        about = LabelledPicture(
            name, "cd" * 32, number, Fraction(1, 25), 640, 300, "stills", "mesa-1", None, "x", 0,
            proposed(row),
        )  # fmt: skip
        store.add(about, image)
        truth[name] = drawn(row)
    server = Server(tmp_path)
    try:
        with browser() as chromium:
            page = chromium.new_context(viewport={"width": 1280, "height": 800}).new_page()
            page.set_default_timeout(60_000)
            told = measure(tmp_path, truth, page, server)
    finally:
        server.end()
    assert told["server_killed_after"] == 6 and told["lost"] == []
    assert (told["objects"], told["deleted"], told["added"]) == (12, 2, 2)
    after = told["after"]
    assert isinstance(after, dict)
    assert (after["found"], after["rank"], after["suit"], after["chips"]) == (1.0, 1.0, 1.0, 1.0)
    assert after["differences"] == [] and after["iou"] > 0.9
    assert all(store.final(name) is not None for name in truth)
