"""A journal as it stands: corrections, and events that were written before earlier ones."""

from dataclasses import replace

import pytest
from veedor.rules.errors import JournalError
from veedor.rules.events import (
    BettingClosed,
    CardDealt,
    EventCorrected,
    Said,
    SessionOpened,
    decode_event,
    encode_event,
)
from veedor.rules.settled import corrections_of, settled

SAID = Said("P1", "carta", t=10.0, id=1, source="operator")


def stands(*events):
    return list(settled(events, corrections_of(events)))


def correction(number, corrects, new=None, t=20.0):
    return EventCorrected(corrects, new, "ana", "misheard", t=t, id=number, source="operator")


def test_a_corrected_event_is_replaced_where_it_stood_under_the_corrections_id():
    new = Said("P1", "no", t=10.0, source="operator")
    fixed, later = correction(3, 1, new), BettingClosed(t=15.0, id=2)
    assert stands(SAID, later, fixed) == [replace(new, id=3), later, fixed]


def test_an_event_can_be_taken_back_and_a_replacement_corrected_again():
    first, second = correction(2, 1, Said("P1", "no", t=10.0)), correction(3, 2, Said("P2", "no", t=10.0))
    assert stands(SAID, first, second)[0] == Said("P2", "no", t=10.0, id=3)
    assert stands(SAID, correction(2, 1)) == [correction(2, 1)]


def test_of_two_corrections_of_one_event_the_first_counts():
    first, second = correction(2, 1, Said("P1", "no", t=10.0)), correction(3, 1)
    assert stands(SAID, first, second)[0] == Said("P1", "no", t=10.0, id=2)


def test_corrections_in_a_circle_end():
    ring = [correction(1, 2, SAID), correction(2, 1, SAID)]
    assert all(isinstance(each, EventCorrected) for each in stands(*ring))


def test_what_was_missed_is_added_in_its_place_however_late_that_was_seen():
    before, after = BettingClosed(t=900.0, id=2), BettingClosed(t=1000.0, id=3)
    first, second = correction(4, 0, SAID, 5000.0), correction(5, 0, replace(SAID, t=950.0), 5000.0)
    found = stands(before, after, first, second)
    assert [event.id for event in found] == [4, 2, 5, 3, 4, 5]
    assert found[0] == replace(SAID, id=4)


def test_an_addition_can_be_corrected_and_taken_back():
    added, right = correction(2, 0, SAID), correction(3, 2, replace(SAID, words="no"))
    end = BettingClosed(t=99.0, id=1)
    assert stands(end, added, right)[0] == replace(SAID, words="no", id=3)
    assert sorted(each.id for each in stands(end, added, right, correction(4, 3))) == [1, 2, 3, 4]


def test_what_was_entered_before_earlier_things_were_told_takes_its_place():
    dealt = [CardDealt(f"c{n}", "P1", t=9.0 + n, id=n + 2) for n in range(3)]
    assert [event.id for event in stands(SAID, *dealt)] == [2, 1, 3, 4]


def test_a_word_that_is_entered_a_minute_late_takes_its_place():
    seen = [BettingClosed(t=20.0 * n, id=n) for n in range(1, 5)]
    late = Said("P1", "no", t=20.5, id=5)
    assert [event.id for event in stands(*seen, late)] == [1, 5, 2, 3, 4]


def test_an_event_too_far_back_stays_where_it_stands():
    late = [SAID, BettingClosed(t=300.0, id=2), BettingClosed(t=50.0, id=3), BettingClosed(t=301.0, id=4)]
    assert [event.id for event in stands(*late)] == [1, 2, 3, 4]


def test_a_correction_keeps_its_replacement_through_a_journal_line():
    fixed = correction(3, 1, Said("P1", "point", point=4, t=10.0, source="operator"))
    line = encode_event(fixed)
    assert "id" not in line["replacement"]
    assert decode_event(line) == fixed


@pytest.mark.parametrize(
    "new",
    [
        7,
        {"t": 1.0},
        {"t": 1.0, "event": "said", "by": "P1"},
        encode_event(SessionOpened("p", t=0.0)),
        encode_event(correction(2, 1)),
    ],
)
def test_what_no_event_can_be_replaced_by_is_refused(new):
    with pytest.raises(JournalError, match="replacement"):
        decode_event({"t": 1.0, "event": "event_corrected", "corrects": 1, "replacement": new})
