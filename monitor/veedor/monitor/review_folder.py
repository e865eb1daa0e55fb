"""The folder that a review leaves its results in: whose they are, when they may go, and writing them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from veedor.monitor.durable import write_whole
from veedor.monitor.errors import UsageFault
from veedor.monitor.fold import Fold
from veedor.monitor.language import Language, text
from veedor.monitor.pages import FindingView
from veedor.monitor.report import ReportHead, ReportInput, embedded, render_report
from veedor.monitor.review_evidence import Shown
from veedor.monitor.review_run import ReviewRun, profile_file, recorded
from veedor.monitor.reviewed_files import (
    MADE_BY,
    read_made_by,
    write_made_by,
    write_recordings,
)
from veedor.monitor.store import layout
from veedor.monitor.work_folder import WORK
from veedor.rules.finding import Finding

JOURNAL, FINDINGS, REPORT, CLIPS = "journal.jsonl", "findings.jsonl", "report.html", "clips"


def check_out(out: Path, run: ReviewRun) -> str | None:
    """UsageFault where results in `out` must not be replaced; a line where they will be, by others.

    Results of the same inputs may always be made anew, also by other weights or rules.
    """
    if run.order.replace:
        return None
    known = read_made_by(out)
    if known is None:
        foreign = any((out / name).exists() for name in (JOURNAL, FINDINGS, REPORT))
        if foreign and not (out / WORK).is_dir():
            holds = text(es="contiene resultados de otra cosa", en="holds results of something else")
            raise UsageFault(f"{out}: {holds}; {_how()}")
        return None
    if known.inputs != run.made_by.inputs:
        holds = text(
            es="contiene la revisión terminada de otras grabaciones, otra mesa u otras palabras",
            en="holds the finished review of other recordings, another table or other words",
        )
        raise UsageFault(f"{out}: {holds}; {_how()}")
    if known.same_as(run.made_by):
        return None
    return text(
        es=f"{out}: la revisión que había era de otros modelos, reglas o programa; se hace de nuevo",
        en=f"{out}: the review in it was by other weights, rules or program; it is made anew",
    )


def _how() -> str:
    return text(es="--replace los sustituye", en="--replace puts these in their place")


def remove_results_of_others(out: Path, run: ReviewRun) -> None:
    """Results of other inputs must not be taken for this review's while it works, or if it is killed."""
    known = read_made_by(out)
    if known is not None and known.same_as(run.made_by):
        return
    for name in (MADE_BY, JOURNAL, FINDINGS, REPORT):
        (out / name).unlink(missing_ok=True)
    shutil.rmtree(out / CLIPS, ignore_errors=True)


def write_results(run: ReviewRun, fold: Fold, shown: Sequence[Shown], journal: Path) -> None:
    """Journal, findings, clips and report of a review; what says that they are finished comes last."""
    out = run.order.out
    assert out is not None
    clips = out / CLIPS
    clips.mkdir(exist_ok=True)
    views = []
    for each in shown:
        view = each.view
        if each.clip is not None:
            name = f"{each.number:03d}-{each.finding.code}.mp4"
            write_whole(clips / name, each.clip.read_bytes())
            view = replace(view, clip=f"{CLIPS}/{name}")
        views.append(view if each.still is None else embedded(view, each.still))
    names = {Path(view.clip).name for view in views if view.clip is not None}
    for clip_file in clips.iterdir():
        if clip_file.name not in names:
            clip_file.unlink()
    report = _report(run, fold, views)
    findings = "".join(_line(each.finding, run.order.language) for each in shown)
    write_whole(out / JOURNAL, journal.read_bytes())
    write_whole(out / FINDINGS, findings.encode())
    write_whole(out / REPORT, report.encode())
    write_whole(out / layout.TABLE, run.order.table.read_bytes())
    write_whole(out / layout.PROFILE, profile_file(run.order.profile or run.table.profile).read_bytes())
    # By name alone: results are the same wherever the recordings lie.
    write_recordings(out, [replace(each, path=Path(each.path.name)) for each in recorded(run)])
    write_made_by(out, run.made_by)


def _report(run: ReviewRun, fold: Fold, views: Sequence[FindingView]) -> str:
    inputs = tuple(
        ReportInput(each.path.name, each.source.info.duration_s, each.source.info.frames, each.sha256)
        for each in run.session.recordings
    )
    head = ReportHead(
        run.table.name,
        run.profile.id,
        inputs,
        tuple(run.made_by.models.items()),
        run.made_by.version,
        run.order.language,
        run.notes,
    )
    return render_report(head, fold.teller.coups, fold.books.accounts, views)


def _line(finding: Finding, language: Language) -> str:
    return json.dumps(finding.to_json(language), ensure_ascii=False) + "\n"
