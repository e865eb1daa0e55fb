from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from observer_play import (
    CROUPIER,
    LAYOUT,
    SEAT2_ELBOW,
    bet_spot,
    opened,
    pushed,
    settled,
)
from table_scenes import chips, hand, plaque
from veedor.rules.events import (
    BetChanged,
    BetCollected,
    BetPaid,
    BetPlaced,
    BetRemoved,
    BettingClosed,
    CagnottePaid,
    CoupClosed,
)
from veedor.vision.stakes import OVERLOOKED


def test_a_stake_of_several_piles_is_one_bet_of_the_seat_that_pushed_it() -> None:
    play = opened()
    x, y = bet_spot(2)
    pushed(play, "b", [chips(x, y, "50", 2), chips(x + 48, y, "10"), plaque(x + 112, y)], SEAT2_ELBOW)
    (bet,) = play.of(BetPlaced)
    assert isinstance(bet, BetPlaced)
    assert (bet.zone, bet.bettor, bet.seat, bet.amount) == ("P1", "seat2", 2, Decimal(610))
    assert bet.chips is not None and sorted(bet.chips) == ["10", "50", "50", "500"]


def test_a_stake_too_high_to_be_counted_has_no_amount_and_was_laid_for_certain() -> None:
    play = opened()
    x, y = bet_spot(2)
    pushed(play, "b", [chips(x, y, "50", 8)], SEAT2_ELBOW)
    (bet,) = play.of(BetPlaced)
    assert isinstance(bet, BetPlaced)
    assert bet.amount is None and bet.bettor == "seat2" and bet.confidence == 1.0


def test_stakes_apart_are_two_bets_and_a_forbidden_place_is_told() -> None:
    play = opened()
    x, y = bet_spot(1)
    place = LAYOUT.zone("forbidden.banker_right").centre_mm
    play.lying = {"a": chips(x, y), "b": chips(float(place[0]), float(place[1]), "50")}
    play.show(3.0)
    assert sorted(event.zone for event in play.of(BetPlaced) if isinstance(event, BetPlaced)) == [
        "P1",
        "forbidden",
    ]


def test_chips_added_after_the_call_change_the_bet() -> None:
    play = opened()
    x, y = bet_spot(2)
    play.lying = {"a": chips(x, y, "50", 2)}
    play.show(3.0)
    play.say(BettingClosed(t=round(play.t_s, 3), source="voice"))
    play.show(0.6, hand(x + 50, y, SEAT2_ELBOW))
    play.lying["b"] = chips(x + 50, y, "10", 3)
    play.show(3.0)
    (changed,) = play.of(BetChanged)
    assert isinstance(changed, BetChanged) and (changed.bet, changed.amount) == ("b1", Decimal(130))


def test_a_cuff_that_looks_like_a_chip_is_no_stake() -> None:
    play = opened()
    x, y = bet_spot(2)
    for _ in range(8):
        play.show(0.6, hand(x, y, SEAT2_ELBOW), chips(x + 5, y + 5))
    play.show(3.0)
    assert not play.of(BetPlaced)


def test_a_stake_taken_back_before_the_cards_is_removed() -> None:
    play = opened()
    x, y = bet_spot(2)
    play.lying = {"a": chips(x, y)}
    play.show(3.0)
    play.show(0.6, hand(x, y, SEAT2_ELBOW))
    play.lying.clear()
    play.show(5.0)
    assert [event.bet for event in play.of(BetRemoved) if isinstance(event, BetRemoved)] == ["b1"]


def test_a_stake_that_nobody_took_is_only_not_seen() -> None:
    play = opened()
    play.lying = {"a": chips(*bet_spot(2), "50", 2)}
    play.show(4.0)
    lying = dict(play.lying)
    play.lying.clear()
    play.show(6.0)
    play.lying = lying
    play.show(6.0)
    assert len(play.of(BetPlaced)) == 1 and not play.of(BetRemoved, BetChanged)


