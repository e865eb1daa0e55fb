"""A file that one process holds at a time, while a block lasts; a process that dies lets go of it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def held(path: Path, *, wait: bool = True, shared: bool = False) -> Iterator[None]:
    """Hold a lock file, made if there is none, alone or `shared` with others who share it.

    Without `wait`, BlockingIOError where it is held otherwise.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(fd)
