"""The files of a rolling buffer: short videos whose names say what stretch of media time is in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SUFFIX = ".nut"  # takes any codec, and every time as it is
UNFINISHED = ".part"
_NAME = re.compile(
    r"(?P<number>\d{9})_(?P<session>[\w.-]{1,100})_(?P<start>\d+)_(?P<stop>\d+)_(?P<bytes>\d+)\.nut"
)


@dataclass(frozen=True)
class Segment:
    """One finished file: begins with a keyframe, holds [start_s, stop_s) of a session's media time."""

    path: Path
    number: int
    session: str
    start_s: float
    stop_s: float
    bytes: int
    written_s: float  # wall clock of the file system

    @classmethod
    def of_file(cls, path: Path) -> Segment | None:
        """None for a file that is none, or not as long as its name says: cut short by a loss of power."""
        match = _NAME.fullmatch(path.name)
        try:
            found = path.stat()
        except OSError:
            return None
        if match is None or found.st_size != int(match["bytes"]):
            return None
        return cls(
            path,
            int(match["number"]),
            match["session"],
            int(match["start"]) / 1000,
            int(match["stop"]) / 1000,
            found.st_size,
            found.st_mtime,
        )


def segment_name(number: int, session: str, start_s: float, stop_s: float, size: int) -> str:
    return f"{number:09d}_{session}_{round(start_s * 1000)}_{round(stop_s * 1000)}_{size}{SUFFIX}"


def segments_in(folder: Path) -> list[Segment]:
    """The whole segments of a folder, oldest first; changes nothing."""
    found = (Segment.of_file(path) for path in folder.glob(f"*{SUFFIX}"))
    return sorted((each for each in found if each is not None), key=lambda each: each.number)


def drop_torn(folder: Path) -> list[str]:
    """Delete what a kill or a loss of power has left unfinished; the names of what was deleted."""
    whole = {each.path for each in segments_in(folder)}
    torn = [path for path in folder.iterdir() if path not in whole and path.suffix in (SUFFIX, UNFINISHED)]
    for path in torn:
        path.unlink(missing_ok=True)
    return sorted(path.name for path in torn)


class Shelf:
    """The segments of one folder, within limits; oldest go first, the newest stretch never."""

    def __init__(self, folder: Path, session: str) -> None:
        self.folder, self.session = folder, session
        self.segments = segments_in(folder)
        self._number = max((each.number for each in self.segments), default=0)

    @property
    def bytes(self) -> int:
        return sum(each.bytes for each in self.segments)

    def part(self) -> Path:
        """Where the next segment is written until it is whole."""
        self._number += 1
        return self.folder / f"{self._number:09d}{UNFINISHED}"

    def take_in(self, part: Path, start_s: float, stop_s: float) -> Segment:
        """A segment that is whole: on disk before its name is."""
        with part.open("rb") as file:
            os.fsync(file.fileno())
        size = part.stat().st_size
        path = part.with_name(segment_name(int(part.stem), self.session, start_s, stop_s, size))
        part.rename(path)
        segment = Segment(path, int(part.stem), self.session, start_s, stop_s, size, path.stat().st_mtime)
        self.segments.append(segment)
        return segment

    def overlapping(self, start_s: float, stop_s: float) -> list[Segment]:
        """This session's segments that hold any of a stretch."""
        return [
            each
            for each in self.segments
            if each.session == self.session and each.start_s < stop_s and each.stop_s > start_s
        ]

    def drop_beyond(self, *, max_bytes: int, oldest_s: float, keep_s: float) -> None:
        """Delete what is older than `oldest_s` or too much; what was written after `keep_s` stays."""
        size = self.bytes
        gone: set[Path] = set()
        for segment in self.segments:
            if segment.written_s >= keep_s or (size <= max_bytes and segment.written_s >= oldest_s):
                break
            segment.path.unlink(missing_ok=True)
            gone.add(segment.path)
            size -= segment.bytes
        self.forget(gone)

    def forget(self, paths: Iterable[Path]) -> None:
        gone = set(paths)
        self.segments = [each for each in self.segments if each.path not in gone]
