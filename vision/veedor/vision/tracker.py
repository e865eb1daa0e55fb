"""Things that lie on the felt, followed in table millimetres.

A track is a thing at rest at one place: cards and chips are followed where they lie, not while they are
carried. What a hand covers does not vanish. What moves away leaves one track and begins another; the
observer works out from where and when which thing it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.card_halves import is_part_of
from veedor.vision.covering import Cover
from veedor.vision.detections import ObjectClass
from veedor.vision.footprints import elongated, felt_quads
from veedor.vision.percept import RANK_COUNT, SUIT_COUNT, TALLEST, Percept

FloatArray = NDArray[np.float64]


BAD_OUTLINE = 0.25  # worth of a reading whose box is too square for a card
LONG_SIDE = 0.4  # weight of a card's steps along its long side
TOUCH_MM = 32.0  # a hand nearer than this to a thing's base hides part of it and may be changing it


class Family(StrEnum):
    """What can take one another's place in a track: a card stays itself when it is turned."""

    CARD = "card"
    CHIP = "chip"
    PLAQUE = "plaque"


FAMILY = {
    ObjectClass.CARD_FACE: Family.CARD,
    ObjectClass.CARD_BACK: Family.CARD,
    ObjectClass.CHIP_STACK: Family.CHIP,
    ObjectClass.PLAQUE: Family.PLAQUE,
}


@dataclass(frozen=True)
class TrackerSettings:
    """Lengths in mm, times in s. A box of the detector jitters by 1 to 2 mm at 0.6 px/mm."""

    same_place_mm: float = 14.0
    same_part_mm: float = 27.0  # what a hand or arm leaves of a chip seems so far off; chips lie 39 apart
    same_card_mm: float = 30.0  # a card half under a hand seems so much shifted; cards of a hand lie 67 apart
    same_turn_deg: float = 25.0
    rest_mm: float = 7.0  # a thing that strays less between two looks lies still
    rest_s: float = 0.3  # seen still for so long, it rests
    run_gap_s: float = 0.4  # one missed look does not interrupt
    gone_s: float = 0.9  # unseen and uncovered for so long, it is gone
    forget_s: float = 60.0  # unseen and covered for so long, it is given up
    # Boxes on letters and lines of the print score 0.35 to 0.45, cards 0.9, chips on felt of their own colour
    # 0.3 to 0.5: a faint box continues a track but begins none, and what was never seen well never rests.
    # Chips may be fainter, because a stake counts only where a hand has brought it.
    birth_score: float = 0.45
    rest_score: float = 0.55
    chip_birth_score: float = 0.32
    chip_rest_score: float = 0.34
    rest_looks: int = 2  # detected anew, not carried over: a single mistake does not come to rest


