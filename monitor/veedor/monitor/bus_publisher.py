"""The monitor's end of the bus: says what happens, answers what is asked, waits for nobody.

A reader that does not keep up loses messages, counted by their numbers; nothing waits for it and no more
than `QUEUED` messages pile up for it.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import zmq
from veedor.monitor.bus_door import Door, Request, open_doors
from veedor.monitor.bus_keys import ENTER
from veedor.monitor.bus_messages import (
    CLOCK,
    ENTERING,
    EVENT,
    FINDING,
    FRAME,
    HEALTH,
    MOST_REQUEST_BYTES,
    PICTURE,
    READING,
    SCHEMA,
    STATE,
    BusFault,
    Header,
    dumps,
    loads,
    pack,
    schema_fault,
)
from veedor.monitor.bus_place import BusPlace, local_place, note_place
from veedor.monitor.errors import MonitorError
from veedor.monitor.fault_words.telling import message_of
from veedor.monitor.language import Language, text
from veedor.monitor.private_folder import private_folder
from veedor.monitor.written_text import shows

log = logging.getLogger(__name__)

_LATEST = (FRAME, HEALTH, STATE)
_MOST_EVENTS, _MOST_FINDINGS = 2000, 500  # of a snapshot; the store has what is older
_LOOK_MS, _AFTER_FAULT_S = 200, 0.05
LONGEST_KEY = 64
LONGEST_AHEAD_S = 60.0  # may an entry wait for being taken
# The answer to a command: JSON, and what goes with it (a JPEG) or b"".
Answer = tuple[Mapping[str, object], bytes]
Handler = Callable[[Mapping[str, object], str], Answer]


@dataclass(frozen=True)
class BusSetting:
    """`folder` is the data folder's `bus`; `network` an address beyond this machine, which needs keys."""

    folder: Path
    table: str
    network: BusPlace | None = None


