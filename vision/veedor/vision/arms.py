"""Whose hand that is: hands followed over the felt, and the person from whose place each came."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.covering import Cover, Limb
from veedor.vision.layout import TableLayout, ZoneKind

FloatArray = NDArray[np.float64]

BODY_MM = 480.0  # from the edge of the felt to the shoulder or elbow that a forearm points at
SPEED_MM_S = 3200.0  # the fastest hand over a table
FARTHEST_MM = 1000.0
COMING_MM = 220.0  # from the felt's edge inwards, where hands come and go
COMING_STEP_MM = 380.0  # one that goes further there between two looks is another's
STEP_DEG = 40.0  # and turns so far
LOST_S = 0.7  # a hand unseen for so long has left
KEPT_S = 12.0  # how long a hand that has left is remembered
TURN_DEG = 12.0  # a forearm's direction is known about so well
GUESSED = 0.45  # how much an owner is worth whom only the forearm's direction tells: it fits two people
# What speaks for nobody. Two hands that were taken for one fit nobody well, as a whole or in the last looks;
# right owners cost 0.1 to 1.7.
STRANGER = 2.5
LAST_LOOKS = 3
ADVANCE = 1.5  # of the person before whom the chips lie
EDGE_MM = 200.0  # how well the place where a hand comes over the edge is known
CAME_MM = 120.0  # a hand that has gone further has shown from which side it came
CAME_DEG = 30.0
NEAR_EDGE_MM = 320.0  # a hand seen nearer to the edge than this has shown where it comes from


@dataclass(frozen=True)
class Person:
    """Somebody at the table: `seatN`, `banker` or `croupier`.

    `edge_mm` (2,) is his place at the edge of the felt, `out` (2,) the unit direction outwards.
    """

    name: str
    edge_mm: FloatArray
    out: FloatArray

    @property
    def body_mm(self) -> FloatArray:
        body: FloatArray = self.edge_mm + self.out * BODY_MM
        return body


def people_of(layout: TableLayout) -> tuple[Person, ...]:
    """Everybody a layout has a place for."""
    people = []
    for zone in layout.of_kind(ZoneKind.PLAYER):
        inner = [
            other.centre_mm
            for other in layout.of_kind(ZoneKind.BET)
            if other.seat == zone.seat and other.pano == zone.pano
        ]
        centre = zone.centre_mm
        out = centre - (inner[0] if inner else np.zeros(2))
        out = out / max(float(np.hypot(*out)), 1e-9)
        people.append(Person(f"seat{zone.seat}", centre + out * 45.0, out))
    top, bottom = float(layout.outline_mm[:, 1].max()), float(layout.outline_mm[:, 1].min())
    people.append(Person("banker", np.array([0.0, top]), np.array([0.0, 1.0])))
    people.append(Person("croupier", np.array([0.0, bottom]), np.array([0.0, -1.0])))
    return tuple(people)


def _step_mm(before: Limb, now: Limb) -> float:
    """How far a hand would have gone, infinite if it cannot be the same."""
    turn = np.rad2deg(np.arccos(np.clip(abs(float(before.along @ now.along)), 0.0, 1.0)))
    return float(np.hypot(*(before.middle_mm - now.middle_mm))) if turn < STEP_DEG else np.inf


@dataclass
class Arm:
    """A hand from its coming to its going, with what speaks for each person, lower is likelier.

    `turned` is how far the forearm pointed away from each person in the last looks.
    """

    id: int
    since: float
    seen_at: float
    path: list[tuple[float, Limb]]
    costs: FloatArray
    looks: int = 0
    nearest: FloatArray = field(default_factory=lambda: np.zeros(0))
    turned: deque[FloatArray] = field(default_factory=lambda: deque(maxlen=LAST_LOOKS))


class Arms:
    """Follows the hands of one table."""

    def __init__(self, layout: TableLayout) -> None:
        self.people = people_of(layout)
        self._outline = layout.outline_mm.astype(np.float32).reshape(-1, 1, 2)
        self._edges = np.array([person.edge_mm for person in self.people])
        self._bodies = np.array([person.body_mm for person in self.people])
        self._arms: list[Arm] = []
        self._next = 1

    def update(self, t_s: float, cover: Cover) -> Cover:
        """Take in the hands of one percept; returns the cover with the forearms pointed to their owners."""
        self._arms = [arm for arm in self._arms if t_s - arm.seen_at <= KEPT_S]
        hands = list(cover.hands)
        pairs = sorted(
            (
                (_step_mm(arm.path[-1][1], hand), arm.id, number, arm)
                for arm in self._arms
                if t_s - arm.seen_at <= LOST_S
                for number, hand in enumerate(hands)
            ),
            key=lambda pair: pair[:3],
        )
        used: set[int] = set()
        taken: set[int] = set()
        for away, name, number, arm in pairs:
            if (
                away < self._reach_mm(hands[number], t_s - arm.seen_at)
                and name not in taken
                and number not in used
            ):
                taken.add(name)
                used.add(number)
                self._add(arm, t_s, hands[number])
        for number, hand in enumerate(hands):
            if number not in used:
                count = len(self.people)
                arm = Arm(self._next, t_s, t_s, [], np.zeros(count), nearest=np.full(count, np.inf))
                self._next += 1
                self._arms.append(arm)
                self._add(arm, t_s, hand)
        return Cover(tuple(self._pointed(arm) for arm in self._arms if arm.seen_at == t_s), cover.palas)

    def _reach_mm(self, hand: Limb, elapsed_s: float) -> float:
        """How far from its last place a hand may be found again; near the edge a far one has just come."""
        x, y = (float(part) for part in hand.middle_mm)
        coming = cv2.pointPolygonTest(self._outline, (x, y), True) < COMING_MM
        return min(COMING_STEP_MM if coming else FARTHEST_MM, SPEED_MM_S * max(elapsed_s, 0.05))

    def _pointed(self, arm: Arm) -> Limb:
        limb = arm.path[-1][1]
        if not self._shown_origin(arm):
            return limb
        row = int(self._cost(arm).argmin())
        return limb.pointed_to(self._bodies[row])

    def _add(self, arm: Arm, t_s: float, hand: Limb) -> None:
        arm.path.append((t_s, hand))
        arm.seen_at = t_s
        away = self._bodies - hand.middle_mm
        away /= np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9)
        turn = np.rad2deg(np.arccos(np.clip(np.abs(away @ hand.along), 0.0, 1.0)))
        arm.turned.append(np.minimum(turn / TURN_DEG, 4.0))
        arm.costs += arm.turned[-1]
        arm.looks += 1
        gaps = np.linalg.norm(self._edges - hand.middle_mm, axis=1)
        arm.nearest = np.minimum(arm.nearest, gaps)

    def owner(self, arm: Arm) -> tuple[str, float]:
        """The likeliest person and how likely, 0 to 1."""
        cost = self._cost(arm)
        weights = np.exp(-2.0 * (cost - cost.min()))
        best = int(cost.argmin())
        misfit = max(float(cost[best]), float(np.mean([turned[best] for turned in arm.turned])))
        share = float(1.0 / (weights.sum() + np.exp(2.0 * (misfit - STRANGER))))
        return self.people[best].name, share if self._shown_origin(arm) else share * GUESSED

    def _shown_origin(self, arm: Arm) -> bool:
        """Whether the hand was seen to come from somewhere: its direction alone fits two opposite people."""
        return float(arm.nearest.min()) < NEAR_EDGE_MM or bool(self._came(arm).any())

    def owner_among(self, arm: Arm, names: tuple[str, ...], expected: str | None = None) -> str:
        """The likeliest of these people; whoever is `expected` has some advance."""
        cost = self._cost(arm)
        rows = [
            (float(cost[row]) - ADVANCE * (person.name == expected), person.name)
            for row, person in enumerate(self.people)
            if person.name in names
        ]
        return min(rows)[1]

    def _cost(self, arm: Arm) -> FloatArray:
        cost = arm.costs / max(arm.looks, 1) + self._came(arm)
        closest = float(arm.nearest.min())
        if closest < NEAR_EDGE_MM:
            cost = cost + np.minimum((arm.nearest - closest) / EDGE_MM, 4.0)
        return cost

    def _came(self, arm: Arm) -> FloatArray:
        """What the way a hand came by says: an undirected forearm does not tell opposite sides apart."""
        places = np.array([limb.middle_mm for _, limb in arm.path])
        inner = places[int(np.hypot(*(places - places[0]).T).argmax())]
        way = places[0] - inner
        length = float(np.hypot(*way))
        if length < CAME_MM:
            return np.zeros(len(self.people))
        toward = self._bodies - inner
        toward /= np.maximum(np.linalg.norm(toward, axis=1, keepdims=True), 1e-9)
        turn = np.rad2deg(np.arccos(np.clip(toward @ (way / length), -1.0, 1.0)))
        return np.asarray(np.minimum(turn / CAME_DEG, 5.0), np.float64)

    def at(
        self, point_mm: FloatArray, t_s: float, *, within_s: float = 0.0, reach_mm: float = 60.0
    ) -> list[Arm]:
        """Arms whose hand was within `reach_mm` of the point in the last `within_s`, nearest first."""
        found = []
        for arm in self._arms:
            gaps = [
                limb.gap_mm(point_mm)
                for when, limb in arm.path
                if t_s - within_s - 1e-6 <= when <= t_s + 1e-6
            ]
            if gaps and min(gaps) < reach_mm:
                found.append((min(gaps), arm.id, arm))
        return [arm for _, _, arm in sorted(found, key=lambda item: item[:2])]
