"""Several cameras of one table as one look: their percepts put together in table millimetres.

The first camera is the main one, in whose pixels the fused percept is told. A thing that several cameras see
is one thing: placed where the leading camera sees it, read from all. A thing that only one sees is there too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from veedor.vision.agreement import Agreement
from veedor.vision.camera import Camera
from veedor.vision.covering import Cover
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.footprints import felt_quads
from veedor.vision.layout import TableLayout
from veedor.vision.percept import Percept
from veedor.vision.table import Table

CAMERAS_DISAGREE = "cameras disagree"
STALE_S = 0.5  # a camera's look older than that is not of the same moment
BORDER_PX = 8.0

# How far apart two cameras may put one thing, by kind of thing. What stands over the felt is seen elsewhere.
_FAMILIES = (
    (frozenset({ObjectClass.CARD_FACE, ObjectClass.CARD_BACK}), 25.0),
    (frozenset({ObjectClass.CHIP_STACK}), 18.0),
    (frozenset({ObjectClass.PLAQUE}), 25.0),
    (frozenset({ObjectClass.HAND}), 150.0),
    (frozenset({ObjectClass.PALA}), 120.0),
    (frozenset({ObjectClass.CUT_CARD}), 30.0),
    (frozenset({ObjectClass.SHOE}), 150.0),
)
_FAMILY = np.zeros(len(ObjectClass), np.int64)
for _number, (_kinds, _) in enumerate(_FAMILIES):
    for _kind in _kinds:
        _FAMILY[_kind] = _number
_REACH_MM = np.array([reach for _, reach in _FAMILIES])
_LEAST = 1e-4  # of a probability, so that one camera's mistake can be outvoted


@dataclass(frozen=True)
class _Sight:
    """What one camera saw last: its percept with quads (n, 4, 2) and middles (n, 2) on the felt, mm."""

    percept: Percept
    quads_mm: NDArray[np.float64]
    cover: Cover

    @property
    def places_mm(self) -> NDArray[np.float64]:
        """Bases, of hands and other things over the felt the middles of their boxes."""
        return np.asarray(self.percept.base_mm, np.float64)


class Fusion:
    """Puts the looks of a table's cameras together."""

    def __init__(self, table: Table) -> None:
        self._cameras = [view.camera for view in table.views() if view.camera is not None]
        self._zones = [(zone.name, np.asarray(zone.centre_mm, np.float64)) for zone in table.layout.zones]
        self._in_view = [zones_in_view(table.layout, camera) for camera in self._cameras]
        self._everything = frozenset().union(*self._in_view)
        self._sights: list[_Sight | None] = [None] * len(self._cameras)
        self._lost: set[int] = set()
        self._agreement = Agreement()

    @property
    def disagree(self) -> bool:
        """Whether the cameras put the same things in different places: a calibration no longer holds."""
        return self._agreement.broken

    @property
    def unseen(self) -> frozenset[str]:
        """Zones that are in no picture that comes."""
        seen: frozenset[str] = frozenset()
        for camera, zones in enumerate(self._in_view):
            if camera not in self._lost:
                seen |= zones
        return self._everything - seen

    def lose(self, camera: int) -> None:
        """Nothing comes from that camera."""
        self._lost.add(camera)
        self._sights[camera] = None

    def regain(self, camera: int) -> None:
        """Pictures of that camera come again."""
        self._lost.discard(camera)

    def add(self, camera: int, percept: Percept) -> Percept | None:
        """A camera's new look; the fused one where it is the leading camera's."""
        if len(self._cameras) == 1:
            return percept
        own = self._cameras[camera]
        quads = felt_quads(own, percept.detections.corners_px)
        self._sights[camera] = _Sight(percept, quads, Cover.of(own, percept))
        lead = min(set(range(len(self._cameras))) - self._lost, default=camera)
        return self._fused(lead) if camera == lead else None

    def _fused(self, lead: int) -> Percept:
        first = self._sights[lead]
        assert first is not None
        fused, quads = first.percept, first.quads_mm
        others = []
        for camera, sight in enumerate(self._sights):
            if camera == lead or sight is None:
                continue
            if abs(sight.percept.t_s - first.percept.t_s) <= STALE_S:
                self._agreement.compare(first.percept, sight.percept)
                others.append((camera, sight))
        if not self.disagree:
            for _, sight in others:
                fused, quads = _merged(fused, quads, sight)
            fused = replace(fused, uncovered=self._uncovered(first, others))
        corners = self._cameras[0].project(quads.reshape(-1, 2)).reshape(-1, 4, 2)
        if lead == 0:  # its own boxes are kept to the bit
            corners[: len(first.percept)] = first.percept.detections.corners_px
        found = fused.detections
        detections = Detections(np.asarray(corners, np.float32), found.scores, found.class_ids)
        return replace(fused, detections=detections)

    def _uncovered(self, first: _Sight, others: list[tuple[int, _Sight]]) -> tuple[str, ...]:
        """Zones that a hand hides from the leading camera and not from another one."""
        names = []
        for name, centre in self._zones:
            if first.cover.hand_near(centre) is None:
                continue
            if any(name in self._in_view[k] and sight.cover.hand_near(centre) is None for k, sight in others):
                names.append(name)
        return tuple(names)


