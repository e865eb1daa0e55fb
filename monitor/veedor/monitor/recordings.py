"""Several recordings as one stretch of media time: end to end, or as the clock says when they began."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

from veedor.datasets.digests import sha256_of
from veedor.monitor.errors import UsageFault
from veedor.monitor.fault_words.telling import in_words
from veedor.monitor.language import text
from veedor.monitor.recording_starts import Start, starts_of
from veedor.vision.camera import Camera
from veedor.vision.doubt import LOST_STEP_S
from veedor.vision.errors import SourceError
from veedor.vision.frames import Frame
from veedor.vision.sources import VideoSource

FIRST_YEAR, LAST_YEAR = 1970, 2200  # clocks cannot count much further
_FRAMES_LOST = 3  # between two looks there are fewer where nothing is damaged and frames are few
# Recorders that cut a night into files name them to the second: what is less than that is no gap.
SAME_S, SAME_TO_THE_SECOND_S = 0.2, 1.5


@dataclass(frozen=True)
class Video:
    """A recording as somebody gives it, perhaps with the time it began at."""

    path: Path
    started: datetime | None = None


@dataclass(frozen=True)
class Recording:
    """A recording and where it lies in the session, seconds and frames.

    Its own first frame is at `offset_s`; it shows [start_s, stop_s), less than all of it where an earlier
    recording shows the same time.
    """

    source: VideoSource
    sha256: str
    offset_s: float
    offset_frames: int
    start_s: float
    started: Start | None = None
    fault: str | None = None  # known on opening, the file named without its folders

    @property
    def path(self) -> Path:
        return self.source.path

    @property
    def stop_s(self) -> float:
        return round(self.offset_s + self.source.info.duration_s, 6)

    def shows(self, t_s: float) -> bool:
        """Whether a moment of the session is its to show."""
        return self.start_s - 1e-9 <= t_s < self.stop_s


@dataclass(frozen=True)
class Session:
    """The recordings of a review in order. `gaps` are stretches that none of them shows; `notes` say, one
    line each, what is to be known about how they lie."""

    recordings: tuple[Recording, ...]
    gaps: tuple[tuple[float, float], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def duration_s(self) -> float:
        return self.recordings[-1].stop_s

    @property
    def rate_fps(self) -> float:
        return self.recordings[0].source.info.rate_fps

    @property
    def started(self) -> datetime | None:
        """When the session's media time was 0."""
        first = self.recordings[0].started
        return None if first is None else first.at

    def frames(self, start_s: float, stop_s: float) -> Iterator[Frame]:
        """Frames with start_s <= t_s < stop_s of the session's own time and numbering."""
        for recording in self.recordings:
            begin_s, end_s = max(start_s, recording.start_s), min(stop_s, recording.stop_s)
            if begin_s >= end_s:
                continue
            # Rounded: 1.8 - 1.5 is a little over 0.3, and the frame at 0.3 would be taken for one before it.
            begin, end = (round(t_s - recording.offset_s, 6) for t_s in (begin_s, end_s))
            for frame in recording.source.frames(begin, end):
                yield replace(
                    frame,
                    index=frame.index + recording.offset_frames,
                    t_s=round(frame.t_s + recording.offset_s, 6),
                )

    def frame_at(self, t_s: float) -> Frame | None:
        """The frame that is on at a moment of the session, in a gap the one before it; the last one after
        its end."""
        last = None
        step_s = 2 / min(recording.source.info.rate_fps for recording in self.recordings)
        at_s = min(t_s, self.duration_s - step_s)
        at_s = next((start for start, stop in self.gaps if start <= at_s < stop), at_s)
        for frame in self.frames(max(0.0, at_s - step_s), float("inf")):
            if last is not None and frame.t_s > t_s + 1e-6:
                break
            last = frame
        return last


def open_session(
    videos: Sequence[Video | Path],
    camera: Camera,
    opened: Callable[[int], None] = lambda count: None,
    *,
    leave_out_unreadable: bool = False,
) -> Session:
    """Open and hash the recordings; all must have the size that the table's camera is calibrated for.

    `opened` is told how many have been opened. One that cannot be read is a fault, or with
    `leave_out_unreadable` a note.
    """
    given = [each if isinstance(each, Video) else Video(each) for each in videos]
    for video in given:
        if video.started is not None and not FIRST_YEAR <= video.started.year <= LAST_YEAR:
            years = text(es=f"de {FIRST_YEAR} a {LAST_YEAR}", en=f"{FIRST_YEAR} to {LAST_YEAR}")
            raise UsageFault(f"{video.path}: {video.started.isoformat()}: {years}")
    sources: list[VideoSource] = []
    hashes: list[str] = []
    told: list[datetime | None] = []
    notes: list[str] = []
    for video in given:
        try:
            source = VideoSource(video.path)
        except SourceError as fault:
            if not leave_out_unreadable:
                raise
            left_out = text(es="se deja fuera", en="left out")
            notes.append(f"{in_words(fault)}; {left_out}".replace(str(video.path), video.path.name))
            continue
        _check_size(source, camera)
        sources.append(source)
        hashes.append(sha256_of(video.path))
        told.append(video.started)
        opened(len(sources))
    if not sources:
        raise UsageFault(text(es="no queda ninguna grabación", en="no recording is left"))
    starts, remarks = starts_of(sources, told)
    _check_twice(sources, hashes)
    laid = _lay(list(zip(sources, hashes, starts, strict=True)))
    return replace(laid, notes=(*notes, *remarks, *laid.notes))


