"""One test for each code, named after it: broken with the right actor, kept, undecided where it can be."""

from dataclasses import replace
from decimal import Decimal

import pytest
from playing import Record, argentina, dos_panos, puerto_rico
from veedor.rules.checks import ALL_CODES
from veedor.rules.events import (
    BancoCalled,
    BankDeclared,
    BankDeposited,
    BankerLeft,
    BankerSeated,
    BetChanged,
    BetCollected,
    BetPaid,
    BetPlaced,
    BetReturned,
    BettingClosed,
    CagnottePaid,
    CardDealt,
    CardDrawn,
    CardDropped,
    CardMoved,
    CardPickedUp,
    CardsStuck,
    CardTurned,
    Checked,
    CommissionTaken,
    CoupClosed,
    CutCardShown,
    HandPosed,
    HandTaken,
    PlayersSeen,
    SabotPassed,
    Said,
    ShoeStarted,
    SuiteWithdrawn,
    ViewLost,
)


def only(record, code, actor, verdict="broken"):
    """Asserts that the record has this one finding and returns it."""
    found = record.findings()
    assert [(one.code, str(one.verdict), one.actor) for one in found] == [(code, verdict, actor)], found
    for lang in ("es", "en"):
        texts = (found[0].expected(lang), found[0].found(lang), found[0].remedy(lang))
        assert all(texts) and not any("{" in text for text in texts), texts
        assert verdict == "undecided" or not any("—" in text for text in texts), texts
    return found[0]


def clean(record):
    assert record.findings() == []


def test_every_code_has_a_test_named_after_it():
    assert [code for code in ALL_CODES if f"test_{code.lower()}" not in globals()] == []


def test_min_players():
    record = dos_panos()
    record.add(PlayersSeen, "P2", ("seat6",))
    record.play()
    finding = only(record, "MIN_PLAYERS", "table")
    assert finding.t == next(e.t for e in record.events if isinstance(e, BettingClosed))
    kept = dos_panos()
    kept.play()
    clean(kept)
    unseen = Record()
    unseen.play()
    clean(unseen)


def test_hand_rotation():
    record = dos_panos()
    record.play()  # the bank beats P1
    record.play(holders=("seat1", "seat6"))
    finding = only(record, "HAND_ROTATION", "seat1")
    assert "seat 2" in finding.remedy("en")
    kept = dos_panos()
    kept.play()
    kept.play(holders=("seat2", "seat6"))
    kept.play(holders=("seat1", "seat6"))  # and round again
    clean(kept)


def test_wrong_hand_holder():
    record = dos_panos()
    record.play(holders=("seat2", "seat6"))
    only(record, "WRONG_HAND_HOLDER", "seat2")
    assert record.account.next_hand["P1"] == "seat1"  # he spoke: the next hand is the rightful player's
    unseen = Record()
    unseen.play(holders=("seat2", "seat6"))
    clean(unseen)
    never = dos_panos()
    never.play(say=(None, "no"), p1="2H 3S", thirds=(None, None, None))
    assert never.codes() == []


def test_bet_position_forbidden():
    record = dos_panos()
    record.play(bets=(("A", 1, "P1", 100), ("B", 6, "P2", 100), ("D", 3, "forbidden", 20)), settle=False)
    only(record, "BET_POSITION_FORBIDDEN", "D")
    moved = dos_panos()
    moved.open(call=False)
    bet = moved.bet("D", 3, "forbidden", 20)
    moved.add(BetChanged, bet.bet, "P1")
    moved.add(BettingClosed)
    clean(moved)


def test_bet_changed():
    record = dos_panos()
    record.open()
    record.add(BetChanged, "b1", None, Decimal(300))
    finding = only(record, "BET_CHANGED", "A")
    assert finding.remedy("en") == "A's stake stands as 100 on paño 1"
    kept = dos_panos()
    kept.open(call=False)
    kept.add(BetChanged, "b1", None, Decimal(300))
    kept.add(BettingClosed)
    clean(kept)


