"""Events that are settled after the fact, put out in order of time."""

from __future__ import annotations

from dataclasses import replace

from veedor.rules.events import BetCollected, BetPaid, TableEvent

ONE_SETTLEMENT_S = 3.0


class EventOrder:
    """Holds events back until nothing earlier can come any more, then gives them out in order of time.

    No event waits longer than `latency_s` of media time. What is settled later than that is stamped with the
    time of the last event given out: a journal is never out of order.
    """

    def __init__(self, latency_s: float) -> None:
        self.latency_s = latency_s
        self._waiting: list[tuple[float, int, TableEvent]] = []
        self._count = 0
        self._last = 0.0

    def add(self, event: TableEvent) -> None:
        """Take an event; of the same time, the first taken comes first.

        A stake is settled in one go: parts of it that were seen one after another become one event.
        """
        for place, (t_s, number, other) in enumerate(self._waiting):
            if _one_settlement(other, event):
                self._waiting[place] = (t_s, number, _joined(other, event))
                return
        self._waiting.append((event.t, self._count, event))
        self._count += 1

    def due(self, now_s: float, undecided_s: float) -> list[TableEvent]:
        """The events that nothing can precede any more: what may still be told is of `undecided_s` or later.

        A payment or a taking waits for other parts of the same settlement, and everything after it with it.
        """
        late = now_s - self.latency_s + 1e-9
        entries = []
        for entry in sorted(self._waiting, key=lambda entry: entry[:2]):
            whole_s = ONE_SETTLEMENT_S if isinstance(entry[2], BetPaid | BetCollected) else 0.0
            if entry[0] > late and entry[0] + whole_s > undecided_s + 1e-9:
                break
            entries.append(entry)
        return self._given(entries)

    @property
    def told_s(self) -> float:
        """The time of the last event given out."""
        return self._last

    def go_on_from(self, t_s: float) -> None:
        """What was given out before was of `t_s` and earlier."""
        self._last = max(self._last, t_s)

    def waiting(self) -> list[TableEvent]:
        """What has not been given out yet."""
        return [event for _, _, event in self._waiting]

    def take_back(self, number: int) -> None:
        """The event of that id is not to be given out."""
        self._waiting = [entry for entry in self._waiting if entry[2].id != number]

    def rest(self) -> list[TableEvent]:
        """Everything that still waits."""
        return self._given(list(self._waiting))

    def _given(self, entries: list[tuple[float, int, TableEvent]]) -> list[TableEvent]:
        entries.sort(key=lambda entry: entry[:2])
        given = []
        for entry in entries:
            self._waiting.remove(entry)
            event = entry[2]
            if event.t < self._last:
                event = replace(event, t=self._last)
            self._last = event.t
            given.append(event)
        return given


def _one_settlement(one: TableEvent, other: TableEvent) -> bool:
    return (
        isinstance(one, BetPaid | BetCollected)
        and not (one.id or other.id)  # what has a line of the journal stands as it is
        and type(one) is type(other)
        and one.bet == getattr(other, "bet", None)
        and abs(one.t - other.t) <= ONE_SETTLEMENT_S
    )


def _joined(one: TableEvent, other: TableEvent) -> TableEvent:
    assert isinstance(one, BetPaid | BetCollected) and isinstance(other, BetPaid | BetCollected)
    amount = None if one.amount is None or other.amount is None else one.amount + other.amount
    return replace(one, amount=amount, confidence=min(one.confidence, other.confidence))
