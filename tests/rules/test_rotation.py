"""Whose turn the hand is in records that do not begin with the partida, or lack coups of it."""

import pytest
from playing import SEATS, Record, argentina, dos_panos
from veedor.rules.events import (
    BettingOpened,
    CoupOpened,
    PlayersSeen,
    SessionOpened,
    ShoeStarted,
    ViewLost,
    ViewRestored,
)

THREE = {"P1": ("seat1", "seat2", "seat3"), "P2": ("seat6", "seat7", "seat8")}
TURNS = {"HAND_ROTATION", "WRONG_HAND_HOLDER"}


def turns_told(record):
    return [(one.code, one.actor) for one in record.findings() if one.code in TURNS]


def restated(*, first, shoe=True):
    """What is known of a partida, said again at the beginning of a recording of its middle."""
    record = Record(bank=1000)
    record.add(SessionOpened, "dos-panos-limitada", dt=0)
    record.begin(shoe=shoe, players=THREE)
    record.coup = first - 1
    return record


def test_a_recording_that_begins_in_mid_session_accuses_nobody_of_holding_the_first_hand():
    for record in (restated(first=14), restated(first=1, shoe=False)):
        record.play(holders=("seat3", "seat7"))
        assert turns_told(record) == []
        assert record.account.next_hand == {"P1": "rotate", "P2": "keep"}


def test_from_its_second_coup_the_rotation_is_known():
    record = restated(first=14)
    record.play(holders=("seat2", "seat7"))
    record.play(holders=("seat2", "seat8"))  # the bank won paño 1; paño 2 tied and keeps
    assert turns_told(record) == [("HAND_ROTATION", "seat2"), ("WRONG_HAND_HOLDER", "seat8")]
    right = restated(first=14)
    right.play(holders=("seat2", "seat7"))
    right.play(holders=("seat3", "seat7"))
    assert turns_told(right) == []


def test_the_first_coup_of_the_partida_begins_with_the_first_seat():
    record = restated(first=1)
    record.play(holders=("seat2", "seat6"))
    assert turns_told(record) == [("WRONG_HAND_HOLDER", "seat2")]


def test_people_told_again_do_not_restart_the_rotation():
    record = dos_panos()
    record.play()
    for pano, people in SEATS.items():
        record.add(PlayersSeen, pano, people)
    record.add(ShoeStarted, 6)
    record.play(holders=("seat2", "seat6"))
    assert turns_told(record) == []


def lost(record, seconds):
    record.add(ViewLost, (), "not recorded")
    record.add(ViewRestored, (), "not recorded", dt=seconds)


@pytest.mark.parametrize("missed", ["numbers", "number told late", "dark", "dark coup", "seen as next"])
def test_coups_that_were_missed_leave_the_turn_unknown(missed):
    record = Record(bank=1000)
    record.begin(players=THREE)
    record.play()
    if missed == "numbers":
        record.coup += 3
    elif missed == "number told late":
        record.add(BettingOpened)
        record.coup += 3
    elif missed == "dark":
        lost(record, 300.0)
        record.coup += 2
    elif missed == "seen as next":
        lost(record, 300.0)  # the camera counts on as if there had been no gap
    else:
        record.add(ViewLost, (), "not recorded")
        record.coup += 1
        record.add(CoupOpened, record.coup, dt=5, source="voice")
        record.add(ViewRestored, (), "not recorded", dt=100)
    record.play(holders=("seat1", "seat8"))
    assert turns_told(record) == []
    record.play(holders=("seat3", "seat8"))  # from what was seen of the last coup, seat 2 has it
    assert turns_told(record) == [("WRONG_HAND_HOLDER", "seat3")]


def test_a_moment_out_of_sight_or_a_gap_between_numbers_that_follow_keeps_the_turn():
    short = dos_panos()
    short.play()
    lost(short, 5.0)
    short.play(holders=("seat1", "seat6"))
    assert turns_told(short) == [("HAND_ROTATION", "seat1")]
    told = dos_panos()
    told.play()
    lost(told, 300.0)
    place = len(told.events)
    told.play(holders=("seat1", "seat6"))
    opened = told.events[place]
    told.events[place] = CoupOpened(opened.coup, t=opened.t, id=opened.id, source="operator")
    assert turns_told(told) == [("HAND_ROTATION", "seat1")]


def test_who_ought_to_have_passed_the_sabot_may_have_done_so_unseen():
    record = argentina()
    record.punto(punto="TH 9C", banca="2D 5S")
    record.coup += 3
    record.punto()
    assert "AR_SABOT_ROTATION" not in record.codes()
    seen = argentina()
    seen.punto(punto="TH 9C", banca="2D 5S")
    seen.punto()
    assert "AR_SABOT_ROTATION" in seen.codes()
