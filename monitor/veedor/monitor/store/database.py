"""One connection to a store's file: opened with care, every fault a line that names the file."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from veedor.monitor.file_lock import held
from veedor.monitor.language import text
from veedor.monitor.store.errors import DamagedStoreError, NewerStoreError, StoreError
from veedor.monitor.store.migrations import APPLICATION_ID, NEWEST, migrate, version_of
from veedor.monitor.store.reserve import DiskReserve

BUSY_S = 10.0  # how long a writer waits for others; a table's writes take milliseconds
HEADER = b"SQLite format 3\0"
_NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
# What SQLite says where the file itself is at fault.
_DAMAGE = ("malformed", "not a database", "file is encrypted", "no such table", "no such column")


class Database:
    """A connection that several threads may use in turn, and several processes beside each other.

    Everything written is an index of files that hold the truth: a commit that a power cut undoes is made good
    by indexing again, so the disk is not waited for (`synchronous=NORMAL`).
    """

    def __init__(self, path: Path, *, read_only: bool = False, busy_s: float = BUSY_S) -> None:
        self.path = path
        self.read_only = read_only
        self._busy_s = busy_s
        self._lock = threading.RLock()
        self._depth = 0
        self._presence: int | None = None
        self._connection: sqlite3.Connection | None = None
        self._begin()

    def _begin(self) -> None:
        with self._told():
            self._connect()

    def _connect(self) -> None:
        self._presence = None if self.read_only else _presence(self.path)
        try:
            with moving(self.path, shared=True):
                try:
                    self._connection = self._open(self._busy_s)
                    self._admit(self._connection)
                except sqlite3.OperationalError as fault:
                    # On a disk without a byte to spare not even the log can be opened.
                    if (
                        fault.sqlite_errorcode & 0xFF not in _NO_ROOM
                        or not DiskReserve(self.path.parent).give()
                    ):
                        raise
                    self._connection = self._open(self._busy_s)
                    self._admit(self._connection)
        except BaseException as fault:
            self._drop()
            if isinstance(fault, sqlite3.DatabaseError):
                raise self._fault(fault) from fault
            raise

    def _ready(self) -> sqlite3.Connection:
        """The connection that is open."""
        if self._connection is None:
            raise StoreError(f"{self.path}: " + text(es="cerrado", en="closed"))
        return self._connection

    def _open(self, busy_s: float) -> sqlite3.Connection:
        if self.read_only and not self.path.is_file():
            raise StoreError(f"{self.path}: " + text(es="no existe", en="no such file"))
        if self.path.is_file() and self.path.stat().st_size:
            with self.path.open("rb") as file:
                if file.read(len(HEADER)) != HEADER:
                    raise damaged(self.path, text(es="no es SQLite", en="not SQLite"))
        elif not self.read_only:
            with suppress(OSError):  # SQLite says below what is wrong with the place
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        mode = "ro" if self.read_only else "rwc"
        address = f"{self.path.absolute().as_uri()}?mode={mode}"
        # autocommit, so that transactions begin where this module says so
        connection = sqlite3.connect(
            address, uri=True, timeout=busy_s, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    def _admit(self, connection: sqlite3.Connection) -> None:
        version = version_of(connection)
        owner = int(connection.execute("PRAGMA application_id").fetchone()[0])
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if (tables or version) and owner != APPLICATION_ID:
            raise damaged(self.path, text(es="de otro programa", en="of another program"))
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
            connection = self._ready()
            if self._depth:
                yield connection
                return
            connection.execute("BEGIN IMMEDIATE")
            self._depth = 1
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            finally:
                self._depth = 0

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, to ask it something."""
        with self._lock, self._told():
            yield self._ready()

    def openings(self) -> int:
        """How often a file was opened."""
        return 1

    def examine(self) -> None:
        """Read the whole file; DamagedStoreError where it is not sound."""
        with self.reading() as connection:
            connection.execute("PRAGMA shrink_memory")  # what lies on the disk, not what is remembered of it
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                raise damaged(self.path, " ".join(str(found).split()))

    def into_the_file(self, *, empty: bool = False) -> None:
        """Move what the log beside the file holds into the file itself, as far as nobody reads it now.

        `empty`: the log is emptied too, which waits for readers and lets writers wait.
        """
        with suppress(StoreError), self.reading() as connection:
            connection.execute(f"PRAGMA wal_checkpoint({'TRUNCATE' if empty else 'PASSIVE'})")

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as fault:
            raise self._fault(fault) from fault
        except OSError as fault:
            raise StoreError(f"{fault.filename or self.path}: {fault.strerror or fault}") from fault

    def _fault(self, fault: sqlite3.Error) -> StoreError:
        message = str(fault)
        if any(sign in message.lower() for sign in _DAMAGE):
            return damaged(self.path, message)
        return StoreError(f"{self.path}: {message}")

    def close(self) -> None:
        """What the log holds goes into the file; a second call does nothing."""
        with self._lock:
            if self._connection is not None and not self.read_only:
                self.into_the_file(empty=True)
            self._drop()

    def _drop(self) -> None:
        """Let go of the file."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()
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
def moving(store: Path, *, shared: bool = False) -> Iterator[None]:
    """While a store is put aside, or with `shared` opened: who opens it must not find half of it moved."""
    with ExitStack() as stack:
        try:
            stack.enter_context(held(store.with_name(store.name + ".moving"), shared=shared))
        except OSError:
            if not shared:
                raise  # where a folder cannot be written nobody moves anything
        yield


@contextmanager
def alone(store: Path) -> Iterator[None]:
    """While nobody else has the store open; StoreError where somebody has."""
    with ExitStack() as stack:
        try:
            stack.enter_context(held(lock_path(store), wait=False))
        except BlockingIOError:
            busy = text(
                es="está en uso: detenga antes veedor", en="is in use: stop veedor before it is replaced"
            )
            raise StoreError(f"{store}: {busy}") from None
        yield


def damaged(path: Path, why: str) -> DamagedStoreError:
    cure = text(
        es=f"rehágalo con «veedor store rebuild --data {path.parent}»",
        en=f"make it anew with `veedor store rebuild --data {path.parent}`",
    )
    broken = text(es="no sirve como almacén", en="cannot be used as a store")
    return DamagedStoreError(f"{path}: {broken} ({why}); {cure}")
