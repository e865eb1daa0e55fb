"""The pictures of a session that is over: from its recordings, or from what the rolling buffer still has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import av
from veedor.monitor.language import text
from veedor.monitor.reviewed_files import Recorded
from veedor.monitor.ring_segments import Segment, segments_in
from veedor.monitor.ring_streams import LEAD_S
from veedor.vision.errors import SourceError
from veedor.vision.frames import Frame
from veedor.vision.sources import VideoSource, decoded_frame

_OPEN_SOURCES = 64
_SAME_S = 1e-6


class Pictures(Protocol):
    """Frames of a session by its media time."""

    def frames(self, t0_s: float, t1_s: float) -> Iterator[Frame]:
        """Decoded, t0_s <= t_s < t1_s, in order."""

    def times(self, t0_s: float, t1_s: float) -> list[float]:
        """The times of `frames`, without decoding any."""

    def gone(self) -> tuple[str, ...]:
        """What is not there any more, a line each."""


class RecordedPictures:
    """Of recordings on disk. Safe to use from several threads."""

    def __init__(self, recordings: Sequence[Recorded]) -> None:
        self._recordings = recordings

    def frames(self, t0_s: float, t1_s: float) -> Iterator[Frame]:
        for each in self._recordings:
            source = source_of(each)
            if source is None:
                continue
            start_s, stop_s = max(t0_s, each.start_s), min(t1_s, each.stop_s)
            if start_s >= stop_s:
                continue
            # Rounded: differences of such numbers are a little off, and a frame is found by its exact time.
            begin, end = (round(t_s - each.offset_s, 6) for t_s in (start_s, stop_s))
            for frame in source.frames(begin, end):
                yield replace(frame, t_s=round(frame.t_s + each.offset_s, 6))

    def times(self, t0_s: float, t1_s: float) -> list[float]:
        found: list[float] = []
        for each in self._recordings:
            start_s, stop_s = max(t0_s, each.start_s), min(t1_s, each.stop_s)
            source = source_of(each) if start_s < stop_s else None
            if source is not None:
                begin, end = (round(t_s - each.offset_s, 6) for t_s in (start_s, stop_s))
                found += [round(t_s + each.offset_s, 6) for t_s in source.times(begin, end)]
        return found

    def gone(self) -> tuple[str, ...]:
        lines = []
        for each in self._recordings:
            if not each.path.is_file():
                lines.append(f"{each.path}: " + text(es="ya no está", en="not there any more"))
            elif each.bytes and each.path.stat().st_size != each.bytes:
                lines.append(f"{each.path}: " + text(es="es otro archivo", en="another file by now"))
        return tuple(lines)


def source_of(recorded: Recorded) -> VideoSource | None:
    """A session's recording, opened; None where it is not there any more or is another file by now."""
    try:
        found = recorded.path.stat()
        if recorded.bytes and found.st_size != recorded.bytes:
            return None
        return _opened(recorded.path, found.st_size, found.st_mtime_ns)
    except (OSError, SourceError):
        return None


@lru_cache(_OPEN_SOURCES)
def _opened(path: Path, size: int, changed_ns: int) -> VideoSource:
    """Opening reads the whole file; pages ask for one picture after another of the same few."""
    return VideoSource(path)


class RingPictures:
    """Of a live session, as long as the table's rolling buffer has them."""

    def __init__(self, ring: Path, session: str) -> None:
        name = re.sub(r"[^\w.-]", ".", session, flags=re.ASCII)[-100:]
        self._ring, self._name = ring, name

    def frames(self, t0_s: float, t1_s: float) -> Iterator[Frame]:
        for segment in self._segments(t0_s, t1_s):
            yield from _decoded(segment, t0_s, t1_s)

    def times(self, t0_s: float, t1_s: float) -> list[float]:
        found: list[float] = []
        for segment in self._segments(t0_s, t1_s):
            with _container(segment) as container:
                for packet in container.demux(video=0):
                    if packet.size and packet.pts is not None:
                        found.append(_media_s(segment, packet.pts, packet.time_base))
        return sorted(t_s for t_s in found if t0_s <= t_s < t1_s)

    def gone(self) -> tuple[str, ...]:
        there = self._segments(0.0, float("inf"))
        if not there:
            return (
                f"{self._ring}: " + text(es="sin imágenes de la sesión", en="no pictures of the session"),
            )
        start_s = there[0].start_s
        if start_s <= 1.0:
            return ()
        return (
            text(
                es=f"{self._ring}: sin imágenes hasta {start_s:.0f} s de la sesión",
                en=f"{self._ring}: no pictures up to {start_s:.0f} s of the session",
            ),
        )

    def _segments(self, t0_s: float, t1_s: float) -> list[Segment]:
        there = segments_in(self._ring) if self._ring.is_dir() else []
        own = (each for each in there if each.session == self._name)
        return [each for each in own if each.start_s < t1_s and each.stop_s > t0_s]


def _decoded(segment: Segment, t0_s: float, t1_s: float) -> Iterator[Frame]:
    with _container(segment) as container:
        for picture in container.decode(video=0):
            t_s = _media_s(segment, picture.pts, picture.time_base)
            if t0_s <= t_s < t1_s:
                # Counting from the session's beginning is not possible: what was before is gone.
                yield decoded_frame(0, t_s, picture)


def _media_s(segment: Segment, pts: int, time_base: Fraction) -> float:
    return round(float(pts * time_base) - LEAD_S + segment.start_s, 6)


def _container(segment: Segment) -> Any:
    try:
        return av.open(str(segment.path), format="nut")
    except (OSError, av.error.FFmpegError) as fault:
        raise SourceError(f"{segment.path}: {getattr(fault, 'strerror', None) or fault}") from None


def frame_on_at(pictures: Pictures, t_s: float, within_s: float) -> Frame | None:
    """The frame that is on at a moment, decoded; None where none has come for `within_s`."""
    times = pictures.times(max(0.0, t_s - within_s), t_s + _SAME_S)
    if not times:
        return None
    return next(pictures.frames(times[-1] - _SAME_S, times[-1] + _SAME_S), None)
