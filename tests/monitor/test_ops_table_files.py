"""Table files that change while their tables are watched: used when they can be, told when they cannot."""

from __future__ import annotations

import logging
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.metrics import trouble_of
from veedor.monitor.ops import logs, supervisor, table_files
from veedor.monitor.ops.config import WatchConfig, read_config
from veedor.monitor.ops.supervisor import Child, Supervisor
from veedor.monitor.ops.table_files import SETTLED_S, TableFiles
from veedor.vision.errors import VisionError
from veedor.vision.table_file import load_table
from veedor.vision.toml_writing import table_to_toml
from waiting import until

GOOD = bundled_clip("demo").table.read_text(encoding="utf-8")
OTHER = GOOD.replace('name = "', 'name = "Otra ', 1)
UNCALIBRATED = table_to_toml(
    replace(load_table(bundled_clip("demo").table), camera=None, reference_points=(), cameras=())
)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def file(tmp_path: Path) -> Path:
    shutil.copy(bundled_clip("demo").table, tmp_path / "mesa.toml")
    return tmp_path / "mesa.toml"


@pytest.fixture
def config(file: Path) -> WatchConfig:
    path = file.with_name("tables.toml")
    path.write_text('data = "data"\n[[table]]\nfile = "mesa.toml"\nsource = "rtsp://10.0.0.9/x"\n')
    return read_config(path)


@contextmanager
def alarms(caplog: pytest.LogCaptureFixture) -> Iterator[list[str]]:
    found: list[str] = []
    with caplog.at_level(logging.INFO):
        yield found
    found += [each.getMessage() for each in caplog.records if getattr(each, "alarm", False)]


def settled(files: TableFiles, clock: Clock) -> list[str]:
    """What is told of a change: nothing at once, for another may follow."""
    assert files.changed() == []
    clock.now += SETTLED_S
    return files.changed()


def test_a_changed_file_is_told_once_and_after_it_has_settled(config: WatchConfig, file: Path) -> None:
    clock = Clock()
    files = TableFiles(config, clock)
    assert settled(files, clock) == []
    file.write_text(OTHER)
    assert settled(files, clock) == ["mesa-1"]
    assert settled(files, clock) == [] and files.faults == {}


def test_a_file_that_is_only_written_again_is_no_change(config: WatchConfig, file: Path) -> None:
    clock = Clock()
    files = TableFiles(config, clock)
    file.unlink()
    file.write_text(GOOD)
    assert settled(files, clock) == []


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("id = ", "mesa.toml: "),
        (UNCALIBRATED, "not calibrated"),
        (GOOD.replace('id = "mesa-1"', 'id = "mesa-9"', 1), "'mesa-9' now"),
        (None, "mesa.toml"),
    ],
)
def test_a_file_that_cannot_be_used_is_an_alarm_and_no_change(
    config: WatchConfig, file: Path, caplog: pytest.LogCaptureFixture, content: str | None, why: str
) -> None:
    clock = Clock()
    files = TableFiles(config, clock)
    with alarms(caplog) as told:
        if content is None:
            file.unlink()
        else:
            file.write_text(content)
        assert settled(files, clock) == [] and settled(files, clock) == []
    (line,) = told
    assert why in line and line.endswith("the table is watched as it was")
    assert why in files.faults["mesa-1"]
    file.write_text(OTHER)
    assert settled(files, clock) == ["mesa-1"] and files.faults == {}


def test_a_process_that_starts_meanwhile_reads_what_could_be_used_last(
    config: WatchConfig, file: Path
) -> None:
    clock = Clock()
    files = TableFiles(config, clock)
    file.write_text(OTHER)
    assert settled(files, clock) == ["mesa-1"]
    file.write_text(UNCALIBRATED)
    assert settled(files, clock) == []
    assert read_config(config.path, kept=True).table("mesa-1").table.name.startswith("Otra ")
    with pytest.raises(VisionError, match="not calibrated"):
        read_config(config.path)


def test_a_fault_of_its_file_is_in_a_table_s_health(config: WatchConfig, file: Path) -> None:
    clock = Clock()
    service = Supervisor(config, logs.TEXT)
    service.children = [Child("mesa-1", [], "mesa-1")]
    service._files = files = TableFiles(config, clock)
    file.write_text(UNCALIBRATED)
    settled(files, clock)
    told = service.report()["tables"]["mesa-1"]
    assert any(line.startswith("table file: ") and "not calibrated" in line for line in trouble_of(told))


CHILD = """
import signal, sys, time
from pathlib import Path
starts, ended = Path(sys.argv[1]), Path(sys.argv[2])
signal.signal(signal.SIGTERM, lambda *_: (ended.touch(), sys.exit(0)))
with starts.open("a") as file:
    file.write("started\\n")
time.sleep(60)
"""


def test_a_table_whose_file_changed_is_started_anew_in_order_and_not_as_one_that_died(
    config: WatchConfig, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "LOOK_S", 0.05)
    monkeypatch.setattr(table_files, "SETTLED_S", 0.1)
    starts, ended = file.with_name("starts"), file.with_name("ended")
    service = Supervisor(config, logs.TEXT)
    command = [sys.executable, "-c", CHILD, str(starts), str(ended)]
    child = Child("mesa-1", command, "mesa-1", wait_s=60.0)
    service.children = [child]
    thread = threading.Thread(target=service.run)
    thread.start()
    try:
        until(starts.is_file)
        file.write_text(UNCALIBRATED)
        until(lambda: "table file" in service.report()["tables"]["mesa-1"]["health"].get("troubles", {}))
        assert child.running and not ended.exists()
        file.write_text(OTHER)
        until(lambda: len(starts.read_text().splitlines()) == 2)
        assert ended.exists() and child.restarts == 0
    finally:
        service.stop()
        thread.join()
