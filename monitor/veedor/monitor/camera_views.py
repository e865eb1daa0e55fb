"""A table as its cameras see it together: one percept at a time, and when the view of the table is lost."""

from __future__ import annotations

import logging
from collections.abc import Callable

from veedor.monitor.cameras import CameraGap
from veedor.monitor.eyes import Eyes
from veedor.monitor.language import text
from veedor.monitor.pacing import TimedFrame
from veedor.vision.agreement import AGREE_MM, DISAGREE_MM
from veedor.vision.fusion import CAMERAS_DISAGREE, Fusion
from veedor.vision.perceive import Perceiver
from veedor.vision.percept import Percept
from veedor.vision.streams import StreamGap
from veedor.vision.table import Table

LOG = logging.getLogger(__name__)


class CameraViews:
    """Looks through every camera of a table.

    The view of the table is lost when a zone is in no picture that comes, or when the cameras put the same
    things in different places. Nobody looks then: what is left would be taken for everything.
    """

    def __init__(self, table: Table, eyes: Eyes, alarm: Callable[[str], None] | None = None) -> None:
        views = table.views()
        self._names = [table.id, *(f"{table.id}/{other.name}" for other in table.cameras)]
        self._alarm = alarm
        self._off: set[int] = set()
        self._perceivers = [Perceiver(view, eyes.detector, eyes.reader, eyes.counter) for view in views]
        self._fusion = Fusion(table)
        self._gaps: dict[int, StreamGap] = {}
        self._lost: StreamGap | None = None
        self._disagree_s: float | None = None
        self._news: list[StreamGap] = []

    @property
    def lost(self) -> bool:
        """Whether the table cannot be seen now."""
        return self._lost is not None

    def news(self) -> list[StreamGap]:
        """What was lost or has come back since the last call."""
        news, self._news = self._news, []
        return news

    def see(self, timed: TimedFrame) -> Percept | None:
        """What all cameras have seen up to this picture; None where it gives no new look at the table."""
        percept = self._perceivers[timed.camera].see(timed.frame)
        if percept is None:
            return None
        fused = self._fusion.add(timed.camera, percept)
        self._compare(percept.t_s)
        self._check_calibration(timed.camera)
        return None if self.lost else fused

    def gap(self, item: CameraGap) -> None:
        """A camera gives nothing any more, or something again."""
        gap, camera = item.gap, item.camera
        if gap.until_s is None:
            LOG.warning("camera of %s lost: %s", self._names[camera], gap.reason, extra={"t": gap.t_s})
            self._gaps[camera] = gap
            self._fusion.lose(camera)
            if self._lost is None and self._fusion.unseen:
                self._lost = gap
                self._news.append(gap)
            return
        self._gaps.pop(camera, None)
        for_s = round(gap.until_s - gap.t_s, 1)
        LOG.warning("camera of %s is back after %s s: %s", self._names[camera], for_s, gap.reason)
        self._perceivers[camera].reset()
        self._fusion.regain(camera)
        if self._lost is not None and not self._fusion.unseen:
            self._news.append(StreamGap(self._lost.t_s, gap.until_s, self._lost.reason))
            self._lost = None

    def _compare(self, t_s: float) -> None:
        """Tell once that the cameras disagree, and once that they agree again."""
        if self._fusion.disagree and self._disagree_s is None:
            self._disagree_s = t_s
            self._news.append(StreamGap(t_s, None, CAMERAS_DISAGREE))
        elif self._disagree_s is not None and not self._fusion.disagree:
            self._news.append(StreamGap(self._disagree_s, t_s, CAMERAS_DISAGREE))
            self._disagree_s = None

    def _check_calibration(self, camera: int) -> None:
        """Raise an alarm once for a camera that is followed further than cameras may differ."""
        off_mm = self._perceivers[camera].off_mm()
        if off_mm < AGREE_MM:
            self._off.discard(camera)
        elif off_mm > DISAGREE_MM and camera not in self._off:
            self._off.add(camera)
            if self._alarm is not None:
                self._alarm(_off_calibration(self._names[camera], off_mm))


def _off_calibration(name: str, off_mm: float) -> str:
    return text(
        es=f"{name}: la cámara está a {off_mm:.0f} mm de su calibración: se la sigue, pero hay que "
        "calibrarla de nuevo",
        en=f"{name}: the camera is {off_mm:.0f} mm off its calibration: it is followed, but should be "
        "calibrated again",
    )