def test_bet_after_nmv():
    record = dos_panos()
    record.open()
    record.bet("C", 2, "P1", 50)
    only(record, "BET_AFTER_NMV", "C")
    # A call that reaches the record after the bet, but was spoken before it, still makes the bet late.
    late_call = dos_panos()
    late_call.open(call=False)
    late_call.bet("C", 2, "P1", 50)
    late_call.add(BettingClosed, t=late_call.t - 0.5)
    only(late_call, "BET_AFTER_NMV", "C")
    unheard = Record()
    unheard.open(call=False)
    unheard.events = [event for event in unheard.events if type(event).__name__ != "BettingOpened"]
    unheard.deal()
    unheard.bet("C", 2, "P1", 50)
    unheard.add(CoupClosed, 1)
    only(unheard, "BET_AFTER_NMV", "C", "undecided")


def test_draw_before_nmv():
    record = dos_panos()
    record.open(call=False)
    record.card("P1")
    record.add(BettingClosed)
    only(record, "DRAW_BEFORE_NMV", "banker")
    unheard = dos_panos()
    unheard.open(call=False)
    unheard.deal()
    only(unheard, "DRAW_BEFORE_NMV", "banker", "undecided")
    silent = Record()
    silent.open(call=False)
    silent.events = [event for event in silent.events if type(event).__name__ != "BettingOpened"]
    silent.deal()
    clean(silent)


@pytest.mark.parametrize(
    ("late", "seen", "said", "verdict"),
    [
        (0.3, "vision", "voice", "undecided"),
        (0.3, "vision", "operator", "undecided"),
        (0.8, "vision", "operator", "broken"),
        (0.3, "import", "import", "broken"),
    ],
)
def test_draw_before_nmv_allows_for_a_call_that_was_entered_late(late, seen, said, verdict):
    record = dos_panos()
    record.open(call=False)
    record.card("P1")
    record.add(BettingClosed)
    first = next(event for event in record.events if type(event).__name__ == "CardDrawn")
    moments = {"CardDrawn": first.t, "BettingClosed": first.t + late}
    record.events = sorted(
        (
            replace(event, source=said if name == "BettingClosed" else seen, t=moments.get(name, event.t))
            for event in record.events
            for name in [type(event).__name__]
        ),
        key=lambda event: event.t,
    )
    only(record, "DRAW_BEFORE_NMV", "banker", verdict)


def _caballo(paid, collected, amount=7):
    record = dos_panos()
    record.play(
        p1="2H 4S", p2="3D 6D", b="3C 4H", say=("no", "abato"), thirds=(None, None, None),
        bets=(("A", 1, "caballo", amount),), settle=False,
    )  # fmt: skip
    record.add(BetCollected, "b1", Decimal(collected))
    record.add(BetPaid, "b1", Decimal(paid))
    return record


def test_odd_unit_wrong():
    record = _caballo(paid=4, collected=3)  # first paño loses four, second wins three
    record.add(CagnottePaid, Decimal("0.02"))
    record.add(CoupClosed, 1)
    assert only(record, "ODD_UNIT_WRONG", "croupier").facts["due"] == "-1"
    kept = _caballo(paid=3, collected=4)
    kept.add(CagnottePaid, Decimal("0.02"))
    kept.add(CoupClosed, 1)
    clean(kept)


def test_payout_wrong():
    record = dos_panos()
    record.play(settle=False)
    record.add(BetCollected, "b1", Decimal(100))
    record.add(BetPaid, "b2", Decimal(100))  # 7 against 7
    record.add(CagnottePaid, Decimal(2))
    record.add(CoupClosed, 1)
    finding = only(record, "PAYOUT_WRONG", "croupier")
    assert finding.remedy("en") == "100 is to come back on B's 100 on paño 2"
    short = dos_panos()
    hands = short.play(b="3C 2H", thirds=("3S", None, None), settle=False)
    assert hands["P1"] == ["2H", "KS", "3S"]
    short.add(BetPaid, "b2", Decimal(60))
    short.add(CoupClosed, 1)
    assert only(short, "PAYOUT_WRONG", "croupier").facts["difference"] == "40"
    unread = dos_panos()
    unread.play(p2="QD ??", settle=False)
    unread.add(BetCollected, "b1", Decimal(100))
    unread.add(BetCollected, "b2", Decimal(100))
    unread.add(CoupClosed, 1)
    found = unread.findings()
    assert {(one.code, str(one.verdict)) for one in found} == {
        ("PAYOUT_WRONG", "undecided"),
        ("P_STAND_BELOW5", "undecided"),
    }
    assert "la 5.ª carta" in found[0].reason_text("es")


