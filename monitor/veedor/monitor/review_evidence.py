"""The findings of a review with their stills and clips."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from veedor.monitor.durable import write_whole
from veedor.monitor.evidence import Span, clip_of, span_of, still_of
from veedor.monitor.finding_views import finding_view
from veedor.monitor.fold import Fold
from veedor.monitor.pages import FindingView
from veedor.monitor.percept_store import PerceptStore
from veedor.monitor.recordings import Session
from veedor.monitor.review_run import ReviewRun
from veedor.monitor.work_folder import WorkFolder
from veedor.rules.events import TableEvent
from veedor.rules.finding import Finding


@dataclass(frozen=True)
class Shown:
    """A finding, what shows it, and the events it rests on. `clip` is a file of the work folder."""

    number: int
    finding: Finding
    view: FindingView
    events: tuple[TableEvent, ...]
    span: Span
    still: bytes | None
    clip: Path | None


def show_findings(
    run: ReviewRun, fold: Fold, store: PerceptStore, work: WorkFolder, shown: Callable[[int], None]
) -> list[Shown]:
    """Every finding that stands, numbered from 1; `shown` is told how many are done."""
    by_id = {event.id: event for event in fold.events}
    timeline = _timeline_of(run.session)

    def show(numbered: tuple[int, Finding]) -> Shown:
        number, finding = numbered
        events = tuple(by_id[each] for each in finding.events if each in by_id)
        span = span_of(finding.t, events, run.session.duration_s)
        still = still_of(run.session, finding.t, store.around(finding.t), run.table.chips)
        clip = _clip(run.session, span, work.path_of(f"{timeline}-{span.start_s:.3f}-{span.stop_s:.3f}.mp4"))
        return Shown(number, finding, finding_view(number, finding), events, span, still, clip)

    # Decoding and encoding leave the interpreter free: threads are enough to use every core.
    with ThreadPoolExecutor(run.order.workers) as pool:
        return list(_counted(pool.map(show, enumerate(fold.findings.values(), 1)), shown))


def _counted(made: Iterator[Shown], told: Callable[[int], None]) -> Iterator[Shown]:
    for count, each in enumerate(made, 1):
        told(count)
        yield each


def _timeline_of(session: Session) -> str:
    """Short for which recordings show which time: a stretch of another night is another clip."""
    laid = [(each.sha256, each.offset_s, each.start_s) for each in session.recordings]
    return hashlib.sha256(repr(laid).encode()).hexdigest()[:12]


def _clip(session: Session, span: Span, kept: Path) -> Path | None:
    """The clip of a stretch, from an earlier run if that has made it already."""
    if not kept.is_file():
        clip = clip_of(session, span)
        if clip is None:
            return None
        write_whole(kept, clip)
    return kept
