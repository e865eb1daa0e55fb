"""The rolling buffer: the last stretch of a camera's video on disk, as it came, to cut evidence from.

Nothing here stops whoever watches: packets are copied and handed to a thread; a disk that is full, slow or
broken costs pictures of the buffer, is told as an alarm, and is tried again.
"""

from __future__ import annotations

import errno
import logging
import queue
import re
import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import av
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.monitor.private_folder import private_folder
from veedor.monitor.ring_cut import Cut, cut
from veedor.monitor.ring_segments import Shelf, drop_torn
from veedor.monitor.ring_streams import OwnEncoder, OwnStream, SegmentFile, StoredPacket, stored_packet
from veedor.monitor.store.alarms import Alarm, OnceTold
from veedor.vision.frames import Frame

log = logging.getLogger(__name__)

SEGMENT_S = 4.0
MAX_BYTES = 2 * 1024**3
MAX_AGE_S = 3600.0
MIN_FREE_BYTES = 1024**3
# Within one segment; more than that begins a new one.
_JUMP_S = 1.0
_DRIFT_S = 0.2
# Clips that are waited for lie in it: this much stays whatever the limits say, and less where not even a
# journal could be written.
_NEWEST_S, _NEWEST_ON_FULL_DISK_S = 60.0, 20.0
_LONGEST_SEGMENTS = 5  # times `segment_s`: a camera that sends no keyframes for so long is cut off
_MOST_WAITING = 1000
_MOST_PICTURES_WAITING = 25
_RETRY_S = 1.0


@dataclass(frozen=True)
class RingLimits:
    """`min_free_bytes` is what the disk must keep for others, journals above all."""

    segment_s: float = SEGMENT_S
    max_bytes: int = MAX_BYTES
    max_age_s: float = MAX_AGE_S
    min_free_bytes: int = MIN_FREE_BYTES


@dataclass(frozen=True)
class Surroundings:
    """Where the buffer's times and space come from."""

    wall: Callable[[], float] = time.time
    free_bytes: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free


