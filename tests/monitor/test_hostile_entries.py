"""What comes over the bus that nobody would send: no message ends its thread, refusals are in words."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import zmq
from veedor.monitor.announcements import Announcements
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.bus import BusPublisher, BusSetting, Commander, Handler
from veedor.monitor.bus_messages import BusFault, loads
from veedor.monitor.fold import EntryFault, Fold
from veedor.monitor.metrics import trouble_of
from veedor.monitor.operator_events import OperatorDesk
from veedor.monitor.ops.bus_table import BusBoard
from veedor.rules.coup_numbers import MOST_COUP
from veedor.rules.events import (
    CoupOpened,
    SessionOpened,
    TableEvent,
    ViewLost,
    ViewRestored,
    encode_event,
)
from veedor.rules.journal import Fsync, read_journal
from veedor.rules.profile import load_profile
from veedor.rules.session import Session
from veedor.vision.table_file import load_table

TABLE = load_table(bundled_clip("demo").table)
PROFILE = load_profile(TABLE.profile)
CARTA: dict[str, object] = {"event": "said", "by": "P1", "words": "carta"}
HIDDEN = ["\u200b", "\u202eana", "a\x1b[31m", "a\nb", "\u3164", "\u2800", " "]


class Caller:
    """A table's whole bus, with a desk, and somebody who sends it anything."""

    def __init__(self, folder: Path) -> None:
        self.journal = folder / "journal.jsonl"
        self.fold = Fold(TABLE, PROFILE, Announcements(), self.journal, Fsync.NEVER)
        self.desk = OperatorDesk(self.fold, lambda: 3.0)
        setting = BusSetting(folder / "bus", "m1")
        more: dict[str, Handler] = {
            "odd": lambda asked, who: ({"no": {1, 2}}, b""),
            "half": lambda asked, who: ({"a": "\ud800"}, b""),
        }
        self.board = BusBoard(setting, {**self.desk.handlers(), **more})
        self.bus: BusPublisher = self.board.bus
        self._context = zmq.Context()
        self._socket: Any = self._context.socket(zmq.REQ)
        self._socket.linger = 0
        self._socket.connect(self.bus.places[0].commands)
        self._sent = 0

    def raw(self, payload: bytes) -> dict[str, Any]:
        self._socket.send(payload)
        assert self._socket.poll(5000), "not answered"
        reply = json.loads(self._socket.recv_multipart()[0].decode())
        assert isinstance(reply, dict)
        return reply

    def ask(self, command: str, **more: object) -> dict[str, Any]:
        told = {"schema": 1, "request": "r", "command": command, **more}
        return self.raw(json.dumps(told).encode())

    def enter(self, command: str = "operator_event", **more: object) -> dict[str, Any]:
        clock = self.ask("clock")
        self._sent += 1
        due = {"run": clock["run"], "until": clock["clock"] + 5, "key": f"k{self._sent}"}
        return self.ask(command, **{**due, **more})

    @property
    def lines(self) -> list[TableEvent]:
        return list(read_journal(self.journal).events)

    def close(self) -> None:
        self._socket.close()
        self._context.term()
        self.bus.close()
        self.fold.__exit__(None, None, None)


@pytest.fixture
def caller(tmp_path: Path) -> Iterator[Caller]:
    made = Caller(tmp_path)
    yield made
    made.close()


def refused(reply: Mapping[str, Any]) -> str:
    """The fault, which is told in a line of each language."""
    english, spanish = reply["fault"], reply["fault_es"]
    assert reply["ok"] is False and english != spanish
    for told in (english, spanish):
        assert len(told) < 300 and "\n" not in told
    return str(english)


@pytest.mark.parametrize(
    "payload",
    [
        rb'{"schema":1,"request":"\ud800","command":"clock"}',
        rb'{"schema":1,"request":"r","command":"\uDC00"}',
        rb'{"schema":1,"request":"r","command":"operator_event","event":{"\ud800":"%s"}}' % (b"x" * 501),
        b'{"schema":1,"request":"\xed\xa0\x80","command":"clock"}',
        b'{"schema":true,"request":"r","command":"clock"}',
        b'{"schema":1,"request":"r","command":"odd"}',
        b"", b"{", b"[" * 60_000, b'{"schema":NaN}', b"[]", b'{"schema":1,"request":5}',
        "{}".encode("utf-16"),
        b'{"schema":1,"request":"r","command":"still","number":-1}',
        b'{"schema":1,"request":"r","command":"watching","for_s":NaN}',
    ],
    ids=lambda value: repr(value)[:40],
)  # fmt: skip
def test_no_message_ends_the_thread(caller: Caller, payload: bytes) -> None:
    refused(caller.raw(payload))
    assert caller.ask("clock")["ok"] is True


