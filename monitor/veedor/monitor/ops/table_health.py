"""How a table's process does: what its health messages, heartbeat and metrics are made of."""

from __future__ import annotations

import math
import os
import resource
import shutil
import statistics
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from veedor.monitor.cameras import CameraGap, Item, LiveSource
from veedor.monitor.fold import Fold
from veedor.monitor.live_state import Board
from veedor.monitor.pacing import TimedFrame
from veedor.monitor.sight_book import WHOLE_TABLE, Unseen
from veedor.vision.detections import Detections
from veedor.vision.frames import Image

_LOOKS = 200


class TimedDetector:
    """A detector that remembers how long its looks took."""

    def __init__(self, detector: Any) -> None:
        self._detector = detector
        self.took_ms: deque[float] = deque(maxlen=_LOOKS)
        self.looks = 0

    def detect(self, image_bgr: Image, **how: Any) -> Detections:
        started = time.perf_counter()
        found: Detections = self._detector.detect(image_bgr, **how)
        self.took_ms.append(1000.0 * (time.perf_counter() - started))
        self.looks += 1
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._detector, name)


class Watched:
    """Passes a source's items on and notes how the loop that takes them moves."""

    def __init__(self, source: LiveSource, on_frame: Callable[[TimedFrame], None]) -> None:
        self.source = source
        self.loop_at = time.time()
        self.frames = self.gaps = 0
        self.frame_at: float | None = None  # when the last picture came, by the monotonic clock
        self.lag_s = 0.0
        self.looked = False  # the first picture was looked at: it takes longest
        self._on_frame = on_frame

    def items(self, items: Iterator[Item]) -> Iterator[Item]:
        for item in items:
            self.loop_at = time.time()
            if isinstance(item, TimedFrame):
                self.frames += 1
                self.frame_at, self.lag_s = time.monotonic() - item.late_s, item.late_s
                self._on_frame(item)
            elif isinstance(item, CameraGap) and item.gap.until_s is None:
                self.gaps += 1
            yield item
            self.looked = self.looked or isinstance(item, TimedFrame)

    def frame_age_s(self) -> float | None:
        """How old the newest picture is that was looked at; None before the first."""
        return None if self.frame_at is None else time.monotonic() - self.frame_at


class BlindTime:
    """How long the whole view has been lost, now and in all since the process began.

    The sum is of the seconds between askings, so that it never runs back when a return is told late.
    """

    def __init__(self) -> None:
        self._sum_s = 0.0
        self._asked_s: float | None = None

    def tell(self, unseen: Sequence[Unseen], now_s: float) -> dict[str, object]:
        """Figures of the moment `now_s` of media time."""
        lost = next((each for each in unseen if each.zone == WHOLE_TABLE), None)
        if lost is not None and self._asked_s is not None:
            self._sum_s += max(0.0, now_s - self._asked_s)
        self._asked_s = now_s
        told = None
        if lost is not None:
            told = {"reason": lost.reason, "for_s": round(max(0.0, now_s - lost.since_s), 1)}
        return {"view_lost": told, "view_lost_s": round(self._sum_s, 1)}


def health_of(
    watched: Watched, detector: TimedDetector, fold: Fold, board: Board, data: Path
) -> dict[str, object]:
    """The figures of this moment."""
    took = sorted(detector.took_ms)
    _, state = board.latest()
    with fold.lock:
        findings = Counter(str(finding.verdict) for finding in fold.findings.values())
        events, coups = len(fold.events), fold.coups_closed
    age = watched.frame_age_s()
    return {
        "frame_age_s": None if age is None else round(age, 3),
        "lag_s": round(watched.lag_s, 3),
        "looked": watched.looked,
        "frames": watched.frames,
        "dropped": state.dropped,
        "gaps": watched.gaps,
        "cameras": [_finite(asdict(each)) for each in watched.source.health()],
        "looks": detector.looks,
        "detector_ms": round(statistics.median(took), 1) if took else None,
        "detector_p95_ms": round(took[int(0.95 * (len(took) - 1))], 1) if took else None,
        "findings": dict(findings),
        "events": events,
        "coups": coups,
        "disk_free_bytes": _free(data),
        "memory_bytes": _memory(),
        "cpu_s": round(sum(os.times()[:2]), 2),
    }


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    """JSON has no infinity: the age of a picture that never came."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in values.items()
    }


def _free(folder: Path) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def _memory() -> int:
    """Resident now, where the system tells; else the most so far."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
