"""What unfinished and finished reviews leave in the cache of a data folder, and when it goes.

It costs only time to see again what was seen. Percepts stay a month after their review was last started, for
a night that goes on or is judged by other rules; then, or where there is too much, the oldest go first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from veedor.monitor.stretch_cache import CACHE
from veedor.monitor.work_folder import WorkFolder

WORKS = "reviews"
KEPT_S = 30 * 86_400.0
MOST_BYTES = 10 * 10**9


def cached_reviews(data: Path) -> Path:
    """The folder of what a data folder's reviews keep between runs."""
    return data / CACHE / WORKS


def prune_reviews(data: Path, now_s: float, *, everything: bool = False) -> int:
    """Delete what is too old, then the oldest of what is too much; the bytes that are free now.

    A review that is at work keeps what it has.
    """
    there = sorted(_works(cached_reviews(data)), key=lambda each: each[1])
    size, freed = sum(length for _, _, length in there), 0
    for work, used_s, length in there:
        too_old = now_s - used_s > KEPT_S
        if (everything or too_old or size - freed > MOST_BYTES) and work.remove():
            freed += length
    return freed


def _works(folder: Path) -> Iterator[tuple[WorkFolder, float, int]]:
    """Each review's folder with when it was last used and its size."""
    with suppress(OSError):
        for path in folder.iterdir():
            used_s, size = 0.0, 0
            for each in (path, *path.rglob("*")):
                with suppress(OSError):
                    found = each.stat()
                    used_s = max(used_s, found.st_mtime)
                    size += found.st_size if each.is_file() else 0
            if path.is_dir():
                yield WorkFolder(path), used_s, size
