"""The journal: gapless ids, torn lines, faults by line number, round trips."""

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rules_strategies import any_event
from veedor.rules import event_codec
from veedor.rules.errors import JournalError
from veedor.rules.events import (
    EVENT_TYPES,
    BetPlaced,
    CardDealt,
    CoupOpened,
    UnknownEvent,
    decode_event,
    encode_event,
)
from veedor.rules.faults import MOST_KINDS
from veedor.rules.journal import Fsync, JournalWriter, read_journal


@given(any_event)
def test_event_survives_encoding(event):
    line = json.loads(json.dumps(encode_event(event)))
    assert decode_event(line) == event


@given(st.dictionaries(st.text(max_size=8), st.none() | st.integers() | st.text(max_size=5) | st.floats()))
def test_any_mapping_decodes_or_names_the_field(mapping):
    mapping = {"event": "bet_placed", "t": 1.0, **mapping}
    try:
        decode_event(mapping)
    except JournalError as error:
        assert ":" in str(error)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"event": "card_dealt", "t": 1, "to": "P1"}, "card: missing in card_dealt"),
        ({"event": "card_dealt", "t": "soon", "card": "c1", "to": "P1"}, "t: expected seconds"),
        ({"event": "card_turned", "t": 1, "card": "c1", "shows": "11H"}, "shows: card: expected"),
        ({"event": "bet_placed", "t": 1, "bet": "b1", "zone": "P1", "amount": "-3"}, "amount: expected"),
        (
            {"event": "bet_paid", "t": 1, "bet": "b1", "amount": "1e999999"},
            "amount: expected an amount under",
        ),
        ({"event": "bet_paid", "t": 1, "bet": "b1", "amount": "NaN"}, "amount: expected an amount, not"),
        ({"event": "card_drawn", "t": 1, "card": "c1", "face": "side"}, "face: expected one of up, down"),
        ({"event": "checked", "t": 1, "hand": "P1", "points": 12}, "points: expected a point"),
        ({"event": "betting_closed", "t": 1, "confidence": 2}, "confidence: expected"),
        ({"event": "betting_closed", "t": 1, "frames": [5, 2]}, "frames: expected"),
        ({"t": 1}, "event: expected"),
    ],
)
def test_decoding_names_the_wrong_field(line, message):
    with pytest.raises(JournalError, match=message.replace("(", r"\(")):
        decode_event(line)


@pytest.mark.parametrize(
    ("line", "spanish"),
    [
        ({"event": "card_dealt", "t": 1, "to": "P1"}, "card: falta en card_dealt"),
        ({"event": "bet_removed", "bet": "b1"}, "t: falta"),
        (
            {"event": "bet_paid", "t": 1, "bet": "b1", "amount": -3},
            "amount: se esperaba un importe, no negativo",
        ),
        ({"event": "card_drawn", "t": 1, "card": "c1", "face": "side"}, "face: se esperaba uno de up, down"),
        ({"t": 1}, "event: se esperaba el nombre de un suceso"),
    ],
)
def test_faults_of_a_line_are_told_in_spanish_too(line, spanish):
    with pytest.raises(JournalError) as raised:
        decode_event(line)
    assert raised.value.spanish.startswith(spanish)


def test_every_expectation_of_a_field_has_its_spanish():
    source = Path(event_codec.__file__).read_text(encoding="utf-8")
    expected = set(re.findall(r'_fault\([^,]+, "([^"]+)"', source)) - {"one of "}
    assert len(expected) > 10 and expected <= set(event_codec.SPANISH_EXPECTED)


@pytest.mark.parametrize("t", [10**400, -(10**400), 1e11, float("nan"), float("inf")])
def test_a_time_past_all_counting_is_no_time(t):
    with pytest.raises(JournalError, match="t: expected seconds"):
        decode_event({"event": "betting_closed", "t": t})


def test_nothing_of_any_exponent_is_nothing():
    bank = decode_event({"event": "bank_declared", "t": 1, "amount": "0E-99999999"})
    assert bank.amount.as_tuple().exponent == 0


def test_an_amount_too_small_to_be_money_is_nothing():
    assert decode_event({"event": "bet_paid", "t": 1, "bet": "b1", "amount": "1e-999999"}).amount == 0
    assert decode_event({"event": "bet_paid", "t": 1, "bet": "b1", "amount": 0.1}).amount == Decimal("0.1")


def test_a_value_of_any_length_is_shown_short():
    with pytest.raises(JournalError) as raised:
        decode_event({"event": "bet_removed", "t": "x" * 10_000, "bet": "b1"})
    assert len(str(raised.value)) < 200


def test_unknown_kind_is_kept_with_its_payload():
    event = decode_event({"id": 3, "t": 2.0, "event": "lamp_lit", "colour": "green"})
    assert event == UnknownEvent("lamp_lit", {"colour": "green"}, t=2.0, id=3, source="import")


