"""Whole coups with everything due: points, results, hands, duty, money, who holds next."""

from decimal import Decimal

import pytest
from playing import Record, argentina, dos_panos, puerto_rico
from veedor.rules.duty import Must
from veedor.rules.events import (
    BancoCalled,
    BankDeclared,
    BetChanged,
    BetCollected,
    BetPaid,
    BetReturned,
    BettingClosed,
    CagnottePaid,
    CardDropped,
    CardMoved,
    CardsStuck,
    CardTurned,
    Checked,
    CoupClosed,
    CutCardShown,
    HandTaken,
    LotDrawn,
    SabotPassed,
    Said,
)


def due(record):
    """Net gains that are not nothing."""
    return {who: net for who, net in record.account.payouts.items() if net}


def test_cuadro_asked_for_and_followed_with_the_bank_winning_as_much_as_it_loses():
    record = dos_panos(bank=2000)
    record.open((("A", 2, "P1", 60), ("B", 7, "P2", 60)))
    record.deal()
    record.speak("P1", "no", "seat1")
    record.speak("P2", "carta", "seat6")
    record.third("P2", "4C")
    record.add(Said, "banker", "cuadro")
    record.third("B", "2D")
    record.show({"P1": ["5H", "2S"], "P2": ["JD", "2H"], "B": ["3S", "AC"]})  # 7; 2+4=6; 4+2=6
    record.add(BetPaid, "b1", Decimal(60))
    record.add(CoupClosed, 1)
    account = record.account
    assert record.codes() == []
    assert account.banker_duty is Must.DRAW  # (4, none) and (4, 4 given) both say draw
    assert account.points == {"P1": 7, "P2": 6, "B": 6}
    assert account.results == {"P1": "player", "P2": "tie"}
    assert (due(record), account.cagnotte, account.bank_after) == ({"A": 60}, 0, 1940)
    assert account.next_hand == {"P1": "keep", "P2": "keep"}


def test_bank_wins_both_panos_and_the_hand_must_go_round():
    record = dos_panos(bank=800)
    record.play(b="4C 5H", bets=(("A", 1, "P1", 70), ("B", 6, "P2", 130)))
    assert record.account.cagnotte == 4
    assert record.account.bank_after == 996
    assert record.account.next_hand == {"P1": "rotate", "P2": "rotate"}
    record.play(holders=("seat2", "seat6"))
    assert [(one.code, one.actor) for one in record.findings()] == [("HAND_ROTATION", "seat6")]


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


def test_two_card_eight_loses_only_to_a_two_card_nine():
    for bank, expected in (("4C 5H", "banker"), ("3C 5H", "tie"), ("2C 5H", "player")):
        record = dos_panos()
        record.play(p1="3H 5S", say=("abato", "no"), thirds=(None, None, None), b=bank, settle=False)
        record.add(CoupClosed, 1)
        assert record.account.results["P1"] == expected


def test_stuck_cards_void_the_coup_and_leave_the_bank():
    record = dos_panos(bank=700)
    record.open()
    record.deal(("P1", "P2"))
    record.card(None)
    record.card(None)
    record.add(CardsStuck, ("c3", "c4"))
    for card in ("c1", "c2", "c3", "c4"):
        record.add(CardMoved, card, "dead", "croupier", dt=0)
    record.add(BetReturned, "b1", Decimal(100))
    record.add(BetReturned, "b2", Decimal(100))
    record.add(CoupClosed, 1)
    account = record.account
    assert record.codes() == ["STUCK_CARDS"]
    assert account.results == {"P1": "annulled", "P2": "annulled"}
    assert (account.dead, due(record), account.bank_after) == (("c1", "c2", "c3", "c4"), {}, 700)
    assert account.next_hand == {"P1": "keep", "P2": "keep"}


def test_after_advice_the_banker_follows_the_cuadro_against_the_pano_that_did_not_abate():
    record = dos_panos()
    record.open()
    record.deal()
    record.speak("P1", "abato", "seat1")
    record.turn("P1", ["KH", "8S"])
    record.speak("P2", "carta", "seat6")
    record.third("P2", "7C")
    record.add(Said, "seat2", "advice", "banker")
    record.third("B", "4S")
    record.show({"P1": [], "P2": ["2D", "2H"], "B": ["3C", "KD"]}, ("abato", None))
    record.add(CoupClosed, 1)
    assert record.codes() == ["ADVICE"]
    assert record.account.banker_duty is Must.DRAW


