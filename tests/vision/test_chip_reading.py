from __future__ import annotations

from decimal import Decimal

import cv2
import numpy as np
import pytest
from table_scenes import CHIPS, Thing, chips, corners_mm, percept, plaque, table
from veedor.vision.chip_amounts import ChipAmounts
from veedor.vision.chip_colours import ChipColours
from veedor.vision.covering import Cover
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.footprints import apart, as_plaques, felt_quads, plaque_sized, possible
from veedor.vision.tracker import Family, Track, Tracker

TABLE = table()


def tracks(*things: Thing, looks: int = 4) -> list[Track]:
    assert TABLE.camera is not None
    tracker = Tracker(TABLE.camera)
    for number in range(looks):
        tracker.update(percept(number * 0.2, things), Cover())
    return [*tracker.resting(Family.CHIP), *tracker.resting(Family.PLAQUE)]


def test_amounts_are_chip_times_count() -> None:
    readings, sure = ChipAmounts(CHIPS).read_together(
        tracks(chips(0, 0, "10", 3), chips(60, 0, "50"), plaque(200, 0))
    )
    assert [reading.amount for reading in readings] == [30, 50, 500]
    assert sure > 0.6


def test_whole_units_are_preferred_where_the_view_leaves_room() -> None:
    (track,) = tracks(chips(0, 0, "10", 3))
    track.count_log[:] = np.log(np.array([0.02, 0.2, 0.7, 0.02, 0.02, 0.02, 0.01, 0.01]))
    track.count_looks = 1
    amounts = ChipAmounts(CHIPS)
    assert amounts.read(track).amount == Decimal(30)
    amounts.unit = Decimal(20)
    assert amounts.read(track).amount == Decimal(20)
    assert amounts.sums([track])[Decimal(20)] > 0.5


def test_chips_usually_lie_alone_where_the_view_leaves_room() -> None:
    (track,) = tracks(chips(0, 0, "10", 2))
    track.count_log[:] = np.log(np.array([0.42, 0.48, 0.04, 0.02, 0.01, 0.01, 0.01, 0.01]))
    track.count_looks = 1
    assert ChipAmounts(CHIPS).read(track).amount == Decimal(10)


def test_a_count_that_the_view_does_not_tell_is_null() -> None:
    (track,) = tracks(chips(0, 0, "10", 3))
    track.count_log[:], track.count_looks = 0.0, 1
    assert ChipAmounts(CHIPS).read(track).amount is None


def painted(colour_rgb: tuple[int, int, int], light: float) -> np.ndarray:
    """A felt under some light with one chip at 0, 0."""
    assert TABLE.camera is not None and TABLE.felt_rgb is not None
    image = np.full((1080, 1920, 3), TABLE.felt_rgb[::-1], np.float64)
    outline = TABLE.camera.project(corners_mm(chips(0, 0)))
    centre = tuple(round(float(part)) for part in outline.mean(axis=0))
    cv2.circle(image, centre, round(20 * TABLE.camera.px_per_mm()), colour_rgb[::-1], -1)
    return np.clip(image * light, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("light", [0.6, 1.0, 1.15])
@pytest.mark.parametrize("number", [0, 1])
def test_chips_are_told_apart_in_any_light(number: int, light: float) -> None:
    assert TABLE.camera is not None
    colours = ChipColours(TABLE, TABLE.camera)
    image = painted(CHIPS[number].colour_rgb, light)
    colours.look(image)
    probs = colours.read(image, np.zeros(2), 3.4, plaque=False)
    assert probs.argmax() == number and probs[number] > 0.9 and probs[2] == 0.0


def detections(*things: Thing) -> Detections:
    return percept(0.0, things).detections


def test_one_card_found_twice_is_one_and_crossed_cards_are_two() -> None:
    assert TABLE.camera is not None

    def kept(*things: Thing) -> list[bool]:
        found = detections(*things)
        return apart(found, felt_quads(TABLE.camera, found.corners_px)).tolist()

    def lying(x: float, y: float, turn: float = 0.0) -> Thing:
        return Thing(ObjectClass.CARD_BACK, x, y, turn)

    assert sum(kept(lying(0, 0), lying(3, 18))) == 1
    assert kept(lying(0, 0, 40), lying(2, 2, -42)) == [True, True]
    assert kept(lying(0, 0), lying(70, 0)) == [True, True]
    assert kept(lying(0, 0), lying(34, 0)) == [True, True]  # one half over the other, the same way
    assert sum(kept(lying(0, 0), lying(20, 0))) == 1
    assert sum(kept(chips(0, 0), chips(10, 5))) == 1
    assert kept(chips(0, 0), chips(43, 0)) == [True, True]


def test_sizes_that_nothing_has_are_refused() -> None:
    assert TABLE.camera is not None
    found = detections(chips(0, 0), plaque(200, 0), Thing(ObjectClass.CARD_BACK, -200, 0))
    wrong = Detections(found.corners_px, found.scores, np.roll(found.class_ids, 1))
    quads = felt_quads(TABLE.camera, found.corners_px)
    assert possible(found, quads, CHIPS).all()
    assert not possible(wrong, quads, CHIPS)[0]  # a chip is no card


def test_a_box_of_a_plaques_size_is_told_from_a_cards() -> None:
    def quad(wide: float, long: float, turn_deg: float = 0.0) -> np.ndarray:
        corners = np.array([(-wide, long), (wide, long), (wide, -long), (-wide, -long)]) / 2
        turn = np.deg2rad(turn_deg)
        return corners @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])

    quads = np.stack([quad(63, 88), quad(51, 75, 30), quad(84, 54), quad(60, 84, 75), quad(75, 50)])
    half_covered = np.stack([quad(63, 70), quad(40, 88), quad(57, 88)])
    kinds = np.array([ObjectClass.CARD_BACK] * 4 + [ObjectClass.PLAQUE])
    found = Detections(np.zeros((5, 4, 2), np.float32), np.ones(5, np.float32), kinds)
    assert plaque_sized(found, quads, TABLE.chips).tolist() == [False, True, True, False, False]
    assert not plaque_sized(found, quads, ()).any()
    named = as_plaques(found, quads, TABLE.chips).class_ids == ObjectClass.PLAQUE
    assert named.tolist() == [False, True, True, False, True]
    cards = found.where(np.arange(3))
    assert not (as_plaques(cards, half_covered, TABLE.chips).class_ids == ObjectClass.PLAQUE).any()
    assert (as_plaques(found, quads, ()).class_ids == found.class_ids).all()
