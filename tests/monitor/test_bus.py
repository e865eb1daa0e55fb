"""The bus: numbered messages, snapshots, gaps, slow readers, keys, and what is no message."""

from __future__ import annotations

import json
import resource
import stat
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
import zmq
from veedor.monitor.bookkeeping import CoupAccount
from veedor.monitor.bus import (
    EVENT,
    FINDING,
    HEALTH,
    PICTURE,
    SNAPSHOT,
    STATE,
    BoardBridge,
    BusClient,
    BusFault,
    BusPublisher,
    BusSetting,
    CommandClient,
    Commander,
    Message,
    load_keys,
    network_place,
    state_from_json,
    state_to_json,
)
from veedor.monitor.bus_door import QUEUED, Keyring
from veedor.monitor.bus_keys import ENTER, READ, admit, server_keys
from veedor.monitor.bus_place import BusPlace
from veedor.monitor.language import Bilingual
from veedor.monitor.live_state import FeltObject, LiveState
from veedor.monitor.story import CoupStory
from veedor.rules.events import BetPlaced, Said
from waiting import until

TABLE = "mesa-3"


def echo(asked: Mapping[str, object], who: str) -> tuple[Mapping[str, object], bytes]:
    return {"who": who, "text": asked.get("text")}, b"blob"


def broken(asked: Mapping[str, object], who: str) -> tuple[Mapping[str, object], bytes]:
    raise ZeroDivisionError


HANDLERS = {"echo": echo, "broken": broken}


@pytest.fixture
def publisher(tmp_path: Path) -> Iterator[BusPublisher]:
    made = BusPublisher(BusSetting(tmp_path / "bus", TABLE), HANDLERS)
    yield made
    made.close()


def joined(client: BusClient) -> Message:
    message = client.receive(5.0)
    assert message is not None and message.kind == SNAPSHOT
    return message


def heard(publisher: BusPublisher, client: BusClient) -> None:
    """Once the subscription has reached the publisher."""
    for _ in range(500):
        publisher.publish("state", {}, 0.0)
        message = client.receive(0.02)
        if message is not None and message.kind == STATE:
            client.missed = 0  # what was said before the subscription had arrived
            return
    raise AssertionError("nothing heard")


def publish_unheard(publisher: BusPublisher, event: dict[str, object]) -> None:
    """Numbered and remembered, and on its way to nobody."""
    doors, publisher._doors = publisher._doors, []
    publisher.publish(EVENT, event, 1.0)
    publisher._doors = doors


def test_messages_are_numbered_by_kind_and_come_in_order(publisher: BusPublisher, tmp_path: Path) -> None:
    with BusClient.at(tmp_path / "bus", TABLE, (EVENT, STATE)) as client:
        joined(client)
        heard(publisher, client)
        for number in range(5):
            publisher.publish(EVENT, {"event": "said", "number": number}, number / 2)
            publisher.publish(HEALTH, {"last": publisher.numbers()}, 0.0)
        got = [client.receive(2.0) for _ in range(5)]
        events = [message for message in got if message is not None]
        assert [message.header.n for message in events] == [1, 2, 3, 4, 5]
        assert [message.data["number"] for message in events] == [0, 1, 2, 3, 4]
        assert events[3].header.t == 1.5 and events[3].header.table == TABLE
        assert client.missed == 0 and client.refused == 0


def test_who_joins_late_gets_the_running_coup(publisher: BusPublisher, tmp_path: Path) -> None:
    for event in ("said", "coup_opened", "bet_placed"):
        publisher.publish(EVENT, {"event": event}, 1.0)
    for verdict in ("broken", "undecided", "withdrawn"):
        publisher.publish(FINDING, {"number": 1 if verdict == "broken" else 2, "verdict": verdict}, 1.0)
    publisher.publish(STATE, {"t_s": 7.5}, 7.5)
    with BusClient.at(tmp_path / "bus", TABLE) as client:
        told = joined(client).data
    assert told["why"] == "joined" and told["last"] == {"event": 3, "finding": 3, "state": 1}
    assert told["events"] == [{"event": "coup_opened"}, {"event": "bet_placed"}]
    assert told["findings"] == [{"number": 1, "verdict": "broken"}] and told["state"] == {"t_s": 7.5}


