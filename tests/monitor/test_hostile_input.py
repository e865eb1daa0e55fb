"""Input made to hurt: each gives one line that names it, status 2, and no traceback."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.cli import main


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line of a refusal."""
    try:
        status = main(list(words))
    except SystemExit as stop:
        status = int(stop.code or 0)
    shown = capsys.readouterr().err
    assert status == 2, shown
    assert len(shown.splitlines()) == 1, shown
    assert "Traceback" not in shown
    return shown


def test_nesting_past_any_sense_in_a_coup_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deep = tmp_path / "deep.yaml"
    deep.write_text("[" * 20_000)
    assert "deep.yaml" in refused(capsys, "check", str(deep))


def test_nesting_past_any_sense_in_a_table_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deep, picture = tmp_path / "deep.toml", tmp_path / "a.png"
    deep.write_text("x = " + "[" * 20_000)
    picture.write_bytes(b"")
    assert "deep.toml" in refused(capsys, "read", str(picture), "--table", str(deep))


def test_nesting_past_any_sense_in_a_journal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deep = tmp_path / "deep.jsonl"
    deep.write_text("[" * 100_000)
    assert "deep.jsonl" in refused(capsys, "check", str(deep))


def test_a_picture_that_claims_more_pixels_than_can_be_held(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0))
    bomb = tmp_path / "bomb.png"
    empty = chunk(b"IDAT", zlib.compress(b"0")) + chunk(b"IEND", b"")
    bomb.write_bytes(b"\x89PNG\r\n\x1a\n" + header + empty)
    assert "bomb.png" in refused(capsys, "read", str(bomb))


@pytest.mark.parametrize("words", [("--seed", "-5"), ("--coups", "100000000000"), ("--coups", "0")])
def test_a_session_beyond_bounds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, str]
) -> None:
    refused(capsys, "simulate", "--no-video", "--out", str(tmp_path / "out"), *words)
    assert not (tmp_path / "out").exists()


def test_a_page_cannot_stay_less_than_no_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert "linger" in refused(capsys, "demo", "--no-browser", "--linger", "-1")


def test_lists_of_recordings_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clip = bundled_clip("demo")
    night = tmp_path / "night.toml"
    night.write_text(f'data = "data"\n[[table]]\nfile = "{clip.table}"\nrecordings = ["night**.mp4"]\n')
    assert "night.toml" in refused(capsys, "review", "--config", str(night))
    sheet = tmp_path / "night.csv"
    sheet.write_text("file,started\n" + "x" * 200_000 + ",\n")
    table = ("--table", str(clip.table), "--out", str(tmp_path / "out"))
    assert "night.csv" in refused(capsys, "review", "--list", str(sheet), *table)
    for year in ("0001", "9999"):
        told = ("--started", f"{year}-12-31T23:59:59")
        assert f"{year}-12-31" in refused(capsys, "review", str(clip.video), *table, *told)
