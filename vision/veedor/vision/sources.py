"""Frames of video files by presentation timestamp, and pictures."""

from __future__ import annotations

import math
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from veedor.vision.errors import SourceError
from veedor.vision.frames import Frame, Image, Planes
from veedor.vision.recording import PacketRecorder
from veedor.vision.sent_order import SentNumbers

PICTURE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})
_PICTURE_FORMATS = ("image2", "_pipe")  # FFmpeg's demuxers of still pictures end so
_CUT_OFF_S = 1.0
_CLOCKS_ZERO = 1970  # clocks that were never set, and the containers' own zero of 1904
_CAMERA = re.compile(r"/dev/video\d+")
_PLANAR_FORMATS = frozenset({"yuv420p", "yuvj420p"})


@dataclass(frozen=True)
class VideoInfo:
    """What a video holds. `width` and `height` after the rotation that its metadata orders.

    `duration_s` runs to the end of the last frame that can be read; `rate_fps` is the mean rate.
    """

    width: int
    height: int
    frames: int
    duration_s: float
    rate_fps: float
    rotation_deg: int


def is_picture(path: Path | str) -> bool:
    """Whether the name is one of a still picture."""
    return Path(path).suffix.lower() in PICTURE_SUFFIXES


class StillPictureError(SourceError):
    """A recording was asked for, and the file holds a single picture."""


def read_image(path: Path | str) -> Image:
    """A picture file as BGR uint8 (H, W, 3), turned as its metadata orders; SourceError names the fault."""
    data = _read_bytes(Path(path))
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:  # a header that claims more pixels than OpenCV takes
        image = None
    if image is None:
        raise SourceError(f"{path}: not a picture that can be decoded")
    return np.asarray(image, np.uint8)


