"""How coups are numbered: from 1 on, and from 1 again after the last number that people may give."""

from __future__ import annotations

MOST_COUP = 99_999


def next_coup(number: int) -> int:
    """The number of the coup after that one, where nobody gives another."""
    return 1 if number == MOST_COUP else number + 1
