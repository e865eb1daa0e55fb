"""Weights that got worse do not take the place of the shipped ones; weights that did not, do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from veedor.datasets.digests import sha256_of
from veedor.models.errors import PromotionError, WeightsError
from veedor.models.figures import Figure
from veedor.models.labels import LabelledSet
from veedor.models.promotion import _change, compare, install
from veedor.models.provenance import store_digest, write_candidate
from veedor.models.registry import checked_path, read_manifest
from veedor.models.rendered_set import load_rendered
from veedor.models.scorecard import as_record
from weights_on_trial import copy_weights, spoil

PICTURES = 6


@pytest.fixture(scope="module")
def drawn() -> LabelledSet:
    return load_rendered(PICTURES)


@pytest.mark.parametrize("name", ["reader", "detector"])
def test_weights_that_got_worse_are_refused(tmp_path: Path, drawn: LabelledSet, name: str) -> None:
    weights = copy_weights(tmp_path / "weights")
    candidate = copy_weights(tmp_path / "candidate", name)
    spoil(candidate, name, 0.5)
    before = {path.name: path.read_bytes() for path in weights.iterdir()}
    comparison = compare(candidate, weights, [drawn], threads=1)
    figure = {"reader": "rendered: rank:", "detector": "rendered: recall:"}[name]
    assert any(fault.startswith(figure) for fault in comparison.faults)
    with pytest.raises(PromotionError, match="not promoted"):
        install(candidate, weights, comparison)
    assert {path.name: path.read_bytes() for path in weights.iterdir()} == before


def test_weights_that_are_as_good_take_their_place_with_what_they_saw(
    tmp_path: Path, drawn: LabelledSet
) -> None:
    weights = copy_weights(tmp_path / "weights")
    spoil(weights, "reader", 0.5)
    candidate = copy_weights(tmp_path / "candidate", "reader")
    tiles = tmp_path / "tiles"
    tiles.mkdir()
    (tiles / "a.jpg").write_bytes(b"picture")
    write_candidate(
        "reader", candidate / "reader.onnx", ["own drawings"], {"stores": [store_digest(tiles)], "steps": 7}
    )
    comparison = compare(candidate, weights, [drawn], threads=1)
    assert comparison.faults == ()
    assert install(candidate, weights, comparison) == ["reader"]
    entry = read_manifest(weights)["reader"]
    assert checked_path(weights, "reader").read_bytes() == (candidate / "reader.onnx").read_bytes()
    assert entry.saw["steps"] == 7
    assert "tiles: 1 files, sha256 of names and sizes" in str(entry.saw["stores"])
    assert entry.scores["rendered"]["rank"] > 0.3
    assert set(read_manifest(weights)) == {"detector", "reader", "stacks"}
    assert as_record(comparison.after)["weights"]["reader"] == entry.sha256


def test_a_candidate_must_be_the_file_that_its_manifest_describes(tmp_path: Path, drawn: LabelledSet) -> None:
    weights = copy_weights(tmp_path / "weights")
    candidate = copy_weights(tmp_path / "candidate", "reader")
    (candidate / "reader.onnx").write_bytes(b"something else")
    with pytest.raises(WeightsError, match="is not the"):
        compare(candidate, weights, [drawn], threads=1)


def _figure(wrong: int, n: int, target: float | None = None, *, at_most: bool = False) -> Figure:
    items = {f"p#{number}": (number < wrong) is at_most for number in range(n)}
    return Figure("made", "share", sum(items.values()), n, target, at_most=at_most, items=items)


@pytest.mark.parametrize(
    ("before", "after", "worse"),
    [
        (_figure(3, 100), _figure(3, 100), False),
        (_figure(3, 100), _figure(4, 100), False),
        (_figure(3, 100), _figure(5, 100), True),
        (_figure(30, 1000), _figure(35, 1000), False),
        (_figure(30, 1000), _figure(36, 1000), True),
        (_figure(3, 100, 0.97), _figure(4, 100, 0.97), True),
        (_figure(0, 92, 0.99), _figure(1, 94, 0.99), False),
        (_figure(0, 92, 0.99), _figure(1, 92, 0.99), True),
        (_figure(0, 92, 0.99), _figure(2, 96, 0.99), True),
        (_figure(5, 100), _figure(3, 100), False),
        (_figure(0, 40, at_most=True), _figure(2, 40, at_most=True), True),
        (_figure(2, 40, at_most=True), _figure(0, 40, at_most=True), False),
        (_figure(3, 100), Figure("made", "share", 0, 0), True),
    ],
)
def test_one_thing_more_may_be_chance_two_are_not(before: Figure, after: Figure, worse: bool) -> None:
    assert (_change(before, after).fault is not None) is worse


def test_what_was_lost_counts_even_where_as_much_was_gained() -> None:
    before = _figure(3, 100)
    other = {
        key: right if number > 5 else not right for number, (key, right) in enumerate(before.items.items())
    }
    change = _change(before, replace(before, items=other))
    assert (change.lost, change.gained, change.fault) == (3, 3, None)


def test_what_training_began_with_is_part_of_what_was_seen(tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.mkdir()
    for name in ("detector.onnx", "last.pt"):
        (base / name).write_bytes(b"1")
    write_candidate("detector", base / "detector.onnx", ["drawings"], {"steps": 5})
    run = tmp_path / "run"
    run.mkdir()
    (run / "detector.onnx").write_bytes(b"2")
    write_candidate("detector", run / "detector.onnx", ["photographs"], {"steps": 9}, base / "last.pt")
    entry = read_manifest(run)["detector"]
    assert entry.data == ("photographs", "drawings")
    assert (entry.saw["steps"], entry.saw["base_steps"]) == (9, 5)
    assert entry.saw["base"] == f"last.pt sha256 {sha256_of(base / 'last.pt')}"
