"""What of a data folder's pictures may go, and when: by age, by size, and when the disk is full.

Journals, findings, decisions and what `finding.json` says of each finding are never deleted. Clips and stills
of what is under review stay, whatever the disk says; of the rest the oldest goes first.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from veedor.monitor.durable import write_json
from veedor.monitor.file_lock import held
from veedor.monitor.language import text
from veedor.monitor.review_cache import prune_reviews
from veedor.monitor.ring_segments import Segment, segments_in
from veedor.monitor.store import State, Store, StoreError, layout
from veedor.monitor.store.alarms import Alarm, OnceTold
from veedor.monitor.store.lines import read_object
from veedor.monitor.store.reserve import DiskReserve
from veedor.monitor.store.retained import Kept, kept_evidence
from veedor.monitor.store.truth import clip_of
from veedor.monitor.stretch_cache import prune
from veedor.monitor.utc import utc_now

GB = 10**9
DAY_S = 86_400.0
LOCK = "retention.lock"
# A clip is cut from pictures of the last minute.
RING_KEEPS_S = 120.0


@dataclass(frozen=True)
class RetentionPolicy:
    """How long pictures are kept. `max_gb` of all evidence; None does not limit.

    `min_free_gb` is what the disk must keep for journals: below it the oldest goes first. `keep_open`:
    findings that nobody has decided on count as under review.
    """

    max_age_days: float | None = 90.0
    max_gb: float | None = None
    min_free_gb: float = 2.0
    keep_open: bool = True

    def holds(self, kept: Kept) -> bool:
        """Whether evidence is under review, and may not be deleted."""
        under_review = kept.state is State.ESCALATED or (
            self.keep_open and kept.state is State.OPEN and not kept.withdrawn
        )
        return kept.protected or under_review


@dataclass(frozen=True)
class Retained:
    """What one round deleted, how much evidence is under review, and what the disk still lacks."""

    evidence: int = 0
    segments: int = 0
    freed_bytes: int = 0
    held: int = 0
    short_bytes: int = 0


class Retention:
    """Keeps one data folder within its policy; `run` it every minute, from one process or from several.

    `free_bytes` and `now` (seconds since 1970) are the disk's and the wall clock's.
    """

    def __init__(
        self,
        store: Store,
        policy: RetentionPolicy,
        *,
        alarm: Alarm,
        free_bytes: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._policy, self._alarm = store, policy, OnceTold(alarm)
        self._free_bytes, self._now = free_bytes, now
        self._reserve = DiskReserve(store.data)

    @property
    def troubles(self) -> tuple[str, ...]:
        """What is wrong with the disk now."""
        return self._alarm.standing

    def run(self) -> Retained | None:
        """One round; None where another process is at it."""
        try:
            with held(self._store.data / LOCK, wait=False):
                return self._round()
        except BlockingIOError:
            return None
        except (OSError, StoreError) as fault:
            where = f"{fault.filename}: {fault.strerror}" if isinstance(fault, OSError) else str(fault)
            self._alarm.tell("retention", where)
            return None

    def _round(self) -> Retained:
        evidence = kept_evidence(self._store)
        loose = [each for each in evidence if not self._policy.holds(each)]
        held = len(evidence) - len(loose)
        data, now_s = self._store.data, self._now()
        gone, freed = 0, prune(data, now_s) + prune_reviews(data, now_s)
        for kept, why in self._too_much(evidence, loose):
            loose.remove(kept)
            gone += self._remove(kept, why)
            freed += kept.bytes
        short = self._short()
        segments = 0
        for again in (prune, prune_reviews):  # what can be made again goes first, what takes longest last
            if short > 0:
                freed += again(data, now_s, everything=True)
                short = self._short()
        if short > 0:
            self._tell_full()
            for item in _oldest_first(loose, self._segments()):
                if isinstance(item, Kept):
                    gone += self._remove(item, "disk full")
                else:
                    item.path.unlink(missing_ok=True)
                    segments += 1
                freed += item.bytes
                short = self._short()
                if short <= 0:
                    break
        self._after(short, held)
        return Retained(gone, segments, freed, held, max(0, short))

    def _too_much(self, evidence: list[Kept], loose: list[Kept]) -> Iterator[tuple[Kept, str]]:
        """What is too old, then the oldest of what is too much."""
        policy, size = self._policy, sum(each.bytes for each in evidence)
        for kept in list(loose):
            old = policy.max_age_days is not None and (
                self._now() - _seconds(kept.made_at) > policy.max_age_days * DAY_S
            )
            much = policy.max_gb is not None and size > policy.max_gb * GB
            if old or much:
                size -= kept.bytes
                yield kept, "age" if old else "size"

    def _remove(self, kept: Kept, why: str) -> bool:
        """Delete clip and still; what the finding says stays, and says that they were deleted.

        False where somebody has put it under review this very moment.
        """
        now = next((each for each in kept_evidence(self._store, kept) if self._policy.holds(each)), None)
        if now is not None:
            return False
        session = self._store.folder(kept.session)
        folder = session.path / kept.folder
        about = read_object(folder / layout.FINDING)
        if about is not None:
            said = {**about, "removed": {"at": utc_now(), "why": why}}
            try:
                write_json(folder / layout.FINDING, said)
            except OSError:  # no room to say so: make it first
                _unlink(folder, kept.files)
                write_json(folder / layout.FINDING, said)
        _unlink(folder, kept.files)
        row = clip_of(session, folder.name)
        if row is not None:
            try:
                self._store.record_clip(row)
            except StoreError as fault:  # the index has no room either: the next round tells it
                self._alarm.tell("index", str(fault))
        return True

    def _segments(self) -> list[Segment]:
        """Pictures of rolling buffers that no clip waits for any more."""
        ring = self._store.data / layout.RING
        folders = [each for each in ring.rglob("*") if each.is_dir()] if ring.is_dir() else []
        kept_s = self._now() - RING_KEEPS_S
        return [each for folder in folders for each in segments_in(folder) if each.written_s < kept_s]

    def _short(self) -> int:
        return round(self._policy.min_free_gb * GB) - self._free_bytes(self._store.data)

    def _tell_full(self) -> None:
        full = text(
            es="disco casi lleno: se borran las pruebas más antiguas que nadie retiene",
            en="disk nearly full: the oldest evidence that nobody holds is deleted",
        )
        self._alarm.tell("full", f"{self._store.data}: {full}")

    def _after(self, short: int, held: int) -> None:
        if short > 0:
            nothing = text(
                es=f"disco lleno y nada más que borrar: {held} pruebas en revisión o protegidas",
                en=f"disk full and nothing left to delete: {held} pieces of evidence are under review",
            )
            self._alarm.tell("stuck", f"{self._store.data}: {nothing}")
            self._reserve.give()
            return
        self._alarm.over("stuck")
        self._alarm.over("full")
        self._alarm.over("retention")
        self._alarm.over("index")
        self._reserve.keep(self._free_bytes(self._store.data) - round(self._policy.min_free_gb * GB))


def _oldest_first(evidence: list[Kept], segments: list[Segment]) -> list[Kept | Segment]:
    aged: list[tuple[float, Kept | Segment]] = [(_seconds(each.made_at), each) for each in evidence]
    aged += [(each.written_s, each) for each in segments]
    return [each for _, each in sorted(aged, key=lambda item: item[0])]


def _seconds(stamp: str) -> float:
    """Seconds since 1970; what has no date that can be read counts as new."""
    try:
        return datetime.fromisoformat(stamp).timestamp()
    except (ValueError, OverflowError):
        return float("inf")


def _unlink(folder: Path, files: tuple[str, ...]) -> None:
    for name in files:
        (folder / name).unlink(missing_ok=True)
