"""Files that other programs and people have written. `foreign/datumaro-*` were written by datumaro 1.13."""

from __future__ import annotations

import json
import math
from pathlib import Path

import cv2
import numpy as np
import pytest
from veedor.datasets.formats.importing import Import, read_labels
from veedor.datasets.formats.placing import Source
from veedor.datasets.labelled import LabelledPicture
from veedor.vision.detections import ObjectClass

FOREIGN = Path(__file__).parent / "foreign"


def read(path: Path, form: str, into: Path, **others) -> dict[str, LabelledPicture]:
    job = Import(Source(path, **others), form, "ana", "s", "t")
    labels = read_labels(job, into).labels
    for picture in labels.pictures:
        assert cv2.imread(str(labels.file_of(picture))).shape[:2] == (picture.height, picture.width)
    return {picture.id.rpartition("-")[0]: picture for picture in labels.pictures}


def grey(path: Path, size: tuple[int, int] = (64, 48), level: int = 90) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), np.full((size[1], size[0], 3), level, np.uint8))


@pytest.mark.parametrize(("form", "name"), [("coco", "datumaro-coco"), ("cvat-images", "datumaro-cvat")])
def test_what_datumaro_writes_comes_in(form: str, name: str, tmp_path: Path) -> None:
    found = read(FOREIGN / name, form, tmp_path)
    card, chips = found["uno"].objects
    assert (card.kind, card.rank, card.occluded) == (ObjectClass.CARD_FACE, "7", False)
    assert card.corners_px == ((10.5, 6.25), (22.5, 8.25), (19.5, 26.75), (7.5, 24.75))
    assert (chips.kind, chips.occluded) == (ObjectClass.CHIP_STACK, True)
    assert chips.corners_px == ((30, 10), (42, 10), (42, 19), (30, 19))
    assert (found["uno"].split, found["uno"].author, found["uno"].session) == ("train", "ana", "s")
    assert len(found["dos"].objects) == (1 if form == "cvat-images" else 0)


def test_a_turned_box_turns_clockwise_about_its_middle(tmp_path: Path) -> None:
    (shoe,) = read(FOREIGN / "datumaro-cvat", "cvat-images", tmp_path)["dos"].objects
    cosine, sine = math.cos(math.radians(30)), math.sin(math.radians(30))
    for (x, y), (u, v) in zip(shoe.corners_px, ((-10, -5), (10, -5), (10, 5), (-10, 5)), strict=True):
        assert (x, y) == pytest.approx((32 + u * cosine - v * sine, 24 + u * sine + v * cosine))


def test_a_turned_card_begins_with_a_short_edge(tmp_path: Path) -> None:
    grey(tmp_path / "a.png")
    (tmp_path / "hand.xml").write_text(
        '<annotations><image id="0" name="a.png" width="64" height="48">'
        '<box label="card_back" xtl="10" ytl="10" xbr="30" ybr="24" rotation="90"/></image></annotations>'
    )
    (card,) = read(tmp_path / "hand.xml", "cvat-images", tmp_path)["a"].objects
    assert card.corners_px == ((13, 7), (27, 7), (27, 27), (13, 27)) or card.corners_px[0] in (
        (13, 7),
        (27, 27),
    )
    first = math.dist(card.corners_px[0], card.corners_px[1])
    assert first == 14


