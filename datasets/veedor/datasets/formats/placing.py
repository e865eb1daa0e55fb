"""A labelled picture's place in an export, and a picture found in files of labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from veedor.datasets.labelled import (
    LabelledObject,
    LabelledPicture,
    as_corners,
)
from veedor.datasets.labelled_json import KIND_BY_NAME
from veedor.vision.detections import ObjectClass

Size = tuple[int, int]  # width, height


@dataclass(frozen=True)
class Window:
    """The part of a picture that is exported, in whole pixels of the picture."""

    x: int
    y: int
    width: int
    height: int

    @property
    def size(self) -> Size:
        return self.width, self.height

    def into(self, objects: Sequence[LabelledObject]) -> tuple[LabelledObject, ...]:
        """Objects of the whole picture as the window shows them."""
        return _moved(objects, -self.x, -self.y)

    def out_of(self, objects: Sequence[LabelledObject]) -> tuple[LabelledObject, ...]:
        """Objects of the window in the coordinates of the whole picture."""
        return _moved(objects, self.x, self.y)


def _moved(objects: Sequence[LabelledObject], x: int, y: int) -> tuple[LabelledObject, ...]:
    if x == 0 and y == 0:
        return tuple(objects)
    return tuple(
        replace(item, corners_px=as_corners([(u + x, v + y) for u, v in item.corners_px])) for item in objects
    )


@dataclass(frozen=True)
class Place:
    """Where a picture goes: `file` below the export's folder, `frame` its number where frames have one."""

    file: str
    frame: int | None = None


def places_by_split(pictures: Sequence[LabelledPicture]) -> list[Place]:
    """`images/SPLIT/ID.png` for each."""
    return [Place(f"images/{each.split}/{each.id}.png") for each in pictures]


@dataclass(frozen=True)
class Placed:
    """A picture as it is exported. `objects` stand in the coordinates of its window."""

    picture: LabelledPicture
    place: Place
    window: Window

    @property
    def objects(self) -> tuple[LabelledObject, ...]:
        return self.window.into(self.picture.objects)


@dataclass(frozen=True)
class Found:
    """A picture that a file of labels tells of.

    `file` is where its pixels must be; or `frame` counts in the recording that came with the labels.
    `size` is what the labels claim, where they do. `objects` gives its labels, once the true size is known.
    """

    told_by: Path
    line: int | None
    file: Path
    frame: int | None
    size: Size | None
    objects: Callable[[Size], tuple[LabelledObject, ...]]
    split: str | None = None


@dataclass(frozen=True)
class Source:
    """What to read: `path` a file or folder of labels, `pictures` where to look for pictures besides.

    `classes` gives names of other people's classes; `by_frames` says that pictures come out of a recording.
    """

    path: Path
    pictures: Path | None = None
    classes: Mapping[str, ObjectClass] | None = None
    by_frames: bool = False

    def kind(self, name: object) -> ObjectClass | None:
        """The class of that name, or None."""
        if not isinstance(name, str):
            return None
        given = (self.classes or {}).get(name)
        return given if given is not None else KIND_BY_NAME.get(name)

    def unknown(self, name: object) -> str:
        """What to say of a name that means no class."""
        return f"unknown class {name!r:.60}: known are {', '.join(KIND_BY_NAME)}"


class Form(Protocol):
    """A form in which labelled pictures go out and come in."""

    one_window: bool  # all pictures of a recording must be cut alike

    def places(self, pictures: Sequence[LabelledPicture], recordings: Mapping[str, Path]) -> list[Place]:
        """Where each picture goes."""

    def write(self, items: Sequence[Placed], out: Path, title: str) -> None:
        """Write everything but the pictures into `out`."""

    def read(self, source: Source) -> list[Found]:
        """All pictures of a file or folder of labels; FormatFault says what cannot be read."""
