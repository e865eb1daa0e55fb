"""Media time of a live source, and the wall clock beside it.

Media time runs with the machine's monotonic clock and takes its fine steps from presentation times. It never
runs back: not when a camera counts anew after a reconnection, not when a clock is set, not in the hour that
an autumn night has twice.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import StrEnum

JUMP_S = 1.0  # between the steps of two clocks: more than a network holds a packet back in ordinary times
RATE_WINDOW_S = 4.0
LATE_WINDOWS, EARLY_WINDOWS = 3, 2
RATE_OFF = 0.1  # of the camera's clock against ours; a quartz is off by 0.0001
SLEW = 0.02  # so much faster or slower may media time run while it is put right
DELAY_WINDOW_S = 10.0
EARLIEST_STEP_S = 0.001
# What was read while the connection was being made comes at once, up to a second of it: no packet of that
# burst tells how long packets take.
SETTLE_S = 2.0
BURST = 0.5  # of the time between two pictures: packets that follow each other faster have waited somewhere


class ClockNews(StrEnum):
    """What is wrong with a camera's clock."""

    JUMP = "presentation time jumped"
    WRONG_RATE = "presentation time at a wrong rate"


class RateCheck:
    """Whether a camera's clock gains or loses so much that it is no clock.

    Compares the least delays of windows that follow each other: a burst is late once and never early. A
    network or a machine that holds back more and more looks like a clock that loses, so that has to last.
    """

    def __init__(self) -> None:
        self._since: float | None = None
        self._least = 0.0
        self._before: float | None = None
        self._late = self._early = 0

    def off(self, delay: float, media: float) -> bool:
        """Take a packet's delay; whether the rate is off now."""
        if self._since is None:
            self._since, self._least = media, delay
        self._least = min(self._least, delay)
        if media - self._since < RATE_WINDOW_S:
            return False
        before, least = self._before, self._least
        self._before, self._since = least, None
        if before is None:
            return False
        off = abs(least - before) > RATE_OFF * RATE_WINDOW_S
        self._late = self._late + 1 if off and least > before else 0
        self._early = self._early + 1 if off and least < before else 0
        return self._late >= LATE_WINDOWS or self._early >= EARLY_WINDOWS


@dataclass
class Origin:
    """Where media time is zero on the monotonic clock; one for all cameras of a table."""

    monotonic_s: float | None = None


class MediaClock:
    """Media time of one source, from presentation times in seconds and the monotonic clock."""

    def __init__(self, now: Callable[[], float], origin: Origin | None = None) -> None:
        self._now = now
        self._origin = origin or Origin()
        self._last_t_s = 0.0
        self.begin()

    def start(self) -> None:
        """Media time begins now, unless it has already."""
        if self._origin.monotonic_s is None:
            self._origin.monotonic_s = self._now()

    def begin(self, *, timed: bool = True) -> None:
        """A new connection: its presentation times, if it has any, have nothing to do with the last one's."""
        self._offset: float | None = None  # media time less presentation time
        self._last: tuple[float, float] | None = None  # presentation and arrival of the last packet
        self._slewed_s: float | None = None
        self._trusted = True
        self._settled = not timed
        self._begun: float | None = None
        self._delays: deque[tuple[float, float]] = deque()
        self._rate = RateCheck()

    def now_s(self) -> float:
        """Media time at this moment; 0 before the start."""
        return self._media(self._now())

    @property
    def trusted(self) -> bool:
        """Whether presentation times are used; if not, pictures are timed by when they came."""
        return self._trusted

    @property
    def settled(self) -> bool:
        """Whether it is known by now which media time the connection's presentation times are."""
        return self._settled

    def arrive(self, pts_s: float | None, arrived: float) -> ClockNews | None:
        """Take note of a packet that came at `arrived` of the monotonic clock."""
        if self._origin.monotonic_s is None:
            self._origin.monotonic_s = arrived
        media = self._media(arrived)
        if self._begun is None:
            self._begun = media
        if pts_s is None or not self._trusted:
            # The first packet of a stream may have no time yet; one that has none at all gets no other.
            self._settled = self._settled or self._begun < media - SETTLE_S
            return None
        last, self._last = self._last, (pts_s, arrived)
        if last is None:
            return None
        step, waited = pts_s - last[0], arrived - last[1]
        if self._offset is None:
            if waited >= BURST * step or media - self._begun > SETTLE_S:
                self._anchor(pts_s, media)
            return None
        if step < -JUMP_S or step - waited > JUMP_S:
            self._anchor(pts_s, media)
            return ClockNews.JUMP
        self._discipline(media - pts_s, media)
        if self._rate.off(media - pts_s, media):
            self._trusted = False
            return ClockNews.WRONG_RATE
        return None

    def media_s(self, pts_s: float | None) -> float | None:
        """Media time of a picture, None if it does not come after the one before it or is not known yet.

        Pictures are asked for in the order in which they are shown.
        """
        if not self._settled:
            return None
        t_s = round(min(self.packet_s(pts_s), self.now_s()), 6)  # nothing is seen before it happens
        if t_s < self._last_t_s + EARLIEST_STEP_S and self._last_t_s > 0.0:
            return None
        self._last_t_s = max(t_s, 0.0)
        return self._last_t_s

    def packet_s(self, pts_s: float | None) -> float:
        """Media time at which a packet's picture is shown."""
        if pts_s is None or self._offset is None or not self._trusted:
            return self.now_s()
        return max(0.0, pts_s + self._offset)

    def _media(self, monotonic_s: float) -> float:
        started = self._origin.monotonic_s
        return 0.0 if started is None else max(0.0, monotonic_s - started)

    def _anchor(self, pts_s: float, media: float) -> None:
        self._offset = max(media, self._last_t_s + EARLIEST_STEP_S if self._last_t_s else media) - pts_s
        self._slewed_s = media
        self._settled = True
        self._delays.clear()
        self._rate = RateCheck()

    def _discipline(self, delay: float, media: float) -> None:
        """Lead media time to the least delay of the last seconds: what came sooner was held up less."""
        assert self._offset is not None and self._slewed_s is not None
        self._delays.append((media, delay))
        while self._delays[0][0] < media - DELAY_WINDOW_S:
            self._delays.popleft()
        wanted = min(each for _, each in self._delays) - self._offset
        self._offset += min(wanted, SLEW * (media - self._slewed_s))
        self._slewed_s = media


