"""What is wrong with a stream's pictures, told from the pictures and packets themselves."""

from __future__ import annotations

import math
import random
import zlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from veedor.vision.frames import Image

FROZEN_S = 3.0  # no two pictures of a sensor are equal for so long; less than events wait to be told
STEADY_S = 1.0  # without any sign of damage: the pictures are whole again
RATE_SPAN_S = 10.0
RATE_OFF = 0.1
BURST_S = 2.0
ROWS = 4  # every so many rows are compared
KEY_STEP = 1.5  # grey levels, on average, between two encodings of one picture
REPEAT_S = 12.0  # within so long a picture comes again: longer than from one key picture to the next
REPEATED = 0.7  # of the pictures; those right after a key picture may be new
MOST_KNOWN = 600


class Freeze:
    """Whether the source repeats one picture.

    An encoder that is fed one picture gives the same pictures to the bit, at once or with every key picture
    anew; those in between come out a little different at most. A sensor's noise never comes twice: none of
    the bundled session's 2266 pictures does.
    """

    def __init__(self, after_s: float = FROZEN_S) -> None:
        self._after_s = after_s
        self.begin()

    def begin(self) -> None:
        """A new connection: its first picture may well be the last one seen."""
        self._last: Image | None = None
        self._known: dict[int, float] = {}  # checksum of each picture and when it came last
        self._run: deque[tuple[float, bool]] = deque()  # time, and whether that picture had been there before

    def since(self, picture: Any, t_s: float) -> float | None:
        """Media time since when the same pictures come again and again, None while that may be chance."""
        plane = picture.planes[0]
        rows = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)[: plane.height : ROWS]
        found = np.ascontiguousarray(rows[:, : plane.width])
        last, self._last = self._last, found
        total = zlib.crc32(found.data)
        known = t_s - self._known.get(total, -math.inf) <= REPEAT_S
        self._known[total] = t_s
        if len(self._known) > MOST_KNOWN:
            self._known = {key: at for key, at in self._known.items() if t_s - at <= REPEAT_S}
        if not known and (last is None or not _alike(found, last)):
            self._run.clear()
        self._run.append((t_s, known))
        while len(self._run) > 1 and self._run[1][0] <= t_s - self._after_s:
            self._run.popleft()
        long = t_s - self._run[0][0] >= self._after_s
        share = sum(each for _, each in self._run) / len(self._run)
        return self._run[0][0] if long and share >= REPEATED else None


def _alike(one: Image, other: Image) -> bool:
    return one.shape == other.shape and float(cv2.absdiff(one, other).mean()) < KEY_STEP


class Damage:
    """Whether the pictures may be smeared: from any sign of a loss until a whole key picture, and a while.

    Signs are a decoder's error, a picture it calls corrupt, a packet that gives no picture, and a step
    between presentation times that is longer than all the others: the packets in between are gone.
    """

    LONGEST_S = 15.0  # a stream that refreshes without key pictures is whole again some time

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.damaged = False
        self.signs = 0
        self.since_s = 0.0  # of the damage that lasts
        self._sign_s = self._key_s = -math.inf
        self._steps: deque[float] = deque(maxlen=50)
        self._pts_s: float | None = None
        self._empty = 0

    def sign(self, t_s: float) -> None:
        """Something was lost."""
        if not self.damaged:
            self.since_s = t_s
        self.damaged, self._sign_s = True, t_s
        self.signs += 1

    def decoded(self, pictures: int, t_s: float) -> None:
        """A packet gave so many pictures: none at first, and none for every second one of fields."""
        self._empty = 0 if pictures else self._empty + 1
        if self._empty > 1 and len(self._steps) >= 10:
            self.sign(t_s)

    def picture(self, picture: Any, t_s: float) -> bool:
        """Take a picture; whether it can be trusted."""
        if picture.is_corrupt or self._skipped(picture):
            self.sign(t_s)
        if picture.key_frame and not picture.is_corrupt:
            self._key_s = t_s
        quiet_s = t_s - self._sign_s
        if quiet_s >= STEADY_S and (self._key_s >= self._sign_s or quiet_s >= self.LONGEST_S):
            self.damaged = False
        return not self.damaged

    def _skipped(self, picture: Any) -> bool:
        pts_s = None if picture.pts is None else float(picture.pts * picture.time_base)
        last, self._pts_s = self._pts_s, pts_s
        if pts_s is None or last is None:
            return False
        step = pts_s - last
        steady = len(self._steps) == self._steps.maxlen and _spread(self._steps) < 0.2
        if steady and step > 1.5 * float(np.median(self._steps)):
            return True
        self._steps.append(step)
        return False


def _spread(steps: deque[float]) -> float:
    low, middle, high = np.quantile(steps, (0.05, 0.5, 0.95))
    return float((high - low) / max(middle, 1e-6))


@dataclass
class Rate:
    """Pictures a second, as they come."""

    _times: deque[float] = field(default_factory=deque)
    _from: float = -math.inf

    def begin(self, now: float) -> None:
        """A new connection. What was read while it was made comes at once and tells no rate."""
        self._times.clear()
        self._from = now + BURST_S

    def came(self, arrived: float) -> None:
        if arrived < self._from:
            return
        self._times.append(arrived)
        while self._times[0] < arrived - RATE_SPAN_S:
            self._times.popleft()

    def measured(self, now: float) -> float | None:
        """Over the last seconds, None before there were enough of them."""
        if len(self._times) < 3 or self._times[-1] - self._times[0] < RATE_SPAN_S / 2:
            return None
        return (len(self._times) - 1) / max(now - self._times[0], 1e-6)

    def wrong(self, declared: float | None, now: float) -> bool:
        """Whether the source gives another rate than it says."""
        found = self.measured(now)
        return found is not None and bool(declared) and abs(found / float(declared or 1) - 1) > RATE_OFF


class BackOff:
    """How long to wait before the next try: twice as long each time, never all cameras at once."""

    FIRST_S, MOST_S, JITTER = 0.5, 5.0, 0.25

    def __init__(self, draw: Callable[[], float] = random.random) -> None:
        self._draw = draw
        self._tries = 0

    def next_s(self) -> float:
        """Seconds to wait now."""
        plain = min(self.FIRST_S * 2.0**self._tries, self.MOST_S)
        self._tries = min(self._tries + 1, 10)
        return float(plain * (1 + self.JITTER * (2 * self._draw() - 1)))

    def reset(self) -> None:
        """The source has worked for a while."""
        self._tries = 0
