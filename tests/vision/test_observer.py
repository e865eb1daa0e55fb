from __future__ import annotations

from decimal import Decimal

from table_scenes import LOOK_S, Thing, card, chips, hand, percept, plaque, table
from veedor.rules.events import (
    BetChanged,
    BetCollected,
    BetPaid,
    BetPlaced,
    BetRemoved,
    BettingClosed,
    BettingOpened,
    CagnottePaid,
    CardDealt,
    CardDrawn,
    CardMoved,
    CardTurned,
    CoupClosed,
    CoupOpened,
    HandPosed,
    HandTaken,
    TableEvent,
    ViewLost,
    ViewRestored,
)
from veedor.vision.observer import Observer

LAYOUT = table().layout
MOUTH = (222.0, 265.0)
SLOTS = {
    "P1": [(-756.0, 0.0), (-684.0, 0.0), (-612.0, 0.0), (-828.0, 0.0)],
    "P2": [(684.0, 0.0), (756.0, 0.0), (828.0, 0.0), (612.0, 0.0)],
    "B": [(-36.0, 385.0), (36.0, 385.0), (108.0, 385.0), (-108.0, 385.0)],
}
SEAT1_ELBOW, SEAT2_ELBOW = (-470.0, 1250.0), (-1250.0, 1050.0)
CROUPIER = (-110.0, -1250.0)


class Play:
    """Shows an observer scenes that last and keeps its journal."""

    def __init__(self) -> None:
        self.observer = Observer(table())
        self.t_s = 0.0
        self.journal: list[TableEvent] = []
        self.lying: dict[str, Thing] = {}

    def say(self, event: TableEvent) -> None:
        self.journal += self.observer.hear(event)

    def show(self, seconds: float, *more: Thing) -> None:
        """What lies on the table, and `more`, for some seconds."""
        for _ in range(round(seconds / LOOK_S)):
            self.journal += self.observer.see(percept(round(self.t_s, 3), [*self.lying.values(), *more]))
            self.t_s += LOOK_S

    def deal(self, hand_name: str, name: str, slot: int | None = None) -> None:
        """Out of the sabot, and to a hand."""
        taken = [thing for key, thing in self.lying.items() if key.startswith(hand_name)]
        where = SLOTS[hand_name][len(taken) if slot is None else slot]
        self.show(0.8, card(*MOUTH))
        self.show(0.8)
        self.lying[f"{hand_name}.{name}"] = card(*where)
        self.show(0.8)

    def turn(self, hand_name: str, faces: list[str]) -> None:
        """Face up under a hand, side by side."""
        x, y = SLOTS[hand_name][0][0] + 36.0, SLOTS[hand_name][0][1]
        self.show(0.4, hand(x, y, (x, 1300.0 if hand_name == "B" else -1300.0)))
        cards = [key for key in self.lying if key.startswith(hand_name) and self.lying[key].face is None]
        for key, face, slot in zip(cards, faces, SLOTS[hand_name], strict=False):
            self.lying[key] = card(*slot, face)
        self.show(1.4)

    def end(self) -> list[TableEvent]:
        self.journal += self.observer.finish()
        return self.journal

    def of(self, *kinds: type[TableEvent]) -> list[TableEvent]:
        return [event for event in self.end() if isinstance(event, kinds)]


def opened() -> Play:
    play = Play()
    play.say(CoupOpened(1, t=0.0, source="operator"))
    play.say(BettingOpened(t=0.0, source="voice"))
    return play


def dealt() -> Play:
    play = opened()
    for number, name in enumerate(["P1", "P2", "B"] * 2, 1):
        play.deal(name, str(number))
    return play


def test_a_coup_of_six_cards_from_the_sabot_to_the_basket() -> None:
    play = dealt()
    for name, faces in (("P1", ["7H", "KS"]), ("P2", ["2D", "6C"]), ("B", ["AS", "4H"])):
        play.turn(name, faces)
    play.lying.clear()
    play.show(3.0)
    journal = play.end()
    drawn = [event.card for event in journal if isinstance(event, CardDrawn)]
    assert drawn == ["c1", "c2", "c3", "c4", "c5", "c6"]
    where = {event.card: event.to for event in journal if isinstance(event, CardDealt)}
    assert where == {"c1": "P1", "c2": "P2", "c3": "B", "c4": "P1", "c5": "P2", "c6": "B"}
    shown = sorted((where[event.card], event.shows) for event in journal if isinstance(event, CardTurned))
    assert shown == [("B", "4H"), ("B", "AS"), ("P1", "7H"), ("P1", "KS"), ("P2", "2D"), ("P2", "6C")]
    assert [event.coup for event in journal if isinstance(event, CoupClosed)] == [1]
    assert [event.t for event in journal] == sorted(event.t for event in journal)