@dataclass
class Track:
    """A card, a stack or a plaque at one place.

    `base_mm` (2,) mean base; `quad_mm` (4, 2) newest outline on the felt; `rested_at` when it was first seen
    where it rests; `seen_at` when it was last seen. `rank_log` (13,) and `suit_log` (4,) are sums of log
    probabilities over `readings` looks, `chip_log` (k,) likewise.
    """

    id: int
    family: Family
    base_mm: FloatArray
    quad_mm: FloatArray
    born_at: float
    first_frame: int
    seen_at: float
    last_frame: int
    kinds: int
    clear_turn_deg: float | None = None  # direction of the long side, None until a box showed it
    looks: int = 0
    fresh_looks: int = 0
    fresh_at: float = -np.inf  # when it was last seen anew, not carried over
    run_since: float = 0.0  # seen without a gap
    run_frame: int = 0
    rested_at: float | None = None
    rest_frame: int = 0
    resting: bool = False
    covered: bool = False
    touched: bool = False
    clear_looks: int = 0  # with no hand near
    open_looks: int = 0  # nor an arm over it
    missing_since: float | None = None
    face_since: float | None = None
    face_frame: int = 0
    face_looks: int = 0
    rank_log: FloatArray = field(default_factory=lambda: np.zeros(RANK_COUNT))
    suit_log: FloatArray = field(default_factory=lambda: np.zeros(SUIT_COUNT))
    readings: float = 0.0  # looks' worth of them: a bad outline is read badly
    chip_log: FloatArray = field(init=False)
    chip_readings: int = 0
    count_log: FloatArray = field(default_factory=lambda: np.zeros(TALLEST))
    count_looks: int = 0
    uncovered_at: float = 0.0
    open_misses: int = 0
    score: float = 0.0

    def __post_init__(self) -> None:
        self.chip_log = np.zeros(self.kinds)

    @property
    def face_up(self) -> bool:
        return self.face_since is not None

    @property
    def turn_deg(self) -> float:
        """Direction of the long side as far as known, 0 <= degrees < 180."""
        return long_side_deg(self.quad_mm) if self.clear_turn_deg is None else self.clear_turn_deg

    @property
    def seen(self) -> bool:
        """Whether the newest percept shows it."""
        return self.missing_since is None

    def ranks(self) -> FloatArray:
        """Fused distribution over the ranks (13,)."""
        return _fused(self.rank_log, self.readings)

    def suits(self) -> FloatArray:
        """Fused distribution over the suits (4,)."""
        return _fused(self.suit_log, self.readings)

    def chip(self) -> FloatArray:
        """Fused distribution over the chip set (k,)."""
        return _fused(self.chip_log, self.chip_readings, independent=1.0)

    def counts(self) -> FloatArray:
        """Fused distribution (8,) over the chips of the stack, as seen since it was last uncovered."""
        # What misleads once, a slipped chip or a shadow, misleads in every look at a stack that lies still.
        return _fused(self.count_log, self.count_looks, independent=1.0)

    def forget_readings(self) -> None:
        """Drop what was read while the thing was still moving."""
        self.rank_log[:], self.suit_log[:], self.chip_log[:] = 0.0, 0.0, 0.0
        self.readings, self.chip_readings = 0.0, 0
        self.forget_count()

    def forget_count(self) -> None:
        """Drop what is known of the stack's height."""
        self.count_log[:] = 0.0
        self.count_looks = 0

    def step_mm(self, point_mm: FloatArray) -> float:
        """How far the thing would have moved, a card's long side counting less.

        Detectors misjudge where a patterned card ends by a fifth of its length; cards of a hand lie beside
        one another.
        """
        if self.family is not Family.CARD:
            return self.distance_mm(point_mm)
        if self.clear_turn_deg is None:
            return LONG_SIDE * self.distance_mm(point_mm)
        angle = np.deg2rad(self.clear_turn_deg)
        away = point_mm - self.base_mm
        along = float(away @ (np.cos(angle), np.sin(angle)))
        across = float(away @ (-np.sin(angle), np.cos(angle)))
        return float(np.hypot(along * LONG_SIDE, across))

    def distance_mm(self, point_mm: FloatArray) -> float:
        return float(np.hypot(*(self.base_mm - point_mm)))


# Looks at one still thing err alike: their evidence counts as if only so many were independent.
_INDEPENDENT_LOOKS = 3.0


def _fused(total_log: FloatArray, looks: float, independent: float = _INDEPENDENT_LOOKS) -> FloatArray:
    if not len(total_log):
        return total_log
    scaled = total_log * (min(1.0, independent / looks) if looks else 0.0)
    weights: FloatArray = np.exp(scaled - scaled.max())
    return np.asarray(weights / weights.sum(), np.float64)


def long_side_deg(quad_mm: FloatArray) -> float:
    """Direction of a box's long side on the felt, 0 <= degrees < 180."""
    first, second = quad_mm[1] - quad_mm[0], quad_mm[2] - quad_mm[1]
    side = first if np.hypot(*first) > np.hypot(*second) else second
    return float(np.rad2deg(np.arctan2(side[1], side[0])) % 180.0)


def turn_between_deg(one: float | None, other: float | None) -> float:
    """Smallest angle between two undirected directions, 0 to 90; 0 where one is not known."""
    if one is None or other is None:
        return 0.0
    difference = abs(one - other) % 180.0
    return min(difference, 180.0 - difference)


@dataclass(frozen=True)
class Seen:
    """One thing in the newest percept."""

    row: int
    family: Family
    base_mm: FloatArray
    quad_mm: FloatArray
    turn_deg: float | None  # None where the box is too square to tell


