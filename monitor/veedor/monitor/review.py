"""A review: every frame of recordings looked at, folded, judged and reported; the same bytes every time.

Perception, the slow part, is kept segment by segment; a review that was killed goes on from there. All else
is made anew from it in each run: it takes seconds.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

import veedor.vision
from veedor.monitor.announcements import Announcements, past_the_end, read_announcements
from veedor.monitor.durable import sha256_of, sha256_of_all, write_whole
from veedor.monitor.errors import UsageFault
from veedor.monitor.evidence import Span, clip_of, span_of, still_of
from veedor.monitor.eyes import model_hashes
from veedor.monitor.finding_views import finding_view
from veedor.monitor.fold import Fold
from veedor.monitor.language import Language
from veedor.monitor.pages import FindingView
from veedor.monitor.percept_store import PerceptStore
from veedor.monitor.recordings import Session, open_session
from veedor.monitor.report import ReportHead, ReportInput, embedded, render_report
from veedor.monitor.segment_run import run_segments
from veedor.monitor.work_folder import WorkFolder
from veedor.rules.finding import Finding
from veedor.rules.journal import Fsync
from veedor.rules.profile import RuleProfile, load_profile
from veedor.vision.perceive import PerceiverSettings
from veedor.vision.percept import FORMAT
from veedor.vision.segments import SEGMENT_S
from veedor.vision.table import Table
from veedor.vision.table_file import load_table

JOURNAL, FINDINGS, REPORT, CLIPS = "journal.jsonl", "findings.jsonl", "report.html", "clips"

# Stage, what is done of it and the whole, in seconds of media or in findings.
Progress = Callable[[str, float, float], None]


@dataclass(frozen=True)
class ReviewOrder:
    """What is asked for. `segment_s` is how much perception a kill can cost each worker at most."""

    videos: tuple[Path, ...]
    table: Path
    out: Path
    events: Path | None = None
    workers: int = 1
    segment_s: float = SEGMENT_S
    language: Language = Language.EN


@dataclass(frozen=True)
class ReviewResult:
    """What a review found; `resumed` of its `segments` were taken over from an earlier run."""

    findings: tuple[FindingView, ...]
    coups: int
    events: int
    duration_s: float
    segments: int
    resumed: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Run:
    """The inputs of one review, opened and checked."""

    order: ReviewOrder
    table: Table
    profile: RuleProfile
    announcements: Announcements
    session: Session
    models: dict[str, str]


def review(order: ReviewOrder, progress: Progress) -> ReviewResult:
    """Do or resume a review; errors of the inputs come before any work is done."""
    run = _open(order)
    work = WorkFolder(order.out)
    with work.held():
        if work.adopt(_stamp(run)):
            _remove_results(order.out)
        store = PerceptStore.of(run.session, work, order.segment_s)
        resumed = _perceive(store, order, progress)
        fold = _fold(run, store, work, progress)
        views = _evidence(run, fold, store, work, progress)
        notes = _notes(run)
        report = _report(run, fold, views, notes)
        findings = "".join(_line(finding, order.language) for finding in fold.findings.values())
        work.scratch(JOURNAL).replace(order.out / JOURNAL)
        write_whole(order.out / FINDINGS, findings.encode())
        write_whole(order.out / REPORT, report.encode())
    return ReviewResult(
        tuple(views),
        len(fold.teller.coups),
        len(fold.events),
        run.session.duration_s,
        len(store.segments),
        resumed,
        notes,
    )


def _open(order: ReviewOrder) -> _Run:
    table = load_table(order.table)
    if table.camera is None:
        raise UsageFault(f"{order.table}: not calibrated; nothing can be placed on its felt")
    profile = load_profile(table.profile, named_in=order.table)
    announcements = Announcements() if order.events is None else read_announcements(order.events)
    session = open_session(order.videos, table.camera)
    return _Run(order, table, profile, announcements, session, model_hashes())


def _stamp(run: _Run) -> dict[str, str]:
    """Everything that percepts depend on."""
    videos = {f"video {number}": each.sha256 for number, each in enumerate(run.session.recordings)}
    models = {f"model {name}": digest for name, digest in run.models.items()}
    rest = {
        "table": sha256_of(run.order.table),
        "version": metadata.version("veedor"),
        # In a checkout the code changes and the version does not.
        "code": sha256_of_all(Path(veedor.vision.__file__).parent.glob("*.py")),
        "percept format": str(FORMAT),
        "perception": repr(PerceiverSettings()),
        "segment_s": repr(run.order.segment_s),
    }
    return videos | models | rest


def _remove_results(out: Path) -> None:
    """Results of other inputs must not be taken for this review's while it works, or if it is killed."""
    for name in (JOURNAL, FINDINGS, REPORT):
        (out / name).unlink(missing_ok=True)
    shutil.rmtree(out / CLIPS, ignore_errors=True)


