"""Where detected boxes stand on the felt, how large they are there, and whether that can be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.obb import NEXT
from veedor.vision.table import ChipType

FloatArray = NDArray[np.float64]

CARD_MM = (63.0, 88.0)
NARROW_CARD_MM = 57.0

# Shares of the nominal size that a real object's box may have: a lifted card looks larger, one under a hand
# or another card smaller, and the detector errs by about a pixel a side.
SMALLEST, LARGEST = 0.55, 1.5


CARDS = (ObjectClass.CARD_FACE, ObjectClass.CARD_BACK)
CHIPS = (ObjectClass.CHIP_STACK, ObjectClass.PLAQUE)
# Of cards that lie the same way, one on another, less than this across is one card found twice. On rendered
# heaps and fans 42 mm finds 0.804 of the cards at precision 0.907, 26 mm 0.847 at 0.905, 14 mm 0.853 at
# 0.895.
ONE_CARD_MM = 26.0
ONE_CHIP_MM = 28.0
LONG_REACH = 1.4  # as far again along a card as it is longer than wide
CROSSED = 0.75  # cosine of the least angle between two cards that cross
# A card is 1.4 times as long as wide; a box less than this cuts off an end, and its direction says nothing.
ELONGATED = 1.22
PLAQUE_ERROR = 0.13  # of the logarithm of a side; a card of which a third is covered is farther off
WHOLE = 0.86  # of its length, that a box must show of a card that crosses another


@dataclass(frozen=True)
class ChipGeometry:
    """Diameter and thickness of the table's round chips, mm."""

    diameter_mm: float = 40.0
    thickness_mm: float = 3.4

    @classmethod
    def of(cls, chips: tuple[ChipType, ...]) -> ChipGeometry:
        """The mean round chip of a set."""
        rounds = [chip for chip in chips if not chip.plaque]
        if not rounds:
            return cls()
        return cls(
            float(np.mean([chip.diameter_mm for chip in rounds])),
            float(np.mean([chip.thickness_mm for chip in rounds])),
        )


def felt_quads(camera: Camera, corners_px: NDArray[np.float32]) -> FloatArray:
    """Corners (n, 4, 2) in pixels as table mm on the felt, (n, 4, 2)."""
    flat = camera.to_felt(np.asarray(corners_px, np.float64).reshape(-1, 2))
    return flat.reshape(-1, 4, 2)


def side_lengths_mm(quads_mm: FloatArray) -> FloatArray:
    """Lengths (n, 2) of the first and the second pair of opposite sides."""
    sides = np.linalg.norm(quads_mm[:, NEXT] - quads_mm, axis=2)
    lengths: FloatArray = np.column_stack([sides[:, 0] + sides[:, 2], sides[:, 1] + sides[:, 3]]) / 2
    return lengths


def elongated(quads_mm: FloatArray) -> NDArray[np.bool_]:
    """Which boxes (n,) are so much longer than wide that their direction can be trusted."""
    sides = np.sort(side_lengths_mm(quads_mm), axis=1)
    clear: NDArray[np.bool_] = np.asarray(sides[:, 1] >= ELONGATED * sides[:, 0])
    return clear


def possible(detections: Detections, quads_mm: FloatArray, chips: tuple[ChipType, ...]) -> NDArray[np.bool_]:
    """Which boxes have a size that an object of their class can have on the felt, (n,)."""
    sides = np.sort(side_lengths_mm(quads_mm), axis=1)
    keep: NDArray[np.bool_] = np.asarray(np.isfinite(sides).all(axis=1))
    diameter = ChipGeometry.of(chips).diameter_mm
    plaques = [chip.size_mm for chip in chips if chip.plaque] or [ChipType.size_mm]
    shortest = min(min(size) for size in plaques)
    longest = max(max(size) for size in plaques)
    limits = {
        ObjectClass.CARD_FACE: (NARROW_CARD_MM, CARD_MM[1]),
        ObjectClass.CARD_BACK: (NARROW_CARD_MM, CARD_MM[1]),
        ObjectClass.CUT_CARD: (NARROW_CARD_MM, CARD_MM[1]),
        ObjectClass.PLAQUE: (shortest, longest),
        ObjectClass.CHIP_STACK: (diameter, diameter),
    }
    for kind, (short, long) in limits.items():
        rows = detections.class_ids == kind
        tall = 2.2 if kind is ObjectClass.CHIP_STACK else LARGEST
        fits = (sides[:, 0] > short * SMALLEST) & (sides[:, 0] < short * LARGEST)
        fits &= (sides[:, 1] > long * SMALLEST) & (sides[:, 1] < long * tall)
        keep = keep & (~rows | fits)
    return keep


def as_plaques(
    detections: Detections, quads_mm: FloatArray, chips: tuple[ChipType, ...]
) -> Detections:
    """The detections, as plaques those of cards that measure what a plaque does and no card can."""
    sizes = np.array([sorted(chip.size_mm) for chip in chips if chip.plaque]).reshape(-1, 2)
    if not len(sizes) or not len(quads_mm):
        return detections
    sides = np.log(np.maximum(np.sort(side_lengths_mm(quads_mm), axis=1), 1.0))
    from_card = np.abs(sides - np.log((NARROW_CARD_MM, CARD_MM[1]))).max(axis=1)
    from_plaque = np.abs(sides[:, None] - np.log(sizes)[None]).max(axis=2).min(axis=1)
    plaques = np.isin(detections.class_ids, CARDS) & (from_plaque < PLAQUE_ERROR) & (from_card > from_plaque)
    kinds = np.where(plaques, int(ObjectClass.PLAQUE), detections.class_ids)
    return Detections(detections.corners_px, detections.scores, kinds)