class RingBuffer:
    """One camera's buffer; a `veedor.vision.recording.PacketRecorder`. Media times are of one session.

    A folder of an earlier session is gone on with: its segments count for the limits until they are old.
    `session` names the time line; with the same name as before its segments can be cut from again.
    """

    def __init__(
        self,
        folder: Path,
        *,
        session: str = "",
        limits: RingLimits | None = None,
        alarm: Alarm = lambda line: None,
        around: Surroundings | None = None,
    ) -> None:
        self.folder, self.limits = folder, limits or RingLimits()
        self._around, self._alarm = around or Surroundings(), OnceTold(alarm)
        try:
            private_folder(folder)
            self.dropped_at_start = drop_torn(folder)
        except OSError as fault:
            raise UsageFault(f"{fault.filename or folder}: {fault.strerror or fault}") from fault
        for name in self.dropped_at_start:
            lost = text(es="sin terminar, eliminado", en="unfinished, deleted")
            log.info("%s: %s", folder / name, lost)  # what a killed process leaves; no alarm
        fresh = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        self._shelf = Shelf(folder, re.sub(r"[^\w.-]", ".", session or fresh, flags=re.ASCII)[-100:])
        self._lock = threading.Lock()  # of the shelf
        self._template: OwnStream | OwnEncoder | None = None
        self._file: SegmentFile | None = None
        self._retry_s = 0.0
        self._pictures = threading.Semaphore(_MOST_PICTURES_WAITING)
        self._jobs: queue.Queue[Callable[[], None] | None] = queue.Queue(_MOST_WAITING)
        self._overrun = False
        self._thread = threading.Thread(
            target=copy_context().run, args=(self._work,), name=f"ring {folder.name}", daemon=True
        )
        self._thread.start()

    # What the source tells; on its thread.

    def begin(self, stream_template: Any) -> None:
        try:
            own = OwnStream(stream_template)
        except (OSError, av.error.FFmpegError, ValueError) as fault:
            strange = text(es="no se puede guardar este vídeo", en="this video cannot be kept")
            self._alarm.tell("stream", f"{self.folder}: {strange}: {fault}")
            self.end()
            return
        self._alarm.over("stream")
        self._hand_over(lambda: self._begin(own), wait=True)

    def packet(self, packet: Any, t_s: float) -> None:
        stored = stored_packet(packet, t_s)
        # After one that did not fit nothing can be decoded until the next keyframe.
        if self._overrun and not stored.keyframe:
            return
        self._overrun = not self._hand_over(lambda: self._write(stored))

    def frame(self, frame: Frame) -> None:
        if not self._pictures.acquire(blocking=False):
            self._lagging()
            return
        if not self._hand_over(lambda: self._encode(frame)):
            self._pictures.release()

    def end(self) -> None:
        self._hand_over(self._end, wait=True)

    def _hand_over(self, job: Callable[[], None], *, wait: bool = False) -> bool:
        try:
            self._jobs.put(job, timeout=_RETRY_S if wait else None, block=wait)
        except queue.Full:
            self._lagging()
            return False
        return True

    def _lagging(self) -> None:
        lags = text(es="el disco no da abasto: se pierden imágenes", en="the disk lags: pictures are lost")
        self._alarm.tell("lag", f"{self.folder}: {lags}")

    # What others ask; on any thread.

    @property
    def recorded_until_s(self) -> float:
        """Media time up to which this session's segments are finished; 0 without any."""
        with self._lock:
            mine = [each.stop_s for each in self._shelf.segments if each.session == self._shelf.session]
        return max(mine, default=0.0)

    @property
    def bytes(self) -> int:
        """What the finished segments take on disk."""
        with self._lock:
            return self._shelf.bytes

    @property
    def troubles(self) -> tuple[str, ...]:
        """What keeps pictures out of the buffer now."""
        return self._alarm.standing

    def cut(self, t0_s: float, t1_s: float, out: Path, *, about_s: float | None = None) -> Cut | None:
        """The stretch as an MP4 file, packets as they came, from the keyframe at or before `t0_s` on.

        None where there is no picture of it. Only finished segments are used: see `recorded_until_s`. Where
        the camera was changed for another, the clip is of the one at `about_s` (the middle if left out).
        OSError or av.error.FFmpegError where `out` cannot be written.
        """
        with self._lock:
            segments = self._shelf.overlapping(t0_s, t1_s)
        return cut(segments, (t0_s, t1_s), (t0_s + t1_s) / 2 if about_s is None else about_s, out)

    def flush(self) -> None:
        """Wait until everything handed over so far has been dealt with."""
        done = threading.Event()
        self._jobs.put(done.set)
        done.wait()

    def close(self) -> None:
        """Finish what is open; a second call does nothing."""
        if self._thread.is_alive():
            self._jobs.put(self._end)
            self._jobs.put(None)
            self._thread.join()

    # The thread.

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except Exception as fault:  # costs the pictures of one file, whatever it is
                if not isinstance(fault, OSError | av.error.FFmpegError | ValueError):
                    log.exception("%s", self.folder)
                self._drop_file()
                if isinstance(fault, OSError) and fault.errno == errno.ENOSPC:
                    self._give_way()
                self._retry_s = time.monotonic() + _RETRY_S
                self._alarm.tell("write", f"{self.folder}: {getattr(fault, 'strerror', None) or fault}")

    def _give_way(self) -> None:
        keep_s = self._around.wall() - _NEWEST_ON_FULL_DISK_S
        with self._lock:
            self._shelf.drop_beyond(max_bytes=0, oldest_s=0.0, keep_s=keep_s)

    def _begin(self, own: OwnStream) -> None:
        self._end()
        self._template = own

    def _end(self) -> None:
        self._finish_file()
        self._template = None

    def _encode(self, frame: Frame) -> None:
        self._pictures.release()
        if not isinstance(self._template, OwnEncoder) or not self._template.fits(frame):
            self._finish_file()
            self._template = OwnEncoder(frame)
        for stored in self._template.packets(frame):
            self._write(stored)

    def _write(self, stored: StoredPacket) -> None:
        if self._template is None:
            return
        file = self._file
        if file is not None:
            length_s = stored.t_s - file.start_s
            due = stored.keyframe and length_s >= self.limits.segment_s
            torn = abs(stored.t_s - file.last_s) > _JUMP_S or file.drift_s(stored) > _DRIFT_S
            if due or torn or length_s > self.limits.segment_s * _LONGEST_SEGMENTS:
                self._finish_file()
        if self._file is None and not self._start_file(stored):
            return
        assert self._file is not None
        self._file.write(stored)

    def _start_file(self, first: StoredPacket) -> bool:
        if not first.keyframe or time.monotonic() < self._retry_s or not self._make_room():
            return False
        if isinstance(self._template, OwnStream):
            self._template.completed(first)
        assert self._template is not None
        with self._lock:
            part = self._shelf.part()
        self._file = SegmentFile(part, self._template.stream, first)
        return True

    def _make_room(self) -> bool:
        """Keep the limits; False where the disk has no room even so."""
        now_s, limits = self._around.wall(), self.limits
        with self._lock:
            keep_s = now_s - _NEWEST_S
            self._shelf.drop_beyond(
                max_bytes=limits.max_bytes, oldest_s=now_s - limits.max_age_s, keep_s=keep_s
            )
            short = limits.min_free_bytes - self._around.free_bytes(self.folder)
            if short > 0:
                self._shelf.drop_beyond(
                    max_bytes=max(0, self._shelf.bytes - short), oldest_s=0.0, keep_s=keep_s
                )
                short = limits.min_free_bytes - self._around.free_bytes(self.folder)
        if short > 0:
            full = text(es="disco lleno: no se guardan imágenes", en="disk full: no pictures are kept")
            self._alarm.tell("full", f"{self.folder}: {full}")
            return False
        self._alarm.over("full")
        return True

    def _finish_file(self) -> None:
        file, self._file = self._file, None
        if file is None:
            return
        try:
            file.close()
            with self._lock:
                self._shelf.take_in(file.path, file.start_s, file.stop_s)
        except BaseException:
            file.path.unlink(missing_ok=True)
            raise
        self._alarm.over("write")
        self._alarm.over("lag")

    def _drop_file(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError, av.error.FFmpegError):
                file.close()
            with suppress(OSError):
                file.path.unlink(missing_ok=True)
