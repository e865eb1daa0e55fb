"""Which findings of a session stand, each under a number that it keeps however often it is judged again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from veedor.rules.finding import Finding
from veedor.rules.verdict import Verdict

Key = tuple[int, str, str, str]  # as `Finding.key`
Told = tuple[Key, int]


class FindingNumbers:
    """Gives a finding the number it has, or the next."""

    def __init__(self, told: Iterable[Told] = ()) -> None:
        self._numbers: dict[tuple[int, Key], int] = {}  # by place of the coup: coups count anew with a shoe
        self._known: dict[Key, deque[int]] = {}
        self._highest = 0
        self.know(told)

    def know(self, told: Iterable[Told]) -> None:
        """Numbers that findings of this session were told under before, in their order."""
        for key, number in told:
            self._known.setdefault(key, deque()).append(number)
            self._highest = max(self._highest, number)

    def take(self, place: int, key: Key, number: int) -> None:
        """A finding of the coup at `place` has this number."""
        self._numbers[place, key] = number
        self._highest = max(self._highest, number)

    def number(self, finding: Finding, place: int) -> int:
        """The number of a finding that is told while the session's coup at `place` is the last."""
        key = finding.key
        for at in (place, place - 1) if finding.revises else (place,):
            if (at, key) in self._numbers:
                return self._numbers[at, key]
        known = self._known.get(key)
        if known:
            number = known.popleft()
        else:
            number = self._highest = self._highest + 1
        self._numbers[place, key] = number
        return number


def stand(standing: dict[int, Finding], number: int, finding: Finding) -> None:
    """Put a finding in its place among those that stand; one that is withdrawn leaves it."""
    if finding.verdict is Verdict.WITHDRAWN:
        standing.pop(number, None)
    else:
        standing[number] = finding


def withdrawn(finding: Finding) -> Finding:
    """The word that takes a finding back."""
    return replace(finding, verdict=Verdict.WITHDRAWN, revises=True)
