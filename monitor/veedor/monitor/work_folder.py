"""What a review keeps between runs: results of finished segments, valid only for the very same inputs."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from veedor.monitor.durable import remove_parts, write_whole
from veedor.monitor.errors import UsageFault

WORK = ".work"


class WorkFolder:
    """The `.work` folder of a review's output.

    Results are bytes under a key; all belong to one stamp of the inputs and go when it changes.
    """

    def __init__(self, output: Path) -> None:
        self._output = output
        self._folder = output / WORK
        self._results = self._folder / "results"
        self._stamp = self._folder / "inputs.json"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Make the folder and keep other reviews out of it; UsageFault where one is already at work there."""
        with self._locked() as lock:
            if lock is None:
                raise UsageFault(f"{self._output}: another review is writing there")
            remove_parts(self._output)
            yield

    def remove(self) -> bool:
        """Delete the whole output, where nothing but this work is in it; False where a review holds it."""
        with self._locked() as lock:
            if lock is None:
                return False
            shutil.rmtree(self._output, ignore_errors=True)
            return True

    @contextmanager
    def _locked(self) -> Iterator[TextIO | None]:
        """The lock of the folder, made where it is missing; None where somebody else has it."""
        while True:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                lock = (self._folder / "lock").open("w")
            except (FileExistsError, NotADirectoryError) as fault:
                raise UsageFault(f"{self._output}: not a folder") from fault
            except FileNotFoundError:  # removed in between
                continue
            with lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    yield None
                    return
                if self._is_there(lock):
                    yield lock
                    return

    def _is_there(self, lock: TextIO) -> bool:
        """Whether the lock was not removed, with its folder, before it was had."""
        try:
            return os.path.samestat(os.fstat(lock.fileno()), os.stat(lock.name))
        except FileNotFoundError:
            return False

    def adopt(self, parts: Mapping[str, str]) -> bool:
        """Keep earlier results if they were made from the same inputs, discard them otherwise.

        True if there were results of other inputs.
        """
        stamp = json.dumps(dict(sorted(parts.items())), indent=1).encode()
        known = self._stamp.read_bytes() if self._stamp.is_file() else None
        stale = known is not None and known != stamp
        if stale:
            # The stamp goes first: results without a stamp are never taken for anybody's.
            self._stamp.unlink()
        if known != stamp:
            shutil.rmtree(self._results, ignore_errors=True)
        self._results.mkdir(exist_ok=True)
        if known != stamp:
            write_whole(self._stamp, stamp)
        return stale

    def path_of(self, key: str) -> Path:
        """Where the result under `key` is, or will be once `write_whole` has put it there."""
        return self._results / key

    def scratch(self, name: str) -> Path:
        """A place for something unfinished, on the same file system as the output."""
        return self._folder / f"{name}.new"