def test_a_wrong_holder_who_has_spoken_plays_the_coup_and_the_next_goes_to_the_right_one():
    record = Record(bank=1000)
    record.begin(players={"P1": ("seat1", "seat2", "seat3"), "P2": ("seat6", "seat7")})
    record.play(holders=("seat3", "seat6"))
    assert record.codes() == ["WRONG_HAND_HOLDER"]
    assert record.account.next_hand == {"P1": "seat1", "P2": "keep"}
    record.play(holders=("seat1", "seat6"))
    assert record.codes() == ["WRONG_HAND_HOLDER"]


def restored(p1, p2, b, say, thirds, moves, new=(), **fields):
    """A coup put right at the showdown: cards moved, new cards drawn, then accounted."""
    record = dos_panos(bank=1000, **fields)
    record.play(p1=p1, p2=p2, b=b, say=say, thirds=thirds, settle=False)
    for card, to in moves:
        record.add(CardMoved, card, to, "croupier")
    for hand, face in new:
        record.third(hand, face)
    record.add(CoupClosed, 1)
    return record


def test_no_below_five_takes_back_the_card_of_the_second_pano():
    record = restored(
        "2D 2S", "QD 4H", "KC 2H", ("no", "carta"), (None, "3C", "5S"),
        moves=(("c7", "P1"), ("c8", "P2")), new=(("B", "4D"),),
    )  # fmt: skip
    account = record.account
    assert record.codes() == ["P_STAND_BELOW5"]
    assert account.points == {"P1": 7, "P2": 9, "B": 6}
    assert account.final_hands == {
        "P1": ("c1", "c4", "c7"),
        "P2": ("c2", "c5", "c8"),
        "B": ("c3", "c6", "c9"),
    }
    assert account.banker_duty is Must.DRAW


def test_card_asked_with_seven_moves_on_and_the_last_one_dies():
    record = restored(
        "5D 2S", "QD AH", "2C 2H", ("carta", "carta"), ("6C", "3S", "9D"),
        moves=(("c7", "P2"), ("c8", "B"), ("c9", "dead")),
    )  # fmt: skip
    account = record.account
    assert record.codes() == ["P_DRAW_ON_6PLUS"]
    assert account.points == {"P1": 7, "P2": 7, "B": 7}
    assert account.dead == ("c9",)
    assert account.banker_duty is Must.DRAW  # (4, none) and (4, 6 given)
    # The steps were said before anything moved.
    first = [one for one in record.check()[1] if one.steps][-1]
    assert first.code == "P_DRAW_ON_6PLUS"


def test_carta_then_no_with_five_draws_and_the_banker_stays_free():
    record = dos_panos(bank=1000)
    record.open()
    record.deal()
    record.speak("P1", "carta", "seat1")
    record.add(Said, "P1", "no")
    record.add(Checked, "P1", 5)
    record.speak("P2", "abato", "seat6")
    record.turn("P2", ["KD", "8C"])
    record.third("P1", "3C")
    record.add(Said, "banker", "no")
    record.show({"P1": ["4H", "AS"], "P2": [], "B": ["QC", "5H"]}, (None, "abato"))
    record.add(CoupClosed, 1)
    assert record.codes() == ["P_CONTRADICTORY"]
    assert record.account.banker_duty is Must.FREE  # C-21: nothing was restored
    always = dos_panos(bank=1000, readings={"C-21": "always"})
    always.events = record.events
    assert always.account.banker_duty is Must.STAND  # (5, 3 given)


def test_a_natural_denied_counts_as_plain_points():
    record = dos_panos(bank=1000)
    record.play(p1="KH 8S", say=("no", "no"), b="2C 3H", thirds=(None, None, "4D"))
    assert record.codes() == ["P_NO_ON_NATURAL"]
    assert record.account.results == {"P1": "banker", "P2": "banker"}  # a three-card 9
    assert record.account.banker_duty is Must.FREE


