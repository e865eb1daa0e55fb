"""The service: processes that die or stand still are started again; health and metrics tell."""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.errors import UsageFault
from veedor.monitor.metrics import MetricsServer, trouble_of
from veedor.monitor.ops import logs, supervisor
from veedor.monitor.ops.config import Limits, read_config
from veedor.monitor.ops.heartbeat import Heartbeat, Pulse, last_heartbeat
from veedor.monitor.ops.locks import Lock
from veedor.monitor.ops.supervisor import Child, Supervisor

# Stands in for a table's process: beats as it is told to, and notes how it ends.
CHILD = """
import json, os, signal, sys, time
from pathlib import Path
from veedor.monitor.ops.heartbeat import Heartbeat, Pulse
data, mode = Path(sys.argv[1]), sys.argv[2]
with open(data / "starts", "a") as file:
    file.write(mode + "\\n")
def end(*_):
    (data / "ended in order").touch()
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
pulse = Pulse(data, "mesa-1")
loop_at = time.time() - (9999 if mode == "hang" else 0)
for _ in range(600):
    now = time.time()
    at = loop_at if mode == "hang" else now
    pulse.beat(Heartbeat("mesa-1/S", os.getpid(), now, 1.0, at, {"frame_age_s": 0.1}))
    if mode == "die":
        os._exit(3)
    time.sleep(0.05)
"""


def until(holds: Callable[[], object]) -> None:
    for _ in range(1500):
        if holds():
            return
        time.sleep(0.02)
    raise AssertionError("did not come to hold")


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Supervisor]]:
    """A supervisor of one table whose process is the stand-in, running in a thread."""
    monkeypatch.setattr(supervisor, "FIRST_WAIT_S", 0.05)
    monkeypatch.setattr(supervisor, "LOOK_S", 0.05)
    monkeypatch.setattr(supervisor, "START_S", 20.0)
    shutil.copy(bundled_clip("demo").table, tmp_path / "mesa.toml")
    path = tmp_path / "tables.toml"
    path.write_text('data = "data"\n[[table]]\nfile = "mesa.toml"\nsource = "rtsp://10.0.0.9/x"\n')
    (tmp_path / "data").mkdir()
    running: list[tuple[Supervisor, threading.Thread]] = []

    def start(mode: str) -> Supervisor:
        config = read_config(path)
        found = Supervisor(config, logs.TEXT)
        command = [sys.executable, "-c", CHILD, str(config.data), mode]
        found.children = [Child("mesa-1", command, "mesa-1", wait_s=0.05)]
        thread = threading.Thread(target=found.run)
        thread.start()
        running.append((found, thread))
        return found

    yield start
    for found, thread in running:
        found.stop()
        thread.join()


def starts(tmp_path: Path) -> int:
    path = tmp_path / "data" / "starts"
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_what_dies_is_started_again_and_counted(
    service: Callable[[str], Supervisor], tmp_path: Path
) -> None:
    found = service("die")
    until(lambda: starts(tmp_path) >= 3)
    assert found.children[0].restarts >= 2 and found.children[0].wait_s > 0.1  # waits longer each time


def test_what_is_killed_is_started_again_and_ends_in_order_when_told(
    service: Callable[[str], Supervisor], tmp_path: Path
) -> None:
    found = service("run")
    until(lambda: found.report()["tables"]["mesa-1"]["heartbeat_age_s"] is not None)
    child = found.children[0]
    assert child.process is not None
    first = child.process.pid
    os.kill(first, 9)
    until(lambda: starts(tmp_path) == 2 and child.process is not None and child.process.pid != first)
    until(lambda: found.report()["tables"]["mesa-1"]["heartbeat_age_s"] is not None)
    assert not (tmp_path / "data" / "ended in order").exists()
    found.stop()
    until(lambda: (tmp_path / "data" / "ended in order").exists())


def test_what_stands_still_is_killed_and_started_again(
    service: Callable[[str], Supervisor], tmp_path: Path
) -> None:
    found = service("hang")
    found.config = replace(found.config, limits=Limits(hang_s=0.5))
    until(lambda: starts(tmp_path) >= 2)


