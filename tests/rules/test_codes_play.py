"""Codes of who plays and draws, the banker, bancos, each broken, kept and undecided where it can be."""

from decimal import Decimal

from judged import clean, only
from playing import dos_panos
from veedor.rules.events import (
    BancoCalled,
    BankDeclared,
    BankDeposited,
    BetCollected,
    BetPaid,
    BettingClosed,
    CardDropped,
    CardTurned,
    Checked,
    CoupClosed,
    HandTaken,
    Said,
    ViewLost,
)


def test_p_stand_below5():
    record = dos_panos()
    record.play(p1="2H AS", say=("no", "no"), thirds=(None, None, None), settle=False)
    finding = only(record, "P_STAND_BELOW5", "P1")
    assert "P1 takes the next card of the sabot" in finding.remedy("en")
    second = dos_panos()
    second.play(p2="2D AD", say=("carta", "no"), settle=False)
    assert only(second, "P_STAND_BELOW5", "P2").rule == "001 VIII.4 p5"
    unheard = dos_panos()
    unheard.play(p1="2H AS", say=(None, "no"), thirds=(None, None, None), settle=False)
    unheard.add(CoupClosed, 1)
    only(unheard, "P_STAND_BELOW5", "P1", "undecided")


def test_p_draw_on_6plus():
    record = dos_panos()
    record.play(p1="2H 4S", settle=False)
    finding = only(record, "P_DRAW_ON_6PLUS", "P1")
    assert "the banker" in finding.remedy("en") and "7th card" in finding.remedy("en")
    other_reading = dos_panos(readings={"C-01": "002"})
    other_reading.play(p1="2H 4S")
    clean(other_reading)


def test_p_no_on_natural():
    record = dos_panos()
    record.play(p1="KH 8S", say=("no", "no"), thirds=(None, None, None), b="2C 4H")
    finding = only(record, "P_NO_ON_NATURAL", "P1")
    assert "plain 8" in finding.remedy("en")
    kept = dos_panos()
    kept.play(p1="KH 8S", say=("abato", "no"), thirds=(None, None, None), b="2C 4H")
    clean(kept)


def test_p_card_on_natural():
    record = dos_panos()
    record.play(p1="KH 9S", settle=False)
    only(record, "P_CARD_ON_NATURAL", "P1")


def test_p_contradictory():
    record = dos_panos()
    record.open()
    record.deal()
    record.speak("P1", "no", "seat1")
    record.add(Said, "P1", "carta")
    only(record, "P_CONTRADICTORY", "P1")
    repeated = dos_panos()
    repeated.open()
    repeated.deal()
    repeated.speak("P1", "no", "seat1")
    repeated.add(Said, "P1", "no")
    clean(repeated)


def test_p_contradictory_with_five_the_first_word_holds():
    record = dos_panos()
    record.open()
    record.deal()
    record.speak("P1", "carta", "seat1")
    record.add(Checked, "P1", 5)
    record.add(Said, "P1", "no")
    assert record.findings()[0].remedy("en") == "P1 draws"


def _asked(*words):
    record = dos_panos()
    record.open()
    record.deal()
    for hand, word in zip(("P1", "P2"), words, strict=True):
        record.speak(hand, word, {"P1": "seat1", "P2": "seat6"}[hand])
    return record


def test_card_to_no():
    record = _asked("no", "no")
    record.third("P1", "3S")
    only(record, "CARD_TO_NO", "banker")
    kept = _asked("carta", "no")
    kept.third("P1", "3S")
    clean(kept)


def test_card_withheld():
    record = _asked("carta", "no")
    record.third("B", "3S")
    only(record, "CARD_WITHHELD", "banker")
    standing_banker = _asked("no", "carta")
    standing_banker.add(Said, "banker", "no")
    only(standing_banker, "CARD_WITHHELD", "banker")
    blind = _asked("carta", "no")
    blind.add(ViewLost, ("P1.hand",), "hand")
    blind.third("B", "3S")
    only(blind, "CARD_WITHHELD", "banker", "undecided")


def test_card_to_wrong_pano():
    record = _asked("no", "carta")
    record.third("P1", "3S", dealt_by="croupier")
    finding = only(record, "CARD_TO_WRONG_PANO", "croupier")
    assert "the 7th card goes to P2" in finding.remedy("en")
    swapped = _asked("carta", "carta")
    swapped.third("P2", "3S")
    swapped.third("P1", "4S")
    only(swapped, "CARD_TO_WRONG_PANO", "croupier")


