"""Between the thread that reads a live source and the one that looks: what both know of it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from veedor.vision.frames import Frame
from veedor.vision.stream_address import StreamAddress
from veedor.vision.stream_clock import MediaClock, WallClock
from veedor.vision.stream_health import FROZEN_S


class GapReason(StrEnum):
    """Why nothing trustworthy comes from a source; the text stands in the journal."""

    NO_CONNECTION = "no connection"
    CUT = "stream cut"
    STALLED = "stream stalled"
    FROZEN = "picture frozen"
    DAMAGED = "pictures damaged"
    CLOCK_JUMP = "presentation time jumped"
    WRONG_RATE = "wrong rate"
    OTHER_SHAPE = "picture of another shape"
    NO_VIDEO = "no video in the stream"


@dataclass(frozen=True)
class StreamGap:
    """Media time without pictures from `t_s`; `until_s` None while it lasts, told again once it is over."""

    t_s: float
    until_s: float | None
    reason: str


@dataclass(frozen=True)
class StreamSettings:
    """How a live source is read. `size` (width, height) of the pictures that the table is calibrated for."""

    size: tuple[int, int] | None = None
    open_timeout_s: float = 10.0
    stall_s: float = 3.0  # less than events wait to be told, so that a loss is told in its place
    frozen_s: float = FROZEN_S
    keep_s: float = 2.5  # of pictures that wait to be looked at
    rate_hz: float = 12.5  # of pictures that are kept: twice as many as are looked at, the page shows all


@dataclass(frozen=True)
class StreamClocks:
    """Where time comes from: the machine's steady clock and the one on the wall, in seconds."""

    now: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time


@dataclass(frozen=True)
class StreamHealth:
    """How a source does. `lost` is the reason of the gap that lasts, `age_s` the newest picture's age."""

    shown: str
    lost: str | None
    age_s: float
    measured_fps: float | None
    declared_fps: float | None
    wrong_rate: bool
    gaps: int
    connections: int
    dropped: int
    damage_signs: int
    fault: str | None


@dataclass
class Tally:
    """What the reading thread leaves for `health`; single values, so no lock is needed."""

    measured_fps: float | None = None
    declared_fps: float | None = None
    wrong_rate: bool = False
    connections: int = 0
    damage_signs: int = 0
    fault: str | None = None


@dataclass
class Intake:
    """Between the thread that reads and the one that looks: pictures and gaps in order, never many."""

    keep_s: float
    rate_hz: float
    gaps: int = 0
    dropped: int = 0
    newest_s: float = 0.0  # of the last trusted picture, also of those that are not kept
    open_gap: StreamGap | None = None
    closed: bool = False
    _waiting: deque[Frame | StreamGap] = field(default_factory=deque)
    _tick: int = -1
    _fresh: threading.Condition = field(default_factory=threading.Condition)

    def put(self, frame: Frame) -> None:
        """A trusted picture; it ends a gap."""
        with self._fresh:
            if self.open_gap is not None:
                self._waiting.append(StreamGap(self.open_gap.t_s, frame.t_s, self.open_gap.reason))
                self.open_gap, self._tick = None, -1
            self.newest_s = frame.t_s
            tick = int(frame.t_s * self.rate_hz + 1e-6)
            if tick != self._tick:
                self._tick = tick
                self._waiting.append(frame)
                self._forget_old(frame.t_s)
                self._fresh.notify_all()

    def lose(self, reason: str, t_s: float | None = None) -> None:
        """No trusted picture since `t_s` or the newest one. A loss has one reason, its first."""
        with self._fresh:
            if self.open_gap is None:
                self.open_gap = StreamGap(self.newest_s if t_s is None else t_s, None, reason)
                self.gaps += 1
                self._waiting.append(self.open_gap)
                self._fresh.notify_all()

    def close(self) -> None:
        with self._fresh:
            self.closed = True
            self._fresh.notify_all()

    def take(self, timeout_s: float) -> Frame | StreamGap | None:
        """The next of them; None if nothing comes for so long or will come any more."""
        with self._fresh:
            self._fresh.wait_for(lambda: self._waiting or self.closed, timeout_s)
            return self._waiting.popleft() if self._waiting else None

    def _forget_old(self, newest_s: float) -> None:
        kept = [item for item in self._waiting if not self._too_old(item, newest_s)]
        if len(kept) < len(self._waiting):
            self.dropped += len(self._waiting) - len(kept)
            self._waiting = deque(kept)

    def _too_old(self, item: Frame | StreamGap, newest_s: float) -> bool:
        return isinstance(item, Frame) and item.t_s < newest_s - self.keep_s


@dataclass(frozen=True)
class StreamParts:
    """What belongs to one live source, for its reader and for whoever asks how it does."""

    address: StreamAddress
    settings: StreamSettings
    clocks: StreamClocks
    clock: MediaClock
    wall: WallClock
    intake: Intake
    tally: Tally
