"""Training pictures: chance by seed alone, labels that are valid, runs that resume."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from veedor.datasets.art import Deck
from veedor.datasets.errors import DatasetError
from veedor.datasets.render.truth import ObjectTruth
from veedor.datasets.training_stills import FolderDeck, SmallDeck, StillMaker, StillOptions, write_stills
from veedor.datasets.yolo_labels import class_names, inside_box, label_lines
from veedor.vision.detections import ObjectClass

SMALL = StillOptions(size_px=256)


@pytest.fixture(scope="module")
def maker() -> StillMaker:
    return StillMaker(SMALL)


def square(x: float, y: float, side: float, *, visible: float = 1.0) -> ObjectTruth:
    corners = np.array([[x, y], [x + side, y], [x + side, y + side], [x, y + side]])
    return ObjectTruth(ObjectClass.PLAQUE, "q", corners, (0.0, 0.0), 0.0, visible)


def test_a_picture_depends_on_its_seed_alone(maker: StillMaker) -> None:
    for seed in (3, 4):
        maker.still(seed)
    late = maker.still(5)
    fresh = StillMaker(SMALL).still(5)
    assert (late.image == fresh.image).all()
    assert [item.corners_px.tolist() for item in late.objects] == [
        item.corners_px.tolist() for item in fresh.objects
    ]


def test_pictures_show_every_kind_at_the_scales_that_are_asked_for(maker: StillMaker) -> None:
    stills = [maker.still(seed) for seed in range(10, 60)]
    seen = {item.kind for still in stills for item in still.objects if item.visible_fraction > 0.25}
    assert {ObjectClass.CARD_FACE, ObjectClass.CARD_BACK, ObjectClass.CHIP_STACK, ObjectClass.HAND} <= seen
    widths = [still.card_width_px for still in stills]
    assert min(widths) >= 14 and max(widths) <= 90
    assert 22 < np.median(widths) < 45
    assert all(still.image.shape == (256, 256, 3) for still in stills)


def test_a_flat_card_has_the_width_that_was_drawn(maker: StillMaker) -> None:
    ratios = []
    for seed in range(10, 40):
        still = maker.still(seed)
        for item in still.objects:
            if item.kind in (ObjectClass.CARD_FACE, ObjectClass.CARD_BACK):
                area = cv2.contourArea(item.corners_px.astype(np.float32))
                ratios.append(np.sqrt(area * 63 / 88) / still.card_width_px)
    assert 0.75 < np.median(ratios) < 1.1  # tilted cameras foreshorten


def test_labels_are_shares_of_the_picture(tmp_path: Path) -> None:
    assert write_stills(tmp_path, range(8), "train", SMALL) == 8
    assert (tmp_path / "data.yaml").read_text(encoding="utf-8").count(":") >= 3 + len(class_names())
    lines = 0
    for text in sorted((tmp_path / "labels" / "train").glob("*.txt")):
        assert cv2.imread(str(tmp_path / "images" / "train" / f"{text.stem}.jpg")) is not None
        for line in text.read_text(encoding="ascii").splitlines():
            number, *shares = line.split()
            assert 0 <= int(number) < len(class_names())
            assert len(shares) == 8
            assert all(0.0 <= float(share) <= 1.0 for share in shares)
            lines += 1
    assert lines > 5


def test_a_run_goes_on_where_it_was_cut(tmp_path: Path) -> None:
    write_stills(tmp_path, range(3), "train", SMALL)
    picture = tmp_path / "images" / "train" / "00000001.jpg"
    before = picture.read_bytes()
    picture.unlink()
    assert write_stills(tmp_path, range(3), "train", SMALL) == 1
    assert picture.read_bytes() == before


def test_hidden_objects_get_no_label() -> None:
    size = (100, 100)
    assert label_lines([square(20, 20, 30, visible=0.2)], size, min_visible=0.25) == []
    (line,) = label_lines([square(20, 20, 30, visible=0.3)], size, min_visible=0.25)
    assert line.split()[:3] == ["3", "0.205000", "0.205000"]


def test_an_object_at_the_border_is_boxed_where_it_shows() -> None:
    corners = np.array([[-20.0, 30.0], [20.0, 30.0], [20.0, 60.0], [-20.0, 60.0]])
    box = inside_box(corners, (100, 100))
    assert box is not None
    assert np.sort(box[:, 0]) == pytest.approx([0, 0, 20, 20], abs=0.1)
    assert inside_box(corners - np.array([60.0, 0.0]), (100, 100)) is None


def test_a_foreign_deck_lends_its_faces(tmp_path: Path) -> None:
    face = np.zeros((352, 252, 4), np.uint8)
    face[:, :] = (10, 200, 30, 255)
    cv2.imwrite(str(tmp_path / "7H.png"), face)
    deck = FolderDeck(tmp_path, SmallDeck(Deck(1, indexed=True)))
    assert tuple(deck.face("7H")[50, 50]) == (10, 200, 30, 255)
    assert (deck.face("8H") == Deck(1, indexed=True).face("8H", 220)).all()
    (tmp_path / "9H.png").write_bytes(b"no picture")
    with pytest.raises(DatasetError, match=r"9H\.png"):
        deck.face("9H")
