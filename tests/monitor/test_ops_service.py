"""The service: processes that die or stand still are started again; health and metrics tell."""

from __future__ import annotations

import json
import logging
import os
import shutil
import stat
import subprocess
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
from veedor.monitor.metrics import MetricsServer, health_report, trouble_of
from veedor.monitor.ops import keeping, logs, supervisor
from veedor.monitor.ops.config import Limits, read_config
from veedor.monitor.ops.heartbeat import Heartbeat, Pulse, last_heartbeat
from veedor.monitor.ops.keeping import Keeper
from veedor.monitor.ops.locks import Lock
from veedor.monitor.ops.supervisor import Child, Supervisor
from veedor.monitor.ops.table_health import BlindTime
from veedor.monitor.retention import RetentionPolicy
from veedor.monitor.sight_book import Unseen
from veedor.monitor.store import SessionRecord, Store, StoreError
from veedor.monitor.store.rebuild import check
from veedor.web.access.accounts import Accounts
from veedor.web.access.database import AccountsFile
from veedor.web.access.people import Role
from waiting import until

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
if mode == "slow start":
    for _ in range(40):
        pulse.opens("models")
        time.sleep(0.05)
    pulse.opened()
loop_at = time.time() - (9999 if mode in ("hang", "slow look") else 0)
for _ in range(600):
    now = time.time()
    at = loop_at if mode in ("hang", "slow look") else now
    health = {"frame_age_s": 0.1, "looked": mode != "slow look"}
    pulse.beat(Heartbeat("mesa-1/S", os.getpid(), now, 1.0, at, health))
    if mode == "die":
        os._exit(3)
    time.sleep(0.05)