def test_a_pile_that_nobody_can_have_brought_was_overlooked() -> None:
    play = opened()
    x, y = bet_spot(2)
    play.lying = {"a": chips(x, y, "50", 2)}
    play.show(10.0)
    play.lying["b"] = chips(x + 50, y, "10")
    play.show(3.0)
    bet, changed = play.of(BetPlaced, BetChanged)
    assert isinstance(bet, BetPlaced) and isinstance(changed, BetChanged)
    assert changed.amount == 110 and changed.confidence < 0.5


def test_payment_collection_and_the_houses_part() -> None:
    play = settled()
    x, y = bet_spot(2)
    play.show(0.6, hand(x + 50, y, CROUPIER))
    play.lying["paid"] = chips(x + 52, y, "50", 2)
    play.show(0.6, hand(*bet_spot(9, 2), CROUPIER))
    del play.lying["lost"]
    play.show(0.6, hand(*bet_spot(4), CROUPIER))
    part = bet_spot(4)
    play.lying["part"] = chips(*part, "50", 1)
    play.show(2.0)
    play.show(1.6, chips(150.0, -490.0, "10", 3))
    play.show(3.0)
    names = {event.bet: event.seat for event in play.of(BetPlaced) if isinstance(event, BetPlaced)}
    money = [
        (type(event), names[event.bet], event.amount)
        for event in play.journal
        if isinstance(event, BetPaid | BetCollected)
    ]
    assert sorted(money, key=str) == [
        (BetCollected, 4, Decimal(50)),
        (BetCollected, 9, Decimal(100)),
        (BetPaid, 2, Decimal(100)),
    ]
    assert [event.amount for event in play.journal if isinstance(event, CagnottePaid)] == [Decimal(30)]


def test_a_chip_that_goes_from_a_stack_whose_count_was_never_sure_accuses_nobody() -> None:
    play = settled()
    for stake in play.observer.stakes.stakes:
        for pile in stake.piles:
            assert pile.told is not None
            pile.told = replace(pile.told, confidence=OVERLOOKED)
    play.show(0.6, hand(*bet_spot(4), CROUPIER))
    play.lying["part"] = chips(*bet_spot(4), "50", 1)
    play.show(2.0)
    (taken,) = play.of(BetCollected)
    assert taken.confidence == OVERLOOKED


def test_what_the_croupiers_hand_did_at_a_stake_unseen_is_neither_payment_nor_none() -> None:
    play = settled()
    x, y = bet_spot(2)
    play.show(0.6, hand(x + 50, y, CROUPIER))
    play.show(3.0)
    for key in [key for key in play.lying if "." in key]:
        del play.lying[key]
    play.show(3.0)
    names = {event.bet: event.seat for event in play.of(BetPlaced) if isinstance(event, BetPlaced)}
    paid = [event for event in play.journal if isinstance(event, BetPaid)]
    assert [(names[event.bet], event.amount, event.confidence) for event in paid] == [(2, None, 0.0)]
    closed = next(event.t for event in play.journal if isinstance(event, CoupClosed))
    assert paid[0].t <= closed


def test_a_pile_that_is_missed_before_its_stake_is_told_still_counts_but_accuses_nobody() -> None:
    play = opened()
    x, y = bet_spot(2)
    play.show(0.6, hand(x, y, SEAT2_ELBOW))
    play.lying = {"a": chips(x, y, "50"), "b": chips(x + 46, y, "10")}
    play.show(1.2)
    del play.lying["b"]
    play.show(4.0)
    (placed,) = play.of(BetPlaced)
    assert isinstance(placed, BetPlaced) and placed.amount == 60 and placed.confidence < 0.5


def test_what_bettors_take_after_the_coup_is_no_event_of_it() -> None:
    play = settled()
    for key in [key for key in play.lying if "." in key]:
        del play.lying[key]
    play.show(2.0)
    play.lying.clear()
    play.show(5.0)
    assert not play.of(BetCollected, BetRemoved, BetChanged)
    assert len([event for event in play.journal if isinstance(event, CoupClosed)]) == 1
