"""A board filled from the bus: what pages read of a table that another process watches."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from veedor.monitor.bus_client import BusClient
from veedor.monitor.bus_codec import state_from_json
from veedor.monitor.bus_commander import CommandClient
from veedor.monitor.bus_messages import HEALTH, PICTURE, SNAPSHOT, STATE, BusFault, Message
from veedor.monitor.live_state import MOST_STILLS, Board

log = logging.getLogger(__name__)

SILENT_S = 3.0  # a health message comes every second
_LEASE_S = 5.0
_RETRY_S = 1.0


class BoardBridge:
    """Keeps `board` at what the table says of itself, in a thread; waits for a table that is not there yet.

    Threads that read `board`, `health` and `alive` wait for nobody.
    """

    def __init__(self, folder: Path, table: str) -> None:
        self.table = table
        self.board = Board(most_stills=MOST_STILLS)
        self._folder = folder
        self._health: Mapping[str, object] = {}
        self._heard_at = float("-inf")
        self._leased_at = float("-inf")
        self._commands = CommandClient(folder)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"board {table}", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the table's process has been heard lately."""
        return time.monotonic() - self._heard_at < SILENT_S

    @property
    def health(self) -> Mapping[str, object]:
        """What the table last said of its health; empty before it did."""
        return self._health

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self._commands.close()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with BusClient.at(self._folder, self.table, (STATE, HEALTH, PICTURE)) as client:
                    self._follow(client)
            except BusFault as fault:
                log.debug("%s", fault)
            self._stop.wait(_RETRY_S)

    def _follow(self, client: BusClient) -> None:
        """Until the table has been silent for so long that it may be found somewhere else."""
        heard_at = time.monotonic()
        while not self._stop.is_set() and time.monotonic() - heard_at < 2 * SILENT_S:
            message = client.receive(0.25)
            self._lease()
            if message is not None:
                heard_at = self._heard_at = time.monotonic()
                with contextlib.suppress(BusFault):
                    self._take(message)

    def _take(self, message: Message) -> None:
        if message.kind == PICTURE:
            self.board.publish_picture(message.body)
        elif message.kind == HEALTH:
            self._note(message.data)
        elif message.kind == STATE:
            self._show(message.data)
        elif message.kind == SNAPSHOT:
            health, state = message.data.get(HEALTH), message.data.get(STATE)
            if isinstance(health, dict):
                self._note(health)
            if isinstance(state, dict):
                self._show(state)

    def _note(self, health: Mapping[str, object]) -> None:
        if self._health and health.get("session") != self._health.get("session"):
            self.board.forget_stills()  # findings are numbered anew
        self._health = health

    def _show(self, told: Mapping[str, object]) -> None:
        state = state_from_json(told)
        for finding in state.findings[-MOST_STILLS:]:  # of those before the record has them
            if finding.still is not None and not self.board.had_still(finding.number):
                with contextlib.suppress(BusFault):
                    self.board.publish_still(finding.number, self._commands.still(self.table, finding.number))
        if state.finished:
            self.board.publish(replace(state, finished=False))
            self.board.finish()
        else:
            self.board.publish(state)

    def _lease(self) -> None:
        """While somebody looks at the picture here, the table is told so."""
        now = time.monotonic()
        if self.board.viewers and now - self._leased_at > _LEASE_S / 2:
            self._leased_at = now
            with contextlib.suppress(BusFault):
                self._commands.watching(self.table, _LEASE_S)
