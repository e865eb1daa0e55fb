"""Where the models disagree with themselves over time, from the percepts of one session.

Things on the felt are followed by where their base stands. A card read as one rank in most looks and as
another in this one, or a stack that is not seen in a look between two that see it, shows what the models
have not learnt well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from veedor.monitor.stills import face_of
from veedor.vision.detections import ObjectClass
from veedor.vision.footprints import CARDS
from veedor.vision.percept import Percept

SAME_PLACE_MM = 15.0
FORGOTTEN_LOOKS = 4  # a thing that is not seen for more looks has gone
ENOUGH_LOOKS = 4  # before these nothing is said of a thing
HAND_MM = 220.0  # what is this near to a hand may be covered by it or moved
TOLD = 0.3
FOLLOWED = (*CARDS, ObjectClass.CHIP_STACK, ObjectClass.PLAQUE)


@dataclass(frozen=True)
class Disagreement:
    """In look number `look` something was seen otherwise than in most looks around it.

    `usual` is what most of `looks` looks say, `here` what this one says; `here` is empty where the thing was
    not seen at all.
    """

    look: int
    kind: ObjectClass
    usual: str
    here: str
    looks: int
    base_mm: tuple[float, float]


@dataclass(eq=False)
class _Track:
    base_mm: np.ndarray
    kind: ObjectClass
    first: int
    last: int
    seen: int = 1
    missed: list[int] = field(default_factory=list)
    faces: list[tuple[int, str]] = field(default_factory=list)


def disagreements(percepts: Iterable[Percept]) -> Iterator[Disagreement]:
    """All disagreements, those of a thing told when it has gone."""
    tracks: list[_Track] = []
    look = -1
    for look, percept in enumerate(percepts):
        _follow(tracks, percept, look)
        for track in [each for each in tracks if look - each.last > FORGOTTEN_LOOKS]:
            tracks.remove(track)
            yield from _told(track)
    for track in tracks:
        yield from _told(track)


def _follow(tracks: list[_Track], percept: Percept, look: int) -> None:
    classes = percept.detections.class_ids
    followed: list[int] = np.flatnonzero(np.isin(classes, FOLLOWED)).tolist()
    rows = [row for row in followed if np.isfinite(percept.base_mm[row]).all()]
    free = set(range(len(tracks)))
    for row in sorted(rows, key=lambda each: -float(percept.detections.scores[each])):
        place, kind = percept.base_mm[row].astype(np.float64), ObjectClass(int(classes[row]))
        near = [
            (float(np.linalg.norm(tracks[index].base_mm - place)), index)
            for index in free
            if (tracks[index].kind in CARDS) == (kind in CARDS)
        ]
        distance, index = min(near, default=(np.inf, -1))
        if distance > SAME_PLACE_MM:
            tracks.append(_Track(place, kind, look, look))
            track = tracks[-1]
        else:
            free.discard(index)
            track = tracks[index]
            track.last, track.seen, track.base_mm = look, track.seen + 1, place
        if kind is ObjectClass.CARD_FACE and percept.fresh[row]:
            track.faces.append((look, face_of(percept, row, TOLD)))
    hands = percept.base_mm[np.isin(classes, (ObjectClass.HAND, ObjectClass.PALA))]
    for index in free:
        track = tracks[index]
        if (
            not len(hands)
            or np.nanmin(np.linalg.norm(hands - track.base_mm, axis=1), initial=np.inf) > HAND_MM
        ):
            track.missed.append(look)


def _told(track: _Track) -> Iterator[Disagreement]:
    if track.seen < ENOUGH_LOOKS:
        return
    place = (float(track.base_mm[0]), float(track.base_mm[1]))
    for look in track.missed:
        if track.first < look < track.last:
            yield Disagreement(look, track.kind, "", "", track.seen, place)
    ranks = Counter(face[0] for _, face in track.faces if face[0] != "?")
    if sum(ranks.values()) < ENOUGH_LOOKS:
        return
    usual, count = ranks.most_common(1)[0]
    for look, face in track.faces:
        if face[0] != usual:
            yield Disagreement(look, track.kind, usual, face[0], count, place)
