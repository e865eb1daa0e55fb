"""Live pictures from a USB camera or an RTSP address: always the newest, never a queue of old ones."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import av
import numpy as np
from veedor.monitor.errors import UsageFault
from veedor.monitor.pacing import TimedFrame
from veedor.vision.frames import Frame, Image

OPEN_TIMEOUT_S = 10.0
READ_TIMEOUT_S = 10.0
_LIVE_SCHEMES = ("rtsp://", "rtsps://", "http://", "https://", "udp://", "rtp://")


def is_camera(source: str) -> bool:
    """Whether a source is a live one: a camera's number or a network address."""
    return source.isdigit() or source.lower().startswith(_LIVE_SCHEMES)


class CameraSource:
    """A live source. A thread decodes all that comes; `frames` gives the newest and lets the others go."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._container = _open(source)
        self._fresh = threading.Condition()
        self._newest: Frame | None = None
        self._over = False
        self.failure: str | None = None  # what ended the source, None while it runs or at its proper end

    def frames(self, stop: threading.Event) -> Iterator[TimedFrame]:
        """The newest frame each time one is asked for, until the source ends or `stop` is set."""
        threading.Thread(target=self._read, args=(stop,), daemon=True).start()
        seen = -1
        while not stop.is_set():
            with self._fresh:
                self._fresh.wait_for(self._has_newer(seen), timeout=0.5)
                frame = self._newest
                if frame is None or frame.index == seen:
                    if self._over:
                        return
                    continue
            seen = frame.index
            yield TimedFrame(frame, 0.0)

    def _has_newer(self, seen: int) -> Any:
        return lambda: self._over or (self._newest is not None and self._newest.index > seen)

    def _read(self, stop: threading.Event) -> None:
        first_s: float | None = None
        try:
            for index, picture in enumerate(self._container.decode(video=0)):
                if stop.is_set():
                    break
                t_s = float(picture.time) if picture.time is not None else index / 25
                first_s = t_s if first_s is None else first_s
                frame = _frame(index, round(t_s - first_s, 6), picture)
                with self._fresh:
                    self._newest = frame
                    self._fresh.notify_all()
        except av.error.FFmpegError as error:
            self.failure = f"{self._source}: {error.strerror or error}"
        with self._fresh:
            self._over = True
            self._fresh.notify_all()


def _frame(index: int, t_s: float, picture: Any) -> Frame:
    def convert() -> Image:
        return np.asarray(picture.to_ndarray(format="bgr24"), np.uint8)

    return Frame(index, t_s, convert)


def _open(source: str) -> Any:
    place, form, options = source, None, {}
    if source.isdigit():
        place, form = f"/dev/video{source}", "v4l2"
    elif source.lower().startswith("rtsp"):
        options = {
            "rtsp_transport": "tcp"
        }  # UDP loses packets under load, and a lost packet smears for seconds
    try:
        return av.open(place, format=form, options=options, timeout=(OPEN_TIMEOUT_S, READ_TIMEOUT_S))
    except (av.error.FFmpegError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageFault(f"{source}: cannot be opened: {reason}") from None
