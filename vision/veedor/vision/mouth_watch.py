"""Cards that come out of the sabot: each stay of a card at the mouth is one draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from veedor.vision.layout import TableLayout, Zone, ZoneKind
from veedor.vision.moment import Moment
from veedor.vision.tracker import Family, Track

FloatArray = NDArray[np.float64]

MOUTH_REACH_MM = 70.0  # round the sabot's area: a card that has just come out lies half outside it
BEFORE_MM = 40.0  # what lies less before the sabot's middle is the sabot
WELL_SEEN = 0.55  # a sabot's own edges score less as a card
ABSENT_S = 0.55  # longer than a hand or the pala hides a card that stays; the next takes longer to come out
HIDDEN_MM = 45.0  # a limb nearer than this may hide a card at the mouth
SURE_S = 1.0  # a card that lies open at the mouth for so long was drawn, whatever becomes of it
STALE_S = 4.0  # a stay that ended so long ago and was not dealt was none


@dataclass
class Draw:
    """A card's stay at the mouth. `card` is its id once it has one; `resumed` when it was seen again after
    it had been hidden for a while."""

    since: float
    frame: int
    seen_at: float
    track: Track
    looks: int = 1
    face_looks: int = 0
    resumed: float | None = None
    card: str | None = None


class MouthWatch:
    """Finds the draws of one sabot."""

    def __init__(self, layout: TableLayout) -> None:
        self._shoes = layout.of_kind(ZoneKind.SHOE)
        self._hands = layout.of_kind(ZoneKind.HAND) + layout.of_kind(ZoneKind.BANKER_HAND)
        self.draws: list[Draw] = []
        self._stay: Draw | None = None  # of the card that lies there now or lay there last
        self._empty = False  # whether the mouth was seen empty since

    def reset(self) -> None:
        """Forget the draws of a coup that is over."""
        self.draws.clear()
        self._stay = None

    def update(self, moment: Moment, held: set[int]) -> list[Draw]:
        """Take in a look; `held` are tracks of cards already in hands. Returns draws that became certain."""
        now = moment.t_s
        track = self._at_mouth(moment, held)
        stay = self._stay
        if track is None:
            self._empty = self._empty or (stay is not None and not _hidden(moment, stay.track.base_mm))
        elif stay is None or (now - stay.seen_at > ABSENT_S and self._empty):
            # A card that comes to lie where one lay just before is followed by the same track.
            self._begin(Draw(track.run_since, track.run_frame, now, track))
        else:
            if now - stay.seen_at > ABSENT_S:
                stay.resumed = track.run_since
            stay.seen_at, stay.track, self._empty = now, track, False
            stay.looks += 1
            stay.face_looks = stay.face_looks + 1 if track.face_up else 0
        self.draws = [draw for draw in self.draws if draw.card or now - draw.seen_at <= STALE_S]
        return [draw for draw in self.draws if draw.card is None and draw.seen_at - draw.since >= SURE_S]

    def _begin(self, draw: Draw) -> None:
        self._stay, self._empty = draw, False
        self.draws.append(draw)

    def take(self, before_s: float) -> Draw | None:
        """The oldest draw that began before a card arrived in a hand; it is used up by that."""
        draw = self.oldest(before_s)
        if draw is None:
            return None
        self.draws.remove(draw)
        if draw is self._stay:
            self._stay = None
            if draw.seen_at > before_s:  # what lies there now came while hands hid the mouth
                since = draw.resumed if draw.resumed is not None else before_s
                self._begin(Draw(since, draw.frame, draw.seen_at, draw.track))
        return draw

    def oldest(self, before_s: float) -> Draw | None:
        """The draw that `take` would give."""
        return next((draw for draw in self.draws if draw.since < before_s), None)

    def _at_mouth(self, moment: Moment, held: set[int]) -> Track | None:
        seen = [
            track
            for track in moment.tracker.tracks.values()
            if track.family is Family.CARD
            and track.seen_at == moment.t_s
            and track.score >= WELL_SEEN
            and track.looks >= 2  # what moves is a new track at every look
            and track.id not in held
            and self.is_mouth(track.base_mm)
        ]
        return max(seen, key=lambda track: (track.looks, -track.id)) if seen else None

    def is_mouth(self, point_mm: FloatArray) -> bool:
        """Whether a card there has come out of the sabot and reached nobody yet."""
        if any(zone.depth_mm(point_mm) > -10.0 for zone in self._hands):
            return False
        return any(
            zone.depth_mm(point_mm) > -MOUTH_REACH_MM and _before_mm(zone, point_mm) > BEFORE_MM
            for zone in self._shoes
        )


def _before_mm(zone: Zone, point_mm: FloatArray) -> float:
    """How far a point lies from the sabot's middle toward the middle of the table, where its mouth is."""
    middle = zone.centre_mm
    return float((point_mm - middle) @ (-middle) / max(float(np.hypot(*middle)), 1.0))


def _hidden(moment: Moment, point_mm: FloatArray) -> bool:
    limbs = (*moment.cover.hands, *moment.cover.palas)
    return any(limb.gap_mm(point_mm) < HIDDEN_MM for limb in limbs)
