"""What a review keeps between runs is whole, belongs to its inputs, and has one owner."""

from __future__ import annotations

from pathlib import Path

import pytest
from veedor.datasets.digests import sha256_of
from veedor.monitor.durable import remove_parts, sha256_of_all, write_whole
from veedor.monitor.errors import UsageFault
from veedor.monitor.work_folder import WorkFolder

PARTS = {"video": "ab", "table": "cd"}


def test_results_stay_for_the_same_inputs_and_go_for_others(tmp_path: Path) -> None:
    work = WorkFolder(tmp_path / "out")
    with work.held():
        assert not work.adopt(PARTS)
        write_whole(work.path_of("0"), b"percepts")
        assert not work.adopt(dict(reversed(PARTS.items())))
        assert work.path_of("0").read_bytes() == b"percepts"
        assert work.adopt(PARTS | {"table": "ce"})
        assert not work.path_of("0").exists()


def test_results_without_a_stamp_are_nobodys(tmp_path: Path) -> None:
    work = WorkFolder(tmp_path)
    with work.held():
        work.adopt(PARTS)
        write_whole(work.path_of("0"), b"percepts")
        (tmp_path / ".work" / "inputs.json").unlink()
        work.adopt(PARTS)
        assert not work.path_of("0").exists()


def test_a_second_review_of_one_folder_is_refused(tmp_path: Path) -> None:
    with (
        WorkFolder(tmp_path).held(),
        pytest.raises(UsageFault, match="another review"),
        WorkFolder(tmp_path).held(),
    ):
        pass
    with WorkFolder(tmp_path).held():
        pass


def test_a_file_in_the_folders_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(UsageFault, match="out: not a folder"), WorkFolder(tmp_path / "out").held():
        pass


def test_what_killed_writers_left_is_cleared_away(tmp_path: Path) -> None:
    work = WorkFolder(tmp_path)
    with work.held():
        work.adopt(PARTS)
    left = tmp_path / ".work" / "results" / "0.123.part"
    left.write_bytes(b"half")
    with work.held():
        assert not left.exists()


def test_writing_replaces_and_leaves_no_part(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    write_whole(path, b"one")
    write_whole(path, b"two")
    assert path.read_bytes() == b"two"
    assert [each.name for each in tmp_path.iterdir()] == ["journal.jsonl"]
    remove_parts(tmp_path)
    assert path.exists()


def test_sha256_of_all_tells_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    (tmp_path / "b.py").write_text("2")
    before = sha256_of_all(tmp_path.glob("*.py"))
    assert sha256_of_all(sorted(tmp_path.glob("*.py"), reverse=True)) == before
    (tmp_path / "a.py").rename(tmp_path / "c.py")
    renamed = sha256_of_all(tmp_path.glob("*.py"))
    (tmp_path / "b.py").write_text("3")
    assert len({before, renamed, sha256_of_all(tmp_path.glob("*.py"))}) == 3


def test_sha256_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    assert sha256_of(tmp_path / "empty").startswith("e3b0c44298fc1c14")