def _is_part(thing: Seen, cards: Iterable[Track]) -> bool:
    return any(is_part_of(thing.quad_mm, card.base_mm, card.turn_deg) for card in cards)


class Tracker:
    """Follows the things of one table. `update` with every percept in order of time."""

    def __init__(self, camera: Camera, settings: TrackerSettings | None = None) -> None:
        self.settings = settings or TrackerSettings()
        self.tracks: dict[int, Track] = {}
        self._camera = camera
        self._next = 1

    def update(self, percept: Percept, cover: Cover) -> list[Track]:
        """Take in a percept; returns the tracks that ended with it, rested ones only."""
        seen = self._things(percept)
        for track, thing in self._pairs(seen, cover):
            self._see(track, thing, percept, cover)
            seen.remove(thing)
        ended = self._miss(percept.t_s, cover)
        cards = self.resting(Family.CARD)
        for thing in seen:
            faint = percept.detections.scores[thing.row] < self._birth_score(thing.family)
            if not faint and not (thing.family is Family.CARD and _is_part(thing, cards)):
                self._begin(thing, percept)
        return ended

    def resting(self, family: Family) -> list[Track]:
        """Tracks at rest, covered ones too, in order of their coming to rest."""
        found = [track for track in self.tracks.values() if track.resting and track.family is family]
        return sorted(found, key=lambda track: (track.rested_at or 0.0, track.id))

    def _birth_score(self, family: Family) -> float:
        return self.settings.birth_score if family is Family.CARD else self.settings.chip_birth_score

    def _rest_score(self, family: Family) -> float:
        return self.settings.rest_score if family is Family.CARD else self.settings.chip_rest_score

    def _things(self, percept: Percept) -> list[Seen]:
        quads = felt_quads(self._camera, percept.detections.corners_px)
        clear = elongated(quads)
        things = []
        for row, kind in enumerate(percept.detections.class_ids.tolist()):
            family = FAMILY.get(ObjectClass(kind))
            if family is not None:
                base = np.asarray(percept.base_mm[row], np.float64)
                turn = long_side_deg(quads[row]) if clear[row] else None
                things.append(Seen(row, family, base, quads[row], turn))
        return things

    def _reach_mm(self, track: Track, cover: Cover) -> float:
        """How far from its place a track may be seen."""
        if track.family is Family.CARD:
            return self.settings.same_card_mm
        part = track.resting and cover.hides(track.base_mm)
        return self.settings.same_part_mm if part else self.settings.same_place_mm

    def _pairs(self, seen: list[Seen], cover: Cover) -> Iterable[tuple[Track, Seen]]:
        """Tracks with what continues them, nearest first."""
        candidates = []
        for track in self.tracks.values():
            card, reach_mm = track.family is Family.CARD, self._reach_mm(track, cover)
            for thing in seen:
                if thing.family is not track.family:
                    continue
                away = track.step_mm(thing.base_mm)
                if away > reach_mm:
                    continue
                turn = 0.0
                if card:
                    turn = turn_between_deg(track.clear_turn_deg, thing.turn_deg)
                    if turn > self.settings.same_turn_deg:
                        continue
                candidates.append((away + 0.3 * turn, track.id, thing.row, track, thing))
        taken: set[int] = set()
        used: set[int] = set()
        for _, number, row, track, thing in sorted(candidates, key=lambda item: item[:3]):
            if number not in taken and row not in used:
                taken.add(number)
                used.add(row)
                yield track, thing

    def _see(self, track: Track, thing: Seen, percept: Percept, cover: Cover) -> None:
        moved = track.step_mm(thing.base_mm)
        part = track.family is not Family.CARD and moved > self.settings.same_place_mm
        touched = part or cover.hand_near(track.base_mm, TOUCH_MM) is not None
        if moved > self.settings.rest_mm and not track.resting:
            track.rested_at, track.rest_frame = percept.t_s, percept.index
            track.base_mm = thing.base_mm
            track.forget_readings()
            track.clear_looks = 0
        elif not touched:  # what a hand hides in part seems to lie beside its place
            weight = min(track.looks, 5)
            track.base_mm = (track.base_mm * weight + thing.base_mm) / (weight + 1)
        if percept.t_s - track.seen_at > self.settings.run_gap_s:
            track.run_since, track.run_frame = percept.t_s, percept.index
        track.quad_mm = thing.quad_mm
        if thing.turn_deg is not None:
            track.clear_turn_deg = thing.turn_deg
        track.seen_at, track.last_frame = percept.t_s, percept.index
        if track.touched and not touched:  # what lies here may have been changed meanwhile
            track.uncovered_at = percept.t_s
            track.forget_count()
        track.touched = touched
        track.clear_looks += not touched
        track.open_looks += not cover.hides(track.base_mm)
        track.missing_since, track.covered, track.open_misses = None, False, 0
        self._gather(track, thing, percept)
        long_still = track.rested_at is not None and (
            percept.t_s - track.rested_at >= self.settings.rest_s - 1e-6
        )
        if (
            long_still
            and track.score >= self._rest_score(track.family)
            and track.fresh_looks >= self.settings.rest_looks
        ):
            track.resting = True

    def _begin(self, thing: Seen, percept: Percept) -> None:
        track = Track(
            self._next, thing.family, thing.base_mm, thing.quad_mm, percept.t_s, percept.index, percept.t_s,
            percept.index, percept.chip_probs.shape[1],
        )  # fmt: skip
        track.clear_turn_deg = thing.turn_deg
        track.rested_at, track.rest_frame = percept.t_s, percept.index
        track.run_since, track.run_frame = percept.t_s, percept.index
        self._next += 1
        self.tracks[track.id] = track
        self._gather(track, thing, percept)

    def _gather(self, track: Track, thing: Seen, percept: Percept) -> None:
        """Add one look's evidence; what was only carried over counts nothing."""
        row = thing.row
        track.looks += 1
        if percept.fresh[row]:
            track.fresh_looks, track.fresh_at = track.fresh_looks + 1, percept.t_s
        track.score = max(track.score, float(percept.detections.scores[row]))
        if percept.detections.class_ids[row] == ObjectClass.CARD_FACE:
            if track.face_since is None:
                track.face_since, track.face_frame = percept.t_s, percept.index
            track.face_looks += 1
        elif track.family is Family.CARD:
            track.face_looks = 0
            track.face_since = None
        if not percept.fresh[row] or track.touched:
            return
        if np.isfinite(percept.rank_probs[row]).all():
            weight = 1.0 if thing.turn_deg is not None else BAD_OUTLINE
            track.rank_log += weight * np.log(np.clip(percept.rank_probs[row], 1e-4, 1.0))
            track.suit_log += weight * np.log(np.clip(percept.suit_probs[row], 1e-4, 1.0))
            track.readings += weight
        if track.kinds and np.isfinite(percept.chip_probs[row]).all():
            track.chip_log += np.log(np.clip(percept.chip_probs[row], 1e-3, 1.0))
            track.chip_readings += 1
            if np.isfinite(percept.count_probs[row]).all():
                track.count_log += np.log(np.clip(percept.count_probs[row], 1e-3, 1.0))
                track.count_looks += 1

    def _miss(self, t_s: float, cover: Cover) -> list[Track]:
        """Age the tracks that were not seen; returns the rested ones that are gone."""
        ended = []
        for track in list(self.tracks.values()):
            if track.seen_at == t_s:
                continue
            if cover.hides(track.base_mm):
                track.covered = track.touched = True
                # What a hand comes to cover and that lay still in two looks has come to rest.
                still = (track.rested_at or t_s) < track.seen_at
                track.resting = track.resting or (still and track.score >= self._rest_score(track.family))
                track.missing_since = t_s  # only time spent in the open counts
                if t_s - track.seen_at < self.settings.forget_s:
                    continue
            else:
                track.open_misses += 1
                track.missing_since = t_s if track.missing_since is None else track.missing_since
            limit = self.settings.gone_s if track.resting else self.settings.rest_s
            if t_s - track.missing_since >= limit - 1e-6 or t_s - track.seen_at >= self.settings.forget_s:
                del self.tracks[track.id]
                if track.resting:
                    ended.append(track)
        return ended