def test_a_pair_of_surrogates_is_a_character_and_half_of_one_is_none() -> None:
    assert loads(rb'{"a":"\ud83d\ude00"}') == {"a": "\U0001f600"}
    with pytest.raises(BusFault, match="half a surrogate pair"):
        loads(rb'{"a":[{"b":"x\ud83d"}]}')


def test_a_client_sends_no_half_pair_and_can_go_on(caller: Caller) -> None:
    commander = Commander("m1", caller.bus.places[0])
    for more in ({"by": "\ud800"}, {"key": "a\u200b"}, {"key": "k\n"}):
        with pytest.raises(BusFault) as fault:
            commander.ask("operator_event", {"event": CARTA, **more})
        assert fault.value.spanish != str(fault.value)
    assert commander.ask("forget", {"key": "a\u200b"})[0]["forgotten"] is False
    assert commander.ask("operator_event", {"event": CARTA})[0]["id"] == 2
    commander.close()


def test_half_a_pair_of_our_own_goes_out_as_a_question_mark(caller: Caller) -> None:
    assert caller.ask("half")["a"] == "?"


def test_what_fails_outside_all_care_is_logged_and_the_next_is_served(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (door,) = caller.bus._doors
    receive, failed = door.receive, threading.Event()

    def receive_once() -> Any:
        request = receive()
        if not failed.is_set():
            failed.set()
            raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "as nobody foresaw")
        return request

    monkeypatch.setattr(door, "receive", receive_once)
    context: Any = zmq.Context()
    other = context.socket(zmq.DEALER)
    other.linger = 0
    other.connect(caller.bus.places[0].commands)
    other.send(b"{}")
    assert failed.wait(5.0)
    assert caller.ask("clock")["ok"] is True
    assert "was not served" in caplog.text
    other.close()
    context.term()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_dead_thread_of_the_bus_is_a_trouble(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    assert caller.bus.troubles == ()

    def die(door: object) -> None:
        raise SystemExit

    monkeypatch.setattr(caller.bus, "_serve", die)
    caller._socket.send(b"{}")
    until_s = time.monotonic() + 5.0
    while caller.bus._thread.is_alive() and time.monotonic() < until_s:
        time.sleep(0.01)
    (line,) = caller.bus.troubles
    table = {"running": True, "health": {"troubles": {"bus": line}}, "loop_age_s": 0.1, "opening": None}
    assert f"bus: {line}" in trouble_of({**table, "heartbeat_age_s": 0.1, "restarts": 0})


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"until": float("nan")}, "until"), ({"until": float("inf")}, "until"), ({"until": "soon"}, "until"),
        ({"run": 5}, "run"), ({"run": "other"}, "started anew"),
        ({"key": "k\n"}, "key"), ({"key": " "}, "key"), ({"key": "\x1b"}, "key"), ({"key": ""}, "key"),
        ({"ago_s": "1"}, "ago_s"), ({"ago_s": 61}, "ago_s"), ({"ago": 3}, "'ago'"),
        ({"event": "said"}, "event"),
        ({"event": {"event": "card_dealt", "card": "c1", "to": "P1"}}, "not one that is entered"),
        ({"event": {**CARTA, "foo": 1, "bar": 2}}, "'foo'"),
        ({"event": {**CARTA, "source": "vision"}}, "source"),
        ({"event": {**CARTA, "by": 5}}, "by"),
        ({"event": {"event": "players_seen", "pano": "P1", "players": [5]}}, "players"),
        ({"event": {"event": "players_seen", "pano": "P1", "players": ["a"] * 41}}, "players"),
        ({"event": {"event": "shoe_started", "backs": [1]}}, "backs"),
        ({"event": {"event": "shoe_started", "backs": ["\x1b[31m"]}}, "backs"),
        ({"event": {"event": "shoe_started", "backs": [""]}}, "backs"),
        ({"event": {"event": "banco_called", "bettor": "seat1", "seat": 2}}, "seat"),
        ({"event": {"event": "coup_opened", "coup": MOST_COUP + 1}}, "coup"),
        ({"event": {"event": "ruling", "by": "inspector", "text": "x", "effect": "annul:"}}, "effect"),
        ({"event": {"event": "ruling", "by": "inspector", "text": "x", "effect": "\u3164"}}, "effect"),
        ({"event": {"event": "ruling", "by": "inspector", "text": "\u2800"}}, "text"),
        *[({"by": each}, "by") for each in [*HIDDEN, 5, "x" * 501]],
    ],
    ids=lambda value: ascii(value)[:50],
)  # fmt: skip
def test_an_entry_that_is_none_is_refused_in_both_languages(
    caller: Caller, more: dict[str, object], named: str
) -> None:
    assert named in refused(caller.enter(**{"event": CARTA, **more}))
    assert len(caller.lines) == 1


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"corrects": "2"}, "corrects"), ({"corrects": 999}, "event 999"),
        ({"corrects": 10**400}, "event 1000"),
        ({"replacement": 5}, "replacement"),
        ({"replacement": {**CARTA, "t": -5}}, "replacement"), ({"why": "x"}, "'why'"),
        ({"replacement": {"event": "other"}}, "none of that name"),
        *[({"reason": each}, "reason") for each in HIDDEN],
    ],
    ids=lambda value: ascii(value)[:50],
)  # fmt: skip
def test_a_correction_that_is_none_is_refused_in_both_languages(
    caller: Caller, more: dict[str, object], named: str
) -> None:
    number = caller.enter(event=CARTA)["id"]
    asked = {"corrects": number, "replacement": None, "reason": "misheard", **more}
    assert named in refused(caller.enter("correct_event", **asked))
    assert len(caller.lines) == 2


