"""What each table's process says of itself once a second, in a small file that outlives it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from veedor.monitor.bus_codec import to_plain


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


class Pulse:
    """Writes the heartbeat of one table. A disk that takes nothing more costs the heartbeat, nothing else."""

    def __init__(self, data: Path, table: str) -> None:
        folder = run_folder(data)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = folder / f"{table}.json"

    def beat(self, heartbeat: Heartbeat) -> None:
        part = self._path.with_suffix(f".{os.getpid()}.part")
        try:
            part.write_bytes(json.dumps(to_plain(heartbeat)).encode())
            part.replace(self._path)  # never half of one; no fsync, it is stale after a power cut anyway
        except OSError:
            part.unlink(missing_ok=True)


def last_heartbeat(data: Path, table: str) -> Heartbeat | None:
    """The last heartbeat of a table; None where there is none that can be read."""
    try:
        told = json.loads((run_folder(data) / f"{table}.json").read_bytes())
        return Heartbeat(
            str(told["session"]),
            int(told["pid"]),
            float(told["at"]),
            float(told["t_s"]),
            float(told["loop_at"]),
            dict(told["health"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
