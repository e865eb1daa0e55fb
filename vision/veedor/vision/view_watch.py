"""When the table could not be seen: gaps in the pictures, long cover, a camera that was moved."""

from __future__ import annotations

from veedor.rules.events import TableEvent, ViewLost, ViewRestored
from veedor.vision.doubt import LOST_STEP_S, SURE_AGAIN_S, MissedLooks
from veedor.vision.layout import TableLayout, ZoneKind
from veedor.vision.moment import Moment

FRAME_GAP = "frame gap"
COVERED_S = 15.0  # a hand rests on its cards for some seconds; past this the view is lost
SHIFT_PX = 6.0  # about a pip's size: the calibration no longer holds

LINES_UNSEEN_S = 0.7  # with the two looks that drift takes to be sure: noticed within 2 s
LINES_UNSEEN = "lines not seen"

WATCHED = (ZoneKind.HAND, ZoneKind.BANKER_HAND)


class ViewWatch:
    """Journals lost and restored views of one table."""

    def __init__(self, layout: TableLayout) -> None:
        self._zones = [zone for zone in layout.zones if zone.kind in WATCHED]
        self._missed = MissedLooks()
        self._gap_at: float | None = None  # end of the last gap, until the view is back
        self._covered_since: dict[str, float] = {}
        self._lost: set[str] = set()
        self._moved = False
        self._lines_at: float | None = None  # when the felt's lines were last seen, None if never
        self._lines_lost = False

    def update(self, moment: Moment) -> list[TableEvent]:
        """The views lost and restored with this look."""
        now = moment.t_s
        events: list[TableEvent] = []
        events += self._gaps(now)
        events += self._camera(moment.percept.camera_shift_px, now)
        for zone in self._zones:
            free = zone.name in moment.percept.uncovered
            if free or moment.cover.hand_near(zone.centre_mm) is None:
                self._covered_since.pop(zone.name, None)
                if zone.name in self._lost:
                    self._lost.discard(zone.name)
                    events.append(ViewRestored((zone.name,), "covered", t=now))
                continue
            since = self._covered_since.setdefault(zone.name, now)
            if now - since >= COVERED_S and zone.name not in self._lost:
                self._lost.add(zone.name)
                events.append(ViewLost((zone.name,), "covered", t=now))
        return events

    def _camera(self, shift_px: float | None, now: float) -> list[TableEvent]:
        """A camera that was moved, or that sees no lines any more: moved far, covered, in the dark."""
        if shift_px is None:
            if self._lines_at is None or self._lines_lost or now - self._lines_at < LINES_UNSEEN_S:
                return []
            self._lines_lost = True
            return [ViewLost((), LINES_UNSEEN, t=self._lines_at)]
        events: list[TableEvent] = []
        self._lines_at = now
        if self._lines_lost:
            self._lines_lost = False
            events.append(ViewRestored((), LINES_UNSEEN, t=now))
        if (shift_px > SHIFT_PX) != self._moved:
            self._moved = not self._moved
            kind = ViewLost if self._moved else ViewRestored
            events.append(kind((), "camera moved", t=now))
        return events

    def _gaps(self, now: float) -> list[TableEvent]:
        """Looks that were missed: one loss from the first gap until the table is looked at steadily again."""
        before, gap_s = self._missed.look(now)
        if gap_s > LOST_STEP_S:
            lost, self._gap_at = self._gap_at is None, now
            return [ViewLost((), FRAME_GAP, t=before)] if lost else []
        if self._gap_at is not None and now - self._gap_at >= SURE_AGAIN_S:
            self._gap_at = None
            return [ViewRestored((), FRAME_GAP, t=now)]
        return []