class BusPublisher:
    """Publishes for one table. Any thread may publish; commands are handled in a thread of their own.

    `handlers` answer commands by name with what is asked and who asks (`local`, or the name of a key); what
    they raise as MonitorError goes back as the reason.
    """

    def __init__(self, setting: BusSetting, handlers: Mapping[str, Handler]) -> None:
        self.table = setting.table
        self.run = secrets.token_hex(6)
        self._handlers: dict[str, Handler] = {"snapshot": self._snapshot, CLOCK: self._tell_clock, **handlers}
        self._lock = threading.Lock()
        self._last: dict[str, int] = {}
        self._latest: dict[str, Mapping[str, object]] = {}
        self._events: list[Mapping[str, object]] = []
        self._findings: dict[object, Mapping[str, object]] = {}
        self._context = zmq.Context()
        self._stop = threading.Event()
        private_folder(setting.folder)
        try:
            self._doors = open_doors(self._context, setting.folder, self._places(setting))
        except BaseException:
            self._context.destroy(linger=0)
            raise
        self.places = tuple(door.place for door in self._doors)
        note_place(setting.folder, self.table, self.places[0], self.run)
        self._thread = threading.Thread(target=self._answer, name=f"bus {self.table}", daemon=True)
        self._thread.start()

    @staticmethod
    def _places(setting: BusSetting) -> list[BusPlace]:
        places = [local_place(setting.folder, setting.table)]
        return places if setting.network is None else [*places, setting.network]

    def publish(self, kind: str, body: Mapping[str, object], t_s: float) -> int:
        """Say `body` to whoever listens; the message's number. Never waits."""
        raw = dumps(body)
        with self._lock:
            number = self._send(kind, raw, t_s)
            self._keep(kind, body)
        return number

    def picture(self, jpeg: bytes, t_s: float) -> int:
        """Send a picture to whoever listens for pictures."""
        with self._lock:
            return self._send(PICTURE, jpeg, t_s)

    def numbers(self) -> dict[str, int]:
        """The last number of each kind; told with each `health`, so that a lost last one is missed too."""
        with self._lock:
            return dict(self._last)

    def _send(self, kind: str, body: bytes, t_s: float) -> int:
        number = self._last[kind] = self._last.get(kind, 0) + 1
        if not self._stop.is_set():
            header = Header(self.table, kind, number, self.run, round(t_s, 6), round(time.time(), 4))
            parts = pack(header, body)
            for door in self._doors:
                door.say(parts, picture=kind == PICTURE)
        return number

    def _keep(self, kind: str, body: Mapping[str, object]) -> None:
        """What a snapshot tells: the latest of some kinds, the running coup's events, standing findings."""
        if kind in _LATEST:
            self._latest[kind] = body
        elif kind == EVENT:
            if body.get("event") == "coup_opened":
                self._events.clear()
            self._events.append(body)
            del self._events[:-_MOST_EVENTS]
        elif kind == FINDING:
            self._findings.pop(body.get("number"), None)
            if body.get("verdict") != "withdrawn":
                self._findings[body.get("number")] = body
                if len(self._findings) > _MOST_FINDINGS:
                    del self._findings[next(iter(self._findings))]

    def _snapshot(self, request: Mapping[str, object], who: str) -> Answer:
        with self._lock:
            return {
                "run": self.run,
                "last": dict(self._last),
                **{kind: self._latest.get(kind) for kind in _LATEST},
                "events": list(self._events),
                "findings": list(self._findings.values()),
            }, b""

    def _tell_clock(self, request: Mapping[str, object], who: str) -> Answer:
        return {}, b""  # every answer tells it

    @property
    def troubles(self) -> tuple[str, ...]:
        """What keeps the bus from answering, in a line each."""
        if self._stop.is_set():
            return ()
        gone = not self._thread.is_alive() or not all(door.guarded for door in self._doors)
        told = text(es="no se contesta: murió un hilo", en="nothing is answered: a thread has died")
        return (told,) if gone else ()

    def _answer(self) -> None:
        poller = zmq.Poller()
        for door in self._doors:
            poller.register(door.commands, zmq.POLLIN)
        while not self._stop.is_set():
            try:
                ready = dict(poller.poll(_LOOK_MS))
                for door in self._doors:
                    if door.commands in ready:
                        self._serve(door)
            except Exception:  # nothing that comes in may silence the table
                log.exception("bus: a message was not served")
                self._stop.wait(_AFTER_FAULT_S)

    def _serve(self, door: Door) -> None:
        try:
            request = door.receive()
        except zmq.ZMQError as fault:
            log.warning("bus: %s", fault)
            return
        if request is None:
            return
        reply: dict[str, object] = {"schema": SCHEMA, "request": None, "ok": False, "run": self.run}
        blob = b""
        try:
            asked = self._asked(request)
            reply["request"] = asked.get("request")
            told, blob = self._done(asked, request)
            reply |= {**told, "ok": True}
        except MonitorError as fault:
            log.warning("bus: refused: %s", fault, extra={"who": request.who})
            reply["fault"] = str(fault)
            reply["fault_es"] = message_of(fault, Language.ES)
        except Exception as fault:  # a bug in one command must not silence the table
            log.exception("bus: a command failed")
            reply |= _failed(fault)
        reply["clock"] = round(time.monotonic(), 4)
        try:
            raw = dumps(reply)
        except Exception as fault:  # what was answered is no JSON
            log.exception("bus: an answer could not be written")
            told = {name: reply[name] for name in ("schema", "request", "run", "clock")}
            raw, blob = dumps({**told, "ok": False, **_failed(fault)}), b""
        door.reply(request, [raw, blob])

    @staticmethod
    def _asked(request: Request) -> Mapping[str, object]:
        if len(request.payload) > MOST_REQUEST_BYTES:
            size = len(request.payload)
            raise BusFault(
                f"a request of {size} bytes: {MOST_REQUEST_BYTES} at most",
                f"petición de {size} bytes: {MOST_REQUEST_BYTES} como mucho",
            )
        asked = loads(request.payload)
        number = asked.get("request")
        if number is not None and not (isinstance(number, str) and len(number) <= 64):
            raise BusFault(
                "request: text of 64 characters at most", "request: texto de 64 caracteres como mucho"
            )
        if type(asked.get("schema")) is not int or asked["schema"] != SCHEMA:
            raise schema_fault(asked)
        return asked

    def _done(self, asked: Mapping[str, object], request: Request) -> Answer:
        name = asked.get("command")
        handler = self._handlers.get(name) if isinstance(name, str) else None
        if handler is None:
            told = f"command {name!r:.40}"
            raise BusFault(f"{told}: there is none of that name", f"{told}: no hay ninguno de ese nombre")
        if request.may != ENTER and name not in READING:
            raise BusFault(f"{request.who}: may read, not {name}", f"{request.who}: puede leer, no {name}")
        if name in ENTERING:
            self._in_time(asked)
        return handler(asked, request.who)

    def _in_time(self, asked: Mapping[str, object]) -> None:
        """BusFault for an entry that waited somewhere until nobody reckons with it any more."""
        run, until, key = asked.get("run"), asked.get("until"), asked.get("key")
        if not isinstance(run, str) or isinstance(until, bool) or not isinstance(until, (int, float)):
            raise BusFault(
                "run, until: expected those of an answer to clock, some seconds later",
                "run, until: se esperaban los de una respuesta a clock, unos segundos después",
            )
        if not isinstance(key, str) or len(key) > LONGEST_KEY or not (key.isascii() and shows(key)):
            raise BusFault(
                f"key: expected 1 to {LONGEST_KEY} plain characters, others for each entry",
                f"key: se esperaban de 1 a {LONGEST_KEY} caracteres sencillos, otros para cada anotación",
            )
        if run != self.run:
            raise BusFault(
                "the table's process has started anew since: not recorded",
                "el proceso de la mesa se reinició: no quedó anotado",
            )
        if not until <= time.monotonic() + LONGEST_AHEAD_S:  # nor is NaN
            raise BusFault(
                f"until: {LONGEST_AHEAD_S:g} s ahead at most", f"until: {LONGEST_AHEAD_S:g} s como mucho"
            )

    def close(self) -> None:
        """Say no more. What was said last is given a moment to go out."""
        if self._stop.is_set():
            return
        self._stop.set()
        self._thread.join()
        with self._lock:
            for door in self._doors:
                door.close()
        self._context.term()


def _failed(fault: Exception) -> dict[str, object]:
    kind = type(fault).__name__
    return {"fault": f"failed: {kind}", "fault_es": f"falló: {kind}"}