def test_writer_numbers_without_gaps_and_goes_on_after_a_torn_line(tmp_path):
    path = tmp_path / "journal.jsonl"
    with JournalWriter(path, fsync=Fsync.EVERY_EVENT) as journal:
        assert journal.append(CoupOpened(1, t=0.0)).id == 1
        assert journal.append(BetPlaced("b1", "P1", Decimal("2.5"), t=1.0)).id == 2
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"id": 3, "t": 2.0, "event": "card_d')
    with JournalWriter(path, fsync=Fsync.NEVER) as journal:
        assert journal.append(CardDealt("c1", "P1", t=3.0)).id == 3
    reading = read_journal(path)
    assert [event.id for event in reading.events] == [1, 2, 3]
    assert reading.faults == ()
    assert path.read_bytes().startswith(whole)


@given(st.data())
def test_a_journal_cut_anywhere_reads_as_a_prefix(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("cut") / "journal.jsonl"
    with JournalWriter(path, fsync=Fsync.NEVER) as journal:
        events = [journal.append(CardDealt(f"c{n}", "P1", t=float(n))) for n in range(1, 6)]
    whole = path.read_bytes()
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    reading = read_journal(path)
    assert list(reading.events) == events[: len(reading.events)]
    assert len(reading.faults) <= 1


def test_each_fault_is_reported_once_with_its_line_and_the_rest_is_read(tmp_path):
    lines = [
        '{"id": 1, "t": 0, "event": "session_opened", "profile": "dos-panos-limitada", "schema": 7}',
        '{"id": 2, "t": 10, "event": "coup_opened", "coup": 1}',
        '{"id": 2, "t": 10, "event": "coup_opened", "coup": 1}',
        "not json",
        '{"id": 5, "t": 11, "event": "card_dealt", "card": "c1"}',
        '{"t": 12, "event": "betting_opened"}',
        '{"id": 9, "t": 13, "event": "lamp_lit"}',
        '{"id": 10, "t": 213, "event": "lamp_lit"}',
        '{"id": 11, "t": 2, "event": "betting_closed"}',
        '{"id": 12, "t": 14, "eve',
    ]
    path = tmp_path / "journal.jsonl"
    path.write_text("\n".join(lines))
    reading = read_journal(path)
    assert [event.id for event in reading.events] == [1, 2, 0, 9, 10, 11]
    assert [(fault.line, fault.text.split(":")[0]) for fault in reading.faults] == [
        (1, "schema 7"),
        (3, "id 2"),
        (4, "not JSON, left out"),
        (5, "to"),
        (6, "id"),
        (7, "id 9"),
        (7, "event lamp_lit"),
        (9, "t 2"),
        (10, "last line is cut short, left out"),
    ]


def faults_of(tmp_path, lines):
    path = tmp_path / "journal.jsonl"
    path.write_text("\n".join(lines) + "\n")
    reading = read_journal(path)
    return reading, [str(fault) for fault in reading.faults]


def test_ids_that_begin_again_are_told_once(tmp_path):
    lines = [f'{{"id": {n % 4 + 1}, "t": {n}, "event": "betting_opened"}}' for n in range(12)]
    reading, faults = faults_of(tmp_path, lines)
    assert len(reading.events) == 12
    assert faults == ["line 5: id 1: expected 5", "line 9: id 1: expected 5"]


def test_missing_ids_and_bad_lines_are_told_once_with_how_often(tmp_path):
    lines = [f'{{"t": {n}, "event": "betting_opened"}}' for n in range(5)] + ["nonsense"] * 3
    reading, faults = faults_of(tmp_path, lines)
    assert len(reading.events) == 5
    assert faults == ["line 1: id: missing (5 times)", "line 6: not JSON, left out (3 times)"]
    assert [fault.told("es") for fault in reading.faults] == [
        "id: falta (5 veces)",
        "no es JSON, se omite (3 veces)",
    ]


def test_a_line_that_comes_again_later_is_left_out_and_told_once(tmp_path):
    lines = [f'{{"id": {n}, "t": {n}, "event": "bet_paid", "bet": "b{n}", "amount": 5}}' for n in range(1, 6)]
    reading, faults = faults_of(tmp_path, [*lines[:4], lines[1], lines[4]])
    assert [event.id for event in reading.events] == [1, 2, 3, 4, 5]
    assert faults == ["line 5: id 2: the same event again, left out"]


def test_time_that_runs_back_is_told_once(tmp_path):
    times = [0, 50, 150, 2, 3, 4, 5, 200, 201]
    lines = [f'{{"id": {n}, "t": {t}, "event": "betting_opened"}}' for n, t in enumerate(times, 1)]
    _, faults = faults_of(tmp_path, lines)
    assert faults == ["line 4: t 2: runs back from 150"]


def test_a_record_of_faults_does_not_fill_the_memory(tmp_path):
    _, faults = faults_of(tmp_path, [f'{{"id": {n}, "event": "x{n}"}}' for n in range(1, 3001)])
    assert len(faults) == MOST_KINDS + 1
    assert faults[-1] == "line 1001: more faults from here on (2000 times)"


def test_a_missing_file_is_one_line(tmp_path):
    with pytest.raises(JournalError, match=r"nowhere\.jsonl: No such file"):
        read_journal(tmp_path / "nowhere.jsonl")


def test_every_event_has_a_distinct_journal_name():
    assert len({encode_event.__module__}) == 1
    from veedor.rules.events import NAME_BY_TYPE

    assert len(set(NAME_BY_TYPE.values())) == len(EVENT_TYPES) == 39
