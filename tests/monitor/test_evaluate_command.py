"""`veedor evaluate` says in one line what is missing, and finds the labelled sets where it is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from veedor.monitor.cli import main
from veedor.monitor.commands.evaluate import data_folder
from veedor.monitor.errors import UsageFault


def _fault(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["--lang", "en", "evaluate", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def test_an_unknown_set_names_the_known_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "known are felt-webcam" in _fault(capsys, "--set", "nonsense", "--data", str(tmp_path))


def test_a_missing_folder_and_a_missing_set_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = tmp_path / "absent"
    assert str(absent) in _fault(capsys, "--set", "photoreal", "--data", str(absent))
    assert str(tmp_path) in _fault(capsys, "--set", "photoreal", "--data", str(tmp_path))


def test_the_folder_comes_from_the_option_then_the_variable_then_the_neighbourhood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    (work / "given").mkdir()
    assert data_folder(Path("given"), {"VEEDOR_DATA": "set"}) == Path("given")
    assert data_folder(None, {"VEEDOR_DATA": "set"}) == Path("set")
    with pytest.raises(UsageFault):
        data_folder(None, {})
    (tmp_path / "shared" / "data").mkdir(parents=True)
    assert data_folder(None, {}).resolve() == (tmp_path / "shared" / "data").resolve()
