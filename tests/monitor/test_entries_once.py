"""An entry that was refused or not answered is not in the journal; one that comes twice is in it once."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zmq
from veedor.monitor.announcements import Announcements
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.bus import BusFault, BusPublisher, BusSetting, CommandClient, NoAnswer, Refused
from veedor.monitor.fold import EntryFault, Fold
from veedor.monitor.operator_events import OperatorDesk
from veedor.rules.events import BettingOpened, CoupOpened, EventCorrected, Said
from veedor.rules.journal import Fsync, JournalWriter, read_journal
from veedor.rules.profile import load_profile
from veedor.rules.settled import corrections_of, settled
from veedor.vision.table_file import load_table
from waiting import until

TABLE = load_table(bundled_clip("demo").table)
PROFILE = load_profile(TABLE.profile)
CARTA = {"event": "said", "by": "P1", "words": "carta"}
NO = {**CARTA, "words": "no"}


class Running:
    """A table's end of the bus that can be held up, ended and started anew."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.journal = folder, folder / "journal.jsonl"
        self.fold: Fold | None = None
        self.begin()

    def begin(self) -> None:
        events = read_journal(self.journal).events if self.journal.exists() else ()
        writer = JournalWriter(self.journal, fsync=Fsync.NEVER)
        self.fold = Fold(TABLE, PROFILE, Announcements(), writer, Fsync.NEVER)
        if events:
            self.fold.resume(settled(events, corrections_of(events)), 1.0, "restart")
        self.desk = OperatorDesk(self.fold, lambda: 3.0, self.folder / "entries.jsonl")
        self.publisher = BusPublisher(BusSetting(self.folder / "bus", "m1"), self.desk.handlers())

    def end(self) -> None:
        assert self.fold is not None
        self.publisher.close()
        self.fold.__exit__(None, None, None)

    @property
    def lines(self) -> list[Any]:
        return list(read_journal(self.journal).events)

    @property
    def standing(self) -> list[Any]:
        return [each for each in settled(self.lines, corrections_of(self.lines)) if isinstance(each, Said)]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Running]:
    made = Running(tmp_path)
    yield made
    made.end()


@pytest.fixture
def client(table: Running) -> Iterator[CommandClient]:
    made = CommandClient(table.folder / "bus")
    yield made
    made.close()


def held_up(table: Running, ask: Callable[[], object]) -> None:
    """Ask while the table is busy with something else, as with a disk that hangs."""
    assert table.fold is not None
    with table.fold.lock, pytest.raises(NoAnswer, match="no answer"):
        ask()


def test_an_entry_that_was_not_answered_is_never_journalled(table: Running, client: CommandClient) -> None:
    client.send_operator_event("m1", NO)
    held_up(table, lambda: client.ask("m1", "operator_event", {"event": CARTA}, wait_s=0.3))
    assert client.ask("m1", "clock", wait_s=5.0)[0]["ok"] is True  # the table answers again
    client.send_operator_event("m1", NO)
    assert [each.words for each in table.standing] == ["no", "no"]
    assert not [each for each in table.lines if isinstance(each, Said) and each.words == "carta"]


def test_an_entry_whose_answer_came_too_late_is_taken_back_on_record(
    table: Running, client: CommandClient
) -> None:
    assert table.fold is not None
    write = table.fold._write
    slow = threading.Event()

    def write_slowly(event: Any) -> Any:
        numbered = write(event)
        if isinstance(event, Said):
            slow.wait(5)
        return numbered

    table.fold._write = write_slowly  # type: ignore[method-assign]
    with pytest.raises(NoAnswer):
        client.ask("m1", "operator_event", {"event": CARTA}, wait_s=0.4)
    table.fold._write = write  # type: ignore[method-assign]
    slow.set()
    until(lambda: any(isinstance(each, EventCorrected) for each in table.lines))
    said = next(each for each in table.lines if isinstance(each, Said))
    undone = next(each for each in table.lines if isinstance(each, EventCorrected))
    assert (undone.corrects, undone.replacement) == (said.id, None) and "no answer" in str(undone.reason)
    assert table.standing == []
    client.send_operator_event("m1", CARTA)
    assert len(table.standing) == 1


