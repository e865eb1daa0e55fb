"""Perceiving the segments of recordings, in one process or several, each result kept as soon as it is there.

A segment's percepts do not depend on who computes them or when: every process looks with one thread and
begins every segment afresh.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

import cv2
from veedor.monitor.durable import write_whole
from veedor.monitor.errors import MonitorError
from veedor.monitor.eyes import open_eyes
from veedor.vision.perceive import Perceiver
from veedor.vision.percept import encode_percepts
from veedor.vision.segments import Segment
from veedor.vision.sources import VideoSource
from veedor.vision.table_file import load_table


@dataclass(frozen=True)
class SegmentJob:
    """One segment of one recording of a table, and the file that its percepts go to."""

    video: Path
    segment: Segment
    result: Path
    table: Path


def run_segments(jobs: Sequence[SegmentJob], workers: int) -> Iterator[SegmentJob]:
    """Perceive every job, of whichever table, in any order; yields each once its result is on disk.

    With one worker the work is done here; with more, in processes that end with this one, however it ends.
    """
    if workers <= 1 or len(jobs) <= 1:
        looker = _Looker()
        for job in jobs:
            looker.look(job)
            yield job
        return
    context = multiprocessing.get_context("spawn")
    count = min(workers, len(jobs))
    with ProcessPoolExecutor(count, context, initializer=_start_worker) as pool:
        waiting = {pool.submit(_look, job): job for job in jobs}
        try:
            for done in as_completed(waiting):
                done.result()
                yield waiting[done]
        except BaseException as fault:
            # Whoever interrupts a review does not wait for segments that are half done.
            for child in multiprocessing.active_children():
                child.kill()
            pool.shutdown(wait=False, cancel_futures=True)
            if isinstance(fault, BrokenProcessPool):
                raise MonitorError("a worker process was killed; is there memory for so many?") from None
            raise


class _Looker:
    """One process's models, and the table and recording that it looked at last."""

    def __init__(self) -> None:
        cv2.setNumThreads(1)
        self._eyes = open_eyes(threads=1)
        # Jobs come in order: whoever is done with a recording hardly needs it again.
        self._table: tuple[Path, Perceiver] | None = None
        self._source: VideoSource | None = None

    def look(self, job: SegmentJob) -> None:
        if self._source is None or self._source.path != job.video:
            self._source = VideoSource(job.video)
        if self._table is None or self._table[0] != job.table:
            eyes = self._eyes
            perceiver = Perceiver(load_table(job.table), eyes.detector, eyes.reader, eyes.counter)
            self._table = job.table, perceiver
        percepts = list(self._table[1].perceive(self._source, job.segment))
        write_whole(job.result, encode_percepts(percepts))


_looker: _Looker | None = None


def _start_worker() -> None:
    global _looker
    parent = multiprocessing.parent_process()
    assert parent is not None
    # Ctrl-C goes to every process of the terminal; the parent ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A worker whose parent was killed would wait for its next job for ever.
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    _looker = _Looker()


def _end_with(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


def _look(job: SegmentJob) -> None:
    assert _looker is not None
    _looker.look(job)
