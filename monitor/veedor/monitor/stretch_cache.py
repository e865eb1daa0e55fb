"""Video made for pages, kept for a while: whatever is in it can be made again from the pictures.

Pictures of a rolling buffer must not outlive it here, and a folder that only grows would cost evidence.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

CACHE, STRETCHES = "cache", "stretches"
KEPT_S = 86_400.0
MOST_BYTES = 2 * 10**9


def cached_stretches(data: Path) -> Path:
    """The folder of a data folder's stretches."""
    return data / CACHE / STRETCHES


def prune(data: Path, now_s: float, *, everything: bool = False) -> int:
    """Delete what is too old, then the oldest of what is too much; the bytes that are free now."""
    there = sorted(_files(cached_stretches(data)), key=lambda each: each[1])
    size, freed = sum(length for _, _, length in there), 0
    for path, made_s, length in there:
        if everything or now_s - made_s > KEPT_S or size - freed > MOST_BYTES:
            with suppress(OSError):
                path.unlink()
                freed += length
    return freed


def _files(folder: Path) -> Iterator[tuple[Path, float, int]]:
    """Each file with when it was made and its size; one that has just gone is left out."""
    with suppress(OSError):
        for path in folder.iterdir():
            with suppress(OSError):
                found = path.stat()
                yield path, found.st_mtime, found.st_size
