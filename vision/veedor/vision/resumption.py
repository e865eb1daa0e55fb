"""Going on with a record that broke off in its midst: what of it was lost with the memory of the observer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from veedor.rules.coup_numbers import next_coup
from veedor.rules.events import BetPlaced, CardDealt, CardDrawn, CoupClosed, CoupOpened, TableEvent

# Looked at for so long without a card of a coup in sight: whatever lay there is in the basket. A hand that
# covers cards does not cover those of every hand.
CLEARED_S = 5.0
STEADY_S = 1.0  # where no cards had been dealt


@dataclass
class Resumed:
    """How an observer that remembers nothing comes to know that it sees everything again.

    `dealt`: cards lay on the table when the record broke off, those of coup `coup`.
    """

    reason: str
    coup: int
    dealt: bool
    _since_s: float | None = None

    @staticmethod
    def after(events: Sequence[TableEvent], reason: str, *, open_coup: bool) -> Resumed:
        """What is known from the record's events."""
        dealt, coup, count = False, 0, 0
        for event in events:
            if isinstance(event, CoupOpened):
                count = event.coup if event.coup is not None else next_coup(count)
                dealt, coup = False, count
            elif isinstance(event, CoupClosed):
                dealt = False
            elif isinstance(event, CardDrawn | CardDealt):
                dealt = True
        return Resumed(reason, coup, dealt and open_coup)

    def over(self, t_s: float, *, cards: bool) -> bool:
        """Take in a look; whether everything that is seen from now on has been seen from its beginning."""
        if cards and not self.dealt:
            self.dealt = True  # dealt while nobody looked
        if cards or self._since_s is None:
            self._since_s = t_s
            return False
        return t_s - self._since_s >= (CLEARED_S if self.dealt else STEADY_S)


def highest_bet(events: Iterable[TableEvent]) -> int:
    """The highest number that a stake of the record has."""
    numbers = (event.bet[1:] for event in events if isinstance(event, BetPlaced) and event.bet[:1] == "b")
    return max((int(number) for number in numbers if number.isdecimal()), default=0)
