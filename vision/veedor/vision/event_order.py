"""Events that are settled after the fact, put out in order of time."""

from __future__ import annotations

from dataclasses import replace

from veedor.rules.events import TableEvent


class EventOrder:
    """Holds events back for `latency_s` of media time, then gives them out in order of time.

    What is settled later than that is stamped with the time of the last event given out: a journal is never
    out of order.
    """

    def __init__(self, latency_s: float) -> None:
        self.latency_s = latency_s
        self._waiting: list[tuple[float, int, TableEvent]] = []
        self._count = 0
        self._last = 0.0

    def add(self, event: TableEvent) -> None:
        """Take an event; of the same time, the first taken comes first."""
        self._waiting.append((event.t, self._count, event))
        self._count += 1

    def due(self, now_s: float) -> list[TableEvent]:
        """The events that nothing earlier can precede any more."""
        return self._given([entry for entry in self._waiting if entry[0] <= now_s - self.latency_s + 1e-9])

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
