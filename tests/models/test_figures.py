"""What stakes play and are worth, intervals, reliability and the scorecard, on made outcomes."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from veedor.models.errors import EvaluationError
from veedor.models.figures import Figure, figures_of, wilson
from veedor.models.labelled_sets import load_set, sets_there
from veedor.models.labels import CardLabel, ChipLabel, LabelledPicture, LabelledSet, StakeLabel
from veedor.models.misses import write_misses
from veedor.models.reliability import pooled, reliabilities
from veedor.models.scorecard import Scorecard, SetResult, as_record, read_record, write_record
from veedor.models.scorecard_page import page
from veedor.models.scoring import FoundCard, FoundChips, FoundThings, SetScores, score_set
from veedor.vision.layout import LineKind, ZoneKind
from veedor.vision.obb import corners_from_xywhr


def quad(x: float, y: float = 100.0, width: float = 31, height: float = 44) -> np.ndarray:
    return corners_from_xywhr(np.array([[x, y, width, height, 0.0]]))[0]


def stake(x: float, kind: str, shares: tuple[float, float], *values: int, near: bool = False) -> ChipLabel:
    return ChipLabel(quad(x, width=20, height=20), False, values=values, stake=StakeLabel(kind, shares, near))


def seen(x: float, plays: str | None, value: int, count: int | None = 1) -> FoundChips:
    return FoundChips(quad(x, width=20, height=20), 0.9, False, value, count, plays)


def scores_of(labels: list[ChipLabel], found: list[FoundChips], name: str = "photoreal") -> SetScores:
    labelled = LabelledSet(name, (LabelledPicture(Path("p.png"), (), tuple(labels)),))
    return score_set(labelled, [FoundThings((), tuple(found), (900, 480))])


def named(scores: SetScores, name: str) -> tuple[int, int]:
    (figure,) = [each for each in figures_of(scores) if each.name == name]
    return figure.right, figure.n


def test_what_a_stake_plays_is_compared_by_its_shares_of_both_hands() -> None:
    labels = [
        stake(100, "straight", (1.0, 0.0), 20),
        stake(200, "caballo", (0.5, 0.5), 20),
        stake(300, "half_line", (0.0, 0.5), 20),
        stake(400, "forbidden", (0.0, 0.0), 20),
        stake(500, "other_cloth", (0.0, 1.0), 20),
        stake(600, "straight", (1.0, 0.0), 20),
    ]
    found = [
        seen(100, "P1", 20),
        seen(200, "caballo", 5),
        seen(300, "P2", 20),
        seen(400, None, 20),
        seen(500, "P2", 20),
    ]
    scores = scores_of(labels, found)
    assert named(scores, "bets: found") == (5, 6)
    assert named(scores, "bets: plays, of those found") == (4, 5)
    assert named(scores, "bets: plays, of all") == (4, 6)
    assert named(scores, "bets: value of single chips") == (4, 6)
    assert named(scores, "bets: value of single chips, of those found") == (4, 5)


def test_a_near_miss_is_wrong_where_it_is_taken_for_the_line() -> None:
    labels = [stake(100 + 90 * row, "nothing", (0.0, 0.0), 20, near=True) for row in range(4)]
    found = [seen(100, None, 20), seen(190, "half:P1", 20), seen(280, "caballo", 20)]
    scores = scores_of(labels, found)
    (figure,) = [each for each in figures_of(scores) if "near misses" in each.name]
    assert (figure.right, figure.n, figure.at_most, figure.holds) == (2, 4, True, False)


def test_piles_are_asked_for_their_top_and_their_count() -> None:
    labels = [stake(100, "straight", (1.0, 0.0), 5, 5, 100), stake(200, "straight", (1.0, 0.0), 20, 20)]
    scores = scores_of(labels, [seen(100, "P1", 100, 3), seen(200, "P1", 20, None)])
    assert named(scores, "bets: top chip of piles, of those found") == (2, 2)
    assert named(scores, "bets: count of piles told") == (1, 2)
    assert named(scores, "bets: count of piles right, of those told") == (1, 1)


def test_chips_that_are_no_stakes_are_neither_missed_nor_false() -> None:
    reserve = ChipLabel(quad(300, width=20, height=20), False, asked=False)
    scores = scores_of(
        [stake(100, "straight", (1.0, 0.0), 20), reserve], [seen(300, None, 5), seen(700, "P1", 5)]
    )
    assert named(scores, "bets: found") == (0, 1)
    assert named(scores, "chips precision") == (0, 1)


@pytest.mark.parametrize(
    ("right", "n", "low", "high"), [(0, 40, 0.0, 0.0876), (68, 68, 0.9465, 1.0), (85, 103, 0.7408, 0.8866)]
)
def test_intervals_are_wilsons(right: int, n: int, low: float, high: float) -> None:
    assert wilson(right, n) == pytest.approx((low, high), abs=5e-4)


def test_a_figure_holds_by_its_target_and_says_nothing_of_nothing() -> None:
    assert Figure("s", "f", 97, 100, 0.97).holds is True
    assert Figure("s", "f", 96, 100, 0.97).holds is False
    assert Figure("s", "f", 3, 100, 0.02, at_most=True).holds is False
    assert Figure("s", "f", 0, 0, 0.97).holds is None
    assert Figure("s", "f", 1, 2).holds is None


def card_scores(sure: float, right: int, wrong: int) -> SetScores:
    labels, found = [], []
    for number in range(right + wrong):
        corners = quad(50.0 + 60 * number)
        labels.append(CardLabel(corners, "7", "H", True))
        rank = "7" if number < right else "8"
        found.append(FoundCard(corners, 0.9, True, rank, "H", sure, 1.0))
    labelled = LabelledSet("made", (LabelledPicture(Path("p.png"), tuple(labels)),))
    return score_set(labelled, [FoundThings(tuple(found), (), (2000, 480))])


def test_calibration_error_is_how_far_sureness_and_rightness_are_apart() -> None:
    rank, suit = reliabilities([card_scores(0.9, 8, 2)])
    assert (rank.what, rank.n, rank.error) == ("rank", 10, pytest.approx(0.1))
    assert (suit.what, suit.error) == ("suit", pytest.approx(0.0))
    assert (rank.told, rank.told_right) == (10, 8)
    unsure = reliabilities([card_scores(0.4, 4, 6)])[0]
    assert (unsure.told, unsure.error) == (0, pytest.approx(0.0))
    both = pooled([card_scores(0.9, 8, 2), card_scores(0.4, 4, 6)], "rank")
    assert both is not None and (both.n, both.error) == (20, pytest.approx(0.05))
    assert pooled([], "rank") is None


def scorecard() -> Scorecard:
    scores = card_scores(0.9, 8, 2)
    result = SetResult(
        "made", 1, (Figure("made", "rank", 8, 10, 0.97, items={"p.png#9": False}),), 12.0, scores
    )
    return Scorecard({"reader": "ab" * 32}, (result,), tuple(reliabilities([scores])), ("photoreal",))


def test_the_record_holds_figures_with_intervals_and_what_was_wrong(tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    write_record(scorecard(), path)
    record = read_record(path)
    assert record == json.loads(json.dumps(as_record(scorecard())))
    (figure,) = record["figures"]
    assert (figure["value"], figure["holds"], figure["wrong"]) == (0.8, False, ["p.png#9"])
    assert record["weights"] == {"reader": "ab" * 32}
    assert record["absent"] == ["photoreal"]
    path.write_text('{"schema": 99}')
    with pytest.raises(EvaluationError, match="not a record of scores"):
        read_record(path)


def test_the_page_says_what_holds_what_does_not_and_what_was_not_measured() -> None:
    text = page(scorecard())
    assert "| made | rank | 0.800 | 0.490–0.943 | 10 | ≥ 0.97 | **no** |" in text
    assert "0 of 1 hold." in text
    assert "- the set `photoreal`: its pictures were not there;" in text
    assert "ab" * 32 in text


def test_crops_of_what_went_wrong_are_written(tmp_path: Path) -> None:
    picture = LabelledPicture(
        Path("p.png"), (CardLabel(quad(100), "7", "H", True),), image=np.zeros((300, 400, 3), np.uint8)
    )
    labelled = LabelledSet("made", (picture,))
    scores = score_set(labelled, [FoundThings((FoundCard(quad(300), 0.9, True, "A", "S"),), (), (400, 300))])
    assert write_misses(labelled, scores, tmp_path / "misses") == 2
    names = sorted(path.name for path in (tmp_path / "misses").iterdir())
    assert [name.split("-", 2)[2] for name in names] == ["missed-card-7H.png", "false-card-AS.png"]
    assert cv2.imread(str(tmp_path / "misses" / names[0])) is not None


def test_a_path_traced_table_comes_with_its_table_file(tmp_path: Path) -> None:
    folder = tmp_path / "photoreal"
    folder.mkdir()
    square = [[0, 0], [100, 0], [100, 100], [0, 100]]
    layout = {
        "outline": [[-500, -300], [500, -300], [500, 300], [-500, 300]],
        "on_line_tolerance_mm": {"centre_max_offset": 12.0},
        "zones": {
            "cloth1.inner": square,
            "cloth1.dept2.bet": square,
            "slot.cesta": square,
            "forbidden.a": square,
        },
        "zone_priority": ["slot.", "forbidden.", ".bet", ".inner"],
        "lines": {"cloth1.dept2.half_line": {"points": [[0, 100], [100, 100]], "kind": "half_line"}},
    }
    (folder / "layout.json").write_text(json.dumps(layout))
    bet = {"cloth1_units": 10.0, "cloth2_units": 0, "kind": "half_line"}
    base = {"visible_fraction": 1.0, "base_centre_mm": [50.0, 100.0]}
    outline = [[0, 0], [20, 0], [20, 20], [0, 20]]
    chips = base | {"class": "chip_stack", "role": "bet", "bet": bet, "amount": 20, "polygon_px": outline}
    objects = [
        chips | {"denominations_bottom_to_top": [20]},
        chips | {"denominations_bottom_to_top": [20], "bet": None, "hard_negative": "near_half_out"},
        chips | {"denominations_bottom_to_top": [20, 5], "role": "player_reserve", "bet": None},
        base | {"class": "card_face", "quad_px": outline, "rank": "10", "suit": "S", "visible_fraction": 0.4},
    ]
    camera = {
        "width": 640,
        "height": 480,
        "K": [[500, 0, 320], [0, 500, 240], [0, 0, 1]],
        "dist_opencv_k1k2p1p2k3": [0, 0, 0, 0, 0],
        "R": [[1, 0, 0], [0, -1, 0], [0, 0, -1]],
        "t_mm": [0, 0, 1500],
    }
    (folder / "a.json").write_text(json.dumps({"image": "a.jpg", "camera": camera, "objects": objects}))
    assert sets_there(tmp_path) == ("photoreal", "rendered")
    (picture,) = load_set("photoreal", tmp_path).pictures
    assert picture.table is not None and picture.table.camera is not None
    zones = [(zone.kind, zone.pano, zone.seat) for zone in picture.table.layout.zones]
    assert zones == [
        (ZoneKind.BASKET, None, None),
        (ZoneKind.FORBIDDEN, None, None),
        (ZoneKind.BET, 1, 2),
    ]
    (line,) = picture.table.layout.lines
    assert (line.kind, line.half_width_mm, line.seat) == (LineKind.HALF, 12.0, 2)
    first, near, reserve = picture.chips
    assert first.stake == StakeLabel("half_line", (0.5, 0.0))
    assert near.stake == StakeLabel("nothing", (0.0, 0.0), True)
    assert (reserve.stake, reserve.asked, reserve.visible, reserve.values) == (None, False, True, (20, 5))
    assert [(card.rank, card.asked) for card in picture.cards] == [("T", False)]
    assert picture.table.camera.project(np.array([[0.0, 0.0]]))[0] == pytest.approx((320, 240))
    (folder / "b.json").write_text(json.dumps({"image": "b.jpg", "camera": {}, "objects": []}))
    with pytest.raises(EvaluationError, match=r"b\.json: not the truth"):
        load_set("photoreal", tmp_path)
