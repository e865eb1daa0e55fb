"""Corrections of a session that is over, written into its journal, and the findings that follow from them.

One way in: the journal is locked, must still be the one that was looked at, and has every line on disk
before anybody is told so. Findings that come out otherwise are added to findings.jsonl under their numbers; a
process that is killed in between leaves a note, and whoever opens the session next completes it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from veedor.monitor.coup_view_night import Night, read_night
from veedor.monitor.durable import write_whole
from veedor.monitor.entry_checks import Senseless, TableSense
from veedor.monitor.finding_numbers import withdrawn
from veedor.monitor.language import text
from veedor.monitor.store.errors import StoreError
from veedor.monitor.store.layout import SessionFolder
from veedor.monitor.store.lines import (
    append_line,
    append_on_disk,
    encoded,
    read_lines,
    read_object,
    without_torn_end,
)
from veedor.monitor.store.session_record import finding_line
from veedor.monitor.store.store import Store
from veedor.monitor.utc import utc_now
from veedor.monitor.what_if import Change, ChangeFault, WhatIf, consider, corrections
from veedor.rules.events import EventCorrected, encode_event
from veedor.rules.finding import Finding
from veedor.vision.errors import VisionError
from veedor.vision.table_file import load_table

PENDING = "corrections.pending.json"


class StaleFault(StoreError):
    """Somebody else has corrected the session since it was looked at."""


@dataclass(frozen=True)
class Author:
    """Who corrects, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Saved:
    """The lines that the journal has now, and what follows from them."""

    lines: tuple[EventCorrected, ...]
    outcome: WhatIf


def save(store: Store, session: str, changes: Sequence[Change], author: Author, seen_id: int) -> Saved:
    """Write the changes as corrections; on disk when this returns.

    `seen_id` is the journal's last event when the changes were considered: StaleFault if there are more now.
    ChangeFault where a change cannot be made, StoreError where the disk does not take it; nothing is written
    then.
    """
    folder = store.folder(session)
    with _alone(folder) as fd:
        _complete(folder)
        night = read_night(folder)
        if night.last_id != seen_id:
            saved = _saved_already(night, changes, author, seen_id)
            if saved is not None:
                return saved
            raise StaleFault(
                text(
                    es="alguien corrigió esta sesión entretanto; mírela otra vez",
                    en="somebody has corrected this session in the meantime; look at it again",
                )
            )
        check_sense(folder, night, changes)
        lines = corrections(night, changes, author.name, author.reason)
        outcome = consider(night, changes)
        _note(folder, night.last_id)
        _append(folder.journal, fd, lines)
        # They are saved now. Findings that there is no room for are told by the note, when there is.
        with suppress(StoreError):
            _tell(folder, outcome)
    _index(store, session)
    return Saved(lines, outcome)


def check_sense(folder: SessionFolder, night: Night, changes: Iterable[Change]) -> None:
    """ChangeFault where an event cannot have been at the session's table."""
    try:
        table = load_table(folder.table_file)
    except VisionError:
        table = None
    sense = TableSense(table, night.profile)
    for each in changes:
        try:
            if each.replacement is not None:
                sense.check(each.replacement)
        except Senseless as fault:
            raise ChangeFault(text(es=fault.spanish, en=str(fault))) from None


def _note(folder: SessionFolder, last_id: int) -> None:
    path = folder.path / PENDING
    try:
        write_whole(path, encoded({"schema": 1, "after": last_id}))
    except OSError as fault:
        raise StoreError(f"{path}: {fault.strerror or fault}") from fault


def _saved_already(night: Night, changes: Sequence[Change], author: Author, seen_id: int) -> Saved | None:
    """What the same order has left a moment ago: a button that was pressed twice is pressed once."""
    before = replace(night, written=tuple(each for each in night.written if each.id <= seen_id))
    try:
        lines = corrections(before, changes, author.name, author.reason)
    except ChangeFault:
        return None
    there = tuple(each for each in night.written if seen_id < each.id <= seen_id + len(lines))
    return Saved(lines, consider(before, changes)) if there == lines else None


def complete(store: Store, session: str) -> None:
    """Tell the findings of corrections whose saving was cut off; does nothing where there are none."""
    folder = store.folder(session)
    if not (folder.path / PENDING).is_file():
        return
    with _alone(folder):
        _complete(folder)
    _index(store, session)


def _complete(folder: SessionFolder) -> None:
    pending = read_object(folder.path / PENDING)
    if pending is None:
        return
    night, after = read_night(folder), pending.get("after")
    late = [each for each in night.written if isinstance(each, EventCorrected) and each.id > int(after or 0)]
    if late:
        before = replace(night, written=tuple(each for each in night.written if each.id <= int(after or 0)))
        changes = [Change(each.corrects, each.replacement) for each in late]
        _tell(folder, consider(before, changes))
    else:
        (folder.path / PENDING).unlink(missing_ok=True)


def _tell(folder: SessionFolder, outcome: WhatIf) -> None:
    """Add the findings that changed to the session's findings, those that are there already passed over."""
    told = {line.get("number"): line for _, line in read_lines(folder.findings, [])}
    for each in outcome.findings:
        if each.kind == "same":
            continue
        finding = _word(each.before, each.after)
        line = finding_line(each.number, finding, utc_now())
        last = told.get(each.number, {})
        if all(last.get(key) == value for key, value in line.items() if key not in ("at", "revises")):
            continue
        append_line(folder.findings, partial(_numbered, line))
    (folder.path / PENDING).unlink(missing_ok=True)


def _word(before: Finding | None, after: Finding | None) -> Finding:
    if after is not None:
        return replace(after, revises=before is not None)
    assert before is not None
    return withdrawn(before)


def _numbered(line: dict[str, object], count: int) -> dict[str, object]:
    return {**line, "seq": count}


def _index(store: Store, session: str) -> None:
    # The files have it; an index that has no room or time now is brought up with the next one.
    with suppress(StoreError):
        store.reindex(session)


def _append(path: Path, fd: int, lines: Sequence[EventCorrected]) -> None:
    """All lines or none, and on disk."""
    data = b"".join(encoded(encode_event(line)) for line in lines)
    try:
        whole, _ = without_torn_end(path, fd)
        append_on_disk(fd, data, whole)
    except OSError as fault:
        raise StoreError(f"{path}: {fault.strerror or fault}") from fault


@contextmanager
def _alone(folder: SessionFolder) -> Iterator[int]:
    """The journal, open to be appended to, while nobody else corrects it."""
    try:
        fd = os.open(folder.journal, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
    except OSError as fault:
        raise StoreError(f"{folder.journal}: {fault.strerror or fault}") from fault
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield fd
    finally:
        os.close(fd)


def changed_findings(outcome: WhatIf) -> list[int]:
    """Numbers of the findings that did not stay as they were."""
    return [each.number for each in outcome.findings if each.kind != "same"]


def read_for_review(store: Store, session: str) -> Night:
    """A session's journal, once every correction of it has told its findings."""
    complete(store, session)
    return read_night(store.folder(session))
