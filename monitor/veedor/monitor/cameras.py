"""What a table is watched through: live cameras and files at their own pace, one or several for a table."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from veedor.monitor.errors import UsageFault
from veedor.monitor.pacing import Pace, TimedFrame
from veedor.vision.errors import SourceError
from veedor.vision.frames import Frame
from veedor.vision.recording import PacketRecorder
from veedor.vision.sources import VideoSource
from veedor.vision.stream_address import is_live, stream_address
from veedor.vision.stream_clock import Origin, WallClock
from veedor.vision.streams import LiveStream, StreamGap, StreamHealth, StreamSettings
from veedor.vision.table import Table

POLL_S = 0.25


@dataclass(frozen=True)
class CameraGap:
    """A gap in what one camera gives."""

    gap: StreamGap
    camera: int = 0


@dataclass(frozen=True)
class Quiet:
    """Nothing came for a while; it is `t_s` of media time."""

    t_s: float


Item = TimedFrame | CameraGap | Quiet


class LiveSource(Protocol):
    """Whatever a table is watched through. All but `items` may be asked from any thread.

    `shown` names it without any password; `duration_s` is None for what has no end.
    """

    @property
    def shown(self) -> str: ...

    @property
    def duration_s(self) -> float | None: ...

    @property
    def wall(self) -> WallClock:
        """The wall clock beside media time."""

    def items(self, stop: threading.Event) -> Iterator[Item]:
        """Pictures and gaps in order of media time, until the source ends or `stop` is set."""

    def now_s(self) -> float:
        """Media time at this moment: the time of a word that is said now."""

    def health(self) -> tuple[StreamHealth, ...]:
        """How its cameras do; none of a file."""


@dataclass(frozen=True)
class Opening:
    """How a source is opened.

    `size` of the pictures that it is calibrated for; `patient` where a camera that is not there yet is waited
    for; `origin` is shared by the cameras of one table.
    """

    size: tuple[int, int] | None = None
    recorder: PacketRecorder | None = None
    patient: bool = False
    origin: Origin | None = None


def open_source(source: str, opening: Opening | None = None) -> LiveSource:
    """Open a camera by its number, a stream by its URL, or a file; a fault in one line if it cannot be."""
    how = opening or Opening()
    return CameraSource(source, how) if is_live(source) else FileSource(Path(source), how)


def open_table(table: Table, source: str | None = None, opening: Opening | None = None) -> LiveSource:
    """Open the cameras of a table: the main one from `source`, or as its file says, and all the others.

    Only the main camera's pictures go to the opening's recorder.
    """
    how = opening or Opening()
    how = replace(how, origin=how.origin or Origin())
    opened = []
    names = ["", *(other.name for other in table.cameras)]
    for number, (view, name) in enumerate(zip(table.views(), names, strict=True)):
        place = source if number == 0 and source is not None else view.source
        if place is None:
            raise UsageFault(f"table '{table.id}': no source" + (f" for its camera '{name}'" if name else ""))
        camera = view.camera
        size = None if camera is None else (camera.width, camera.height)
        recorder = how.recorder if number == 0 else None
        opened.append(open_source(place, replace(how, size=size, recorder=recorder)))
    return opened[0] if len(opened) == 1 else TableCameras(opened)


class CameraSource:
    """A live source: the newest pictures, a few of them where looking takes long, and every gap."""

    duration_s = None

    def __init__(self, source: str, opening: Opening | None = None) -> None:
        how = opening or Opening()
        settings = StreamSettings(size=how.size)
        try:
            address = stream_address(source)
            self.shown = address.shown
            self._stream = LiveStream(address, settings=settings, recorder=how.recorder, origin=how.origin)
            if not how.patient:
                self._stream.connect()
        except SourceError as fault:
            raise UsageFault(str(fault)) from None

    @property
    def wall(self) -> WallClock:
        return self._stream.wall

    def items(self, stop: threading.Event) -> Iterator[Item]:
        self._stream.start(stop)
        while not stop.is_set():
            item = self._stream.take(POLL_S)
            if isinstance(item, Frame):
                yield TimedFrame(item, max(0.0, self.now_s() - item.t_s))
            else:
                yield Quiet(self.now_s()) if item is None else CameraGap(item)

    def now_s(self) -> float:
        return self._stream.now_s()

    def health(self) -> tuple[StreamHealth, ...]:
        return (self._stream.health(),)


class FileSource:
    """A recording, as if it were happening now."""

    def __init__(self, path: Path, opening: Opening | None = None, *, speed: float = 1.0) -> None:
        self._video = VideoSource(path)
        self._recorder = opening.recorder if opening else None
        self._speed = speed
        self._pace: Pace | None = None
        self.shown = path.name
        self.duration_s = self._video.info.duration_s
        self.wall = WallClock(time.time)

    def items(self, stop: threading.Event) -> Iterator[Item]:
        self._pace = Pace(stop, self._speed)
        for timed in self._pace.paced(self._video.frames(recorder=self._recorder)):
            self.wall.note(self._pace.now_s())  # not the picture's time, which may come late
            yield timed

    def now_s(self) -> float:
        return 0.0 if self._pace is None else self._pace.now_s()

    def health(self) -> tuple[StreamHealth, ...]:
        return ()


class TableCameras:
    """Several sources of one table as one; the first is the main camera."""

    def __init__(self, sources: Sequence[LiveSource]) -> None:
        self._sources = tuple(sources)
        self.shown = ", ".join(source.shown for source in sources)
        durations = [source.duration_s for source in sources]
        self.duration_s = None if None in durations else max(each for each in durations if each is not None)
        self._came: queue.Queue[tuple[int, Item | None]] = queue.Queue(maxsize=2 * len(self._sources))

    @property
    def wall(self) -> WallClock:
        return self._sources[0].wall

    def items(self, stop: threading.Event) -> Iterator[Item]:
        for number, source in enumerate(self._sources):
            threading.Thread(target=self._pump, args=(number, source, stop), daemon=True).start()
        running = len(self._sources)
        while running and not stop.is_set():
            try:
                camera, item = self._came.get(timeout=POLL_S)
            except queue.Empty:
                yield Quiet(self.now_s())
                continue
            if item is None:
                running -= 1
            elif isinstance(item, TimedFrame):
                late_s = max(item.late_s, self._sources[camera].now_s() - item.frame.t_s)
                yield TimedFrame(item.frame, late_s, camera)
            elif isinstance(item, CameraGap):
                yield replace(item, camera=camera)
            # That one camera is quiet says nothing: another may have pictures.

    def now_s(self) -> float:
        return max(source.now_s() for source in self._sources)

    def health(self) -> tuple[StreamHealth, ...]:
        return tuple(each for source in self._sources for each in source.health())

    def _pump(self, number: int, source: LiveSource, stop: threading.Event) -> None:
        try:
            for item in source.items(stop):
                if not isinstance(item, Quiet):
                    self._put(number, item, stop)
        finally:
            self._put(number, None, stop)

    def _put(self, number: int, item: Item | None, stop: threading.Event) -> None:
        while not stop.is_set():
            try:
                self._came.put((number, item), timeout=POLL_S)
            except queue.Full:
                continue
            return
