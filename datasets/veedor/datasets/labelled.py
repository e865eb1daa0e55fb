"""Labelled pictures: what people and models say stands where in a picture, and of which instant it is.

Corners are in *continuous picture coordinates*: (0, 0) is the outer corner of the top left pixel, so that a
pixel's middle has coordinates ending in .5 and a picture reaches from 0 to its width. OpenCV and
`Detections` count from the middle of the top left pixel instead. `continuous`,
`corners_of_detection` and `detection_of_corners` are the one place where the two meet.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from veedor.datasets.errors import DatasetError
from veedor.rules.cards import RANKS, SUITS
from veedor.vision.detections import ObjectClass

Point = tuple[float, float]
Corners = tuple[Point, Point, Point, Point]

SPLITS = ("train", "val", "test")
LARGEST_PX = 65535  # of a picture's side; corners may lie outside, but not farther than this
LONGEST_TEXT = 500
MOST_CHIPS = 1000
MOST_OBJECTS = 500  # in one picture
CENTRE_PX = 0.5  # from a pixel's outer corner to its middle

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
# What no XML and no line of JSON should have to carry.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


class LabelError(DatasetError):
    """A label that cannot be: the message names the object or picture and the fault."""


@dataclass(frozen=True)
class LabelledObject:
    """One thing in a picture.

    `id` is unique in its picture; the same id in pictures of one session means the same thing.
    `corners_px` go clockwise as seen; of a card the first edge is a short one. `chips` are names of the
    table's chip set, bottom up; `count` is known where the colours are not. What has no field of its own,
    stands in `extra`, each name once.
    """

    id: str
    kind: ObjectClass
    corners_px: Corners
    rank: str | None = None
    suit: str | None = None
    back: str | None = None
    chips: tuple[str, ...] | None = None
    count: int | None = None
    zone: str | None = None
    occluded: bool = False
    truncated: bool = False
    extra: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        check_text("object", "id", self.id)
        where = f"object {self.id}"
        if not isinstance(self.kind, ObjectClass):
            raise LabelError(f"{where}: unknown kind {self.kind!r}")
        _check_corners(where, self.corners_px)
        _check_among(where, "rank", self.rank, RANKS)
        _check_among(where, "suit", self.suit, SUITS)
        for name in ("back", "zone"):
            if getattr(self, name) is not None:
                check_text(where, name, getattr(self, name))
        self._check_chips(where)
        for name in ("occluded", "truncated"):
            if not isinstance(getattr(self, name), bool):
                raise LabelError(f"{where}: {name} is neither true nor false")
        for name, value in self.extra:
            check_text(where, "a name in extra", name)
            check_text(where, f"extra {name}", value, may_be_empty=True)
        if len({name for name, _ in self.extra}) < len(self.extra):
            raise LabelError(f"{where}: a name stands twice in extra")

    def _check_chips(self, where: str) -> None:
        for name in self.chips or ():
            check_text(where, "a chip", name)
        if self.count is not None and not (_is_integer(self.count) and 0 <= self.count <= MOST_CHIPS):
            raise LabelError(f"{where}: count {self.count!r} is not a number from 0 to {MOST_CHIPS}")
        if self.chips is not None and len(self.chips) > MOST_CHIPS:
            raise LabelError(f"{where}: {len(self.chips)} chips are more than {MOST_CHIPS}")
        if self.chips is not None and self.count is not None and len(self.chips) != self.count:
            raise LabelError(f"{where}: count {self.count} and {len(self.chips)} named chips")


@dataclass(frozen=True)
class LabelledPicture:
    """One picture and everything in it.

    `recording` is the SHA-256 of the recording's file, or of the still's. The picture is the one the
    recording shows at `pts` x `time_base` seconds of its own clock: nothing else addresses it.
    """

    id: str
    recording: str
    pts: int
    time_base: Fraction
    width: int
    height: int
    session: str
    table: str
    split: str | None
    author: str
    revision: int
    objects: tuple[LabelledObject, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or _ID.fullmatch(self.id) is None:
            raise LabelError(f"picture {self.id!r}: an id is made of letters, digits, '.', '_' and '-'")
        where = f"picture {self.id}"
        if not isinstance(self.recording, str) or _SHA256.fullmatch(self.recording) is None:
            raise LabelError(f"{where}: recording {self.recording!r} is not a SHA-256 in small hex digits")
        if not _is_integer(self.pts) or abs(self.pts) >= 2**62:
            raise LabelError(f"{where}: pts {self.pts!r} is not a number of ticks")
        if not isinstance(self.time_base, Fraction) or self.time_base <= 0:
            raise LabelError(f"{where}: time base {self.time_base!r} is not a fraction above 0")
        for name in ("width", "height"):
            side = getattr(self, name)
            if not _is_integer(side) or not 1 <= side <= LARGEST_PX:
                raise LabelError(f"{where}: {name} {side!r} is not from 1 to {LARGEST_PX}")
        for name in ("session", "table", "author"):
            check_text(where, name, getattr(self, name))
        _check_among(where, "split", self.split, SPLITS)
        if not _is_integer(self.revision) or self.revision < 0:
            raise LabelError(f"{where}: revision {self.revision!r} is not a number from 0")
        twice = _first_twice([each.id for each in self.objects])
        if twice is not None:
            raise LabelError(f"{where}: the object id {twice} stands twice")

    @property
    def t(self) -> Fraction:
        """The picture's presentation time in its recording, in seconds, exactly."""
        return self.pts * self.time_base

    def with_objects(self, objects: Sequence[LabelledObject]) -> LabelledPicture:
        """The same picture with other labels."""
        return replace(self, objects=tuple(objects))


