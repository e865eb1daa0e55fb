"""Where things lay in a coup: each stake's place on the felt in mm, and outlines for every picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from veedor.datasets.labelled import CENTRE_PX, continuous
from veedor.monitor.coup_view import StakeRow
from veedor.monitor.reviewed import ReviewedSession
from veedor.monitor.stills import face_of
from veedor.monitor.wording import card_name
from veedor.vision.betting_places import place_of
from veedor.vision.camera import Camera
from veedor.vision.detections import ObjectClass
from veedor.vision.footprints import CARDS, CHIPS
from veedor.vision.percept import Percept
from veedor.vision.table import Table

FloatArray = NDArray[np.float64]

# A stake is told when it has rested; by then it lies where it was put.
LOOK_S = 2.0
OTHERS_MM = 30.0  # chips nearer than that to another stake's are that stake's
SURE = 0.5
_KINDS = {
    ObjectClass.CARD_FACE: "card",
    ObjectClass.CARD_BACK: "back",
    ObjectClass.CHIP_STACK: "chip",
    ObjectClass.PLAQUE: "plaque",
    ObjectClass.HAND: "hand",
    ObjectClass.PALA: "pala",
    ObjectClass.CUT_CARD: "cut",
    ObjectClass.SHOE: "shoe",
}


@dataclass(frozen=True)
class SeenPlace:
    """Where a stake stood: the middle of its piles in table millimetres, and how many piles.

    `line` is the kind of the nearest printed line, `line_mm` how far that is; `gap_mm` how far the stake
    could move before it played something else; `seat` and `pano` those of the felt there.
    """

    x_mm: float
    y_mm: float
    piles: int
    line: str
    line_mm: float
    gap_mm: float
    seat: int | None
    pano: int | None


def places_of(session: ReviewedSession, stakes: Iterable[StakeRow]) -> dict[str, SeenPlace]:
    """The place of each stake that was seen where its zone says; others are left out."""
    table, found = session.table, dict[str, SeenPlace]()
    taken: list[FloatArray] = []
    for stake in sorted(stakes, key=lambda each: each.placed_t):
        for percept in session.sight(stake.placed_t, stake.placed_t + LOOK_S):
            bases = [base for base in _bases(percept, table, stake) if _free(base, taken)]
            if bases:
                taken += bases
                found[stake.bet] = _seen(table, bases)
                break
    return found


def _bases(percept: Percept, table: Table, stake: StakeRow) -> list[FloatArray]:
    """Chips that stand where the stake plays, at its bettor's seat where the felt there has one."""
    found = []
    for row in np.flatnonzero(np.isin(percept.detections.class_ids, CHIPS)).tolist():
        base = np.asarray(percept.base_mm[row], np.float64)
        place = place_of(table.layout, base)
        theirs = place.seat is None or not stake.who.startswith("seat") or stake.who == f"seat{place.seat}"
        if place.plays == stake.zone and theirs:
            found.append(base)
    return found


def _free(base: FloatArray, taken: Sequence[FloatArray]) -> bool:
    return all(float(np.linalg.norm(base - other)) > OTHERS_MM for other in taken)


def _seen(table: Table, bases: Sequence[FloatArray]) -> SeenPlace:
    x_mm, y_mm = (float(part) for part in np.mean(bases, axis=0))
    place = place_of(table.layout, np.array([x_mm, y_mm]))
    nearest = table.layout.nearest_line(x_mm, y_mm)
    line, far = ("", float("inf")) if nearest is None else (nearest[0].kind.value, nearest[1])
    return SeenPlace(
        round(x_mm, 1), round(y_mm, 1), len(bases), line, round(far, 1), round(place.line_gap_mm, 1),
        place.seat, place.pano,
    )  # fmt: skip


def overlay(session: ReviewedSession, t0_s: float, t1_s: float) -> Mapping[str, Any]:
    """Presentation times of a stretch and what was seen in each picture, as a page draws it.

    `times` are those of the pictures; each look names rows of `objects`: kind, corners in pixels of the
    picture as stored, label, and on the felt x, y and turn in millimetres and degrees. Objects that lie still
    stand once.
    """
    table = session.table
    rows: dict[tuple[Any, ...], int] = {}
    turns: dict[tuple[float, ...], int] = {}  # worked out once for a card that lies still
    looks: list[tuple[float, list[int]]] = []
    for percept in session.sight(t0_s, t1_s):
        seen = [rows.setdefault(each, len(rows)) for each in _objects(percept, table, turns)]
        if not looks or looks[-1][1] != seen:
            looks.append((round(percept.t_s, 6), seen))
    camera = table.camera
    size = (camera.width, camera.height) if camera is not None else (0, 0)
    return {
        "start": t0_s,
        "stop": t1_s,
        "size": size,
        "times": session.frame_times(t0_s, t1_s),
        "objects": [list(each) for each in rows],
        "looks": looks,
    }


def _objects(percept: Percept, table: Table, turns: dict[tuple[float, ...], int]) -> list[tuple[Any, ...]]:
    corners = np.round(continuous(percept.detections.corners_px), 1)
    places_mm = np.round(np.nan_to_num(percept.base_mm)).astype(int).tolist()
    counts = percept.counts
    found = []
    for row, class_id in enumerate(percept.detections.class_ids.tolist()):
        kind = ObjectClass(class_id)
        points = tuple(corners[row].reshape(-1).tolist())
        turn = 0
        if kind in CARDS and table.camera is not None:
            if points not in turns:
                turns[points] = _turn_deg(table.camera, corners[row])
            turn = turns[points]
        count = int(counts[row])
        found.append((_KINDS[kind], points, _label(percept, row, table, count), *places_mm[row], turn))
    return found


def _turn_deg(camera: Camera, corners_px: FloatArray) -> int:
    """How far a card is turned on the felt, counter-clockwise, from standing upright."""
    first, second = camera.to_felt(corners_px[:2] - CENTRE_PX)
    return round(float(np.degrees(np.arctan2(second[1] - first[1], second[0] - first[0])))) % 180


def _label(percept: Percept, row: int, table: Table, count: int) -> str:
    kind = ObjectClass(int(percept.detections.class_ids[row]))
    if kind is ObjectClass.CARD_FACE:
        return card_name(face_of(percept, row, SURE))
    if kind in CHIPS and table.chips:
        probs = percept.chip_probs[row]
        if not np.isfinite(probs).all() or probs.max(initial=0.0) < SURE:
            return "?"
        value = str(table.chips[int(probs.argmax())].value)
        return f"{count}×{value}" if count > 1 else value
    return ""
