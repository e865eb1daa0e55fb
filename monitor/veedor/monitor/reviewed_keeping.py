"""A review becomes a session of the data folder: the files of truth of a watched one, all or none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from veedor.monitor.durable import sync_folder, write_json, write_whole
from veedor.monitor.evidence_live import versions
from veedor.monitor.evidence_live_folder import EvidenceFolder, Found, Origin, describe, describe_files
from veedor.monitor.file_lock import held
from veedor.monitor.language import text
from veedor.monitor.percept_store import PerceptStore
from veedor.monitor.private_folder import private_folder
from veedor.monitor.review_evidence import Shown
from veedor.monitor.review_run import ReviewRun, profile_file, recorded
from veedor.monitor.reviewed_files import (
    KIND,
    read_made_by,
    read_recordings,
    write_made_by,
    write_recordings,
    write_sight,
)
from veedor.monitor.ring_cut import Cut
from veedor.monitor.store import Store, layout
from veedor.monitor.store.errors import StoreError
from veedor.monitor.store.layout import SessionFolder, is_name, session_folders
from veedor.monitor.store.lines import encoded
from veedor.monitor.store.session_record import finding_line
from veedor.monitor.store.writing import SessionInfo
from veedor.monitor.utc import utc_stamp, utc_text
from veedor.rules.finding import Finding


@dataclass(frozen=True)
class Outcome:
    """What a review has come to: its journal as a file, its findings shown, and what was seen."""

    journal: Path
    shown: Sequence[Shown]
    store: PerceptStore


def check_data(data: Path, run: ReviewRun) -> None:
    """StoreError before any work where a session of this table could not be kept."""
    if not is_name(run.table.id):
        only = text(es="sólo letras, cifras y . _ -", en="letters, digits and . _ - only")
        raise StoreError(f"{run.order.table}: id {run.table.id[:60]!r}: {only}")
    try:
        private_folder(data / layout.TABLES / run.table.id)
    except OSError as fault:
        raise StoreError(f"{fault.filename or data}: {fault.strerror or fault}") from fault


def session_of(data: Path, run: ReviewRun) -> str | None:
    """The session that this very review has become already."""
    for folder in _reviews(data, run.table.id):
        made_by = read_made_by(folder.path)
        if made_by is not None and made_by.same_as(run.made_by):
            return folder.session
    return None


def keep(data: Path, run: ReviewRun, outcome: Outcome) -> str:
    """Make the session; its name. Who kills this leaves nothing that counts as one."""
    parent = data / layout.TABLES / run.table.id
    with held(parent / ".reviews"):  # one review at a time adds to a table
        for left in parent.glob(".*.part"):
            shutil.rmtree(left, ignore_errors=True)
        folder = _free_name(data, run)
        part = folder.path.with_name(f".{folder.path.name}.part")
        part.mkdir()
        _fill(part, folder, run, outcome)
        sync_folder(part)
        part.rename(folder.path)
        sync_folder(parent)
    with Store.of_data(data) as store:
        store.reindex(folder.session)
    return folder.session


def _fill(part: Path, folder: SessionFolder, run: ReviewRun, outcome: Outcome) -> None:
    now = datetime.now(UTC)
    info = _info(folder, run, now)
    shas = [each.sha256 for each in run.session.recordings]
    first = next((each.session for each in _reviews(folder.data, run.table.id) if _shas(each) == shas), None)
    write_whole(part / layout.JOURNAL, outcome.journal.read_bytes())
    lines = (
        {**finding_line(each.number, _first_word(each.finding), utc_text(now)), "seq": count}
        for count, each in enumerate(outcome.shown, 1)
    )
    write_whole(part / layout.FINDINGS, b"".join(encoded(line) for line in lines))
    write_recordings(part, recorded(run))
    write_whole(part / layout.TABLE, run.order.table.read_bytes())
    write_whole(part / layout.PROFILE, profile_file(run.order.profile or run.table.profile).read_bytes())
    write_made_by(part, replace(run.made_by, of=first))
    write_sight(part, (segment.percepts() for segment in outcome.store.segments))
    (part / layout.EVIDENCE).mkdir()
    origin = Origin(
        folder.session, info.started_at, versions(run.profile.id, run.made_by.models), run.table.chips
    )
    for each in outcome.shown:
        _keep_evidence(part / layout.EVIDENCE, each, origin, run.session.gaps)
    about = (
        {"schema": 1, "kind": KIND} | asdict(info) | {"reviewed_at": utc_text(now), "notes": list(run.notes)}
    )
    write_json(part / layout.ABOUT, about)


def _info(folder: SessionFolder, run: ReviewRun, now: datetime) -> SessionInfo:
    started = run.session.started
    ended = now if started is None else started + timedelta(seconds=run.session.duration_s)
    names = ", ".join(each.path.name for each in run.session.recordings)
    return SessionInfo(
        folder.session,
        run.table.id,
        run.table.name,
        run.profile.id,
        None if started is None else utc_text(started),
        utc_text(ended),
        names if len(names) <= 200 else f"{names[:199]}…",
    )


def _keep_evidence(evidence: Path, shown: Shown, origin: Origin, gaps: Sequence[tuple[float, float]]) -> None:
    found = Found(shown.number, _first_word(shown.finding), shown.events)
    folder = EvidenceFolder(evidence, shown.number, shown.finding.code)
    place = folder.begin()
    cut = None
    if shown.clip is not None:
        content = shown.clip.read_bytes()
        write_whole(place / layout.CLIP, content)
        start_s, stop_s = shown.span.start_s, shown.span.stop_s
        within = [(max(begin, start_s), min(end, stop_s)) for begin, end in gaps]
        missing = tuple(each for each in within if each[0] < each[1])
        cut = Cut(start_s, stop_s, missing, len(content), 0)
    if shown.still is not None:
        write_whole(place / layout.STILL, shown.still)
    span = (shown.span.start_s, shown.span.stop_s)
    folder.finish({**describe(found, origin), **describe_files(place, cut, span)})


def _first_word(finding: Finding) -> Finding:
    """A review tells what stands at its end: nothing was told before that it revises."""
    return replace(finding, revises=False)


def _reviews(data: Path, table_id: str) -> Iterator[SessionFolder]:
    """Reviewed sessions of a table, those made first first."""
    own = [each for each in session_folders(data) if each.table_id == table_id]
    dated = [
        (made.stat().st_mtime_ns, each) for each in own if (made := each.path / "made_by.json").is_file()
    ]
    return (each for _, each in sorted(dated, key=lambda pair: pair[0]))


def _shas(folder: SessionFolder) -> list[str]:
    return [each.sha256 for each in read_recordings(folder.path) or ()]


def _free_name(data: Path, run: ReviewRun) -> SessionFolder:
    stamp = utc_stamp(run.session.started or datetime.now(UTC))
    number = 1
    while True:
        name = f"{stamp}-{KIND}" if number == 1 else f"{stamp}-{KIND}-{number}"
        folder = SessionFolder(data, f"{run.table.id}/{name}")
        if not folder.path.exists():
            return folder
        number += 1
