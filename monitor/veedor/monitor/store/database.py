"""One connection to a store's file: opened with care, every fault a line that names the file."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from veedor.monitor.language import text
from veedor.monitor.store.errors import DamagedStoreError, NewerStoreError, StoreError
from veedor.monitor.store.migrations import APPLICATION_ID, NEWEST, migrate, version_of
from veedor.monitor.store.reserve import DiskReserve

BUSY_S = 10.0  # how long a writer waits for others; a table's writes take milliseconds
_HEADER = b"SQLite format 3\0"
_NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
# What SQLite says where the file itself is at fault.
_DAMAGE = ("malformed", "not a database", "file is encrypted")


class Database:
    """A connection that several threads may use in turn, and several processes beside each other.

    Everything written is an index of files that hold the truth: a commit that a power cut undoes is made good
    by indexing again, so the disk is not waited for (`synchronous=NORMAL`).
    """

    def __init__(self, path: Path, *, read_only: bool = False, busy_s: float = BUSY_S) -> None:
        self.path = path
        self.read_only = read_only
        self._lock = threading.RLock()
        self._depth = 0
        self._presence = None if read_only else _presence(path)
        try:
            with self._told():
                try:
                    self._connection = self._open(busy_s)
                    self._admit()
                except sqlite3.OperationalError as fault:
                    # On a disk without a byte to spare not even the log can be opened.
                    if fault.sqlite_errorcode & 0xFF not in _NO_ROOM or not DiskReserve(path.parent).give():
                        raise
                    self._connection = self._open(busy_s)
                    self._admit()
        except BaseException:
            self._leave()
            raise

    def _open(self, busy_s: float) -> sqlite3.Connection:
        if self.read_only and not self.path.is_file():
            raise StoreError(f"{self.path}: " + text(es="no existe", en="no such file"))
        if self.path.is_file() and self.path.stat().st_size:
            with self.path.open("rb") as file:
                if file.read(len(_HEADER)) != _HEADER:
                    raise _damaged(self.path, text(es="no es SQLite", en="not SQLite"))
        mode = "ro" if self.read_only else "rwc"
        address = f"{self.path.absolute().as_uri()}?mode={mode}"
        # autocommit, so that transactions begin where this module says so
        connection = sqlite3.connect(
            address, uri=True, timeout=busy_s, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    def _admit(self) -> None:
        connection = self._connection
        version = version_of(connection)
        owner = int(connection.execute("PRAGMA application_id").fetchone()[0])
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if (tables or version) and owner != APPLICATION_ID:
            raise _damaged(self.path, text(es="de otro programa", en="of another program"))
        if version > NEWEST:
            raise NewerStoreError(
                f"{self.path}: "
                + text(
                    es=f"de una versión posterior (esquema {version}; ésta conoce {NEWEST})",
                    en=f"made by a later version (schema {version}; this one knows {NEWEST})",
                )
            )
        if self.read_only:
            return
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        migrate(connection)
        self._try_to_write(connection)

    def _try_to_write(self, connection: sqlite3.Connection) -> None:
        """A folder that cannot be written shows only in a write; a full disk may have room again soon."""
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute("COMMIT")
        except sqlite3.OperationalError as fault:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if fault.sqlite_errorcode not in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY):
                raise

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, all of it or nothing; within another, a part of that."""
        with self._lock, self._told():
            if self._depth:
                yield self._connection
                return
            self._connection.execute("BEGIN IMMEDIATE")
            self._depth = 1
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                self._depth = 0

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, to ask it something."""
        with self._lock, self._told():
            yield self._connection

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as fault:
            message = str(fault)
            if any(sign in message.lower() for sign in _DAMAGE):
                raise _damaged(self.path, message) from fault
            raise StoreError(f"{self.path}: {message}") from fault
        except OSError as fault:
            raise StoreError(f"{fault.filename or self.path}: {fault.strerror or fault}") from fault

    def close(self) -> None:
        """A second call does nothing."""
        with self._lock:
            self._connection.close()
            self._leave()

    def _leave(self) -> None:
        if self._presence is not None:
            os.close(self._presence)
            self._presence = None


def lock_path(store: Path) -> Path:
    """Whoever has the store open for writing holds this file shared; who replaces it, alone."""
    return store.with_name(store.name + ".lock")


def _presence(store: Path) -> int:
    try:
        fd = os.open(lock_path(store), os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as fault:
        raise StoreError(f"{store}: {fault.strerror or fault}") from fault
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        busy = text(es="se está rehaciendo", en="is being rebuilt")
        raise StoreError(f"{store}: {busy}") from None
    return fd


@contextmanager
def alone(store: Path) -> Iterator[None]:
    """While nobody else has the store open; StoreError where somebody has."""
    fd = os.open(lock_path(store), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            busy = text(
                es="está en uso: detenga antes veedor", en="is in use: stop veedor before it is replaced"
            )
            raise StoreError(f"{store}: {busy}") from None
        yield
    finally:
        os.close(fd)


def _damaged(path: Path, why: str) -> DamagedStoreError:
    cure = text(
        es=f"rehágalo con «veedor store rebuild --data {path.parent}»",
        en=f"make it anew with `veedor store rebuild --data {path.parent}`",
    )
    broken = text(es="no sirve como almacén", en="cannot be used as a store")
    return DamagedStoreError(f"{path}: {broken} ({why}); {cure}")
