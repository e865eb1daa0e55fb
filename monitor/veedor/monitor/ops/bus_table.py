"""A table's process on the bus: what its loop publishes, and the commands that concern its pictures."""

from __future__ import annotations

import time
from collections.abc import Mapping

from veedor.monitor.bus import (
    EVENT,
    FINDING,
    STATE,
    Answer,
    BusFault,
    BusPublisher,
    BusSetting,
    Handler,
    state_to_json,
)
from veedor.monitor.live_state import MOST_STILLS, Board, LiveState
from veedor.monitor.store.session_record import finding_line
from veedor.monitor.utc import utc_now
from veedor.rules.events import TableEvent, encode_event
from veedor.rules.finding import Finding

LONGEST_LEASE_S = 60.0


class BusBoard(Board):
    """A board whose state and pictures go over the bus. `viewers` are those who have said that they look."""

    def __init__(self, setting: BusSetting, handlers: Mapping[str, Handler]) -> None:
        super().__init__(most_stills=MOST_STILLS)
        self._until = 0.0
        self._t_s = 0.0
        mine: dict[str, Handler] = {"watching": self._watching, "still": self._still}
        self.bus = BusPublisher(setting, {**handlers, **mine})

    def publish(self, state: LiveState) -> None:
        super().publish(state)
        self._t_s = state.t_s
        self.viewers = int(time.monotonic() < self._until)
        self.bus.publish(STATE, state_to_json(state), state.t_s)

    def publish_picture(self, jpeg: bytes) -> None:
        super().publish_picture(jpeg)
        self.bus.picture(jpeg, self._t_s)

    def finish(self) -> None:
        super().finish()
        _, state = self.latest()
        self.bus.publish(STATE, state_to_json(state), state.t_s)

    def tell_event(self, event: TableEvent) -> None:
        self.bus.publish(EVENT, encode_event(event), event.t)

    def tell_finding(self, number: int, finding: Finding) -> None:
        self.bus.publish(FINDING, finding_line(number, finding, utc_now()), finding.t)

    def _watching(self, asked: Mapping[str, object], who: str) -> Answer:
        for_s = asked.get("for_s", 5.0)
        if isinstance(for_s, bool) or not isinstance(for_s, (int, float)) or not 0 < for_s <= LONGEST_LEASE_S:
            raise BusFault(
                f"for_s: seconds, {LONGEST_LEASE_S:g} at most",
                f"for_s: segundos, {LONGEST_LEASE_S:g} como mucho",
            )
        self._until = max(self._until, time.monotonic() + for_s)
        return {}, b""

    def _still(self, asked: Mapping[str, object], who: str) -> Answer:
        number = asked.get("number")
        still = self.still(number) if type(number) is int else None
        if still is None:
            raise BusFault("no still of that number", "no hay imagen de ese número")
        return {}, still
