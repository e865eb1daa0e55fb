"""The percepts of a session, segment by segment from disk, in the session's own time and numbering."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from veedor.monitor.recordings import Recording, Session
from veedor.monitor.segment_run import SegmentJob
from veedor.monitor.work_folder import WorkFolder
from veedor.vision.errors import PerceptError
from veedor.vision.percept import Percept, decode_percepts
from veedor.vision.segments import segments_of


@dataclass(frozen=True)
class StoredSegment:
    """A segment of a recording and where its percepts are kept."""

    recording: Recording
    job: SegmentJob

    @property
    def start_s(self) -> float:
        return self.recording.offset_s + self.job.segment.start_s

    @property
    def length_s(self) -> float:
        segment = self.job.segment
        return max(0.0, min(segment.stop_s, self.recording.source.info.duration_s) - segment.start_s)

    def is_good(self) -> bool:
        """Whether the percepts are there and whole: a disk may damage what was written whole."""
        try:
            decode_percepts(self.job.result.read_bytes())
        except (FileNotFoundError, PerceptError):
            return False
        return True

    def percepts(self) -> list[Percept]:
        offset_s, offset_frames = self.recording.offset_s, self.recording.offset_frames
        return [
            replace(each, index=each.index + offset_frames, t_s=round(each.t_s + offset_s, 6))
            for each in decode_percepts(self.job.result.read_bytes())
        ]


@dataclass(frozen=True)
class PerceptStore:
    """All segments of a session in order of time. Only one is held in memory at a time."""

    segments: Sequence[StoredSegment]

    @classmethod
    def of(cls, session: Session, work: WorkFolder, segment_s: float) -> PerceptStore:
        stored = []
        for number, recording in enumerate(session.recordings):
            for segment in segments_of(recording.source.info.duration_s, segment_s):
                result: Path = work.path_of(f"{number:03d}-{segment.number:05d}.percepts")
                stored.append(StoredSegment(recording, SegmentJob(recording.path, segment, result)))
        return cls(tuple(stored))

    def all(self) -> Iterator[Percept]:
        for segment in self.segments:
            yield from segment.percepts()

    def around(self, t_s: float) -> list[Percept]:
        """The percepts of the segment that holds a moment, and of the one before it."""
        place = max((n for n, segment in enumerate(self.segments) if segment.start_s <= t_s), default=0)
        near = self.segments[max(0, place - 1) : place + 1]
        return [percept for segment in near for percept in segment.percepts()]
