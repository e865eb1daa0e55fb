"""Freezing what people have called done into a version that training and measuring name, and never change.

`DIR/labels/versions/N/` is written beside and moved into place in one step; its files are made read-only and
every one's sha256 stands in its manifest, which `veedor.models.labelled_version` checks when it reads it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version as program_version
from pathlib import Path

from veedor.datasets.digests import sha256_of
from veedor.datasets.formats.placing import Placed, Window
from veedor.datasets.formats.splits import Shares, with_splits
from veedor.datasets.formats.yolo_obb import YoloObb
from veedor.datasets.labelled import LabelledPicture
from veedor.datasets.labelled_json import picture_to_json
from veedor.models.labelled_version import (
    LABELS,
    MANIFEST,
    SCHEMA,
    TABLES,
    LabelledVersion,
    image_name,
    read_version,
)
from veedor.monitor.durable import sync_folder, write_json
from veedor.monitor.labelling.revisions import LabelFault
from veedor.monitor.labelling.store import LabelStore
from veedor.monitor.labelling.tables import table_of
from veedor.monitor.language import text
from veedor.vision.table import Table
from veedor.vision.table_file import save_table

VERSIONS = "versions"
NAME = "labels"


@dataclass(frozen=True)
class Frozen:
    """A version that was made: its folder, and how many pictures each split has."""

    folder: Path
    number: int
    pictures: Mapping[str, int]
    objects: int


def versions_of(data: Path) -> list[Path]:
    """The folders of a data folder's versions, oldest first."""
    folder = data / "labels" / VERSIONS
    if not folder.is_dir():
        return []
    found = (each for each in folder.iterdir() if each.name.isdigit() and (each / MANIFEST).is_file())
    return sorted(found, key=lambda each: int(each.name))


def freeze(data: Path, shares: Shares | None = None, *, name: str = NAME) -> Frozen:
    """Freeze the newest done revision of every picture as the next version.

    `shares` of the sessions are held out; a picture that came with its split keeps it. LabelFault where
    nothing is done yet, or where nothing has changed since the last version.
    """
    store = LabelStore(data)
    labelled = store.as_set(name, done_only=True)
    if not labelled.pictures:
        raise LabelFault(
            text(
                es=f"{store.folder}: ninguna imagen está terminada",
                en=f"{store.folder}: no picture's labels are done",
            )
        )
    pictures = sorted(with_splits(labelled.pictures, shares), key=lambda each: each.id)
    _refuse_same(data, pictures)
    number = max((int(each.name) for each in versions_of(data)), default=0) + 1
    tables = {each.session: table_of(data, store.folder, each) for each in pictures}
    folder = data / "labels" / VERSIONS / str(number)
    with _in_place_at_once(folder) as part:
        _write(
            part, (name, number), pictures, {key: each for key, each in tables.items() if each is not None}
        )
        for picture in pictures:
            _copy(labelled.file_of(picture), part / image_name(picture))
        _write_manifest(part, (name, number), pictures, tables)
    counts = Counter(str(each.split) for each in pictures)
    return Frozen(folder, number, dict(counts), sum(len(each.objects) for each in pictures))


def read(data: Path, number: int) -> LabelledVersion:
    """A version of a data folder, checked."""
    return read_version(data / "labels" / VERSIONS / str(number))


def _refuse_same(data: Path, pictures: Sequence[LabelledPicture]) -> None:
    for last in versions_of(data)[-1:]:
        path = last / LABELS
        if path.is_file() and path.read_text(encoding="utf-8") == _lines(pictures):
            raise LabelFault(
                text(
                    es=f"{last}: nada ha cambiado desde esta versión",
                    en=f"{last}: nothing has changed since this version",
                )
            )


def _lines(pictures: Sequence[LabelledPicture]) -> str:
    return "".join(json.dumps(picture_to_json(each), ensure_ascii=False) + "\n" for each in pictures)


def _write(
    part: Path, which: tuple[str, int], pictures: Sequence[LabelledPicture], tables: Mapping[str, Table]
) -> None:
    form = YoloObb()
    items = [
        Placed(picture, place, Window(0, 0, picture.width, picture.height))
        for picture, place in zip(pictures, form.places(pictures, {}), strict=True)
    ]
    form.write(items, part, f"{which[0]} {which[1]}")
    (part / LABELS).write_text(_lines(pictures), encoding="utf-8")
    (part / TABLES).mkdir()
    for session, table in tables.items():
        save_table(table, part / table_name(session))


def table_name(session: str) -> str:
    """Where the table of a session stands in a version."""
    return f"{TABLES}/{session.replace('/', '--')}.toml"


def _write_manifest(
    part: Path,
    which: tuple[str, int],
    pictures: Sequence[LabelledPicture],
    tables: Mapping[str, Table | None],
) -> None:
    files = sorted(each for each in part.rglob("*") if each.is_file())
    splits = {each.session: str(each.split) for each in pictures}
    manifest = {
        "schema": SCHEMA,
        "name": which[0],
        "version": which[1],
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "made_by": f"veedor {program_version('veedor')}",
        "pictures": len(pictures),
        "objects": sum(len(each.objects) for each in pictures),
        "authors": sorted({each.author for each in pictures}),
        "sessions": dict(sorted(splits.items())),
        "tables": {key: table_name(key) for key, each in sorted(tables.items()) if each is not None},
        "files": {each.relative_to(part).as_posix(): sha256_of(each) for each in files},
    }
    write_json(part / MANIFEST, manifest)


def _copy(source: Path, target: Path) -> None:
    """The same bytes, not the same file: a version outlives whatever happens to the store."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


@contextmanager
def _in_place_at_once(folder: Path) -> Iterator[Path]:
    """A folder to write into that becomes `folder`, read-only and on disk, when all went well."""
    part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        for left in folder.parent.glob(".*.part"):  # of one that was killed
            if not _alive(left):
                shutil.rmtree(left, ignore_errors=True)
        part.mkdir()
        yield part
        for each in sorted(part.rglob("*")):
            if each.is_file():
                with each.open("rb") as file:
                    os.fsync(file.fileno())
                each.chmod(0o444)
        part.rename(folder)
        with suppress(OSError):
            sync_folder(folder.parent)
    except OSError as fault:
        raise LabelFault(f"{fault.filename or folder}: {fault.strerror or fault}") from fault
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _alive(part: Path) -> bool:
    """Whether the process that writes a half-made version still runs."""
    number = part.name.split(".")[-2]
    if not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