def _perceive(store: PerceptStore, order: ReviewOrder, progress: Progress) -> int:
    """Perceive what is not there yet; returns how many segments were."""
    missing = {each.job: each.length_s for each in store.segments if not each.is_good()}
    whole_s = sum(each.length_s for each in store.segments)
    done_s = whole_s - sum(missing.values())
    progress("perceive", done_s, whole_s)
    for job in run_segments(list(missing), order.table, order.workers) if missing else ():
        done_s += missing[job]
        progress("perceive", done_s, whole_s)
    return len(store.segments) - len(missing)


def _fold(run: _Run, store: PerceptStore, work: WorkFolder, progress: Progress) -> Fold:
    journal = work.scratch(JOURNAL)
    journal.unlink(missing_ok=True)
    whole_s = run.session.duration_s
    with Fold(run.table, run.profile, run.announcements, journal, Fsync.NEVER) as fold:
        for percept in store.all():
            fold.look(percept)
            progress("judge", percept.t_s, whole_s)
        fold.finish()
    progress("judge", whole_s, whole_s)
    return fold


def _evidence(
    run: _Run, fold: Fold, store: PerceptStore, work: WorkFolder, progress: Progress
) -> list[FindingView]:
    """Findings with their stills inside and their clips in the clips' folder, and nothing else in that."""
    clips = run.order.out / CLIPS
    clips.mkdir(exist_ok=True)
    by_id = {event.id: event for event in fold.events}
    whole = len(fold.findings)

    def show(numbered: tuple[int, Finding]) -> FindingView:
        number, finding = numbered
        view = finding_view(number, finding)
        still = still_of(run.session, finding.t, store.around(finding.t), run.table.chips)
        events = [by_id[each] for each in finding.events if each in by_id]
        clip = _clip(run.session, span_of(finding.t, events, run.session.duration_s), work)
        if clip is not None:
            name = f"{number:03d}-{finding.code}.mp4"
            write_whole(clips / name, clip)
            view = replace(view, clip=f"{CLIPS}/{name}")
        return view if still is None else embedded(view, still)

    views: list[FindingView] = []
    # Decoding and encoding leave the interpreter free: threads are enough to use every core.
    with ThreadPoolExecutor(run.order.workers) as pool:
        for view in pool.map(show, enumerate(fold.findings.values(), 1)):
            views.append(view)
            progress("evidence", len(views), whole)
    names = {Path(view.clip).name for view in views if view.clip is not None}
    for clip_file in clips.iterdir():
        if clip_file.name not in names:
            clip_file.unlink()
    return views


def _clip(session: Session, span: Span, work: WorkFolder) -> bytes | None:
    """The clip of a stretch, from an earlier run if that has made it already."""
    kept = work.path_of(f"{span.start_s:.3f}-{span.stop_s:.3f}.mp4")
    if kept.is_file():
        return kept.read_bytes()
    clip = clip_of(session, span)
    if clip is not None:
        write_whole(kept, clip)
    return clip


def _report(run: _Run, fold: Fold, views: Sequence[FindingView], notes: tuple[str, ...]) -> str:
    inputs = tuple(
        ReportInput(each.path.name, each.source.info.duration_s, each.source.info.frames, each.sha256)
        for each in run.session.recordings
    )
    head = ReportHead(
        run.table.name,
        run.profile.id,
        inputs,
        tuple(run.models.items()),
        metadata.version("veedor"),
        run.order.language,
        notes,
    )
    return render_report(head, fold.teller.coups, fold.books.accounts, views)


def _notes(run: _Run) -> tuple[str, ...]:
    """What of the inputs could not be used, by file names without folders."""
    faults = [each.source.fault for each in run.session.recordings]
    shown = [
        fault.replace(str(each.path), each.path.name)
        for each, fault in zip(run.session.recordings, faults, strict=True)
        if fault is not None
    ]
    late: tuple[str, ...] = ()
    if run.order.events is not None:
        late = past_the_end(run.announcements, run.order.events.name, run.session.duration_s)
    return (*shown, *run.announcements.notes, *late)


def _line(finding: Finding, language: Language) -> str:
    return json.dumps(finding.to_json(language), ensure_ascii=False) + "\n"
