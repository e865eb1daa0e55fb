"""`manifest.json` of an export: what it holds, of which instants, what made it, and every file's SHA-256."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from veedor.datasets.digests import sha256_of
from veedor.datasets.formats.faults import FormatFault
from veedor.datasets.formats.placing import Placed, Window
from veedor.datasets.formats.reading import LARGEST_PICTURE, inside, read_json, whole
from veedor.datasets.labelled import LabelError, LabelledPicture
from veedor.datasets.labelled_json import picture_from_json, picture_to_json

MANIFEST = "manifest.json"
SCHEMA = 1
_HIGHEST = 4  # folders above a label file in which a manifest is looked for


@dataclass(frozen=True)
class Listed:
    """A picture of an export: what it is, which part of it `file` shows, and that file's SHA-256."""

    picture: LabelledPicture
    window: Window
    file: str
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """An export's manifest. `root` is its folder."""

    root: Path
    name: str
    version: str
    listed: tuple[Listed, ...]

    def of_file(self, file: Path) -> Listed | None:
        """The picture at that path, or the one of that name where the export has only one such."""
        try:
            place = file.resolve().relative_to(self.root.resolve()).as_posix()
        except ValueError:
            place = ""
        exact = [each for each in self.listed if each.file == place]
        if exact:
            return exact[0]
        named = [each for each in self.listed if Path(each.file).stem == file.stem]
        return named[0] if len(named) == 1 else None


def write_manifest(out: Path, items: Sequence[Placed], about: Mapping[str, object]) -> None:
    """List every file of the folder; `about` is what the export says of itself."""
    files = sorted(path for path in out.rglob("*") if path.is_file() and path != out / MANIFEST)
    record = {
        "schema": SCHEMA,
        **about,
        "pictures": [_row(item) for item in items],
        "files": {path.relative_to(out).as_posix(): sha256_of(path) for path in files},
    }
    text = json.dumps(record, ensure_ascii=False, indent=1)
    (out / MANIFEST).write_text(text + "\n", encoding="utf-8")


def _row(item: Placed) -> dict[str, object]:
    row = picture_to_json(replace(item.picture, objects=()))
    del row["objects"], row["schema"]
    row |= {"file": item.place.file, "t_s": float(item.picture.t)}
    if item.place.frame is not None:
        row["frame"] = item.place.frame
    window = item.window
    row["window_px"] = [window.x, window.y, window.width, window.height]
    return row


def find_manifest(*places: Path) -> Manifest | None:
    """The manifest of the export that a file or folder is part of, or None."""
    for place in places:
        above = [place, *place.resolve().parents]
        for folder in above[:_HIGHEST]:
            if (folder / MANIFEST).is_file() and _is_of_an_export(folder / MANIFEST):
                return read_manifest(folder / MANIFEST)
    return None


def _is_of_an_export(path: Path) -> bool:
    """Other programs have files of that name too; one that cannot be read may be ours and is a fault."""
    record = read_json(path)
    return isinstance(record, dict) and "form" in record and "made_by" in record


def read_manifest(path: Path) -> Manifest:
    """A manifest, looked at in every row; FormatFault says what is wrong."""
    record = read_json(path)
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise FormatFault(path, f"not a manifest of schema {SCHEMA}")
    rows, files = record.get("pictures"), record.get("files")
    if not isinstance(rows, list) or not isinstance(files, dict):
        raise FormatFault(path, "lists no pictures or files")
    name, version = record.get("name"), record.get("version")
    if not isinstance(name, str) or not isinstance(version, str) or not (name and version):
        raise FormatFault(path, "has no name and version")
    listed = tuple(_listed(row, files, path) for row in rows)
    return Manifest(path.parent, name, version, listed)


def _listed(row: Any, files: dict[str, Any], path: Path) -> Listed:
    if not isinstance(row, dict):
        raise FormatFault(path, "a picture is not a JSON object")
    rest = dict(row)
    file, window = rest.pop("file", None), rest.pop("window_px", None)
    for derived in ("t_s", "frame"):
        rest.pop(derived, None)
    try:
        picture = picture_from_json({"schema": 1, **rest, "objects": []})
    except LabelError as fault:
        raise FormatFault(path, str(fault)) from None
    inside(path.parent, file, path)
    if picture.width * picture.height > LARGEST_PICTURE:
        claimed = f"{picture.width} x {picture.height}"
        raise FormatFault(path, f"picture {picture.id}: {claimed} px are more than can be labelled")
    numbers = isinstance(window, list) and not any(isinstance(part, str) for part in window)
    if not numbers or len(window) != 4 or any(whole(part) is None for part in window):
        raise FormatFault(path, f"picture {picture.id}: window_px is not four whole numbers")
    part = Window(*window)
    beyond = part.x + part.width > picture.width or part.y + part.height > picture.height
    if beyond or part.width == 0 or part.height == 0:
        raise FormatFault(path, f"picture {picture.id}: window_px is not a part of the picture")
    digest = files.get(str(file))
    if not isinstance(digest, str):
        raise FormatFault(path, f"picture {picture.id}: its file {file} is not listed")
    return Listed(picture, part, str(file), digest)
