"""Files that are either whole or not there, whenever the process or the machine dies."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterable
from pathlib import Path

_TEMPORARY = ".part"
_READ_BYTES = 1 << 20


def sha256_of_all(paths: Iterable[Path]) -> str:
    """Hex digest of files' names and contents, in the order of their names."""
    lines = [f"{path.name} {sha256_of(path)}\n" for path in sorted(paths)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def write_whole(path: Path, content: bytes) -> None:
    """Write `content` beside `path` and move it there in one step, so that no reader ever sees half of it."""
    part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}{_TEMPORARY}")
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def remove_parts(folder: Path) -> None:
    """Delete what killed writers have left unfinished in a folder that nobody else is writing to."""
    for part in folder.rglob(f"*{_TEMPORARY}"):
        part.unlink(missing_ok=True)


def sha256_of(path: Path) -> str:
    """Hex digest of a file's content."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_READ_BYTES):
            digest.update(block)
    return digest.hexdigest()
