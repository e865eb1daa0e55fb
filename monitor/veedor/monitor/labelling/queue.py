"""The queue: of everything that was seen in the data folder's sessions, the pictures that would teach most.

Every look of a session is scored (`queue_signals`), the best of all sessions are thinned to those that
differ (`queue_choice`, `queue_alike`), and those go into the label store with what the models see in them.
Nothing depends on chance or on the clock: the same folder gives the same queue.
"""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from veedor.datasets.labelled import LabelledPicture
from veedor.monitor.labelling.proposals import propose
from veedor.monitor.labelling.queue_alike import Appearance, alike, appearance
from veedor.monitor.labelling.queue_cameras import beside
from veedor.monitor.labelling.queue_choice import APART_S, CARDS, choose, describe
from veedor.monitor.labelling.queue_looks import looks_of
from veedor.monitor.labelling.queue_record import moments
from veedor.monitor.labelling.queue_signals import Scored, Setting, scored
from veedor.monitor.labelling.store import LabelStore
from veedor.monitor.labelling.taken import picture_name
from veedor.monitor.labelling.waiting import Waiting, read_queue, write_queue
from veedor.monitor.reviewed import ExactPicture, ReviewedSession, open_reviewed
from veedor.monitor.stills import Seen
from veedor.monitor.store.layout import session_folders
from veedor.vision.reader import RANKS, SUITS
from veedor.vision.table import Table

THINNED_S = 0.5  # of the looks within so long only the best is a candidate
MOST_CANDIDATES = 4000
SPARE = 3  # candidates decoded for each picture wanted: some turn out to look like others
MOST_REASONS = 4


@dataclass(frozen=True)
class Order:
    """What is wanted: so many pictures, of one table or of all."""

    data: Path
    take: int = 100
    table: str | None = None


@dataclass(frozen=True)
class Queued:
    """A picture that was put into the label store. `worth` is its score when it was chosen."""

    picture: LabelledPicture
    session: str
    t_s: float
    worth: float
    waiting: Waiting


@dataclass(frozen=True)
class _Candidate:
    session: ReviewedSession
    table: Table
    scored: Scored


def fill(order: Order, progress: Callable[[int, int], None] = lambda done, whole: None) -> list[Queued]:
    """Choose pictures, put them into the label store and the queue; the best first."""
    store = LabelStore(order.data)
    known = _Known(store)
    candidates = heapq.nsmallest(
        MOST_CANDIDATES,
        (each for each in _candidates(order, known) if not known.has(each)),
        key=lambda each: (-each.scored.score, each.session.session, each.scored.percept.t_s),
    )
    described = [describe(each.scored.percept, each.session.session, each.table) for each in candidates]
    scores = np.array([each.scored.score for each in candidates])
    queued: list[Queued] = []
    seen: dict[str, list[Appearance]] = {}
    for index, worth in choose(described, scores, SPARE * order.take, known.shown):
        if len(queued) >= order.take:
            break
        made = _picture(candidates[index], seen)
        if made is not None:
            picture, exact = made
            store.add(picture, exact.frame.image)
            queued.append(_queued(candidates[index], picture, worth))
            progress(len(queued), order.take)
    _write(store, queued)
    return queued


class _Known:
    """What the label store has: which moments, how many done pictures a table, which cards."""

    def __init__(self, store: LabelStore) -> None:
        self._times: dict[str, list[float]] = {}
        self.done: Counter[str] = Counter()
        self.shown = np.zeros(CARDS)
        for about in store.pictures():
            self._times.setdefault(about.recording, []).append(float(about.t))
            final = store.final(about.id)
            if final is None:
                continue
            self.done[about.table] += 1
            for item in final.objects:
                if item.rank is not None and item.suit is not None:
                    self.shown[RANKS.index(item.rank) * len(SUITS) + SUITS.index(item.suit)] += 1

    def has(self, candidate: _Candidate) -> bool:
        """Whether the store has a picture of practically the same moment."""
        t_s = candidate.scored.percept.t_s
        for recorded in candidate.session.recordings:
            if recorded.start_s <= t_s < recorded.stop_s:
                own_s = t_s - recorded.offset_s
                return any(abs(own_s - each) < APART_S for each in self._times.get(recorded.sha256, ()))
        return False


def _candidates(order: Order, known: _Known) -> Iterator[_Candidate]:
    folders = [each for each in session_folders(order.data) if order.table in (None, each.table_id)]
    sessions = [open_reviewed(order.data, each.session) for each in folders]
    for session in sessions:
        told = moments(session.folder)
        found = looks_of(session, told)
        if found is None:
            continue
        table, runs = found
        setting = Setting(told, table, known.done[table.id], beside(session, sessions))
        for run in runs:
            for each in _thinned(scored(run, setting)):
                yield _Candidate(session, table, each)


def _thinned(looks: list[Scored]) -> list[Scored]:
    """The best look of every half second that has any reason."""
    best: dict[int, Scored] = {}
    for each in looks:
        slot = int(each.percept.t_s / THINNED_S)
        if each.score > 0 and (slot not in best or each.score > best[slot].score):
            best[slot] = each
    return list(best.values())


def _picture(
    candidate: _Candidate, seen: dict[str, list[Appearance]]
) -> tuple[LabelledPicture, ExactPicture] | None:
    """The picture with its proposals; None where it is not there any more or looks like one chosen before."""
    percept, session, table = candidate.scored.percept, candidate.session, candidate.table
    exact = session.picture_at(percept.t_s)
    if exact is None:
        return None
    image = exact.frame.image
    shows = appearance(image, percept)
    before = seen.setdefault(table.id, [])
    if any(alike(each, shows) for each in before):
        return None
    before.append(shows)
    looked = Seen(image, percept.detections, percept.rank_probs, percept.suit_probs, percept)
    height, width = image.shape[:2]
    if exact.recording is not None:
        recording = exact.recording.sha256
    else:  # the rolling buffer does not last: the picture stands for itself
        recording = hashlib.sha256(image.tobytes()).hexdigest()
    name = picture_name(session.session, exact.frame.t_s)
    return (
        LabelledPicture(
            name, recording, exact.pts, exact.time_base, width, height,
            session.session, table.id, None, "model", 0, propose(looked, table),
        ),
        exact,
    )  # fmt: skip


def _queued(candidate: _Candidate, picture: LabelledPicture, worth: float) -> Queued:
    reasons = tuple(each.why for each in candidate.scored.reasons[:MOST_REASONS])
    waiting = Waiting(picture.id, round(worth, 4), reasons)
    return Queued(picture, candidate.session.session, candidate.scored.percept.t_s, worth, waiting)


def _write(store: LabelStore, queued: list[Queued]) -> None:
    """The new pictures and those that still wait from before, best first."""
    new = {each.picture.id for each in queued}
    old = [
        each
        for each in read_queue(store.folder)
        if each.picture not in new and store.has(each.picture) and store.final(each.picture) is None
    ]
    waiting = [*(each.waiting for each in queued), *old]
    write_queue(store.folder, sorted(waiting, key=lambda each: (-each.score, each.picture)))