def test_cvat_by_hand_with_a_class_of_another_name_and_what_a_person_types(tmp_path: Path) -> None:
    grey(tmp_path / "images" / "mesa 1 ñ.png")
    (tmp_path / "annotations.xml").write_text(
        """<?xml version="1.0"?>
        <annotations>
          <image id="7" name="mesa 1 ñ.png" width="64" height="48">
            <polygon label="ficha" occluded="0" points="20,10;10,10;10,20;20,20">
              <attribute name="chips">rojo, azul , verde</attribute>
              <attribute name="dueño">
                Ana
              </attribute>
            </polygon>
            <polygon label="card_face" points="1,1;9,1;9,13;5,14;1,13">
              <attribute name="rank">10</attribute><attribute name="suit">h</attribute>
            </polygon>
          </image>
        </annotations>""",
        encoding="utf-8",
    )
    classes = {"ficha": ObjectClass.CHIP_STACK}
    (picture,) = read(tmp_path, "cvat-images", tmp_path, classes=classes).values()
    chips, card = picture.objects
    assert chips.chips == ("rojo", "azul", "verde")
    assert chips.extra == (("dueño", "Ana"),)
    assert chips.corners_px == ((20, 10), (20, 20), (10, 20), (10, 10))  # clockwise, from the same corner
    assert (card.rank, card.suit) == ("T", "H")
    assert card.corners_px == ((1, 1), (9, 1), (9, 14), (1, 14))  # the box round five points


def test_yolo_by_hand(tmp_path: Path) -> None:
    grey(tmp_path / "train/images/x.jpg", (100, 50))
    (tmp_path / "train/labels").mkdir()
    (tmp_path / "train/labels/x.txt").write_text("1 0.1 0.2 0.3 0.2 0.3 0.8 0.1 0.8\n\n")
    (tmp_path / "data.yaml").write_text("train: ../train/images\nnames: [shoe, naipe]\n")
    found = read(tmp_path, "yolo-obb", tmp_path, classes={"naipe": ObjectClass.CARD_BACK})
    (card,) = found["x"].objects
    assert card.kind is ObjectClass.CARD_BACK
    assert np.allclose(card.corners_px, ((10, 10), (30, 10), (30, 40), (10, 40)))


def test_coco_by_hand_with_boxes_alone(tmp_path: Path) -> None:
    grey(tmp_path / "x.png")
    record = {
        "images": [{"id": 3, "file_name": "x.png", "width": 64, "height": 48}],
        "categories": [{"id": 9, "name": "shoe"}],
        "annotations": [{"id": 1, "image_id": 3, "category_id": 9, "bbox": [4, 5, 20, 10]}],
    }
    (tmp_path / "manifest.json").write_text('{"name": "some web page"}')
    (tmp_path / "labels.json").write_text("\ufeff" + json.dumps(record), encoding="utf-8")
    (shoe,) = read(tmp_path / "labels.json", "coco", tmp_path)["x"].objects
    assert shoe.corners_px == ((4, 5), (24, 5), (24, 15), (4, 15))


def test_tracks_by_hand_over_pictures(tmp_path: Path) -> None:
    for number in (0, 1, 4):
        grey(tmp_path / f"images/frame_{number:06d}.png", level=90 + number)
    (tmp_path / "annotations.xml").write_text(
        '<annotations><track id="3" label="shoe">'
        '<attribute name="zone">shoe</attribute>'
        '<box frame="0" outside="0" xtl="1" ytl="2" xbr="9" ybr="8"/>'
        '<box frame="1" outside="1" xtl="1" ytl="2" xbr="9" ybr="8"/>'
        '<box frame="4" outside="0" occluded="1" xtl="2" ytl="2" xbr="9" ybr="8"/></track></annotations>'
    )
    found = read(tmp_path, "cvat-video", tmp_path)
    assert [len(found[f"frame_{number:06d}"].objects) for number in (0, 1, 4)] == [1, 0, 1]
    (shoe,) = found["frame_000004"].objects
    assert (shoe.id, shoe.zone, shoe.occluded) == ("track-3", "shoe", True)


def test_a_copied_shape_gets_an_id_of_its_own(tmp_path: Path) -> None:
    grey(tmp_path / "a.png")
    shape = '<polygon label="shoe" points="1,1;9,1;9,9;1,9"><attribute name="id">s</attribute></polygon>'
    (tmp_path / "a.xml").write_text(
        f'<annotations><image name="a.png" width="64" height="48">{shape * 3}</image></annotations>'
    )
    (picture,) = read(tmp_path, "cvat-images", tmp_path).values()
    assert [item.id for item in picture.objects] == ["s", "s-2", "s-3"]
