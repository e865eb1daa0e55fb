"""Print, plaques and cut cards added to training tiles."""

from __future__ import annotations

import numpy as np
import pytest
from veedor.models import felt_prints
from veedor.vision.detections import ObjectClass

pytest.importorskip("PIL", reason="letters are drawn with the train extra's libraries")
pytest.importorskip("matplotlib", reason="the fonts come with the train extra's libraries")

CARD = np.array([[[100.0, 100], [131, 100], [131, 144], [100, 144]]])
FACE = np.array([int(ObjectClass.CARD_FACE)])


def felt() -> np.ndarray:
    image = np.full((384, 384, 3), (60, 110, 40), np.uint8)
    image[100:144, 100:131] = 240
    return image


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(felt_prints, "PRINTED_SHARE", 1.0)
    monkeypatch.setattr(felt_prints, "PASTED_SHARE", 1.0)


def test_print_goes_under_what_lies_on_the_felt() -> None:
    prints = felt_prints.FeltPrints()
    changed = 0
    for seed in range(12):
        tile = prints.on(felt(), CARD, FACE, np.random.default_rng(seed))
        assert (tile.image[104:140, 104:127] == 240).all(), "the card itself is never printed on"
        changed += int((tile.image != felt()).any())
    assert changed == 12


def test_what_is_pasted_is_labelled_where_it_lies_and_touches_nothing() -> None:
    prints = felt_prints.FeltPrints()
    kinds = set()
    for seed in range(30):
        tile = prints.on(felt(), CARD, FACE, np.random.default_rng(seed))
        assert len(tile.corners_px) == len(tile.class_ids) >= 1
        assert (tile.corners_px[0] == CARD[0]).all() and tile.class_ids[0] == FACE[0]
        for quad, kind in zip(tile.corners_px[1:], tile.class_ids[1:], strict=True):
            kinds.add(int(kind))
            sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
            assert 18 < sides.min() < sides.max() < 60  # 40 to 110 mm at 0.49 px/mm
            x, y = np.floor(quad.mean(axis=0)).astype(int)
            assert np.abs(tile.image[y - 2 : y + 3, x - 2 : x + 3].astype(int) - (60, 110, 40)).max() > 20
    assert kinds == {int(ObjectClass.PLAQUE), int(ObjectClass.CUT_CARD)}


def test_a_tile_without_a_measure_is_left_alone_and_a_grey_one_stays_grey() -> None:
    prints = felt_prints.FeltPrints()
    rng = np.random.default_rng(1)
    nothing = prints.on(felt(), np.zeros((0, 4, 2)), np.zeros(0, np.int64), rng)
    assert (nothing.image == felt()).all()
    grey = np.repeat(felt()[:, :, :1], 3, axis=2)
    assert np.ptp(prints.on(grey, CARD, FACE, rng).image, axis=2).max() == 0
