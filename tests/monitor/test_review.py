"""A review ends in the same bytes however often it was killed, and refuses bad inputs in one line."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from small_tables import small_table
from veedor.monitor import cli
from veedor.monitor.bundled import bundled_clip
from veedor.rules.journal import read_journal
from veedor.vision.table_file import load_table, save_table

SECONDS, SCALE, RATE_FPS = 13.0, 2, 12.5
SEGMENT_S = 3
SEGMENTS = 5


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first seconds of the bundled session at half size: stakes, one late, and the first cards."""
    folder = tmp_path_factory.mktemp("session")
    clip = bundled_clip("demo")
    with av.open(str(clip.video)) as source, av.open(str(folder / "video.mp4"), "w") as copy:
        read = source.streams.video[0]
        written = copy.add_stream("libx264", rate=Fraction(RATE_FPS), options={"crf": "20", "g": "25"})
        written.width, written.height = read.width // SCALE, read.height // SCALE
        written.pix_fmt = "yuv420p"
        for number, frame in enumerate(source.decode(read)):
            if number >= SECONDS * RATE_FPS:
                break
            small = frame.reformat(width=written.width, height=written.height, format="yuv420p")
            small.pts, small.time_base, small.pict_type = number * 2, Fraction(1, 25), 0
            copy.mux(written.encode(small))
        copy.mux(written.encode(None))
    save_table(small_table(load_table(clip.table), SCALE), folder / "table.toml")
    words = clip.announcements.read_text("utf-8").splitlines(keepends=True)
    early = [line for line in words if json.loads(line)["t"] < SECONDS]
    (folder / "announcements.jsonl").write_text("".join(early), "utf-8")
    return folder


def command(session: Path, out: Path, *options: str) -> list[str]:
    return [
        sys.executable, "-m", "veedor.monitor.cli", "review", str(session / "video.mp4"),
        "--table", str(session / "table.toml"), "--events", str(session / "announcements.jsonl"),
        "--out", str(out), "--segment", str(SEGMENT_S), "--lang", "en", "--json", *options,
    ]  # fmt: skip


