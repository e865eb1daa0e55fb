"""The reader's training: crops it is fed, photographs it straightens, checkpoints it goes on from."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from laid_cards import card_corners, laid_on
from veedor.datasets.art import RANKS, SUITS, Deck
from veedor.models.errors import TrainingError
from veedor.models.reader_faces import FACE_HEIGHT_PX, FACE_WIDTH_PX, OwnDecks, is_held_out, read_photographs
from veedor.models.reader_photographs import straighten_boxed, straighten_indexed
from veedor.models.reader_supply import Batch, CropMaker, FaceMix


@pytest.fixture(scope="module")
def batch() -> Batch:
    return CropMaker(FaceMix(), seed=5).make(48)


def _table_with(card: str, turn_deg: float) -> tuple[np.ndarray, np.ndarray]:
    """A photograph-like picture of one card on a dark table, and the card's corners in it."""
    quad = card_corners(126, turn_deg, (210, 190))
    table = np.full((380, 420, 3), (40, 60, 30), np.uint8)
    return laid_on(table, Deck(11, indexed=True).face(card), quad), quad


def test_crops_have_the_readers_shape_and_honest_labels(batch: Batch) -> None:
    assert batch.crops.shape == (48, 100, 72, 3)
    assert batch.crops.dtype == np.uint8
    ranks, suits, kinds = batch.labels.T
    assert set(kinds) <= {0, 1, 2}
    assert ((ranks >= 0) == (kinds == 0)).all()
    assert ((suits >= 0) == (kinds == 0)).all()
    assert ranks.max() < 13
    assert suits.max() < 4
    assert (batch.crops.reshape(48, -1).std(axis=1) > 1).mean() > 0.9


def test_equal_seeds_make_equal_crops(batch: Batch) -> None:
    again = CropMaker(FaceMix(), seed=5).make(8)
    assert np.array_equal(again.labels, batch.labels[:8])
    assert np.array_equal(again.crops, batch.crops[:8])


def test_held_out_decks_are_never_drawn_for_training(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: dict[bool, list[int]] = {True: [], False: []}
    for held_out in (True, False):
        decks = OwnDecks(np.random.default_rng(3), held_out=held_out)

        def noted(seed: int, *, indexed: bool, into: list[int] = seeds[held_out]) -> Deck:
            into.append(seed)
            return Deck(seed, indexed=indexed)

        monkeypatch.setattr("veedor.models.reader_faces.Deck", noted)
        for _ in range(20):
            decks.take()
    assert all(is_held_out(seed) for seed in seeds[True])
    assert not any(is_held_out(seed) for seed in seeds[False])


@pytest.mark.parametrize("turn_deg", [0, 24, -51])
def test_a_boxed_card_is_straightened_whole(tmp_path: Path, turn_deg: float) -> None:
    picture, quad = _table_with("9H", turn_deg)
    (tmp_path / "train").mkdir()
    cv2.imwrite(str(tmp_path / "train" / "one.png"), picture)
    box = [*quad.min(0).tolist(), *quad.max(0).tolist()]
    labels = {"train/one.png": [{"label": "nine", "box": box}]}
    (tmp_path / "labels.json").write_text(json.dumps(labels))
    assert straighten_boxed(tmp_path, tmp_path / "out") == 1
    straight = cv2.imread(str(tmp_path / "out" / "9_-one-0.png"))
    truth = cv2.resize(Deck(11, indexed=True).face("9H")[..., :3], (FACE_WIDTH_PX, FACE_HEIGHT_PX))
    assert straight is not None
    fault = min(np.abs(side.astype(int) - truth).mean() for side in (straight, straight[::-1, ::-1]))
    assert fault < 14
    faces = read_photographs(tmp_path / "out", np.random.default_rng(0))
    assert faces is not None
    assert (faces.take().rank, faces.take().suit) == (RANKS.index("9"), -1)


def test_two_indices_of_a_card_lead_to_its_outline(tmp_path: Path) -> None:
    picture, quad = _table_with("6S", 30)
    homography = cv2.getPerspectiveTransform(
        np.array([[0, 0], [63, 0], [63, 88], [0, 88]], np.float32), quad.astype(np.float32)
    )
    places = cv2.perspectiveTransform(np.array([[[5, 10], [58, 78]]], np.float32), homography)[0]
    boxes = [{"label": "6S", "box": [x - 8, y - 8, x + 8, y + 8]} for x, y in places.tolist()]
    cv2.imwrite(str(tmp_path / "six.png"), picture)
    (tmp_path / "labels.json").write_text(json.dumps({"six.png": boxes}))
    assert straighten_indexed(tmp_path, tmp_path / "out") == 1
    faces = read_photographs(tmp_path / "out", np.random.default_rng(0))
    assert faces is not None
    assert (faces.take().rank, faces.take().suit) == (RANKS.index("6"), SUITS.index("S"))


def test_training_goes_on_from_its_checkpoint(tmp_path: Path, batch: Batch) -> None:
    pytest.importorskip("torch")
    from veedor.models.reader_training import CHECKPOINT, ReaderOptions, _Learner

    options = ReaderOptions(tmp_path, tmp_path / "reader.onnx", steps=4, bfloat16=False)
    learner = _Learner(options)
    losses = [learner.learn(batch.crops[:8], batch.labels[:8]) for _ in range(2)]
    assert all(np.isfinite(losses))
    learner.save()
    later = _Learner(options)
    later.resume()
    assert later.step == 2
    assert later.rate() == learner.rate() < options.learning_rate
    (tmp_path / CHECKPOINT).write_bytes(b"torn")
    with pytest.raises(TrainingError, match="reader"):
        _Learner(options).resume()
