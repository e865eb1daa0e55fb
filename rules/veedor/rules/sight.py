"""When the whole table was out of sight, so that nobody is accused of what may have happened meanwhile."""

from __future__ import annotations

from veedor.rules.coup import TABLE
from veedor.rules.event_types import ViewLost, ViewRestored
from veedor.rules.verdict import Judgement

SHORT_S = 2.0  # a loss is journalled until a second after the first look at the table again
BEFORE_S = 1.0  # what happened so shortly before was not watched to its end


class Sight:
    """The losses of the view of the whole table, by time. A loss of single zones is the rules' own affair."""

    def __init__(self) -> None:
        self._lost: dict[str | None, float] = {}
        self._spans: list[tuple[float, float]] = []

    def note(self, event: ViewLost | ViewRestored) -> None:
        """Take in a loss or its end; losses for different reasons may overlap."""
        if event.zones and TABLE not in event.zones:
            return
        if isinstance(event, ViewLost):
            self._lost.setdefault(event.reason, event.t)
        elif event.reason in self._lost:
            self._spans.append((self._lost.pop(event.reason), event.t))

    def was_lost(self, judgement: Judgement) -> bool:
        """Whether what the judgement rests on may have been missed.

        Long losses count from the first of the evidence to the judgement; short ones hide no stake and no
        card for good, only when things happened, so they count where they touch a piece of evidence.
        """
        times = [judgement.t, *(event.t for event in judgement.evidence)]
        first, last = min(times), max(times)
        if any(since <= last for since in self._lost.values()):
            return True
        for start, stop in self._spans:
            if stop - start > SHORT_S:
                if start <= last and first <= stop:
                    return True
            elif any(start - BEFORE_S <= t <= stop for t in times):
                return True
        return False

    def forget(self, before_t: float) -> None:
        """Nothing that is judged from now on reaches back so far."""
        self._spans = [span for span in self._spans if span[1] >= before_t]
