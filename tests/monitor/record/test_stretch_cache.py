"""Video made for a page is kept for a while and no longer, and never costs evidence."""

from __future__ import annotations

import os
from pathlib import Path

from veedor.monitor.stretch_cache import KEPT_S, MOST_BYTES, cached_stretches, prune


def kept(data: Path, name: str, age_s: float, now_s: float, size: int = 1000) -> Path:
    path = cached_stretches(data) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.truncate(size)  # sparse: large without room
    os.utime(path, (now_s - age_s, now_s - age_s))
    return path


def test_what_is_old_goes(tmp_path: Path) -> None:
    old, fresh = kept(tmp_path, "a.mp4", KEPT_S + 1, 1e9), kept(tmp_path, "b.mp4", KEPT_S - 1, 1e9)
    assert prune(tmp_path, 1e9) == 1000
    assert not old.exists() and fresh.exists()


def test_what_is_too_much_goes_oldest_first(tmp_path: Path) -> None:
    half = MOST_BYTES // 2
    first, second, third = (kept(tmp_path, f"{age}.mp4", age, 1e9, half) for age in (30.0, 20.0, 10.0))
    assert prune(tmp_path, 1e9) == half
    assert not first.exists() and second.exists() and third.exists()


def test_all_of_it_goes_where_room_is_needed(tmp_path: Path) -> None:
    kept(tmp_path, "a.mp4", 1.0, 1e9)
    assert prune(tmp_path, 1e9, everything=True) == 1000
    assert prune(tmp_path / "nowhere", 1e9) == 0
