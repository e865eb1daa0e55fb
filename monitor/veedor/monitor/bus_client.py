"""A reader's end of the bus: messages with their gaps told."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import zmq
from veedor.monitor.bus_commander import Commander, connected
from veedor.monitor.bus_keys import KeyPair
from veedor.monitor.bus_messages import (
    EVENT,
    FINDING,
    HEALTH,
    KINDS,
    PICTURE,
    SNAPSHOT,
    BusFault,
    Header,
    Message,
    topic_of,
    unpack,
)
from veedor.monitor.bus_place import BusPlace, find_place

_RETRY_S = 1.0  # a table that does not answer is asked again
_AGAIN_S = 0.2  # one that does, for a reader who keeps missing things
_KEPT = (EVENT, FINDING)  # kinds of which none may be missing; of the others the next one makes it good


class BusClient:
    """The messages of one table, for one thread.

    First comes a message of kind `snapshot`, what there is so far. One comes again, in place of everything
    before, when the table's process has started anew (`why` of its data: `restarted`) or an event or finding
    was missed (`gap`). `missed` counts what was missed of every kind, `refused` what was no message.
    """

    def __init__(
        self, table: str, place: BusPlace, kinds: Sequence[str] = KINDS, keys: KeyPair | None = None
    ) -> None:
        self.table = table
        self.missed = self.refused = 0
        self._kinds = tuple(kinds)
        self._context = zmq.Context()
        self._last: dict[str, int] = {}
        self._run: str | None = None
        self._why: str | None = "joined"
        self._ask_at = 0.0
        self._poller = zmq.Poller()
        try:
            self._commander = Commander(table, place, keys)
            for endpoint, wanted in (
                (place.stream, [kind for kind in self._kinds if kind != PICTURE]),
                (place.pictures, [kind for kind in self._kinds if kind == PICTURE]),
            ):
                if wanted:
                    socket = connected(self._context, zmq.SUB, endpoint, place, keys)
                    for kind in {*wanted, *([HEALTH] if endpoint == place.stream else [])}:
                        socket.subscribe(topic_of(table, kind))
                    self._poller.register(socket, zmq.POLLIN)
        except BusFault:
            self.close()
            raise

    @staticmethod
    def at(folder: Path, table: str, kinds: Sequence[str] = KINDS) -> BusClient:
        """A client of a table that has left word in the data folder's `bus`."""
        return BusClient(table, find_place(folder, table), kinds)

    def receive(self, timeout_s: float = 1.0) -> Message | None:
        """The next message; None if none came in time."""
        until = time.monotonic() + timeout_s
        while True:
            if self._why is not None and time.monotonic() >= self._ask_at:
                snapshot = self._snapshot()
                if snapshot is not None:
                    return snapshot
            left_s = until - time.monotonic()
            wait_s = max(0.0, min(left_s, 0.1) if self._why else left_s)
            ready = self._poller.poll(int(wait_s * 1000))
            for socket, _ in ready:
                message = self._read(socket)
                if message is not None:
                    return message
            if left_s <= 0:
                return None

    def _read(self, socket: Any) -> Message | None:
        try:
            message = unpack(socket.recv_multipart(zmq.NOBLOCK))
        except (BusFault, zmq.ZMQError):
            self.refused += 1
            return None
        header = message.header
        if self._run != header.run:
            self._why = self._why or "restarted"
            return None  # the snapshot will tell
        if self._why is not None and header.kind in _KEPT:
            return None
        if not self._next(header.kind, header.n):
            return None
        if header.kind == HEALTH:
            self._compare(message.data.get("last"))
            if HEALTH not in self._kinds:
                return None
        return message if self._why is None or header.kind not in _KEPT else None

    def _next(self, kind: str, number: int) -> bool:
        """Whether a message is news; counts what is missing before it."""
        last = self._last.get(kind, 0)
        if number <= last:
            return False
        self._last[kind] = number
        if number > last + 1:
            self.missed += number - last - 1
            if kind in _KEPT:
                self._why = "gap"
        return True

    def _compare(self, told: object) -> None:
        """A health message tells the last numbers: what was sent and never came is known by it."""
        if isinstance(told, dict):
            for kind in _KEPT:
                number = told.get(kind)
                if kind in self._kinds and isinstance(number, int) and number > self._last.get(kind, 0):
                    self.missed += number - self._last.get(kind, 0)
                    self._why = "gap"

    def _snapshot(self) -> Message | None:
        self._ask_at = time.monotonic() + _RETRY_S
        with contextlib.suppress(BusFault):
            told, _ = self._commander.ask(SNAPSHOT, wait_s=_RETRY_S)
            run, last = told.get("run"), told.get("last")
            if isinstance(run, str) and isinstance(last, dict):
                self._last = {kind: number for kind, number in last.items() if isinstance(number, int)}
                data = {**told, "why": self._why}
                self._run, self._why = run, None
                self._ask_at = time.monotonic() + _AGAIN_S
                header = Header(self.table, SNAPSHOT, 0, run, 0.0, time.time())
                return Message(header, b"", data)
        return None

    def close(self) -> None:
        if hasattr(self, "_commander"):
            self._commander.close()
        self._context.destroy(linger=0)

    def __enter__(self) -> BusClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