OWN: list[TableEvent] = [
    SessionOpened(TABLE.profile, t=0.0), ViewLost((), "picture frozen", t=1.0), ViewRestored((), "x", t=2.0),
]  # fmt: skip


@pytest.mark.parametrize("own", OWN, ids=lambda event: type(event).__name__)
def test_what_the_record_tells_of_itself_is_nobodys_to_correct(caller: Caller, own: TableEvent) -> None:
    number = caller.enter(event=CARTA)["id"]
    if not isinstance(own, SessionOpened):
        caller.fold._take([own])
    mine = next(event for event in caller.fold.events if type(event) is type(own))
    before = caller.lines
    line = {name: value for name, value in encode_event(own).items() if name not in ("id", "source")}
    for corrects, replacement in ((mine.id, None), (mine.id, CARTA), (number, line)):
        told = refused(caller.enter("correct_event", corrects=corrects, replacement=replacement))
        assert "an event that can be corrected" in told
    assert caller.lines == before


def test_a_transcript_is_held_to_the_same_and_may_have_lines(caller: Caller) -> None:
    assert "text" in refused(caller.enter("transcript", text=""))
    assert "text" in refused(caller.enter("transcript", text="no va\u200b más", speaker="crupier"))
    assert "speaker" in refused(caller.enter("transcript", text="no va más", speaker="\u202e"))
    assert caller.enter("transcript", text="no va\nmás", speaker="crupier")["events"]
    assert "'speakr'" in refused(caller.enter("transcript", text="carta", speakr="paño 1"))


def test_who_writes_plainly_is_taken(caller: Caller) -> None:
    for by in ("ana maría", "Núñez", "ana 🙂", ""):
        assert caller.enter(event=CARTA, by=by)["ok"] is True
    banco = {"event": "banco_called", "bettor": "seat2", "seat": 2}
    assert caller.enter(event=banco)["ok"] is True
    assert caller.enter(event={"event": "shoe_started", "backs": ["red", "blue"]})["ok"] is True
    last = caller.lines[-1].id
    whole = encode_event(caller.lines[1]) | {"source": "voice"}
    assert caller.enter("correct_event", corrects=2, replacement=whole, reason="misheard")["id"] == last + 1


def test_after_the_last_number_coups_begin_anew(caller: Caller) -> None:
    session = Session(PROFILE)
    for event in (CoupOpened(MOST_COUP, t=1.0), CoupOpened(t=2.0)):
        session = session.opened(event, event.coup)
    assert session.number == 1
    observer = caller.fold.observer
    observer.note(CoupOpened(MOST_COUP, t=1.0))
    observer.note(CoupOpened(t=2.0))
    assert observer._coup == 1


def test_the_desk_itself_refuses_in_both_languages(caller: Caller) -> None:
    asks: list[Callable[[], object]] = [
        lambda: caller.desk.enter({**CARTA, "words": "\u200b"}),
        lambda: caller.desk.correct(1, None, by="ana", reason=None),
        lambda: caller.desk.correct(99, None, by="a\nb", reason=None),
    ]
    for ask in asks:
        with pytest.raises(EntryFault) as fault:
            ask()
        assert fault.value.spanish != str(fault.value)
