"""`veedor enrol chips` writes what it measured into the table file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from veedor.datasets.looks import random_look
from veedor.datasets.render import Renderer
from veedor.datasets.scene import ChipStyle, Scene, StackPose
from veedor.monitor.cli import main
from veedor.vision import chip_enrolment
from veedor.vision.table import Table
from veedor.vision.table_file import load_table, save_table

STYLES = (
    ChipStyle("red", 20, (176, 32, 38)),
    ChipStyle("ruby", 50, (178, 34, 39)),
    ChipStyle("blue", 100, (30, 60, 150)),
)
PLACES = {"red": (-400.0, 60.0), "ruby": (-900.0, -400.0), "blue": (500.0, 60.0)}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("enrol")
    look, camera = random_look(107, "play")
    look = replace(look, chips=STYLES)
    stacks = tuple(StackPose(name, (name,), *place, 0.0, 20.0) for name, place in PLACES.items())
    image = Renderer(look, camera).render(Scene(stacks=stacks), np.random.default_rng(1)).image
    cv2.imwrite(str(folder / "chips.png"), image)
    path = folder / "table.toml"
    save_table(Table("t", "T", "dos-panos-limitada", look.layout, (), camera), path)
    return path


def at(table: Path, name: str, value: int) -> str:
    camera = load_table(table).camera
    assert camera is not None
    x, y = camera.project(np.array([[*PLACES[name], 3.4]]))[0]
    return f"{x:.1f},{y:.1f}={name}:{value}"


def enrol(table: Path, *arguments: str) -> int:
    return main(
        [
            "--lang",
            "en",
            "enrol",
            "chips",
            str(table.with_name("chips.png")),
            "--table",
            str(table),
            *arguments,
        ]
    )


def test_chips_go_into_the_table_file(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "enrolled.toml"
    marks = ("--at", at(table, "red", 20), "--at", "1:" + at(table, "blue", 100))
    assert enrol(table, *marks, "--out", str(out), "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [chip["name"] for chip in told["chips"]] == ["red", "blue"]
    assert told["confused"] == []
    saved = load_table(out)
    assert [(chip.name, chip.value) for chip in saved.chips] == [("red", 20), ("blue", 100)]
    red = saved.chip("red").colour_rgb
    assert red[0] > 1.5 * red[1] and red[0] > 1.5 * red[2]
    assert saved.chip("red").diameter_mm == pytest.approx(40, abs=3)
    assert saved.felt_rgb is not None
    assert load_table(table).chips == ()


def test_chips_that_look_alike_are_told_and_the_status_is_1(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "enrolled.toml"
    assert enrol(table, "--at", at(table, "red", 20), "--at", at(table, "ruby", 50), "--out", str(out)) == 1
    assert "CANNOT BE TOLD APART well: red / ruby" in capsys.readouterr().out
    assert len(load_table(out).chips) == 2


def test_what_is_larger_than_any_chip_is_told_with_what_to_do(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chip_enrolment, "LARGEST_CHIP_MM2", 900.0)
    monkeypatch.setattr(chip_enrolment, "CLEAR_EDGE", 9.0)
    out = tmp_path / "enrolled.toml"
    assert enrol(table, "--at", at(table, "red", 20), "--out", str(out)) == 1
    told = capsys.readouterr().out
    assert "LARGER than any chip: red; if it is a plaque, add :plaque" in told
    assert "so the size is the usual one: red; where 40 mm is right nothing is to be done" in told
    assert enrol(table, "--at", at(table, "red", 20) + ":round", "--out", str(out), "--json") == 0
    assert json.loads(capsys.readouterr().out)["chips"][0]["larger_than_a_chip"] is False


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        ("10=red:20", "expected [N:]X,Y=NAME:VALUE"),
        ("2:10,10=red:20", "there is no picture 2"),
        ("10,10=red:0", "above 0"),
        ("10,10=red:20:99", "a stack of 1 to"),
        ("9999,10=red:20", "chips.png: red at 9999,10: outside the picture"),
        ("9999,10=red:20", "; no chip was written"),
    ],
)
def test_what_cannot_be_enrolled_is_one_line(
    table: Path, capsys: pytest.CaptureFixture[str], mark: str, words: str
) -> None:
    before = table.read_bytes()
    assert enrol(table, "--at", mark) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1
    assert table.read_bytes() == before
