"""A session of the data folder to look at again: recordings, exact pictures, what was seen in them."""

from __future__ import annotations

import glob
import hashlib
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import av
from veedor.monitor.clips import encode_clip
from veedor.monitor.durable import write_whole
from veedor.monitor.language import text
from veedor.monitor.reviewed_files import (
    KIND,
    MadeBy,
    Recorded,
    read_made_by,
    read_recordings,
    read_sight,
)
from veedor.monitor.reviewed_pictures import (
    Pictures,
    RecordedPictures,
    RingPictures,
    frame_on_at,
    source_of,
)
from veedor.monitor.store import layout
from veedor.monitor.store.errors import StoreError
from veedor.monitor.store.layout import SessionFolder, session_folder
from veedor.monitor.store.lines import read_object
from veedor.monitor.stretch_cache import cached_stretches, prune
from veedor.rules.journal import read_journal
from veedor.rules.profile import RuleProfile, load_profile
from veedor.vision.frames import Frame
from veedor.vision.percept import Percept
from veedor.vision.table import Table
from veedor.vision.table_file import load_table

MOVED = "recordings"
LONGEST_STRETCH_S = 300.0
# A picture stands for the moments after it until the next one; past this there is a gap.
STANDS_S = 1.0

__all__ = ["ExactPicture", "MadeBy", "Recorded", "ReviewedSession", "open_reviewed"]


@dataclass(frozen=True)
class ExactPicture:
    """A decoded frame with the address that finds it again: the recording's hash and presentation timestamp.

    `recording` is None for a picture of the rolling buffer, which will not last.
    """

    frame: Frame
    recording: Recorded | None
    pts: int
    time_base: Fraction


class ReviewedSession:
    """One session, reviewed from recordings or watched live. For several threads."""

    def __init__(self, folder: SessionFolder) -> None:
        self.folder = folder
        found = read_recordings(folder.path)
        self.recordings = tuple(_moved(each, folder.data) for each in found or ())
        self.is_review = found is not None
        self._pictures: Pictures = (
            RecordedPictures(self.recordings)
            if self.is_review
            else RingPictures(folder.data / layout.RING / folder.table_id, folder.session)
        )

    @property
    def session(self) -> str:
        return self.folder.session

    @cached_property
    def table(self) -> Table:
        """The table as it was calibrated then; VisionError where its file is not there or unusable."""
        return load_table(self.folder.table_file)

    @cached_property
    def profile(self) -> RuleProfile:
        """The rules that it was judged by."""
        kept = self.folder.profile_file
        return load_profile(kept if kept.is_file() else self.table.profile)

    @cached_property
    def made_by(self) -> MadeBy | None:
        """What made the review; None for a live session."""
        return read_made_by(self.folder.path)

    @cached_property
    def duration_s(self) -> float:
        """Media time at which the last recording ends, or the last event of a live session."""
        if self.recordings:
            return max(each.stop_s for each in self.recordings)
        events = read_journal(self.folder.journal).events if self.folder.journal.is_file() else ()
        return max((each.t for each in events), default=0.0)

    def gone(self) -> tuple[str, ...]:
        """Which pictures are not there any more, a line each."""
        return self._pictures.gone()

    def sight(self, t0_s: float, t1_s: float) -> Iterator[Percept]:
        """What was seen in t0_s <= t_s < t1_s, in order of time."""
        return read_sight(self.folder.path, t0_s, t1_s)

    def frame_times(self, t0_s: float, t1_s: float) -> list[float]:
        """Exact presentation times t0_s <= t_s < t1_s, in order."""
        return self._pictures.times(t0_s, t1_s)

    def frames(self, t0_s: float, t1_s: float) -> Iterator[Frame]:
        """Every decoded frame with t0_s <= t_s < t1_s, in order."""
        return self._pictures.frames(t0_s, t1_s)

    def frame_at(self, t_s: float) -> Frame | None:
        """The decoded frame that is on at a moment, its own `t_s` exact; None where no picture is."""
        return frame_on_at(self._pictures, t_s, STANDS_S)

    def picture_at(self, t_s: float) -> ExactPicture | None:
        """The same with the address at which any reader of the recording finds it again."""
        frame = self.frame_at(t_s)
        if frame is None:
            return None
        for each in self.recordings:
            source = source_of(each) if each.start_s <= frame.t_s < each.stop_s else None
            if source is not None:
                return ExactPicture(frame, each, *source.timestamp(frame.index))
        return ExactPicture(frame, None, round(frame.t_s * 1_000_000), Fraction(1, 1_000_000))

    def stretch(self, t0_s: float, t1_s: float) -> bytes:
        """A stretch as an MP4 file that browsers play, its first picture at time 0; kept in the cache.

        StoreError where the stretch is longer than `LONGEST_STRETCH_S` or holds no picture any more.
        """
        if not 0.0 < t1_s - t0_s <= LONGEST_STRETCH_S:
            most = f"{LONGEST_STRETCH_S:g}"
            raise StoreError(
                text(
                    es=f"un tramo de más de 0 y hasta {most} s",
                    en=f"a stretch of more than 0, up to {most} s",
                )
            )
        cached = self._cached(t0_s, t1_s)
        with suppress(OSError):
            return cached.read_bytes()
        try:
            times = self.frame_times(t0_s, t1_s)
            lasts_s = times[-1] - times[0] if times else 0.0
            rate = (len(times) - 1) / lasts_s if lasts_s > 0 else 25.0
            clip = encode_clip(self.frames(t0_s, t1_s), rate, quick=True)
        except av.error.FFmpegError as fault:
            raise StoreError(f"{self.session}: {t0_s:.1f}-{t1_s:.1f} s: {fault.strerror}") from fault
        if clip is None:
            lost = "; ".join(self.gone()) or text(es="sin imágenes", en="no pictures")
            raise StoreError(f"{self.session}: {t0_s:.1f}-{t1_s:.1f} s: {lost}")
        with suppress(OSError):  # a full disk costs the cache and not the video
            prune(self.folder.data, time.time())
            cached.parent.mkdir(parents=True, exist_ok=True)
            write_whole(cached, clip)
        return clip

    def _cached(self, t0_s: float, t1_s: float) -> Path:
        whose = [(each.sha256, each.offset_s, each.start_s, each.stop_s) for each in self.recordings]
        key = hashlib.sha256(repr((self.session, whose, round(t0_s, 3), round(t1_s, 3))).encode()).hexdigest()
        return cached_stretches(self.folder.data) / f"{key[:32]}.mp4"


def _moved(recorded: Recorded, data: Path) -> Recorded:
    """Recordings that were moved are looked for under the data folder, by name and size."""
    if recorded.path.is_file():
        return recorded
    for found in sorted((data / MOVED).rglob(glob.escape(recorded.path.name))):
        if found.is_file() and found.stat().st_size == recorded.bytes:
            return replace(recorded, path=found)
    return recorded


def open_reviewed(data: Path, session: str) -> ReviewedSession:
    """A session of a data folder by its name, TABLE/START; StoreError where there is none."""
    folder = session_folder(data, session)
    if not folder.path.is_dir():
        raise StoreError(f"{folder.path}: " + text(es="no existe", en="no such folder"))
    return ReviewedSession(folder)


def is_review(folder: SessionFolder) -> bool:
    """Whether a session is a review of recordings, by its `session.json`."""
    return (read_object(folder.about) or {}).get("kind") == KIND
