"""The store's schema, as numbered steps from an empty file on.

A step that has been released is never changed; a new one is added at the end. The number of the last step
done is the database's `user_version`.
"""

from __future__ import annotations

import sqlite3

# "veed": tells a store from any other SQLite file.
APPLICATION_ID = 0x76656564

_SESSIONS_AND_WHAT_HAPPENED = """
CREATE TABLE sessions (
    session TEXT PRIMARY KEY,          -- TABLE/START, its folder under tables/
    table_id TEXT NOT NULL,
    table_name TEXT NOT NULL,
    profile TEXT,
    started_at TEXT,                   -- ISO 8601 with offset; media time 0
    ended_at TEXT,                     -- null while it runs, and for good where it was killed
    source TEXT
) STRICT;
CREATE INDEX sessions_by_start ON sessions (started_at);
CREATE TABLE events (
    session TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    id INTEGER NOT NULL,
    t REAL NOT NULL,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    line TEXT NOT NULL,                -- the event as the journal has it
    PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_by_kind ON events (session, kind);
CREATE INDEX events_by_time ON events (session, t);
CREATE TABLE coups (
    session TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    place INTEGER NOT NULL,            -- from 1, in order of time
    number INTEGER NOT NULL,           -- as announced: counts anew with a shoe
    opened_t REAL NOT NULL,
    closed_t REAL,
    first_event INTEGER NOT NULL,
    last_event INTEGER,
    PRIMARY KEY (session, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE findings (
    session TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    number INTEGER NOT NULL,
    code TEXT NOT NULL,
    verdict TEXT NOT NULL,             -- broken, undecided, inspector or withdrawn
    severity TEXT NOT NULL,
    coup INTEGER NOT NULL,             -- 0 outside any coup
    t REAL NOT NULL,
    actor TEXT NOT NULL,
    confidence REAL NOT NULL,
    reported_at TEXT,
    line_number INTEGER NOT NULL,      -- of the last line of findings.jsonl that speaks of it
    reports INTEGER NOT NULL,          -- how many lines do
    line TEXT NOT NULL,
    PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX findings_by_report ON findings (reported_at);
"""

_PEOPLES_DECISIONS_AND_EVIDENCE = """
CREATE TABLE decisions (
    session TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    id INTEGER NOT NULL,
    finding INTEGER NOT NULL,
    action TEXT NOT NULL,
    reason TEXT NOT NULL,
    who TEXT NOT NULL,
    at TEXT NOT NULL,                  -- ISO 8601, UTC
    verdict TEXT,                      -- what the finding said when it was decided on
    PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX decisions_by_finding ON decisions (session, finding);
CREATE TABLE clips (
    session TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    finding INTEGER NOT NULL,
    folder TEXT NOT NULL,              -- below the session's
    clip TEXT,                         -- names of files in it, null where there is none
    still TEXT,
    start_s REAL,
    stop_s REAL,
    gaps TEXT NOT NULL,                -- JSON, stretches of media time without pictures
    bytes INTEGER NOT NULL,
    made_at TEXT NOT NULL,
    removed_at TEXT,
    removed_why TEXT,
    PRIMARY KEY (session, finding)
) STRICT, WITHOUT ROWID;
CREATE INDEX clips_by_age ON clips (made_at);
"""

MIGRATIONS = (_SESSIONS_AND_WHAT_HAPPENED, _PEOPLES_DECISIONS_AND_EVIDENCE)
NEWEST = len(MIGRATIONS)
# Parents first: rows go in in this order.
TABLES = ("sessions", "events", "coups", "findings", "decisions", "clips")


def migrate(connection: sqlite3.Connection, upto: int = NEWEST) -> int:
    """Do the steps that are missing, each whole or not at all; returns how many were done.

    Another process may be doing the same: who comes second finds nothing left to do.
    """
    done = 0
    while version_of(connection) < upto:
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = version_of(connection)
            if version < upto:
                for statement in _statements(MIGRATIONS[version]):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {version + 1}")
                done += 1
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
    return done


def version_of(connection: sqlite3.Connection) -> int:
    """The number of the last step that was done."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _statements(script: str) -> list[str]:
    # `executescript` would commit before it begins.
    return [each for each in script.split(";\n") if each.strip()]