def test_second_pano_no_below_five_takes_the_bankers_card_and_he_is_free_in_a_mixed_cuadro():
    record = restored(
        "5D 2S", "QD 3H", "2C 3S", ("no", "no"), (None, None, "8C"),
        moves=(("c7", "P2"),), new=(("B", "4D"),),
    )  # fmt: skip
    assert record.codes() == ["P_STAND_BELOW5"]
    assert record.account.banker_duty is Must.FREE  # (5, none) T, (5, 8 given) P, a player's error
    assert record.account.points == {"P1": 7, "P2": 1, "B": 9}


def test_a_card_withheld_makes_the_banker_draw_with_five_or_less():
    record = restored(
        "QD 2S", "5D AH", "AC 4S", ("carta", "no"), (None, None, "8C"),
        moves=(("c7", "P1"),), new=(("B", "3D"),),
    )  # fmt: skip
    assert record.codes() == ["CARD_WITHHELD"]
    assert record.account.banker_duty is Must.DRAW
    assert record.account.points == {"P1": 0, "P2": 6, "B": 8}


def test_a_card_slid_to_the_wrong_pano_costs_the_banker_nothing():
    record = dos_panos(bank=1000)
    record.open()
    record.deal()
    record.speak("P1", "no", "seat1")
    record.speak("P2", "carta", "seat6")
    record.third("P1", "5C", dealt_by="croupier")
    record.add(CardMoved, "c7", "P2", "croupier")
    record.add(Said, "banker", "no")
    record.show({"P1": ["4H", "2S"], "P2": ["QD", "2D"], "B": ["3C", "4H"]})
    record.add(BetCollected, "b1", Decimal(100))
    record.add(CagnottePaid, Decimal(2))
    record.add(CoupClosed, 1)
    assert record.codes() == ["CARD_TO_WRONG_PANO"]
    assert record.account.banker_duty is Must.STAND  # (7, none) and (7, 5 given) both say stand
    assert record.account.results == {"P1": "banker", "P2": "tie"}


def test_cards_lost_in_the_deal_annul_only_that_pano():
    record = dos_panos(bank=1000)
    record.open()
    record.deal()
    record.add(CardDropped, "c1", "basket", "croupier")
    record.add(CardDropped, "c4", "basket", "croupier")
    record.speak("P2", "no", "seat6")
    record.add(Said, "banker", "no")
    record.turn("P2", ["QD", "7D"])
    record.turn("B", ["3C", "3H"])
    record.add(BetReturned, "b1", Decimal(100))
    record.add(BetPaid, "b2", Decimal(100))
    record.add(CoupClosed, 1)
    account = record.account
    assert record.codes() == ["BASKET_UNSEEN_DEAL"]
    assert account.points == {"P2": 7, "B": 6}
    assert account.results == {"P1": "annulled", "P2": "player"}
    assert (account.dead, account.bank_after) == (("c1", "c4"), 900)
    assert set(account.final_hands) == {"P2", "B"}


def test_a_hand_thrown_away_unseen_counts_zero_and_may_still_tie():
    record = dos_panos(bank=1000)
    record.open()
    record.deal()
    record.speak("P1", "no", "seat1")
    record.speak("P2", "no", "seat6")
    record.add(Said, "banker", "no")
    record.add(CardDropped, "c2", "basket", "P2")
    record.add(CardDropped, "c5", "basket", "P2")
    record.turn("P1", ["QD", "7D"])
    record.turn("B", ["KC", "QH"])
    record.add(BetPaid, "b1", Decimal(100))
    record.add(CoupClosed, 1)
    assert record.codes() == ["THROWN_UNSEEN"]
    assert record.account.points == {"P1": 7, "P2": 0, "B": 0}
    assert record.account.results == {"P1": "player", "P2": "tie"}


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


def test_argentina_a_false_draw_undone_leaves_the_rest_standing():
    record = argentina()
    placed = record.punto(punto="TH 2C", banca="2D 2S", thirds=("9C", "5D"), settle=False)
    record.add(CardMoved, "c6", "dead", "croupier")
    record.settle_punto({"punto": ["TH", "2C", "9C"], "banca": ["2D", "2S"]}, placed)
    assert [(one.code, one.rule) for one in record.findings()] == [("AR_DRAW_RULE", "004 R6")]
    assert record.account.points == {"punto": 1, "banca": 4}
    assert record.account.dead == ("c6",)