class VideoSource:
    """A video file whose frames are found by presentation time.

    Opening reads every packet once without decoding, so that a frame has the same index and time whichever
    part of the file is asked for, whatever rate the container claims. `fault` says in one line what is
    damaged, as far as known; what can be decoded is given all the same.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.fault: str | None = None
        self._as_sent = False
        self.created_at: datetime | None = None  # by the container; to the second, as a rule
        with _open(self.path) as container:
            stream = _video_stream(container, self.path)
            self._time_base = Fraction(stream.time_base)
            self._times, self._seekable = self._scan(container, stream)
            self.created_at = _created_at(container, stream)
            claimed = int(stream.frames or 0)
            claimed_s = _claimed_s(container, stream)
            rate = float(stream.average_rate or stream.guessed_rate or 25)
            form = str(container.format.name)
        if not self._times:
            raise SourceError(f"{path}: holds no video frame")
        if form.endswith(_PICTURE_FORMATS) and len(self._times) == 1:
            raise StillPictureError(f"{path}: a picture, not a recording")
        if claimed > len(self._times) and self.fault is None:
            self.fault = f"{path}: cut off: holds {len(self._times)} of {claimed} frames"
        self._index = {pts: number for number, pts in enumerate(self._times)}
        self.info = self._describe(rate)
        if claimed_s - self.info.duration_s > _CUT_OFF_S and self.fault is None:
            self.fault = f"{path}: cut off: holds {self.info.duration_s:.1f} of {claimed_s:.1f} s"

    def _scan(self, container: Any, stream: Any) -> tuple[list[int], bool]:
        """Presentation times of all frames in order, and whether they can be trusted for seeking."""
        times: list[int] = []
        timed, runs_back = True, False
        try:
            for packet in container.demux(stream):
                if packet.size == 0 or packet.is_discard:
                    continue
                if packet.pts is None:
                    timed = False
                elif times and packet.pts < times[-1]:
                    runs_back = True
                times.append(packet.pts if packet.pts is not None else len(times))
        except av.error.FFmpegError as error:
            self.fault = f"{self.path}: damaged after frame {len(times)}: {_reason(error)}"
        # Pictures are sent before those that are shown first: stamps that never run back are of the sending.
        self._as_sent = bool(stream.codec_context.has_b_frames) and not runs_back
        if timed and len(set(times)) == len(times):
            return sorted(times), True
        # Without a time of its own for every frame only counting is left: raw streams, broken muxers.
        rate = float(stream.average_rate or stream.guessed_rate or 25)
        step = max(1, round(1 / (rate * self._time_base)))
        return [number * step for number in range(len(times))], False

    def _describe(self, rate: float) -> VideoInfo:
        first = next(self.frames(), None)
        if first is None:
            raise SourceError(f"{self.path}: no frame of it can be decoded")
        height, width = first.image.shape[:2]
        span = float((self._times[-1] - self._times[0]) * self._time_base)
        count = len(self._times)
        mean_rate = (count - 1) / span if count > 1 and span > 0 else rate
        return VideoInfo(width, height, count, span + 1 / mean_rate, mean_rate, first.turns * 90)

    def times(self, start_s: float = 0.0, stop_s: float = math.inf) -> list[float]:
        """Seconds since the first frame of every frame with start_s <= t_s < stop_s, as `frames` has them."""
        found = (self._seconds(number) for number in range(len(self._times)))
        return [t_s for t_s in found if start_s <= t_s < stop_s]

    def timestamp(self, number: int) -> tuple[int, Fraction]:
        """Presentation timestamp of a frame and the unit it counts in."""
        return self._times[number], self._time_base

    def _seconds(self, number: int) -> float:
        return round(float((self._times[number] - self._times[0]) * self._time_base), 6)

    def frames(
        self, start_s: float = 0.0, stop_s: float = math.inf, recorder: PacketRecorder | None = None
    ) -> Iterator[Frame]:
        """Frames with start_s <= t_s < stop_s in order of presentation; `recorder` gets the packets."""
        origin = self._times[0]
        with _open(self.path) as container:
            stream = _video_stream(container, self.path)
            stream.thread_type = "AUTO"
            if self._seekable and start_s > 0:
                container.seek(origin + math.floor(start_s / self._time_base), stream=stream, backward=True)
            counted, sent = 0, SentNumbers()
            for picture in self._decode(container, stream, recorder):
                number = counted if not self._seekable else self._index.get(picture.pts, -1)
                counted += 1
                if self._as_sent and self._seekable and number >= 0:
                    number = sent.of(picture, number)
                if not 0 <= number < len(self._times):
                    continue
                t_s = self._seconds(number)
                if t_s >= stop_s:
                    return
                if t_s >= start_s:
                    yield decoded_frame(number, t_s, picture)

    def _decode(self, container: Any, stream: Any, recorder: PacketRecorder | None) -> Iterator[Any]:
        if recorder is not None:
            recorder.begin(stream)
        try:
            yield from self._decoded(container, stream, recorder)
        finally:
            if recorder is not None:
                recorder.end()

    def _decoded(self, container: Any, stream: Any, recorder: PacketRecorder | None) -> Iterator[Any]:
        packets = container.demux(stream)
        while True:
            try:
                packet = next(packets, None)
            except av.error.FFmpegError as error:
                self._report(f"damaged: {_reason(error)}")
                packet = None
            if packet is None:
                return
            if recorder is not None and packet.size and packet.pts is not None:
                recorder.packet(packet, float((packet.pts - self._times[0]) * self._time_base))
            try:
                yield from packet.decode()
            except av.error.EOFError:
                return
            except av.error.FFmpegError as error:
                self._report(f"a part cannot be decoded: {_reason(error)}")

    def _report(self, text: str) -> None:
        if self.fault is None:
            self.fault = f"{self.path}: {text}"


def decoded_frame(number: int, t_s: float, picture: Any) -> Frame:
    """The frame of an `av.VideoFrame`, converted when somebody looks at it."""

    def convert() -> Image:
        return np.asarray(picture.to_ndarray(format="bgr24"), np.uint8)

    def planes() -> Planes:
        luma, blue, red = (_plane(plane) for plane in picture.planes)
        return luma, blue, red

    turns = round(picture.rotation / 90) % 4
    planar = planes if picture.format.name in _PLANAR_FORMATS else None
    return Frame(number, t_s, convert, planar, turns, picture)


def _plane(plane: Any) -> Image:
    data = np.frombuffer(plane, np.uint8)
    return data.reshape(-1, plane.line_size)[: plane.height, : plane.width]


def _open(path: Path) -> Any:
    _read_bytes(path, 1)
    try:
        return av.open(str(path))
    except (av.error.FFmpegError, ValueError) as error:
        raise SourceError(f"{path}: not a video that can be read: {_reason(error)}") from None


def _video_stream(container: Any, path: Path) -> Any:
    if not container.streams.video:
        raise SourceError(f"{path}: holds no video")
    # Not simply the first: a cover picture counts as a video stream.
    return container.streams.best("video") or container.streams.video[0]


def _claimed_s(container: Any, stream: Any) -> float:
    """How long the video is by its header, 0 where that is not known: other streams may be longer."""
    if stream.duration is not None:
        return float(stream.duration * stream.time_base)
    if not container.duration or len(container.streams) > 1:
        return 0.0
    return (int(container.duration) - max(0, container.start_time or 0)) / 1e6


def _created_at(container: Any, stream: Any) -> datetime | None:
    for told in (container.metadata, stream.metadata):
        try:
            moment = datetime.fromisoformat(told.get("creation_time", ""))
        except ValueError:
            continue
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        if moment.year > _CLOCKS_ZERO:
            return moment
    return None


def _reason(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error)
    return str(text).splitlines()[0]


def _read_bytes(path: Path, count: int = -1) -> bytes:
    """Bytes from the beginning of a file; never of what may keep whoever opens it waiting."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISCHR(mode) and _CAMERA.fullmatch(str(path)):
            number = path.name.removeprefix("video")
            raise SourceError(f"{path}: a camera is named by its number alone: {number}")
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise SourceError(f"{path}: not a regular file, which alone can be searched")
        with path.open("rb") as stream:
            data = stream.read(count)
    except ValueError as error:
        raise SourceError(f"{path}: {error}") from None
    except FileNotFoundError:
        raise SourceError(f"{path}: no such file") from None
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}") from None
    if not data:
        raise SourceError(f"{path}: empty file")
    return data