def zones_in_view(layout: TableLayout, camera: Camera) -> frozenset[str]:
    """The zones that a camera has in its picture as a whole."""
    size = np.array([camera.width, camera.height])
    names = []
    for zone in layout.zones:
        polygon = np.column_stack([zone.polygon_mm, np.zeros(len(zone.polygon_mm))])
        depth = polygon @ camera.rotation[2] + camera.translation_mm[2]
        pixels = camera.project(polygon)
        if (depth > 0).all() and ((pixels > BORDER_PX) & (pixels < size - BORDER_PX)).all():
            names.append(zone.name)
    return frozenset(names)


def pairs(one: Percept, other: Percept, reach_mm: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Rows of two percepts that are one thing: of one family, nearest first, within its reach (7,)."""
    families = _FAMILY[one.detections.class_ids], _FAMILY[other.detections.class_ids]
    away = np.linalg.norm(one.base_mm[:, None].astype(np.float64) - other.base_mm[None], axis=2)
    near = (families[0][:, None] == families[1][None]) & (away <= reach_mm[families[0]][:, None])
    rows, columns = np.nonzero(near)
    order = np.argsort(away[rows, columns], kind="stable")
    found: list[tuple[int, int]] = []
    used: tuple[set[int], set[int]] = set(), set()
    for row, column in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        if row not in used[0] and column not in used[1]:
            used[0].add(row)
            used[1].add(column)
            found.append((row, column))
    return found


def _merged(
    fused: Percept, quads_mm: NDArray[np.float64], sight: _Sight
) -> tuple[Percept, NDArray[np.float64]]:
    """The fused percept with what another camera saw, and the quads of all of it."""
    other = sight.percept
    matched = pairs(fused, other, _REACH_MM)
    mine = np.array([row for row, _ in matched], np.intp)
    theirs = np.array([row for _, row in matched], np.intp)
    alone = np.setdiff1d(np.arange(len(other)), theirs)
    scores, classes = fused.detections.scores.copy(), fused.detections.class_ids.copy()
    surer = other.detections.scores[theirs] > scores[mine]
    classes[mine[surer]] = other.detections.class_ids[theirs[surer]]
    scores[mine] = np.maximum(scores[mine], other.detections.scores[theirs])
    # A stack's box leans away from the camera that saw it: for the main one it is put on its base.
    lone = sight.quads_mm[alone]
    lone = lone + (other.base_mm[alone].astype(np.float64) - lone.mean(axis=1))[:, None]
    detections = Detections(
        np.concatenate([fused.detections.corners_px, np.zeros((len(alone), 4, 2), np.float32)]),
        np.concatenate([scores, other.detections.scores[alone]]),
        np.concatenate([classes, other.detections.class_ids[alone]]),
    )

    def read(name: str) -> NDArray[np.float32]:
        own, new = getattr(fused, name).copy(), getattr(other, name)
        own[mine] = _product(own[mine], new[theirs])
        return np.concatenate([own, new[alone]])

    fresh = fused.fresh.copy()
    fresh[mine] |= other.fresh[theirs]
    shifts = [each for each in (fused.camera_shift_px, other.camera_shift_px) if each is not None]
    percept = Percept(
        fused.index,
        fused.t_s,
        detections,
        np.concatenate([fused.base_mm, other.base_mm[alone]]),
        read("rank_probs"),
        read("suit_probs"),
        read("chip_probs"),
        read("count_probs"),
        np.concatenate([fresh, other.fresh[alone]]),
        tuple(sorted({*fused.moving, *other.moving})),
        max(shifts, default=None),
    )
    return percept, np.concatenate([quads_mm, lone])


def _product(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """Distributions (n, k) from two independent looks; the other's where one has none."""
    both = np.clip(one, _LEAST, 1.0) * np.clip(other, _LEAST, 1.0)
    joint = both / np.maximum(both.sum(axis=1, keepdims=True), 1e-12)
    blank, blank_other = np.isnan(one).any(axis=1), np.isnan(other).any(axis=1)
    joint[blank] = other[blank]
    joint[blank_other] = one[blank_other]
    return np.asarray(joint, np.float32)
