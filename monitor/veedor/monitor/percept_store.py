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

_HASH_SHOWN = 24  # digits of a recording's sha256: enough to tell it from every other


@dataclass(frozen=True)
class StoredSegment:
    """A segment of a recording and where its percepts are kept, those of moments that others show included.

    Where results lie depends on the recording alone: a night that grows by a file keeps those of the others.
    """

    recording: Recording
    job: SegmentJob

    @property
    def start_s(self) -> float:
        return max(self.recording.start_s, self.recording.offset_s + self.job.segment.start_s)

    @property
    def stop_s(self) -> float:
        return min(self.recording.stop_s, self.recording.offset_s + self.job.segment.stop_s)

    @property
    def length_s(self) -> float:
        """How much has to be looked at."""
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
        found = (
            replace(each, index=each.index + offset_frames, t_s=round(each.t_s + offset_s, 6))
            for each in decode_percepts(self.job.result.read_bytes())
        )
        return [each for each in found if self.recording.shows(each.t_s)]


@dataclass(frozen=True)
class PerceptStore:
    """All segments of a session in order of time. Only one is held in memory at a time."""

    segments: Sequence[StoredSegment]

    @classmethod
    def of(cls, session: Session, work: WorkFolder, table: Path, segment_s: float) -> PerceptStore:
        stored = []
        for recording in session.recordings:
            for segment in segments_of(recording.source.info.duration_s, segment_s):
                name = f"{recording.sha256[:_HASH_SHOWN]}-{segment.number:05d}.percepts"
                each = StoredSegment(
                    recording, SegmentJob(recording.path, segment, work.path_of(name), table)
                )
                if each.stop_s > each.start_s:
                    stored.append(each)
        return cls(tuple(stored))

    def all(self) -> Iterator[Percept]:
        for segment in self.segments:
            yield from segment.percepts()

    def around(self, t_s: float) -> list[Percept]:
        """The percepts of the segment that holds a moment, and of the one before it."""
        place = max((n for n, segment in enumerate(self.segments) if segment.start_s <= t_s), default=0)
        near = self.segments[max(0, place - 1) : place + 1]
        return [percept for segment in near for percept in segment.percepts()]
