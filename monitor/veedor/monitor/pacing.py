"""Frames at the pace of their own clock, as a person would watch them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from veedor.vision.frames import Frame


@dataclass(frozen=True)
class TimedFrame:
    """A frame, and how long after its moment it comes to be looked at (never negative).

    `camera` counts the table's cameras from 0, the main one.
    """

    frame: Frame
    late_s: float
    camera: int = 0


class Pace:
    """`speed` media seconds pass in one second of `now`; waits between frames unless `stop` is set."""

    def __init__(
        self, stop: threading.Event, speed: float = 1.0, now: Callable[[], float] = time.monotonic
    ) -> None:
        self.stop = stop
        self.speed = speed
        self._now = now
        self._started: float | None = None
        self._first_t_s = 0.0

    def paced(self, frames: Iterable[Frame]) -> Iterator[TimedFrame]:
        """Each frame when its moment has come, until there are no more or `stop` is set."""
        for frame in frames:
            if self._started is None:
                self._started, self._first_t_s = self._now(), frame.t_s
            ahead = self._started + (frame.t_s - self._first_t_s) / self.speed - self._now()
            if ahead > 0:
                self.stop.wait(ahead)
            if self.stop.is_set():
                return
            yield TimedFrame(frame, max(0.0, -ahead))

    def now_s(self) -> float:
        """Media time at this moment; 0 before the first frame."""
        if self._started is None:
            return 0.0
        return self._first_t_s + (self._now() - self._started) * self.speed
