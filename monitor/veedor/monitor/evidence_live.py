"""Evidence of a running table: each finding gets its clip and still once the pictures after it are there.

All work is done by a thread of its own; whoever watches the table only says what was seen and found.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping
from contextvars import copy_context
from dataclasses import dataclass, replace
from importlib import metadata
from typing import Any, Protocol

import av
from veedor.monitor.durable import write_whole
from veedor.monitor.evidence_live_folder import (
    EvidenceFolder,
    Found,
    Origin,
    describe,
    describe_files,
    remove_unfinished,
    still_of_clip,
)
from veedor.monitor.language import text
from veedor.monitor.model_versions import as_versions
from veedor.monitor.ring_cut import Cut
from veedor.monitor.store import SessionRecord, layout
from veedor.monitor.store.alarms import Alarm, OnceTold
from veedor.monitor.store.truth import clip_of
from veedor.rules.events import TableEvent
from veedor.rules.finding import Finding
from veedor.rules.verdict import Verdict
from veedor.vision.percept import Percept

log = logging.getLogger(__name__)

POLL_S = 0.5
RETRY_S = 10.0
_MOST_TRIES = 30  # five minutes of a full disk; later the pictures are gone from a small buffer
# Outlines are drawn from what was seen at the moment; findings come some seconds after theirs.
_PERCEPTS_S, _SEEN_WITHIN_S = 60.0, 1.0


class Clips(Protocol):
    """Where clips come from (`veedor.monitor.ring.RingBuffer`)."""

    @property
    def recorded_until_s(self) -> float: ...

    def cut(self, t0_s: float, t1_s: float, out: Any, *, about_s: float | None = None) -> Cut | None: ...


@dataclass(frozen=True)
class EvidenceSettings:
    """A clip reaches from `before_s` before the earliest event of a finding to `after_s` after its moment.

    It is no longer than `longest_s`: of a finding that rests on events minutes apart it shows the end. For
    pictures that do not come, a break of the stream, it waits `patience_s` and then says what is missing.
    """

    before_s: float = 5.0
    after_s: float = 5.0
    longest_s: float = 30.0
    patience_s: float = 20.0


@dataclass
class _Waiting:
    found: Found
    until_s: float  # monotonic: not longer for pictures that may never come
    tries: int = 0
    not_before_s: float = 0.0


class EvidenceKeeper:
    """Makes the evidence of one session's findings and registers it in the store."""

    def __init__(
        self,
        record: SessionRecord,
        clips: Clips,
        origin: Origin,
        *,
        settings: EvidenceSettings | None = None,
        alarm: Alarm,
    ) -> None:
        self._record, self._clips, self._origin = record, clips, origin
        self._settings, self._alarm = settings or EvidenceSettings(), OnceTold(alarm)
        self._percepts: deque[Percept] = deque()
        self._waiting: dict[int, _Waiting] = {}
        self._changed = threading.Condition()
        self._closing = False
        remove_unfinished(record.folder.evidence)
        self._thread = threading.Thread(
            target=copy_context().run, args=(self._work,), name="evidence", daemon=True
        )
        self._thread.start()

    def saw(self, percept: Percept) -> None:
        """What was perceived, in order of time."""
        with self._changed:
            self._percepts.append(percept)
            while self._percepts[0].t_s < percept.t_s - _PERCEPTS_S:
                self._percepts.popleft()

    def found(
        self, number: int, finding: Finding, events: Iterable[TableEvent], still: bytes | None = None
    ) -> None:
        """A finding that is new or has changed, and the events it rests on.

        `still`: a JPEG to fall back on where the buffer has no picture. What is known may be told again.
        """
        with self._changed:
            seen = [each for each in self._percepts if each.t_s <= finding.t + 1e-6]
            percept = seen[-1] if seen and seen[-1].t_s >= finding.t - _SEEN_WITHIN_S else None
            told = Found(number, finding, tuple(events), percept, still)
            known = self._waiting.get(number)
            if known is None:
                until_s = time.monotonic() + self._settings.after_s + self._settings.patience_s
                self._waiting[number] = _Waiting(told, until_s)
            else:
                known.found = replace(
                    told, percept=percept or known.found.percept, still=still or known.found.still
                )
            self._changed.notify_all()

    @property
    def waiting(self) -> int:
        """How many findings have no evidence yet."""
        with self._changed:
            return len(self._waiting)

    @property
    def troubles(self) -> tuple[str, ...]:
        """What keeps evidence from being made now."""
        return self._alarm.standing

    def close(self) -> None:
        """Make at once what still waits, of the pictures that are there: close the buffer before."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()

    def _work(self) -> None:
        while True:
            with self._changed:
                due = self._due()
                if not due and self._closing:
                    return
                if not due:
                    self._changed.wait(POLL_S)
                    continue
            for waiting in due:
                self._attend(waiting)

    def _due(self) -> list[_Waiting]:
        now_s, recorded_s = time.monotonic(), self._clips.recorded_until_s
        return [
            each
            for each in self._waiting.values()
            if now_s >= each.not_before_s
            and (
                self._closing
                or now_s >= each.until_s
                or recorded_s >= each.found.finding.t + self._settings.after_s
                or each.found.finding.verdict is Verdict.WITHDRAWN
            )
        ]

    def _attend(self, waiting: _Waiting) -> None:
        found = waiting.found
        try:
            self._make(found)
        except Exception as fault:  # of one finding: the others have theirs made
            if not isinstance(fault, OSError | av.error.FFmpegError | ValueError):
                log.exception("evidence of finding %d", found.number)
            waiting.tries += 1
            waiting.not_before_s = time.monotonic() + RETRY_S
            told = f"{getattr(fault, 'strerror', None) or fault}"
            self._alarm.tell("evidence", f"{self._record.folder.evidence}: {told}")
            if waiting.tries < _MOST_TRIES and not self._closing:
                return
            lost = text(es="queda sin pruebas", en="is left without evidence")
            self._alarm.tell(f"lost {found.number}", f"{self._record.session} {found.number}: {lost}")
        else:
            self._alarm.over("evidence")
        with self._changed:
            if waiting.found is found:  # else there is another word on it already
                self._waiting.pop(found.number, None)

    def _make(self, found: Found) -> None:
        folder = EvidenceFolder(self._record.folder.evidence, found.number, found.finding.code)
        about, known = describe(found, self._origin), folder.about()
        if known is not None:
            if any(known.get(name) != about[name] for name in ("finding", "events")):
                folder.rewrite({**known, **about})
        elif found.finding.verdict is Verdict.WITHDRAWN:
            return
        else:
            self._fill(folder, found, about)
        row = clip_of(self._record.folder, folder.name)
        if row is not None:
            self._record.clip(row)

    def _fill(self, folder: EvidenceFolder, found: Found, about: Mapping[str, Any]) -> None:
        span, place = self.span_of(found), folder.begin()
        try:
            clip = place / layout.CLIP
            cut = self._clips.cut(*span, clip, about_s=found.finding.t)
            still = found.still
            if cut is not None:
                still = still_of_clip(clip, cut.start_s, found, self._origin.chips)
            if still is not None:
                write_whole(place / layout.STILL, still)
            folder.finish({**about, **describe_files(place, cut, span)})
        except BaseException:
            folder.abandon()
            raise

    def span_of(self, found: Found) -> tuple[float, float]:
        """The stretch of media time that a finding's clip is to hold."""
        moment_s, settings = found.finding.t, self._settings
        earliest_s = min([moment_s, *(event.t for event in found.events)]) - settings.before_s
        stop_s = moment_s + settings.after_s
        return max(0.0, earliest_s, stop_s - settings.longest_s), stop_s


def versions(profile: str, models: Mapping[str, str]) -> dict[str, str]:
    """What judged a table: the program's version, the rule profile, each model's sha256."""
    return {"veedor": metadata.version("veedor"), "profile": profile} | as_versions(models)
