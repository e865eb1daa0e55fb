"""A record that broke off in the midst of a coup goes on: nothing of that coup accuses anybody."""

from __future__ import annotations

import pytest
from observer_play import Play, bet_spot, opened, pushed
from table_scenes import chips, table
from veedor.rules.checker import Checker
from veedor.rules.events import (
    BetPlaced,
    BettingClosed,
    BettingOpened,
    CardDealt,
    CardDrawn,
    CoupClosed,
    CoupOpened,
    TableEvent,
    ViewLost,
    ViewRestored,
)
from veedor.rules.profile import load_profile
from veedor.rules.verdict import Verdict
from veedor.vision.observer import Observer

HANDS = ("P1", "P2", "B", "P1", "P2", "B")
DEAD_S = 8.0


def died_and_went_on(play: Play) -> list[TableEvent]:
    """The process dies: what was not told yet is lost, and nobody looks for a while. The record."""
    record, lost_s = list(play.journal), play.t_s - 5.0
    play.observer = Observer(table())
    play.observer.resume(record, lost_s, "restart")
    play.t_s += DEAD_S
    return record


def coup_until(cards: int, *, shown: bool = False) -> Play:
    play = opened()
    play.say(BettingClosed(t=play.t_s, source="voice"))
    for number, hand in enumerate(HANDS[:cards]):
        play.deal(hand, str(number))
    if shown:
        play.turn("P1", ["4S", "5H"])
        play.turn("P2", ["2S", "6H"])
        play.turn("B", ["KS", "7H"])
    return play


@pytest.mark.parametrize(("cards", "shown"), [(1, False), (3, False), (6, False), (6, True)])
def test_of_a_coup_whose_cards_were_dealt_nothing_more_is_told(cards: int, shown: bool) -> None:
    play = coup_until(cards, shown=shown)
    play.show(3.0)
    record = died_and_went_on(play)
    for number, hand in list(enumerate(HANDS))[cards:]:
        play.deal(hand, str(number))
    play.turn("B", ["KS", "7H"])
    play.show(3.0)
    play.lying.clear()
    play.show(9.0)
    after = play.journal[len(record) :]
    kinds = [type(event) for event in after]
    assert kinds == [ViewLost, CoupClosed, ViewRestored], after
    assert isinstance(after[1], CoupClosed) and after[1].coup == 1
    assert [event.t for event in play.journal] == sorted(event.t for event in play.journal)

    play.say(CoupOpened(2, t=play.t_s, source="voice"))
    play.say(BettingOpened(t=play.t_s, source="voice"))
    play.say(BettingClosed(t=play.t_s, source="voice"))
    play.deal("P1", "next")
    play.show(6.0)
    told = play.journal[len(record) + len(after) :]
    assert {type(event) for event in told} >= {CardDrawn, CardDealt}
    assert all(event.confidence > 0.5 for event in told)
    verdicts = judged(play.journal)
    assert Verdict.BROKEN not in verdicts


def test_a_stake_seen_again_has_a_new_name_and_accuses_nobody() -> None:
    play = opened()
    pushed(play, "b", [chips(*bet_spot(2), "50")], (-1250.0, 1050.0))
    play.show(4.0)
    [first] = [event for event in play.journal if isinstance(event, BetPlaced)]
    record = died_and_went_on(play)
    play.show(6.0)
    again = [event for event in play.journal[len(record) :] if isinstance(event, BetPlaced)]
    assert all(event.bet != first.bet and event.confidence < 0.5 for event in again)
    kinds = [type(event) for event in play.journal[len(record) :]]
    assert kinds.count(ViewLost) == kinds.count(ViewRestored) == 1 and CoupClosed not in kinds
    assert Verdict.BROKEN not in judged(play.journal)


def test_a_record_that_broke_off_between_coups_is_judged_again_at_once() -> None:
    play = Play()
    play.show(2.0)
    died_and_went_on(play)
    play.show(3.0)
    restored = next(event for event in play.journal if isinstance(event, ViewRestored))
    assert restored.t < play.t_s - 1.0


def judged(journal: list[TableEvent]) -> set[Verdict]:
    found = Checker(load_profile("dos-panos-limitada")).judge(journal)
    return {finding.verdict for finding in found}
