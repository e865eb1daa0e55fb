"""What a running service costs: every process's share of a core and memory, sampled while it runs."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_SLOPE_S = 1200.0


@dataclass(frozen=True)
class Sample:
    """`cpu` in cores since the last sample and `rss` in MB, by part; `others` is what all other processes of
    the machine took, in cores; `health` is the table's last message about itself."""

    at: float
    cpu: Mapping[str, float]
    rss: Mapping[str, float]
    others: float
    load: float
    health: Mapping[str, object]


def family(pid: int) -> list[int]:
    """A process and all that it has started."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            fields = _stat(int(entry.name))
            if fields:
                parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found, at = [pid], 0
    while at < len(found):
        found += parents.get(found[at], [])
        at += 1
    return found


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on; none where it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _cpu_s(pid: int) -> float:
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / _TICKS if fields else 0.0


def _rss_mb(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE / 1e6
    except (OSError, IndexError):
        return 0.0


def _busy_s() -> float:
    """CPU time of the whole machine."""
    fields = [int(each) for each in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / _TICKS


class Sampler:
    """Samples in a thread every `step_s`. `parts` gives the processes of each part at that moment."""

    def __init__(
        self,
        parts: Callable[[], Mapping[str, Sequence[int]]],
        health: Callable[[], Mapping[str, object]],
        step_s: float = 5.0,
    ) -> None:
        self.samples: list[Sample] = []
        self._parts, self._health, self._step_s = parts, health, step_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        before: dict[int, float] = {}
        busy_s, at = _busy_s(), time.time()
        while not self._stop.wait(self._step_s):
            parts = self._parts()
            now, spent = {pid: _cpu_s(pid) for pids in parts.values() for pid in pids}, time.time() - at
            cpu = {
                name: sum(max(0.0, now[pid] - before.get(pid, now[pid])) for pid in pids) / spent
                for name, pids in parts.items()
            }
            all_s = _busy_s()
            others = max(0.0, (all_s - busy_s) / spent - sum(cpu.values()))
            rss = {name: sum(map(_rss_mb, pids)) for name, pids in parts.items()}
            self.samples.append(Sample(time.time(), cpu, rss, others, os.getloadavg()[0], self._health()))
            before, busy_s, at = now, all_s, at + spent


def summary(samples: Sequence[Sample]) -> dict[str, object]:
    """Medians and extremes of a run without its first minute, and whether memory grows."""
    kept = [each for each in samples if each.at > samples[0].at + 60.0] or list(samples)
    late = [each for each in kept if each.at > kept[-1].at - _SLOPE_S]
    parts = sorted({name for each in kept for name in each.cpu})
    ages = [
        float(str(each.health["frame_age_s"])) for each in kept if each.health.get("frame_age_s") is not None
    ]
    lags = [float(str(each.health["lag_s"])) for each in kept if each.health.get("lag_s") is not None]
    return {
        "samples": len(kept),
        "cpu_cores": {name: spread([each.cpu.get(name, 0.0) for each in kept]) for name in parts},
        "others_cores": spread([each.others for each in kept]),
        "load_average": spread([each.load for each in kept]),
        "rss_mb": {name: spread([each.rss.get(name, 0.0) for each in kept]) for name in parts},
        "rss_mb_an_hour": {name: round(_slope(late, name), 1) for name in parts},
        "rss_by_fifths_mb": {name: _fifths([each.rss.get(name, 0.0) for each in kept]) for name in parts},
        "frame_age_s": spread(ages),
        "frame_age_by_fifths_s": _fifths(ages),
        "lag_s": spread(lags),
        "last_health": dict(kept[-1].health),
    }


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, 95th percentile and most."""
    if not values:
        return {}
    p50, p95 = np.quantile(values, (0.5, 0.95))
    return {
        "n": len(values),
        "p50": round(float(p50), 3),
        "p95": round(float(p95), 3),
        "max": round(max(values), 3),
    }


def _fifths(values: Sequence[float]) -> list[float]:
    return [round(float(np.median(part)), 3) for part in np.array_split(values, 5) if len(part)]


def _slope(samples: Sequence[Sample], name: str) -> float:
    """MB an hour, of the straight line that fits best."""
    hours = np.array([each.at for each in samples]) / 3600.0
    if len(hours) < 3:
        return 0.0
    return float(np.polyfit(hours - hours[0], [each.rss.get(name, 0.0) for each in samples], 1)[0])
