"""Reviews: every frame of recordings looked at, folded, judged and reported; the same bytes every time.

Perception, the slow part, is kept segment by segment; a review that was killed goes on from there. All else
is made anew from it in each run: it takes seconds. Several tables are perceived by the same processes.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from veedor.monitor.errors import UsageFault
from veedor.monitor.fold import Fold
from veedor.monitor.language import text
from veedor.monitor.percept_store import PerceptStore, StoredSegment
from veedor.monitor.recordings import damage_of
from veedor.monitor.review_cache import cached_reviews, prune_reviews
from veedor.monitor.review_evidence import show_findings
from veedor.monitor.review_folder import (
    CLIPS,
    FINDINGS,
    JOURNAL,
    REPORT,
    check_out,
    remove_results_of_others,
    write_results,
)
from veedor.monitor.review_run import ReviewOrder, ReviewRun, open_run, percepts_depend_on
from veedor.monitor.reviewed_keeping import Outcome, check_data, keep, session_of
from veedor.monitor.segment_run import SegmentJob, run_segments
from veedor.monitor.store import FindingFilter, Store
from veedor.monitor.store.queries import MOST_ROWS
from veedor.monitor.work_folder import WorkFolder
from veedor.rules.events import SessionOpened
from veedor.rules.journal import Fsync, JournalWriter

__all__ = ["CLIPS", "FINDINGS", "JOURNAL", "REPORT", "ReviewOrder", "ReviewResult", "review", "review_all"]

NOT_RECORDED = "not recorded"

# Stage, what is done of it and the whole: recordings, seconds of media, findings, tables.
Progress = Callable[[str, float, float], None]


@dataclass(frozen=True)
class ReviewResult:
    """What a review found, code and verdict of each finding; `resumed` of its `segments` were there before.

    `notes` are of the inputs, `remarks` of what was there before. `session` is its name in the data folder,
    None where it was not to be kept there; `known`: it was there already.
    """

    order: ReviewOrder
    findings: tuple[tuple[str, str], ...]
    coups: int
    events: int
    duration_s: float
    segments: int
    resumed: int
    notes: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    session: str | None = None
    known: bool = False


@dataclass(frozen=True)
class _Place:
    """One review at work: its inputs, what it keeps between runs, and which segments were there."""

    run: ReviewRun
    work: WorkFolder
    store: PerceptStore
    missing: tuple[StoredSegment, ...]
    remarks: tuple[str, ...]


def review(order: ReviewOrder, progress: Progress) -> ReviewResult:
    """Do or resume a review; errors of the inputs come before any work is done."""
    return review_all([order], progress)[0]


def review_all(orders: Sequence[ReviewOrder], progress: Progress) -> list[ReviewResult]:
    """The reviews of several tables: all looked at first, by as many processes as the first order says."""
    runs = _opened(orders, progress)
    known = {number: found for number, run in enumerate(runs) if (found := _known(run)) is not None}
    runs = [run for number, run in enumerate(runs) if number not in known]
    remarks = [None if run.order.out is None else check_out(run.order.out, run) for run in runs]
    for run in runs:
        if run.order.data is not None:
            check_data(run.order.data, run)
    with ExitStack() as held:
        places = [
            _take_place(run, () if remark is None else (remark,), held)
            for run, remark in zip(runs, remarks, strict=True)
        ]
        for data in {run.order.data for run in runs if run.order.data is not None}:
            prune_reviews(data, time.time())  # what is held now is kept
        _perceive(places, orders[0].workers, progress)
        made = iter([_finish(place, progress) for place in places])
    return [known[number] if number in known else next(made) for number in range(len(orders))]


def _opened(orders: Sequence[ReviewOrder], progress: Progress) -> list[ReviewRun]:
    whole = sum(len(order.videos) for order in orders)
    runs: list[ReviewRun] = []
    before = 0
    for order in orders:
        if order.out is None and order.data is None:
            raise UsageFault(text(es="falta --out o --data", en="--out or --data is missing"))
        runs.append(open_run(order, lambda count, before=before: progress("open", before + count, whole)))  # type: ignore[misc]
        before += len(order.videos)
    return runs


def _known(run: ReviewRun) -> ReviewResult | None:
    """What is known already, where this very review is a session and nothing else is asked for."""
    data = run.order.data
    if data is None or run.order.out is not None:
        return None
    session = session_of(data, run)
    if session is None:
        return None
    with Store.of_data(data) as store:
        if store.session(session) is None:
            store.reindex(session)  # killed between the two
        found = store.findings(FindingFilter(session=session, limit=MOST_ROWS))
        counts = len(store.coups(session)), len(store.events(session))
    rows = tuple((row.code, row.verdict) for row in reversed(found))
    return ReviewResult(run.order, rows, *counts, run.session.duration_s, 0, 0, run.notes, (), session, True)


def _take_place(run: ReviewRun, remarks: tuple[str, ...], held: ExitStack) -> _Place:
    work = WorkFolder(_work_place(run))
    held.enter_context(work.held())
    work.adopt(percepts_depend_on(run))
    if run.order.out is not None:
        remove_results_of_others(run.order.out, run)
    store = PerceptStore.of(run.session, work, run.order.table, run.order.segment_s)
    missing = tuple(each for each in store.segments if not each.is_good())
    return _Place(run, work, store, missing, remarks)


def _work_place(run: ReviewRun) -> Path:
    """The output folder, or one in the data folder's cache that goes on with a night that grows by files."""
    order = run.order
    if order.out is not None:
        return order.out
    assert order.data is not None
    whose = f"{run.table.id} {run.session.recordings[0].sha256}"
    return cached_reviews(order.data) / hashlib.sha256(whose.encode()).hexdigest()[:16]


