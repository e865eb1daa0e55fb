"""Whole coups with everything due: points, results, hands, duty, money, who holds next."""

from decimal import Decimal

from playing import Record, argentina, dos_panos, due, puerto_rico
from veedor.rules.checker import Checker
from veedor.rules.duty import Must
from veedor.rules.events import (
    BetCollected,
    BetPaid,
    BetReturned,
    CagnottePaid,
    CardDropped,
    CardMoved,
    CardsStuck,
    CardTurned,
    Checked,
    CoupClosed,
    HandTaken,
    Said,
)


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


def test_argentina_a_false_draw_undone_leaves_the_rest_standing():
    record = argentina()
    placed = record.punto(punto="TH 2C", banca="2D 2S", thirds=("9C", "5D"), settle=False)
    record.add(CardMoved, "c6", "dead", "croupier")
    record.settle_punto({"punto": ["TH", "2C", "9C"], "banca": ["2D", "2S"]}, placed)
    assert [(one.code, one.rule) for one in record.findings()] == [("AR_DRAW_RULE", "004 R6")]
    assert record.account.points == {"punto": 1, "banca": 4}
    assert record.account.dead == ("c6",)


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
    assert finding.remedy("en") == "the 2nd card goes to banca; the 3rd card goes to punto"
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


def test_a_close_that_comes_after_the_next_announcement_is_the_earlier_coups():
    record = dos_panos()
    record.play()
    record.open((("A", 1, "P1", 60),))
    record.add(CoupClosed, 1)
    record.deal()
    checker = Checker(record.profile, bank=record.bank)
    assert not [finding for event in record.events for finding in checker.feed(event)]
    coup = checker.session.open_coup
    assert coup is not None and coup.number == 2 and len(coup.cards) == 6
    checker.feed(record.add(CoupClosed, 2))
    assert checker.session.open_coup is None


def test_a_wrong_sum_accuses_only_where_it_was_hardly_misread():
    for seen, verdict, told in ((0.6, "undecided", 0.333), (0.9, "broken", 0.75), (1.0, "broken", 1.0)):
        record = dos_panos()
        record.play(p1="3H 5S", say=("abato", "no"), thirds=(None, None, None), b="2C 5H", settle=False)
        record.add(BetPaid, "b1", Decimal(7000), confidence=seen)
        (finding,) = [each for each in record.findings() if each.code == "PAYOUT_WRONG"]
        assert (str(finding.verdict), finding.confidence) == (verdict, told)
