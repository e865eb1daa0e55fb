"""Labels that come in, of an export that was corrected elsewhere or of strangers, as a labelled set.

Everything is read and looked at before anything is handed on. Pictures of an export are known by its
manifest: their labels go back to the coordinates of the whole picture and to its instant. Other pictures are
stills of their own, or frames of a recording that comes with them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.digests import sha256_of
from veedor.datasets.formats.faults import FormatFault
from veedor.datasets.formats.forms import FORMS
from veedor.datasets.formats.frame_numbers import frames_at
from veedor.datasets.formats.manifest import Listed, Manifest, find_manifest
from veedor.datasets.formats.placing import Found, Source, Window
from veedor.datasets.formats.reading import read_picture
from veedor.datasets.labelled import LabelError, LabelledObject, LabelledPicture, LabelledSet

Image = NDArray[np.uint8]


@dataclass(frozen=True)
class Import:
    """What to read. `known` are ids of pictures that are there already and need no pixels.

    `session` and `table` are those of pictures that no manifest knows; `recording` is the video whose frame
    numbers the labels count.
    """

    source: Source
    form: str
    author: str
    session: str
    table: str
    recording: Path | None = None
    known: Collection[str] = field(default_factory=frozenset)


@dataclass(frozen=True)
class Imported:
    """The labels, and which of their pictures an export's manifest knew."""

    labels: LabelledSet
    of_export: frozenset[str]


def read_labels(job: Import, into: Path) -> Imported:
    """All labelled pictures of a file or folder; their pixels go to `into` as `ID.png`.

    FormatFault names the file and what is wrong with it.
    """
    source = replace(job.source, by_frames=job.recording is not None)
    if not source.path.exists():
        raise FormatFault(source.path, "no such file or folder")
    found = FORMS[job.form].read(source)
    if not found:
        raise FormatFault(source.path, "tells of no picture")
    manifest = find_manifest(*([source.pictures] if source.pictures else []), source.path)
    pictures: dict[str, LabelledPicture] = {}
    listed = set()
    for each, image, identity in _with_pixels(job, found, manifest):
        picture = _picture(job, each, image, identity)
        if picture.id in pictures:
            raise FormatFault(each.told_by, f"two pictures come to be {picture.id}", each.line)
        if isinstance(identity, Listed):
            listed.add(picture.id)
        if picture.id not in job.known:
            _save(image, picture, identity, into)
        pictures[picture.id] = picture
    name, version = source.path.resolve().stem or "import", "import"
    if manifest is not None:
        name, version = manifest.name, manifest.version
    return Imported(LabelledSet(name, version, tuple(pictures.values()), into), frozenset(listed))


Identity = Listed | tuple[str, int, Fraction]  # of an export, or the recording and the instant
Known = tuple[Found, Image, Identity]


def _with_pixels(job: Import, found: Sequence[Found], manifest: Manifest | None) -> Iterator[Known]:
    if job.recording is None:
        for each in found:
            yield _still(each, manifest)
        return
    digest = sha256_of(job.recording)
    by_frame = {each.frame: each for each in found if each.frame is not None}
    if len(by_frame) < len(found):
        raise FormatFault(job.source.path, "does not count frames of a recording")
    for shown in frames_at(job.recording, [frame for frame in by_frame if frame is not None]):
        yield by_frame[shown.number], shown.image, (digest, shown.pts, shown.time_base)


def _still(found: Found, manifest: Manifest | None) -> Known:
    if not found.file.is_file():
        raise FormatFault(found.told_by, f"its picture is missing: {found.file}", found.line)
    image = read_picture(found.file)
    listed = None if manifest is None else manifest.of_file(found.file)
    digest = sha256_of(found.file)
    if listed is None or manifest is None:
        return found, image, (digest, 0, Fraction(1))
    if found.file.resolve() == (manifest.root / listed.file).resolve() and digest != listed.sha256:
        raise FormatFault(found.file, "not the picture that was exported: its SHA-256 is another")
    return found, image, listed


def _picture(job: Import, found: Found, image: Image, identity: Identity) -> LabelledPicture:
    size = image.shape[1], image.shape[0]
    if found.size is not None and found.size != size:
        claimed = f"{found.size[0]} x {found.size[1]}"
        fault = f"{claimed} px, where its picture {found.file.name} is of {size[0]} x {size[1]} px"
        raise FormatFault(found.told_by, fault, found.line)
    if isinstance(identity, Listed) and identity.window.size != size:
        raise FormatFault(found.file, f"{size[0]} x {size[1]} px, where another size was exported")
    try:
        objects = _each_once(found.objects(size))
        if isinstance(identity, Listed):
            return identity.picture.with_objects(identity.window.out_of(objects))
        digest, pts, time_base = identity
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", found.file.stem).strip("-._")[:60] or "picture"
        return LabelledPicture(
            f"{stem}-{digest[:12]}", digest, pts, time_base, size[0], size[1],
            job.session, job.table, found.split, job.author, 0, objects,
        )  # fmt: skip
    except LabelError as fault:
        raise FormatFault(found.told_by, str(fault), found.line) from None


def _each_once(objects: Sequence[LabelledObject]) -> tuple[LabelledObject, ...]:
    """Every object with an id of its own: a shape that was copied brings its model's id along."""
    taken = {item.id for item in objects}
    seen: set[str] = set()
    result = []
    for item in objects:
        name, copy = item.id, 2
        while name in seen or (name != item.id and name in taken):
            name, copy = f"{item.id[:400]}-{copy}", copy + 1
        seen.add(name)
        result.append(item if name == item.id else replace(item, id=name))
    return tuple(result)


def _save(image: Image, picture: LabelledPicture, identity: Identity, into: Path) -> None:
    """The pixels as a PNG of the whole picture's size; what an export has cut away is black."""
    if isinstance(identity, Listed) and identity.window != Window(0, 0, picture.width, picture.height):
        window = identity.window
        whole = np.zeros((picture.height, picture.width, 3), np.uint8)
        whole[window.y : window.y + window.height, window.x : window.x + window.width] = image
        image = whole
    made, png = cv2.imencode(".png", image)
    if not made:
        raise FormatFault(into, f"{picture.id} cannot be written as PNG")
    (into / f"{picture.id}.png").write_bytes(png.tobytes())
