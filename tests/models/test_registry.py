"""The registry hands out only the file its manifest describes."""

from __future__ import annotations

from pathlib import Path

import pytest
from veedor.datasets.digests import sha256_of
from veedor.models.errors import WeightsError
from veedor.models.registry import ModelEntry, checked_path, read_manifest, record


def _recorded(folder: Path, name: str = "detector") -> ModelEntry:
    file = folder / f"{name}.onnx"
    file.write_bytes(b"weights of " + name.encode())
    entry = ModelEntry(
        name=name,
        file=file.name,
        sha256=sha256_of(file),
        licence="AGPL-3.0-or-later",
        trained="2026-01-31",
        data=("rendered stills", 'photographs, "quoted" \\ and all'),
        scores={"felt-webcam": {"recall": 0.97}},
    )
    record(folder, entry)
    return entry


def test_a_recorded_model_reads_back_and_its_file_is_found(tmp_path: Path) -> None:
    detector, reader = _recorded(tmp_path), _recorded(tmp_path, "reader")
    assert read_manifest(tmp_path) == {"detector": detector, "reader": reader}
    assert checked_path(tmp_path, "reader") == tmp_path / "reader.onnx"


def test_recording_again_replaces_one_model_and_keeps_the_other(tmp_path: Path) -> None:
    _recorded(tmp_path)
    reader = _recorded(tmp_path, "reader")
    (tmp_path / "detector.onnx").write_bytes(b"newer")
    newer = ModelEntry(
        "detector", "detector.onnx", sha256_of(tmp_path / "detector.onnx"), "MIT", "2026-02-01"
    )
    record(tmp_path, newer)
    assert read_manifest(tmp_path) == {"detector": newer, "reader": reader}


def test_a_changed_file_is_refused_by_name_and_hash(tmp_path: Path) -> None:
    entry = _recorded(tmp_path)
    (tmp_path / entry.file).write_bytes(b"something else")
    with pytest.raises(WeightsError, match=rf"detector\.onnx: sha256 .* is not the {entry.sha256[:12]}"):
        checked_path(tmp_path, "detector")


def test_a_missing_file_or_model_is_named(tmp_path: Path) -> None:
    entry = _recorded(tmp_path)
    (tmp_path / entry.file).unlink()
    with pytest.raises(WeightsError, match=r"detector\.onnx: missing"):
        checked_path(tmp_path, "detector")
    with pytest.raises(WeightsError, match="describes no model 'voice'"):
        checked_path(tmp_path, "voice")


@pytest.mark.parametrize("text", ["[detector]\nfile = 3\n", "not toml", 'detector = "x"\n'])
def test_a_damaged_manifest_is_one_line_naming_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.toml").write_text(text)
    with pytest.raises(WeightsError, match=r"manifest\.toml: ") as caught:
        read_manifest(tmp_path)
    assert "\n" not in str(caught.value)