"""


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


def test_what_dies_is_started_again_and_counted(service: Callable[[str], Supervisor], tmp_path: Path) -> None:
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


def test_who_loads_models_is_waited_for_as_long_as_he_lives(
    service: Callable[[str], Supervisor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = service("slow start")
    until(lambda: found.report()["tables"]["mesa-1"]["opening"] == "models")
    monkeypatch.setattr(supervisor, "START_S", 0.2)
    assert trouble_of(found.report()["tables"]["mesa-1"]) == ["starting: models"]
    until(lambda: found.report()["tables"]["mesa-1"]["heartbeat_age_s"] is not None)
    assert starts(tmp_path) == 1 and found.children[0].restarts == 0


def test_a_first_look_may_take_longer_than_any_later_one(
    service: Callable[[str], Supervisor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "FIRST_LOOK_S", 3.0)
    found = service("slow look")
    found.config = replace(found.config, limits=Limits(hang_s=0.5))
    until(lambda: found.report()["tables"]["mesa-1"]["heartbeat_age_s"] is not None)
    began = found.children[0].started
    until(lambda: starts(tmp_path) >= 2)  # but not for ever
    assert found.children[0].started - began > 3.0


SERVICE = """
import os, sys
from pathlib import Path
from veedor.monitor.ops import logs
from veedor.monitor.ops.config import read_config
from veedor.monitor.ops.supervisor import Child, Supervisor
config = read_config(Path(sys.argv[1]))
found = Supervisor(config, sys.argv[2])
child = (
    "import os, sys, signal, time; from pathlib import Path; from veedor.monitor.ops import parent;"
    "parent.END_S = 1.0; parent.end_with_service();"
    "deaf = sys.argv[2] == 'deaf';"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN if deaf else lambda *_: sys.exit(0));"
    "Path(sys.argv[1], str(os.getpid())).touch(); time.sleep(600)"
)
(config.data / "pids").mkdir(parents=True)
found.children = [
    Child(name, [sys.executable, "-c", child, str(config.data / "pids"), name]) for name in ("web", "deaf")
]
found.run()
"""


@pytest.mark.parametrize("form", logs.FORMS)
def test_whatever_a_service_has_started_ends_with_it_however_it_ends(tmp_path: Path, form: str) -> None:
    shutil.copy(bundled_clip("demo").table, tmp_path / "mesa.toml")
    path = tmp_path / "tables.toml"
    path.write_text('data = "data"\n[[table]]\nfile = "mesa.toml"\nsource = "rtsp://10.0.0.9/x"\n')
    service = subprocess.Popen([sys.executable, "-c", SERVICE, str(path), form], stderr=subprocess.DEVNULL)
    try:
        pids = tmp_path / "data" / "pids"
        until(lambda: pids.is_dir() and len([*pids.iterdir()]) == 2)
        assert all(lives(int(each.name)) for each in pids.iterdir())
    finally:
        service.kill()
        service.wait()
    until(lambda: not any(lives(int(each.name)) for each in pids.iterdir()))
    Lock(tmp_path / "data" / "run" / "watch.lock", "data").release()  # a fresh one may begin


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_service_with_a_damaged_index_keeps_watching_and_fills_a_new_one(
    service: Callable[[str], Supervisor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "LOOK_S", 0.05)
    data = tmp_path / "data"
    with Store.of_data(data) as store:
        for table in ("mesa-1", "mesa-9"):  # one of them is not watched any more
            SessionRecord.begin(store, table, table, alarm=print).end()
    (data / "store.sqlite").write_bytes(b"garbage " * 999)
    found = service("run")
    until(lambda: found.report()["index"]["put_aside"] == 1)
    until(lambda: not found.report()["disk"] and found.report()["index"]["lacking"] == 0)
    until(lambda: check_of(data) == ())
    (data / "store.sqlite").write_bytes(b"garbage " * 999)
    until(lambda: found.report()["index"]["put_aside"] == 2)
    until(lambda: len([*data.glob("store.sqlite.damaged-*")]) >= 2 and check_of(data) == ())
    until(lambda: starts(tmp_path) == 1)
    assert found.children[0].restarts == 0


def check_of(data: Path) -> object:
    try:
        return check(data).differences
    except StoreError as fault:
        return str(fault)


def test_nothing_that_goes_wrong_ends_the_keeping(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "LOOK_S", 0.02)
    keeper = Keeper(tmp_path, RetentionPolicy())
    with monkeypatch.context() as patch:
        patch.setattr(Store, "openings", lambda self: {}["a fault of our own"])
        keeper.start()
        until(lambda: keeper.troubles)
        assert "a fault of our own" in keeper.troubles[0]
    until(lambda: not keeper.troubles)
    keeper.stop()


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
    "view_lost": {"reason": "frame gap", "for_s": 12.5}, "view_lost_s": 12.5,
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
        ({"opening": "models", "heartbeat_age_s": None}, {"frame_age_s": 1.0}, ["starting: models"]),
        ({}, {"troubles": {"index": "s.sqlite: full"}}, ["index: s.sqlite: full"]),
        ({}, {"view_lost": None}, []),
        ({}, {"view_lost": {"reason": "frame gap", "for_s": 59.0}}, []),
        ({}, {"view_lost": {"reason": "frame gap", "for_s": 75.2}}, ["cannot see for 75 s: frame gap"]),
    ],
)
def test_what_is_wrong_with_a_table_is_said_in_a_word(
    told: dict[str, object], health: dict[str, object], wrong: list[str]
) -> None:
    assert trouble_of({**TOLD, **told, "health": {**HEALTH, **health}}) == wrong


def test_how_long_the_whole_view_is_lost_is_counted_and_never_runs_back() -> None:
    blind, hand = BlindTime(), Unseen("P1.hand", 1.0, "covered")
    gap = Unseen("", 8.0, "frame gap")
    assert blind.tell((), 10.0) == {"view_lost": None, "view_lost_s": 0.0}
    told = blind.tell((gap, hand), 11.0)
    assert told == {"view_lost": {"reason": "frame gap", "for_s": 3.0}, "view_lost_s": 1.0}
    assert blind.tell((gap,), 10.5)["view_lost_s"] == 1.0
    assert blind.tell((gap,), 80.5)["view_lost_s"] == 71.0
    assert blind.tell((hand,), 90.0) == {"view_lost": None, "view_lost_s": 71.0}


PAGES = "import sys; from pathlib import Path; Path(sys.argv[1]).touch(); import time; time.sleep(60)"


def test_pages_wait_for_the_first_administrator_and_health_says_so_all_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(supervisor, "LOOK_S", 0.05)
    monkeypatch.setattr(supervisor, "NOBODY_LOOK_S", 0.1)
    shutil.copy(bundled_clip("demo").table, tmp_path / "mesa.toml")
    path = tmp_path / "tables.toml"
    path.write_text(
        'data = "data"\n[[table]]\nfile = "mesa.toml"\nsource = "rtsp://10.0.0.9/x"\n'
        '[web]\nlisten = "127.0.0.1:8443"\n'
    )
    started = tmp_path / "started"
    found = Supervisor(read_config(path), logs.TEXT)
    found.children = [Child("web", [sys.executable, "-c", PAGES, str(started)])]
    thread = threading.Thread(target=found.run)
    caplog.set_level(logging.INFO)
    thread.start()
    try:
        until(lambda: found.children[0].waits_for)
        for _ in range(5):
            assert health_report(found.report())["trouble"] == {"web": ["no administrator yet"]}
            time.sleep(0.1)
        assert not started.exists() and found.children[0].restarts == 0
        assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
        file = AccountsFile(tmp_path / "data" / "accounts.sqlite")
        Accounts(file).add("ana", Role.ADMINISTRATOR, "a long enough secret")
        file.close()
        until(started.is_file)
        assert health_report(found.report())["ok"]
    finally:
        found.stop()
        thread.join()
    told = [each for each in caplog.records if "veedor user add" in each.message]
    assert len(told) == 1
    assert [each.__dict__["which"] for each in caplog.records if each.message == "ended"] == ["web"]


def test_a_service_says_that_it_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.copy(bundled_clip("demo").table, tmp_path / "mesa.toml")
    path = tmp_path / "tables.toml"
    path.write_text('data = "data"\n[[table]]\nfile = "mesa.toml"\nsource = "rtsp://10.0.0.9/x"\n')
    monkeypatch.setattr(Supervisor, "run", lambda self: 0)
    caplog.set_level(logging.INFO)
    assert supervisor.run_service(read_config(path), logs.TEXT) == 0
    assert caplog.records[-1].message in ("the service has ended", "fin del servicio")


def test_metrics_and_health_are_answered(tmp_path: Path) -> None:
    report = {"tables": {"mesa-1": {**TOLD, "health": HEALTH}}, "web": None, "disk": []}
    report["index"] = {"put_aside": 2, "lacking": 0}
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
        assert "veedor_index_put_aside_total 2.0" in lines
        assert 'veedor_view_lost{table="mesa-1"} 1.0' in lines
        assert 'veedor_view_lost_seconds_total{table="mesa-1"} 12.5' in lines
        report["disk"] = ["full"]
        report["web"] = {"running": False, "restarts": 4, "waits_for": ""}
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{base}/health")
        assert refused.value.code == 503
        assert json.load(refused.value)["trouble"] == {"data folder": ["full"], "web": ["not running"]}
        with urllib.request.urlopen(f"{base}/metrics") as answer:
            assert "veedor_web_up 0.0" in answer.read().decode()
        with pytest.raises(urllib.error.HTTPError) as missing:
            urllib.request.urlopen(f"{base}/../etc/passwd")
        assert missing.value.code == 404
        with pytest.raises(UsageFault, match="cannot be used"):
            MetricsServer("127.0.0.1", server.port, lambda: report)
    finally:
        server.close()
