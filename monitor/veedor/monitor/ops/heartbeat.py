"""What each table's process says of itself once a second, in a small file that outlives it."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from veedor.monitor.bus_codec import to_plain
from veedor.monitor.private_folder import private_folder

BEAT_S = 1.0
Told = TypeVar("Told")


def run_folder(data: Path) -> Path:
    return data / "run"


@dataclass(frozen=True)
class Heartbeat:
    """The last that was heard of a table's process.

    `at` and `loop_at` are wall-clock seconds: when it was written, and when its loop last moved; `t_s` is the
    media time of `at`.
    """

    session: str
    pid: int
    at: float
    t_s: float
    loop_at: float
    health: Mapping[str, object]

    def age_s(self) -> float:
        return time.time() - self.at

    @property
    def looked(self) -> bool:
        """Whether the first picture has been looked at, which takes longest."""
        return self.health.get("looked") is not False


@dataclass(frozen=True)
class Opening:
    """What a table's process is at before it watches: loading models, reading a journal."""

    pid: int
    at: float
    stage: str


class Pulse:
    """Writes the heartbeat of one table. A disk that takes nothing more costs the heartbeat, nothing else."""

    def __init__(self, data: Path, table: str) -> None:
        folder = run_folder(data)
        private_folder(folder)
        self._path = folder / f"{table}.json"
        self._opening = folder / f"{table}.opening"

    def beat(self, heartbeat: Heartbeat) -> None:
        _write(self._path, to_plain(heartbeat))

    def opens(self, stage: str) -> None:
        """Not there yet, but alive. The last heartbeat stays: it tells where the session was."""
        _write(self._opening, to_plain(Opening(os.getpid(), time.time(), stage)))

    def opened(self) -> None:
        with suppress(OSError):
            self._opening.unlink(missing_ok=True)


def _write(path: Path, told: object) -> None:
    part = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}.part")
    try:
        part.write_bytes(json.dumps(told).encode())
        part.replace(path)  # never half of one; no fsync, it is stale after a power cut anyway
    except OSError:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def opening_of(data: Path, table: str) -> Opening | None:
    """What a table's process is at before it watches; None where it watches, or none can be read."""
    return _left(
        run_folder(data) / f"{table}.opening",
        lambda told: Opening(int(told["pid"]), float(told["at"]), str(told["stage"])),
    )


def last_heartbeat(data: Path, table: str) -> Heartbeat | None:
    """The last heartbeat of a table; None where there is none that can be read."""
    return _left(
        run_folder(data) / f"{table}.json",
        lambda told: Heartbeat(
            str(told["session"]),
            int(told["pid"]),
            float(told["at"]),
            float(told["t_s"]),
            float(told["loop_at"]),
            dict(told["health"]),
        ),
    )


def _left(path: Path, made: Callable[[Any], Told]) -> Told | None:
    """What a process has left in a file, `made` of the JSON in it."""
    try:
        return made(json.loads(path.read_bytes()))
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextmanager
def opening_beats(pulse: Pulse) -> Iterator[Callable[[str], None]]:
    """While a process gets ready it says every second that it lives; takes the name of what it is at."""
    stage, over = [""], threading.Event()

    def enter(name: str) -> None:
        stage[0] = name
        pulse.opens(name)

    def beat() -> None:
        while not over.wait(BEAT_S):
            pulse.opens(stage[0])

    thread = threading.Thread(target=beat, name="opening", daemon=True)
    thread.start()
    try:
        yield enter
    finally:
        over.set()
        thread.join()
        pulse.opened()
