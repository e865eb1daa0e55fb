"""Whole coups and what they cost: stakes, lines, deductions, bancos, cover."""

from decimal import Decimal

import pytest
from playing import argentina, dos_panos, due, puerto_rico
from veedor.rules.events import (
    BancoCalled,
    BankDeclared,
    BetChanged,
    BetCollected,
    BetPaid,
    BetReturned,
    BettingClosed,
    CagnottePaid,
    CoupClosed,
    CutCardShown,
    HandTaken,
    LotDrawn,
    SabotPassed,
    Said,
)


def test_cagnotte_is_taken_from_the_net_gain():
    record = dos_panos(bank=1000)
    record.play(
        b="3C 3H", p2="QD 8D", say=("carta", "abato"), bets=(("A", 1, "P1", 500), ("B", 6, "P2", 200))
    )
    assert record.codes() == []
    assert (record.account.cagnotte, record.account.bank_after) == (6, 1294)
    gross = dos_panos(bank=1000, readings={"C-12": "gross"})
    gross.events = record.events
    assert [(one.code, one.facts["due"]) for one in gross.findings()] == [("CAGNOTTE_WRONG", "10")]


def test_open_bank_takes_a_lower_rate_and_stops_after_the_cut_card():
    record = dos_panos(profile="dos-panos-libre", bank=None)
    record.open((("A", 1, "P1", 400), ("B", 6, "P2", 900)))
    record.deal()
    record.add(CutCardShown)
    record.speak("P1", "no", "seat1")
    record.speak("P2", "no", "seat6")
    record.add(Said, "banker", "no")
    record.show({"P1": ["2H", "4S"], "P2": ["QD", "7D"], "B": ["3C", "4H"]})
    record.add(BetCollected, "b1", Decimal(400))
    record.add(CagnottePaid, Decimal(5))
    record.add(CoupClosed, 1)
    assert record.codes() == []
    assert record.account.results == {"P1": "banker", "P2": "tie"}
    assert (record.account.cagnotte, record.account.bank_after) == (5, None)
    record.play(holders=("seat2", "seat6"))
    assert record.codes() == ["PLAY_AFTER_CUT"]


def test_a_stake_on_the_half_line_is_collected_whole():
    record = dos_panos(bank=1000, unit=5)
    record.play(b="4C 5H", bets=(("A", 1, "half:P1", 50), ("B", 6, "P2", 40)), settle=False)
    record.add(BetCollected, "b1", Decimal(50))
    record.add(BetCollected, "b2", Decimal(40))
    record.add(CagnottePaid, Decimal("1.3"))
    record.add(CoupClosed, 1)
    (finding,) = record.findings()
    assert (finding.code, finding.facts["difference"]) == ("PAYOUT_WRONG", "25")
    assert "001 VII p4" in finding.rule
    assert due(record) == {"A": -25, "B": -40}
    assert record.account.bank_after == Decimal("1063.7")
    record.events.pop()
    record.add(BetReturned, "b1", Decimal(25))
    record.add(CoupClosed, 1)
    assert record.codes() == []  # given back: the finding is withdrawn


@pytest.mark.parametrize(
    ("zone", "amount", "results", "net"),
    [
        ("caballo", 6, "bp", 0),
        ("caballo", 7, "bp", -1),
        ("caballo", 7, "pb", 1),
        ("half:caballo", 10, "pb", 1),
        ("half:caballo", 8, "pb", 0),
        ("half:P1", 100, "pb", 50),
        ("half:P1", 7, "pb", 3),
        ("P2", 9, "pb", -9),
        ("caballo", 7, "tb", -3),
    ],
)
def test_stakes_on_the_lines(zone, amount, results, net):
    hands = {"b": "2H 4S", "p": "4H 5S", "t": "KH 7S"}
    words = {"b": "no", "p": "abato", "t": "no"}
    one, two = results
    record = dos_panos()
    record.play(
        p1=hands[one],
        p2=hands[two].replace("H", "D"),
        say=(words[one], words[two]),
        thirds=(None, None, None),
        b="3C 4C",
        bets=(("A", 1, zone, amount),),
        settle=False,
    )
    record.add(CoupClosed, 1)
    assert record.account.payouts == {"A": net}


def test_a_late_stake_and_one_beside_the_croupier_do_not_play():
    record = dos_panos()
    record.open((("A", 1, "P1", 100), ("D", 8, "forbidden", 30)))
    record.bet("C", 2, "P1", 40)
    record.deal()
    record.speak("P1", "abato", "seat1")
    record.turn("P1", ["3H", "5S"])
    record.speak("P2", "carta", "seat6")
    record.third("P2", "2C")
    record.third("B", "3S")
    record.show({"P1": [], "P2": ["KD", "4D"], "B": ["QC", "5H"]}, ("abato", None))
    record.add(BetReturned, "b2", Decimal(30))
    record.add(BetReturned, "b3", Decimal(40))
    record.add(BetPaid, "b1", Decimal(100))
    record.add(CoupClosed, 1)
    assert record.codes() == ["BET_POSITION_FORBIDDEN", "BET_AFTER_NMV"]
    assert record.account.results["P1"] == "player"  # two-card 8 against a three-card 8
    assert due(record) == {"A": 100}


