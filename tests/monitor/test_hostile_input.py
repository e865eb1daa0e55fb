"""Input made to hurt: each gives one line that names it, status 2, and no traceback."""

from __future__ import annotations

import errno
import os
import socket
import stat
import struct
import zlib
from pathlib import Path

import pytest
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.cli import main
from veedor.monitor.console import plain


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


def test_nesting_past_any_sense_in_a_layout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deep = tmp_path / "deep.json"
    deep.write_text("[" * 100_000)
    words = ("calibrate", "a.png", "--layout", str(deep), "--out", str(tmp_path / "t.toml"))
    assert "deep.json: not readable as JSON: nested too deep" in refused(capsys, *words)


@pytest.mark.parametrize("content", ['data = "a\\u0000b"\n', 'data = "a"\n[[table]]\nfile = "a\\u0000b"\n'])
def test_a_nul_character_in_a_path(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str) -> None:
    config = tmp_path / "tables.toml"
    config.write_text(content)
    assert "a text with a NUL character" in refused(capsys, "watch", "--config", str(config))
    journal = tmp_path / "night.jsonl"
    journal.write_text(
        '{"id": 1, "t": 0.0, "event": "session_opened", "profile": "a\\u0000.toml", "schema": 1}\n'
    )
    assert "night.jsonl" in refused(capsys, "check", str(journal))
    refused(capsys, "check", "a\0b")


def special(folder: Path, kind: str) -> Path:
    """A pipe or a socket that nobody serves."""
    path = folder / f"{kind}.toml"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(path))
    return path


@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_what_is_no_file_is_no_source_and_is_never_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path may not be long
    path, clip = special(Path(), kind), bundled_clip("demo")
    table = ("--table", str(clip.table))
    for words in (
        ("watch", str(path), *table, "--out", "o"),
        ("review", str(path), *table, "--out", "o"),
        ("picture", str(path), "--out", "a.png"),
        ("calibrate", str(path), "--layout", "dos-panos-10", "--out", "t.toml"),
        ("enrol", "chips", str(path), *table, "--at", "1,1=a:5", "--out", "t.toml"),
    ):
        assert f"{path}: not a regular file" in refused(capsys, *words, "--lang", "en")
    calibrate = ("calibrate", "a.png", "--layout", "dos-panos-10", "--out")
    assert f"{path}: there already, and no regular file" in refused(
        capsys, *calibrate, str(path), "--lang", "en"
    )
    path.rename("a.png")
    words = ("picture", str(clip.video), "--at", "1", "--out", "a.png")
    assert "a.png: ya existe y no es un fichero normal" in refused(capsys, *words, "--lang", "es")
    assert not stat.S_ISREG(Path("a.png").stat().st_mode)


@pytest.mark.parametrize("out", ["/", "."])
def test_a_table_file_is_not_written_over_a_folder(out: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("calibrate", "a.png", "--layout", "dos-panos-10", "--out", out, "--lang", "es")
    assert refused(capsys, *words) == f"veedor calibrate: {out}: es una carpeta\n"


def test_a_picture_is_no_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clip = bundled_clip("demo")
    for name in ("felt.png", "felt.mp4"):
        picture = tmp_path / "felt.png"
        assert main(["picture", str(clip.video), "--at", "1", "--out", str(picture)]) == 0
        capsys.readouterr()
        picture.rename(tmp_path / name)
        words = (str(tmp_path / name), "--table", str(clip.table), "--out", str(tmp_path / "out"))
        for command in ("watch", "review"):
            assert f"{name}: a picture, not a recording" in refused(capsys, command, *words)
        assert not (tmp_path / "out").exists()
    assert main(["picture", str(tmp_path / "felt.mp4"), "--out", str(tmp_path / "again.png")]) == 0


def test_a_full_disk_is_told_with_the_file_it_has_no_room_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(fd: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("veedor.rules.journal.os.write", full)
    clip, out = bundled_clip("demo"), tmp_path / "out"
    words = ("watch", str(clip.video), "--table", str(clip.table), "--out", str(out), "--lang", "es")
    said = refused(capsys, *words, "--no-browser")
    assert f"{out}/journal.jsonl: no queda espacio en el disco" in said


def test_what_is_printed_cannot_steer_a_terminal() -> None:
    assert plain("a\x1b[2Jb\x07\n\tc\r") == "a\\x1b[2Jb\\x07\n\tc\r"
    assert plain('{"name": "\x9b\x7f"}') == '{"name": "\\u009b\\u007f"}'
    assert plain("paño · ñandú\n") == "paño · ñandú\n"


def test_weights_that_are_none_are_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VEEDOR_DATA", str(tmp_path))
    assert "manifest.toml: missing" in refused(capsys, "models", "promote", str(tmp_path))
    (tmp_path / "manifest.toml").write_text("a = " + "[" * 20_000)
    assert "nested too deep" in refused(capsys, "models", "promote", str(tmp_path))
