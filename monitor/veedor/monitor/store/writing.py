"""How rows come from the truth: the same for what happens now and for a rebuild, so that both give the same.

Every function may be told something a second time and changes nothing then: a rebuild may run beside a table
that is being watched.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from veedor.monitor.store.rows import Action, ClipRow, gaps_text
from veedor.rules.events import (
    NAME_BY_TYPE,
    CoupClosed,
    CoupOpened,
    EventCorrected,
    SessionOpened,
    TableEvent,
    UnknownEvent,
    decode_event,
    encode_event,
)
from veedor.rules.settled import additions_of, corrections_of, standing

Row = Mapping[str, Any]
_FINDING_TEXTS = ("code", "verdict", "severity", "actor")


@dataclass(frozen=True)
class SessionInfo:
    """What `session.json` says of a session."""

    session: str
    table_id: str
    table_name: str
    profile: str | None = None
    started_at: str | None = None
    ended_at: str | None = None
    source: str | None = None


def put_session(db: sqlite3.Connection, info: SessionInfo) -> None:
    """The session as it is now."""
    db.execute(
        "INSERT INTO sessions (session, table_id, table_name, profile, started_at, ended_at, source)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session) DO UPDATE SET table_name = excluded.table_name,"
        " profile = coalesce(excluded.profile, profile),"
        " started_at = coalesce(excluded.started_at, started_at), ended_at = excluded.ended_at,"
        " source = excluded.source",
        [
            None if each is None else sound(each)
            for each in (
                info.session,
                info.table_id,
                info.table_name,
                info.profile,
                info.started_at,
                info.ended_at,
                info.source,
            )
        ],
    )


def put_events(db: sqlite3.Connection, session: str, events: Iterable[TableEvent]) -> None:
    """Journal events."""
    moved, put_ids = False, []
    for event in events:
        if not _countable(event.id):
            continue
        put = db.execute(
            "INSERT OR IGNORE INTO events (session, id, t, kind, source, line) VALUES (?, ?, ?, ?, ?, ?)",
            (session, event.id, event.t, sound(_kind(event)), event.source, json.dumps(encode_event(event))),
        )
        if not put.rowcount:
            continue
        put_ids.append(event.id)
        moved = moved or isinstance(event, CoupOpened | CoupClosed | EventCorrected)
        if isinstance(event, SessionOpened):
            db.execute(
                "UPDATE sessions SET profile = coalesce(profile, ?), started_at = coalesce(started_at, ?)"
                " WHERE session = ?",
                (sound(event.profile), event.started_at and sound(event.started_at), session),
            )
    if moved or _corrected(db, session, put_ids):
        _put_coups(db, session)


def _corrected(db: sqlite3.Connection, session: str, ids: list[int]) -> bool:
    """Whether a correction that stands before them already is of one of these events."""
    found = db.execute(
        "SELECT 1 FROM events WHERE session = ? AND kind = 'event_corrected'"
        " AND json_extract(line, '$.corrects') IN (SELECT value FROM json_each(?)) LIMIT 1",
        (session, json.dumps(ids)),
    )
    return found.fetchone() is not None


def _put_coups(db: sqlite3.Connection, session: str) -> None:
    """A session's coups, by the events as they stand: in order of time, corrections applied.

    All of them anew: what is entered late or corrected changes what lies back, and they are a few hundred.
    """
    corrections = corrections_of(_events(db, session, "kind = 'event_corrected'"))
    coup_events = "kind IN ('coup_opened', 'coup_closed') OR id IN (SELECT value FROM json_each(?))"
    written = _events(
        db, session, coup_events, json.dumps([each for each in corrections if _countable(each)])
    )
    standing_now = [each for event in written if (each := standing(event, corrections)) is not None]
    standing_now += additions_of(corrections)
    coups: list[list[float | int | None]] = []  # place, number, opened_t, closed_t, first_event, last_event
    for event in sorted(standing_now, key=lambda each: (each.t, each.id)):
        if isinstance(event, CoupOpened):
            before = coups[-1][1] if coups else 0
            number = event.coup if event.coup and _countable(event.coup) else int(before or 0) + 1
            coups.append([len(coups) + 1, number, event.t, None, event.id, None])
        elif isinstance(event, CoupClosed) and coups and coups[-1][3] is None:
            coups[-1][3], coups[-1][5] = event.t, event.id
    db.execute("DELETE FROM coups WHERE session = ?", (session,))
    db.executemany(
        "INSERT INTO coups (session, place, number, opened_t, closed_t, first_event, last_event)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        ([session, *each] for each in coups),
    )


def _events(db: sqlite3.Connection, session: str, which: str, *values: str) -> list[TableEvent]:
    found = db.execute(
        f"SELECT line FROM events WHERE session = ? AND ({which}) ORDER BY id", (session, *values)
    )
    return [decode_event(json.loads(line)) for (line,) in found.fetchall()]


def _kind(event: TableEvent) -> str:
    return event.name if isinstance(event, UnknownEvent) else NAME_BY_TYPE[type(event)]


def put_finding(db: sqlite3.Connection, session: str, line_number: int, line: Row) -> str | None:
    """A line of findings.jsonl; returns what is wrong with it, None where it is as it must be."""
    number = line.get("number", line_number)
    texts = _texts(line, _FINDING_TEXTS)
    coup, t, sureness = line.get("coup", 0), line.get("t"), line.get("confidence", 1.0)
    whole = _countable(number) and _countable(coup)
    real = _real(t) and _real(sureness)
    if not whole or not real or texts is None:
        return "not a finding"
    at = line.get("at")
    db.execute(
        "INSERT INTO findings (session, number, code, verdict, severity, actor, coup, t, confidence,"
        " reported_at, line_number, reports, line) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)"
        " ON CONFLICT (session, number) DO UPDATE SET code = excluded.code, verdict = excluded.verdict,"
        " severity = excluded.severity, actor = excluded.actor, coup = excluded.coup, t = excluded.t,"
        " confidence = excluded.confidence, line_number = excluded.line_number, reports = reports + 1,"
        " line = excluded.line WHERE excluded.line_number > findings.line_number",
        (
            session,
            number,
            *texts,
            coup,
            float(t),  # type: ignore[arg-type]
            float(sureness),
            sound(at) if isinstance(at, str) else None,
            line_number,
            json.dumps(line),
        ),
    )
    return None


def put_decision(db: sqlite3.Connection, session: str, line_number: int, line: Row) -> str | None:
    """A line of decisions.jsonl; returns what is wrong with it, None where it is as it must be."""
    finding, action, verdict = line.get("finding"), line.get("action"), line.get("verdict")
    texts = _texts(line, ("reason", "who", "at"))
    if not _countable(finding) or action not in tuple(Action) or texts is None:
        return "not a decision"
    seen = sound(verdict) if isinstance(verdict, str) else None
    db.execute(
        "INSERT OR IGNORE INTO decisions (session, id, finding, action, reason, who, at, verdict)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (session, line_number, finding, action, *texts, seen),
    )
    return None


def _texts(line: Row, names: Iterable[str]) -> list[str] | None:
    """The texts of these names, None where one of them is none."""
    found = [line.get(name) for name in names]
    sane = [sound(each) for each in found if isinstance(each, str)]
    return sane if len(sane) == len(found) else None


def sound(words: str) -> str:
    """JSON may hold half a character, which SQLite takes for an error."""
    return words.encode("utf-8", "replace").decode()


def _real(number: object) -> bool:
    return isinstance(number, (int, float)) and type(number) is not bool and abs(number) < 1e12


def _countable(number: object) -> bool:
    return type(number) is int and 0 <= number < 1 << 53


def put_clip(db: sqlite3.Connection, clip: ClipRow) -> None:
    """The evidence of a finding as it is now."""
    db.execute(
        "INSERT OR REPLACE INTO clips (session, finding, folder, clip, still, start_s, stop_s, gaps, bytes,"
        " made_at, removed_at, removed_why) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            clip.session,
            clip.finding,
            clip.folder,
            clip.clip,
            clip.still,
            clip.start_s,
            clip.stop_s,
            gaps_text(clip.gaps),
            clip.bytes,
            clip.made_at,
            clip.removed_at,
            clip.removed_why,
        ),
    )


def forget_session(db: sqlite3.Connection, session: str) -> None:
    """All rows of a session."""
    db.execute("DELETE FROM sessions WHERE session = ?", (session,))
