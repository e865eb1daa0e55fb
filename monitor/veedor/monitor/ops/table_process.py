"""The process that watches one table: `python -m veedor.monitor.ops.table_process tables.toml TABLE`."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from contextvars import copy_context
from dataclasses import replace
from pathlib import Path
from typing import cast

from veedor.monitor import language
from veedor.monitor.announcements import Announcements
from veedor.monitor.bus import FRAME, HEALTH, BusSetting, bus_folder
from veedor.monitor.cameras import LiveSource, Opening, open_table
from veedor.monitor.clock_log import ClockLog
from veedor.monitor.errors import MonitorError
from veedor.monitor.evidence_live import EvidenceKeeper, versions
from veedor.monitor.evidence_live_folder import Origin as Whence
from veedor.monitor.eyes import model_hashes, open_eyes
from veedor.monitor.fault_words.telling import in_words
from veedor.monitor.fold import Fold
from veedor.monitor.language import Language, text
from veedor.monitor.live import LiveLoop, LiveSetting
from veedor.monitor.makers import note_makers
from veedor.monitor.operator_events import OperatorDesk
from veedor.monitor.ops import logs
from veedor.monitor.ops.bus_table import BusBoard
from veedor.monitor.ops.config import WatchConfig, WatchedTable, read_config
from veedor.monitor.ops.heartbeat import BEAT_S, Heartbeat, Pulse, opening_beats
from veedor.monitor.ops.locks import Lock
from veedor.monitor.ops.memory import few_arenas, keep_small
from veedor.monitor.ops.parent import end_with_service
from veedor.monitor.ops.sessions import Continued, session_to_continue, take_up
from veedor.monitor.ops.table_health import BlindTime, TimedDetector, Watched, health_of
from veedor.monitor.pacing import TimedFrame
from veedor.monitor.ring import RingBuffer, RingLimits
from veedor.monitor.signals import answered_by
from veedor.monitor.store import SessionRecord, Store, StoreError
from veedor.monitor.store.layout import SessionFolder
from veedor.monitor.store.patient_journal import PatientJournal
from veedor.rules.errors import RulesError
from veedor.rules.events import SessionOpened, TableEvent
from veedor.rules.finding import Finding
from veedor.rules.journal import Fsync
from veedor.rules.profile import load_profile
from veedor.vision.detector import Detector
from veedor.vision.errors import VisionError
from veedor.vision.stream_address import shown_address
from veedor.vision.stream_clock import Origin
from veedor.vision.table_file import save_table

log = logging.getLogger(__name__)

CLOCK_FILE, KEYS_FILE = "clock.jsonl", "entries.jsonl"
_GB = 1e9


class TableProcess:
    """One table from its cameras to its record, its index and the bus; a context manager."""

    def __init__(self, config: WatchConfig, watched: WatchedTable) -> None:
        self._config, self._table = config, watched
        self._alarms: list[str] = []
        self._stop = threading.Event()
        self._ring: RingBuffer | None = None
        self._evidence: EvidenceKeeper | None = None
        with ExitStack() as stack:
            self._open(stack)
            self._stack = stack.pop_all()

    def _open(self, stack: ExitStack) -> None:
        table, data = self._table.table, self._config.data
        lock = Lock(data / "tables" / table.id / ".lock", f"table '{table.id}'")
        stack.callback(lock.release)
        self._pulse = Pulse(data, table.id)
        with opening_beats(self._pulse) as enter:
            self._open_parts(stack, enter)

    def _open_parts(self, stack: ExitStack, enter: Callable[[str], None]) -> None:
        config, table, data = self._config, self._table.table, self._config.data
        enter("record")
        profile = load_profile(table.profile, named_in=self._table.file)
        gap = session_to_continue(data, table.id, config.limits.resume_s) if self._table.live else None
        store = stack.enter_context(Store.of_data(data, alarm=self._alarm))
        self._record = self._session(store, gap)
        stack.callback(self._record.stop)
        stack.callback(self._close_pictures)
        folder = self._record.folder
        _note_table(self._table, folder.table_file)
        _note_makers(folder, profile.id)
        ring = data / "ring" / table.id
        self._ring = RingBuffer(ring, session=folder.session, limits=self._ring_limits(), alarm=self._alarm)
        info, made_with = self._record.info, versions(profile.id, model_hashes())
        whence = Whence(info.session, info.started_at, made_with, table.chips)
        self._evidence = EvidenceKeeper(self._record, self._ring, whence, alarm=self._alarm)
        enter("cameras")
        origin = Origin(None if gap is None else gap.origin_s)
        opening = Opening(recorder=self._ring, patient=True, origin=origin)
        self._source: LiveSource = open_table(table, self._table.source, opening)
        enter("journal")
        self._journal = PatientJournal(folder.journal, fsync=Fsync.EVERY_COUP, alarm=self._alarm)
        self._fold = stack.enter_context(Fold(table, profile, Announcements(), self._journal))
        desk = OperatorDesk(self._fold, self._source.now_s, folder.path / KEYS_FILE)
        setting = BusSetting(bus_folder(data), table.id, config.bus_place(table.id))
        self._board = BusBoard(setting, desk.handlers())
        stack.callback(self._board.bus.close)
        self._tell(gap)
        enter("models")
        eyes = open_eyes(threads=config.limits.threads)
        self._detector = TimedDetector(eyes.detector)
        self._eyes = replace(eyes, detector=cast(Detector, self._detector))
        self._watched = Watched(self._source, self._frame)
        self._blind = BlindTime()
        self._clock = ClockLog(folder.path / CLOCK_FILE, self._source.wall)

    def _session(self, store: Store, gap: Continued | None) -> SessionRecord:
        if gap is not None:
            return SessionRecord.resume(store, gap.session, alarm=self._alarm)
        table, source = self._table.table, self._table.source or self._table.table.source or ""
        return SessionRecord.begin(
            store, table.id, table.name, source=shown_address(source), alarm=self._alarm
        )

    def _ring_limits(self) -> RingLimits:
        limits = self._config.limits
        return RingLimits(max_bytes=int(limits.ring_gb * _GB), max_age_s=3600.0 * limits.ring_hours)

    def _tell(self, gap: Continued | None) -> None:
        """Bring the fold to where its session is, and from now on tell of everything that is new."""
        again = [] if gap is None else take_up(self._fold, self._record.folder, gap)
        self._fold.on_event, self._fold.on_finding = self._event, self._finding
        if self._evidence is not None:
            self._fold.on_look = self._evidence.saw
        for number, finding in again:
            self._finding(number, finding)
        if gap is None:
            info = self._record.info
            unit = self._table.unit
            self._fold.open(SessionOpened(self._table.table.profile, info.started_at, unit, t=0.0))
        else:
            told = {"session": gap.session, "unseen_since_s": round(gap.unseen_since_s, 1)}
            log.info(
                "the session goes on", extra=told | {"unseen_s": round(gap.now_s - gap.unseen_since_s, 1)}
            )

    def _close_pictures(self) -> None:
        """Evidence that still waits is made of the pictures that are there."""
        if self._evidence is not None and self._ring is not None:
            self._ring.close()
            self._evidence.close()
        self._ring = self._evidence = None

    def _event(self, event: TableEvent) -> None:
        self._record.events([event])
        self._board.tell_event(event)

    def _finding(self, number: int, finding: Finding) -> None:
        new = self._record.finding(number, finding)
        self._board.tell_finding(number, finding)
        if self._evidence is not None:
            wanted = set(finding.events)
            events = [event for event in self._fold.events if event.id in wanted]
            self._evidence.found(number, finding, events, self._board.still(number))
        if new:  # after a restart all that stand come again
            told = {"number": number, "code": finding.code, "verdict": str(finding.verdict)}
            log.info("finding", extra=told)

    def run(self) -> None:
        """Watch until the source ends or `stop`."""
        beats = threading.Thread(target=copy_context().run, args=(self._beat,), name="pulse", daemon=True)
        beats.start()
        setting = LiveSetting(
            self._table.table,
            self._eyes,
            self._fold,
            self._board,
            self._source.duration_s,
            self._clock,
            self._alarm,
        )
        loop = LiveLoop(setting)
        try:
            loop.run(self._watched.items(self._source.items(self._stop)))
            self._close_pictures()
            self._record.end()
        finally:
            self._stop.set()
            beats.join()

    def stop(self) -> None:
        """End as if the source had; from any thread, or a signal."""
        self._stop.set()

    def __enter__(self) -> TableProcess:
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.close()

    def _frame(self, timed: TimedFrame) -> None:
        frame = timed.frame
        told = {"index": frame.index, "camera": timed.camera, "late_s": round(timed.late_s, 3)}
        self._board.bus.publish(FRAME, told, frame.t_s)

    def _beat(self) -> None:
        while True:
            self._record.tend()
            now_s = self._source.now_s()
            health = self._health(now_s)
            self._board.bus.publish(HEALTH, health | {"last": self._board.bus.numbers()}, now_s)
            session, loop_at = self._record.session, self._watched.loop_at
            self._pulse.beat(Heartbeat(session, os.getpid(), time.time(), now_s, loop_at, health))
            if self._stop.wait(BEAT_S):
                return

    def _health(self, now_s: float) -> dict[str, object]:
        health = health_of(self._watched, self._detector, self._fold, self._board, self._config.data)
        told = {"session": self._record.session, "alarms": self._alarms[-5:]}
        with self._fold.lock:
            unseen = self._fold.sight.unseen
        return health | self._blind.tell(unseen, now_s) | told | {"troubles": self._troubles()}

    def _troubles(self) -> dict[str, str]:
        """What goes wrong now, by part, in a line each; nothing of it ends the watching."""
        ring, evidence = self._ring, self._evidence
        parts: dict[str, tuple[str, ...]] = {
            "journal": self._journal.troubles,
            "buffer": () if ring is None else ring.troubles,
            "evidence": () if evidence is None else evidence.troubles,
            "bus": self._board.bus.troubles,
        }
        return {part: lines[0] for part, lines in parts.items() if lines} | dict(self._record.troubles)

    def _alarm(self, line: str) -> None:
        logs.alarm(log, line)
        self._alarms.append(line)
        del self._alarms[:-20]


def _note_table(watched: WatchedTable, path: Path) -> None:
    """The table as it is watched, beside its journal; without addresses, which may hold passwords."""
    cameras = tuple(replace(camera, source=None) for camera in watched.table.cameras)
    try:
        save_table(replace(watched.table, source=None, cameras=cameras), path)
    except OSError as fault:
        log.error("%s: %s", path, fault.strerror or fault)


def _note_makers(folder: SessionFolder, profile: str) -> None:
    """Which weights and rules judge from now on; without it the table is watched all the same."""
    try:
        note_makers(folder, profile)
    except StoreError as fault:
        log.error("%s", in_words(fault))


def main(arguments: Sequence[str] | None = None) -> int:
    """Watch one table of a service until it is told to stop; 2 with a line for what cannot be watched."""
    parser = argparse.ArgumentParser(prog="veedor.monitor.ops.table_process")
    parser.add_argument("config", type=Path)
    parser.add_argument("table")
    parser.add_argument("--log", choices=logs.FORMS, default=logs.TEXT)
    parser.add_argument("--lang", type=Language, default=language.from_locale())
    args = parser.parse_args(arguments)
    language.use(args.lang)
    end_with_service()
    with logs.nothing_but_lines(args.log, args.table):
        try:
            return _watch(args)
        except (MonitorError, VisionError, RulesError) as fault:
            log.error("%s", in_words(fault))
            return 2
        except Exception:
            log.exception(text(es="termina por un fallo propio", en="ends by a fault of its own"))
            return 1


def _watch(args: argparse.Namespace) -> int:
    config = read_config(args.config, kept=True)
    few_arenas()
    with (
        TableProcess(config, config.table(args.table)) as process,
        answered_by(lambda *_: process.stop(), signal.SIGTERM, signal.SIGINT),
    ):
        keep_small(process._stop)
        log.info(text(es="se vigila", en="watching"), extra={"session": process._record.session})
        process.run()
    log.info(text(es="terminó", en="ended"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
