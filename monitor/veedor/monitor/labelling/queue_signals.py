"""What makes a frame of a session worth labelling, in numbers and words, from what was seen and recorded."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from veedor.monitor.labelling.queue_cameras import Beside, conflicts
from veedor.monitor.labelling.queue_record import CORRECTED, DISMISSED, Moment
from veedor.monitor.labelling.queue_tracks import Disagreement, disagreements
from veedor.monitor.language import Bilingual
from veedor.vision.detections import ObjectClass
from veedor.vision.footprints import CARDS, CHIPS
from veedor.vision.percept import Percept
from veedor.vision.reader import RANKS, SUITS
from veedor.vision.table import Table

# Half sure is the least known; a box surer than this or fainter than that says nothing.
UNSURE, UNSURE_HALF_WIDTH = 0.5, 0.25
SURE_READING = 0.9
MOMENT_S = 1.5  # a moment reaches so far, fading
NEW_TABLE_PICTURES = 60.0  # with so many labelled pictures half of a table's newness is gone
FULL_VIEW_CARDS = 6

# How much each kind of reason counts at most.
WEIGHTS = {
    "reading": 1.2,
    "detection": 0.8,
    "changed": 1.0,
    "flicker": 0.7,
    CORRECTED: 1.5,
    DISMISSED: 1.5,
    "contradiction": 1.5,
    "taken back": 1.0,
    "cameras": 1.2,
    "new table": 1.0,
}


@dataclass(frozen=True)
class Reason:
    """One reason with its share of the score."""

    kind: str
    worth: float
    why: Bilingual


@dataclass(frozen=True)
class Scored:
    """A frame and why it is worth labelling, the weightiest reason first."""

    percept: Percept
    reasons: tuple[Reason, ...]

    @property
    def score(self) -> float:
        return sum(each.worth for each in self.reasons)


@dataclass(frozen=True)
class Setting:
    """What is known of a session: its moments, its table, how many of whose pictures have labels already,
    and other cameras' sessions of the same time.
    """

    moments: Sequence[Moment] = ()
    table: Table | None = None
    labelled: int = 0
    beside: Sequence[Beside] = ()


def scored(percepts: Sequence[Percept], setting: Setting) -> list[Scored]:
    """Looks of a session in order of time, with their reasons."""
    reasons: list[list[Reason]] = [_of_percept(each, setting.labelled) for each in percepts]
    for look, found in _changes(percepts, setting.table).items():
        reasons[look] += found
    for conflict in conflicts(percepts, setting.beside):
        reasons[conflict.look].append(Reason("cameras", WEIGHTS["cameras"], conflict.why))
    times = [each.t_s for each in percepts]
    for moment in setting.moments:
        for look, worth in _around(moment.t_s, times):
            reasons[look].append(Reason(moment.kind, WEIGHTS[moment.kind] * worth, moment.why))
    return [
        Scored(percept, tuple(sorted(_strongest(each), key=lambda one: (-one.worth, one.why.en))))
        for percept, each in zip(percepts, reasons, strict=True)
    ]


def _strongest(reasons: Sequence[Reason]) -> list[Reason]:
    """Of several reasons of one kind the strongest: ten echoes of a moment are not ten reasons."""
    best: dict[str, Reason] = {}
    for each in reasons:
        if each.kind not in best or each.worth > best[each.kind].worth:
            best[each.kind] = each
    return list(best.values())


def _around(t_s: float, times: Sequence[float]) -> list[tuple[int, float]]:
    """Looks near a moment, with how near: 1 at it, fading to nothing at twice `MOMENT_S`."""
    found = []
    look = bisect_left(times, t_s - 2 * MOMENT_S)
    while look < len(times) and times[look] <= t_s + 2 * MOMENT_S:
        found.append((look, math.exp(-abs(times[look] - t_s) / MOMENT_S)))
        look += 1
    return found


def _of_percept(percept: Percept, labelled: int) -> list[Reason]:
    reasons = []
    classes, scores = percept.detections.class_ids, percept.detections.scores
    things = np.isin(classes, (*CARDS, *CHIPS))
    doubts = np.clip(1 - np.abs(scores - UNSURE) / UNSURE_HALF_WIDTH, 0, 1) * things * percept.fresh
    if doubts.sum() > 0.2:
        number, least = max(1, int((doubts > 0.2).sum())), float(scores[doubts > 0].min())
        worth = WEIGHTS["detection"] * _several(doubts)
        reasons.append(
            Reason(
                "detection",
                worth,
                Bilingual(
                    f"objetos dudosos: {number}, el menor {least:.2f}",
                    f"doubtful objects: {number}, the faintest {least:.2f}",
                ),
            )
        )
    reading = _reading(percept)
    if reading is not None:
        reasons.append(reading)
    new = _new_table(things, classes, labelled)
    return [*reasons, new] if new is not None else reasons


def _reading(percept: Percept) -> Reason | None:
    faces = percept.detections.class_ids == ObjectClass.CARD_FACE
    rows = np.flatnonzero(faces & ~np.isnan(percept.rank_probs).any(axis=1))
    if not len(rows):
        return None
    sure = np.minimum(percept.rank_probs[rows].max(axis=1), percept.suit_probs[rows].max(axis=1))
    doubts = np.clip((SURE_READING - sure) / SURE_READING, 0, 1)
    if doubts.max() <= 0.05:
        return None
    row = rows[int(doubts.argmax())]
    read = RANKS[int(percept.rank_probs[row].argmax())] + SUITS[int(percept.suit_probs[row].argmax())]
    number, least = int((doubts > 0.05).sum()), float(sure[int(doubts.argmax())])
    return Reason(
        "reading",
        WEIGHTS["reading"] * _several(doubts * 1.5),
        Bilingual(
            f"cartas leídas con duda: {number}, {read} con {least:.2f}",
            f"cards read with doubt: {number}, {read} at {least:.2f}",
        ),
    )


def _new_table(things: np.ndarray, classes: np.ndarray, labelled: int) -> Reason | None:
    """A table of which little is labelled: all of it is unknown, and the more is in view the better."""
    faces = int((classes == ObjectClass.CARD_FACE).sum())
    rest = int(things.sum()) - faces
    if not faces and not rest:
        return None
    newness = 1 / (1 + labelled / NEW_TABLE_PICTURES)
    view = min(1.0, faces / FULL_VIEW_CARDS + 0.03 * rest)
    return Reason(
        "new table",
        WEIGHTS["new table"] * newness * view,
        Bilingual(
            f"mesa nueva, imágenes etiquetadas: {labelled}; a la vista caras: {faces}, más objetos: {rest}",
            f"new table, labelled pictures: {labelled}; in view faces: {faces}, other things: {rest}",
        ),
    )


def _several(doubts: np.ndarray) -> float:
    """Doubts of several things together, 0..1: more things count for more, but ever less."""
    return float(1 - np.prod(1 - np.clip(doubts, 0, 0.95) * 0.7))


def _changes(percepts: Sequence[Percept], table: Table | None) -> dict[int, list[Reason]]:
    found: dict[int, list[Reason]] = {}
    for each in disagreements(percepts):
        found.setdefault(each.look, []).append(_change(each, table))
    return found


def _change(each: Disagreement, table: Table | None) -> Reason:
    zone = None if table is None else table.layout.zone_at(*each.base_mm)
    where = f"({each.base_mm[0]:.0f}, {each.base_mm[1]:.0f})" if zone is None else zone.name
    if each.here:
        return Reason(
            "changed",
            WEIGHTS["changed"],
            Bilingual(
                f"{where}: leída {each.usual} en {each.looks} miradas y aquí {each.here}",
                f"{where}: read as {each.usual} in {each.looks} looks and here as {each.here}",
            ),
        )
    thing = ("carta", "card") if each.kind in CARDS else ("ficha", "chip")
    return Reason(
        "flicker",
        WEIGHTS["flicker"],
        Bilingual(
            f"{where}: {thing[0]} vista en {each.looks} miradas y aquí no",
            f"{where}: {thing[1]} seen in {each.looks} looks and not here",
        ),
    )
