"""What a review keeps between runs: results of finished segments, valid only for the very same inputs."""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

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
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as fault:
            raise UsageFault(f"{self._output}: not a folder") from fault
        with (self._folder / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as fault:
                raise UsageFault(f"{self._output}: another review is writing there") from fault
            remove_parts(self._output)
            yield

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
