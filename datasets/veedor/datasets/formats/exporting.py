"""Writes labelled pictures for other programs: all or nothing, faces hidden, every file's hash listed."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.formats.faults import FormatFault
from veedor.datasets.formats.forms import FORMS
from veedor.datasets.formats.hiding import camera_of, felt_outline_px, hidden, visible_mask
from veedor.datasets.formats.manifest import write_manifest
from veedor.datasets.formats.placing import Form, Placed, Window
from veedor.datasets.formats.reading import read_picture
from veedor.datasets.formats.splits import Shares, with_splits
from veedor.datasets.labelled import LabelledPicture, LabelledSet, continuous
from veedor.vision.table import Table

CROP_MARGIN_PX = 24

Progress = Callable[[int, int], None]  # pictures written, pictures in all


@dataclass(frozen=True)
class Export:
    """What to export. `table_of` a picture and `recordings`, files by their SHA-256, as far as known.

    `made_by` names the program and its version.
    """

    labels: LabelledSet
    form: str
    made_by: str
    crop: bool = False
    keep_faces: bool = False
    table_of: Callable[[LabelledPicture], Table | None] = lambda picture: None
    recordings: Mapping[str, Path] = field(default_factory=dict)
    shares: Shares = field(default_factory=Shares)
    decks: Mapping[str, str] | None = None  # of sessions; else as the labels say


@dataclass(frozen=True)
class Exported:
    """What was written: counts by split, and how many pictures were hidden without a table's outline."""

    pictures: Mapping[str, int]
    objects: int
    without_outline: int


def export(job: Export, out: Path, progress: Progress = lambda done, whole: None) -> Exported:
    """Write the pictures and labels into `out`, which is new or empty. The same job gives the same bytes.

    FormatFault or OSError where that fails, and then nothing is there.
    """
    form = FORMS[job.form]
    pictures = with_splits(job.labels.pictures, job.shares, job.decks)
    if not pictures:
        raise FormatFault(job.labels.folder, "no labelled picture to export")
    places = form.places(pictures, job.recordings)
    windows = _windows(job, pictures, form)
    items = [
        Placed(picture, place, window)
        for picture, place, window in zip(pictures, places, windows, strict=True)
    ]
    with _whole_folder(out) as part:
        for done, item in enumerate(items):
            _write_picture(job, item, part)
            progress(done + 1, len(items))
        form.write(items, part, job.labels.name)
        write_manifest(part, items, _about(job))
    counts = Counter(str(picture.split) for picture in pictures)
    seen = sum(len(picture.objects) for picture in pictures)
    return Exported(dict(counts), seen, sum(not _has_outline(job, picture) for picture in pictures))


def _about(job: Export) -> dict[str, object]:
    return {
        "name": job.labels.name,
        "version": job.labels.version,
        "form": job.form,
        "made_by": job.made_by,
        "cropped": job.crop,
        "faces": "kept" if job.keep_faces else "hidden",
        "frame_numbers_of": {digest: path.name for digest, path in sorted(job.recordings.items())},
    }


@contextmanager
def _whole_folder(out: Path) -> Iterator[Path]:
    """A folder to write into that takes the place of `out` when all went well."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FormatFault(out, "there already; name a new or empty folder")
    part = out.with_name(f".{out.name}.part")
    if part.exists():  # of an export that was killed
        shutil.rmtree(part)
    part.mkdir(parents=True)
    try:
        yield part
        if out.exists():
            out.rmdir()
        part.rename(out)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _has_outline(job: Export, picture: LabelledPicture) -> bool:
    return camera_of(job.table_of(picture), (picture.width, picture.height)) is not None


def _windows(job: Export, pictures: Sequence[LabelledPicture], form: Form) -> list[Window]:
    if not job.crop:
        return [Window(0, 0, picture.width, picture.height) for picture in pictures]
    if not form.one_window:
        return [_window(job, [picture]) for picture in pictures]
    together: dict[tuple[str, str | None, int, int], list[LabelledPicture]] = {}
    for picture in pictures:
        together.setdefault(_alike(picture), []).append(picture)
    windows = {key: _window(job, here) for key, here in together.items()}
    return [windows[_alike(picture)] for picture in pictures]


def _alike(picture: LabelledPicture) -> tuple[str, str | None, int, int]:
    return picture.recording, picture.split, picture.width, picture.height


def _window(job: Export, pictures: Sequence[LabelledPicture]) -> Window:
    """Whole pixels round the felt, where the table is known, and round everything labelled."""
    width, height = pictures[0].width, pictures[0].height
    corners = [point for each in pictures for item in each.objects for point in item.corners_px]
    points = [np.array(corners, np.float64).reshape(-1, 2)]
    table = job.table_of(pictures[0])
    camera = camera_of(table, (width, height))
    if camera is not None and table is not None:
        points.append(continuous(felt_outline_px(table, camera)))
    every: NDArray[np.float64] = np.concatenate(points)
    if not len(every):
        return Window(0, 0, width, height)
    low = np.clip(np.floor(every.min(axis=0)) - CROP_MARGIN_PX, 0, (width, height))
    high = np.clip(np.ceil(every.max(axis=0)) + CROP_MARGIN_PX, 0, (width, height))
    if (high <= low).any():  # all of it lies outside
        return Window(0, 0, width, height)
    return Window(int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1]))


def _write_picture(job: Export, item: Placed, out: Path) -> None:
    source = job.labels.file_of(item.picture)
    target = out / item.place.file
    target.parent.mkdir(parents=True, exist_ok=True)
    image = read_picture(source)
    size = item.picture.width, item.picture.height
    if (image.shape[1], image.shape[0]) != size:
        found = f"{image.shape[1]} x {image.shape[0]}"
        raise FormatFault(source, f"{found} px, where its labels are of {size[0]} x {size[1]} px")
    if job.keep_faces and item.window.size == size:
        shutil.copyfile(source, target)
        return
    if not job.keep_faces:
        mask = visible_mask(size, item.picture.objects, job.table_of(item.picture))
        image = hidden(image, mask)
    window = item.window
    image = image[window.y : window.y + window.height, window.x : window.x + window.width]
    made, png = cv2.imencode(".png", np.ascontiguousarray(image))
    if not made:
        raise FormatFault(target, "cannot be written as PNG")
    target.write_bytes(png.tobytes())
