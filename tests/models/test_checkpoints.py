"""The shipped weights' checkpoints: of the installed files, and refused where they are of others."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from veedor.models.checkpoints import (
    TRAINABLE,
    blend_weights,
    checkpoints_of,
    install_checkpoint,
    load_weights,
    shipped_checkpoint,
    start_path,
    write_checkpoint,
)
from veedor.models.errors import TrainingError, WeightsError
from veedor.models.registry import checked_path, read_manifest, record, weights_folder

MOST_BYTES = 15_000_000


def copied_weights(tmp_path: Path) -> Path:
    folder = tmp_path / "models" / "weights"
    shutil.copytree(weights_folder(), folder)
    shutil.copytree(checkpoints_of(weights_folder()), checkpoints_of(folder))
    return folder


@pytest.mark.parametrize("name", TRAINABLE)
def test_the_shipped_checkpoint_is_the_origin_of_the_shipped_file(name: str) -> None:
    path = shipped_checkpoint(name)
    assert path.stat().st_size < MOST_BYTES
    assert start_path(name, "shipped") == path
    assert start_path(name, None) is None
    assert start_path(name, "somewhere/last.pt") == Path("somewhere/last.pt")


def test_a_checkpoint_of_other_weights_is_refused(tmp_path: Path) -> None:
    folder = copied_weights(tmp_path)
    entry = read_manifest(folder)["reader"]
    record(folder, replace(entry, sha256="0" * 64))
    with pytest.raises(TrainingError, match="is the origin of"):
        shipped_checkpoint("reader", folder)
    assert shipped_checkpoint("detector", folder).is_file()


def test_a_changed_or_missing_checkpoint_is_refused(tmp_path: Path) -> None:
    folder = copied_weights(tmp_path)
    path = checkpoints_of(folder) / "reader.pt"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(TrainingError, match="no checkpoint of the reader"):
        shipped_checkpoint("reader", folder)
    path.unlink()
    with pytest.raises(TrainingError, match="missing"):
        shipped_checkpoint("reader", folder)


def test_weights_come_back_as_they_were_kept(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from veedor.models.reader_architecture import build_network

    network, again = build_network(), build_network()
    load_weights(network, shipped_checkpoint("reader"))
    entry = read_manifest(weights_folder())["reader"]
    path = write_checkpoint("reader", network.state_dict(), tmp_path / "checkpoints", entry)
    load_weights(again, path)
    pairs = zip(network.state_dict().values(), again.state_dict().values(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)
    with pytest.raises(TrainingError, match="weights of another network"):
        load_weights(network, shipped_checkpoint("detector"))
    (tmp_path / "torn.pt").write_bytes(b"PK no")
    with pytest.raises(TrainingError, match=r"torn\.pt: not a checkpoint"):
        load_weights(network, tmp_path / "torn.pt")


def test_a_candidate_brings_its_checkpoint_along(tmp_path: Path) -> None:
    folder, run = copied_weights(tmp_path), tmp_path / "run"
    kept = checkpoints_of(run)
    shutil.copytree(checkpoints_of(weights_folder()), kept)
    entry = replace(read_manifest(kept)["reader"], saw={"exported_as": "1" * 64})
    record(kept, entry)
    install_checkpoint("reader", run, folder)
    assert read_manifest(checkpoints_of(folder))["reader"].saw["exported_as"] == "1" * 64
    assert checked_path(checkpoints_of(folder), "reader").is_file()


def test_other_weights_are_used_where_a_variable_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "trial"
    shutil.copytree(weights_folder(), folder)
    monkeypatch.setenv("VEEDOR_WEIGHTS", str(folder))
    assert weights_folder() == folder
    monkeypatch.setenv("VEEDOR_WEIGHTS", str(tmp_path))
    with pytest.raises(WeightsError, match="VEEDOR_WEIGHTS"):
        weights_folder()


def test_a_blend_lies_between_where_it_began_and_where_it_went() -> None:
    torch = pytest.importorskip("torch")
    from veedor.models.reader_architecture import build_network

    start = shipped_checkpoint("reader")
    network, began, went = build_network(), build_network(), build_network()
    load_weights(began, start)
    network.load_state_dict(went.state_dict())
    blend_weights(network, start, 0.25)
    for key, value in network.state_dict().items():
        if value.dtype.is_floating_point:
            expected = 0.75 * began.state_dict()[key] + 0.25 * went.state_dict()[key]
            assert torch.allclose(value, expected, atol=1e-5)
