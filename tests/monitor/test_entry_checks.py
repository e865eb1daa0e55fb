"""What cannot have been at a table is refused in one line; amounts are read in one way or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from veedor.monitor.announcements import Announcements
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.entry_checks import Senseless, TableSense
from veedor.monitor.fold import EntryFault, Fold
from veedor.monitor.operator_events import OperatorDesk
from veedor.monitor.spanish_numbers import amount_in, number_in, plain
from veedor.monitor.written_amounts import UnclearAmount, read_amount
from veedor.rules.events import decode_event
from veedor.rules.journal import Fsync, read_journal
from veedor.rules.profile import load_profile
from veedor.vision.table_file import load_table

TABLE = load_table(bundled_clip("demo").table)
PROFILE = load_profile(TABLE.profile)
SENSE = TableSense(TABLE, PROFILE)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[OperatorDesk]:
    with Fold(TABLE, PROFILE, Announcements(), tmp_path / "journal.jsonl", Fsync.NEVER) as fold:
        yield OperatorDesk(fold, lambda: 3.0)


def said(by: str, words: str = "carta", **more: object) -> dict[str, object]:
    return {"event": "said", "by": by, "words": words, **more}


ODD = [
    (said("P9"), "by"), (said("p1"), "by"), (said(""), "by"), (said("nobody"), "by"), (said("seat0"), "by"),
    (said("seat11"), "by"), (said("seat007"), "by"), (said("P9", "advice"), "by"),
    (said("P1", "cartas"), "words"),
    (said("P1", point=3), "point"), (said("P1", "point"), "point"), (said("P1", "point", point=10), "point"),
    (said("P1", to="P7"), "to"),
    ({"event": "coup_opened", "coup": 10**30}, "coup"), ({"event": "coup_opened", "coup": 0}, "coup"),
    ({"event": "coup_opened", "coup": -1}, "coup"), ({"event": "coup_closed", "coup": 10**400}, "coup"),
    ({"event": "shoe_started", "decks": 0}, "decks"), ({"event": "shoe_started", "decks": 1000}, "decks"),
    ({"event": "bank_declared", "amount": -5}, "amount"), ({"event": "bank_declared", "amount": 0}, "amount"),
    ({"event": "bank_declared", "amount": "-5"}, "amount"),
    ({"event": "bank_declared", "amount": 10**400}, "amount"),
    ({"event": "bank_declared", "amount": "9" * 400}, "amount"),
    ({"event": "bank_declared", "amount": 10**13}, "amount"),
    ({"event": "bank_declared", "amount": "0.001"}, "amount"),
    ({"event": "bank_declared", "amount": 0.125}, "amount"),
    ({"event": "bank_declared", "amount": "1e5"}, "amount"),
    ({"event": "bank_declared", "amount": "100.000"}, "write 100 or 100000"),
    ({"event": "bank_declared", "amount": "1,500"}, "write 1500"),
    ({"event": "bank_deposited", "amount": "twelve"}, "amount"),
    ({"event": "banco_called", "bettor": "seat99", "seat": 99}, "seat"),
    ({"event": "banco_called", "bettor": "seat3", "seat": 0}, "seat"),
    ({"event": "banco_called", "bettor": "P9"}, "bettor"),
    ({"event": "banco_called", "bettor": "<b>"}, "bettor"),
    ({"event": "players_seen", "pano": "P9", "players": ["seat1"]}, "pano"),
    ({"event": "players_seen", "pano": "P1", "players": ["seat1", "seat1"]}, "players"),
    ({"event": "players_seen", "pano": "P1", "players": ["seat1", "seat44"]}, "players"),
    ({"event": "lot_drawn", "order": []}, "order"), ({"event": "lot_drawn", "order": ["P1", "P1"]}, "order"),
    ({"event": "lot_drawn", "order": ["B"]}, "order"),
    ({"event": "checked", "hand": "P3", "points": 4}, "hand"),
    ({"event": "checked", "hand": "P1", "points": 12}, "points"),
    ({"event": "ruling", "by": "croupier", "text": "x"}, "by"),
    ({"event": "ruling", "by": "inspector", "text": "  "}, "text"),
    ({"event": "ruling", "by": "inspector", "text": "a\x1b[31m"}, "text"),
    ({"event": "ruling", "by": "director", "text": "x", "effect": "annul:P9"}, "effect"),
    ({"event": "sabot_passed", "to": "seat12"}, "to"),
    ({"event": "cut_card_shown", "cards_below": 10**9}, "cards_below"),
]  # fmt: skip


@pytest.mark.parametrize(("event", "named"), ODD, ids=lambda value: str(value)[:60])
def test_what_cannot_have_been_is_refused_and_leaves_no_line(
    desk: OperatorDesk, tmp_path: Path, event: dict[str, object], named: str
) -> None:
    before = len(read_journal(tmp_path / "journal.jsonl").events)
    with pytest.raises(EntryFault) as refusal:
        desk.enter(event)
    english, spanish = str(refusal.value), refusal.value.spanish  # type: ignore[attr-defined]
    assert named in english and len(english) < 200 and "\n" not in english
    assert english != spanish
    assert len(read_journal(tmp_path / "journal.jsonl").events) == before


@pytest.mark.parametrize(
    "event",
    [
        said("P1"), said("banker", "cuadro"), said("B", "no"), said("seat10", "no"),
        said("croupier", "advice"), said("Z", "advice"), said("P2", "point", point=0),
        said("croupier", "no", to="P1"),
        {"event": "bank_declared", "amount": "100000"}, {"event": "bank_declared", "amount": "12.50"},
        {"event": "bank_declared", "amount": 250.5}, {"event": "banker_left", "amount": 0},
        {"event": "banker_seated", "banker": "K"}, {"event": "banco_called", "bettor": "Sra. Núñez"},
        {"event": "players_seen", "pano": "P2", "players": ["seat6", "seat7", "A"]},
        {"event": "lot_drawn", "order": ["P2", "P1"]}, {"event": "shoe_started", "decks": 6},
        {"event": "ruling", "by": "inspector", "text": "Queda anulada.", "effect": "annul:P1"},
        {"event": "coup_opened", "coup": 412}, {"event": "sabot_passed", "to": "seat4"},
        {"event": "cut_card_shown", "cards_below": 0},
    ],
    ids=lambda value: str(value)[:60],
)  # fmt: skip
def test_what_can_have_been_is_taken_also_against_the_rules(
    desk: OperatorDesk, event: dict[str, object]
) -> None:
    assert desk.enter(event).id > 0


@pytest.mark.parametrize(
    ("replacement", "named"),
    [
        ({"event": "bet_placed", "bet": "b1", "zone": "P7", "amount": 5}, "zone"),
        ({"event": "bet_placed", "bet": "b1", "zone": "P1", "amount": 5, "seat": 40}, "seat"),
        ({"event": "bet_placed", "bet": "b 1\n", "zone": "P1", "amount": 5}, "bet"),
        ({"event": "bet_paid", "bet": "b1", "amount": "1.000"}, "amount"),
        ({"event": "card_dealt", "card": "c1", "to": "P5"}, "to"),
        ({"event": "card_dealt", "card": "c" * 60, "to": "P1"}, "card"),
        ({"event": "hand_taken", "hand": "X"}, "hand"),
    ],
)
def test_a_correction_is_held_to_the_same(
    desk: OperatorDesk, replacement: dict[str, object], named: str
) -> None:
    entry = desk.enter(said("P1"))
    with pytest.raises(EntryFault, match=named):
        desk.correct(entry.id, replacement, by="ana", reason=None)


@pytest.mark.parametrize("profile", ["punto-y-banca-ar", "punto-banco-pr"])
def test_other_games_have_other_hands(profile: str) -> None:
    sense = TableSense(TABLE, load_profile(profile))

    def event(line: dict[str, object]) -> Any:
        return decode_event({"t": 1.0, **line})

    sense.check(event({"event": "checked", "hand": "banca", "points": 3}))
    with pytest.raises(Senseless, match="punto, banca"):
        sense.check(event({"event": "checked", "hand": "P1", "points": 3}))


@pytest.mark.parametrize(
    ("written", "amount"),
    [
        ("100.000", "100000"), ("100,000", "100000"), ("100 000", "100000"), ("100\u00a0000", "100000"),
        ("1.234,5", "1234.5"), ("1,234.50", "1234.50"), ("1.234.567", "1234567"), ("12,5", "12.5"),
        ("12.50", "12.50"), (" 2500 ", "2500"), ("1'500", "1500"), ("1 234,50", "1234.50"), ("0,5", "0.5"),
    ],
)  # fmt: skip
def test_thousands_and_decimals_of_both_languages(written: str, amount: str) -> None:
    assert read_amount(written) == Decimal(amount)


@pytest.mark.parametrize(
    "written",
    ["0.500", "1.234,567", "1.234.56", "1234.567", "1,23,456", "1.2345", "", "-5", "1e5", "NaN", "١٠٠",
     "12 5", "1 234.500", ".", "1,,000", "100.000,000"],
)  # fmt: skip
def test_what_can_be_read_in_two_ways_or_none_is_refused(written: str) -> None:
    with pytest.raises(UnclearAmount) as fault:
        read_amount(written)
    assert fault.value.es and fault.value.en and fault.value.es != fault.value.en


@pytest.mark.parametrize(
    ("words", "amount"),
    [
        ("La banca es de 100.000 pesos", "100000"), ("banca de 12,50", "12.50"),
        ("banca de 1.500,75", "1500.75"),
        ("banca de 2 mil", "2000"), ("banca de 1,5 millones", "1500000"), ("banca de 12 500", "12500"),
        ("banca de dos mil quinientos", "2500"), ("banca de 100,000.", "100000"),
    ],
)  # fmt: skip
def test_spoken_amounts_are_whole_and_right(words: str, amount: str) -> None:
    assert amount_in(plain(words)) == Decimal(amount)


def test_a_spoken_figure_that_could_be_two_is_none() -> None:
    assert amount_in(plain("banca de 1.234,567")) is None and number_in(plain("asiento 1,5")) is None
