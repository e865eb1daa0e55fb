"""From percepts to journal events: what was seen, put in words once it is certain, in order of time."""

from __future__ import annotations

import math
from collections.abc import Sequence

from veedor.rules.coup_numbers import next_coup
from veedor.rules.events import (
    BettingClosed,
    BettingOpened,
    CoupClosed,
    CoupOpened,
    SessionOpened,
    TableEvent,
    ViewLost,
    ViewRestored,
)
from veedor.vision.arms import Arms
from veedor.vision.card_watch import BANK, CardWatch
from veedor.vision.chip_amounts import ChipAmounts
from veedor.vision.covering import Cover
from veedor.vision.doubt import Doubt
from veedor.vision.errors import VisionError
from veedor.vision.event_order import EventOrder
from veedor.vision.hand_watch import HandWatch
from veedor.vision.moment import Moment
from veedor.vision.pending import undecided_since
from veedor.vision.percept import Percept
from veedor.vision.resumption import Resumed, highest_bet
from veedor.vision.stake_watch import StakeWatch
from veedor.vision.table import Table
from veedor.vision.tracker import Tracker, TrackerSettings
from veedor.vision.view_watch import ViewWatch

# The longest media time between what happens and its line in the journal: the longest wait of any watch for
# certainty (takings, 2.1 s after the last of a stake's piles was missed) and some room. Most is told sooner.
LATENCY_S = 5.0
SWEPT_S = 0.8  # no card of the coup seen for so long: they are in the basket


