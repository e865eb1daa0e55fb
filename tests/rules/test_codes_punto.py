"""Codes of punto y banca and punto banco, each broken, kept and undecided where it can be."""

from decimal import Decimal

import pytest
from judged import clean, only
from playing import argentina, puerto_rico
from veedor.rules.events import (
    BetCollected,
    BetPaid,
    CommissionTaken,
    CoupClosed,
    HandPosed,
    HandTaken,
    SabotPassed,
    SuiteWithdrawn,
)


def test_ar_suite_missing():
    record = argentina()
    record.punto(bets=(("seat4", 4, "banca", 100), ("seat1", 1, "punto", 80)))
    only(record, "AR_SUITE_MISSING", "seat2")
    clean_record = argentina()
    clean_record.punto()
    clean(clean_record)
    employee = argentina("employee")
    employee.punto(bets=(("seat4", 4, "banca", 100), ("seat1", 1, "punto", 80)), shooter="employee")
    clean(employee)


def test_ar_suite_withdraw():
    for amount, codes in ((60, ["AR_SUITE_WITHDRAW"]), (50, [])):
        record = argentina()
        record.punto()  # the suite of 50 wins and is now 100
        record.add(SuiteWithdrawn, Decimal(amount))
        assert record.codes() == codes
    record.add(SuiteWithdrawn, Decimal(1))
    only(record, "AR_SUITE_WITHDRAW", "seat2")


def test_ar_suite_commission():
    record = argentina()
    record.punto(suite_tax=5)
    only(record, "AR_SUITE_COMMISSION", "croupier")
    second = argentina()
    second.punto()
    second.punto(suite_tax=5)  # every second pass; how much is open (C-23)
    clean(second)
    closed = argentina()
    closed.profile = closed.profile.with_readings({"C-23": "second"})
    closed.punto()
    closed.punto(suite_tax=4)
    only(closed, "AR_SUITE_COMMISSION", "croupier")


def test_ar_commission():
    record = argentina()
    record.punto(settle=False)
    record.add(BetCollected, "b3", Decimal(80))
    record.add(BetPaid, "b1", Decimal(50))
    record.add(BetPaid, "b2", Decimal(100))
    record.add(CommissionTaken, "b2", Decimal(5))
    record.add(CoupClosed, 1)
    finding = only(record, "AR_COMMISSION", "croupier")
    assert finding.facts["due"] == "10.00" or Decimal(finding.facts["due"]) == 10


def test_ar_punto_position():
    record = argentina()
    record.punto(
        bets=(("seat2", 2, "suite", 50), ("seat1", 1, "punto", 80), ("seat5", 5, "forbidden", 30)),
        settle=False,
    )
    only(record, "AR_PUNTO_POSITION", "seat5")


def test_ar_wrong_card_holder():
    record = argentina()
    bets = (("seat2", 2, "suite", 50), ("seat4", 4, "punto", 100), ("seat1", 1, "punto", 80))
    record.punto(bets=bets, holder="seat1")
    only(record, "AR_WRONG_CARD_HOLDER", "croupier")
    kept = argentina()
    kept.punto(bets=bets, holder="seat4")
    clean(kept)
    uncounted = argentina()
    uncounted.punto(bets=(*bets[:2], ("seat1", 1, "punto", None)), holder="seat1", settle=False)
    clean(uncounted)


def test_ar_sabot_rotation():
    record = argentina()
    record.punto(banca="2D 3S", thirds=(None, "KD"))  # punto wins 6 to 5
    record.punto()
    only(record, "AR_SABOT_ROTATION", "seat2")
    kept = argentina()
    kept.punto(banca="2D 3S", thirds=(None, "KD"))
    kept.add(SabotPassed, "seat3")
    bets = (("seat3", 3, "suite", 50), ("seat1", 1, "punto", 80))
    kept.punto(bets=bets, shooter="seat3")
    clean(kept)


def test_ar_deal_order():
    record = argentina()
    record.punto(order=("punto", "punto", "banca", "banca"), settle=False)
    only(record, "AR_DEAL_ORDER", "seat2")


