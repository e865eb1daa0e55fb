"""One connection after another of a live source: packets to the recorder, trusted pictures to the intake."""

from __future__ import annotations

import threading
from typing import Any

import av
import cv2
import numpy as np
from veedor.vision.errors import SourceError
from veedor.vision.frames import Frame, Image
from veedor.vision.recording import PacketRecorder
from veedor.vision.sent_order import ShownTimes
from veedor.vision.sources import decoded_frame
from veedor.vision.stream_clock import ClockNews
from veedor.vision.stream_health import Damage, Freeze, Rate
from veedor.vision.stream_intake import GapReason, StreamParts

# Formats without times of their own: FFmpeg counts their pictures at a rate that it makes up.
UNTIMED = frozenset({"mpjpeg", "mjpeg", "jpeg_pipe", "h264", "hevc"})
TOLD_S = 0.4  # a damaged end belongs to the loss of the connection that follows at once
SAME_SHAPE = 0.01  # relative difference of aspect ratios that a picture may be stretched by


class StreamReader:
    """Reads one source, on a thread of its own."""

    def __init__(self, stream: StreamParts, recorder: PacketRecorder | None) -> None:
        self._stream = stream
        self._recorder = recorder
        self._container: Any = None
        self._freeze = Freeze(stream.settings.frozen_s)
        self._damage = Damage()
        self._rate = Rate()
        self._shown = ShownTimes()
        self._index = 0
        self._timed = True
        self._held: list[Any] = []  # packets whose media time is not known yet

    def open(self) -> None:
        """Connect, unless that is done already; SourceError without any secret in it."""
        if self._container is not None:
            return
        address, settings = self._stream.address, self._stream.settings
        try:
            self._container = av.open(
                address.place,
                format=address.form,
                options=dict(address.options),
                timeout=(settings.open_timeout_s, settings.stall_s),
            )
        except (av.error.FFmpegError, ValueError, OSError) as error:
            reason = address.without_secrets(getattr(error, "strerror", None) or "not an address")
            raise SourceError(f"{address.shown}: cannot be opened: {reason}") from None

    def read(self, stop: threading.Event) -> GapReason:
        """Read until the connection ends; why it did."""
        self.open()
        container, self._container = self._container, None
        with container:
            if not container.streams.video:
                return GapReason.NO_VIDEO
            self._timed = container.format.name not in UNTIMED
            self._begin(container.streams.video[0])
            try:
                return self._packets(container, stop)
            except av.error.FFmpegError as error:
                fault = error.strerror or type(error).__name__
                self._stream.tally.fault = f"{self._stream.address.shown}: {fault}"
                timed_out = isinstance(error, av.error.ExitError | av.error.TimeoutError)
                return GapReason.STALLED if timed_out else GapReason.CUT
            finally:
                self._keep(None)
                self._tell("end")

    def _begin(self, video: Any) -> None:
        codec = video.codec_context
        # Threads over whole frames would hold each picture back by as many as there are threads.
        codec.thread_type, codec.thread_count = "SLICE", 1
        self._stream.clock.begin(timed=self._timed)
        self._freeze.begin()
        self._damage.begin()
        self._shown = ShownTimes()
        self._rate.begin(self._stream.clocks.now())
        declared = video.average_rate or video.guessed_rate if self._timed else None
        tally = self._stream.tally
        tally.declared_fps = float(declared) if declared else None
        tally.measured_fps, tally.wrong_rate = None, False
        tally.connections += 1
        self._tell("begin", video)

    def _packets(self, container: Any, stop: threading.Event) -> GapReason:
        video = container.streams.video[0]
        now = self._stream.clocks.now
        last = now()
        for packet in container.demux():
            arrived = now()
            if stop.is_set():
                break
            if packet.stream_index == video.index and packet.size:
                last = arrived
                self._packet(packet, video, arrived)
            elif arrived - last > self._stream.settings.stall_s:
                return GapReason.STALLED
        return GapReason.CUT

    def _packet(self, packet: Any, video: Any, arrived: float) -> None:
        stream = self._stream
        shown_s = self._seconds(packet)
        news = stream.clock.arrive(shown_s, arrived)
        if news is not None:
            jumped = news is ClockNews.JUMP
            stream.intake.lose(GapReason.CLOCK_JUMP if jumped else GapReason.WRONG_RATE)
            self._keep(None)
            self._tell("end")
            self._tell("begin", video)
        stream.wall.note(stream.clock.now_s())
        self._rate.came(arrived)
        if stream.address.packets:
            self._keep(packet)
        self._shown.sent(packet.pts)
        try:
            pictures = packet.decode()
        except av.error.EOFError:
            return
        except av.error.FFmpegError:
            self._damage.sign(stream.clock.now_s())
            pictures = []
        self._damage.decoded(len(pictures), stream.clock.now_s())
        for picture in pictures:
            self._picture(picture)
        # Decided on whether pictures came or not: a smeared one is as good as none.
        if self._damage.damaged and stream.clock.now_s() - self._damage.since_s > TOLD_S:
            stream.intake.lose(GapReason.DAMAGED)
        tally = stream.tally
        tally.damage_signs = self._damage.signs
        tally.measured_fps = self._rate.measured(arrived)
        tally.wrong_rate = not stream.clock.trusted or self._rate.wrong(tally.declared_fps, arrived)

    def _keep(self, packet: Any | None) -> None:
        """Give a packet to the recorder, once it is known when it was; with None what still waits."""
        if packet is not None:
            self._held.append(packet)
        if packet is None or self._stream.clock.settled:
            _stamp_first(self._held)
            for each in self._held:
                self._tell("packet", each, self._stream.clock.packet_s(self._seconds(each)))
            self._held.clear()

    def _picture(self, picture: Any) -> None:
        stream = self._stream
        if self._timed and not self._shown.stamp(picture):
            return
        t_s = stream.clock.media_s(self._seconds(picture))
        if t_s is None:
            self._damage.picture(picture, stream.clock.now_s())
            return
        whole = self._damage.picture(picture, t_s)
        frozen_since = self._freeze.since(picture, t_s)
        if not whole:
            return
        if frozen_since is not None:
            stream.intake.lose(GapReason.FROZEN, frozen_since)
        else:
            frame = self._fitted(decoded_frame(self._index, t_s, picture), picture)
            if frame is None:
                stream.intake.lose(GapReason.OTHER_SHAPE)
                return
            self._index += 1
            stream.intake.put(frame)
            if not stream.address.packets:
                self._tell("frame", frame)

    def _seconds(self, timed: Any) -> float | None:
        """Presentation time of a packet or picture, None where it has none of its own."""
        return float(timed.pts * timed.time_base) if self._timed and timed.pts is not None else None

    def _fitted(self, frame: Frame, picture: Any) -> Frame | None:
        """The frame in the size that the table is calibrated for, None if it has another shape."""
        size = self._stream.settings.size
        found = (picture.width, picture.height) if frame.turns % 2 == 0 else (picture.height, picture.width)
        if size is None or found == size:
            return frame
        if abs(found[0] / found[1] * size[1] / size[0] - 1) > SAME_SHAPE:
            return None

        def convert() -> Image:
            return np.asarray(cv2.resize(frame.image, size, interpolation=cv2.INTER_AREA), np.uint8)

        return Frame(frame.index, frame.t_s, convert)

    def _tell(self, what: str, *arguments: Any) -> None:
        """Tell the recorder; a full disk or a bug of its own must not stop the watching."""
        if self._recorder is None:
            return
        try:
            getattr(self._recorder, what)(*arguments)
        except Exception as error:
            self._stream.tally.fault = f"{self._stream.address.shown}: not recorded: {error}"


def _stamp_first(packets: list[Any]) -> None:
    """Give a stream's first packet, a key picture whose time is not known yet, the time that it must have."""
    if len(packets) < 3 or packets[0].pts is not None or packets[1].pts is None or packets[2].pts is None:
        return
    stamp = 2 * packets[1].pts - packets[2].pts
    packets[0].pts = packets[0].dts = stamp
