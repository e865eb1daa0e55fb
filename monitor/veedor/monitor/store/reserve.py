"""A file that is there to be deleted: the journal's room on a disk that somebody else has filled."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

NAME = "reserve"
RESERVE_BYTES = 64 * 1024**2  # some years of journals


class DiskReserve:
    """`reserve` in a data folder."""

    def __init__(self, data: Path, size: int = RESERVE_BYTES) -> None:
        self._path, self._size = data / NAME, size

    def keep(self, spare_bytes: int) -> None:
        """Make it where there is room to spare for it."""
        with suppress(OSError):
            if self._path.exists() or spare_bytes < 2 * self._size:
                return
            fd = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            try:
                os.posix_fallocate(fd, 0, self._size)
            except OSError:
                self._path.unlink(missing_ok=True)
                raise
            finally:
                os.close(fd)

    def give(self) -> bool:
        """Give its room to whoever writes next; False where there is none to give."""
        try:
            self._path.unlink()
        except OSError:
            return False
        return True