def _exposed():
    record = dos_panos()
    record.open()
    record.deal()
    record.add(CardTurned, "c1", "4H", "croupier", dt=0.2)
    record.add(CardTurned, "c4", "KH", "croupier", dt=0.2)
    return record


def test_both_cards_exposed():
    only(_exposed(), "BOTH_CARDS_EXPOSED", "croupier")
    one = dos_panos()
    one.open()
    one.deal()
    one.add(CardTurned, "c1", "4H", "croupier", dt=0.2)
    clean(one)  # G-08: play on
    shown = dos_panos()
    shown.play(say=(None, None), p1="2H 4S", thirds=(None, None, None), settle=False)
    clean(shown)  # a showdown without words is no exposure


def _dropped(by, card="c2", *, taken=False):
    record = dos_panos()
    record.open()
    record.deal()
    if taken:
        record.speak("P1", "no", "seat1")
        record.add(HandTaken, "P2", "seat6")
    record.add(CardDropped, card, "basket", by)
    return record


def test_basket_unseen_deal():
    only(_dropped("croupier"), "BASKET_UNSEEN_DEAL", "croupier")
    bank = _dropped("croupier", "c3")
    assert "annulled, all stakes free" in only(bank, "BASKET_UNSEEN_DEAL", "croupier").remedy("en")
    seen = dos_panos()
    seen.open()
    seen.deal()
    seen.add(CardDropped, "c2", "basket", "croupier", True)
    clean(seen)


def test_thrown_unseen():
    only(_dropped("P2", taken=True), "THROWN_UNSEEN", "P2")
    only(_dropped("seat6", taken=True), "THROWN_UNSEEN", "seat6")
    only(_dropped(None, taken=True), "THROWN_UNSEEN", "none", "undecided")


def test_thrown_unseen_croupier():
    only(_dropped("croupier", taken=True), "THROWN_UNSEEN_CROUPIER", "croupier")


def test_banker_wrong_point():
    record = dos_panos()
    record.open()
    record.deal()
    record.speak("P1", "no", "seat1")
    record.speak("P2", "no", "seat6")
    record.add(Said, "banker", "point", None, 7)
    record.turn("B", ["2C", "2H"])
    finding = only(record, "BANKER_WRONG_POINT", "banker")
    assert "may still ask" in finding.remedy("en")
    right = dos_panos()
    right.open()
    right.deal()
    right.add(Said, "banker", "point", None, 4)
    right.turn("B", ["2C", "2H"])
    clean(right)


def _restored(*, banker_draws):
    """P1 said "no" with 2; bank 2 has not drawn. P1 gets a new card, then the bank must draw (T and T)."""
    record = dos_panos()
    record.open()
    record.deal()
    record.speak("P1", "no", "seat1")
    record.speak("P2", "no", "seat6")
    record.add(Said, "banker", "no")
    record.show({"P1": ["2H", "KS"], "P2": ["QD", "7D"], "B": ["AC", "AH"]})
    record.third("P1", "3S")
    if banker_draws:
        record.third("B", "4D")
    record.add(BetPaid, "b2", Decimal(100))
    return record


def test_banker_restored_breach():
    found = {one.code: one for one in _restored(banker_draws=False).findings()}
    assert set(found) == {"P_STAND_BELOW5", "BANKER_RESTORED_BREACH"}
    assert found["BANKER_RESTORED_BREACH"].actor == "banker"
    assert [one.code for one in _restored(banker_draws=True).findings()] == ["P_STAND_BELOW5"]


def _cuadro(*, draws):
    record = dos_panos()
    record.open()
    record.deal()
    record.speak("P1", "no", "seat1")
    record.speak("P2", "no", "seat6")
    record.add(Said, "banker", "cuadro")
    if draws:
        record.third("B", "4D")
    else:
        record.add(Said, "banker", "no")
    record.show({"P1": ["2H", "4S"], "P2": ["QD", "7D"], "B": ["2C", "2H"]})
    return record


def test_banker_table_breach():
    only(_cuadro(draws=False), "BANKER_TABLE_BREACH", "banker")
    clean(_cuadro(draws=True))


