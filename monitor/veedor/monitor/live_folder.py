"""Where a live run leaves its journal and findings."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from veedor.monitor.errors import UsageFault


def record_folder(given: Path | None, name: str) -> Path:
    """The folder that was `given` for a new record, or a new one under `out/` that bears the name."""
    return new_folder(Path("out"), name) if given is None else empty_folder(given)


def new_folder(parent: Path, name: str) -> Path:
    """Make and return `parent/name-N` with the lowest N not taken: no run overwrites another's record."""
    try:
        parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as fault:
        raise UsageFault(f"{parent}: not a folder") from fault
    for number in count(1):
        folder = parent / f"{name}-{number}"
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise AssertionError("numbers do not end")


def empty_folder(folder: Path) -> Path:
    """Make `folder` for a new record; UsageFault if there is a record in it already."""
    if (folder / "journal.jsonl").exists():
        raise UsageFault(f"{folder}: holds a journal already; name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as fault:
        raise UsageFault(f"{folder}: not a folder") from fault
    return folder
