"""What is certain goes to the journal at once; what is undecided holds later events back."""

from __future__ import annotations

import pytest
from observer_play import MOUTH, SEAT2_ELBOW, Play, bet_spot, dealt, opened, settled
from table_scenes import LOOK_S, card, chips, hand
from veedor.rules.events import BetPlaced, BettingClosed, CardDealt, CardDrawn, CardTurned, TableEvent
from veedor.vision.event_order import EventOrder


def told(play: Play, kind: type[TableEvent]) -> list[TableEvent]:
    """What stands in the journal so far."""
    return [event for event in play.journal if isinstance(event, kind)]


def test_a_dealt_card_is_told_within_a_second() -> None:
    play = opened()
    play.show(0.8, card(*MOUTH))
    play.show(0.8)
    play.lying["P1.1"] = card(-756.0, 0.0)
    play.show(1.0)
    assert len(told(play, CardDrawn)) == len(told(play, CardDealt)) == 1


def test_turned_cards_are_told_once_they_are_read() -> None:
    play = dealt()
    play.turn("P1", ["9H", "KD"])
    play.show(1.6)
    assert len(told(play, CardTurned)) == 2


def test_chips_pushed_before_the_call_and_told_after_it_stand_before_it() -> None:
    play = opened()
    x, y = bet_spot(2)
    play.show(0.4, hand(x, y, SEAT2_ELBOW))
    play.lying["b"] = chips(x, y, "50", 2)
    play.show(0.6)
    play.say(BettingClosed(t=round(play.t_s, 3), source="voice"))
    play.show(LOOK_S)
    assert not told(play, BettingClosed)
    play.show(3.0)
    assert [type(event) for event in play.journal[-2:]] == [BetPlaced, BettingClosed]


def test_chips_that_a_hand_still_covers_hold_the_call_back() -> None:
    play = opened()
    x, y = bet_spot(2)
    play.show(0.4, hand(x, y, SEAT2_ELBOW))
    play.lying["b"] = chips(x, y, "50", 2)
    play.show(0.4)
    play.say(BettingClosed(t=round(play.t_s, 3), source="voice"))
    play.show(1.6, hand(x, y, SEAT2_ELBOW))
    play.show(3.4)
    assert [type(event) for event in play.journal[-2:]] == [BetPlaced, BettingClosed]


@pytest.mark.parametrize("scene", [settled, dealt])
def test_the_journal_is_what_it_would_be_if_everything_waited_longest(
    scene: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callable(scene)
    prompt = scene().end()
    due = EventOrder.due
    monkeypatch.setattr(EventOrder, "due", lambda order, now_s, undecided_s: due(order, now_s, -1.0))
    assert scene().end() == prompt
