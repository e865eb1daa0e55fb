"""Several recordings one after another as one stretch of media time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from veedor.monitor.durable import sha256_of
from veedor.monitor.errors import UsageFault
from veedor.vision.camera import Camera
from veedor.vision.frames import Frame
from veedor.vision.sources import VideoSource


@dataclass(frozen=True)
class Recording:
    """A recording and where it begins in the session: seconds and frames before it."""

    source: VideoSource
    sha256: str
    offset_s: float
    offset_frames: int

    @property
    def path(self) -> Path:
        return self.source.path

    @property
    def stop_s(self) -> float:
        return self.offset_s + self.source.info.duration_s


@dataclass(frozen=True)
class Session:
    """The recordings of a review in order."""

    recordings: tuple[Recording, ...]

    @property
    def duration_s(self) -> float:
        return self.recordings[-1].stop_s

    @property
    def rate_fps(self) -> float:
        return self.recordings[0].source.info.rate_fps

    def frames(self, start_s: float, stop_s: float) -> Iterator[Frame]:
        """Frames with start_s <= t_s < stop_s of the session's own time and numbering."""
        for recording in self.recordings:
            if recording.offset_s >= stop_s or recording.stop_s <= start_s:
                continue
            # Rounded: 1.8 - 1.5 is a little over 0.3, and the frame at 0.3 would be taken for one before it.
            start, stop = (round(t_s - recording.offset_s, 6) for t_s in (start_s, stop_s))
            for frame in recording.source.frames(max(0.0, start), stop):
                yield replace(
                    frame,
                    index=frame.index + recording.offset_frames,
                    t_s=round(frame.t_s + recording.offset_s, 6),
                )

    def frame_at(self, t_s: float) -> Frame | None:
        """The frame that is on at a moment of the session; the last one after its end."""
        last = None
        step_s = 2 / min(recording.source.info.rate_fps for recording in self.recordings)
        begin_s = min(max(0.0, t_s - step_s), self.duration_s - step_s)
        for frame in self.frames(begin_s, float("inf")):
            if last is not None and frame.t_s > t_s + 1e-6:
                break
            last = frame
        return last


def open_session(videos: Sequence[Path], camera: Camera) -> Session:
    """Open and hash the recordings; all must have the size that the table's camera is calibrated for."""
    recordings: list[Recording] = []
    offset_s, offset_frames = 0.0, 0
    for path in videos:
        source = VideoSource(path)
        info = source.info
        if (info.width, info.height) != (camera.width, camera.height):
            raise UsageFault(
                f"{path}: {info.width} x {info.height} pixels, the table is calibrated for "
                f"{camera.width} x {camera.height}"
            )
        recordings.append(Recording(source, sha256_of(path), offset_s, offset_frames))
        offset_s = round(offset_s + info.duration_s, 6)
        offset_frames += info.frames
    return Session(tuple(recordings))
