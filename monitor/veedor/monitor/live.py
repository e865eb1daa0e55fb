"""The live loop: frames at their own pace through the whole pipeline, state and findings to a board.

Freshness first: a frame that comes too late is not looked at, and the observer journals stretches without
enough looks as a lost view, so that the rule checker says "undecided" and not "broken" about them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from veedor.monitor.camera_views import CameraViews
from veedor.monitor.cameras import CameraGap, Item
from veedor.monitor.clock_log import ClockLog
from veedor.monitor.drawing import jpeg, outlined
from veedor.monitor.evidence import STILL_QUALITY, STILL_WIDTH_PX, outlines_of
from veedor.monitor.eyes import Eyes
from veedor.monitor.felt_objects import felt_objects
from veedor.monitor.finding_views import finding_view
from veedor.monitor.fold import Fold
from veedor.monitor.live_state import Board, FeltObject, LiveState
from veedor.monitor.pacing import TimedFrame
from veedor.monitor.pages import FindingView
from veedor.rules.finding import Finding
from veedor.vision.doubt import LOOK_STEP_S
from veedor.vision.frames import Frame
from veedor.vision.percept import Percept
from veedor.vision.table import Table

# A look takes 50 to 300 ms on two cores, longest while cards are dealt. So much lag is made good afterwards;
# what is skipped is lost for good, and no finding may be told much later than it could be.
LATE_S = 0.7
# Past so much lag the table is looked at as seldom as it may be without a look counting as missed.
HURRIED_S = 0.2
PICTURE_WIDTH_PX, PICTURE_QUALITY = 1280, 75
PICTURE_STEP_S, HURRIED_PICTURE_STEP_S, IDLE_PICTURE_STEP_S = 0.08, 0.24, 1.0


@dataclass(frozen=True)
class LiveSetting:
    """What a live run is made of.

    `duration_s` None for a source without an end; `clock` where the wall clock is written down, if anywhere;
    `alarm` takes lines for whoever runs the table.
    """

    table: Table
    eyes: Eyes
    fold: Fold
    board: Board
    duration_s: float | None
    clock: ClockLog | None = None
    alarm: Callable[[str], None] | None = None


class LiveLoop:
    """Watches one table until its frames end."""

    def __init__(self, setting: LiveSetting) -> None:
        self._set = setting
        self._views_of: dict[int, tuple[Finding, FindingView]] = {}
        self._views = CameraViews(setting.table, setting.eyes, setting.alarm)
        self._percept: Percept | None = None
        self._frame: Frame | None = None  # the main camera's last
        self._dropped = 0
        self._came_s: dict[int, float] = {}  # each camera's last picture, and the last that was looked at
        self._looked_s: dict[int, float] = {}
        self._shown_s = -math.inf

    def run(self, items: Iterable[Item]) -> None:
        """Take in pictures and gaps, then finish the journal and tell the board that it is over."""
        t_s = 0.0
        for item in items:
            if isinstance(item, TimedFrame):
                t_s = item.frame.t_s
                self._look(item)
            elif isinstance(item, CameraGap):
                self._views.gap(item)
                self._tell_gaps(t_s)
            elif self._views.lost:
                # Words are heard with the looks that they belong to; while there are none, by the clock.
                t_s = max(t_s, item.t_s)
                self._set.fold.wait(t_s)
                self._publish(t_s, 0.0)
        # What has not been said yet when the pictures end will not have been said.
        self._set.fold.finish(hear_rest=False)
        self._publish(t_s, 0.0)
        self._set.board.finish()

    def _look(self, timed: TimedFrame) -> None:
        can_wait = self._can_wait(timed)
        if timed.late_s > LATE_S and self._percept is not None:
            self._dropped += 1
            return
        if timed.late_s > HURRIED_S and can_wait:
            return
        percept = self._views.see(timed)
        if timed.camera == 0:
            self._frame = timed.frame
        self._tell_gaps(timed.frame.t_s)
        if percept is not None:
            self._percept = percept
            self._looked_s[timed.camera] = timed.frame.t_s
            self._set.fold.look(percept)
            self._publish(percept.t_s, timed.late_s)
        if timed.camera == 0:
            self._show(timed.frame, hurried=timed.late_s > HURRIED_S)

    def _can_wait(self, timed: TimedFrame) -> bool:
        """Whether the camera's next picture comes soon enough for a look after its last one."""
        t_s, camera = timed.frame.t_s, timed.camera
        step_s = t_s - self._came_s.get(camera, -math.inf)
        self._came_s[camera] = t_s
        return t_s + step_s - self._looked_s.get(camera, -math.inf) <= LOOK_STEP_S

    def _tell_gaps(self, t_s: float) -> None:
        """Journal what the views have lost or got back."""
        for gap in self._views.news():
            if gap.until_s is None:
                self._set.fold.lose(gap.t_s, gap.reason)
            else:
                self._set.fold.regain(gap.until_s, gap.reason)
            self._publish(max(t_s, gap.t_s), 0.0)

    def _show(self, frame: Frame, *, hurried: bool) -> None:
        """Publish the picture, seldom while nobody looks: drawing and packing one costs some 15 ms."""
        watched_s = HURRIED_PICTURE_STEP_S if hurried else PICTURE_STEP_S
        step_s = watched_s if self._set.board.viewers else IDLE_PICTURE_STEP_S
        if frame.t_s - self._shown_s < step_s - 1e-6:
            return
        self._shown_s = frame.t_s
        outlines = [] if self._percept is None else outlines_of(self._percept, self._set.table.chips)
        picture = outlined(frame.image, outlines, width_px=PICTURE_WIDTH_PX)
        self._set.board.publish_picture(jpeg(picture, PICTURE_QUALITY))

    def _publish(self, t_s: float, lag_s: float) -> None:
        with self._set.fold.lock:  # somebody may be entering an event
            self._publish_state(t_s, lag_s)
        if self._set.clock is not None:
            self._set.clock.follow()

    def _publish_state(self, t_s: float, lag_s: float) -> None:
        fold, board = self._set.fold, self._set.board
        views = []
        for number, finding in fold.findings.items():
            if not board.had_still(number) and self._frame is not None:
                outlines = [] if self._percept is None else outlines_of(self._percept, self._set.table.chips)
                still = outlined(self._frame.image, outlines, width_px=STILL_WIDTH_PX)
                board.publish_still(number, jpeg(still, STILL_QUALITY))
            views.append(self._view(number, finding))
        for number in self._views_of.keys() - fold.findings.keys():
            del self._views_of[number]
        board.publish(
            LiveState(
                t_s=t_s,
                duration_s=self._set.duration_s,
                lag_s=round(lag_s, 2),
                dropped=self._dropped,
                objects=self._objects(),
                coup=fold.teller.current,
                account=fold.account,
                duties=fold.books.duties(),
                findings=tuple(views),
                coups_closed=fold.coups_closed,
                unseen=fold.sight.unseen,
            )
        )

    def _view(self, number: int, finding: Finding) -> FindingView:
        """Put in words once: in the end there are hundreds, and a state comes six times a second."""
        known = self._views_of.get(number)
        if known is None or known[0] is not finding:
            view = replace(finding_view(number, finding), still=f"/stills/{number}.jpg")
            known = self._views_of[number] = finding, view
        return known[1]

    def _objects(self) -> tuple[FeltObject, ...]:
        if self._percept is None:
            return ()
        return felt_objects(self._set.fold.observer, self._percept, self._set.fold.profile)
