"""An index that never stops whoever watches: opened when it is needed, put aside when it is damaged.

What stands in it stands in the files too, so a file that is damaged is kept under another name and a new one
is made in its place. Other processes that have the old one open see that it was moved, and open the new one.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from veedor.monitor.language import text
from veedor.monitor.store.alarms import Alarm
from veedor.monitor.store.database import BUSY_S, HEADER, Database, damaged, moving
from veedor.monitor.store.errors import DamagedStoreError, NewerStoreError, StoreError
from veedor.monitor.utc import utc_stamp

ASIDE = ".damaged-"
NOTED = ".put-aside"  # which of them there were, a line each
MOST_ASIDE = 3  # a disk that goes bad damages one after the other
_LOGS = ("-wal", "-shm")


class PatientDatabase(Database):
    """A database for a service. Opening it never fails; each use of it may, with a StoreError.

    `alarm` takes a line when a file was put aside.
    """

    def __init__(self, path: Path, *, alarm: Alarm, busy_s: float = BUSY_S) -> None:
        self._alarm = alarm
        self._file: tuple[int, int] | None = None  # device and number of the file that is open
        self._eye: int | None = None  # reads the file beside SQLite, whose locks end where a file is closed
        self._closed = False
        self._openings = 0
        super().__init__(path, busy_s=busy_s)

    def openings(self) -> int:
        """How often another file was opened: rows may be missing since. StoreError where none can be."""
        with self.reading():
            return self._openings

    def close(self) -> None:
        with self._lock:
            super().close()
            self._closed = True

    def _begin(self) -> None:
        """What is wrong is told by whoever needs it first."""
        with suppress(StoreError), self._told():
            self._ready()

    def _ready(self) -> sqlite3.Connection:
        if self._depth and self._connection is not None:
            return self._connection
        if self._closed:
            raise StoreError(f"{self.path}: " + text(es="cerrado", en="closed"))
        if self._connection is not None and _identity(self.path) == self._file:
            # What is remembered of a file that was written over would be served for hours.
            if self._eye is None or os.pread(self._eye, len(HEADER), 0) == HEADER:
                return self._connection
            self._put_aside(str(damaged(self.path, text(es="no es SQLite", en="not SQLite"))))
        self._drop()
        for last in (False, True):
            self._file = _identity(self.path)
            try:
                self._connect()
                break
            except (DamagedStoreError, NewerStoreError) as fault:
                if last:
                    raise
                self._put_aside(str(fault))
        self._file = _identity(self.path)
        self._eye = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        self._openings += 1
        assert self._connection is not None
        return self._connection

    def _drop(self) -> None:
        super()._drop()
        eye, self._eye = self._eye, None
        if eye is not None:
            os.close(eye)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            with super()._told():
                yield
        except DamagedStoreError as fault:
            if self._connection is not None and not self._connection.in_transaction:
                self._put_aside(str(fault))
            raise

    def _put_aside(self, why: str) -> None:
        unusable = self._file
        self._drop()
        try:
            with moving(self.path):
                if unusable is None or _identity(self.path) != unusable:
                    return  # somebody else has done it
                aside = self._free_name()
                self.path.rename(aside)
                for suffix in _LOGS:
                    log = self.path.with_name(self.path.name + suffix)
                    with suppress(FileNotFoundError):
                        log.rename(aside.with_name(aside.name + suffix))
                self._keep_few()
                _note(self.path, aside.name)
        except OSError as fault:
            raise StoreError(f"{fault.filename or self.path}: {fault.strerror or fault}") from fault
        told = text(
            es=f"guardado como {aside.name}; se rehace a partir de los archivos",
            en=f"kept as {aside.name}; is made anew from the files",
        )
        self._alarm(f"{why.partition('; ')[0]}; {told}")

    def _free_name(self) -> Path:
        stamp, number = utc_stamp(datetime.now(UTC)), 1
        while True:
            tail = "" if number == 1 else f"-{number}"
            aside = self.path.with_name(f"{self.path.name}{ASIDE}{stamp}{tail}")
            if not aside.exists():
                return aside
            number += 1

    def _keep_few(self) -> None:
        found = self.path.parent.glob(f"{self.path.name}{ASIDE}*")
        kept = [each for each in found if not each.name.endswith(_LOGS)]
        for old in sorted(kept)[:-MOST_ASIDE]:
            for suffix in ("", *_LOGS):
                old.with_name(old.name + suffix).unlink(missing_ok=True)


def times_put_aside(path: Path) -> int:
    """How often, by whichever process, this database has been put aside."""
    with suppress(OSError):
        return _noted(path).read_bytes().count(b"\n")
    return 0


def _noted(path: Path) -> Path:
    return path.with_name(path.name + NOTED)


def _note(path: Path, aside: str) -> None:
    """A line for each; where none can be written it is put aside all the same."""
    with suppress(OSError), _noted(path).open("ab", buffering=0) as file:
        file.write(f"{utc_stamp(datetime.now(UTC))} {aside}\n".encode())


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
