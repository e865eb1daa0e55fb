"""Commands to a table's process. An entry that was not answered is not in the journal: not later, not twice.

An entry carries until when it may be taken, in the table's own clock and for this one start of its process,
and a key of its own. One that is answered too late is taken back.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zmq
from veedor.monitor.bus_keys import KeyPair
from veedor.monitor.bus_messages import (
    CLOCK,
    ENTERING,
    FORGET,
    MOST_BODY_BYTES,
    SCHEMA,
    BusFault,
    dumps,
    loads,
)
from veedor.monitor.bus_place import BusPlace, find_place, stays_here

ANSWER_S = 2.0
_ON_THE_WAY_S = 0.5  # of the waiting is for the answer's way back: nothing is taken then any more
_CLOCK_HOLDS_S = 60.0

Reply = tuple[Mapping[str, object], bytes]


def connected(
    context: zmq.Context[Any], kind: int, endpoint: str, place: BusPlace, keys: KeyPair | None
) -> Any:
    """A socket to an endpoint of a place; BusFault where keys are needed and missing."""
    socket = context.socket(kind)
    socket.linger = 0
    socket.maxmsgsize = MOST_BODY_BYTES
    if kind == zmq.DEALER:
        socket.immediate = True  # nothing queues up for a process that is not there
    if place.server_key is not None or not stays_here(endpoint):
        if keys is None:
            socket.close()
            raise BusFault(f"bus: {endpoint}: needs keys; make them with veedor bus keys")
        server = keys.server or place.server_key
        if server is None:
            socket.close()
            raise BusFault(f"bus: {endpoint}: the keys do not name the server's")
        socket.curve_serverkey = server.encode()
        socket.curve_secretkey, socket.curve_publickey = keys.secret.encode(), keys.public.encode()
    socket.connect(endpoint)
    return socket


class NoAnswer(BusFault):
    """Nothing came back in time."""


class Refused(BusFault):
    """The table has said no, and why."""


@dataclass(frozen=True)
class _TableClock:
    """The clock of one start of a table's process: at `heard` of ours it showed `shown`, or more by now."""

    run: str
    shown: float
    heard: float

    def at(self, ours: float) -> float:
        return self.shown + (ours - self.heard)