@dataclass(frozen=True)
class ClockPoint:
    """Media time and the wall clock's seconds since 1970 (UTC) at the same moment, and why it was noted."""

    t_s: float
    utc_s: float
    why: str

    def to_json(self) -> dict[str, object]:
        utc = _utc(self.utc_s).isoformat(timespec="milliseconds")
        return {"t": round(self.t_s, 3), "utc": utc, "why": self.why}


class WallClock:
    """Which wall-clock time media times had, kept as points between which both run alike.

    A step of the wall clock (set by hand, by NTP) makes a new point; media time does not notice. A step
    lasts: a machine that lags lets time pass between the readings of the two clocks, now and again.
    """

    STEP_S = 0.25
    LASTS_S = 2.0
    EVERY_S = 60.0

    def __init__(self, wall: Callable[[], float]) -> None:
        self._wall = wall
        self.points: list[ClockPoint] = []
        self._since_s: float | None = None  # the clocks have been apart, and how far
        self._offs: list[float] = []

    def note(self, t_s: float) -> ClockPoint | None:
        """Compare the clocks now, at media time `t_s`; the new point if one was worth noting."""
        utc_s = self._wall()
        if not self.points:
            return self._point(t_s, utc_s, "start")
        last = self.points[-1]
        off = utc_s - (last.utc_s + t_s - last.t_s)
        if abs(off) <= self.STEP_S:
            self._since_s = None
            return self._point(t_s, utc_s, "minute") if t_s - last.t_s >= self.EVERY_S else None
        if self._since_s is None:
            self._since_s, self._offs = t_s, []
        if t_s - self._since_s >= self.LASTS_S / 2:  # the reading before the step may have lagged itself
            self._offs.append(off)
        if t_s - self._since_s < self.LASTS_S:
            return None
        since_s, off = self._since_s, min(self._offs, key=abs)
        return self._point(since_s, last.utc_s + since_s - last.t_s + off, "step")

    def utc(self, t_s: float) -> datetime | None:
        """The wall-clock time (UTC) of a media time, None before anything was noted."""
        if not self.points:
            return None
        place = bisect_right(self.points, t_s, key=lambda point: point.t_s)
        point = self.points[max(place - 1, 0)]
        return _utc(point.utc_s + t_s - point.t_s)

    def local(self, t_s: float, zone: tzinfo) -> datetime | None:
        """The same on a clock of `zone`; its offset tells the two runs of a repeated hour apart."""
        moment = self.utc(t_s)
        return None if moment is None else moment.astimezone(zone)

    def _point(self, t_s: float, utc_s: float, why: str) -> ClockPoint:
        point = ClockPoint(t_s, utc_s, why)
        self._since_s = None
        # A day of minutes is enough to look back on; all of them are in the record.
        if len(self.points) > 1440:
            del self.points[1]
        self.points.append(point)
        return point


def _utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
