"""The file of accounts, web sessions and the audit log: the truth itself, rebuilt from nothing."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.monitor.private_folder import private_folder

FILE_NAME = "accounts.sqlite"
_BUSY_S = 10.0

Clock = Callable[[], datetime]

# Each entry takes the file from the version of its place to the next. Never change one that was released.
_MIGRATIONS = (
    """
    CREATE TABLE people (
        name TEXT PRIMARY KEY, role TEXT NOT NULL, password TEXT NOT NULL, created_at TEXT NOT NULL,
        disabled INTEGER NOT NULL DEFAULT 0, must_change INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE sessions (
        key TEXT PRIMARY KEY, name TEXT NOT NULL REFERENCES people(name) ON DELETE CASCADE,
        began REAL NOT NULL, seen REAL NOT NULL, address TEXT NOT NULL
    ) STRICT;
    CREATE INDEX sessions_name ON sessions(name);
    CREATE TABLE audit (
        id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, who TEXT NOT NULL, address TEXT NOT NULL,
        act TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL, outcome TEXT NOT NULL
    ) STRICT;
    CREATE INDEX audit_who ON audit(who, id);
    CREATE INDEX audit_act ON audit(act, id);
    CREATE TRIGGER audit_stands BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log stands'); END;
    CREATE TRIGGER audit_stays BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log stands'); END;
    """,
)


def now_utc() -> datetime:
    return datetime.now(UTC)


class AccountsFile:
    """One connection, used by one thread at a time; several processes may have the file open.

    `there`: only a file that exists is opened; otherwise it is made, with its folder.
    """

    def __init__(self, path: Path, clock: Clock = now_utc, *, there: bool = False) -> None:
        self.path = path
        self.clock = clock
        self._lock = threading.RLock()
        if there and not path.is_file():
            raise UsageFault(
                text(
                    es=f"{path}: no existe; la primera cuenta la hace `veedor user add`",
                    en=f"{path}: no such file; `veedor user add` makes the first account",
                )
            )
        try:
            private_folder(path.parent)
            # Only its owner reads it, from the first byte on.
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._link = sqlite3.connect(path, timeout=_BUSY_S, check_same_thread=False, isolation_level=None)
            self._prepare()
        except (sqlite3.Error, OSError) as fault:
            raise UsageFault(
                text(es=f"{path}: no se puede usar: {fault}", en=f"{path}: cannot be used: {fault}")
            ) from None

    def _prepare(self) -> None:
        self._link.row_factory = sqlite3.Row
        self._link.execute("PRAGMA journal_mode = WAL")
        self._link.execute("PRAGMA synchronous = FULL")
        self._link.execute("PRAGMA foreign_keys = ON")
        with self.changing() as link:
            version = int(link.execute("PRAGMA user_version").fetchone()[0])
            if version > len(_MIGRATIONS):
                raise sqlite3.DatabaseError(f"schema {version} is newer than this program's")
            for number, migration in enumerate(_MIGRATIONS[version:], start=version + 1):
                for statement in _statements(migration):
                    link.execute(statement)
                link.execute(f"PRAGMA user_version = {number}")

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: on disk when it ends, not there at all if it raises."""
        with self._lock:
            self._link.execute("BEGIN IMMEDIATE")
            try:
                yield self._link
            except BaseException:
                self._link.execute("ROLLBACK")
                raise
            self._link.execute("COMMIT")
            self._into_the_file("PASSIVE")

    def _into_the_file(self, how: str) -> None:
        """Move what the log beside the file holds into the file itself: a copy of it alone has everything.

        `PASSIVE` waits for no reader and leaves the log; `TRUNCATE` empties it too. What cannot be moved now
        is safe in the log and is moved with the next change.
        """
        with suppress(sqlite3.Error):
            self._link.execute(f"PRAGMA wal_checkpoint({how})")

    def rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        with self._lock:
            return self._link.execute(query, values).fetchall()

    def close(self) -> None:
        """The log is emptied into the file, whoever else has it open; a second call does nothing."""
        with self._lock:
            self._into_the_file("TRUNCATE")
            self._link.close()

    def stamp(self) -> str:
        """The moment as the file writes it: UTC, to the millisecond."""
        return self.clock().astimezone(UTC).isoformat(timespec="milliseconds")


def _statements(script: str) -> Iterator[str]:
    """`executescript` would commit on its own: statement by statement keeps a migration in one piece."""
    pending = ""
    for part in script.split(";"):
        pending += part + ";"
        if sqlite3.complete_statement(pending):
            if pending.strip(" \n;"):
                yield pending
            pending = ""
