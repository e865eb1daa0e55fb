"""A folder given for recordings stands for those in it, by name; one without any is told in a line."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from veedor.monitor import cli
from veedor.monitor.errors import UsageFault
from veedor.monitor.recording_folders import opened_folders
from veedor.monitor.recordings import Video

AT = datetime(2026, 11, 29, 22, tzinfo=UTC)


def night(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_bytes(b"")
    return folder


def test_the_videos_of_a_folder_in_order_of_their_names(tmp_path: Path) -> None:
    folder = night(tmp_path / "night", "cam 10.mp4", "cam 2.MKV", "._cam 2.MKV", "list.csv", "cam 1.ts")
    (folder / "older.mp4").mkdir()
    alone = Video(tmp_path / "alone.mp4", AT)
    found, notes = opened_folders([Video(folder, AT), alone])
    assert [each.path.name for each in found] == ["cam 1.ts", "cam 2.MKV", "cam 10.mp4", "alone.mp4"]
    assert [each.started for each in found] == [AT, None, None, AT]
    assert notes == (f"{folder}: 1 file that is no video is left out",)


def test_a_folder_without_videos_says_what_was_looked_for(tmp_path: Path) -> None:
    folder = night(tmp_path / "night", "notes.txt")
    with pytest.raises(UsageFault, match=r"night: a folder without recordings; \.mp4 "):
        opened_folders([Video(folder)])


@pytest.mark.parametrize("way", ["argument", "list", "night"])
def test_review_takes_folders_wherever_recordings_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], way: str
) -> None:
    night(tmp_path / "night", "b.mp4", "a.mp4", "notes.txt")
    (tmp_path / "list.csv").write_text("file,started\nnight,\n")
    (tmp_path / "night.toml").write_text(
        'data = "data"\n[[table]]\nfile = "t.toml"\nrecordings = ["night"]\n'
    )
    from veedor.monitor.bundled import bundled_clip

    table = bundled_clip("demo").table
    (tmp_path / "t.toml").write_bytes(table.read_bytes())
    given = {
        "argument": [str(tmp_path / "night"), "--table", str(table), "--out", str(tmp_path / "out")],
        "list": ["--list", str(tmp_path / "list.csv"), "--table", str(table), "--out", str(tmp_path / "out")],
        "night": ["--config", str(tmp_path / "night.toml")],
    }[way]
    assert cli.main(["review", *given]) == 2
    told = capsys.readouterr().err.splitlines()
    assert "1 file that is no video is left out" in told[0]
    assert "night/a.mp4: empty file" in told[-1]  # the first by name was opened
