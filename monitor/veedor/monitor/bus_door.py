"""The sockets of one place of the bus: a stream of messages, pictures apart, and commands."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import zmq
from veedor.monitor.bus_keys import ENTER, READ, Guest, KeyPair, guests, server_keys
from veedor.monitor.bus_messages import MOST_REQUEST_BYTES, BusFault
from veedor.monitor.bus_place import BusPlace, stays_here
from veedor.monitor.language import text
from zmq.auth.thread import ThreadAuthenticator

log = logging.getLogger(__name__)

QUEUED = 256  # messages waiting for one reader: some 20 s of them, a few MB
QUEUED_PICTURES = 2  # an old picture is of no use
LOCAL = "local"
_ZAP_DOMAIN = "veedor"
_LINGER_MS = 300
_MOST_FRAMES = 4


@dataclass(frozen=True)
class Request:
    """A command as it came; `who` is `local` or the name of a key, `route` the way back."""

    route: tuple[bytes, ...]
    payload: bytes
    who: str
    may: str


class Door:
    """The three sockets of a place, bound; with keys, for those in `bus` alone."""

    def __init__(self, context: zmq.Context[Any], place: BusPlace, keys: KeyPair | None, bus: Path) -> None:
        self._keyring = None if keys is None else Keyring(bus)
        self._warden: ThreadAuthenticator | None = None
        self._stream = _socket(context, zmq.PUB, keys, QUEUED)
        self._pictures = _socket(context, zmq.PUB, keys, QUEUED_PICTURES)
        self.commands = _socket(context, zmq.ROUTER, keys, QUEUED)
        if keys is not None:
            self._warden = ThreadAuthenticator(context)
            self._warden.start()
            self._warden.configure_curve_callback(_ZAP_DOMAIN, credentials_provider=self._keyring)
        self.place = replace(
            place,
            stream=_bound(self._stream, place.stream),
            pictures=_bound(self._pictures, place.pictures),
            commands=_bound(self.commands, place.commands),
            server_key=None if keys is None else keys.public,
        )

    @property
    def guarded(self) -> bool:
        """Whether whoever knocks with a key is let in or refused; without keys nobody has to be."""
        return self._warden is None or self._warden.is_alive()

    def say(self, parts: Sequence[bytes], *, picture: bool) -> None:
        """Send without ever waiting: who does not keep up misses it."""
        socket = self._pictures if picture else self._stream
        with contextlib.suppress(zmq.Again):
            socket.send_multipart(parts, zmq.NOBLOCK)

    def receive(self) -> Request | None:
        """The next command; None for what is no request at all."""
        frames = [self.commands.recv(zmq.NOBLOCK, copy=False)]
        while frames[-1].more:
            frame = self.commands.recv(copy=False)
            frames = [*frames, frame] if len(frames) <= _MOST_FRAMES else [*frames[:-1], frame]
        who, may = LOCAL, ENTER
        if self._keyring is not None:
            with contextlib.suppress(zmq.ZMQError):
                guest = self._keyring.known.get(str(frames[-1].get("User-Id")))
                who, may = ("?", READ) if guest is None else (guest.name, guest.may)
        parts = [bytes(frame.buffer) for frame in frames]
        if len(parts) == 3 and not parts[1]:  # from a REQ socket
            return Request((parts[0], b""), parts[2], who, may)
        if len(parts) == 2:
            return Request((parts[0],), parts[1], who, may)
        log.warning("bus: %d frames are no request", len(parts), extra={"who": who})
        return None

    def reply(self, request: Request, parts: Sequence[bytes]) -> None:
        with contextlib.suppress(zmq.ZMQError):  # who asked has gone
            self.commands.send_multipart([*request.route, *parts], zmq.NOBLOCK)

    def close(self) -> None:
        for socket in (self._stream, self._pictures, self.commands):
            socket.close(linger=_LINGER_MS)
        if self._warden is not None:
            self._warden.stop()


class Keyring:
    """Asked for each key that knocks; reads the folder anew, so that a key can be withdrawn while we run.

    `known` is looked up by another thread meanwhile: it is another mapping each time, and never half of one.
    """

    def __init__(self, bus: Path) -> None:
        self._bus = bus
        self.known: Mapping[str, Guest] = dict(guests(bus))

    def callback(self, domain: str, key: bytes) -> bool:
        try:
            known = dict(guests(self._bus))
        except BusFault as fault:
            log.error("%s", fault)
            return False
        except Exception:  # whoever knocks is refused, and the next is asked
            log.exception("bus: the keys cannot be read")
            return False
        self.known = known
        if key.decode() not in known:
            log.warning("bus: a key that is not known was refused")
        return key.decode() in known


def open_doors(context: zmq.Context[Any], bus: Path, places: Iterable[BusPlace]) -> list[Door]:
    """Bind each place; BusFault for one beyond this machine without keys, or that cannot be bound."""
    doors = []
    for place in places:
        keys = None
        if not all(map(stays_here, (place.stream, place.pictures, place.commands))):
            keys = server_keys(bus)
            if keys is None:
                place_of_keys = bus / "keys"
                raise BusFault(
                    text(
                        es=f"bus: a {place.stream} se llega desde otras máquinas y en {place_of_keys} no hay "
                        "claves (las hace veedor bus keys)",
                        en=f"bus: {place.stream} can be reached from other machines and {place_of_keys} "
                        "holds no keys (veedor bus keys makes them)",
                    )
                )
        doors.append(Door(context, place, keys, bus))
    return doors


def _socket(context: zmq.Context[Any], kind: int, keys: KeyPair | None, queued: int) -> Any:
    socket = context.socket(kind)
    socket.linger = _LINGER_MS
    socket.sndhwm = queued
    socket.maxmsgsize = MOST_REQUEST_BYTES  # of what comes in; a peer that sends more is cut off
    if keys is not None:
        socket.curve_server = True
        socket.curve_secretkey, socket.curve_publickey = keys.secret.encode(), keys.public.encode()
        socket.zap_domain = _ZAP_DOMAIN.encode()
    return socket


def _bound(socket: Any, endpoint: str) -> str:
    try:
        socket.bind(endpoint)
    except zmq.ZMQError as fault:
        told = text(es="no se puede usar", en="cannot be used")
        raise BusFault(f"bus: {endpoint}: {told}: {fault.strerror or fault}") from None
    return bytes(socket.getsockopt(zmq.LAST_ENDPOINT)).rstrip(b"\0").decode()