def plaque_sized(
    detections: Detections, quads_mm: FloatArray, chips: tuple[ChipType, ...]
) -> NDArray[np.bool_]:
    """Which boxes (n,) of cards have a size that suits a plaque of the set better than a card."""
    sizes = np.array([sorted(chip.size_mm) for chip in chips if chip.plaque]).reshape(-1, 2)
    if not len(sizes) or not len(quads_mm):
        return np.zeros(len(quads_mm), np.bool_)
    sides = np.log(np.maximum(np.sort(side_lengths_mm(quads_mm), axis=1), 1.0))
    from_card = np.abs(sides - np.log(CARD_MM)).sum(axis=1)
    from_plaque = np.abs(sides[:, None] - np.log(sizes)[None]).sum(axis=2).min(axis=1)
    suits: NDArray[np.bool_] = np.isin(detections.class_ids, CARDS) & (from_plaque < from_card)
    return suits


def apart(
    detections: Detections, quads_mm: FloatArray, worth: NDArray[np.float64] | None = None
) -> NDArray[np.bool_]:
    """Which boxes to keep (n,) so that no two solids share a place: of each pair the one `worth` more,
    by score unless given.

    Cards may cross; two that lie the same way and overlap by a third are one card that was found twice, and
    so are two of which one has no clear direction.
    """
    keep = np.ones(len(detections), np.bool_)
    centres = quads_mm.mean(axis=1)
    sides = quads_mm[:, 2] - quads_mm[:, 1]
    turns = np.arctan2(sides[:, 1], sides[:, 0])
    lengths = np.sort(side_lengths_mm(quads_mm), axis=1)
    long = elongated(quads_mm) & (lengths[:, 1] >= WHOLE * CARD_MM[1])
    groups = ((CARDS, ONE_CARD_MM), (CHIPS, ONE_CHIP_MM))
    value = np.asarray(detections.scores if worth is None else worth, np.float64).copy()
    cards = np.isin(detections.class_ids, CARDS)
    value[cards] -= 0.5 * np.abs(lengths[cards] / CARD_MM - 1.0).sum(
        axis=1
    )  # a box of part of a card is worse
    order = np.argsort(-value, kind="stable").tolist()
    farthest = max(reach for _, reach in groups) * np.hypot(1.0, LONG_REACH)
    close = np.linalg.norm(centres[:, None] - centres[None], axis=2) < farthest
    for place, row in enumerate(order):
        for other in (each for each in order[place + 1 :] if close[row, each]):
            for kinds, reach in groups:
                if not keep[row] or detections.class_ids[row] not in kinds:
                    continue
                if detections.class_ids[other] not in kinds:
                    continue
                away = centres[other] - centres[row]
                along = float(away @ (np.cos(turns[row]), np.sin(turns[row])))
                across = float(away @ (-np.sin(turns[row]), np.cos(turns[row])))
                stretch = LONG_REACH if kinds is CARDS else 1.0
                near = abs(across) < reach and abs(along) < reach * stretch
                crossed = abs(np.cos(turns[row] - turns[other])) < CROSSED and long[row] and long[other]
                same_way = kinds is CHIPS or not crossed
                keep[other] &= not (near and same_way)
    return keep


def lean_per_mm(camera: Camera, base_mm: FloatArray) -> FloatArray:
    """How far (2,) mm on the felt the picture of a point moves for each mm that it rises above `base_mm`."""
    away = np.asarray(base_mm, np.float64) - camera.position_mm[:2]
    lean: FloatArray = away / camera.position_mm[2]
    return lean


def stack_height(camera: Camera, quad_mm: FloatArray, geometry: ChipGeometry) -> tuple[float, float]:
    """Height of a stack in chips (not rounded) from its box, and its standard error for 1 mm error of a side.

    A box round a leaning cylinder is longer than the chip's diameter along each of its sides by the share of
    the lean in that direction; where the camera looks straight down nothing tells, and the error is large.
    """
    sides = side_lengths_mm(quad_mm[None])[0]
    axes = np.array([quad_mm[1] - quad_mm[0], quad_mm[2] - quad_mm[1]])
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    lean = lean_per_mm(camera, quad_mm.mean(axis=0)) * geometry.thickness_mm
    gain = np.abs(axes @ lean)  # growth of each side for one chip
    squared = float((gain**2).sum())
    if squared < 1e-9:
        return 1.0, np.inf
    excess = sides - geometry.diameter_mm
    return float((excess * gain).sum() / squared), float(1.0 / np.sqrt(squared))


def bases_mm(
    camera: Camera, detections: Detections, quads_mm: FloatArray, heights_mm: FloatArray
) -> NDArray[np.float32]:
    """Centres (n, 2) of the bases; `heights_mm` (n,) is how high each object rises from the felt.

    The box of a solid reaches from its base to its leaning top, so its middle lies half the lean too far out;
    the corners of a plaque are those of its top face, which lies the whole lean too far out.
    """
    centres = quads_mm.mean(axis=1)
    share = np.where(detections.class_ids == ObjectClass.PLAQUE, 1.0, 0.5)
    lean = (centres - camera.position_mm[:2]) / camera.position_mm[2]
    return np.asarray(centres - lean * (heights_mm * share)[:, None], np.float32)
