from __future__ import annotations

from decimal import Decimal

from veedor.rules.events import BetCollected, BetPaid, CardDealt, TableEvent
from veedor.vision.event_order import EventOrder


def times(events: list[TableEvent]) -> list[float]:
    return [event.t for event in events]


def test_events_come_in_order_of_time_once_nothing_can_precede_them() -> None:
    order = EventOrder(2.0)
    order.add(CardDealt("c2", "P2", t=3.0))
    order.add(CardDealt("c1", "P1", t=1.0))
    assert times(order.due(2.9, 0.0)) == []
    assert times(order.due(3.0, 0.0)) == [1.0]
    assert times(order.due(9.0, 0.0)) == [3.0]
    assert order.rest() == []


def test_what_comes_too_late_is_stamped_with_the_time_of_the_last_line() -> None:
    order = EventOrder(1.0)
    order.add(CardDealt("c1", "P1", t=5.0))
    assert times(order.due(6.0, 0.0)) == [5.0]
    order.add(CardDealt("c2", "P2", t=4.0))
    assert times(order.rest()) == [5.0]


def test_parts_of_one_settlement_are_one_event() -> None:
    order = EventOrder(5.0)
    order.add(BetCollected("b1", Decimal(100), t=1.0, confidence=0.9))
    order.add(BetCollected("b1", Decimal(50), t=2.2, confidence=0.7))
    order.add(BetPaid("b1", Decimal(10), t=2.3))
    order.add(BetCollected("b2", Decimal(7), t=2.4))
    order.add(BetCollected("b2", None, t=2.5))
    collected, paid, other = sorted(order.rest(), key=lambda event: event.t)
    assert collected == BetCollected("b1", Decimal(150), t=1.0, confidence=0.7)
    assert paid == BetPaid("b1", Decimal(10), t=2.3)
    assert other == BetCollected("b2", None, t=2.4)


def test_an_event_is_told_as_soon_as_nothing_earlier_is_undecided() -> None:
    order = EventOrder(5.0)
    order.add(CardDealt("c1", "P1", t=1.0))
    order.add(CardDealt("c2", "P2", t=1.5))
    assert times(order.due(2.0, 0.9)) == []
    assert times(order.due(2.0, 1.2)) == [1.0]
    assert times(order.due(2.0, 2.0)) == [1.5]


def test_a_settlement_waits_for_its_other_parts_and_what_follows_waits_with_it() -> None:
    order = EventOrder(5.0)
    order.add(BetCollected("b1", Decimal(100), t=1.0))
    order.add(CardDealt("c1", "P1", t=1.5))
    assert times(order.due(3.9, 3.9)) == []
    order.add(BetCollected("b1", Decimal(50), t=3.8))
    assert times(order.due(4.1, 4.1)) == [1.0, 1.5]
