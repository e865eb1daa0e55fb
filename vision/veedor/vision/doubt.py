"""How far what was observed may be trusted where looks were missed.

Everything that is told rests on some seconds of looking: a hand that came, a card that lay still. What was
told across a stretch that nobody looked at may be true, but accuses nobody.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from veedor.rules.events import TableEvent, ViewLost, ViewRestored

LOOK_STEP_S = 0.26  # between two looks while none of 6.25 a second is missed, or of the 4 of a slow camera
# Two looks missed. A card at the sabot's mouth, or open before it is covered, may be there for 1/3 s.
LOST_STEP_S = 0.4
LONG_GAP_S = 1.0  # what happens in less shows in what lies there afterwards, only not when and by whom
SURE_AGAIN_S = 1.0  # looked at steadily for so long: the view is back
BEFORE_S = 2.2  # what came to rest so shortly before a gap was still being watched when it began
AFTER_S = 1.2
BLIND_CONFIDENCE = 0.3  # under what the rule checker accuses anybody for
THIN_CONFIDENCE = 0.8  # one look was missed


FEW_LOOKS_S, FEW_LOOKS = 2.0, 4  # single looks missed so often: a third of them, sustained, is a gap too


class MissedLooks:
    """Tells from the times of the looks how much was missed before each."""

    def __init__(self) -> None:
        self._before: float | None = None
        self._missed: list[float] = []

    def look(self, t_s: float) -> tuple[float, float]:
        """The last look before the gap that this look ends, and the gap's length; (t_s, 0) if there is none.

        A run of single missed looks is a gap from its first.
        """
        before, self._before = self._before, t_s
        if before is None or t_s - before <= LOOK_STEP_S:
            return t_s, 0.0
        self._missed = [*(each for each in self._missed if t_s - each <= FEW_LOOKS_S), before]
        if len(self._missed) >= FEW_LOOKS:
            return self._missed[0], t_s - self._missed[0]
        return before, t_s - before


@dataclass
class Stretch:
    """Media time in which events deserve at most `confidence`; `stop_s` None while it lasts."""

    start_s: float
    stop_s: float | None
    confidence: float

    def holds(self, t_s: float) -> bool:
        return self.start_s <= t_s and (self.stop_s is None or t_s <= self.stop_s)


class Doubt:
    """Remembers the doubtful stretches of one table."""

    def __init__(self) -> None:
        self._missed = MissedLooks()
        self._stretches: list[Stretch] = []
        self._gap_at: float | None = None  # end of the last gap, until the table was seen cleared since

    def look(self, t_s: float, *, cleared: bool) -> None:
        """Take note of a look; `cleared` when no card of a coup lies on the table."""
        before, gap_s = self._missed.look(t_s)
        if gap_s > LONG_GAP_S:
            if self._gap_at is None:
                self._stretches.append(Stretch(before - BEFORE_S, None, BLIND_CONFIDENCE))
            self._gap_at = t_s
        elif gap_s > LOST_STEP_S:
            self._stretches.append(Stretch(before - BEFORE_S, t_s + AFTER_S, BLIND_CONFIDENCE))
        elif gap_s > 0.0:
            self._stretches.append(Stretch(before - AFTER_S, t_s + AFTER_S, THIN_CONFIDENCE))
        elif self._gap_at is not None and cleared and t_s - self._gap_at >= AFTER_S:
            self._gap_at = None
            self._stretches[:] = [
                replace(each, stop_s=t_s) if each.stop_s is None else each for each in self._stretches
            ]

    def blind(self, t_s: float) -> None:
        """Nothing is seen from `t_s` on, whatever looks there were; until the table was seen cleared."""
        if self._gap_at is None:
            self._stretches.append(Stretch(t_s - BEFORE_S, None, BLIND_CONFIDENCE))
        self._gap_at = t_s

    def judged(self, event: TableEvent) -> TableEvent:
        """The event with no more confidence than it deserves; what was heard is not doubted."""
        if event.source != "vision" or isinstance(event, ViewLost | ViewRestored):
            return event
        limit = min((each.confidence for each in self._stretches if each.holds(event.t)), default=1.0)
        return replace(event, confidence=min(event.confidence, limit)) if limit < 1.0 else event

    def forget(self, before_s: float) -> None:
        """Events before that are out."""
        self._stretches = [each for each in self._stretches if each.stop_s is None or each.stop_s >= before_s]
