"""The store made anew from the data folder's files, and compared with them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from veedor.monitor.language import text
from veedor.monitor.store import layout
from veedor.monitor.store.database import Database, alone
from veedor.monitor.store.errors import DamagedStoreError, NewerStoreError, StoreError
from veedor.monitor.store.migrations import TABLES, migrate
from veedor.monitor.store.store import Store
from veedor.monitor.store.truth import index_session

_MOST_TOLD = 20  # differences of one table


@dataclass(frozen=True)
class Rebuilt:
    """What a rebuild made, what of the files could not be used, and where an unusable store was put."""

    rows: dict[str, int]
    faults: tuple[str, ...]
    replaced: Path | None = None


@dataclass(frozen=True)
class Checked:
    """How the store compares with the files; `differences` is empty where it says the same."""

    rows: dict[str, int]
    differences: tuple[str, ...]
    faults: tuple[str, ...]


def rebuild(data: Path) -> Rebuilt:
    """Make every row anew, in one transaction: whoever kills this leaves the store as it was.

    A store that cannot be opened is put aside, kept under another name, and a new one made; that needs every
    other user of it to be stopped.
    """
    _need_folder(data)
    path = data / layout.STORE
    replaced: Path | None = None
    for _ in range(2):
        try:
            with Store(path) as store:
                faults = _refill(store.database, data)
                with store.database.reading() as db:
                    return Rebuilt(_counts(db), tuple(faults), replaced)
        except (DamagedStoreError, NewerStoreError):
            if replaced is not None:
                raise
            replaced = _put_aside(path)
    raise AssertionError("a store made anew is used or cannot be")


def _refill(database: Database, data: Path) -> list[str]:
    faults: list[str] = []
    with database.writing() as db:
        db.execute("DELETE FROM sessions")
        for folder in layout.session_folders(data):
            faults += index_session(db, folder)
    return faults


def check(data: Path) -> Checked:
    """Compare the store with what a rebuild would make; changes nothing."""
    _need_folder(data)
    fresh = sqlite3.connect(":memory:", isolation_level=None)
    fresh.execute("PRAGMA foreign_keys = ON")
    migrate(fresh)
    differences: list[str] = []
    faults: list[str] = []
    with Store(data / layout.STORE, read_only=True) as store, store.database.reading() as db:
        differences += [each[0] for each in db.execute("PRAGMA quick_check(20)") if each[0] != "ok"]
        fresh.execute("BEGIN")
        for folder in layout.session_folders(data):
            faults += index_session(fresh, folder)
            faults += _missing_files(fresh, folder)
        for table in TABLES:
            differences += _different(db, fresh, table)
        return Checked(_counts(db), tuple(differences), tuple(faults))


def all_rows(db: sqlite3.Connection, table: str) -> list[tuple[object, ...]]:
    """A table's rows in the order of their keys."""
    return [tuple(row) for row in _rows(db, table)]


def _rows(db: sqlite3.Connection, table: str) -> Iterator[tuple[object, ...]]:
    keys = [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[5]]
    for row in db.execute(f"SELECT * FROM {table} ORDER BY {', '.join(keys)}"):
        yield tuple(row)


def _different(db: sqlite3.Connection, fresh: sqlite3.Connection, table: str) -> list[str]:
    keys = sum(bool(row[5]) for row in fresh.execute(f"PRAGMA table_info({table})"))
    there = {row[:keys]: row for row in _rows(db, table)}
    told: list[str] = []
    for row in _rows(fresh, table):
        known = there.pop(row[:keys], None)
        if known is None:
            told.append(_name(table, row[:keys]) + text(es="falta", en="missing"))
        elif known != row:
            told.append(_name(table, row[:keys]) + text(es="dice otra cosa", en="says something else"))
    told += [_name(table, key) + text(es="no está en los archivos", en="not in the files") for key in there]
    if len(told) > _MOST_TOLD:
        rest = len(told) - _MOST_TOLD
        told[_MOST_TOLD:] = [f"{table}: " + text(es=f"y {rest} más", en=f"and {rest} more")]
    return told


def _name(table: str, key: tuple[object, ...]) -> str:
    return f"{table} {' '.join(str(each) for each in key)}: "


def _missing_files(db: sqlite3.Connection, folder: layout.SessionFolder) -> list[str]:
    found = db.execute(
        "SELECT folder, clip, still FROM clips WHERE session = ? AND removed_at IS NULL", (folder.session,)
    )
    paths = [folder.path / place / name for place, *names in found for name in names if name is not None]
    return [f"{path}: " + text(es="falta", en="missing") for path in paths if not path.is_file()]


def _counts(db: sqlite3.Connection) -> dict[str, int]:
    return {each: int(db.execute(f"SELECT count(*) FROM {each}").fetchone()[0]) for each in TABLES}


def _put_aside(path: Path) -> Path:
    with alone(path):
        number = 1
        while (aside := path.with_name(f"{path.name}.unusable-{number}")).exists():
            number += 1
        path.rename(aside)
        # The log of the old file must not be taken for the new one's.
        for suffix in ("-wal", "-shm"):
            log = path.with_name(path.name + suffix)
            if log.exists():
                log.rename(aside.with_name(aside.name + suffix))
        return aside


def _need_folder(data: Path) -> None:
    if not data.is_dir():
        raise StoreError(f"{data}: " + text(es="no es una carpeta", en="not a folder"))
