"""What pages ask of the store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from veedor.monitor.store.rows import (
    Action,
    ClipRow,
    CoupRow,
    DecisionRow,
    EventRow,
    FindingFilter,
    FindingRow,
    SessionRow,
    State,
)

MOST_ROWS = 10_000  # of one answer, whatever a page asks for

# Where a finding stands: the last word on it. A decision on a verdict that has changed since is none any
# more, except that what was escalated stays so.
_STATE = """
CASE (SELECT action FROM decisions d WHERE d.session = f.session AND d.finding = f.number
      AND d.action IN ('accept', 'dismiss', 'escalate', 'rule', 'reopen')
      AND (d.action = 'escalate' OR d.verdict IS NULL OR d.verdict = f.verdict) ORDER BY d.id DESC LIMIT 1)
WHEN 'accept' THEN 'accepted' WHEN 'dismiss' THEN 'dismissed' WHEN 'escalate' THEN 'escalated'
WHEN 'rule' THEN 'ruled'
ELSE 'open' END
"""
_PROTECTED = """
coalesce((SELECT action = 'protect' FROM decisions d WHERE d.session = f.session AND d.finding = f.number
          AND d.action IN ('protect', 'release') ORDER BY d.id DESC LIMIT 1), 0)
"""
FINDINGS_IN_FULL = f"""
SELECT f.*, s.table_id, {_STATE} AS state, {_PROTECTED} AS protected,
       c.clip IS NOT NULL AND c.removed_at IS NULL AS has_clip,
       c.still IS NOT NULL AND c.removed_at IS NULL AS has_still
FROM findings f JOIN sessions s USING (session)
LEFT JOIN clips c ON c.session = f.session AND c.finding = f.number
"""


_SESSIONS = f"""
SELECT s.*, (SELECT count(*) FROM coups c WHERE c.session = s.session) AS coups,
       (SELECT count(*) FROM findings f WHERE f.session = s.session AND f.verdict <> 'withdrawn') AS findings,
       (SELECT count(*) FROM findings f WHERE f.session = s.session AND f.verdict <> 'withdrawn'
        AND ({_STATE}) = 'open') AS open_findings
FROM sessions s
"""


def sessions(db: sqlite3.Connection, table_id: str | None, limit: int, offset: int) -> list[SessionRow]:
    """Newest first."""
    found = db.execute(
        f"{_SESSIONS} WHERE (?1 IS NULL OR s.table_id = ?1)"
        " ORDER BY s.started_at DESC, s.session DESC LIMIT ?2 OFFSET ?3",
        (table_id, min(limit, MOST_ROWS), offset),
    )
    return [SessionRow(**dict(row)) for row in found]


def session(db: sqlite3.Connection, name: str) -> SessionRow | None:
    """One session by its name."""
    found = db.execute(f"{_SESSIONS} WHERE s.session = ?", (name,)).fetchone()
    return None if found is None else SessionRow(**dict(found))


def table_ids(db: sqlite3.Connection) -> list[str]:
    """Every table that has a session."""
    found = db.execute("SELECT DISTINCT table_id FROM sessions ORDER BY table_id")
    return [str(row["table_id"]) for row in found]


def coups(db: sqlite3.Connection, name: str) -> list[CoupRow]:
    """A session's coups in the order opened."""
    found = db.execute(
        "SELECT c.*, (SELECT count(*) FROM findings f WHERE f.session = c.session AND f.coup = c.number"
        " AND f.verdict <> 'withdrawn' AND c.place = (SELECT max(place) FROM coups d WHERE"
        " d.session = f.session AND d.number = f.coup AND (d.opened_t <= f.t OR d.place = 1))) AS findings"
        " FROM coups c WHERE c.session = ? ORDER BY c.place",
        (name,),
    )
    return [CoupRow(**dict(row)) for row in found]


