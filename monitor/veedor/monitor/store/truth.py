"""A session's files read into rows: what a rebuild is made of."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from veedor.monitor.language import current
from veedor.monitor.store import layout, writing
from veedor.monitor.store.errors import StoreError
from veedor.monitor.store.layout import SessionFolder
from veedor.monitor.store.lines import read_lines, read_object
from veedor.monitor.store.rows import ClipRow
from veedor.monitor.store.writing import SessionInfo
from veedor.rules.errors import JournalError
from veedor.rules.event_codec import MOST_SECONDS
from veedor.rules.journal import JournalReader

_TAIL_BYTES = 1 << 16  # more than any line of a journal


def index_session(db: sqlite3.Connection, folder: SessionFolder) -> list[str]:
    """Put everything that a session's files say into the store; returns what in them cannot be used."""
    faults: list[str] = []
    writing.put_session(db, info_of(folder))
    if folder.journal.exists():
        reader = JournalReader(folder.journal)
        try:
            writing.put_events(db, folder.session, reader)
        except JournalError as fault:
            raise StoreError(str(fault)) from fault
        faults += [f"{folder.journal}:{each.line}: {each.told(str(current()))}" for each in reader.faults]
    for path, put in ((folder.findings, writing.put_finding), (folder.decisions, writing.put_decision)):
        for number, line in read_lines(path, faults):
            wrong = put(db, folder.session, number, line)
            if wrong is not None:
                faults.append(f"{path}:{number}: {wrong}")
    for clip in clips_of(folder):
        writing.put_clip(db, clip)
    return faults


def is_behind(db: sqlite3.Connection, folder: SessionFolder) -> bool:
    """Whether a session's files hold lines or evidence that the store has not got."""
    name = (folder.session,)
    if db.execute("SELECT 1 FROM sessions WHERE session = ?", name).fetchone() is None:
        return True
    last_event = db.execute("SELECT max(id) FROM events WHERE session = ?", name).fetchone()[0] or 0
    last_finding = db.execute("SELECT max(line_number) FROM findings WHERE session = ?", name).fetchone()[0]
    last_decision = db.execute("SELECT max(id) FROM decisions WHERE session = ?", name).fetchone()[0]
    clips = {row[0] for row in db.execute("SELECT folder FROM clips WHERE session = ?", name)}
    return (
        last_id(folder.journal) != last_event
        or last_line(folder.findings) != (last_finding or 0)
        or last_line(folder.decisions) != (last_decision or 0)
        or {each.folder for each in clips_of(folder)} != clips
    )


def told_of(folder: SessionFolder, number: int) -> tuple[str, str] | None:
    """Code and verdict of a finding by the last word on it in its file; None where there is none."""
    found = None
    for count, line in read_lines(folder.findings, []):
        code, verdict = line.get("code"), line.get("verdict")
        if line.get("number", count) == number and isinstance(code, str) and isinstance(verdict, str):
            found = code, verdict
    return found


def last_id(journal: Path) -> int:
    """The id of a journal's last whole line, 0 without one."""
    try:
        with journal.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL_BYTES))
            lines = file.read().rpartition(b"\n")[0].splitlines()
        number = json.loads(lines[-1]).get("id") if lines else 0
    except (OSError, ValueError, RecursionError, AttributeError):
        return 0
    return number if type(number) is int else 0


def last_line(path: Path) -> int:
    """The number of the last line of a file that can be read."""
    return max((number for number, _ in read_lines(path, [])), default=0)


def last_decision(path: Path, finding: int) -> int:
    """The id of the last decision on a finding that stands in a file, 0 without one."""
    numbers = (number for number, line in read_lines(path, []) if line.get("finding") == finding)
    return max(numbers, default=0)


def info_of(folder: SessionFolder) -> SessionInfo:
    """What `session.json` says; without it, what the folder's name says."""
    about = read_object(folder.about) or {}

    def said(name: str) -> str | None:
        value = about.get(name)
        return value if isinstance(value, str) else None

    return SessionInfo(
        session=folder.session,
        table_id=folder.table_id,
        table_name=said("table_name") or folder.table_id,
        profile=said("profile"),
        started_at=said("started_at"),
        ended_at=said("ended_at"),
        source=said("source"),
    )


def clips_of(folder: SessionFolder) -> list[ClipRow]:
    """The evidence that lies in a session's folder, by its own `finding.json`."""
    if not folder.evidence.is_dir():
        return []
    found = (clip_of(folder, each.name) for each in sorted(folder.evidence.iterdir()) if each.is_dir())
    return [each for each in found if each is not None]


def clip_of(folder: SessionFolder, name: str) -> ClipRow | None:
    """The evidence in one folder, None where it holds none that is whole."""
    about = read_object(folder.evidence / name / layout.FINDING)
    if about is None or not layout.is_name(name):
        return None
    number, clip, still = about.get("number"), _part(about, "clip"), _part(about, "still")
    removed, made_at = _part(about, "removed"), about.get("made_at")
    if type(number) is not int or not 0 <= number < 1 << 53 or not isinstance(made_at, str):
        return None
    return ClipRow(
        session=folder.session,
        finding=number,
        folder=f"{layout.EVIDENCE}/{name}",
        clip=_file(clip),
        still=_file(still),
        start_s=_seconds(clip.get("start_s")),
        stop_s=_seconds(clip.get("stop_s")),
        gaps=_gaps(clip.get("gaps")),
        bytes=sum(each for part in (clip, still) if type(each := part.get("bytes")) is int),
        made_at=made_at,
        removed_at=_text(removed.get("at")),
        removed_why=_text(removed.get("why")),
    )


def _part(about: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = about.get(name)
    return found if isinstance(found, dict) else {}


def _file(part: Mapping[str, Any]) -> str | None:
    name = part.get("file")
    return name if isinstance(name, str) and layout.is_name(name) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _seconds(value: object) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= MOST_SECONDS:
        return None
    return float(value)


def _gaps(value: object) -> tuple[tuple[float, float], ...]:
    if not isinstance(value, list):
        return ()
    pairs = [each for each in value if isinstance(each, list) and len(each) == 2]
    ends = [(_seconds(start), _seconds(stop)) for start, stop in pairs]
    return tuple((start, stop) for start, stop in ends if start is not None and stop is not None)
