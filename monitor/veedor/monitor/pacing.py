"""Frames at the pace of their own clock, as a person would watch them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from veedor.vision.frames import Frame


@dataclass(frozen=True)
class TimedFrame:
    """A frame, and how long after its moment it comes to be looked at (never negative)."""

    frame: Frame
    late_s: float


@dataclass(frozen=True)
class Pace:
    """`speed` media seconds pass in one second of `now`; `wait` sleeps unless the session is stopped."""

    stop: threading.Event
    speed: float = 1.0
    now: Callable[[], float] = time.monotonic

    def paced(self, frames: Iterable[Frame]) -> Iterator[TimedFrame]:
        """Each frame when its moment has come, until there are no more or `stop` is set."""
        started: float | None = None
        first_t_s = 0.0
        for frame in frames:
            if started is None:
                started, first_t_s = self.now(), frame.t_s
            ahead = started + (frame.t_s - first_t_s) / self.speed - self.now()
            if ahead > 0:
                self.stop.wait(ahead)
            if self.stop.is_set():
                return
            yield TimedFrame(frame, max(0.0, -ahead))
