"""A stage: performs the acts of a script, and so makes the journal and, on a felt, the timeline.

`Stage` knows only time; `FeltStage` (veedor.datasets.play.choreography) also moves things.
"""

from __future__ import annotations

from collections.abc import Iterable

from veedor.datasets.play import acts
from veedor.datasets.play.acts import Act
from veedor.rules.events import TableEvent

SOURCE = "simulator"


class Stage:
    """Performs acts one after another with nominal durations and no felt: any profile's journal, fast."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self._events: list[tuple[float, int, TableEvent]] = []
        self._stamped: dict[int, TableEvent] = {}
        self._templates: list[TableEvent] = []  # keeps the templates alive, their ids are keys

    def perform(self, script: Iterable[Act]) -> None:
        for act in script:
            self.act(act)

    def act(self, act: Act) -> None:
        """Performs one act."""
        match act:
            case acts.Speak(event, pause_s):
                self.emit(event, self.now_s)
                self.now_s += pause_s
            case acts.Rest(seconds):
                self.now_s += seconds
            case acts.Turn():
                for event in act.events:
                    self.emit(event, self.now_s)
                    self.now_s += 0.1
                self.now_s += 0.4
            case acts.PutBack():
                self.now_s += 0.4
                if act.event is not None:
                    self.emit(act.event, self.now_s)
            case acts.DrawStuck(first, second, event):
                for drawn in (first.event, second.event, event):
                    self.now_s += 0.2
                    self.emit(drawn, self.now_s)
            case acts.Recover():
                for event in act.events:
                    self.now_s += 0.6
                    self.emit(event, self.now_s)
            case acts.TakeBack():
                self.now_s += 2.0
            case _:
                self.now_s += 0.6
                self.emit(act.event, self.now_s)

    def emit(self, event: TableEvent, t_s: float) -> TableEvent:
        """Journals a template's event at a time."""
        stamped = _changed(event, t=round(t_s, 3), source=SOURCE)
        self._events.append((stamped.t, len(self._events), stamped))
        self._stamped[id(event)] = stamped
        self._templates.append(event)
        return stamped

    def time_of(self, template: TableEvent) -> float:
        """When the event made from a template happened."""
        return self._stamped[id(template)].t

    def journal(self) -> tuple[TableEvent, ...]:
        """The events in order of time, ids from 1."""
        ordered = sorted(self._events, key=lambda entry: entry[:2])
        return tuple(_changed(event, id=number) for number, (_, _, event) in enumerate(ordered, 1))


def _changed(event: TableEvent, **changes: object) -> TableEvent:
    """dataclasses.replace at a fraction of its cost: a night has half a million events."""
    copy = object.__new__(type(event))
    copy.__dict__.update(event.__dict__, **changes)
    return copy