def test_banco_null_three_times_is_over():
    record = dos_panos(bank=600)
    for coup in range(3):
        if coup:
            record.add(Said, "Z", "repeat")
        record.open((), call=False)
        if not coup:
            record.add(BankDeclared, Decimal(600))
            record.add(BancoCalled, "Z")
        record.bet("Z", None, "caballo", 600)
        record.add(BettingClosed)
        record.deal()
        if coup == 2:
            record.add(HandTaken, "P2", "Z")
        for hand in ("P1", "P2"):
            record.add(HandTaken, hand, "Z")
            record.add(Said, hand, "no")
        record.add(Said, "banker", "no")
        record.show({"P1": ["2H", "4S"], "P2": ["QD", "6D"], "B": ["3C", "3H"]})
        record.add(CoupClosed, record.coup)
    record.add(Said, "Z", "repeat")
    assert [(one.code, one.coup) for one in record.findings()] == [
        ("BANCO_PEEK", 3),
        ("BANCO_REPEAT_EXCESS", 3),
    ]
    assert due(record) == {} and record.account.bank_after == 600


def test_a_limited_bank_covers_seat_by_seat_in_the_order_of_the_lot():
    record = dos_panos(bank=250)
    bets = (("A", 1, "P1", 100), ("B", 2, "P1", 80), ("S", None, "P2", 60), ("C", 7, "P2", 120))
    record.open(bets, call=False)
    record.add(LotDrawn, ("P2", "P1"))
    record.add(BettingClosed)
    record.add(BetReturned, "b1", Decimal(30))
    record.add(BetReturned, "b2", Decimal(80))
    record.deal()
    record.speak("P1", "abato", "seat1")
    record.turn("P1", ["KH", "9S"])
    record.speak("P2", "abato", "seat6")
    record.turn("P2", ["QD", "8D"])
    record.turn("B", ["3C", "3H"])
    for bet, amount in (("b1", 70), ("b3", 60), ("b4", 120)):
        record.add(BetPaid, bet, Decimal(amount))
    record.add(CoupClosed, 1)
    assert record.codes() == []
    assert due(record) == {"A": 70, "S": 60, "C": 120}
    assert record.account.bank_after == 0


def test_argentina_suite_and_commission():
    record = argentina("seat3")
    record.punto(
        punto="2H 3C", banca="4D KS", thirds=(None, "2D"), shooter="seat3", holder="seat7",
        bets=(("seat3", 3, "suite", 40), ("seat5", 5, "banca", 90), ("seat7", 7, "punto", 60)),
    )  # fmt: skip
    assert record.codes() == []
    assert record.account.results_plain() == "banca"
    assert record.account.payouts == {"seat3": 40, "seat5": 81, "seat7": -60}
    assert record.account.next_hand == {"banca": "keep"}
    record.punto(
        punto="2H 4C", banca="AD 4S", thirds=(None, "KD"), shooter="seat3", holder="seat7",
        bets=(("seat3", 3, "suite", 80), ("seat7", 7, "punto", 60)),
    )  # fmt: skip
    assert record.codes() == []
    assert record.account.next_hand == {"banca": "rotate"}
    record.add(SabotPassed, "seat4")
    assert record.codes() == []


def test_puerto_rico_tie_pays_eight_to_one_and_the_rest_stands():
    record = puerto_rico(bet_min=25)
    record.punto(
        punto="TH 8C", banca="9D 9S", shooter="seat1", holder="A",
        bets=(("A", None, "punto", 50), ("B", None, "banca", 75), ("A", None, "tie", 10)),
    )  # fmt: skip
    assert record.codes() == []
    assert record.account.payouts == {"A": 80, "B": 0}


def test_a_late_banco_is_refused_and_the_coup_is_like_any_other():
    record = dos_panos()
    record.play()
    record.open()
    record.add(BancoCalled, "seat7", 7)
    record.deal()
    record.speak("P1", "no", "seat2")  # the turn goes on: the bank had won
    record.speak("P2", "no", "seat6")
    record.turn("P1", ["2H", "AS"])
    assert record.codes() == ["BANCO_LATE", "P_STAND_BELOW5"]  # he is not freed from anything


def test_a_refused_repeat_does_not_make_the_next_coup_a_banco():
    record = dos_panos()
    record.open((("Z", 1, "caballo", 200),), call=False)
    record.add(BancoCalled, "seat1", 1)
    record.add(BettingClosed)
    record.deal()
    record.speak("P1", "no", "seat1")
    record.speak("P2", "no", "seat1")
    record.show({"P1": ["2H", "5S"], "P2": ["3H", "4S"], "B": ["JC", "6H"]})
    record.add(BetPaid, "b1", Decimal(200))
    record.add(CoupClosed, 1)
    record.add(Said, "seat1", "repeat")
    record.play(holders=("seat1", "seat6"))
    assert record.codes() == ["BANCO_REPEAT_EXCESS"]


def test_a_stake_given_back_and_put_back_before_the_deal_plays_whole():
    record = dos_panos()
    record.open(call=False)
    record.add(BankDeclared, Decimal(5000))
    record.add(BettingClosed)
    record.add(BetReturned, "b1", Decimal(100))
    record.add(BetChanged, "b1", None, Decimal(100))
    record.deal()
    record.speak("P1", "no", "seat1")
    record.speak("P2", "no", "seat6")
    record.add(Said, "banker", "no")
    record.show({"P1": ["2H", "4S"], "P2": ["3H", "4S"], "B": ["JC", "7H"]})
    record.add(BetCollected, "b1", Decimal(100))
    record.add(CagnottePaid, Decimal(2))
    record.add(CoupClosed, 1)
    assert record.codes() == ["COVER_ORDER"]
