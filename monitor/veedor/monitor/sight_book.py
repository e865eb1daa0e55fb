"""Which parts of the table cannot be seen at present, from the journal's view events."""

from __future__ import annotations

from dataclasses import dataclass

from veedor.rules.events import TableEvent, ViewLost, ViewRestored

WHOLE_TABLE = ""


@dataclass(frozen=True)
class Unseen:
    """A zone that cannot be seen since `since_s`; `zone` empty for the whole table."""

    zone: str
    since_s: float
    reason: str


class SightBook:
    """Fed with the journal in order; knows what is out of sight."""

    def __init__(self) -> None:
        self._unseen: dict[str, Unseen] = {}

    def feed(self, event: TableEvent) -> None:
        if isinstance(event, ViewLost):
            for zone in event.zones or (WHOLE_TABLE,):
                self._unseen.setdefault(zone, Unseen(zone, event.t, event.reason or ""))
        elif isinstance(event, ViewRestored):
            for zone in event.zones or (WHOLE_TABLE,):
                self._unseen.pop(zone, None)

    @property
    def unseen(self) -> tuple[Unseen, ...]:
        """The whole table first, then zones by name."""
        return tuple(self._unseen[zone] for zone in sorted(self._unseen))
