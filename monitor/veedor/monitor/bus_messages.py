"""What travels on the bus: three frames a message, topic, header, body. docs/bus.md tells of each kind.

Numbered without gaps for each table and kind, so that a reader of some kinds knows what it missed of those.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import cast

from veedor.monitor.errors import MonitorError

SCHEMA = 1
FRAME, EVENT, FINDING, HEALTH, STATE, PICTURE = "frame", "event", "finding", "health", "state", "picture"
KINDS = (FRAME, EVENT, FINDING, HEALTH, STATE, PICTURE)
# Not sent by the monitor: what BusClient gives its reader in place of everything before.
SNAPSHOT = "snapshot"

# Commands: what only reads, what goes into the journal, and what takes an unanswered entry back.
CLOCK, FORGET = "clock", "forget"
READING = frozenset({"snapshot", CLOCK, "watching", "still"})
ENTERING = frozenset({"operator_event", "correct_event", "transcript"})

MOST_BODY_BYTES = 16 << 20
MOST_REQUEST_BYTES = 64 << 10
MOST_HEADER_BYTES = 4096


class BusFault(MonitorError):
    """The bus cannot be used as asked, or what came over it is not a message; one line, `spanish` too."""

    def __init__(self, english: str, spanish: str | None = None) -> None:
        super().__init__(english)
        self.spanish = spanish or english


@dataclass(frozen=True)
class Header:
    """What every message tells of itself.

    `run` is another for each start of a table's process; with it the numbers begin at 1 again. `t` is media
    time, `at` the wall clock in seconds since 1970.
    """

    table: str
    kind: str
    n: int
    run: str
    t: float
    at: float
    schema: int = SCHEMA


@dataclass(frozen=True)
class Message:
    """One message as a reader has it; `data` is empty for a picture, whose JPEG is in `body`."""

    header: Header
    body: bytes
    data: Mapping[str, object]

    @property
    def kind(self) -> str:
        return self.header.kind


def topic_of(table: str, kind: str = "") -> bytes:
    """The topic of a kind, or the prefix of all of a table's."""
    return f"{table}/{kind}".encode()


def dumps(value: object, *, exact: bool = False) -> bytes:
    """As JSON; half a surrogate pair, which is no text, is told as `?`; BusFault if it is to be `exact`."""
    told = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return told.encode(errors="strict" if exact else "replace")
    except UnicodeEncodeError:
        raise BusFault("not text: half a surrogate pair", "no es texto: medio par suplente") from None


def loads(raw: bytes) -> Mapping[str, object]:
    """The JSON object in `raw`; BusFault for anything else, also for half a surrogate pair in it."""
    try:
        value = json.loads(raw.decode())
    except (ValueError, RecursionError):  # nested past any sense
        raise BusFault("not JSON", "no es JSON") from None
    if not isinstance(value, dict):
        raise BusFault("not a JSON object", "no es un objeto JSON")
    if rb"\ud" in raw or rb"\uD" in raw:
        dumps(value, exact=True)
    return value


def pack(header: Header, body: bytes) -> list[bytes]:
    return [topic_of(header.table, header.kind), dumps(asdict(header)), body]


def unpack(parts: Sequence[bytes]) -> Message:
    """The message of three frames; BusFault where they are none."""
    if len(parts) != 3:
        raise BusFault(f"{len(parts)} frames instead of 3")
    topic, raw, body = parts
    if len(raw) > MOST_HEADER_BYTES or len(body) > MOST_BODY_BYTES:
        raise BusFault(f"header of {len(raw)} bytes, body of {len(body)}")
    header = _header(loads(raw))
    if topic != topic_of(header.table, header.kind):
        raise BusFault("header of another topic")
    return Message(header, body, {} if header.kind == PICTURE else loads(body))


def schema_fault(raw: Mapping[str, object]) -> BusFault:
    found = f"schema {raw.get('schema')!r:.20}"
    return BusFault(f"{found}: this version reads {SCHEMA}", f"{found}: esta versión lee {SCHEMA}")


def _header(raw: Mapping[str, object]) -> Header:
    if raw.get("schema") != SCHEMA:
        raise schema_fault(raw)
    kinds = {"table": str, "kind": str, "n": int, "run": str, "t": (int, float), "at": (int, float)}
    for name, kind in kinds.items():
        value = raw.get(name)
        if not isinstance(value, cast(type, kind)) or isinstance(value, bool):
            raise BusFault(f"header: {name}: {value!r:.40}")
    return Header(**{name: raw[name] for name in kinds})  # type: ignore[arg-type]