class Commander:
    """Asks one table. Safe to use from several threads, one question after another."""

    def __init__(self, table: str, place: BusPlace, keys: KeyPair | None = None) -> None:
        self.table = table
        self._context = zmq.Context()
        self._lock = threading.Lock()
        self._clock: _TableClock | None = None
        self._owed: list[str] = []  # keys of entries that nobody answered for
        try:
            self._socket = connected(self._context, zmq.DEALER, place.commands, place, keys)
        except BusFault:
            self._context.destroy(linger=0)
            raise

    def ask(
        self, command: str, asked: Mapping[str, object] | None = None, *, wait_s: float = ANSWER_S
    ) -> Reply:
        """The answer and what goes with it; BusFault with the reason where it is refused or none comes.

        An entry that is refused or not answered is not in the journal and never will be; one that is sent
        again with the same `key` is in it once.
        """
        until = time.monotonic() + wait_s
        if not self._lock.acquire(timeout=wait_s):
            raise NoAnswer(f"{self.table}: {command}: not asked, others have waited for {wait_s:g} s")
        try:
            if command in ENTERING:
                return self._enter(command, asked or {}, until)
            return self._answer(command, asked or {}, until)
        except NoAnswer:
            english, spanish = f"no answer in {wait_s:g} s", f"sin respuesta en {wait_s:g} s"
            raise NoAnswer(f"{self.table}: {command}: {english}", f"{self.table}: {spanish}") from None
        finally:
            self._lock.release()

    def _enter(self, command: str, asked: Mapping[str, object], until: float) -> Reply:
        key = asked.get("key") or secrets.token_hex(8)
        while self._owed:
            self._answer(FORGET, {"key": self._owed[0]}, until)
            del self._owed[0]
        for last in (False, True):
            clock = self._table_clock(until)
            on_the_way = min(_ON_THE_WAY_S, (until - time.monotonic()) / 4)
            told = {**asked, "key": key, "run": clock.run, "until": round(clock.at(until - on_the_way), 4)}
            try:
                return self._answer(command, told, until)
            except NoAnswer:
                # It may be on its way: what was taken of it is taken back, if not now then before the next.
                self._owed.append(str(key))
                with contextlib.suppress(zmq.Again):
                    self._send(FORGET, {"key": key})
                raise
            except Refused:
                if last or self._clock is None or self._clock.run == clock.run:
                    raise  # else the table's process has started anew since
        raise AssertionError

    def _table_clock(self, until: float) -> _TableClock:
        if self._clock is None or time.monotonic() - self._clock.heard > _CLOCK_HOLDS_S:
            self._clock = None
            self._answer(CLOCK, {}, until)
        if self._clock is None:
            raise BusFault(f"{self.table}: tells no clock: a program of another version")
        return self._clock

    def _send(self, command: str, asked: Mapping[str, object]) -> str:
        number = secrets.token_hex(6)
        told = {"schema": SCHEMA, "request": number, "command": command, **asked}
        self._socket.send(dumps(told, exact=True), zmq.NOBLOCK)
        return number

    def _answer(self, command: str, asked: Mapping[str, object], until: float) -> Reply:
        left_s = until - time.monotonic()
        if left_s <= 0 or not self._socket.poll(left_s * 1000, zmq.POLLOUT):
            raise NoAnswer(command)
        number = self._send(command, asked)
        while (left_s := until - time.monotonic()) > 0:
            if not self._socket.poll(left_s * 1000):
                continue
            parts = self._socket.recv_multipart()
            if len(parts) != 2:
                continue
            reply = loads(parts[0])
            if reply.get("request") not in (number, None):
                continue  # the answer to a question that was given up
            self._hear_clock(reply)
            if reply.get("ok") is not True:
                english, spanish = reply.get("fault"), reply.get("fault_es") or reply.get("fault")
                raise Refused(f"{self.table}: {command}: {english}", f"{self.table}: {spanish}")
            return reply, parts[1]
        raise NoAnswer(command)

    def _hear_clock(self, reply: Mapping[str, object]) -> None:
        run, shown = reply.get("run"), reply.get("clock")
        if isinstance(run, str) and isinstance(shown, (int, float)):
            self._clock = _TableClock(run, float(shown), time.monotonic())

    def owes(self, keys: Sequence[str]) -> None:
        """Entries of an earlier connection that nobody answered for: taken back before the next one."""
        self._owed += keys

    def close(self) -> Sequence[str]:
        """Ask no more; the keys of entries that nobody has answered for yet."""
        with self._lock:
            self._socket.close(linger=0)
            self._context.term()
            return tuple(self._owed)


class CommandClient:
    """Commands for the tables that have left word in the folder. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._open: dict[str, tuple[BusPlace, Commander]] = {}

    def send_operator_event(
        self, table: str, event: Mapping[str, object],
        *, by: str | None = None, ago_s: float = 0.0, key: str | None = None,
    ) -> Mapping[str, object]:  # fmt: skip
        """Enter an event (`event` and its payload, no `t`) that happened `ago_s` before now.

        The answer has the journal's `id` and `t` of it. BusFault with the reason where it is refused; then it
        is not in the journal. Sent again with the same `key` it is in it once, with the same answer.
        """
        told = {"event": dict(event), "by": by, "ago_s": ago_s, "key": key}
        return self.ask(table, "operator_event", told)[0]

    def correct_event(
        self, table: str, corrects: int, replacement: Mapping[str, object] | None,
        *, by: str | None = None, reason: str | None = None, key: str | None = None,
    ) -> Mapping[str, object]:  # fmt: skip
        """Put `replacement` in the place of event `corrects`, or nothing; recorded, the old line stays."""
        told = {"corrects": corrects, "replacement": replacement, "by": by, "reason": reason, "key": key}
        return self.ask(table, "correct_event", told)[0]

    def watching(self, table: str, for_s: float = 5.0) -> None:
        """Somebody looks at the picture for the next `for_s`."""
        self.ask(table, "watching", {"for_s": for_s})

    def still(self, table: str, number: int) -> bytes:
        """The JPEG of a finding's still; BusFault where there is none."""
        return self.ask(table, "still", {"number": number})[1]

    def ask(
        self, table: str, command: str, asked: Mapping[str, object] | None = None, *, wait_s: float = ANSWER_S
    ) -> Reply:
        """Any command of any table."""
        place = find_place(self._folder, table)
        with self._lock:
            known = self._open.get(table)
            if known is None or known[0] != place:
                commander = Commander(table, place)
                if known is not None:
                    commander.owes(known[1].close())
                known = self._open[table] = (place, commander)
        return known[1].ask(command, asked, wait_s=wait_s)

    def close(self) -> None:
        with self._lock:
            for _, commander in self._open.values():
                commander.close()
            self._open.clear()
