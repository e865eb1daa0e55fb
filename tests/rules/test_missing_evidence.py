"""A camera misses things and a microphone more: what was not recorded accuses nobody."""

import pytest
from playing import argentina, dos_panos, puerto_rico
from veedor.rules.checker import Checker
from veedor.rules.finding import standing
from veedor.rules.verdict import Verdict


def panos():
    record = dos_panos()
    record.play()
    record.play(
        p1="4H 5C", p2="2D 3H", b="3C KH", say=("abato", "carta"), thirds=(None, "4S", None),
        holders=("seat2", "seat6"),
    )  # fmt: skip
    record.play(
        p1="2H 5C", p2="QD 6H", b="AC 4H", say=("no", "no"), thirds=(None, None, "5D"),
        holders=("seat2", "seat6"),
    )  # fmt: skip
    return record


def argentine():
    record = argentina()
    record.punto()
    record.punto(punto="2H 3C", banca="4D KS", thirds=(None, "2D"))
    return record


def puerto_rican():
    record = puerto_rico()
    for _ in range(2):
        bets = (("A", None, "punto", 50), ("B", None, "banca", 75))
        record.punto(bets=bets, shooter="seat1", holder="A")
    return record


TABLES = {"panos": panos, "argentine": argentine, "puerto_rican": puerto_rican}
# An event that is itself a duty cannot go missing without its absence being the fault; and where stakes are
# tied to a person, a stake nobody saw leaves that person without one.
DUTIES = {"CagnottePaid", "BetPaid", "BetCollected", "CommissionTaken", "BetPlaced"}


def broken(record, events):
    findings = Checker(record.profile, bank=record.bank).judge(events)
    return [one.code for one in standing(findings) if one.verdict is Verdict.BROKEN]


@pytest.mark.parametrize("table", TABLES)
def test_clean_play_has_no_finding(table):
    assert TABLES[table]().findings() == []


@pytest.mark.parametrize("table", TABLES)
def test_a_whole_kind_of_event_may_be_missing(table):
    record = TABLES[table]()
    for kind in {type(event) for event in record.events}:
        if kind.__name__ == "CagnottePaid":
            continue
        assert broken(record, [event for event in record.events if type(event) is not kind]) == [], kind


@pytest.mark.parametrize("table", TABLES)
def test_any_one_event_may_be_missing(table):
    record = TABLES[table]()
    for index, event in enumerate(record.events):
        if type(event).__name__ not in DUTIES:
            rest = record.events[:index] + record.events[index + 1 :]
            assert broken(record, rest) == [], event


@pytest.mark.parametrize("table", TABLES)
def test_neighbours_out_of_order_change_nothing(table):
    """Vision writes an event when it is sure of it: one may come a place late, with its own time."""
    record = TABLES[table]()
    for index in range(len(record.events) - 1):
        first, second = record.events[index : index + 2]
        names = {type(first).__name__, type(second).__name__}
        if names & {"CoupOpened", "CoupClosed", "ShoeStarted"}:
            continue
        swapped = [*record.events[:index], second, first, *record.events[index + 2 :]]
        assert broken(record, swapped) == [], (first, second)
