"""Where every movable thing is at every moment: keyframes, smooth motion between, and the scene of a time.

Poses are (x, y, z) in table millimetres, rotation about the vertical and turn about the long axis in degrees.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import atan2, cos, degrees, hypot, radians, sin
from typing import NamedTuple

from veedor.datasets.scene import (
    CardPose,
    HandPose,
    HandPosePlan,
    PalaPose,
    PlaquePose,
    Scene,
    StackPose,
)

# From the blade's middle to the hand that holds the pala's handle.
PALA_GRIP_MM = 430.0


class Pose(NamedTuple):
    """A place and an attitude."""

    x_mm: float
    y_mm: float
    z_mm: float = 0.0
    rotation_deg: float = 0.0
    turn_deg: float = 0.0

    def distance_mm(self, other: Pose) -> float:
        """Distance over the felt."""
        return hypot(self.x_mm - other.x_mm, self.y_mm - other.y_mm)


@dataclass(frozen=True)
class Card:
    """What a card's track shows."""

    face: str
    back: str


@dataclass(frozen=True)
class Chips:
    """Chips moving as one: a stack (bottom to top) or one plaque."""

    names: tuple[str, ...]
    plaque: bool = False


@dataclass(frozen=True)
class Hand:
    """A hand whose forearm comes from `anchor_mm`, off the table."""

    anchor_mm: tuple[float, float]
    pose: HandPose = HandPose.FLAT
    left: bool = False
    skin: int = 0
    sleeve: int = 0


@dataclass(frozen=True)
class Pala:
    """The croupier's pala, held from `anchor_mm`."""

    anchor_mm: tuple[float, float]
    skin: int = 0
    sleeve: int = 0


Thing = Card | Chips | Hand | Pala


def minimum_jerk(share: float) -> float:
    """Progress 0..1 of a hand's movement at a share 0..1 of its time: no jump in speed or acceleration."""
    return share**3 * (10.0 - 15.0 * share + 6.0 * share * share)


@dataclass
class Track:
    """One thing from its appearing to its going; keys are added in order of time."""

    id: str
    thing: Thing
    times: list[float] = field(default_factory=list)
    poses: list[Pose] = field(default_factory=list)
    lifts: list[float] = field(default_factory=list)  # of the movement that ends at the key
    layers: list[tuple[float, int]] = field(default_factory=list)
    gone_s: float | None = None

    @property
    def born_s(self) -> float:
        return self.times[0]

    @property
    def last(self) -> Pose:
        """Where it is once its last movement has ended."""
        return self.poses[-1]

    def appear(self, t_s: float, pose: Pose) -> None:
        self.times.append(t_s)
        self.poses.append(pose)
        self.lifts.append(0.0)

    def move(self, start_s: float, end_s: float, to: Pose, *, lift_mm: float = 0.0) -> float:
        """Moves to `to` between two times, rising by `lift_mm` in the middle; returns the end.

        A start before the end of the movement under way is put off to it.
        """
        start_s = max(start_s, self.times[-1])
        end_s = max(end_s, start_s + 1e-3)
        if start_s > self.times[-1]:
            self.times.append(start_s)
            self.poses.append(self.poses[-1])
            self.lifts.append(0.0)
        self.times.append(end_s)
        self.poses.append(to)
        self.lifts.append(lift_mm)
        return end_s

    def lay(self, t_s: float, layer: int) -> None:
        """From `t_s` on the thing lies at `layer`, over lower ones."""
        self.layers.append((t_s, layer))

    def pose_at(self, t_s: float) -> Pose:
        """The pose at a time between appearing and going."""
        index = bisect_right(self.times, t_s)
        if index == 0:
            return self.poses[0]
        if index == len(self.times):
            return self.poses[-1]
        before, after = self.poses[index - 1], self.poses[index]
        lift = self.lifts[index]
        if before == after and lift == 0.0:
            return before
        span = self.times[index] - self.times[index - 1]
        share = minimum_jerk((t_s - self.times[index - 1]) / span)
        x, y, z, rotation, turn = (a + (b - a) * share for a, b in zip(before, after, strict=True))
        return Pose(x, y, z + lift * 16.0 * (share * (1.0 - share)) ** 2, rotation, turn)

    def layer_at(self, t_s: float) -> int:
        layer = 0
        for since_s, value in self.layers:
            if since_s > t_s:
                break
            layer = value
        return layer


