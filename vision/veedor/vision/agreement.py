"""Whether two cameras of a table put the same cards in the same places."""

from __future__ import annotations

from collections import deque

import numpy as np
from veedor.vision.detections import ObjectClass
from veedor.vision.percept import Percept

# A card's place is found to some 2 mm; side by side, cards lie 67 mm apart and more.
DISAGREE_MM = 12.0
AGREE_MM = 8.0
REACH_MM = 32.0  # under half the distance of neighbours: nearest is the same card
SPAN_S = 10.0
FEWEST_LOOKS, FEWEST_S = 6, 2.0
_FLAT = (ObjectClass.CARD_FACE, ObjectClass.CARD_BACK, ObjectClass.PLAQUE)


class Agreement:
    """Compares the cards that two cameras see at once, look by look."""

    def __init__(self) -> None:
        self.broken = False
        self._looks: deque[tuple[float, float, float]] = deque()  # time, mean way (2,) mm

    @property
    def offset_mm(self) -> float | None:
        """How far the cameras' cards lie apart in the last seconds, None where too little was seen."""
        if len(self._looks) < FEWEST_LOOKS or self._looks[-1][0] - self._looks[0][0] < FEWEST_S:
            return None
        ways = np.array([(x, y) for _, x, y in self._looks])
        return float(np.hypot(*np.median(ways, axis=0)))

    def compare(self, one: Percept, other: Percept) -> None:
        """Take two looks of the same moment."""
        ways = _ways(one, other)
        if len(ways):
            x, y = np.median(ways, axis=0).tolist()
            self._looks.append((one.t_s, x, y))
        while self._looks and self._looks[0][0] < one.t_s - SPAN_S:
            self._looks.popleft()
        offset = self.offset_mm
        if offset is not None:
            self.broken = offset > (AGREE_MM if self.broken else DISAGREE_MM)


def _ways(one: Percept, other: Percept) -> np.ndarray:
    """From each flat thing of the first look to the same in the other (m, 2), mm; mutual nearest ones."""
    mine = one.base_mm[np.isin(one.detections.class_ids, _FLAT)].astype(np.float64)
    theirs = other.base_mm[np.isin(other.detections.class_ids, _FLAT)].astype(np.float64)
    if not len(mine) or not len(theirs):
        return np.zeros((0, 2))
    away = np.linalg.norm(mine[:, None] - theirs[None], axis=2)
    nearest, back = away.argmin(axis=1), away.argmin(axis=0)
    rows = [
        row for row, column in enumerate(nearest) if back[column] == row and away[row, column] <= REACH_MM
    ]
    return np.asarray(theirs[nearest[rows]] - mine[rows], np.float64).reshape(-1, 2)