def test_a_missed_event_is_counted_and_made_good(publisher: BusPublisher, tmp_path: Path) -> None:
    with BusClient.at(tmp_path / "bus", TABLE, (EVENT, STATE)) as client:
        joined(client)
        heard(publisher, client)
        publish_unheard(publisher, {"event": "lost"})
        publisher.publish(EVENT, {"event": "seen"}, 1.0)
        again = client.receive(5.0)
        assert again is not None and again.kind == SNAPSHOT and again.data["why"] == "gap"
        assert again.data["events"] == [{"event": "lost"}, {"event": "seen"}] and client.missed == 1


def test_a_lost_last_event_is_told_by_the_next_health(publisher: BusPublisher, tmp_path: Path) -> None:
    with BusClient.at(tmp_path / "bus", TABLE, (EVENT, STATE)) as client:
        joined(client)
        heard(publisher, client)
        publish_unheard(publisher, {"event": "lost"})
        publisher.publish(HEALTH, {"last": publisher.numbers()}, 1.0)
        again = client.receive(5.0)
        assert again is not None and again.data["why"] == "gap"
        assert again.data["events"] == [{"event": "lost"}]


def test_a_table_that_starts_anew_is_followed(tmp_path: Path) -> None:
    first = BusPublisher(BusSetting(tmp_path / "bus", TABLE), {})
    with BusClient.at(tmp_path / "bus", TABLE, (EVENT, STATE)) as client:
        joined(client)
        heard(first, client)
        first.close()
        second = BusPublisher(BusSetting(tmp_path / "bus", TABLE), {})
        try:
            until(lambda: (second.publish(EVENT, {"event": "said"}, 0.0), True)[1])
            message = None
            for _ in range(200):
                second.publish(EVENT, {"event": "said"}, 0.0)
                message = client.receive(0.05)
                if message is not None:
                    break
            assert message is not None and message.kind == SNAPSHOT and message.data["why"] == "restarted"
        finally:
            second.close()