def events(db: sqlite3.Connection, name: str, ids: Iterable[int] | None, place: int | None) -> list[EventRow]:
    """A session's events as the journal has them: all, those with these ids, or those of a coup's time."""
    where, values = ["session = ?"], list[object]([name])
    if ids is not None:
        where.append("id IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(sorted(ids)))
    if place is not None:
        where.append(
            "t BETWEEN (SELECT opened_t FROM coups WHERE session = ? AND place = ?) AND coalesce("
            "(SELECT closed_t FROM coups WHERE session = ? AND place = ?),"
            " (SELECT opened_t FROM coups WHERE session = ? AND place = ?), 9e999)"
        )
        values += [name, place, name, place, name, place + 1]
    order = "id" if place is None else "t, id"
    found = db.execute(f"SELECT * FROM events WHERE {' AND '.join(where)} ORDER BY {order}", values)
    return [
        EventRow(row["session"], row["id"], row["t"], row["kind"], row["source"], json.loads(row["line"]))
        for row in found
    ]


def findings(db: sqlite3.Connection, wanted: FindingFilter) -> list[FindingRow]:
    """Newest first."""
    where, values = _conditions(wanted)
    found = db.execute(
        f"SELECT * FROM ({FINDINGS_IN_FULL}) WHERE {where}"
        " ORDER BY reported_at DESC, session DESC, number DESC LIMIT ? OFFSET ?",
        [*values, min(wanted.limit, MOST_ROWS), wanted.offset],
    )
    return [finding_of(row) for row in found]


def count_findings(db: sqlite3.Connection, wanted: FindingFilter) -> int:
    """How many there are, whatever the limit."""
    where, values = _conditions(wanted)
    found = db.execute(f"SELECT count(*) FROM ({FINDINGS_IN_FULL}) WHERE {where}", values)
    return int(found.fetchone()[0])


def _conditions(wanted: FindingFilter) -> tuple[str, list[object]]:
    where, values = ["1"], list[object]()
    equal = (("table_id", wanted.table_id), ("session", wanted.session), ("coup", wanted.coup))
    for column, value in equal:
        if value is not None:
            where.append(f"{column} = ?")
            values.append(value)
    several: tuple[tuple[str, Sequence[str]], ...] = (
        ("state", wanted.states),
        ("verdict", wanted.verdicts),
        ("code", wanted.codes),
        ("severity", wanted.severities),
    )
    for column, options in several:
        if options:
            where.append(f"{column} IN (SELECT value FROM json_each(?))")
            values.append(json.dumps([str(each) for each in options]))
    for comparison, value in (("reported_at >= ?", wanted.since), ("reported_at < ?", wanted.until)):
        if value is not None:
            where.append(comparison)
            values.append(value)
    if not wanted.withdrawn:
        where.append("verdict <> 'withdrawn'")
    return " AND ".join(where), values


def finding(db: sqlite3.Connection, name: str, number: int) -> FindingRow | None:
    """One finding, also one that was taken back."""
    found = db.execute(
        f"SELECT * FROM ({FINDINGS_IN_FULL}) WHERE session = ? AND number = ?", (name, number)
    ).fetchone()
    return None if found is None else finding_of(found)


def finding_of(row: sqlite3.Row) -> FindingRow:
    return FindingRow(
        session=row["session"],
        table_id=row["table_id"],
        number=row["number"],
        code=row["code"],
        verdict=row["verdict"],
        severity=row["severity"],
        coup=row["coup"],
        t=row["t"],
        actor=row["actor"],
        confidence=row["confidence"],
        reported_at=row["reported_at"],
        reports=row["reports"],
        body=json.loads(row["line"]),
        state=State(row["state"]),
        protected=bool(row["protected"]),
        has_clip=bool(row["has_clip"]),
        has_still=bool(row["has_still"]),
    )


def decisions(db: sqlite3.Connection, name: str, number: int | None) -> list[DecisionRow]:
    """What people decided on a session's findings, or on one, in order."""
    found = db.execute(
        "SELECT * FROM decisions WHERE session = ?1 AND (?2 IS NULL OR finding = ?2) ORDER BY id",
        (name, number),
    )
    return [DecisionRow(**(dict(row) | {"action": Action(row["action"])})) for row in found]


def clip(db: sqlite3.Connection, name: str, number: int) -> ClipRow | None:
    """The evidence of a finding."""
    found = db.execute("SELECT * FROM clips WHERE session = ? AND finding = ?", (name, number)).fetchone()
    return None if found is None else clip_of(found)


def clip_of(row: sqlite3.Row) -> ClipRow:
    gaps = tuple((float(start), float(stop)) for start, stop in json.loads(row["gaps"]))
    return ClipRow(**(dict(row) | {"gaps": gaps}))