def _check_size(source: VideoSource, camera: Camera) -> None:
    info = source.info
    if (info.width, info.height) != (camera.width, camera.height):
        raise UsageFault(
            f"{source.path}: {info.width} x {info.height} pixels, the table is calibrated for "
            f"{camera.width} x {camera.height}"
        )


def _check_twice(sources: Sequence[VideoSource], hashes: Sequence[str]) -> None:
    """Refuse a copy, also one whose name tells another time: its coups would count twice."""
    known: dict[str, Path] = {}
    for source, digest in zip(sources, hashes, strict=True):
        if digest in known:
            same = text(es="la misma grabación que", en="the same recording as")
            raise UsageFault(f"{source.path}: {same} {known[digest]}")
        known.setdefault(digest, source.path)


def _lay(opened: list[tuple[VideoSource, str, Start | None]]) -> Session:
    """Put recordings one after another, with the gaps and overlaps that their beginnings tell of.

    Each is placed by how long after the end of those before it it began: that the camera's clock and its
    frame rate drift apart by seconds in a night makes no gaps.
    """
    if all(start is not None for _, _, start in opened):
        opened.sort(key=lambda each: ("" if each[2] is None else each[2].at.isoformat(), str(each[0].path)))
    laid: list[Recording] = []
    gaps: list[tuple[float, float]] = []
    notes: list[str] = []
    until_s, until, frames = 0.0, None, 0  # what is shown so far ends then, by media time and by the clock
    for source, digest, start in opened:
        away_s = _away_s(until, start)
        offset_s = round(until_s + away_s, 6)
        if offset_s < 0.0:
            early = text(es="empezó antes que la primera", en="began before the first one")
            raise UsageFault(f"{source.path}: {early}")
        recording = Recording(source, digest, offset_s, frames, max(offset_s, until_s), start, _fault(source))
        frames += source.info.frames
        if away_s > 0.0:
            gaps.append((until_s, offset_s))
            notes.append(_gap_note(laid[-1], recording, away_s))
        elif away_s < 0.0:
            notes.append(_overlap_note(laid, recording, until_s))
        if recording.stop_s <= until_s:
            continue
        laid.append(recording)
        until_s = recording.stop_s
        if start is not None:
            until = Start(start.at + timedelta(seconds=source.info.duration_s), start.exact)
        elif until is not None:
            until = replace(until, at=until.at + timedelta(seconds=source.info.duration_s))
    return Session(tuple(laid), tuple(gaps), tuple(notes))


def _fault(source: VideoSource) -> str | None:
    return None if source.fault is None else source.fault.replace(str(source.path), source.path.name)


def damage_of(session: Session, looks_s: Sequence[float]) -> tuple[str, ...]:
    """A line on each recording with frames that nobody could look at, though they are there: damaged ones.

    Told by the times of all looks in order, which are the same however often a review was started.
    """
    lines = []
    for each in session.recordings:
        own = looks_s[bisect_left(looks_s, each.start_s) : bisect_left(looks_s, each.stop_s)]
        lost_s = 0.0
        for begin_s, end_s in pairwise([each.start_s, *own, each.stop_s]):
            if end_s - begin_s > LOST_STEP_S:
                there = each.source.times(begin_s - each.offset_s + 1e-6, end_s - each.offset_s - 1e-6)
                lost_s += end_s - begin_s if len(there) >= _FRAMES_LOST else 0.0
        if lost_s:
            lines.append(
                text(
                    es=f"{each.path.name}: {lost_s:.1f} s no se pueden descifrar",
                    en=f"{each.path.name}: {lost_s:.1f} s of it cannot be decoded",
                )
            )
    return tuple(lines)


def _away_s(until: Start | None, start: Start | None) -> float:
    """How long after the end of those before it a recording begins, by the clock; negative if before."""
    if until is None or start is None:
        return 0.0
    away_s = (start.at - until.at).total_seconds()
    same_s = SAME_S if until.exact and start.exact else SAME_TO_THE_SECOND_S
    return 0.0 if abs(away_s) <= same_s else away_s


def _gap_note(before: Recording, after: Recording, gap_s: float) -> str:
    names = f"{before.path.name} - {after.path.name}"
    return text(
        es=f"{names}: {gap_s:.1f} s sin grabación entre ambas", en=f"{names}: {gap_s:.1f} s not recorded"
    )


def _overlap_note(laid: Sequence[Recording], recording: Recording, until_s: float) -> str:
    shown_s = min(until_s, recording.stop_s) - recording.offset_s
    others = ", ".join(each.path.name for each in laid if each.stop_s > recording.offset_s)
    name = recording.path.name
    return text(
        es=f"{name}: {shown_s:.1f} s de ella están también en {others}; cuentan una sola vez",
        en=f"{name}: {shown_s:.1f} s of it are in {others} as well; they count once",
    )