def review(session: Path, out: Path, *options: str) -> dict[str, object]:
    done = subprocess.run(
        command(session, out, *options), capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    summary: dict[str, object] = json.loads(done.stdout)
    return summary


def killed(session: Path, out: Path, moment: Callable[[Path], bool], *options: str) -> None:
    """Start a review and kill it, as `kill -9` does, once `moment` has come."""
    program = subprocess.Popen(
        command(session, out, *options), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while not moment(out) and program.poll() is None:
            time.sleep(0.002)
    finally:
        os.kill(program.pid, signal.SIGKILL)
        program.wait()


def contents(out: Path) -> dict[str, bytes]:
    """Everything a review leaves but its work folder."""
    files = [path for path in sorted(out.rglob("*")) if path.is_file() and ".work" not in path.parts]
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


def segments_done(count: int) -> Callable[[Path], bool]:
    return lambda out: len(list(out.glob(".work/results/*.percepts"))) >= count


@pytest.fixture(scope="module")
def whole(session: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of a review that nobody disturbed, in one process."""
    out = tmp_path_factory.mktemp("whole") / "out"
    summary = review(session, out, "--workers", "1")
    assert summary["segments"] == SEGMENTS and summary["resumed"] == 0
    return out


def test_a_review_leaves_journal_findings_report_and_clips(whole: Path) -> None:
    reading = read_journal(whole / "journal.jsonl")
    assert reading.faults == ()
    names = {type(event).__name__ for event in reading.events}
    assert {"SessionOpened", "BettingClosed", "BetPlaced"} <= names
    findings = [json.loads(line) for line in (whole / "findings.jsonl").read_text().splitlines()]
    assert "BET_AFTER_NMV" in {finding["code"] for finding in findings}
    assert len(list((whole / "clips").iterdir())) == len(findings)
    report = (whole / "report.html").read_text("utf-8")
    assert report.count("data:image/jpeg;base64,") == len(findings)


def test_the_report_speaks_both_languages_and_asks_for_nothing_from_outside(whole: Path) -> None:
    report = (whole / "report.html").read_text("utf-8")
    for words in ("Jugada", "Coup", "hagan juego", "betting opened", "Remedio", "Remedy", "001 VII p3"):
        assert words in report
    bare = re.sub(r"data:image/jpeg;base64,[A-Za-z0-9+/=]+", "", report)
    assert "http://" not in bare and "https://" not in bare and "<script" not in bare


def test_the_outputs_name_no_folder_and_no_time_of_day(session: Path, whole: Path) -> None:
    for name, content in contents(whole).items():
        if not name.endswith(".mp4"):
            assert str(session).encode() not in content, name
            assert time.strftime("%Y-%m-%d").encode() not in content, name


def test_a_review_killed_again_and_again_ends_in_the_same_bytes(
    session: Path, whole: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    killed(session, out, lambda out: (out / ".work").is_dir(), "--workers", "2")
    killed(session, out, segments_done(1), "--workers", "2")
    killed(session, out, segments_done(SEGMENTS - 1), "--workers", "2")
    killed(session, out, lambda out: (out / ".work" / "journal.jsonl.new").exists(), "--workers", "2")
    summary = review(session, out, "--workers", "2")
    assert summary["resumed"] == SEGMENTS
    assert contents(out) == contents(whole)
    assert not list(out.rglob("*.part"))


def test_a_damaged_segment_is_perceived_anew(session: Path, whole: Path, tmp_path: Path) -> None:
    before = contents(whole)
    results = sorted((whole / ".work" / "results").glob("*.percepts"))
    data = bytearray(results[2].read_bytes())
    data[len(data) // 2] ^= 0xFF
    results[2].write_bytes(data)
    assert review(session, whole, "--workers", "1")["resumed"] == SEGMENTS - 1
    assert contents(whole) == before


def test_ctrl_c_ends_a_review_and_its_workers_at_once(session: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    program = subprocess.Popen(
        command(session, out, "--workers", "2"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not segments_done(1)(out) and program.poll() is None:
        time.sleep(0.01)
    os.killpg(program.pid, signal.SIGINT)
    _, shown = program.communicate(timeout=60)
    assert program.returncode == 130, shown
    assert "Traceback" not in shown and shown.rstrip().endswith("veedor: interrupted")
    assert not segments_done(SEGMENTS)(out)


def test_other_inputs_are_reviewed_anew(session: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    killed(session, out, segments_done(1), "--workers", "1")
    (out / "journal.jsonl").write_text("of other inputs")
    table = tmp_path / "table.toml"
    table.write_bytes((session / "table.toml").read_bytes() + b"\n# changed\n")
    other = [str(table) if each == str(session / "table.toml") else each for each in command(session, out)]
    program = subprocess.Popen(other, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while (out / "journal.jsonl").exists() and program.poll() is None:
            time.sleep(0.01)
        assert program.poll() is None, "results of other inputs stood until the end"
    finally:
        program.kill()
        program.wait()


class Inputs:
    """A good video and table, each of which a test may spoil."""

    def __init__(self, folder: Path) -> None:
        self.video, self.table, self.out = folder / "v.mp4", folder / "t.toml", folder / "out"
        self.table.write_bytes(bundled_clip("demo").table.read_bytes())
        with av.open(str(self.video), "w") as container:
            stream = container.add_stream("libx264", rate=10)
            stream.width, stream.height, stream.pix_fmt = 160, 96, "yuv420p"
            for number in range(30):
                image = np.full((96, 160, 3), 8 * number, np.uint8)
                container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="bgr24")))
            container.mux(stream.encode(None))

    def refusal(self, capsys: pytest.CaptureFixture[str], *options: str) -> str:
        arguments = ["review", str(self.video), "--table", str(self.table), "--out", str(self.out), *options]
        assert cli.main([*arguments, "--lang", "en"]) == 2
        shown = capsys.readouterr()
        assert shown.out == "" and shown.err.count("\n") == 1, shown.err
        assert not (self.out / "journal.jsonl").exists()
        return shown.err


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    return Inputs(tmp_path)


def test_a_text_named_mp4(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    inputs.video.write_text("not a video at all\n" * 40)
    assert f"{inputs.video}: not a video that can be read" in inputs.refusal(capsys)


def test_an_empty_file(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    inputs.video.write_bytes(b"")
    assert f"{inputs.video}: empty file" in inputs.refusal(capsys)


def test_a_missing_video(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    inputs.video.unlink()
    assert f"{inputs.video}: no such file" in inputs.refusal(capsys)


def test_a_truncated_mp4(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    inputs.video.write_bytes(inputs.video.read_bytes()[:-400])
    assert str(inputs.video) in inputs.refusal(capsys)


def test_a_video_of_another_size_than_the_table(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"{inputs.video}: 160 x 96 pixels, the table is calibrated for" in inputs.refusal(capsys)


def test_a_video_that_its_metadata_turns_out_of_the_tables_size(
    inputs: Inputs, capsys: pytest.CaptureFixture[str]
) -> None:
    turned = inputs.video.with_name("turned.mp4")
    with av.open(str(inputs.video)) as source, av.open(str(turned), "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        stream.set_display_rotation(90)
        for packet in source.demux(source.streams.video[0]):
            if packet.dts is not None:
                packet.stream = stream
                target.mux(packet)
    inputs.video = turned
    assert f"{turned}: 96 x 160 pixels, the table is calibrated for" in inputs.refusal(capsys)


def test_a_missing_table_file(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    inputs.table.unlink()
    assert f"{inputs.table}: no such file" in inputs.refusal(capsys)


def test_a_self_crossing_zone(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    crossed = "polygon_mm = [[0.0, 0.0], [100.0, 100.0], [100.0, 0.0], [0.0, 90.0]]"
    text = re.sub(r"polygon_mm = \[\[.*?\]\]", crossed, inputs.table.read_text(), count=1, flags=re.DOTALL)
    inputs.table.write_text(text)
    line = inputs.refusal(capsys)
    assert str(inputs.table) in line and "crosses" in line


def test_a_table_with_an_unknown_profile(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    text = re.sub(r'profile = "[^"]*"', 'profile = "poker"', inputs.table.read_text(), count=1)
    inputs.table.write_text(text)
    line = inputs.refusal(capsys)
    assert f"{inputs.table}: profile: expected one of dos-panos-limitada" in line and "'poker'" in line


def test_a_folder_given_as_events(inputs: Inputs, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert f"{tmp_path}: a folder" in inputs.refusal(capsys, "--events", str(tmp_path))


def test_events_that_are_none(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    line = inputs.refusal(capsys, "--events", str(inputs.video))
    assert f"{inputs.video}: neither a journal" in line


@pytest.mark.parametrize(
    ("option", "value"),
    [("--workers", "0"), ("--workers", "999999999"), ("--segment", "0"), ("--segment", "nan")],
)
def test_options_out_of_range(
    inputs: Inputs, capsys: pytest.CaptureFixture[str], option: str, value: str
) -> None:
    assert f"{option} {value}" in inputs.refusal(capsys, option, value)
