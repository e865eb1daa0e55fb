"""What reviews keep between runs stays for a while and no longer, and never under a review at work."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from veedor.monitor.errors import UsageFault
from veedor.monitor.review_cache import KEPT_S, MOST_BYTES, cached_reviews, prune_reviews
from veedor.monitor.work_folder import WorkFolder

NOW_S = 2e9


def left(data: Path, name: str, age_s: float, size: int = 1000) -> Path:
    folder = cached_reviews(data) / name
    work = WorkFolder(folder)
    with work.held():
        work.adopt({})
        with work.path_of("0.percepts").open("wb") as file:
            file.truncate(size)  # sparse: large without room
    for each in (folder, *folder.rglob("*")):
        os.utime(each, (NOW_S - age_s, NOW_S - age_s))
    return folder


def test_what_an_abandoned_review_left_goes_when_it_is_old(tmp_path: Path) -> None:
    old, fresh = left(tmp_path, "a", KEPT_S + 1), left(tmp_path, "b", KEPT_S - 1)
    assert prune_reviews(tmp_path, NOW_S) >= 1000
    assert not old.exists() and (fresh / ".work/results/0.percepts").exists()


def test_what_is_too_much_goes_the_longest_unused_first(tmp_path: Path) -> None:
    half = MOST_BYTES // 2
    first, second, third = (left(tmp_path, f"{age}", age, half - 100) for age in (30.0, 20.0, 10.0))
    os.utime(first / ".work" / "lock", (NOW_S - 1, NOW_S - 1))  # its review was started again
    assert prune_reviews(tmp_path, NOW_S) >= half - 100
    assert not second.exists() and first.exists() and third.exists()


def test_a_review_at_work_keeps_what_it_has(tmp_path: Path) -> None:
    folder = left(tmp_path, "a", KEPT_S + 1)
    with WorkFolder(folder).held():
        os.utime(folder / ".work" / "lock", (0, 0))
        assert prune_reviews(tmp_path, NOW_S, everything=True) == 0
        assert (folder / ".work/results/0.percepts").exists()
    assert prune_reviews(tmp_path, NOW_S, everything=True) >= 1000
    assert list(cached_reviews(tmp_path).iterdir()) == []
    assert prune_reviews(tmp_path / "nowhere", NOW_S) == 0


def test_starting_again_is_using(tmp_path: Path) -> None:
    folder = left(tmp_path, "a", KEPT_S + 1)
    with WorkFolder(folder).held():
        pass
    assert (folder / ".work" / "lock").stat().st_mtime != NOW_S - KEPT_S - 1


def test_a_lock_that_was_removed_while_it_was_waited_for_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, removed = WorkFolder(tmp_path / "a"), []
    real = work._is_there

    def removing(lock: object) -> bool:
        if not removed:
            removed.append(lock)
            (tmp_path / "a/.work/lock").unlink()
        return real(lock)  # type: ignore[arg-type]

    monkeypatch.setattr(work, "_is_there", removing)
    with work.held():
        assert (tmp_path / "a/.work/lock").exists()
        with pytest.raises(UsageFault, match="another review"), WorkFolder(tmp_path / "a").held():
            pass
