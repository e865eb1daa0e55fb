"""Agreement between two people on one picture, against figures worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from veedor.datasets.labelled import LabelledObject, LabelledPicture
from veedor.monitor.labelling.agreement import (
    On,
    agreement_on,
    agreements_of,
    by_pair,
    kappa,
    matched,
    outline_iou,
)
from veedor.monitor.labelling.revisions import Revision, State
from veedor.monitor.labelling.store import LabelStore
from veedor.vision.detections import ObjectClass

FACE, BACK, STACK = ObjectClass.CARD_FACE, ObjectClass.CARD_BACK, ObjectClass.CHIP_STACK


def box(name: str, x: float, kind: ObjectClass = FACE, y: float = 0.0, **more: object) -> LabelledObject:
    corners = ((x, y), (x + 10.0, y), (x + 10.0, y + 14.0), (x, y + 14.0))
    return LabelledObject(name, kind, corners, **more)  # type: ignore[arg-type]


def said(author: str, *objects: LabelledObject, state: State = State.DONE) -> Revision:
    return Revision("p1", 1, 0, author, "2026", state, objects)


def test_the_same_outline_moved_by_a_fifth_shares_two_thirds() -> None:
    assert outline_iou(box("a", 0.0), box("b", 2.0)) == pytest.approx(8 / 12)
    assert outline_iou(box("a", 0.0), box("b", 20.0)) == 0.0


def test_each_object_is_matched_with_the_one_that_covers_it_best() -> None:
    pairs = matched([box("a", 0.0), box("b", 3.0)], [box("x", 3.0), box("y", 1.0), box("z", 60.0)])
    assert [(one.id, two.id) for one, two, _ in pairs] == [("b", "x"), ("a", "y")]


def test_figures_and_disagreements_of_a_picture() -> None:
    mine = [
        box("1", 0, rank="7", suit="H"), box("2", 20, rank="K", suit="S"), box("3", 40), box("4", 60, BACK),
        box("5", 80, STACK, chips=("100", "100"), count=2), box("6", 100),
    ]  # fmt: skip
    theirs = [
        box("a", 0, rank="7", suit="H"), box("b", 20, rank="K", suit="C"), box("c", 40, BACK),
        box("d", 61.5, BACK), box("e", 80, STACK, count=2), box("f", 120),
    ]  # fmt: skip
    first, second = said("ana", *mine), said("bea", *theirs)
    found = agreement_on(first, second)
    assert (found.objects, found.matched, found.same_kind) == ((6, 6), 5, 4)
    assert found.found_share == pytest.approx(10 / 12)
    assert found.mean_iou == pytest.approx((4 + 8.5 / 11.5) / 5)
    assert (found.faces, found.rank_share, found.suit_share, found.chips_share) == (2, 1.0, 0.5, 0.0)
    told = [(each.on, each.first and each.first.id, each.second and each.second.id)
            for each in found.disagreements]  # fmt: skip
    assert sorted(told, key=str) == sorted(
        [(On.MISSING, "6", None), (On.MISSING, None, "f"), (On.SUIT, "2", "b"), (On.KIND, "3", "c"),
         (On.OUTLINE, "4", "d"), (On.CHIPS, "5", "e")], key=str
    )  # fmt: skip


def test_kappa_as_worked_out_by_hand() -> None:
    # 10 cards: both say 7 four times, both 8 three, one says 7 and the other 8 twice, the reverse once.
    pairs = [("7", "7")] * 4 + [("8", "8")] * 3 + [("7", "8")] * 2 + [("8", "7")]
    chance = 0.6 * 0.5 + 0.4 * 0.5
    assert kappa(pairs) == pytest.approx((0.7 - chance) / (1 - chance))
    assert kappa([]) is None
    assert kappa([("7", "7")]) == 1.0
    assert kappa([("7", "8"), ("8", "7")]) == pytest.approx(-1.0)


def test_pairs_of_authors_over_pictures_whoever_was_first(tmp_path: Path) -> None:
    store = LabelStore(tmp_path)
    image = np.zeros((60, 200, 3), np.uint8)
    for name, pts in (("p1", 1), ("p2", 2)):
        about = LabelledPicture(name, "cd" * 32, pts, Fraction(1, 25), 200, 60, "s", "t", None, "x", 0)
        store.add(about, image)
    mine, theirs = [box("1", 0, rank="7", suit="H")], [box("9", 1, rank="8", suit="H"), box("8", 50)]
    store.save("p1", mine, "ana", 0, State.DONE)
    store.save("p1", theirs, "bea", 0, State.SECOND)
    store.save("p2", theirs, "bea", 0, State.DONE)
    store.save("p2", mine, "ana", 0, State.SECOND)
    store.save("p2", mine, "eva", 0, State.SECOND_DRAFT)
    pairs = by_pair(each for about in store.pictures() for each in agreements_of(store, about.id))
    assert [(each.authors, each.pictures, each.objects) for each in pairs] == [(("ana", "bea"), 2, (2, 4))]
    assert pairs[0].ranks == (("7", "8"), ("7", "8"))
    assert {(each.on, each.first is None) for each in pairs[0].disagreements} == {
        (On.MISSING, True), (On.RANK, False)
    }  # fmt: skip
