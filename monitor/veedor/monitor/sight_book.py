"""Which parts of the table cannot be seen at present, from the journal's view events."""

from __future__ import annotations

from dataclasses import dataclass

from veedor.rules.events import TableEvent, ViewLost, ViewRestored

WHOLE_TABLE = ""
RESTART = "restart"  # the reason of a loss while no process watched


@dataclass(frozen=True)
class Unseen:
    """A zone that cannot be seen since `since_s`; `zone` empty for the whole table."""

    zone: str
    since_s: float
    reason: str


class SightBook:
    """Fed with the journal in order; knows what is out of sight."""

    def __init__(self) -> None:
        self._unseen: dict[tuple[str, str], Unseen] = {}

    def feed(self, event: TableEvent) -> None:
        if not isinstance(event, ViewLost | ViewRestored):
            return
        reason = event.reason or ""
        for zone in event.zones or (WHOLE_TABLE,):
            if isinstance(event, ViewRestored):
                self._unseen.pop((zone, reason), None)
                continue
            if reason == RESTART:  # who told the losses before is gone, and tells no return
                self._unseen.clear()
            since_s = min((each.since_s for each in self.unseen if each.zone == zone), default=event.t)
            self._unseen.setdefault((zone, reason), Unseen(zone, since_s, reason))

    @property
    def unseen(self) -> tuple[Unseen, ...]:
        """The whole table first, then zones by name; each once, with the reason it has had longest."""
        first: dict[str, Unseen] = {}
        for (zone, _), each in self._unseen.items():
            first.setdefault(zone, each)
        return tuple(first[zone] for zone in sorted(first))