def test_a_second_service_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "run" / "watch.lock", "data")
    with pytest.raises(UsageFault, match="data"):
        Lock(tmp_path / "run" / "watch.lock", "data")
    lock.release()
    Lock(tmp_path / "run" / "watch.lock", "data").release()


def test_a_heartbeat_that_is_torn_or_foreign_is_none(tmp_path: Path) -> None:
    assert last_heartbeat(tmp_path, "m") is None
    Pulse(tmp_path, "m").beat(Heartbeat("m/s", 7, 1.0, 2.0, 3.0, {"x": 1}))
    assert last_heartbeat(tmp_path, "m") == Heartbeat("m/s", 7, 1.0, 2.0, 3.0, {"x": 1})
    for broken in (b"", b'{"session": "m/s"', b"[]", b'{"session": 1}'):
        (tmp_path / "run" / "m.json").write_bytes(broken)
        assert last_heartbeat(tmp_path, "m") is None


TOLD = {"running": True, "restarts": 1, "heartbeat_age_s": 0.4, "loop_age_s": 0.1}
HEALTH = {
    "frame_age_s": 0.2, "lag_s": 0.0, "detector_ms": 75.5, "gaps": 3, "disk_free_bytes": 10**11,
    "findings": {"broken": 2}, "cameras": [{"lost": None}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("told", "health", "wrong"),
    [
        ({}, {}, []),
        ({"running": False}, {}, ["not running"]),
        ({"heartbeat_age_s": None}, {}, ["not running"]),
        ({"loop_age_s": 60.0}, {}, ["stands still"]),
        ({}, {"cameras": [{"lost": None}, {"lost": "timeout"}]}, ["camera 1 lost"]),
        ({}, {"frame_age_s": None}, ["no pictures"]),
        ({}, {"disk_free_bytes": 10**9}, ["disk nearly full"]),
    ],
)
def test_what_is_wrong_with_a_table_is_said_in_a_word(
    told: dict[str, object], health: dict[str, object], wrong: list[str]
) -> None:
    assert trouble_of({**TOLD, **told, "health": {**HEALTH, **health}}) == wrong


def test_metrics_and_health_are_answered(tmp_path: Path) -> None:
    report = {"tables": {"mesa-1": {**TOLD, "health": HEALTH}}, "web": None, "disk": []}
    server = MetricsServer("127.0.0.1", 0, lambda: report)
    base = f"http://127.0.0.1:{server.port}"
    try:
        with urllib.request.urlopen(f"{base}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        assert 'veedor_table_up{table="mesa-1"} 1.0' in lines
        assert 'veedor_findings{table="mesa-1",verdict="broken"} 2.0' in lines
        assert 'veedor_gaps_total{table="mesa-1"} 3.0' in lines
        assert 'veedor_detector_milliseconds{table="mesa-1"} 75.5' in lines
        with urllib.request.urlopen(f"{base}/health") as answer:
            assert json.load(answer)["ok"] is True
        report["disk"] = ["full"]
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{base}/health")
        assert refused.value.code == 503
        with pytest.raises(urllib.error.HTTPError) as missing:
            urllib.request.urlopen(f"{base}/../etc/passwd")
        assert missing.value.code == 404
        with pytest.raises(UsageFault, match="cannot be used"):
            MetricsServer("127.0.0.1", server.port, lambda: report)
    finally:
        server.close()


def test_a_log_line_is_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    earlier, level = list(root.handlers), root.level
    try:
        logs.log_to_stderr(logs.JSON, "mesa-1")
        logging.getLogger("veedor.x").info("two\nlines", extra={"number": 3})
        logs.log_to_stderr(logs.TEXT, "mesa-1")
        logging.getLogger("veedor.x").info("two\nlines", extra={"number": 3})
    finally:
        root.handlers[:], root.level = earlier, level
    first, second = capsys.readouterr().err.splitlines()
    told = json.loads(first)
    assert (told["part"], told["text"], told["number"]) == ("mesa-1", "two\nlines", 3)
    assert second.endswith("info mesa-1: two lines number=3")
