"""How fast a recording is reviewed: against its own length, and against decoding alone on the same clip."""

from __future__ import annotations

import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from veedor.monitor.announcements import Announcements
from veedor.monitor.eyes import open_eyes
from veedor.monitor.fold import Fold
from veedor.monitor.segment_run import SegmentJob, run_segments
from veedor.rules.journal import Fsync
from veedor.rules.profile import load_profile
from veedor.vision.detections import Detections
from veedor.vision.detector import Detector
from veedor.vision.frames import Image
from veedor.vision.perceive import Perceiver
from veedor.vision.percept import decode_percepts
from veedor.vision.reader import CardReadings, Reader
from veedor.vision.segments import segments_of
from veedor.vision.sources import VideoSource
from veedor.vision.table_file import load_table

WARM_UP_FRAMES = 25


@dataclass
class Stopwatch:
    """Seconds of every call by stage."""

    laps: dict[str, list[float]] = field(default_factory=dict)

    @contextmanager
    def lap(self, stage: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.laps.setdefault(stage, []).append(time.perf_counter() - started)

    def summary(self) -> dict[str, dict[str, float]]:
        """Median, p95 and sum by stage."""
        return {stage: describe_laps(laps) for stage, laps in self.laps.items()}


def describe_laps(laps: list[float]) -> dict[str, float]:
    """Calls, median and 95th percentile in ms, total in s."""
    return {
        "calls": len(laps),
        "median_ms": round(statistics.median(laps) * 1e3, 3),
        "p95_ms": round(float(np.percentile(laps, 95)) * 1e3, 3),
        "total_s": round(sum(laps), 3),
    }


@dataclass(frozen=True)
class _TimedDetector:
    detector: Detector
    watch: Stopwatch

    def detect(self, image_bgr: Image, *, scale: float = 1.0, min_score: float = 0.35) -> Detections:
        with self.watch.lap("detect"):
            return self.detector.detect(image_bgr, scale=scale, min_score=min_score)


@dataclass(frozen=True)
class _TimedReader:
    reader: Reader
    watch: Stopwatch

    def read_cards(self, image_bgr: Image, corners_px: NDArray[np.floating]) -> CardReadings:
        with self.watch.lap("read_cards"):
            return self.reader.read_cards(image_bgr, corners_px)


def bench_review(video: Path, table: Path, workers: int) -> dict[str, object]:
    """Figures of one clip, for people and regression files; times are of this machine as it is loaded now."""
    source = VideoSource(video)
    info = source.info
    decode_s = _timed(lambda: sum(1 for _ in source.frames()))
    watch = Stopwatch()
    with tempfile.TemporaryDirectory() as folder:
        segments = segments_of(info.duration_s)
        jobs = [SegmentJob(video, each, Path(folder) / str(each.number), table) for each in segments]
        review_s = _timed(lambda: sum(1 for _ in run_segments(jobs, workers)))
        review_s += _timed(lambda: _fold(jobs, table, Path(folder) / "journal.jsonl", watch))
    _time_stages(source, table, watch)
    return {
        "clip": video.name,
        "width": info.width,
        "height": info.height,
        "rate_fps": round(info.rate_fps, 3),
        "frames": info.frames,
        "duration_s": round(info.duration_s, 3),
        "workers": workers,
        "cores": os.cpu_count(),
        "review_s": round(review_s, 3),
        "decode_s": round(decode_s, 3),
        "times_real_time": round(info.duration_s / review_s, 3),
        "times_decoding": round(review_s / decode_s, 3),
        "stages": watch.summary(),
        "peak_memory_mb": {
            "process": _megabytes(resource.RUSAGE_SELF),
            "largest_worker": _megabytes(resource.RUSAGE_CHILDREN),
        },
    }


def _fold(jobs: Sequence[SegmentJob], table_path: Path, journal: Path, watch: Stopwatch) -> None:
    """What comes after perception, stills and clips of findings left out: they depend on what was found."""
    table = load_table(table_path)
    with Fold(table, load_profile(table.profile), Announcements(), journal, Fsync.NEVER) as fold:
        for job in jobs:
            for percept in decode_percepts(job.result.read_bytes()):
                with watch.lap("fold"):
                    fold.look(percept)
        fold.finish()


def _time_stages(source: VideoSource, table: Path, watch: Stopwatch) -> None:
    """One pass in this process with the clock on: what each stage costs, on one thread.

    `see` is a whole look, `detect` and `read_cards` included.
    """
    eyes = open_eyes(threads=1)
    perceiver = Perceiver(
        load_table(table),
        _TimedDetector(eyes.detector, watch),
        _TimedReader(eyes.reader, watch),
        eyes.counter,
    )
    for frame, _ in zip(source.frames(), range(WARM_UP_FRAMES), strict=False):
        perceiver.see(frame)
    for stage in ("detect", "read_cards"):
        watch.laps.pop(stage, None)
    perceiver.reset()
    frames = source.frames()
    while True:
        with watch.lap("decode"):
            newest = next(frames, None)
        if newest is None:
            break
        with watch.lap("see"):
            percept = perceiver.see(newest)
        if percept is None:
            watch.laps["see"].pop()  # a frame between two looks costs nothing worth a median


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _megabytes(who: int) -> float:
    return round(resource.getrusage(who).ru_maxrss / 1024, 1)  # Linux counts in KiB
