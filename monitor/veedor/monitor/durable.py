"""Files that are either whole or not there, whenever the process or the machine dies."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from veedor.datasets.digests import sha256_of
from veedor.datasets.replacing import naming, refuse_all_but_a_file

_TEMPORARY = ".part"


def sha256_of_all(paths: Iterable[Path]) -> str:
    """Hex digest of files' names and contents, in the order of their names."""
    lines = [f"{path.name} {sha256_of(path)}\n" for path in sorted(paths)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def write_whole(path: Path, content: bytes) -> None:
    """Write `content` beside `path` and move it there in one step, so that no reader ever sees half of it."""
    refuse_all_but_a_file(path)
    part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}{_TEMPORARY}")
    with naming(path), part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def write_json(path: Path, told: Mapping[str, Any]) -> None:
    """Write a JSON object as a file that people read too, whole or not at all."""
    write_whole(path, json_content(told))


def json_content(told: Mapping[str, Any]) -> bytes:
    """A JSON object as the content of a file of its own, an item a line."""
    return (json.dumps(told, ensure_ascii=False, indent=1) + "\n").encode()


def sync_folder(folder: Path) -> None:
    """Wait for the disk to have a folder's names: a new file is there for good only then."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def remove_parts(folder: Path) -> None:
    """Delete what killed writers have left unfinished in a folder that nobody else is writing to."""
    for part in folder.rglob(f"*{_TEMPORARY}"):
        part.unlink(missing_ok=True)
