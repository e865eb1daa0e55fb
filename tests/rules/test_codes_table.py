"""Codes of stakes, words and cards of a table, each broken, kept and undecided where it can be."""

from dataclasses import replace
from decimal import Decimal

import pytest
from judged import clean, only
from playing import Record, dos_panos
from veedor.rules.events import (
    BetChanged,
    BetCollected,
    BetPaid,
    BetReturned,
    BettingClosed,
    CagnottePaid,
    CardDropped,
    CardPickedUp,
    CardsStuck,
    CoupClosed,
    CutCardShown,
    PlayersSeen,
    Said,
    ViewLost,
)


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
    assert finding.remedy("en") == "the bettor owes the bank 100 on B's 100 on paño 2"
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
