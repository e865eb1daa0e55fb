"""Codes of the sabot, the bank and the order of the deal, each broken, kept and undecided where it can be."""

from decimal import Decimal

from judged import clean, only
from playing import Record, dos_panos
from veedor.rules.events import (
    BankDeposited,
    BankerLeft,
    BankerSeated,
    BetPlaced,
    BetReturned,
    CardDealt,
    CardDrawn,
    CardMoved,
    CardTurned,
    CoupClosed,
    CutCardShown,
    HandTaken,
    ShoeStarted,
)


def test_card_returned_to_sabot():
    record = dos_panos()
    record.open()
    record.card(None)
    record.add(CardMoved, "c1", "shoe", "banker")
    only(record, "CARD_RETURNED_TO_SABOT", "banker")


def test_cards_off_table():
    record = dos_panos()
    record.open()
    record.deal()
    record.add(HandTaken, "P1", "seat1")
    record.add(CardMoved, "c1", "off_table", "seat1")
    only(record, "CARDS_OFF_TABLE", "seat1")
    swept = dos_panos()
    swept.open()
    swept.deal()
    swept.add(CardMoved, "c1", "off_table", "croupier")
    clean(swept)


def test_cut_card_depth():
    for below, verdict in ((8, "broken"), (12, "inspector"), (10, None), (None, None)):
        record = dos_panos()
        record.add(CutCardShown, below)
        if verdict is None:
            clean(record)
        else:
            only(record, "CUT_CARD_DEPTH", "croupier", verdict)


def test_bank_over_max():
    record = Record(bank=None, bank_max=1000)
    record.add(BankDeposited, Decimal(1200))
    only(record, "BANK_OVER_MAX", "banker")
    grown = Record(bank=1000, bank_max=1000)
    grown.begin()
    grown.play()
    assert grown.account.bank_after > 1000
    clean(grown)


def test_banker_left_early():
    record = dos_panos()
    record.add(BankerSeated, "K")
    record.add(BankerLeft, "K")
    only(record, "BANKER_LEFT_EARLY", "banker")
    later = dos_panos()
    later.add(BankerSeated, "K")
    later.play()
    later.add(BankerLeft, "K")
    clean(later)


def test_banker_back_same_sabot():
    record = dos_panos(bank=1000)
    record.add(BankerSeated, "K", Decimal(1000))
    record.play()
    record.add(BankerLeft, "K", Decimal(1098))
    record.add(BankerSeated, "L", Decimal(1000))
    record.add(BankerSeated, "K", Decimal(1000))
    only(record, "BANKER_BACK_SAME_SABOT", "banker")
    fresh = Record(bank=1000)
    fresh.events = record.events[:-1]
    fresh.t = record.t
    fresh.add(ShoeStarted, 6)
    fresh.add(BankerSeated, "K", Decimal(1000))
    clean(fresh)


def test_bet_limits():
    for amount, codes in ((5, ["BET_LIMITS"]), (600, ["BET_LIMITS"]), (10, []), (500, []), (None, [])):
        record = dos_panos(bet_min=10, bet_max=500)
        record.open((("A", 1, "P1", amount),))
        assert record.codes() == codes


def test_cover_order():
    def record(returned):
        played = dos_panos(bank=150)
        played.open((("A", 1, "P1", 100), ("B", 2, "P1", 100)))
        played.add(BetReturned, returned, Decimal(50))
        return played

    only(record("b1"), "COVER_ORDER", "croupier")
    clean(record("b2"))


def test_deal_order():
    record = dos_panos()
    record.open()
    record.deal(("P1", "B", "P2", "P1", "P2", "B"))
    finding = only(record, "DEAL_ORDER", "banker")
    assert finding.remedy("en") == "the 2nd card goes to P2; the 3rd card goes to B"
    incomplete = dos_panos()
    incomplete.open()
    incomplete.deal(("P1", "P2", "P1", "P2", "B"))
    incomplete.speak("P1", "no", "seat1")
    only(incomplete, "DEAL_ORDER", "banker", "undecided")


def test_shoe_composition():
    record = dos_panos()
    for coup in range(7):
        record.coup += 1
        record.open(())
        record.add(CardDrawn, "c1", "banker")
        record.add(CardDealt, "c1", "P1")
        record.add(CardTurned, "c1", "7H", "P1", confidence=0.95)
        record.add(CoupClosed, record.coup)
        if coup == 5:
            clean(record)
    finding = only(record, "SHOE_COMPOSITION", "croupier")
    assert finding.confidence == 0.95
    assert finding.found("en") == "7 × 7H seen" and finding.expected("es") == "el sabot tiene 6 × 7H"
    ranks = dos_panos()
    for number in range(25):
        ranks.open(())
        ranks.add(CardDrawn, "c1", "banker")
        ranks.add(CardDealt, "c1", "P1")
        ranks.add(CardTurned, "c1", f"7{'SHDC'[number % 4]}", "P1")
        ranks.add(CoupClosed, ranks.coup)
    assert only(ranks, "SHOE_COMPOSITION", "croupier").found("en") == "7 × 7S seen"


def _backs(told, seen):
    record = Record()
    record.add(ShoeStarted, 6, told)
    record.open()
    for number, back in enumerate(seen, 1):
        record.add(CardDrawn, f"c{number}", "banker", back=back, confidence=0.9)
    record.add(CoupClosed, 1)
    return record


def test_shoe_composition_backs():
    finding = only(_backs(("red", "blue"), ("blue", "red", None, "green")), "SHOE_COMPOSITION", "croupier")
    assert (finding.found("en"), finding.expected("en")) == (
        "the 4th card (green) seen",
        "the sabot holds red, blue",
    )
    assert finding.confidence == 0.9
    only(_backs(None, ("blue", "red", "red", "green", "green")), "SHOE_COMPOSITION", "croupier")
    clean(_backs(("red", "blue"), ("blue", "red", "blue")))
    clean(_backs(None, ("blue", "red", None)))
    clean(_backs(("red",), ("red", "blue")))


def test_a_weak_reading_accuses_nobody():
    record = dos_panos()
    record.open()
    record.add(BetPlaced, "b9", "P1", Decimal(5), "C", 2, confidence=0.3)
    found = record.findings()
    assert [(one.code, str(one.verdict)) for one in found] == [("BET_AFTER_NMV", "undecided")]
    assert found[0].confidence == 0.3