def test_payout_wrong_is_silent_where_the_record_has_no_settlement():
    record = dos_panos()
    record.play(settle=False)
    record.add(CoupClosed, 1)
    clean(record)


def test_cagnotte_wrong():
    record = dos_panos()
    record.play(settle=False)
    record.add(BetCollected, "b1", Decimal(100))
    record.add(CagnottePaid, Decimal(3))
    record.add(CoupClosed, 1)
    assert only(record, "CAGNOTTE_WRONG", "croupier").facts["due"] == "2"
    none = dos_panos()
    none.play(settle=False)
    none.add(BetCollected, "b1", Decimal(100))
    none.add(CoupClosed, 1)
    only(none, "CAGNOTTE_WRONG", "croupier")
    blind = dos_panos()
    blind.play(settle=False)
    blind.add(ViewLost, ("cagnotte",), "glare")
    blind.add(BetCollected, "b1", Decimal(100))
    blind.add(CoupClosed, 1)
    only(blind, "CAGNOTTE_WRONG", "croupier", "undecided")


def test_order_of_speech():
    record = dos_panos()
    record.open()
    record.deal()
    record.speak("P2", "no", "seat6")
    assert record.codes() == []  # the first paño may simply not have been heard
    record.speak("P1", "no", "seat1")
    only(record, "ORDER_OF_SPEECH", "P2")
    banker = dos_panos()
    banker.open()
    banker.deal()
    banker.speak("P1", "no", "seat1")
    banker.add(Said, "banker", "no")
    banker.speak("P2", "no", "seat6")
    only(banker, "ORDER_OF_SPEECH", "banker")


def test_advice():
    record = dos_panos()
    record.open()
    record.add(Said, "seat4", "advice", "banker")
    only(record, "ADVICE", "seat4")
    to_player = dos_panos()
    to_player.open()
    to_player.add(Said, "seat4", "advice", "seat1")
    only(to_player, "ADVICE", "seat4", "inspector")
    croupier = dos_panos()
    croupier.open()
    croupier.add(Said, "croupier", "advice", "seat1")
    clean(croupier)


def test_card_face_up_sabot():
    record = dos_panos()
    record.open()
    record.card(None, face="up", shows="9D")
    record.deal()
    only(record, "CARD_FACE_UP_SABOT", "none")


def test_stuck_cards():
    record = dos_panos()
    record.open()
    record.card("P1")
    record.card(None)
    record.card(None)
    record.add(CardsStuck, ("c2", "c3"))
    record.add(BetReturned, "b1", Decimal(100))
    record.add(BetReturned, "b2", Decimal(100))
    record.add(CoupClosed, 1)
    only(record, "STUCK_CARDS", "none")
    assert set(record.account.results.values()) == {"annulled"}
    assert record.account.dead == ("c1",)


def test_floor_card_pickup():
    for by, expected in (("seat6", "broken"), (None, "undecided"), ("croupier", None), ("employee", None)):
        record = dos_panos()
        record.open()
        record.card(None)
        record.add(CardDropped, "c1", "floor", "croupier")
        record.add(CardPickedUp, "c1", by)
        if expected is None:
            clean(record)
        else:
            only(record, "FLOOR_CARD_PICKUP", by or "none", expected)


def test_play_after_cut():
    record = dos_panos()
    record.open()
    record.deal()
    record.add(CutCardShown)
    record.add(CoupClosed, 1)
    record.open()
    record.card("P1")
    record.card("P2")
    only(record, "PLAY_AFTER_CUT", "banker")
    fresh = dos_panos()
    fresh.play()
    fresh.add(CutCardShown)
    fresh.begin()
    fresh.play(holders=("seat2", "seat6"))
    clean(fresh)


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


def test_third_card_twice():
    record = _asked("carta", "no")
    record.third("P1", "3S")
    record.card("P1")
    only(record, "THIRD_CARD_TWICE", "banker")


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
