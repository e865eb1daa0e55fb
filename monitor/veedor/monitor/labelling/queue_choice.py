"""Choosing among frames that are all worth labelling those that differ: greedy, and always the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from veedor.vision.detections import ObjectClass
from veedor.vision.percept import Percept
from veedor.vision.reader import RANKS, SUITS
from veedor.vision.table import Table

Floats = NDArray[np.float64]
Signs = NDArray[np.bool_]

LIKE_S = 20.0  # two moments of a session so far apart are different for two thirds
APART_S = 1.0  # two pictures nearer in time are one picture
CELL_MM = 140.0
CARDS = len(RANKS) * len(SUITS)
RARE_WORTH = 0.8  # a card that no picture shows yet, against a score of about one
TOLD = 0.3
# How much each way of differing counts.
TIME, FACES, PLACES = 0.3, 0.4, 0.3
NOVEL_SHARE = 0.7


@dataclass(frozen=True)
class Described:
    """What a frame shows, for comparing: `faces` (52,) which cards, `places` (n,) what stands where."""

    session: str
    table: str
    t_s: float
    faces: Floats
    places: Floats


def describe(percept: Percept, session: str, table: Table) -> Described:
    """Cards by rank and suit where they are told, and a coarse map of everything on the felt."""
    faces = np.zeros(CARDS)
    for row in np.flatnonzero(percept.detections.class_ids == ObjectClass.CARD_FACE):
        rank, suit = percept.rank_probs[row], percept.suit_probs[row]
        if not np.isnan(rank).any() and rank.max() >= TOLD:
            faces[int(rank.argmax()) * len(SUITS) + int(suit.argmax())] += 1
    low, high = table.layout.outline_mm.min(axis=0), table.layout.outline_mm.max(axis=0)
    columns, rows = (int(each) for each in np.ceil((high - low) / CELL_MM))
    places = np.zeros((len(ObjectClass), columns, rows))
    inside = np.isfinite(percept.base_mm).all(axis=1)
    cells = ((percept.base_mm[inside] - low) / CELL_MM).astype(int).clip(0, (columns - 1, rows - 1))
    np.add.at(places, (percept.detections.class_ids[inside], cells[:, 0], cells[:, 1]), 1)
    return Described(session, table.id, percept.t_s, faces, places.ravel())


def choose(
    described: Sequence[Described], scores: Floats, count: int, shown: Floats | None = None
) -> list[tuple[int, float]]:
    """Indices of up to `count` frames with what each was worth when it was chosen, best first.

    Each step takes the frame that is worth most, times how far it is from all chosen, plus how rare its
    cards are; frames within `APART_S` of a chosen one are out. `shown` (52,) counts cards labelled before.
    """
    if not described:
        return []
    frames = _Frames(described)
    far = np.ones(len(described))
    free = np.ones(len(described), np.bool_)
    counts = np.zeros(CARDS) if shown is None else shown.astype(np.float64).copy()
    faces = frames.faces
    strength = scores / max(float(scores.max()), 1e-9)
    chosen: list[tuple[int, float]] = []
    while len(chosen) < count and free.any():
        rare = (np.minimum(faces, 1) / (1 + counts)).max(axis=1)
        worth = strength * (1 - NOVEL_SHARE + NOVEL_SHARE * far) + RARE_WORTH * rare * (strength > 0)
        best = int(np.where(free, worth, -np.inf).argmax())
        chosen.append((best, float(worth[best])))
        counts += np.minimum(faces[best], 1)
        away, near = frames.distances(best)
        far = np.minimum(far, away)
        free &= ~near
        free[best] = False
    return chosen


class _Frames:
    """All frames in columns."""

    def __init__(self, described: Sequence[Described]) -> None:
        self._described = described
        self.faces = np.stack([each.faces for each in described])
        self._times = np.array([each.t_s for each in described])
        self._sessions = np.array([each.session for each in described])
        self._rows = {
            table: np.array([row for row, each in enumerate(described) if each.table == table])
            for table in {each.table for each in described}
        }
        self._places = {
            table: np.stack([described[row].places for row in rows]) for table, rows in self._rows.items()
        }

    def distances(self, index: int) -> tuple[Floats, Signs]:
        """How far (0..1) every frame is from one, and which are practically the same moment."""
        one = self._described[index]
        same = self._sessions == one.session
        gap = np.abs(self._times - one.t_s)
        time = np.where(same, 1 - np.exp(-gap / LIKE_S), 1.0)
        places = np.ones(len(self._times))
        places[self._rows[one.table]] = _jaccard(self._places[one.table], one.places)
        away = TIME * time + FACES * _jaccard(self.faces, one.faces) + PLACES * places
        return away, same & (gap < APART_S)


def _jaccard(many: Floats, one: Floats) -> Floats:
    """Distance of bags (n, k) to a bag (k,): 0 where they hold the same, 1 where nothing in common."""
    union = np.maximum(many, one).sum(axis=1)
    shared = np.minimum(many, one).sum(axis=1)
    return np.where(union > 0, 1 - shared / np.maximum(union, 1e-9), 0.0)