def test_a_reader_that_never_reads_costs_the_monitor_nothing(publisher: BusPublisher) -> None:
    """Far more than any buffer holds is published; what a sleeping reader may pile up stays what it was."""
    context = zmq.Context()
    sleeper = context.socket(zmq.SUB)
    sleeper.rcvhwm = 1
    sleeper.connect(publisher.places[0].stream)
    sleeper.subscribe(b"")
    body = {"filling": "x" * 20_000}
    until(lambda: (publisher.publish(STATE, body, 0.0), sleeper.poll(10) > 0)[1])
    for _ in range(3 * QUEUED):
        publisher.publish(STATE, body, 0.0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(20 * QUEUED):
        publisher.publish(STATE, body, 0.0)
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    sleeper.close(linger=0)
    context.term()
    assert grown_kb < 30_000  # 100 MB have been published
    assert publisher.numbers()[STATE] > 23 * QUEUED


def test_commands_are_answered_and_faults_come_back_in_words(publisher: BusPublisher, tmp_path: Path) -> None:
    client = CommandClient(tmp_path / "bus")
    told, blob = client.ask(TABLE, "echo", {"text": "ñ"})
    assert told["who"] == "local" and told["text"] == "ñ" and blob == b"blob"
    with pytest.raises(BusFault, match="none of that name"):
        client.ask(TABLE, "sing")
    with pytest.raises(BusFault, match="ZeroDivisionError"):
        client.ask(TABLE, "broken")
    with pytest.raises(BusFault, match=r"no such file"):
        client.ask("mesa-4", "echo")
    with pytest.raises(BusFault, match="not the id of a table"):
        client.ask("../mesa-3", "echo")
    assert client.ask(TABLE, "echo")[0]["ok"] is True
    client.close()


@pytest.mark.parametrize(
    "payload",
    [
        b"", b"\xff\xfe", b"[1]", b"[" * 50_000, b"null", b'{"schema":2}', b'{"schema":1}',
        b'{"schema":1,"command":["echo"]}', b'{"schema":1,"command":"' + b"x" * 60_000 + b'"}',
        b'{"schema":1,"request":{"a":1},"command":"echo"}',
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused_and_the_bus_lives(publisher: BusPublisher, payload: bytes) -> None:
    context = zmq.Context()
    socket = context.socket(zmq.REQ)
    socket.connect(publisher.places[0].commands)
    socket.send(payload)
    assert socket.poll(5000)
    reply = json.loads(socket.recv_multipart()[0])
    assert reply["ok"] is False and len(reply["fault"]) < 300
    socket.close(linger=0)
    context.term()
    alive = Commander(TABLE, publisher.places[0])
    assert alive.ask("echo", {"text": "still here"})[0]["text"] == "still here"
    alive.close()


def test_an_oversized_request_and_a_heap_of_frames_are_cut_off(publisher: BusPublisher) -> None:
    context = zmq.Context()
    for parts in ([b"x" * 200_000], [b"a"] * 500, [b"", b"", b""]):
        socket = context.socket(zmq.DEALER)
        socket.connect(publisher.places[0].commands)
        socket.send_multipart(parts)
        assert not socket.poll(150)
        socket.close(linger=0)
    context.term()
    alive = Commander(TABLE, publisher.places[0])
    assert alive.ask("echo")[0]["ok"] is True
    alive.close()


def test_a_client_counts_what_is_no_message(tmp_path: Path, publisher: BusPublisher) -> None:
    good = publisher.places[0]
    context = zmq.Context()
    liar = context.socket(zmq.PUB)
    liar.bind(f"ipc://{tmp_path}/liar")
    client = BusClient(TABLE, replace(good, stream=f"ipc://{tmp_path}/liar"), (EVENT,))
    joined(client)
    topic = b"mesa-3/event"
    bad = [[topic], [topic, b"{}", b"{}"], [topic, b"nonsense", b"{}"], [topic, b"x" * 9999, b"{}"]]

    def lie() -> bool:
        for parts in bad:
            liar.send_multipart(parts)
        assert client.receive(0.01) is None
        return client.refused >= len(bad)

    until(lie)
    client.close()
    liar.close(linger=0)
    context.term()


def test_beyond_this_machine_nothing_is_bound_without_keys(tmp_path: Path) -> None:
    with pytest.raises(BusFault, match="holds no keys"):
        BusPublisher(BusSetting(tmp_path / "bus", TABLE, network_place("0.0.0.0", 5700)), {})


def test_those_who_are_known_stay_known_while_another_knocks(tmp_path: Path) -> None:
    bus = tmp_path / "bus"
    server_keys(bus, make=True)
    admit(bus, "wall", READ, tmp_path / "wall.json")
    keyring = Keyring(bus)
    before = keyring.known
    admit(bus, "button-box", ENTER, tmp_path / "box.json")
    assert not keyring.callback("veedor", b"a stranger's")
    assert [each.name for each in before.values()] == ["wall"], "commands are looked up in it meanwhile"
    assert sorted(each.name for each in keyring.known.values()) == ["button-box", "wall"]


def test_only_known_keys_come_in_and_do_what_they_may(tmp_path: Path) -> None:
    bus = tmp_path / "bus"
    server_keys(bus, make=True)
    box = load_keys(admit(bus, "button-box", ENTER, tmp_path / "box.json"))
    wall = load_keys(admit(bus, "wall", READ, tmp_path / "wall.json"))
    assert stat.S_IMODE((tmp_path / "box.json").stat().st_mode) == 0o600
    with pytest.raises(BusFault, match="exists already"):
        admit(bus, "wall", ENTER, tmp_path / "other.json")
    assert not (tmp_path / "other.json").exists()
    # Any address counts as beyond; a wildcard port of all of them is one that can be had here.
    far = BusPlace(*["tcp://0.0.0.0:*"] * 3)
    publisher = BusPublisher(BusSetting(bus, TABLE, far), HANDLERS)
    try:
        bound = publisher.places[1]
        ends = (bound.stream, bound.pictures, bound.commands)
        near = BusPlace(*(end.replace("0.0.0.0", "127.0.0.1") for end in ends), bound.server_key)
        allowed = Commander(TABLE, near, box)
        assert allowed.ask("echo")[0]["who"] == "button-box"
        allowed.close()
        reader = Commander(TABLE, near, wall)
        assert reader.ask("snapshot")[0]["run"] == publisher.run
        with pytest.raises(BusFault, match="may read, not echo"):
            reader.ask("echo")
        reader.close()
        with pytest.raises(BusFault, match="needs keys"):
            Commander(TABLE, near)
        (bus / "keys" / "clients" / "button-box.json").unlink()
        gone = Commander(TABLE, near, box)
        with pytest.raises(BusFault, match="no answer"):
            gone.ask("echo", wait_s=0.5)
        gone.close()
        keyless = Commander(TABLE, replace(near, server_key=None))
        with pytest.raises(BusFault, match="no answer"):
            keyless.ask("echo", wait_s=0.5)
        keyless.close()
    finally:
        publisher.close()


STATE_SHOWN = LiveState(
    t_s=12.5,
    objects=(FeltObject("c1", "card", 1.0, 2.0, label="7H"),),
    coup=CoupStory(3, 1.0, bank=Decimal("12.50"))
    .after(BetPlaced("b1", "P1.seat3.bet", Decimal(200), seat=3, t=2.0, id=4))
    .after(Said("P1", "carta", t=3.0, id=5, source="voice")),
    account=CoupAccount({"b1": Decimal("-200")}, None, {"P1": None}),
    duties=(Bilingual("pide", "draws"),),
    coups_closed=2,
)


def test_a_state_comes_back_as_it_was() -> None:
    told = json.loads(json.dumps(state_to_json(STATE_SHOWN)))
    assert state_from_json(told) == STATE_SHOWN
    assert state_from_json({**told, "of_a_later_version": 1}) == STATE_SHOWN
    with pytest.raises(BusFault, match="expected"):
        state_from_json({**told, "t_s": "soon"})
    with pytest.raises(BusFault):
        state_from_json({**told, "coup": {"number": 3}})


def test_a_board_follows_a_table_and_tells_when_it_is_looked_at(tmp_path: Path) -> None:
    leases: list[object] = []

    def watching(asked: Mapping[str, object], who: str) -> tuple[Mapping[str, object], bytes]:
        leases.append(asked["for_s"])
        return {}, b""

    bridge = BoardBridge(tmp_path / "bus", TABLE)
    assert not bridge.alive
    publisher = BusPublisher(BusSetting(tmp_path / "bus", TABLE), {"watching": watching})
    try:
        publisher.publish(STATE, state_to_json(STATE_SHOWN), 12.5)
        publisher.publish(HEALTH, {"fps": 25}, 12.5)
        until(lambda: bridge.board.latest()[1] == STATE_SHOWN)
        assert bridge.alive and bridge.health == {"fps": 25} and not leases

        def pictured() -> bool:
            publisher.picture(b"\xff\xd8 jpeg", 12.5)
            return bridge.board.picture()[1] == b"\xff\xd8 jpeg"

        until(pictured)
        with bridge.board.viewed():
            until(lambda: bool(leases))
        publisher.publish(STATE, state_to_json(replace(STATE_SHOWN, finished=True)), 13.0)
        until(lambda: bridge.board.latest()[1].finished)
    finally:
        publisher.close()
        bridge.close()


def test_pictures_do_not_push_events_out(publisher: BusPublisher, tmp_path: Path) -> None:
    with BusClient.at(tmp_path / "bus", TABLE, (EVENT, PICTURE, STATE)) as client:
        joined(client)
        heard(publisher, client)
        for number in range(QUEUED // 2):
            publisher.picture(b"x" * 100_000, 0.0)
            publisher.publish(EVENT, {"event": "said", "number": number}, 0.0)
        events = 0
        while (message := client.receive(0.5)) is not None:
            events += message.kind == EVENT
        assert events == QUEUED // 2
