"""The bones of a hand: where its capsules run in each pose, with people's differences.

Millimetres in the hand's own frame: x to the right and y forward from the wrist as the fingers point away
from the viewer, z up from what the hand lies on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from veedor.datasets.scene import HandPose

FloatArray = NDArray[np.float64]

FINGERS = ("index", "middle", "ring", "little")
KNUCKLES_MM = {"index": (-25.0, 90.0), "middle": (-5.0, 95.0), "ring": (14.0, 90.0), "little": (31.0, 79.0)}
LENGTHS_MM = {"index": 73.0, "middle": 81.0, "ring": 75.0, "little": 58.0}
RADII_MM = {"index": 9.2, "middle": 9.5, "ring": 9.0, "little": 7.8}
SPREAD_DEG = {"index": -9.0, "middle": -1.0, "ring": 6.0, "little": 15.0}
PHALANGES = (0.46, 0.29, 0.25)
# How far the three joints bend down in each pose.
PITCH_DEG: dict[HandPose, dict[str, tuple[float, float, float]]] = {
    HandPose.OPEN: dict.fromkeys(FINGERS, (6.0, 18.0, 30.0)),
    HandPose.FLAT: dict.fromkeys(FINGERS, (10.0, 13.0, 16.0)),
    HandPose.PINCH: {
        "index": (18.0, 38.0, 52.0),
        "middle": (24.0, 48.0, 66.0),
        "ring": (32.0, 66.0, 84.0),
        "little": (36.0, 72.0, 86.0),
    },
}


@dataclass(frozen=True)
class Capsule:
    start: FloatArray  # x, y, z
    end: FloatArray
    radii: tuple[float, float]


@dataclass(frozen=True)
class Skeleton:
    palm: list[Capsule]
    fingers: list[Capsule]
    thumb: list[Capsule]
    tips: list[tuple[FloatArray, FloatArray, float]]  # nail's middle, direction, radius
    joints: list[tuple[FloatArray, FloatArray, float]]
    grip: FloatArray  # the middle of the fingertips, x, y
    cuff_mm: float


@lru_cache(maxsize=256)
def skeleton(pose: HandPose, variant: int) -> Skeleton:
    rng = np.random.default_rng([variant, 5])
    size = float(rng.uniform(0.9, 1.1))
    thick = float(rng.uniform(0.9, 1.12))
    spread = {HandPose.OPEN: 1.25, HandPose.FLAT: 0.35, HandPose.PINCH: 0.5}[pose] * float(
        rng.uniform(0.7, 1.3)
    )
    fingers, tips, joints, ends = [], [], [], {}
    for name in FINGERS:
        x, y = KNUCKLES_MM[name]
        here = np.array([x, y, 30.0])
        heading = np.deg2rad(SPREAD_DEG[name] * spread + float(rng.uniform(-3, 3)))
        bend = np.array(PITCH_DEG[pose][name]) * float(rng.uniform(0.75, 1.25))
        radius = RADII_MM[name] * thick
        for number, (share, pitch) in enumerate(
            zip(PHALANGES, np.deg2rad(np.minimum(bend, 87.0)), strict=True)
        ):
            step = LENGTHS_MM[name] * share
            way = np.array([np.sin(heading) * np.cos(pitch), np.cos(heading) * np.cos(pitch), -np.sin(pitch)])
            there = here + step * way
            there[2] = max(there[2], 7.0)
            taper = (radius * (1 - 0.07 * number), radius * (0.93 - 0.07 * number))
            fingers.append(Capsule(here, there, taper))
            if number:
                joints.append((here, way, taper[0]))
            here = there
        tips.append((here, way, radius * 0.8))
        ends[name] = here
    thumb_points = _thumb(pose, ends["index"], rng)
    thumb = [
        Capsule(first, second, (radius * thick, (radius - 1.2) * thick))
        for first, second, radius in zip(thumb_points, thumb_points[1:], (14.0, 11.5, 10.5), strict=False)
    ]
    way = thumb_points[-1] - thumb_points[-2]
    tips.append((thumb_points[-1], way / np.linalg.norm(way), 9.0 * thick))
    joints.append((thumb_points[-2], way / np.linalg.norm(way), 10.5 * thick))
    palm = [
        Capsule(
            np.array([0.55 * KNUCKLES_MM[name][0], 12.0, 26.0]),
            np.array([*KNUCKLES_MM[name], 25.0]),
            (17.0, 12.5),
        )
        for name in FINGERS
    ]
    palm.append(Capsule(np.array([-12.0, 14.0, 22.0]), np.array([-26.0, 62.0, 20.0]), (17.0, 13.0)))
    palm.append(Capsule(np.array([14.0, 16.0, 20.0]), np.array([24.0, 60.0, 20.0]), (16.0, 14.0)))
    palm += [  # tendons
        Capsule(
            np.array([0.3 * KNUCKLES_MM[name][0], 8.0, 35.5]),
            np.array([*KNUCKLES_MM[name], 33.5]),
            (3.5, 4.5),
        )
        for name in FINGERS
    ]
    swing = np.deg2rad(float(rng.uniform(-16, 16)))
    turn = np.array([[np.cos(swing), np.sin(swing), 0], [-np.sin(swing), np.cos(swing), 0], [0, 0, 1.0]])
    scale = np.array([size, size, 1.0])

    def move(point: FloatArray) -> FloatArray:
        moved: FloatArray = turn @ point * scale
        return moved

    def moved(capsules: list[Capsule]) -> list[Capsule]:
        return [
            Capsule(move(part.start), move(part.end), (part.radii[0] * size, part.radii[1] * size))
            for part in capsules
        ]

    if pose is HandPose.PINCH:
        grip = (move(ends["index"]) + move(thumb_points[-1])) / 2
    else:
        grip = (move(ends["index"]) + move(ends["middle"]) + move(ends["ring"])) / 3
    cuff = float(rng.uniform(22, 44))
    wrist = [
        Capsule(np.array([side * 9.0, 10.0, 26.0]), np.array([side * 10.0, -cuff - 30.0, 30.0]), (20.0, 19.0))
        for side in (-1, 1)
    ]
    return Skeleton(
        moved(palm) + wrist,
        moved(fingers),
        moved(thumb),
        [(move(point), turn @ way, radius * size) for point, way, radius in tips],
        [(move(point), turn @ way, radius * size) for point, way, radius in joints],
        grip[:2],
        cuff,
    )


def _thumb(pose: HandPose, index_tip: FloatArray, rng: np.random.Generator) -> list[FloatArray]:
    """Joints of the thumb from its root to its tip."""
    root = np.array([-19.0, 24.0, 22.0])
    if pose is HandPose.PINCH:
        tip = index_tip + np.array([float(rng.uniform(-9, -3)), float(rng.uniform(-8, 0)), 6.0])
        middle = np.array([-42.0, 55.0, 22.0])
        return [root, middle, middle * 0.45 + tip * 0.55 + (-5.0, 0.0, 3.0), tip]
    if pose is HandPose.FLAT:
        return [
            root,
            np.array([-35.0, 50.0, 17.0]),
            np.array([-38.0, 73.0, 12.0]),
            np.array([-34.0, 93.0, 9.0]),
        ]
    out = float(rng.uniform(-6, 14))
    return [
        root,
        np.array([-38.0, 47.0, 18.0]),
        np.array([-54.0 - 0.5 * out, 66.0, 14.0]),
        np.array([-64.0 - out, 87.0 - 0.5 * out, 9.0]),
    ]
