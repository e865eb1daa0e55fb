from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from veedor.vision.agreed_looks import AgreedLooks
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.obb import corners_from_xywhr

FACE, BACK, CHIP = ObjectClass.CARD_FACE, ObjectClass.CARD_BACK, ObjectClass.CHIP_STACK
Box = tuple[float, float, float, ObjectClass]  # x, y, score, class
PICTURE = np.zeros((8, 8, 3), np.uint8)


class Looks:
    """A detector that sees what it is told in each size."""

    def __init__(self, by_size: dict[float, list[Box]]) -> None:
        self._by_size = by_size

    def detect(
        self, image_bgr: NDArray[np.uint8], *, scale: float = 1.0, min_score: float = 0.35
    ) -> Detections:
        boxes = [box for box in self._by_size[scale] if box[2] >= min_score]
        values = np.array([[x, y, 31, 44, 0.0] for x, y, _, _ in boxes]).reshape(-1, 5)
        return Detections(
            corners_from_xywhr(values).astype(np.float32),
            np.array([box[2] for box in boxes], np.float32),
            np.array([box[3] for box in boxes], np.int64),
        )


def seen(*looks: list[Box]) -> list[tuple[float, float, float, ObjectClass]]:
    sizes = (1.0, 0.85, 1.18)[: len(looks)]
    found = AgreedLooks(Looks(dict(zip(sizes, looks, strict=True))), sizes).detect(PICTURE)
    middles = found.corners_px.mean(axis=1)
    return [
        (round(float(x), 2), round(float(y), 2), round(float(score), 3), ObjectClass(kind))
        for (x, y), score, kind in zip(middles, found.scores, found.class_ids, strict=True)
    ]


def test_what_every_look_sees_is_one_thing_in_the_middle_of_them() -> None:
    boxes = [[(100.0, 100.0, 0.8, FACE)], [(101.0, 100.0, 0.8, FACE)], [(99.0, 103.0, 0.8, FACE)]]
    assert seen(*boxes) == [(100.0, 101.0, 0.8, FACE)]


def test_what_one_look_sees_alone_is_nothing() -> None:
    print_letter = (300.0, 50.0, 0.9, CHIP)
    card = (100.0, 100.0, 0.9, FACE)
    assert seen([card, print_letter], [card], [card]) == [(100.0, 100.0, 0.9, FACE)]


def test_what_two_looks_see_well_and_one_faintly_is_seen() -> None:
    found = seen([(9.0, 9.0, 0.6, CHIP)], [(9.0, 9.0, 0.5, CHIP)], [(9.0, 9.0, 0.22, CHIP)])
    assert found == [(9.0, 9.0, 0.44, CHIP)]


def test_a_face_or_a_back_is_what_more_looks_say() -> None:
    place = (40.0, 40.0)
    (found,) = seen([(*place, 0.9, BACK)], [(*place, 0.7, FACE)], [(*place, 0.7, FACE)])
    assert found[3] is FACE


def test_cards_side_by_side_stay_two() -> None:
    pair: list[Box] = [(100.0, 100.0, 0.9, FACE), (133.0, 100.0, 0.8, FACE)]
    assert len(seen(pair, pair, pair)) == 2


def test_an_empty_picture_is_empty() -> None:
    assert seen([], [], []) == []