def test_an_entry_that_comes_again_is_answered_again_and_journalled_once(
    table: Running, client: CommandClient
) -> None:
    first = client.send_operator_event("m1", CARTA, by="ana", key="press-0001")
    again = client.send_operator_event("m1", CARTA, by="ana", key="press-0001")
    assert (again["id"], again["t"]) == (first["id"], first["t"]) and len(table.standing) == 1
    with pytest.raises(Refused, match="another entry"):
        client.send_operator_event("m1", NO, by="ana", key="press-0001")
    number = int(str(first["id"]))
    fixed = client.correct_event("m1", number, NO, by="ana", key="press-0002")
    assert client.correct_event("m1", number, NO, by="ana", key="press-0002")["id"] == fixed["id"]
    with pytest.raises(Refused, match="there is none") as refusal:
        client.correct_event("m1", number, NO, by="ana", key="press-0003")
    assert refusal.value.spanish == f"m1: suceso {number}: no existe o ya se corrigió"
    words = {"text": "Hagan juego", "speaker": "crupier", "key": "press-0004"}
    told = client.ask("m1", "transcript", words)[0]["events"]
    assert client.ask("m1", "transcript", words)[0]["events"] == told
    kinds = [type(each) for each in table.lines]
    assert kinds.count(CoupOpened) == kinds.count(BettingOpened) == 1 and len(kinds) == 4


def test_a_key_outlives_the_table_s_process(table: Running, client: CommandClient) -> None:
    first = client.send_operator_event("m1", CARTA, key="press-0001")
    table.end()
    with (table.folder / "entries.jsonl").open("ab") as file:
        # Promised, but the process died before the journal had it; and a line torn by the kill.
        file.write(b'{"key": "press-0009", "mark": "x", "id": 99, "t": 1.0}\n{"key": "pre')
    table.begin()
    again = client.send_operator_event("m1", CARTA, key="press-0001")
    assert again["id"] == first["id"] and len(table.standing) == 1
    assert client.send_operator_event("m1", CARTA, key="press-0009")["id"] != first["id"]
    assert len(table.standing) == 2


def test_a_request_of_before_the_restart_is_refused_and_a_client_goes_on(
    table: Running, client: CommandClient
) -> None:
    client.send_operator_event("m1", NO)
    old = client.ask("m1", "clock")[0]
    table.end()
    table.begin()
    late = {"schema": 1, "command": "operator_event", "event": CARTA, "key": "k", "run": old["run"],
            "until": float(str(old["clock"])) + 50}  # fmt: skip
    assert "started anew" in raw(table, late)["fault"] and "reinició" in raw(table, late)["fault_es"]
    client.send_operator_event("m1", NO)
    assert [each.words for each in table.standing] == ["no", "no"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"until": None}, "run, until"), ({"until": "soon"}, "run, until"), ({"run": None}, "run, until"),
        ({"key": None}, "key"), ({"key": "x" * 65}, "key"), ({"key": 7}, "key"), ({"until": 1e12}, "ahead"),
        ({"until": 0.0}, "too late"),
    ],
)  # fmt: skip
def test_an_entry_without_its_time_and_key_is_refused(
    table: Running, wrong: dict[str, object], said: str
) -> None:
    clock = raw(table, {"schema": 1, "command": "clock"})
    good = {"run": clock["run"], "until": clock["clock"] + 5, "key": "k-1", "event": CARTA}
    told = raw(table, {"schema": 1, "command": "operator_event", **good, **wrong})
    assert told["ok"] is False and said in told["fault"] and len(table.lines) == 0
    assert raw(table, {"schema": 1, "command": "operator_event", **good})["ok"] is True


def test_what_waits_for_a_table_that_is_not_there_does_not_pile_up(table: Running) -> None:
    client = CommandClient(table.folder / "bus")
    client.ask("m1", "clock")
    table.publisher.close()
    for _ in range(3):
        with pytest.raises(BusFault, match="no answer"):
            client.ask("m1", "operator_event", {"event": CARTA}, wait_s=0.2)
    table.publisher = BusPublisher(BusSetting(table.folder / "bus", "m1"), table.desk.handlers())
    time.sleep(0.3)
    client.close()
    assert table.standing == []


def test_a_desk_of_this_process_knows_keys_too(table: Running) -> None:
    one, two = (table.desk.enter(CARTA, who="ana", key="press-1") for _ in range(2))
    assert one.id == two.id and len(table.standing) == 1
    with pytest.raises(EntryFault, match="another entry"):
        table.desk.enter(NO, key="press-1")


def raw(table: Running, asked: dict[str, Any]) -> dict[str, Any]:
    """What the table answers to a request just so."""
    context = zmq.Context()
    socket = context.socket(zmq.REQ)
    socket.connect(table.publisher.places[0].commands)
    try:
        socket.send(json.dumps(asked).encode())
        assert socket.poll(5000)
        return dict(json.loads(socket.recv_multipart()[0]))
    finally:
        socket.close(linger=0)
        context.term()
