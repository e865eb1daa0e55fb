"""Scoring of found cards against labelled ones, on made cases and made sets."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from veedor.models.errors import EvaluationError
from veedor.models.evaluation import as_json
from veedor.models.labelled_sets import load_set
from veedor.models.labels import CardLabel, LabelledPicture, LabelledSet, upright
from veedor.models.scoring import FoundCard, FoundThings, match, precision, score_set, shares
from veedor.vision.obb import corners_from_xywhr


def _quad(x: float, y: float, width: float = 31, height: float = 44, degrees: float = 0.0) -> np.ndarray:
    return corners_from_xywhr(np.array([[x, y, width, height, np.deg2rad(degrees)]]))[0]


def _set(*cards: CardLabel, **options: bool) -> LabelledSet:
    return LabelledSet("made", (LabelledPicture(Path("p.png"), cards),), **options)


def _things(*cards: FoundCard) -> FoundThings:
    return FoundThings(cards, (), (640, 480))


def test_each_truth_is_matched_once_and_the_better_score_goes_first() -> None:
    truth = np.stack([_quad(100, 100), _quad(300, 100)])
    found = np.stack([_quad(101, 100), _quad(100, 101), _quad(303, 100)])
    assert {row: column for row, (column, _) in match(truth, found, np.array([0.6, 0.9, 0.4])).items()} == {
        0: 1,
        1: 2,
    }


def test_too_little_overlap_is_a_miss_and_a_false_card() -> None:
    scores = score_set(_set(CardLabel(_quad(100, 100))), [_things(FoundCard(_quad(120, 100), 0.9, True))])
    assert shares(scores.outcomes).recall == 0
    assert precision(scores) == 0


def test_ranks_and_suits_count_over_all_cards_found_or_not() -> None:
    labelled = _set(
        CardLabel(_quad(100, 100), "7", "H", True),
        CardLabel(_quad(200, 100), "K", "S", True),
        CardLabel(_quad(300, 100), "9", "D", True),
        CardLabel(_quad(400, 100), None, None, False),
    )
    found = _things(
        FoundCard(_quad(100, 100), 0.9, True, "7", "D"),
        FoundCard(_quad(200, 100), 0.9, True, "K", "S"),
        FoundCard(_quad(400, 100), 0.9, False),
    )
    part = shares(score_set(labelled, [found]).outcomes)
    assert (part.recall, part.rank_right, part.suit_right) == (
        0.75,
        pytest.approx(2 / 3),
        pytest.approx(1 / 3),
    )
    assert part.face_right == 0.75


def test_a_card_not_asked_for_is_neither_missed_nor_false() -> None:
    labelled = _set(CardLabel(_quad(100, 100), asked=False), CardLabel(_quad(300, 100)))
    found = FoundCard(_quad(100, 100), 0.9, True), FoundCard(_quad(300, 100), 0.8, True)
    for seen in (found, found[1:]):
        scores = score_set(labelled, [_things(*seen)])
        assert len(scores.outcomes) == 1
        assert shares(scores.outcomes).recall == precision(scores) == 1


def test_upright_labels_are_compared_with_upright_boxes_of_what_was_found() -> None:
    turned = _quad(300, 200, 60, 84, 40)
    box = np.concatenate([turned.min(axis=0), turned.max(axis=0)])
    labelled = _set(CardLabel(upright(box)), upright_boxes=True)
    scores = score_set(labelled, [_things(FoundCard(turned, 0.9, True))])
    assert scores.outcomes[0].iou == pytest.approx(1)


def test_cards_cut_by_the_edge_are_no_fault_where_they_are_not_all_labelled() -> None:
    card = FoundCard(_quad(5, 100), 0.9, True)
    assert precision(score_set(_set(edge_unlabelled=True), [_things(card)])) is None
    assert precision(score_set(_set(), [_things(card)])) == 0


def test_the_json_form_lists_misses_misreadings_and_false_cards() -> None:
    labelled = _set(CardLabel(_quad(100, 100), "7", "H", True), CardLabel(_quad(200, 100), "2", "C", True))
    found = _things(
        FoundCard(_quad(100, 100), 0.9, True, "6", "H"), FoundCard(_quad(500, 300), 0.7, True, "A", "S")
    )
    result = as_json(score_set(labelled, [found]))
    assert [miss["card"] for miss in result["misses"]] == ["2C"]
    assert [(each["card"], each["read"]) for each in result["misread"]] == [("7H", "6H")]
    assert result["precision"] == result["recall"] == 0.5
    assert len(result["false_cards"]) == 1
    assert [(part["from"], part["cards"]) for part in result["by_width_px"]] == [(26, 2)]
    json.dumps(result)


def test_a_webcam_set_loads_cards_and_chips(tmp_path: Path) -> None:
    folder = tmp_path / "real" / "felt-webcam"
    folder.mkdir(parents=True)
    entries = [
        {"label": "10C", "polygon": [[0, 0], [30, 0], [30, 40], [0, 40]]},
        {"label": "chip:red", "polygon": [[50, 50], [60, 45], [70, 50], [60, 62]]},
    ]
    (folder / "labels.json").write_text(json.dumps({"a.png": entries}))
    picture = load_set("felt-webcam", tmp_path).pictures[0]
    assert [(card.rank, card.suit) for card in picture.cards] == [("T", "C")]
    assert picture.chips[0].corners_px.tolist() == [[50, 45], [70, 45], [70, 62], [50, 62]]


@pytest.mark.parametrize(
    ("name", "words"), [("nonsense", "no such labelled set"), ("photoreal", "holds no set 'photoreal'")]
)
def test_an_unknown_or_missing_set_is_one_line(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(EvaluationError, match=words) as caught:
        load_set(name, tmp_path)
    assert "\n" not in str(caught.value)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="absent: no such folder"):
        load_set("photoreal", tmp_path / "absent")
