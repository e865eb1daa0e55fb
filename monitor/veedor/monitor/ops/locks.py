"""One process for one thing: locks that end with their process, however it ends."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.monitor.private_folder import private_folder

WATCH_LOCK = "watch.lock"  # in the `run` folder: held by the service


class Lock:
    """An exclusive lock on a file, held while this lives; UsageFault where another process has it."""

    def __init__(self, path: Path, what: str) -> None:
        private_folder(path.parent)
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._fd)
            raise UsageFault(
                text(es=f"{what}: ya lo hace otro proceso", en=f"{what}: another process does it already")
            ) from None

    def release(self) -> None:
        os.close(self._fd)