class Observer:
    """Observes one table. Feed it percepts and heard events in order of media time."""

    def __init__(
        self, table: Table, *, latency_s: float = LATENCY_S, settings: TrackerSettings | None = None
    ) -> None:
        if table.camera is None:
            raise VisionError(f"table '{table.id}': no calibration, so nothing can be placed on its felt")
        self.table = table
        self._camera = table.camera
        self.tracker = Tracker(table.camera, settings)
        self.cards = CardWatch(table.layout)
        self._amounts = ChipAmounts(table.chips)
        self.stakes = StakeWatch(table.layout, self._amounts)
        self._hands = HandWatch(table.layout, self.cards)
        self._arms = Arms(table.layout)
        self._view = ViewWatch(table.layout)
        self._doubt = Doubt()
        self._order = EventOrder(latency_s)
        self._coup = 0
        self._opened_s = -math.inf  # when the coup of that number was announced
        self._open = False
        self._undecided_s = 0.0
        self._dealt_in = 0  # the coup that the cards on the table belong to
        self._resumed: Resumed | None = None

    def see(self, percept: Percept) -> list[TableEvent]:
        """Take in what was perceived; returns the events that are due."""
        cover = self._arms.update(percept.t_s, Cover.of(self._camera, percept))
        ended = self.tracker.update(percept, cover)
        moment = Moment(percept, self.tracker, cover, self._arms, ended)
        settling = self.cards.shown(BANK) >= 2
        events = self._view.update(moment)
        events += self.cards.update(moment)
        events += self._hands.update(moment)
        events += self.stakes.update(moment, settling=settling)
        if self._resumed is None:
            self._open_unheard(events)
            for event in events:
                self._order.add(event)
            self._close(moment, settling=settling)
        else:
            self._look_again(self._resumed, moment, events)
        self._doubt.look(percept.t_s, cleared=self._cleared(moment))
        self._undecided_s = undecided_since(moment, self.cards, self._hands, self.stakes)
        return self._trusted(self._order.due(percept.t_s, self._undecided_s))

    def hear(self, event: TableEvent) -> list[TableEvent]:
        """Take in a spoken or entered event; it goes to the journal at its own time."""
        self.note(event)
        self._order.add(event)
        return self._trusted(self._order.due(event.t, self._undecided_s))

    def note(self, event: TableEvent) -> None:
        """Know of an event that somebody else puts in its place."""
        if isinstance(event, SessionOpened):
            self._amounts.unit = event.unit
        elif isinstance(event, CoupOpened):
            self._coup = event.coup if event.coup is not None else next_coup(self._coup)
            self._open, self._opened_s = True, event.t
        elif isinstance(event, BettingOpened | BettingClosed) and not self._open:
            self._begin(event.t)
        elif isinstance(event, CoupClosed) and event.coup in (None, self._coup):
            self._open = False

    @property
    def told_s(self) -> float:
        """Everything earlier has been told; what comes later of it must be put in its place."""
        return self._order.told_s

    @property
    def words_wait(self) -> bool:
        """Whether something that was entered waits for what may still have been seen before it."""
        return any(event.id for event in self._order.waiting())

    def waits(self, number: int) -> list[TableEvent]:
        """The events that wait, if the one of that id is among them; else none."""
        waiting = self._order.waiting()
        return waiting if any(event.id == number for event in waiting) else []

    def take_back(self, number: int) -> None:
        """An event that waits is not to be told."""
        self._order.take_back(number)

    def resume(self, events: Sequence[TableEvent], lost_s: float, reason: str) -> None:
        """Go on with a record in whose midst nobody has looked since `lost_s`.

        Cards that lie there now belong to a coup of which too much was missed: nothing of it is told any
        more. Stakes may be seen a second time.
        """
        for event in events:
            self.note(event)
            self._order.go_on_from(event.t)
        self.stakes.numbered = highest_bet(events)
        self._resumed = Resumed.after(events, reason, open_coup=self._open)
        self.gap_begins(max(lost_s, self._order.told_s), reason)

    def _look_again(self, resumed: Resumed, moment: Moment, events: list[TableEvent]) -> None:
        if resumed.dealt:
            events = [event for event in events if isinstance(event, ViewLost | ViewRestored)]
        else:
            self._open_unheard(events)
        for event in events:
            self._order.add(event)
        in_sight = bool(self.cards.cards) and not self.cards.all_gone()
        if not resumed.over(moment.t_s, cards=in_sight):
            return
        self._resumed = None
        if resumed.dealt:
            if self._open and self._coup == resumed.coup:
                self._order.add(CoupClosed(resumed.coup, t=moment.t_s))
                self._open = False
            self._clear(moment)
        self.gap_ends(moment.t_s, resumed.reason)

    def lose(self, t_s: float, reason: str) -> None:
        """Nobody looks at the table any more from `t_s` on."""
        self._order.add(ViewLost((), reason, t=t_s))

    def gap_begins(self, t_s: float, reason: str) -> None:
        """Nothing is seen from `t_s` on; looks that there were since showed nothing."""
        self._doubt.blind(t_s)
        self._order.add(ViewLost((), reason, t=t_s))

    def gap_ends(self, t_s: float, reason: str) -> None:
        """What was lost for this reason is seen again."""
        self._order.add(ViewRestored((), reason, t=t_s))

    def wait(self, t_s: float) -> list[TableEvent]:
        """It is `t_s` and nobody looks: the events that are due."""
        return self._trusted(self._order.due(t_s, self._undecided_s))

    def finish(self) -> list[TableEvent]:
        """Nothing comes any more: everything that waits."""
        return self._trusted(self._order.rest())

    def _trusted(self, due: list[TableEvent]) -> list[TableEvent]:
        events = [self._doubt.judged(event) for event in due]
        if events:
            self._doubt.forget(events[-1].t)
        return events

    def _cleared(self, moment: Moment) -> bool:
        """Whether nothing of a coup's cards is left, in sight or in mind, that a gap could have mixed up."""
        return not self.cards.cards and moment.t_s - self.cards.last_seen >= SWEPT_S

    def _begin(self, t_s: float) -> None:
        self._coup = next_coup(self._coup)
        self._open = True
        self._order.add(CoupOpened(self._coup, t=t_s, confidence=0.8))

    def _open_unheard(self, events: list[TableEvent]) -> None:
        """A coup that nobody announced begins with the first thing that happens in it."""
        told = [event.t for event in events if not isinstance(event, ViewLost | ViewRestored)]
        if told and not self._open:
            self._begin(min(told))

    def _close(self, moment: Moment, *, settling: bool) -> None:
        if self.cards.cards and not self._dealt_in:
            self._dealt_in = self._coup
        swept = self.cards.all_gone() and moment.t_s - self.cards.last_seen >= SWEPT_S
        # Where the showdown was missed, the announcement of another coup tells that this one is over.
        overdue = self._open and self._coup != self._dealt_in
        if not swept or not (settling or overdue):
            return
        if not settling:
            self._dealt_in = 0
            self._clear(moment)
            return
        closed, self._dealt_in = self._dealt_in, 0
        frames = (moment.frame, moment.frame)
        over = self.cards.last_seen + 0.2
        for event in self.stakes.unseen(over, moment.frame):
            self._order.add(event)
        # The announcement of the next coup, once it is told, has closed this one.
        if closed == self._coup or max(over, self._order.told_s) < self._opened_s:
            self._order.add(CoupClosed(closed, t=over, frames=frames))
        # The next coup may have been announced before it was certain that this one is over.
        self._open = self._open and self._coup != closed
        self._clear(moment)

    def _clear(self, moment: Moment) -> None:
        self.cards.reset()
        self._hands.reset()
        self.stakes.reset(moment)
