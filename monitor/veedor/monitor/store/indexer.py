"""The thread that brings a table's lines into the index; nobody who watches waits for it or dies with it."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass

from veedor.monitor.language import text
from veedor.monitor.store.alarms import OnceTold
from veedor.monitor.store.errors import StoreError
from veedor.monitor.store.layout import SessionFolder, session_folders
from veedor.monitor.store.store import Store

log = logging.getLogger(__name__)

RETRY_S = 5.0
LOOK_S = 0.5


@dataclass(frozen=True)
class _Job:
    """Something to bring into the index. `done` is called when it has been tried; `urgent` tries at once."""

    write: Callable[[], None] | None = None
    urgent: bool = False
    done: Callable[[], None] | None = None


class Indexer:
    """Of one session. The files have everything: what cannot be indexed now is read from them later.

    `idle` is called every few seconds when there is nothing to do, in the thread.
    """

    def __init__(
        self, store: Store, folder: SessionFolder, alarm: OnceTold, idle: Callable[[], None]
    ) -> None:
        self._store, self._folder, self._alarm, self._idle = store, folder, alarm, idle
        self._behind, self._due_s = True, 0.0  # the index may lack something; when to try again
        self._openings = -1  # of the file that has it all
        self._others: deque[SessionFolder] = deque()  # earlier sessions of the table, to be looked through
        self._jobs: queue.Queue[_Job | None] = queue.Queue()
        self._guard = threading.Lock()
        self._ending = False
        self._thread = self._started()

    def put(self, write: Callable[[], None] | None = None) -> None:
        """Bring this in, after all that came before it; without it, whatever is missing."""
        self._jobs.put(_Job(write))
        self.tend()

    def flush(self) -> None:
        """Wait until everything so far has been tried."""
        done = threading.Event()
        self._jobs.put(_Job(urgent=True, done=done.set))
        while not done.wait(LOOK_S):
            self.tend()

    def stop(self) -> None:
        """No more comes; what is waiting is tried."""
        self._ending = True
        self._jobs.put(None)
        self._thread.join()

    def tend(self) -> None:
        """See to it that the thread lives: one that has died is told of and started anew."""
        with self._guard:
            if self._ending or self._thread.is_alive():
                return
            died = text(
                es="el hilo del índice murió; se arranca de nuevo", en="index thread died; started anew"
            )
            self._alarm.tell("thread", f"{self._folder.session}: {died}")
            self._behind = True
            self._thread = self._started()

    def _started(self) -> threading.Thread:
        name = f"index {self._folder.table_id}"
        thread = threading.Thread(target=copy_context().run, args=(self._work,), name=name, daemon=True)
        thread.start()
        return thread

    def _work(self) -> None:
        while True:
            try:
                job = self._jobs.get(timeout=0.0 if self._others else RETRY_S)
            except queue.Empty:
                job = _Job()
            if job is None:
                return
            try:
                if job.write is None:
                    self._idle()
                self._bring_in(job)
            except Exception as fault:
                self._put_off(fault)
            finally:
                if job.done is not None:
                    job.done()

    def _bring_in(self, job: _Job) -> None:
        openings = self._store.openings()
        if self._behind or openings != self._openings:
            # Until then there is no sense in adding to the index: the files have it all.
            self._behind = True
            if not job.urgent and time.monotonic() < self._due_s:
                return
            self._store.reindex(self._folder.session)
            if openings != self._openings:
                self._others = deque(self._earlier())
            self._behind, self._openings = False, openings
        if job.write is not None:
            job.write()
        elif self._others:
            self._store.catch_up(self._others.pop())
        self._alarm.over("index")
        self._alarm.over("thread")

    def _put_off(self, fault: Exception) -> None:
        self._behind, self._due_s = True, time.monotonic() + RETRY_S
        self._others.clear()
        self._openings = -1
        if isinstance(fault, StoreError):
            self._alarm.tell("index", str(fault))
            return
        # Whatever it is, it must not end the thread.
        told = f"{self._folder.session}: {type(fault).__name__}: {fault}"
        if self._alarm.tell("index", " ".join(told.split())):
            log.error("index", exc_info=fault)

    def _earlier(self) -> list[SessionFolder]:
        """Oldest first; the newest is looked through first."""
        mine = self._folder
        return [
            each
            for each in session_folders(mine.data)
            if each.table_id == mine.table_id and each.session != mine.session
        ]
