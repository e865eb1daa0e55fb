"""clock.jsonl: each point once, and no more of them than anybody could go by."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from veedor.monitor import clock_log
from veedor.monitor.clock_log import ClockLog
from veedor.vision.stream_clock import WallClock


def test_a_clock_that_is_set_without_end_fills_no_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock_log, "MOST_STEPS", 5)
    path, now = tmp_path / "clock.jsonl", [0.0]
    wall = WallClock(lambda: now[0])
    log = ClockLog(path, wall)
    for number in range(800):  # two readings a second apart ten times, then the clock is set again
        now[0] = 1e9 + number + 100.0 * (number // 10)
        wall.note(float(number))
        log.follow()
        if number == 40:  # the process was started anew: what is in the file counts
            log = ClockLog(path, wall)
            log._noted_s = wall.points[-1].t_s
    told = [json.loads(line)["why"] for line in path.read_text().splitlines()]
    assert [why for why in told if why != "minute"] == ["start", *["step"] * 4, "last step that is noted"]
    wall.note(2000.0)
    wall.note(2100.0)
    log.follow()
    assert len(path.read_text().splitlines()) >= len(told)
