"""`veedor bus listen` on a table that nobody watches says so, once, and waits for it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from veedor.monitor.bus import BusPublisher, BusSetting
from veedor.monitor.ops.heartbeat import Heartbeat, Pulse


def test_a_table_that_is_silent_is_told_and_waited_for(tmp_path: Path) -> None:
    setting = BusSetting(tmp_path / "bus", "mesa-1")
    first = BusPublisher(setting, {})
    place = (tmp_path / "bus" / "mesa-1.json").read_bytes()
    first.close()
    (tmp_path / "bus" / "mesa-1.json").write_bytes(place)  # as a process that was killed leaves it
    Pulse(tmp_path, "mesa-1").beat(Heartbeat("mesa-1/S", os.getpid(), time.time() - 60.0, 1.0, 1.0, {}))
    command = [sys.executable, "-m", "veedor.monitor.cli", "--lang", "en", "bus", "listen"]
    command += ["--data", str(tmp_path), "--table", "mesa-1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as listening:
        assert listening.stderr is not None and listening.stdout is not None
        told = listening.stderr.readline()
        assert told.startswith("table 'mesa-1': not watched, last heard of 6") and "waiting" in told
        listening.terminate()
        assert not listening.stderr.read()
