"""What keeps a stake from accusing anybody."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from veedor.vision.chip_amounts import PileReading
from veedor.vision.stakes import (
    OVERLOOKED,
    Group,
    Pile,
    Stake,
    collection_confidence,
    deduction_confidence,
    has_gap,
    seen_badly,
)
from veedor.vision.tracker import Family, Track


def pile(x_mm: float, count: int | None = 1, family: Family = Family.CHIP) -> Pile:
    place = np.array([x_mm, 400.0])
    track = Track(1, family, place, np.zeros((4, 2)), 0.0, 0, 0.0, 0, 6)
    track.chip_readings, track.score, track.open_looks = 5, 0.9, 3
    return Pile(track, PileReading("10", 10, count, 0.9))


def stake(*piles: Pile, bettor: str | None = "seat2", zone: str = "P1") -> Stake:
    return Stake("b1", zone, bettor, list(piles), 0.0)


def test_a_row_with_room_for_another_chip_has_a_gap() -> None:
    assert not has_gap([pile(0), pile(45), pile(92)])
    assert has_gap([pile(0), pile(92)])
    assert has_gap([pile(45), pile(137), pile(0)])
    assert not has_gap([pile(0), pile(92, family=Family.PLAQUE)])
    assert not has_gap([pile(0)])


@pytest.mark.parametrize("fault", ["gap", "faint", "hardly read"])
def test_a_group_seen_badly_is_told_with_little_confidence(fault: str) -> None:
    piles = [pile(0), pile(45)]
    assert Group(piles, 0.0).ceiling == 1.0
    if fault == "gap":
        piles.append(pile(140))
    elif fault == "faint":
        piles[1].track.score = 0.38
    else:
        piles[1].track.chip_readings = 1
    assert Group(piles, 0.0).ceiling == OVERLOOKED


def test_two_stakes_of_one_bettor_with_room_for_a_chip_between_may_be_one() -> None:
    one = stake(pile(0), pile(45))
    assert one.is_one_with(stake(pile(140)))
    assert not one.is_one_with(stake(pile(240)))
    assert not one.is_one_with(stake(pile(140), bettor="seat3"))
    assert not one.is_one_with(stake(pile(140), zone="half:P1"))


def test_a_collection_is_unsure_where_a_stack_stays_or_a_pile_was_missed() -> None:
    taken = [pile(0)]
    stays = pile(45)
    stays.track.fresh_at = 8.0
    assert collection_confidence(stake(stays, zone="half:P1"), taken, 7.0, missed=False) == 0.9
    assert collection_confidence(stake(stays), taken, 7.0, missed=False) < 0.3  # nobody takes half of it
    assert collection_confidence(stake(stays), taken, 7.0, missed=True) == OVERLOOKED
    assert collection_confidence(stake(stays), taken, 8.0, missed=False) == OVERLOOKED  # not seen since
    assert collection_confidence(stake(), taken, 8.0, missed=False) == 0.9
    assert collection_confidence(replace(stake(), paid=True), taken, 8.0, missed=False) == OVERLOOKED
    assert collection_confidence(replace(stake(stays), doubted=True), taken, 7.0, missed=False) == OVERLOOKED
    stack = pile(45, count=4)
    stack.track.fresh_at = 8.0
    assert collection_confidence(stake(stack), taken, 7.0, missed=False) == OVERLOOKED


def test_a_deduction_must_be_read_well_to_accuse() -> None:
    assert deduction_confidence(0.62) < 0.5 < deduction_confidence(0.9)
    assert deduction_confidence(1.0) == 1.0 and deduction_confidence(0.0) == 0.0


def test_a_faint_thing_and_one_that_is_gone_again_are_hardly_a_stake() -> None:
    clear, faint = pile(0.0), pile(40.0)
    faint.track.score = 0.55
    assert not seen_badly([clear], {1})
    assert seen_badly([clear, faint], {1})
    assert seen_badly([clear], set())
    sleeve = pile(0)
    sleeve.track.open_looks = 0  # only ever seen where an arm is, and like no chip more than another
    assert seen_badly([sleeve], {1})
    sleeve.track.chip_log[2] = 30.0
    assert not seen_badly([sleeve], {1})
