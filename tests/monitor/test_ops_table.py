"""A table's process, really run on a real camera's stream: killed in its midst, it goes on where it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rtsp_camera import SIZE, RtspCamera, rtsp_camera, write_stream
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.bus import EVENT, HEALTH, STATE, BusClient, BusFault, CommandClient, bus_folder
from veedor.monitor.ops.heartbeat import last_heartbeat
from veedor.monitor.store import Store
from veedor.rules.events import BettingClosed, EventCorrected, SessionOpened, ViewLost, ViewRestored
from veedor.rules.journal import read_journal
from veedor.vision.table_file import load_table, save_table
from waiting import until

PATIENCE_S = 90.0
TABLE = "mesa-1"


@pytest.fixture
def camera(tmp_path: Path) -> Iterator[RtspCamera]:
    with rtsp_camera(tmp_path, write_stream(tmp_path / "film.mp4", 6.0)) as served:
        yield served


@pytest.fixture
def config(tmp_path: Path, camera: RtspCamera) -> Path:
    """A table as a small camera sees it: the demo's, every pixel of which is six."""
    table = load_table(bundled_clip("demo").table)
    assert table.camera is not None
    share = SIZE[0] / table.camera.width
    matrix = table.camera.matrix * [[share], [share], [1.0]]
    small = replace(table.camera, width=SIZE[0], height=SIZE[1], matrix=matrix)
    save_table(replace(table, camera=small, reference_points=()), tmp_path / "mesa.toml")
    path = tmp_path / "tables.toml"
    path.write_text(
        f'data = "data"\n[[table]]\nfile = "mesa.toml"\nsource = "{camera.url}"\n[limits]\nthreads = 1\n'
    )
    return path


class Watching:
    """The process, run as the service runs it."""

    def __init__(self, config: Path) -> None:
        self.data = config.parent / "data"
        command = [sys.executable, "-m", "veedor.monitor.ops.table_process", str(config), TABLE]
        self.process = subprocess.Popen([*command, "--lang", "en"], stderr=subprocess.PIPE, text=True)
        until(self.looks)

    def looks(self) -> bool:
        assert self.process.poll() is None, self.process.stderr and self.process.stderr.read()
        last = last_heartbeat(self.data, TABLE)
        return last is not None and last.pid == self.process.pid and bool(last.health.get("frames"))

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode


def test_killed_in_its_midst_a_table_goes_on_with_its_session(config: Path) -> None:
    data = config.parent / "data"
    first = Watching(config)
    desk = CommandClient(bus_folder(data))
    try:
        entry = desk.send_operator_event(TABLE, {"event": "betting_closed"}, by="ana")
        assert first.end(signal.SIGKILL) == -signal.SIGKILL
        (data / "store.sqlite").write_bytes(b"garbage " * 999)  # an index stops nobody
        second = Watching(config)
        try:
            with BusClient.at(bus_folder(data), TABLE, (EVENT, STATE, HEALTH)) as client:
                joined = client.receive(5.0)
                assert joined is not None and joined.data["why"] == "joined"
                until(lambda: (message := client.receive(1.0)) is not None and message.kind == STATE)
            [journal] = data.glob("tables/*/*/journal.jsonl")
            until(lambda: any(isinstance(each, ViewRestored) for each in read_journal(journal).events))
            fixed = desk.correct_event(TABLE, int(str(entry["id"])), None, by="ana", reason="not said")
            with pytest.raises(BusFault, match="corrected already"):
                desk.correct_event(TABLE, int(str(entry["id"])), None)
        finally:
            status = second.end(signal.SIGTERM)
        assert status == 0
    finally:
        desk.close()
    reading = read_journal(journal)
    assert not reading.faults
    kinds = [type(event) for event in reading.events]
    assert kinds.count(SessionOpened) == 1 and BettingClosed in kinds
    assert kinds.index(EventCorrected) + 1 == fixed["id"]
    lost = [event for event in reading.events if isinstance(event, ViewLost)]
    assert lost[0].reason == "restart" and not lost[0].zones
    with Store.of_data(data, read_only=True) as store:
        [session] = store.sessions(TABLE)
        assert session.ended_at is not None
    assert len([each for each in data.glob("store.sqlite.damaged-*") if each.name.endswith("Z")]) == 1
    about = json.loads((journal.parent / "session.json").read_text())
    assert about["session"] == f"{TABLE}/{journal.parent.name}"
    kept = (journal.parent / "table.toml").read_text()
    assert "rtsp" not in kept and load_table(journal.parent / "table.toml").id == TABLE


def test_two_processes_do_not_watch_one_table(config: Path) -> None:
    first = Watching(config)
    command = [sys.executable, "-m", "veedor.monitor.ops.table_process", str(config), TABLE, "--lang", "en"]
    try:
        second = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        assert second.returncode == 2 and "another process does it already" in second.stderr
        assert "Traceback" not in second.stderr
    finally:
        assert first.end(signal.SIGTERM) == 0
    assert not os.path.exists(f"/proc/{first.process.pid}/stat")