class Timeline:
    """The tracks of a session; `scene_at` may be asked for any time in any order."""

    def __init__(self, tracks: Iterable[Track], duration_s: float) -> None:
        self.tracks = tuple(tracks)
        self.duration_s = duration_s
        self._by_second: dict[int, list[Track]] = defaultdict(list)
        for track in self.tracks:
            gone_s = duration_s if track.gone_s is None else track.gone_s
            for second in range(int(track.born_s), int(gone_s) + 1):
                self._by_second[second].append(track)

    def alive_at(self, t_s: float) -> list[Track]:
        """The tracks to be seen at `t_s`, in order of appearing."""
        return [
            track
            for track in self._by_second.get(int(t_s), ())
            if track.born_s <= t_s and (track.gone_s is None or t_s < track.gone_s)
        ]

    def scene_at(self, t_s: float) -> Scene:
        """Everything movable at `t_s` seconds of media time."""
        cards: list[CardPose] = []
        stacks: list[StackPose] = []
        plaques: list[PlaquePose] = []
        hands: list[HandPosePlan] = []
        palas: list[PalaPose] = []
        cut_card: CardPose | None = None
        for track in self.alive_at(t_s):
            pose = track.pose_at(t_s)
            x, y, z, rotation, turn = pose
            match track.thing:
                case Card(face, back):
                    card = CardPose(track.id, face, back, x, y, z, rotation, turn, track.layer_at(t_s))
                    if face == CUT_CARD:
                        cut_card = card
                    else:
                        cards.append(card)
                case Chips(names, plaque):
                    if plaque:
                        plaques.append(PlaquePose(track.id, names[0], x, y, z, rotation))
                    else:
                        stacks.append(StackPose(track.id, names, x, y, z, rotation))
                case Hand() as hand:
                    hands.append(_hand_plan(track.id, hand, pose))
                case Pala() as pala:
                    palas.append(PalaPose(x, y, z, _toward_deg(pose, pala.anchor_mm)))
                    hands.append(_grip(track.id, pose, pala))
        return Scene(tuple(cards), tuple(stacks), tuple(plaques), tuple(hands), tuple(palas), cut_card)


CUT_CARD = "cut"


def _toward_deg(pose: Pose, anchor_mm: tuple[float, float]) -> float:
    return degrees(atan2(anchor_mm[1] - pose.y_mm, anchor_mm[0] - pose.x_mm)) % 360.0


def _hand_plan(name: str, hand: Hand, pose: Pose) -> HandPosePlan:
    return HandPosePlan(
        name,
        pose.x_mm,
        pose.y_mm,
        pose.z_mm,
        _toward_deg(pose, hand.anchor_mm),
        hand.pose,
        hand.left,
        hand.skin,
        hand.sleeve,
    )


def _grip(name: str, blade: Pose, pala: Pala) -> HandPosePlan:
    """The hand at the handle of a pala whose blade is at `blade`."""
    x, y = pala.anchor_mm
    angle = radians(_toward_deg(blade, pala.anchor_mm))
    at = Pose(
        blade.x_mm + PALA_GRIP_MM * cos(angle), blade.y_mm + PALA_GRIP_MM * sin(angle), blade.z_mm + 10.0
    )
    hand = Hand((x, y - 300.0), HandPose.PINCH, skin=pala.skin, sleeve=pala.sleeve)
    return _hand_plan(f"{name}.hand", hand, at)