def test_ar_turn_order():
    record = argentina()
    record.punto(first=False)
    only(record, "AR_TURN_ORDER", "seat2")
    # The sources' house variation is a switch, not a fault.
    other = argentina()
    switches = {**other.profile.switches, "punto_turns_first": False}
    other.profile = type(other.profile)(**{**vars(other.profile), "switches": switches})
    other.punto(first=False)
    clean(other)


@pytest.mark.parametrize(
    ("punto", "banca", "thirds", "rule"),
    [
        ("TH 8C", "2D 2S", ("3C", None), "004 R1"),
        ("TH 6C", "2D 2S", ("3C", None), "004 R2"),
        ("TH 4C", "2D 5S", (None, None), "004 R4"),
        ("TH 4C", "2D AS", ("8C", "2S"), "004 R5"),
        ("TH 4C", "2D 2S", ("AC", "2S"), "004 R6"),
        ("TH 4C", "2D 3S", ("3C", "2S"), "004 R7"),
        ("TH 4C", "2D 4S", ("5C", "2S"), "004 R8"),
        ("TH 6C", "2D 3S", (None, None), "004 R9"),
    ],
)
def test_ar_draw_rule(punto, banca, thirds, rule):
    record = argentina()
    record.punto(punto=punto, banca=banca, thirds=thirds)
    found = [one for one in record.findings() if one.code == "AR_DRAW_RULE"]
    assert [one.rule for one in found] == [rule]
    assert record.codes() == ["AR_DRAW_RULE"]


def test_ar_draw_rule_five_is_free():
    for thirds in ((None, "3S"), ("KC", None)):
        record = argentina()
        record.punto(punto="TH 5C", banca="2D 2S", thirds=thirds)
        clean(record)


def test_pr_draw_rule():
    record = puerto_rico()
    record.punto(punto="TH 5C", banca="2D 5S", bets=(("A", 1, "punto", 80),), shooter="seat1", holder="A")
    only(record, "PR_DRAW_RULE", "A")
    silent = puerto_rico()
    silent.profile = silent.profile.with_readings({"G-12": "silent"})
    silent.punto(punto="TH 5C", banca="2D 5S", bets=(("A", 1, "punto", 80),), shooter="seat1", holder="A")
    clean(silent)


def _tie(*bets):
    record = puerto_rico(bet_min=25)
    record.punto(bets=bets, shooter="seat1", holder=bets[0][0])
    return record


def test_pr_tie_bet_min():
    only(_tie(("A", 1, "punto", 80), ("C", None, "tie", 5)), "PR_TIE_BET_MIN", "C")
    clean(_tie(("A", 1, "punto", 80), ("A", 1, "tie", 5)))
    clean(_tie(("A", 1, "punto", 80), ("C", None, "tie", 25)))


def test_pr_wrong_holder():
    record = puerto_rico()
    bets = (("A", None, "punto", 80), ("B", None, "banca", 80))
    record.punto(bets=bets, shooter="seat1", holder="B")
    only(record, "PR_WRONG_HOLDER", "croupier")


def test_pr_wrong_holder_names_the_lowest_of_equal_seats():
    record = puerto_rico()
    record.open((("seat10", 10, "punto", 50), ("seat7", 7, "punto", 50), ("seat3", 3, "punto", 20)))
    record.deal(("punto", "banca", "punto", "banca"), by="seat1")
    record.add(HandTaken, "punto", "seat3")
    assert only(record, "PR_WRONG_HOLDER", "croupier").remedy("en") == "the cards of punto pass to seat 7"


def test_pr_deal_order():
    record = puerto_rico()
    bets = (("A", None, "punto", 80),)
    record.punto(bets=bets, shooter="seat1", holder="A", order=("banca", "punto", "punto", "banca"))
    only(record, "PR_DEAL_ORDER", "seat1")


def test_pr_cards_tuck():
    for pose, codes in (("loose", ["PR_CARDS_TUCK"]), ("tucked", [])):
        record = puerto_rico()
        record.open((("A", None, "punto", 80),))
        record.deal(("punto", "banca", "punto", "banca"), by="seat1")
        record.add(HandPosed, "banca", pose)
        assert record.codes() == codes


def test_pr_turn_order():
    record = puerto_rico()
    record.punto(bets=(("A", None, "punto", 80),), shooter="seat1", holder="A", first=False)
    only(record, "PR_TURN_ORDER", "seat1")
