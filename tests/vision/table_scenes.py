"""A table under a camera, and percepts put together by hand, for tests of what follows perception."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from veedor.datasets.layouts import dos_panos_10
from veedor.rules.cards import RANKS, SUITS
from veedor.vision.camera import Camera, look_at
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.percept import TALLEST, Percept
from veedor.vision.table import ChipType, Table

CHIPS = (
    ChipType("10", 10, (200, 30, 40)),
    ChipType("50", 50, (30, 60, 170)),
    ChipType("500", 500, (240, 230, 200), plaque=True, size_mm=(84.0, 54.0)),
)
SIZES = {
    ObjectClass.CARD_FACE: (63.0, 88.0),
    ObjectClass.CARD_BACK: (63.0, 88.0),
    ObjectClass.CHIP_STACK: (40.0, 40.0),
    ObjectClass.PLAQUE: (54.0, 84.0),
    ObjectClass.HAND: (92.0, 195.0),
    ObjectClass.PALA: (104.0, 150.0),
}
LOOK_S = 0.2


def camera() -> Camera:
    return look_at(
        (1920, 1080),
        focal_px=1500.0,
        position_mm=np.array([0.0, -300.0, 2500.0]),
        target_mm=np.array([0.0, 0.0, 0.0]),
    )


def table() -> Table:
    return Table("t", "T", "dos-panos-limitada", dos_panos_10(), CHIPS, camera(), felt_rgb=(20, 92, 60))


@dataclass(frozen=True)
class Thing:
    """Something on the felt. `turn_deg` 0: its long side along y."""

    kind: ObjectClass
    x: float
    y: float
    turn_deg: float = 0.0
    face: str | None = None
    chip: str | None = None
    count: int = 1


def card(x: float, y: float, face: str | None = None, turn_deg: float = 0.0) -> Thing:
    kind = ObjectClass.CARD_BACK if face is None else ObjectClass.CARD_FACE
    return Thing(kind, x, y, turn_deg, face)


def chips(x: float, y: float, chip: str = "10", count: int = 1) -> Thing:
    return Thing(ObjectClass.CHIP_STACK, x, y, chip=chip, count=count)


def plaque(x: float, y: float, chip: str = "500") -> Thing:
    return Thing(ObjectClass.PLAQUE, x, y, chip=chip)


def hand(x: float, y: float, elbow: tuple[float, float]) -> Thing:
    """A hand whose fingertips are at x, y and whose forearm leads to `elbow`."""
    way = np.array(elbow) - (x, y)
    way = way / np.hypot(*way)
    middle = np.array([x, y]) + way * 85.0
    turn = float(np.rad2deg(np.arctan2(way[1], way[0]))) - 90.0
    return Thing(ObjectClass.HAND, float(middle[0]), float(middle[1]), turn)


def corners_mm(thing: Thing) -> np.ndarray:
    width, height = SIZES[thing.kind]
    box = np.array([[-width, height], [width, height], [width, -height], [-width, -height]]) / 2
    angle = np.deg2rad(thing.turn_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return box @ turn.T + (thing.x, thing.y)


def percept(t_s: float, things: Sequence[Thing], *, fresh: bool = True) -> Percept:
    """What a perfect look at these things perceives."""
    count, kinds = len(things), len(CHIPS)
    index = round(t_s / LOOK_S)
    if not count:
        return Percept.empty(index, t_s, kinds)
    view = camera()
    corners = np.array([view.project(corners_mm(thing)) for thing in things], np.float32)
    names = [chip.name for chip in CHIPS]
    ranks = np.full((count, 13), np.nan, np.float32)
    suits = np.full((count, 4), np.nan, np.float32)
    probs = np.full((count, kinds), np.nan, np.float32)
    counts = np.full((count, TALLEST), np.nan, np.float32)
    for row, thing in enumerate(things):
        if thing.face is not None:
            ranks[row] = _sure(RANKS.index(thing.face[0]), 13)
            suits[row] = _sure(SUITS.index(thing.face[1]), 4)
        if thing.chip is not None:
            probs[row] = _sure(names.index(thing.chip), kinds)
            counts[row] = _sure(thing.count - 1, TALLEST)
    return Percept(
        index,
        t_s,
        Detections(
            corners,
            np.full(count, 0.95, np.float32),
            np.array([int(thing.kind) for thing in things], np.int64),
        ),
        np.array([[thing.x, thing.y] for thing in things], np.float32),
        ranks,
        suits,
        probs,
        counts,
        np.full(count, fresh),
    )


def _sure(index: int, count: int) -> np.ndarray:
    probs = np.full(count, 0.04 / (count - 1), np.float32)
    probs[index] = 0.96
    return probs
