"""Whose turn it is to hold the cards of a paño (PL-06, PL-07), and when the record does not tell.

A record that begins in the middle of a partida says who sits where and not whose turn it is, whatever is said
again at its beginning. Nor does one that missed coups. Then nobody is expected until a coup has been seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from veedor.rules.coup_numbers import next_coup
from veedor.rules.coup_parts import seat_number
from veedor.rules.event_types import CoupOpened, TableEvent
from veedor.rules.session_parts import ShoeState, Turn

# In less than this nobody bets, deals, plays and pays a whole coup.
SHORTEST_COUP_S = 20.0
BY_SIGHT = "vision"


@dataclass(frozen=True, slots=True)
class Sequel:
    """How far the coups of the record are known to follow one another.

    ``whole``: from the first coup of the partida to the last one, as far as is known. ``dark_since``: the
    whole table is unseen; ``away``: it was long enough for coups to be played since the last one opened.
    """

    whole: bool = False
    coups: int = 0
    number: int = 0
    dark_since: float | None = None
    away: bool = False

    def seeing(self, t: float, *, dark: bool) -> Sequel:
        """The whole table is out of sight, or not any more."""
        if dark:
            return self if self.dark_since is not None else replace(self, dark_since=t)
        away = self.away or self._long_dark(t)
        return replace(self, dark_since=None, away=away)

    def lacks_coups(self, event: TableEvent, number: int) -> bool:
        """Whether coups were, or may have been, played between the last one and this without being seen."""
        if not self.coups:
            return False
        follows = number == next_coup(self.number)
        if self.away or self._long_dark(event.t):
            # What the camera counts goes on after a gap as if there had been none.
            return not (follows and isinstance(event, CoupOpened) and event.coup and event.source != BY_SIGHT)
        return number > self.number + 1

    def opened(self, event: TableEvent, number: int) -> Sequel:
        """Another coup has opened."""
        whole = self.whole and not self.lacks_coups(event, number) if self.coups else number <= 1
        dark_since = None if self.dark_since is None else event.t
        return Sequel(whole, self.coups + 1, number, dark_since)

    def skips_to(self, number: int) -> bool:
        """Whether the coup in course, counted until now, is a later one than was thought."""
        return self.coups > 1 and number > self.number

    def announced(self, number: int) -> Sequel:
        """The coup in course, opened without being announced, is this one."""
        return replace(self, number=number, whole=number <= 1 if self.coups == 1 else self.whole)

    def _long_dark(self, t: float) -> bool:
        return self.dark_since is not None and t - self.dark_since >= SHORTEST_COUP_S


def expected_holder(turn: Turn | None, seats: tuple[int, ...], shoe: ShoeState, sequel: Sequel) -> str | None:
    """The seat that should take the hand now; None where the record does not tell."""
    if turn is not None and turn.owed is not None:
        return turn.owed
    if turn is None or turn.holder is None:
        begins = turn is None and seats and shoe.started and sequel.whole
        return f"seat{seats[0]}" if begins else None
    number = seat_number(turn.holder)
    if turn.passes is None:
        return None
    if not turn.passes and (number in seats or not seats):
        return turn.holder
    if number is None or not seats:
        return None
    later = [seat for seat in seats if seat > number]
    return f"seat{later[0] if later else seats[0]}"


def unknown(turns: Mapping[str, Turn]) -> Mapping[str, Turn]:
    """The turns once coups have been missed: who held the hand last, and nobody knows who has it now."""
    return {hand: Turn(turn.holder, passes=None) for hand, turn in turns.items()}