def test_puerto_rico_tie_pays_eight_to_one_and_the_rest_stands():
    record = puerto_rico(bet_min=25)
    record.punto(
        punto="TH 8C", banca="9D 9S", shooter="seat1", holder="A",
        bets=(("A", None, "punto", 50), ("B", None, "banca", 75), ("A", None, "tie", 10)),
    )  # fmt: skip
    assert record.codes() == []
    assert record.account.payouts == {"A": 80, "B": 0}


def test_puerto_rico_cards_reassigned_by_order_of_extraction():
    record = puerto_rico()
    record.open((("A", None, "punto", 50),))
    record.deal(("punto", "punto", "banca", "banca"), by="seat1")
    record.add(CardMoved, "c2", "banca", "croupier")
    record.add(CardMoved, "c3", "punto", "croupier")
    record.add(HandTaken, "punto", "A")
    for card, face in (("c1", "2H"), ("c3", "6C"), ("c2", "7D"), ("c4", "KS")):
        record.add(CardTurned, card, face, "A" if card in ("c1", "c3") else "seat1")
    record.add(CoupClosed, 1)
    (finding,) = record.findings()
    assert (finding.code, finding.actor) == ("PR_DEAL_ORDER", "seat1")
    assert finding.remedy("en") == "c2 goes to banca; c3 goes to punto"
    assert record.account.final_hands == {"punto": ("c1", "c3"), "banca": ("c2", "c4")}


def test_a_corrected_card_takes_the_accusation_back():
    record = dos_panos()
    record.play(p1="2H AS", say=("no", "no"), thirds=(None, None, None), settle=False)
    record.add(CardTurned, "c1", "6H", source="operator")
    _, findings = record.check()
    assert [(one.code, str(one.verdict), one.revises) for one in findings] == [
        ("P_STAND_BELOW5", "broken", False),
        ("P_STAND_BELOW5", "broken", True),  # the remedy, once the bank's cards are known
        ("P_STAND_BELOW5", "withdrawn", True),
    ]
    assert record.findings() == []


def test_found_after_settlement_is_logged_and_barred():
    record = dos_panos()
    hands = record.play(p1="2H ??", say=("no", "no"), thirds=(None, None, None), settle=False)
    assert hands["B"] == ["3C", "4H"]
    record.add(BetCollected, "b1", Decimal(100))
    record.add(CardTurned, "c4", "AS", source="operator")
    found = [one for one in record.findings() if one.code == "P_STAND_BELOW5"]
    assert "001 VIII.5 p5" in found[0].remedy("en")


def last_steps(record, code):
    found = [finding for finding in record.check()[1] if finding.code == code]
    return [(step.key, step.values.get("card"), step.values.get("hand")) for step in found[-1].steps]


def test_the_banker_answers_only_for_his_own_errors_when_cards_move_on():
    """P1 stood on 3, P2 and the bank drew: c7 goes to P1, c8 to P2, and nobody is at fault but P1.

    With 4 against a third of 1 (stand) and of 7 (draw) the banker is free; bound he would have to draw.
    """
    record = dos_panos()
    record.play(
        p1="2H AS", p2="KD 4D", b="JC 4H", say=("no", "carta"), thirds=(None, "AC", "7D"), settle=False
    )
    assert last_steps(record, "P_STAND_BELOW5") == [
        ("move", "c7", None),
        ("move", "c8", None),
        ("free", None, None),
    ]


def test_a_pano_whose_third_card_moves_on_takes_a_new_one():
    record = dos_panos()
    record.play(
        p1="2H AS", p2="KD 4D", b="JC 4H", say=("no", "carta"), thirds=(None, "AC", None), settle=False
    )
    assert last_steps(record, "P_STAND_BELOW5") == [
        ("move", "c7", None),
        ("new_card", None, "P2"),
        ("bank_by_restored", None, None),
    ]


def test_the_remedy_is_told_again_when_the_bank_s_cards_make_it_another():
    """P2 asked with 9: its card is the bank's if it draws; once the bank shows 7 it is dead."""
    record = dos_panos()
    record.play(
        p1="2H 5S", p2="KD 9D", b="JC 7H", say=("no", "carta"), thirds=(None, "AC", None), settle=False
    )
    told = [
        [step.key for step in finding.steps]
        for finding in record.check()[1]
        if finding.code == "P_CARD_ON_NATURAL"
    ]
    assert told == [["bank_takes_if"], ["must_stand", "dead"]]


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