@dataclass(frozen=True)
class LabelledSet:
    """Labelled pictures under a name and a version; `folder` holds each picture as `ID.png`."""

    name: str
    version: str
    pictures: tuple[LabelledPicture, ...]
    folder: Path

    def __post_init__(self) -> None:
        check_text("set", "name", self.name)
        check_text(f"set {self.name}", "version", self.version)
        twice = _first_twice([each.id for each in self.pictures])
        if twice is not None:
            raise LabelError(f"set {self.name}: the picture id {twice} stands twice")

    def file_of(self, picture: LabelledPicture) -> Path:
        """Where the picture's pixels stand."""
        return self.folder / f"{picture.id}.png"


def corners_of_detection(corners_px: NDArray[np.floating]) -> Corners:
    """Continuous picture coordinates of one row (4, 2) of `Detections.corners_px` or of a drawn truth."""
    return as_corners(continuous(corners_px))


def continuous(points_px: NDArray[np.floating]) -> NDArray[np.float64]:
    """Points (n, 2) of OpenCV, `Camera` or `Detections` in continuous picture coordinates."""
    return np.asarray(points_px, np.float64) + CENTRE_PX


def on_resized(points_px: NDArray[np.floating], ratio: float | NDArray[np.floating]) -> NDArray[np.float64]:
    """Points as OpenCV counts them, on the picture made `ratio` times as large (along x and y)."""
    return continuous(points_px) * ratio - CENTRE_PX


def detection_of_corners(corners_px: Corners) -> NDArray[np.float64]:
    """The corners (4, 2) as OpenCV and `Detections` count them, from the top left pixel's middle."""
    return np.asarray(corners_px, np.float64) - CENTRE_PX


def as_corners(points: NDArray[np.floating] | Sequence[Sequence[float]]) -> Corners:
    """Four points as plain numbers."""
    if len(points) != 4 or any(len(point) != 2 for point in points):
        raise LabelError(f"expected four points of x and y, found {len(points)}")
    try:
        first, second, third, fourth = ((float(x), float(y)) for x, y in points)
    except OverflowError:  # a whole number of hundreds of digits
        raise LabelError("a corner lies beyond all counting") from None
    return first, second, third, fourth


def clockwise(corners_px: Corners) -> Corners:
    """The same corner first, the others in clockwise order as seen, whichever way they went before."""
    return corners_px if signed_area(corners_px) >= 0 else (corners_px[0], *corners_px[:0:-1])


def signed_area(points: Sequence[Point]) -> float:
    """Square pixels inside a polygon; above 0 where it goes clockwise as seen."""
    x0, y0 = points[0]
    relative = [(x - x0, y - y0) for x, y in points]
    following = [*relative[1:], relative[0]]
    return sum(x * v - u * y for (x, y), (u, v) in zip(relative, following, strict=True)) / 2


def _check_corners(where: str, corners_px: Corners) -> None:
    if not isinstance(corners_px, tuple) or len(corners_px) != 4:
        raise LabelError(f"{where}: expected four corners")
    for point in corners_px:
        if len(point) != 2 or not all(math.isfinite(part) for part in point):
            raise LabelError(f"{where}: corner {point} is not two finite numbers")
        if any(abs(part) > LARGEST_PX for part in point):
            raise LabelError(f"{where}: corner {point} is beyond {LARGEST_PX} px")
    area = signed_area(corners_px)
    if area <= 0:
        raise LabelError(f"{where}: corners {'lie on a line' if area == 0 else 'do not go clockwise'}")
    for turn in range(4):
        if signed_area([corners_px[(turn + step) % 4] for step in range(3)]) < 0:
            raise LabelError(f"{where}: the outline crosses itself or is dented at a corner")


def check_text(where: str, name: str, value: object, *, may_be_empty: bool = False) -> None:
    """LabelError where a value is not a text that every form of labels can carry."""
    if not isinstance(value, str) or not (value or may_be_empty):
        raise LabelError(f"{where}: {name} is not a text")
    if len(value) > LONGEST_TEXT:
        raise LabelError(f"{where}: {name} is longer than {LONGEST_TEXT} characters")
    if _CONTROL.search(value) is not None:
        raise LabelError(f"{where}: {name} holds a control character")


def _check_among(where: str, name: str, value: object, known: Sequence[str]) -> None:
    if value is not None and value not in tuple(known):
        raise LabelError(f"{where}: {name} {value!r} is not one of {' '.join(known)}")


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _first_twice(names: Sequence[str]) -> str | None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
