"""`veedor simulate`: its files, its refusals."""

from __future__ import annotations

import json
from pathlib import Path

import av
import pytest
from veedor.datasets.play import DEVIATIONS
from veedor.monitor.cli import main
from veedor.rules.journal import read_journal
from veedor.vision.table_file import load_table

FILES = {"announcements.jsonl", "boxes.jsonl", "findings.jsonl", "table.toml", "truth.jsonl"}


def simulate(out: Path, *more: str) -> int:
    return main(["simulate", "--seed", "3", "--coups", "1", "--no-video", "--out", str(out), *more])


def test_it_writes_a_session_without_its_video(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate(tmp_path / "one", "--infraction", "DEAL_ORDER", "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert [finding["code"] for finding in summary["findings"]] == ["DEAL_ORDER"]
    assert {path.name for path in (tmp_path / "one").iterdir()} == FILES
    truth = read_journal(tmp_path / "one" / "truth.jsonl")
    assert truth.faults == () and len(truth.events) == summary["events"]
    spoken = read_journal(tmp_path / "one" / "announcements.jsonl")
    assert spoken.faults == ()
    assert {event.source for event in spoken.events} == {"voice", "operator"}
    table = load_table(tmp_path / "one" / "table.toml")
    assert table.camera is not None and (table.reprojection_error_mm or 0.0) < 0.5
    lines = (tmp_path / "one" / "boxes.jsonl").read_text().splitlines()
    frames = [json.loads(line) for line in lines]
    assert [frame["index"] for frame in frames] == list(range(len(frames)))
    assert frames[10]["t"] == pytest.approx(0.8)
    classes = {box["class"] for frame in frames for box in frame["objects"]}
    assert {"card_back", "card_face", "chip_stack", "hand", "pala"} <= classes


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert simulate(tmp_path / name, "--infraction", "random:1") == 0
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_frames_of_the_video_stand_at_their_times(tmp_path: Path) -> None:
    arguments = ["--seed", "3", "--coups", "1", "--size", "320x320", "--fps", "1", "--out", str(tmp_path)]
    assert main(["simulate", *arguments]) == 0
    with av.open(str(tmp_path / "video.mp4")) as container:
        stream = container.streams.video[0]
        assert stream.time_base is not None
        times = [float((frame.pts or 0) * stream.time_base) for frame in container.decode(stream)]
    lines = (tmp_path / "boxes.jsonl").read_text().splitlines()
    assert times == pytest.approx([json.loads(line)["t"] for line in lines])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--infraction", "NO_SUCH_CODE"], "NO_SUCH_CODE"),
        (["--infraction", "DEAL_ORDER@7"], "DEAL_ORDER"),
        (["--infraction", "random:x"], "random"),
        (["--infraction", "random:9"], "9"),
        (["--profile", "chemin-de-fer"], "chemin-de-fer"),
    ],
)
def test_what_cannot_be_played_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    assert simulate(tmp_path / "out", *more) == 2
    fault = capsys.readouterr().err.strip()
    assert message in fault and "\n" not in fault
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("more", [["--size", "321x240"], ["--fps", "0"], ["--coups", "0"]])
def test_bad_values_are_refused(tmp_path: Path, more: list[str]) -> None:
    try:
        status = simulate(tmp_path / "out", *more)
    except SystemExit as end:
        status = int(str(end.code))
    assert status == 2


@pytest.mark.parametrize("profile", ["punto-banco-pr", "punto-y-banca-ar"])
def test_a_game_without_a_felt_is_played_where_no_picture_is_asked_for(
    profile: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert simulate(tmp_path / "one", "--profile", profile, "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    names = {path.name for path in (tmp_path / "one").iterdir()}
    assert names == {"announcements.jsonl", "findings.jsonl", "truth.jsonl"}
    truth = read_journal(tmp_path / "one" / "truth.jsonl")
    assert truth.faults == () and len(truth.events) == summary["events"] > 10
    assert main(["check", str(tmp_path / "one" / "truth.jsonl")]) == 0


def test_such_a_game_cannot_be_filmed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["simulate", "--seed", "3", "--coups", "1", "--out", str(tmp_path / "one")]
    assert main([*arguments, "--profile", "punto-banco-pr", "--lang", "en"]) == 2
    assert "there is nothing to film" in capsys.readouterr().err and not (tmp_path / "one").exists()


def test_an_open_bank_is_played_on_the_felt(tmp_path: Path) -> None:
    assert simulate(tmp_path / "one", "--profile", "dos-panos-libre") == 0
    assert {path.name for path in (tmp_path / "one").iterdir()} == FILES


def test_help_says_what_can_be_filmed_and_what_only_a_journal_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["--lang", "en", "simulate", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    filmed, _, others = told.partition("Only with --no-video")
    hidden = sorted(code for code, kind in DEVIATIONS.items() if not kind.on_felt)
    assert hidden and all(code in others and code not in filmed for code in hidden)
    assert all(code in told for code in DEVIATIONS)
    code = "BANCO_REPEAT_EXCESS"
    assert simulate(tmp_path / "one", "--coups", "4", "--infraction", code) == 0
    found = [json.loads(line) for line in (tmp_path / "one" / "findings.jsonl").read_text().splitlines()]
    assert [each["code"] for each in found] == [code]
    filming = ["simulate", "--seed", "3", "--infraction", code, "--out", str(tmp_path / "two")]
    assert main([*filming, "--lang", "en"]) == 2
    assert "cannot be filmed" in capsys.readouterr().err and not (tmp_path / "two").exists()
