"""What a service does for its data folder meanwhile: retention, and an index that is whole."""

from __future__ import annotations

import logging
import threading
import time
from functools import partial
from pathlib import Path

from veedor.monitor.language import counted, text
from veedor.monitor.ops.logs import alarm
from veedor.monitor.retention import Retention, RetentionPolicy
from veedor.monitor.store import Store, StoreError
from veedor.monitor.store.layout import STORE, session_folders
from veedor.monitor.store.patient_database import times_put_aside

log = logging.getLogger(__name__)
_alarm = partial(alarm, log)

KEEP_EVERY_S = 60.0
EXAMINE_EVERY_S = 3600.0
LOOK_S = 2.0


class Keeper:
    """A thread that keeps one data folder. Nothing that goes wrong with the index ends it."""

    def __init__(self, data: Path, policy: RetentionPolicy) -> None:
        self._data, self._policy = data, policy
        self._stop = threading.Event()
        self._disk: tuple[str, ...] = ()
        self._index = ""
        self._lacking = 0
        self._index_path = data / STORE
        self._aside_before = times_put_aside(self._index_path)
        self._thread = threading.Thread(target=self._run, name="keeping", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """The round that runs is finished."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    @property
    def troubles(self) -> tuple[str, ...]:
        """What is wrong now, in a line each."""
        lacking: tuple[str, ...] = ()
        if self._lacking:
            told = counted(
                self._lacking,
                es=("sesión por indexar de nuevo", "sesiones por indexar de nuevo"),
                en=("session to be indexed anew", "sessions to be indexed anew"),
            )
            lacking = (f"{self._data}: {told}",)
        return (*self._disk, *((self._index,) if self._index else ()), *lacking)

    @property
    def put_aside(self) -> int:
        """Indexes put aside since this service began, by any of its processes."""
        return max(0, times_put_aside(self._index_path) - self._aside_before)

    @property
    def lacking(self) -> int:
        """Sessions that are to be brought into an index that was made anew."""
        return self._lacking

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with Store.of_data(self._data, alarm=_alarm) as store:
                    self._keep(store)
            except Exception as fault:
                self._tell(fault)
                self._stop.wait(LOOK_S)

    def _keep(self, store: Store) -> None:
        retention = Retention(store, self._policy, alarm=_alarm)
        openings, keep_at, examine_at = -1, time.monotonic() + KEEP_EVERY_S, time.monotonic()
        while not self._stop.is_set():
            try:
                if store.openings() != openings:
                    openings = store.openings()
                    self._bring_in(store, openings)
                now = time.monotonic()
                if now >= examine_at:
                    examine_at = now + EXAMINE_EVERY_S
                    store.examine()
                if now >= keep_at:
                    keep_at = now + KEEP_EVERY_S
                    retention.run()
                    store.database.into_the_file()
                self._index = ""
            except StoreError as fault:
                self._tell(fault)
                openings = -1
            self._disk = retention.troubles
            self._stop.wait(LOOK_S)

    def _bring_in(self, store: Store, openings: int) -> None:
        """What the index lacks, newest sessions first; of one that is another file by now, no more."""
        folders = sorted(session_folders(self._data), key=lambda each: each.path.name, reverse=True)
        behind = 0
        for number, folder in enumerate(folders):
            if self._stop.is_set() or store.openings() != openings:
                break
            behind += store.catch_up(folder)
            # A few of a crash are no news; that all are missing is.
            self._lacking = len(folders) - number - 1 if behind > 2 else 0
        self._lacking = 0
        if behind:
            log.info("sessions were brought into the index", extra={"sessions": behind})

    def _tell(self, fault: Exception) -> None:
        line = " ".join((str(fault) or type(fault).__name__).split())
        if line == self._index:
            return
        self._index = line
        if isinstance(fault, StoreError):
            _alarm(line)
        else:
            failed = text(es="no se puede cuidar la carpeta", en="the folder cannot be kept")
            log.error("%s: %s", self._data, failed, exc_info=fault, extra={"alarm": True})