def test_banker_not_shown():
    for blind in (False, True):
        record = dos_panos()
        record.open()
        record.deal()
        record.speak("P1", "no", "seat1")
        record.speak("P2", "no", "seat6")
        record.turn("P1", ["2H", "4S"])
        record.turn("P2", ["2D", "4D"])
        if blind:
            record.add(ViewLost, ("banker_hand",), "hand")
        record.add(BetCollected, "b1", Decimal(100))
        only(record, "BANKER_NOT_SHOWN", "banker", "undecided" if blind else "broken")


def test_banker_not_shown_although_his_third_card_was():
    record = dos_panos()
    record.open()
    record.deal()
    record.speak("P1", "no", "seat1")
    record.speak("P2", "no", "seat6")
    record.third("B", "2C")
    record.turn("P1", ["2H", "4S"])
    record.turn("P2", ["2D", "4D"])
    record.add(BetCollected, "b1", Decimal(100))
    only(record, "BANKER_NOT_SHOWN", "banker")


def test_slow_view():
    record = dos_panos(view_limit_s=10)
    record.open()
    record.deal()
    lift = record.add(HandTaken, "P1", "seat1")
    record.add(Said, "P1", "no", dt=15)
    assert only(record, "SLOW_VIEW", "P1").t == lift.t + 10
    waited = dos_panos(view_limit_s=10)
    waited.open()
    waited.deal()
    waited.add(HandTaken, "P1", "seat1")
    waited.add(HandTaken, "P2", "seat6")
    waited.add(Said, "P1", "no", dt=9)
    waited.add(Said, "P2", "no", dt=0.5)
    clean(waited)


def _banco(*, calls=1, repeats=0, peek=False):
    record = dos_panos()
    for coup in range(1 + repeats):
        if coup:
            record.add(Said, "Z", "repeat")
        record.open((), call=False)
        if coup < calls:
            record.add(BancoCalled, "Z") if coup == 0 else None
        record.bet("Z", None, "caballo", 1000)
        record.add(BettingClosed)
        record.deal()
        for hand in ("P2", "P1") if peek else ("P1", "P2"):
            record.add(HandTaken, hand, "Z")
            if not peek:
                record.add(Said, hand, "no")
        record.add(Said, "P1", "no") if peek else None
        record.add(Said, "P2", "no") if peek else None
        record.add(Said, "banker", "no")
        record.show({"P1": ["7H", "KS"], "P2": ["QD", "7D"], "B": ["3C", "4H"]})
        record.add(CoupClosed, record.coup)
    return record


def test_banco_peek():
    only(_banco(peek=True), "BANCO_PEEK", "Z")
    clean(_banco())


def test_banco_repeat_excess():
    clean(_banco(repeats=2))
    record = _banco(repeats=2)
    record.add(Said, "Z", "repeat")
    only(record, "BANCO_REPEAT_EXCESS", "Z")


def test_banco_late():
    record = dos_panos()
    record.play()
    record.add(BancoCalled, "Z")
    only(record, "BANCO_LATE", "Z")
    each_coup = dos_panos(readings={"C-03": "002"})
    each_coup.play()
    each_coup.add(BancoCalled, "Z")
    clean(each_coup)


def _broken_bank(deposit):
    record = dos_panos(bank=300)
    record.open((("A", 1, "P1", 300),), call=False)
    record.add(BankDeclared, Decimal(300))
    record.add(BettingClosed)
    record.deal()
    record.speak("P1", "abato", "seat1")
    record.turn("P1", ["9H", "KS"])
    record.speak("P2", "no", "seat6")
    record.add(Said, "banker", "no")
    record.turn("P2", ["QD", "7D"])
    record.turn("B", ["3C", "4H"])
    record.add(BetPaid, "b1", Decimal(300))
    record.add(CoupClosed, 1)
    for amount in deposit:
        record.add(BankDeposited, Decimal(amount))
    return record


def test_redeposit_too_small():
    only(_broken_bank([200]), "REDEPOSIT_TOO_SMALL", "banker")
    clean(_broken_bank([200, 100]))
    clean(_broken_bank([]))


def test_third_card_twice():
    record = _asked("carta", "no")
    record.third("P1", "3S")
    record.card("P1")
    only(record, "THIRD_CARD_TWICE", "banker")