def test_a_card_drawn_before_the_call_has_its_own_time() -> None:
    play = opened()
    play.show(1.0)
    play.show(3.0, card(*MOUTH))
    play.say(BettingClosed(t=4.0, source="voice"))
    play.show(6.0, card(*MOUTH))
    drawn, closed = play.of(CardDrawn, BettingClosed)
    assert isinstance(drawn, CardDrawn) and drawn.t == 1.0 and isinstance(closed, BettingClosed)


def test_a_third_card_is_turned_by_the_banker_and_keeps_its_number() -> None:
    play = dealt()
    play.deal("P2", "7")
    play.lying["P2.7"] = card(*SLOTS["P2"][2], "9D")
    play.show(1.6)
    (turned,) = play.of(CardTurned)
    assert turned == CardTurned(
        "c7", "9D", "banker", t=turned.t, frames=turned.frames, confidence=turned.confidence
    )


def test_a_card_that_nobody_saw_drawn_is_counted_all_the_same() -> None:
    play = opened()
    play.lying["P1.x"] = card(*SLOTS["P1"][0])
    play.show(1.0)
    drawn, arrived = play.of(CardDrawn, CardDealt)
    assert isinstance(drawn, CardDrawn) and isinstance(arrived, CardDealt)
    assert drawn.card == arrived.card == "c1" and drawn.t <= arrived.t


def test_who_takes_a_hand_and_how_it_is_laid_down() -> None:
    play = dealt()
    taking = hand(-720.0, 0.0, SEAT1_ELBOW)
    play.show(0.4, hand(-640.0, 300.0, SEAT1_ELBOW))
    play.show(2.0, taking)
    play.lying["P1.1"] = card(-720, 2, turn_deg=41)
    play.lying["P1.4"] = card(-718, -2, turn_deg=-43)
    play.show(2.0)
    taken, posed = play.of(HandTaken, HandPosed)
    assert isinstance(taken, HandTaken) and (taken.hand, taken.by) == ("P1", "seat1")
    assert isinstance(posed, HandPosed) and (posed.hand, posed.pose) == ("P1", "crossed")


def test_turning_cards_is_no_taking_of_the_hand() -> None:
    play = dealt()
    play.turn("P1", ["7H", "KS"])
    assert not play.of(HandTaken)


def test_a_passing_pala_and_a_dealing_hand_take_nothing() -> None:
    play = dealt()
    play.show(0.4, hand(-720.0, 0.0, CROUPIER))
    play.show(2.0)
    assert not play.of(HandTaken, CardMoved)


def test_a_card_slid_over_moves_with_its_number() -> None:
    play = dealt()
    play.show(0.6, hand(SLOTS["P1"][1][0], 0.0, CROUPIER))
    del play.lying["P1.4"]
    play.show(0.6, hand(0.0, 0.0, CROUPIER))
    play.lying["P2.4"] = card(*SLOTS["P2"][2])
    play.show(2.0)
    (moved,) = play.of(CardMoved)
    assert isinstance(moved, CardMoved) and (moved.card, moved.to) == ("c4", "P2")


def test_a_hidden_card_of_a_crossed_pair_is_not_taken_for_the_third() -> None:
    play = dealt()
    play.show(2.0, hand(-720.0, 0.0, SEAT1_ELBOW))
    del play.lying["P1.1"]  # hardly to be seen under the other
    play.lying["P1.4"] = card(-718, -2, turn_deg=-43)
    play.show(2.0)
    play.deal("P1", "7", slot=2)
    dealt_cards = [event.card for event in play.of(CardDealt) if isinstance(event, CardDealt)]
    assert dealt_cards[-1] == "c7" and len(dealt_cards) == 7


def bet_spot(seat: int, pano: int = 1) -> tuple[float, float]:
    x, y = LAYOUT.zone(f"P{pano}.seat{seat}.bet").centre_mm
    return float(x), float(y)


def pushed(play: Play, name: str, things: list[Thing], elbow: tuple[float, float]) -> None:
    """A hand pushes chips in and leaves."""
    x = sum(thing.x for thing in things) / len(things)
    y = sum(thing.y for thing in things) / len(things)
    for share in (0.5, 0.25, 0.1):
        reach = (x + (elbow[0] - x) * share, y + (elbow[1] - y) * share)
        play.show(LOOK_S, hand(*reach, elbow))
    play.show(0.4, hand(x, y, elbow))
    play.lying.update({f"{name}.{number}": thing for number, thing in enumerate(things)})
    play.show(3.0)


