"""Whether two cameras of a table put the same cards in the same places."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray
from veedor.vision.detections import ObjectClass
from veedor.vision.percept import Percept

# A card's place is found to some 2 mm; side by side, cards lie 67 mm apart and more.
DISAGREE_MM = 12.0
AGREE_MM = 8.0
REACH_MM = 55.0  # less than from one card to the next beside it
SPAN_S = 10.0
FEWEST_LOOKS, FEWEST_S = 6, 2.0
_FLAT = (ObjectClass.CARD_FACE, ObjectClass.CARD_BACK, ObjectClass.PLAQUE)


class Agreement:
    """Compares the cards that two cameras see at once, look by look."""

    def __init__(self) -> None:
        self.broken = False
        self._looks: deque[tuple[float, float]] = deque()  # time, usual distance in mm

    @property
    def offset_mm(self) -> float | None:
        """How far the cameras' cards lie apart in the last seconds, None where too little was seen."""
        if len(self._looks) < FEWEST_LOOKS or self._looks[-1][0] - self._looks[0][0] < FEWEST_S:
            return None
        return float(np.median([away for _, away in self._looks]))

    def compare(self, one: Percept, other: Percept) -> None:
        """Take two looks of the same moment."""
        away = _distances(one, other)
        if len(away):
            self._looks.append((one.t_s, float(np.median(away))))
        while self._looks and self._looks[0][0] < one.t_s - SPAN_S:
            self._looks.popleft()
        offset = self.offset_mm
        if offset is not None:
            self.broken = offset > (AGREE_MM if self.broken else DISAGREE_MM)


def _distances(one: Percept, other: Percept) -> NDArray[np.float64]:
    """Between flat things of the two looks that are each other's nearest (m,), mm."""
    mine = one.base_mm[np.isin(one.detections.class_ids, _FLAT)].astype(np.float64)
    theirs = other.base_mm[np.isin(other.detections.class_ids, _FLAT)].astype(np.float64)
    if not len(mine) or not len(theirs):
        return np.zeros(0)
    away = np.linalg.norm(mine[:, None] - theirs[None], axis=2)
    nearest, back = away.argmin(axis=1), away.argmin(axis=0)
    found = away[np.arange(len(mine)), nearest]
    return np.asarray(found[(back[nearest] == np.arange(len(mine))) & (found <= REACH_MM)], np.float64)
