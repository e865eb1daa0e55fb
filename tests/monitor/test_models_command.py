"""`veedor models promote` says what got worse and ends with 1; what is as good is installed."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from veedor.models import labelled_sets
from veedor.models.registry import checked_path, read_manifest, weights_folder
from veedor.models.rendered_set import load_rendered
from veedor.monitor.cli import main

sys.path.insert(0, str(Path(__file__).parents[1] / "models"))
from weights_on_trial import copy_weights, spoil


@pytest.fixture(autouse=True)
def few_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VEEDOR_DATA", raising=False)
    monkeypatch.setattr(labelled_sets, "load_rendered", lambda: load_rendered(4))


def test_worse_weights_are_refused_by_name_and_the_status_is_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = copy_weights(tmp_path / "weights")
    candidate = copy_weights(tmp_path / "candidate", "reader")
    spoil(candidate, "reader", 0.5)
    sha256 = read_manifest(weights)["reader"].sha256
    assert main(["--lang", "en", "models", "promote", str(candidate), "--into", str(weights)]) == 1
    told = capsys.readouterr()
    assert "NOTHING is replaced" in told.out and "rendered: rank" in told.out
    assert "own drawings only" in told.err
    assert read_manifest(weights)["reader"].sha256 == sha256
    checked_path(weights, "reader")


def test_weights_that_are_as_good_are_installed_with_the_scorecard(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = copy_weights(tmp_path / "models" / "weights")
    candidate = copy_weights(tmp_path / "candidate", "stacks")
    page = tmp_path / "models" / "SCORECARD.md"
    page.write_text("old")
    assert main(["models", "promote", str(candidate), "--into", str(weights), "--dry-run"]) == 0
    assert page.read_text() == "old"
    capsys.readouterr()
    assert main(["models", "promote", str(candidate), "--into", str(weights), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["installed"] == ["stacks"]
    assert page.read_text().startswith("# Scorecard")
    record = json.loads((tmp_path / "models" / "scores.json").read_text())
    assert record["weights"]["stacks"] == read_manifest(weights)["stacks"].sha256


def test_a_folder_without_a_manifest_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "nothing"
    folder.mkdir()
    shutil.copyfile(weights_folder() / "reader.onnx", folder / "reader.onnx")
    assert main(["--lang", "en", "models", "promote", str(folder)]) == 2
    assert "manifest.toml: missing" in capsys.readouterr().err


def test_the_installed_models_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "list", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"detector", "reader", "stacks"}