def test_a_stake_of_several_piles_is_one_bet_of_the_seat_that_pushed_it() -> None:
    play = opened()
    x, y = bet_spot(2)
    pushed(play, "b", [chips(x, y, "50", 2), chips(x + 48, y, "10"), plaque(x + 112, y)], SEAT2_ELBOW)
    (bet,) = play.of(BetPlaced)
    assert isinstance(bet, BetPlaced)
    assert (bet.zone, bet.bettor, bet.seat, bet.amount) == ("P1", "seat2", 2, Decimal(610))
    assert bet.chips is not None and sorted(bet.chips) == ["10", "50", "50", "500"]


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


def settled() -> Play:
    """Three stakes lie, all cards are turned."""
    play = opened()
    places = {"won": bet_spot(2), "lost": bet_spot(9, 2), "part": bet_spot(4)}
    play.lying = {name: chips(*place, "50", 2) for name, place in places.items()}
    play.show(3.0)
    for number, name in enumerate(["P1", "P2", "B"] * 2, 1):
        play.deal(name, str(number))
    for name, faces in (("P1", ["7H", "KS"]), ("P2", ["2D", "KC"]), ("B", ["AS", "4H"])):
        play.turn(name, faces)
    return play


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


def test_a_coup_that_nobody_announced_opens_itself() -> None:
    play = Play()
    play.show(1.0)
    play.lying = {"a": chips(*bet_spot(2))}
    play.show(3.0)
    coup, bet = play.of(CoupOpened, BetPlaced)
    assert isinstance(coup, CoupOpened) and coup.coup == 1 and coup.t <= bet.t


def test_a_gap_in_the_pictures_is_a_lost_view() -> None:
    play = opened()
    play.show(1.0)
    play.t_s += 5.0
    play.show(2.0)
    lost, restored = play.of(ViewLost, ViewRestored)
    assert isinstance(lost, ViewLost) and lost.reason == "frame gap" and restored.t - lost.t > 4


def test_what_came_to_light_after_a_gap_in_a_coup_is_told_with_little_confidence() -> None:
    play = dealt()
    play.t_s += 5.0
    play.lying["late"] = chips(*bet_spot(2))
    play.show(6.0)
    assert all(event.confidence < 0.5 for event in play.of(BetPlaced) if event.t > 8.0)
    assert play.of(CardDealt)[0].confidence > 0.5


def test_too_few_looks_are_one_lost_view_and_not_many() -> None:
    play = opened()
    for number in range(20):
        play.journal += play.observer.see(percept(round(0.8 * number, 3), []))
    play.end()
    assert len([event for event in play.journal if isinstance(event, ViewLost)]) == 1


def test_a_hand_that_stays_on_the_cards_is_a_lost_view() -> None:
    play = dealt()
    play.show(20.0, hand(-720.0, 0.0, SEAT1_ELBOW))
    play.show(2.0)
    lost, restored = play.of(ViewLost, ViewRestored)
    assert isinstance(lost, ViewLost) and lost.zones == ("P1.hand",) and lost.t < restored.t


def test_the_journal_does_not_depend_on_how_the_run_of_percepts_was_stored() -> None:
    from veedor.vision.percept import decode_percepts, encode_percepts

    x, y = bet_spot(2)
    scenes = [[]] * 3 + [[chips(x, y, "50", 2), card(*SLOTS["P1"][0], "7H")]] * 20
    run = [percept(round(number * LOOK_S, 3), scene) for number, scene in enumerate(scenes)]
    journals = []
    for percepts in (run, decode_percepts(encode_percepts(run))):
        observer = Observer(table())
        events = [event for seen in percepts for event in observer.see(seen)]
        journals.append(events + observer.finish())
    assert journals[0] == journals[1] and journals[0]


def test_a_camera_that_was_moved_is_a_lost_view() -> None:
    from dataclasses import replace

    play = opened()
    for number in range(10):
        shift = 9.0 if 3 <= number < 7 else 0.5
        seen = replace(percept(round(play.t_s, 3), []), camera_shift_px=shift)
        play.journal += play.observer.see(seen)
        play.t_s += LOOK_S
    lost, restored = play.of(ViewLost, ViewRestored)
    assert isinstance(lost, ViewLost) and lost.reason == "camera moved" and restored.t > lost.t
