"""The bank as the live page shows it: what was put in, declared, won and lost."""

from __future__ import annotations

from decimal import Decimal

from veedor.monitor.bookkeeping import Bookkeeper
from veedor.rules.events import (
    BankDeclared,
    BankDeposited,
    BankerLeft,
    BetPaid,
    BetPlaced,
    BettingClosed,
    CardDealt,
    CardTurned,
    CoupClosed,
    CoupOpened,
    TableEvent,
)
from veedor.rules.profile import load_profile


def played(number: int, start_s: float) -> list[TableEvent]:
    """The first paño wins 1000 of the bank, and the second nothing."""
    faces = {"c1": ("P1", "4H"), "c2": ("P2", "2H"), "c3": ("B", "3H"),
             "c4": ("P1", "5S"), "c5": ("P2", "2S"), "c6": ("B", "4S")}  # fmt: skip
    bet = f"b{number}"
    return [
        CoupOpened(number, t=start_s),
        BetPlaced(bet, "P1", Decimal(1000), "seat4", 4, t=start_s + 1),
        BettingClosed(t=start_s + 2),
        *(CardDealt(card, to, t=start_s + 3) for card, (to, _) in faces.items()),
        *(CardTurned(card, shows, t=start_s + 4) for card, (_, shows) in faces.items()),
        BetPaid(bet, Decimal(1000), t=start_s + 5),
        CoupClosed(number, t=start_s + 6),
    ]


def banks(events: list[TableEvent]) -> list[Decimal | None]:
    books = Bookkeeper(load_profile("dos-panos-limitada"))
    for event in events:
        books.feed(event)
    return [each.bank for each in books.accounts]


def test_a_deposit_is_the_bank_from_the_moment_it_is_told() -> None:
    put_in = BankDeposited(Decimal(5000), t=0.5)
    assert banks([put_in, CoupOpened(1, t=1.0)]) == [5000]
    assert banks([CoupOpened(1, t=0.1), put_in]) == [5000]
    assert banks([CoupOpened(1, t=0.1)]) == [None]


def test_the_bank_goes_on_with_what_a_coup_left_it() -> None:
    events = [BankDeposited(Decimal(5000), t=0.0), *played(1, 1.0), *played(2, 20.0)]
    first, second = banks(events)
    assert (first, second) == (5000, 4000)


def test_what_comes_after_the_coup_does_not_change_the_bank_it_was_played_with() -> None:
    events = [BankDeposited(Decimal(5000), t=0.0), *played(1, 1.0)]
    late: list[TableEvent] = [BetPaid("b1", Decimal(1000), t=8.0), BankDeposited(Decimal(700), t=9.0)]
    assert banks([*events, *late]) == [5000]
    assert banks([*events, *late, CoupOpened(2, t=10.0)]) == [5000, 4700]


def test_another_banker_s_deposit_is_a_bank_of_its_own() -> None:
    events = [BankDeposited(Decimal(5000), t=0.0), *played(1, 1.0)]
    changed: list[TableEvent] = [BankerLeft(t=8.0), BankDeposited(Decimal(300), t=9.0), CoupOpened(2, t=10.0)]
    assert banks([*events, *changed]) == [5000, 300]


def test_what_is_declared_for_a_coup_is_what_it_is_played_with() -> None:
    declared: list[TableEvent] = [BankDeposited(Decimal(5000), t=0.0), CoupOpened(1, t=1.0)]
    assert banks([*declared, BankDeclared(Decimal(2000), t=1.5)]) == [2000]
