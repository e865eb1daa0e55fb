"""Frames of recordings by number, and their pixels: the one place where numbers and instants meet."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from veedor.datasets.formats.faults import FormatFault
from veedor.datasets.labelled import LabelledPicture
from veedor.vision.sources import VideoSource


@dataclass(frozen=True)
class Shown:
    """A decoded frame: which one, when exactly the recording shows it, and its pixels (BGR)."""

    number: int
    pts: int
    time_base: Fraction
    image: NDArray[np.uint8]


def numbers_of(pictures: Sequence[LabelledPicture], recordings: Mapping[str, Path]) -> dict[str, int]:
    """Each picture's number in its recording, by picture id.

    In order of presentation among all frames of the recording if that is at hand, else among its pictures.
    """
    by_recording: dict[str, list[LabelledPicture]] = {}
    for picture in pictures:
        by_recording.setdefault(picture.recording, []).append(picture)
    numbers: dict[str, int] = {}
    for recording, here in by_recording.items():
        if len({picture.t for picture in here}) < len(here):
            raise FormatFault(f"recording {recording[:16]}", "two pictures of one instant")
        path = recordings.get(recording)
        if path is None:
            here.sort(key=lambda picture: picture.t)
            numbers |= {picture.id: row for row, picture in enumerate(here)}
            continue
        source = VideoSource(path)
        known = {_instant(source, number): number for number in range(source.info.frames)}
        for picture in here:
            found = known.get(picture.t)
            if found is None:
                instant = f"{picture.pts} x {picture.time_base} s"
                raise FormatFault(path, f"shows no frame at {instant} (picture {picture.id})")
            numbers[picture.id] = found
    return numbers


def _instant(source: VideoSource, number: int) -> Fraction:
    pts, time_base = source.timestamp(number)
    return pts * time_base


def frames_at(path: Path, numbers: Collection[int]) -> Iterator[Shown]:
    """The frames of those numbers, decoded; FormatFault if the recording has one of them not."""
    source = VideoSource(path)
    left = set(numbers)
    beyond = [number for number in left if not 0 <= number < source.info.frames]
    if beyond:
        raise FormatFault(path, f"has no frame {min(beyond)}: they go from 0 to {source.info.frames - 1}")
    times = source.times()
    while left:
        first = min(left)
        # Seeking costs a group of pictures; near frames are decoded through to instead.
        last = first
        while any(last < number <= last + 250 for number in left):
            last = max(number for number in left if number <= last + 250)
        stop_s = times[last + 1] if last + 1 < len(times) else float("inf")
        shown = 0
        for frame in source.frames(times[first], stop_s):
            if frame.index in left:
                left.discard(frame.index)
                shown += 1
                yield Shown(frame.index, *source.timestamp(frame.index), frame.image)
        if any(number <= last for number in left):
            raise FormatFault(path, f"frame {min(left)} cannot be decoded")
