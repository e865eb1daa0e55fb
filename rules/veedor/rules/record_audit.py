"""What is odd about a record as a record: coups left open, events outside a coup, places nobody knows."""

from __future__ import annotations

from veedor.rules.coup_parts import DEAD, OFF_TABLE, SHOE
from veedor.rules.event_types import (
    BetPlaced,
    CardDealt,
    CardMoved,
    CardTurned,
    CoupClosed,
    CoupOpened,
    HandTaken,
    TableEvent,
)
from veedor.rules.journal import JournalFault
from veedor.rules.profile import RuleProfile
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.stakes import DOS_PANOS_ZONES, PUNTO_ZONES

_CARD_EVENTS = (CardDealt, CardMoved, CardTurned)


class RecordAudit:
    """Looks at events as they pass; each oddity is reported once, with its line."""

    def __init__(self, profile: RuleProfile) -> None:
        self.faults: list[JournalFault] = []
        self._hands = set(profile.hands)
        self._zones = set(DOS_PANOS_ZONES if profile.family == DOS_PANOS else PUNTO_ZONES)
        self._open: tuple[int, str] | None = None
        self._told: set[str] = set()

    def feed(self, line: int, event: TableEvent) -> None:
        """Looks at one event, of the line counted from 1."""
        if isinstance(event, CoupOpened):
            self._close_unclosed(line)
            self._open = (line, str(event.coup) if event.coup is not None else f"at line {line}")
            self._told.clear()
        elif isinstance(event, CoupClosed):
            if self._open is None:
                self._tell(line, "closed", "coup_closed without an open coup")
            self._open = None
        elif isinstance(event, _CARD_EVENTS):
            self._card(line, event)
        elif isinstance(event, BetPlaced) and event.zone not in self._zones:
            self._tell(line, f"zone {event.zone}", f"zone {event.zone}: not one of this game, not judged")
        elif isinstance(event, HandTaken) and event.hand not in self._hands:
            self._tell(line, f"hand {event.hand}", f"hand {event.hand}: not one of this game, not judged")

    def _card(self, line: int, event: CardDealt | CardMoved | CardTurned) -> None:
        if self._open is None:
            self._tell(line, "outside", f"card {event.card}: outside any coup")
        if isinstance(event, CardTurned):
            if "?" in event.shows:
                self._tell(line, f"unread {event.card}", f"card {event.card}: not read ({event.shows})")
            return
        places = self._hands if isinstance(event, CardDealt) else self._hands | {DEAD, SHOE, OFF_TABLE}
        if event.to not in places:
            self._tell(line, f"to {event.to}", f"to {event.to}: not a hand of this game, not judged")

    def finish(self) -> None:
        """Looks at the end of the record."""
        self._close_unclosed(None)

    def _close_unclosed(self, line: int | None) -> None:
        if self._open is not None:
            opened, name = self._open
            until = "the record ends" if line is None else f"another opens at line {line}"
            self.faults.append(JournalFault(opened, f"coup {name}: never closed, {until}"))

    def _tell(self, line: int, key: str, text: str) -> None:
        if key not in self._told:
            self._told.add(key)
            self.faults.append(JournalFault(line, text))