def _perceive(places: Sequence[_Place], workers: int, progress: Progress) -> None:
    """Perceive what is not there yet."""
    missing: dict[SegmentJob, float] = {each.job: each.length_s for place in places for each in place.missing}
    whole_s = sum(each.length_s for place in places for each in place.store.segments)
    done_s = whole_s - sum(missing.values())
    progress("perceive", done_s, whole_s)
    for job in run_segments(list(missing), workers) if missing else ():
        done_s += missing[job]
        progress("perceive", done_s, whole_s)


def _finish(place: _Place, progress: Progress) -> ReviewResult:
    """Journal, findings, evidence, and where they are to lie."""
    run, order = place.run, place.run.order
    journal = place.work.scratch(JOURNAL)
    fold, looks_s = _fold(place, journal, progress)
    run = replace(run, damage=damage_of(run.session, looks_s))
    count = len(fold.findings)
    progress("evidence", 0, count)
    shown = show_findings(run, fold, place.store, place.work, lambda done: progress("evidence", done, count))
    if order.out is not None:
        write_results(run, fold, shown, journal)
    session, known = None, False
    if order.data is not None:
        session = session_of(order.data, run)
        known = session is not None
        session = session or keep(order.data, run, Outcome(journal, shown, place.store))
    journal.unlink(missing_ok=True)
    return ReviewResult(
        order,
        tuple((each.finding.code, str(each.finding.verdict)) for each in shown),
        len(fold.teller.coups),
        len(fold.events),
        run.session.duration_s,
        len(place.store.segments),
        len(place.store.segments) - len(place.missing),
        run.notes,
        place.remarks,
        session,
        known,
    )


def _fold(place: _Place, journal: Path, progress: Progress) -> tuple[Fold, list[float]]:
    """The table's record, and the times of all looks that went into it."""
    run = place.run
    looks_s: list[float] = []
    journal.unlink(missing_ok=True)
    whole_s = run.session.duration_s
    progress("judge", 0.0, whole_s)
    gaps = list(run.session.gaps)
    writer = JournalWriter(journal, fsync=Fsync.NEVER)
    with Fold(run.table, run.profile, run.announcements, writer) as fold:
        started = run.session.started
        fold.open(SessionOpened(run.profile.id, None if started is None else started.isoformat(), t=0.0))
        for percept in place.store.all():
            while gaps and gaps[0][1] <= percept.t_s:
                begins_s, ends_s = gaps.pop(0)
                fold.lose(begins_s, NOT_RECORDED)
                fold.wait(ends_s)
                fold.regain(ends_s, NOT_RECORDED)
            fold.look(percept)
            looks_s.append(percept.t_s)
            progress("judge", percept.t_s, whole_s)
        fold.finish()
    progress("judge", whole_s, whole_s)
    return fold, looks_s
