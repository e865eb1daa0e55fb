"""Versions of labels: whole or not there, never changed, checked when read, split by session."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np
import pytest
from veedor.datasets.formats.splits import Shares
from veedor.datasets.labelled import LabelledObject, LabelledPicture
from veedor.models.detector_tiles import TileStores, write_tile
from veedor.models.detector_training import RunPlan
from veedor.models.errors import EvaluationError
from veedor.models.labelled_version import held_out_set, read_version
from veedor.models.labelled_version_crops import LabelledCards, card_patches
from veedor.models.labelled_version_tiles import MixedTiles, version_tiles
from veedor.monitor import cli
from veedor.monitor.labelling.revisions import LabelFault, State
from veedor.monitor.labelling.store import LabelStore
from veedor.monitor.labelling.versions import freeze, versions_of
from veedor.vision.detections import ObjectClass

IMAGE = np.random.default_rng(5).integers(0, 255, (300, 400, 3), np.uint8)


def card(name: str, x: float, rank: str = "7", **more: object) -> LabelledObject:
    corners = ((x, 50.5), (x + 30, 50.5), (x + 30, 92.0), (x, 92.0))
    return LabelledObject(name, ObjectClass.CARD_FACE, corners, rank, "H", **more)  # type: ignore[arg-type]


def add(store: LabelStore, name: str, session: str, split: str | None, *, done: bool = True) -> None:
    picture = LabelledPicture(
        name, "ab" * 32, 512 + len(store.pictures()), Fraction(1, 12800), 400, 300, session, "m1", split,
        "model", 0, (card("a", 40.0), card("b", 200.25)),
    )  # fmt: skip
    store.add(picture, IMAGE)
    if done:
        objects = (card("a", 40.5, "9"), card("b", 200.25, extra=(("visible_fraction", "0.1"),)))
        store.save(name, objects, "ana", 0, State.DONE)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    store = LabelStore(tmp_path)
    add(store, "p1", "m1/A", "train")
    add(store, "p2", "m1/B", "test")
    add(store, "p3", "m1/A", "train", done=False)
    return tmp_path


def test_a_version_holds_what_is_done_and_nothing_else(data: Path) -> None:
    frozen = freeze(data)
    version = read_version(frozen.folder)
    assert frozen.pictures == {"train": 1, "test": 1}
    assert [each.id for each in version.training] == ["p1"]
    assert [each.id for each in version.held_out] == ["p2"]
    assert version.pictures[0].objects[0].rank == "9" and version.pictures[0].author == "ana"
    assert np.array_equal(cv2.imread(str(version.file_of(version.pictures[0]))), IMAGE)


def test_nothing_done_or_nothing_new_makes_no_version(data: Path, tmp_path: Path) -> None:
    freeze(data)
    with pytest.raises(LabelFault, match="nothing has changed"):
        freeze(data)
    assert len(versions_of(data)) == 1
    with pytest.raises(LabelFault, match="no picture's labels are done"):
        freeze(tmp_path / "empty")


def test_later_corrections_make_another_version_and_leave_the_first(data: Path) -> None:
    first = freeze(data).folder
    before = (first / "manifest.json").read_bytes()
    store = LabelStore(data)
    store.save("p1", [card("a", 40.5, "8")], "bea", store.latest("p1").number, State.DONE)
    second = freeze(data)
    assert second.number == 2 and (first / "manifest.json").read_bytes() == before
    assert read_version(first).pictures[0].objects[0].rank == "9"
    assert read_version(second.folder).pictures[0].objects[0].rank == "8"


@pytest.mark.parametrize(
    "name", ["labels.jsonl", "images/train/p1.png", "labels/test/p2.txt", "data.yaml", "exact.jsonl"]
)
def test_a_changed_file_is_named(data: Path, name: str) -> None:
    path = freeze(data).folder / name
    path.chmod(0o644)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(EvaluationError, match=path.name):
        read_version(path.parents[len(Path(name).parts) - 1])


def test_a_missing_file_and_a_manifest_that_leads_out_are_refused(data: Path) -> None:
    folder = freeze(data).folder
    (folder / "images/train/p1.png").unlink()
    with pytest.raises(EvaluationError, match=r"p1\.png: missing"):
        read_version(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"] = {"../../../x": "0" * 64}
    (folder / "manifest.json").chmod(0o644)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(EvaluationError, match="leads out"):
        read_version(folder)


def test_measured_are_the_held_out_pictures_and_what_shows_of_them(data: Path) -> None:
    labelled = held_out_set(read_version(freeze(data).folder))
    assert labelled.name == "labels-1" and len(labelled.pictures) == 1
    cards = labelled.pictures[0].cards
    assert [each.asked for each in cards] == [True, False]
    assert np.allclose(cards[0].corners_px[0], (40.0, 50.0))  # from the pixel's middle
    assert cards[0].rank == "9"


def test_tiles_and_crops_come_from_training_pictures_alone(data: Path) -> None:
    version = read_version(freeze(data).folder)
    tiles = version_tiles(version, version.training)
    assert tiles and all(tile.name.startswith("p1-") for tile in tiles)
    # Cards of 30 px are brought to the scale of a look; only the one that shows is asked for.
    widths = [float(np.linalg.norm(tile.corners_px[0][1] - tile.corners_px[0][0])) for tile in tiles]
    assert abs(widths[0] - 31.5) < 1.0 and all(len(tile.class_ids) == 1 for tile in tiles)
    patches = card_patches(version, version.training)
    assert [(each.rank, each.suit) for each in patches] == [(8, 1)]
    sample = LabelledCards(patches, np.random.default_rng(1)).sample()
    assert sample.crop.shape == (100, 72, 3) and (sample.rank, sample.suit, sample.kind) == (8, 1, 0)


def test_a_pass_without_rehearsal_is_the_labelled_tiles(data: Path) -> None:
    version = read_version(freeze(data).folder)
    tiles = MixedTiles(version_tiles(version, version.training), None, 0.5)
    assert tiles.epoch(np.random.default_rng(1)) == list(tiles.labelled)


def test_half_of_a_pass_is_what_was_learnt_before(data: Path, tmp_path: Path) -> None:
    for number in range(40):
        write_tile(tmp_path / "earlier", f"t{number}", IMAGE, np.zeros((0, 4, 2)), np.zeros(0, np.int64))
    version = read_version(freeze(data).folder)
    labelled = version_tiles(version, version.training)
    tiles = MixedTiles(labelled, TileStores([tmp_path / "earlier"]), 0.5)
    names = [tile.name for tile in tiles.epoch(np.random.default_rng(1))]
    assert len(names) == 2 * len(labelled)
    assert sum(name.startswith("t") for name in names) == len(labelled)
    assert names != [tile.name for tile in tiles.epoch(np.random.default_rng(2))]


def test_runs_of_so_many_steps_warm_up_within_them() -> None:
    assert RunPlan(minutes=90).warm_up_steps == 200
    assert RunPlan(minutes=0, steps=100).warm_up_steps == 20


def test_the_command_freezes_and_checks(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["label", "version", "--data", str(data), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["pictures"] == {"test": 1, "train": 1}
    assert cli.main(["label", "version", "--data", str(data), "--check", "1"]) == 0
    assert cli.main(["--lang", "en", "label", "version", "--data", str(data)]) == 2
    assert "nothing has changed" in capsys.readouterr().err
    assert cli.main(["label", "version", "--data", str(data), "--check", "7"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_version_without_held_out_pictures_does_not_count_at_the_gate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add(LabelStore(tmp_path), "p1", "m1/A", "train")
    folder = str(freeze(tmp_path).folder)
    assert cli.main(["--lang", "en", "models", "promote", str(tmp_path), "--labels", folder]) == 2
    assert "none is held out" in capsys.readouterr().err
    assert cli.main(["--lang", "en", "train", "detector", "--run", str(tmp_path), "--labels", folder]) == 2
    assert "say with --start-from" in capsys.readouterr().err


def test_sessions_are_held_out_by_their_names(tmp_path: Path) -> None:
    store = LabelStore(tmp_path)
    for number in range(12):
        add(store, f"p{number}", f"m1/S{number // 2}", None)
    version = read_version(freeze(tmp_path, Shares(0.25, 0.25)).folder)
    splits = {}
    for each in version.pictures:
        assert splits.setdefault(each.session, each.split) == each.split
    assert len(set(splits.values())) > 1
