"""Which infractions are wanted, and in which coup of a session each happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from veedor.datasets.errors import DatasetError

FirstCoup = Callable[[str], int]  # the earliest coup in which a code can be planted
LastCoup = Callable[[str], int | None]  # the last, None where any will do


def any_coup(code: str) -> int | None:
    """No last coup, whatever the code."""
    return None


@dataclass(frozen=True)
class Order:
    """An infraction wanted: its code and, if it matters, its coup (from 1)."""

    code: str
    coup: int | None = None

    @classmethod
    def parse(cls, text: str) -> Order:
        """Reads `CODE` or `CODE@COUP`."""
        code, at, coup = text.partition("@")
        if at and not coup.isdigit():
            raise DatasetError(f"infraction {text!r}: expected CODE or CODE@COUP with a coup number")
        return cls(code, int(coup) if at else None)


def place_orders(
    orders: Sequence[Order], seed: int, coups: int, first_coup: FirstCoup, last_coup: LastCoup = any_coup
) -> dict[int, str]:
    """Gives every order a coup of its own; raises DatasetError where that cannot be."""
    rng = Random(f"orders/{seed}")
    if len(orders) > coups:
        raise DatasetError(f"infractions: {len(orders)} asked for in {coups} coups; one a coup at most")
    placed: dict[int, str] = {}
    for order in sorted(orders, key=lambda order: (order.coup is None, first_coup(order.code) == 1)):
        first = first_coup(order.code)
        last = last_coup(order.code)
        free = [coup for coup in range(first, (last or coups) + 1) if coup not in placed]
        if order.coup is not None:
            free = [coup for coup in free if coup == order.coup]
        if not free:
            raise DatasetError(f"infraction {order.code}: no coup of {coups} is free for it")
        placed[rng.choice(free)] = order.code
    return placed


def draw_orders(
    seed: int, coups: int, count: int, codes: Sequence[str], first_coup: FirstCoup
) -> tuple[Order, ...]:
    """`count` different codes, each in a coup of its own, from the seed alone."""
    rng = Random(f"infractions/{seed}")
    if count > min(coups, len(codes)):
        raise DatasetError(f"infractions: {count} different ones do not go into {coups} coups")
    while True:
        orders = [
            Order(code, coup)
            for code, coup in zip(
                rng.sample(sorted(codes), count), rng.sample(range(1, coups + 1), count), strict=True
            )
        ]
        if all(order.coup != 1 or first_coup(order.code) == 1 for order in orders):
            return tuple(sorted(orders, key=lambda order: order.coup or 0))
        if coups == 1:
            codes = [code for code in codes if first_coup(code) == 1]
