"""Two cameras over one table that read a card differently: at least one of them is wrong.

Sessions of one table whose recordings ran at the same time are compared look by look on the felt, where both
have the same millimetres.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from veedor.monitor.language import Bilingual
from veedor.monitor.reviewed import ReviewedSession
from veedor.vision.detections import ObjectClass
from veedor.vision.percept import Percept
from veedor.vision.reader import RANKS

SAME_TIME_S = 0.2
SAME_PLACE_MM = 25.0
SURE = 0.5  # of a reading that contradicts another


@dataclass(frozen=True)
class Conflict:
    """In look number `look` another camera reads a card otherwise."""

    look: int
    why: Bilingual


@dataclass(frozen=True)
class Beside:
    """Another session of the table; its media time is this one's plus `shift_s`."""

    session: ReviewedSession
    shift_s: float


def beside(session: ReviewedSession, others: Sequence[ReviewedSession]) -> list[Beside]:
    """Sessions of other recordings at the same table that ran at the same time, as far as clocks tell."""
    mine, found = _zero_at(session), []
    own = {each.sha256 for each in session.recordings}
    for other in others:
        theirs = _zero_at(other)
        if other.session == session.session or mine is None or theirs is None:
            continue
        if other.folder.table_id != session.folder.table_id:
            continue
        shift_s = mine - theirs
        apart = shift_s > other.duration_s or shift_s + session.duration_s < 0
        if not apart and not own & {each.sha256 for each in other.recordings}:
            found.append(Beside(other, shift_s))
    return found


def _zero_at(session: ReviewedSession) -> float | None:
    """The wall clock at a session's media time 0, in seconds."""
    for each in session.recordings:
        if each.started_at is not None:
            try:
                return datetime.fromisoformat(each.started_at).timestamp() - each.offset_s
            except ValueError:
                continue
    return None


def conflicts(percepts: Sequence[Percept], others: Sequence[Beside]) -> Iterator[Conflict]:
    """Where another camera contradicts what these looks, in order of time, read."""
    if not percepts:
        return
    for other in others:
        start_s, stop_s = percepts[0].t_s + other.shift_s, percepts[-1].t_s + other.shift_s
        theirs = list(other.session.sight(start_s - SAME_TIME_S, stop_s + SAME_TIME_S))
        times = [each.t_s for each in theirs]
        for look, percept in enumerate(percepts):
            t_s = percept.t_s + other.shift_s
            near = bisect_left(times, t_s)
            about = [each for each in (near - 1, near) if 0 <= each < len(times)]
            place = min(about, key=lambda each: abs(times[each] - t_s), default=None)
            if place is not None and abs(times[place] - t_s) <= SAME_TIME_S:
                why = _contradiction(percept, theirs[place])
                if why is not None:
                    yield Conflict(look, why)


def _contradiction(one: Percept, other: Percept) -> Bilingual | None:
    mine, yours = _read(one), _read(other)
    for place, rank, sure in mine:
        near = [each for each in yours if np.linalg.norm(each[0] - place) <= SAME_PLACE_MM]
        for _, another, also in near:
            if another != rank:
                told = f"{RANKS[rank]} {sure:.2f} / {RANKS[another]} {also:.2f}"
                return Bilingual(
                    f"dos cámaras leen otra carta: {told}", f"two cameras read another card: {told}"
                )
    return None


def _read(percept: Percept) -> list[tuple[np.ndarray, int, float]]:
    found = []
    for row in np.flatnonzero(percept.detections.class_ids == ObjectClass.CARD_FACE):
        probs = percept.rank_probs[row]
        if not np.isnan(probs).any() and probs.max() >= SURE:
            found.append((percept.base_mm[row].astype(np.float64), int(probs.argmax()), float(probs.max())))
    return found
