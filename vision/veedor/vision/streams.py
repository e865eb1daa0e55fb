"""A live source that is watched all night: read by a thread, taken up again after every loss.

What comes out is in order of media time: pictures that can be trusted, and the gaps between them. A picture
that may be smeared, repeated or of the wrong time is no picture: it ends in a gap with the reason.
"""

from __future__ import annotations

import threading

from veedor.vision.errors import SourceError
from veedor.vision.frames import Frame
from veedor.vision.recording import PacketRecorder
from veedor.vision.stream_address import StreamAddress
from veedor.vision.stream_clock import MediaClock, Origin, WallClock
from veedor.vision.stream_health import BackOff
from veedor.vision.stream_intake import (
    GapReason,
    Intake,
    StreamClocks,
    StreamGap,
    StreamHealth,
    StreamParts,
    StreamSettings,
    Tally,
)
from veedor.vision.stream_reader import StreamReader

__all__ = ["GapReason", "LiveStream", "StreamClocks", "StreamGap", "StreamHealth", "StreamSettings"]


class LiveStream:
    """Reads one live source until it is stopped."""

    def __init__(
        self,
        address: StreamAddress,
        *,
        settings: StreamSettings | None = None,
        recorder: PacketRecorder | None = None,
        clocks: StreamClocks | None = None,
        origin: Origin | None = None,
    ) -> None:
        settings, clocks = settings or StreamSettings(), clocks or StreamClocks()
        self._parts = StreamParts(
            address,
            settings,
            clocks,
            MediaClock(clocks.now, origin),
            WallClock(clocks.wall),
            Intake(settings.keep_s, settings.rate_hz),
            Tally(),
        )
        self._reader = StreamReader(self._parts, recorder)
        self._back_off = BackOff()
        self._thread: threading.Thread | None = None

    @property
    def address(self) -> StreamAddress:
        return self._parts.address

    @property
    def wall(self) -> WallClock:
        """The wall clock beside media time."""
        return self._parts.wall

    def connect(self) -> None:
        """Open the source now; SourceError in one line if that cannot be done."""
        self._reader.open()

    def start(self, stop: threading.Event) -> None:
        """Read in a thread until `stop` is set."""
        self._parts.clock.start()
        self._thread = threading.Thread(target=self._run, args=(stop,), name="veedor-stream", daemon=True)
        self._thread.start()

    def take(self, timeout_s: float = 0.25) -> Frame | StreamGap | None:
        """The next picture or gap, None if there is none for so long."""
        return self._parts.intake.take(timeout_s)

    def now_s(self) -> float:
        """Media time at this moment, from any thread."""
        return self._parts.clock.now_s()

    def join(self, timeout_s: float | None = None) -> None:
        """Wait until the reading thread has ended."""
        if self._thread is not None:
            self._thread.join(timeout_s)

    def health(self) -> StreamHealth:
        """How the source does, from any thread."""
        parts = self._parts
        intake, tally, gap = parts.intake, parts.tally, parts.intake.open_gap
        return StreamHealth(
            parts.address.shown,
            None if gap is None else gap.reason,
            round(max(0.0, self.now_s() - intake.newest_s), 3),
            tally.measured_fps,
            tally.declared_fps,
            tally.wrong_rate,
            intake.gaps,
            tally.connections,
            intake.dropped,
            tally.damage_signs,
            tally.fault,
        )

    def _run(self, stop: threading.Event) -> None:
        while not stop.is_set():
            since = self._parts.clocks.now()
            try:
                reason = self._reader.read(stop)
            except SourceError as fault:
                self._parts.tally.fault, reason = str(fault), GapReason.NO_CONNECTION
            except Exception as fault:  # whatever a camera sends must not end the watching
                self._parts.tally.fault = f"{self.address.shown}: {type(fault).__name__}"
                reason = GapReason.CUT
            if stop.is_set():
                break
            self._parts.intake.lose(reason)
            if self._parts.clocks.now() - since > BackOff.MOST_S * 2:
                self._back_off.reset()
            stop.wait(self._back_off.next_s())
        self._parts.intake.close()
