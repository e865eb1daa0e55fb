"""Coups as people follow them, from events in any order, and their words in both languages."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import pytest
from veedor.monitor.language import Language
from veedor.monitor.story import tell
from veedor.monitor.timeline import apart, draw_timeline
from veedor.monitor.wording import amount_text, card_name, clock, describe, person_name, zone_name
from veedor.rules.events import (
    EVENT_TYPES,
    BankDeclared,
    BetChanged,
    BetCollected,
    BetPaid,
    BetPlaced,
    BetRemoved,
    BettingClosed,
    BettingOpened,
    CagnottePaid,
    CardDealt,
    CardDropped,
    CardMoved,
    CardTurned,
    CoupClosed,
    CoupOpened,
    HandTaken,
    Said,
    SessionOpened,
    TableEvent,
    decode_event,
    event_name,
)

COUP = [
    SessionOpened("dos-panos-limitada", t=0.0),
    CoupOpened(4, t=1.0),
    BankDeclared(Decimal(2500), t=1.5),
    BettingOpened(t=2.0),
    BetPlaced("b1", "P1", Decimal(100), seat=2, t=3.0),
    BetPlaced("b2", "caballo", Decimal(70), seat=9, t=4.0),
    BetChanged("b1", amount=Decimal(150), t=5.0),
    BettingClosed(t=8.0),
    CardDealt("c1", "P1", t=9.0),
    CardDealt("c2", "P2", t=9.5),
    CardDealt("c3", "B", t=10.0),
    CardDealt("c4", "P1", t=10.5),
    HandTaken("P1", "seat2", t=12.0),
    Said("P1", "carta", t=13.0),
    Said("banker", "cuadro", t=13.5),
    CardDealt("c5", "P1", t=14.0),
    CardTurned("c5", "3C", t=14.2),
    CardTurned("c1", "6H", t=18.0),
    CardTurned("c4", "TS", t=18.0),
    BetPaid("b1", Decimal(150), t=20.0),
    BetCollected("b2", Decimal(35), t=21.0),
    CagnottePaid(Decimal(2), t=22.0),
    CoupClosed(4, t=25.0),
    BetRemoved("b1", t=27.0),
]


def test_a_coup_is_told_with_hands_words_bets_and_money() -> None:
    [coup] = tell(COUP)
    assert (coup.number, coup.phase, coup.bank, coup.cagnotte) == (4, "closed", Decimal(2500), Decimal(2))
    first = coup.hand("P1")
    assert [card.shows for card in first.cards] == ["6H", "TS", "3C"]
    assert (first.points, first.said, first.holder) == (9, ("carta",), "seat2")
    assert coup.hand("B").said == ("cuadro",)
    assert coup.hand("B").points is None
    bets = {bet.bet: bet for bet in coup.bets}
    assert (bets["b1"].amount, bets["b1"].paid, bets["b1"].removed) == (Decimal(150), Decimal(150), True)
    assert (bets["b2"].collected, bets["b2"].who) == (Decimal(35), "seat9")


@pytest.mark.parametrize(
    ("until", "phase"),
    [(2, "waiting"), (4, "betting"), (8, "dealing"), (13, "playing"), (17, "showdown"), (20, "settling")],
)
def test_the_phase_of_the_coup(until: int, phase: str) -> None:
    assert tell(COUP[:until])[-1].phase == phase


def test_cards_move_between_hands_and_leave_them() -> None:
    moves: list[TableEvent] = [
        CardMoved("c5", "P2", t=15.0),
        CardMoved("c4", "dead", t=15.0),
        CardDropped("c1", "basket", t=16.0),
    ]
    [coup] = tell(COUP[:18] + moves)
    assert [card.card for card in coup.hand("P1").cards] == []
    assert [card.card for card in coup.hand("P2").cards] == ["c2", "c5"]


def test_events_in_reverse_order_are_told_without_failing() -> None:
    assert len(tell([CoupOpened(1, t=0.0), *reversed(COUP)])) == 2


def test_a_bet_of_unknown_amount_stays_unknown() -> None:
    [coup] = tell([CoupOpened(t=0.0), BetPlaced("b1", "P1", None, t=1.0), BetPaid("b1", None, t=2.0)])
    assert coup.number == 1
    assert coup.bets[0].amount is None and amount_text(coup.bets[0].amount) == "?"


SAMPLE = {
    "bet": "b1", "zone": "half:P2", "amount": 1250, "card": "c1", "cards": ["c1", "c2"], "to": "P1",
    "by": "seat3", "shows": "TH", "hand": "B", "pose": "crossed", "words": "carta", "points": 4,
    "point": 4, "order": ["P1", "P2"], "text": "x",
    "zones": ["P1.hand"], "reason": "hand", "bettor": "seat3", "pano": "P1", "players": ["a"],
    "profile": "p", "where": "floor", "face": "up", "seen": False, "coup": 3, "corrects": 4,
}  # fmt: skip


@pytest.mark.parametrize("kind", EVENT_TYPES, ids=lambda kind: event_name(kind))
def test_every_event_has_words_in_both_languages(kind: type[TableEvent]) -> None:
    event = decode_event({"t": 1.0, "event": event_name(kind), **SAMPLE})
    spanish, english = describe(event, Language.ES), describe(event, Language.EN)
    assert spanish and english
    assert event_name(kind) not in spanish


def test_names_amounts_and_times() -> None:
    assert zone_name("half:caballo", Language.ES) == "media a caballo"
    assert zone_name("elsewhere", Language.EN) == "elsewhere"
    assert person_name("seat7", Language.EN) == "seat 7" and person_name(None, Language.EN) == "?"
    assert (card_name("TD"), card_name("7?"), card_name("??"), card_name(None)) == ("10♦", "7", "?", "?")
    assert amount_text(Decimal("12500")) == "12\u202f500" and amount_text(Decimal("2.50")) == "2.5"
    assert (clock(0.04), clock(59.96), clock(61.5), clock(3725.0)) == (
        "0:00.0",
        "1:00.0",
        "1:01.5",
        "1:02:05.0",
    )


def test_numbers_of_findings_of_one_moment_stand_side_by_side() -> None:
    for wanted in ([500.0] * 4, [980.0, 985.0, 990.0], [100.0, 300.0, 301.0], []):
        placed = apart(wanted, 21.0, 1000.0)
        assert all(right - left >= 20.9 for left, right in pairwise(placed))
        assert all(84.0 <= each <= 990.0 for each in placed)
    assert apart([100.0, 300.0], 21.0, 1000.0) == (100.0, 300.0), "where there is room they stay"
    crowd = apart([500.0] * 200, 21.0, 1000.0)
    assert list(crowd) == sorted(crowd) and crowd[0] > 0 and crowd[-1] < 1000.0


def test_the_timeline_lies_within_its_frame_and_in_order_of_time() -> None:
    [coup] = tell(COUP)
    drawing = draw_timeline(coup, [(1, 14.0, "severity-rectify"), (2, 90.0, "severity-info")])
    assert [name for name, _ in drawing.lanes] == ["calls", "bets", "P1", "P2", "B", "money"]
    assert all(84 <= mark.x <= 1000 and 0 <= mark.y <= drawing.height for mark in drawing.marks)
    times = [(mark.event.t, mark.x) for mark in drawing.marks]
    assert [x for _, x in sorted(times)] == sorted(x for _, x in times)
    assert [number for _, number, _ in drawing.flags] == [1, 2]
    assert [mark.label for mark in drawing.marks if mark.kind == "card"] == ["6♥", "10♠", "3♣"]


def test_a_late_close_of_an_earlier_coup_does_not_end_the_running_one() -> None:
    coups = tell([*COUP[:-1], CoupOpened(5, t=24.0), CoupClosed(4, t=25.0)])
    assert [each.number for each in coups] == [4, 5] and coups[1].phase != "closed"


def test_a_close_of_a_coup_that_is_not_there_ends_nothing() -> None:
    running = [event for event in COUP if not isinstance(event, CoupClosed)]
    assert tell([*running, CoupClosed(99, t=25.0)])[0].phase != "closed"
    assert tell([*running, CoupClosed(99, t=25.0), CoupClosed(t=26.0)])[0].phase == "closed"
