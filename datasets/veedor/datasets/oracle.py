"""Percepts made from a played session's truth instead of pictures: what better or worse eyes would see.

For tests and for measuring the observer apart from detector and reader. Errors are drawn by seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from veedor.datasets.play.outlines import Outliner
from veedor.datasets.play.timeline import Timeline
from veedor.datasets.render.truth import ObjectTruth
from veedor.rules.cards import RANKS, SUITS
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.footprints import bases_mm, felt_quads, lean_per_mm
from veedor.vision.percept import RANK_COUNT, SUIT_COUNT, TALLEST, Percept
from veedor.vision.table import ChipType, Table

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Eyesight:
    """How well is seen; all zero is perfect sight of what is not hidden."""

    corner_sigma_px: float = 0.8  # of each box as a whole; a third of it of each corner besides
    missed: float = 0.03  # share of whole objects that a look misses
    hidden: float = 0.45  # an object that shows less of itself is not found
    misread: float = 0.04  # share of readings that take a rank or chip for another
    side_sigma_mm: float = 0.6  # of the visible side of a stack


def oracle_percepts(
    table: Table,
    timeline: Timeline,
    *,
    eyesight: Eyesight | None = None,
    rate_hz: float = 6.25,
    seed: int = 0,
) -> Iterator[Percept]:
    """What somebody of that eyesight perceives of a played session, `rate_hz` looks a second."""
    if table.camera is None:
        raise ValueError("an oracle needs a calibrated table")
    sight = eyesight or Eyesight()
    outliner = Outliner(table.camera, table.chips)  # type: ignore[arg-type]
    rng = np.random.default_rng([seed, 5])
    for number in range(int(timeline.duration_s * rate_hz)):
        t_s = round(number / rate_hz, 6)
        boxes = outliner.boxes(timeline.scene_at(t_s))
        yield _percept(table, boxes, (number, t_s), sight, rng)


def _percept(
    table: Table,
    boxes: Sequence[ObjectTruth],
    moment: tuple[int, float],
    sight: Eyesight,
    rng: np.random.Generator,
) -> Percept:
    camera = table.camera
    assert camera is not None
    seen = [box for box in boxes if box.visible_fraction > sight.hidden and rng.random() >= sight.missed]
    count, kinds = len(seen), len(table.chips)
    if not count:
        return Percept.empty(*moment, kinds)
    corners = np.array([_tidy(box.corners_px) for box in seen])
    corners += rng.normal(0, sight.corner_sigma_px, (count, 1, 2))
    corners += rng.normal(0, sight.corner_sigma_px / 3, corners.shape)
    classes = np.array([int(box.kind) for box in seen], np.int64)
    found = Detections(corners.astype(np.float32), np.full(count, 0.9, np.float32), classes)
    quads = felt_quads(camera, found.corners_px)
    thickness = np.array([_thickness(box, table.chips) for box in seen])
    ranks = np.full((count, RANK_COUNT), np.nan, np.float32)
    suits = np.full((count, SUIT_COUNT), np.nan, np.float32)
    chips = np.full((count, kinds), np.nan, np.float32)
    counts = np.full((count, TALLEST), np.nan, np.float32)
    for row, box in enumerate(seen):
        if box.kind is ObjectClass.CARD_FACE and box.face is not None:
            ranks[row] = _distribution(RANKS.index(box.face[0]), RANK_COUNT, sight, rng)
            suits[row] = _distribution(SUITS.index(box.face[1]), SUIT_COUNT, sight, rng)
        elif box.chips:
            names = [chip.name for chip in table.chips]
            chips[row] = _distribution(names.index(box.chips[-1]), kinds, sight, rng)
            lean = float(np.hypot(*lean_per_mm(camera, np.asarray(box.base_mm))))
            each = table.chip(box.chips[0]).thickness_mm * max(lean, 1e-3)
            counts[row] = _counts(len(box.chips), sight.side_sigma_mm / each, rng)
    bases = bases_mm(camera, found, quads, thickness)
    return Percept(*moment, found, bases, ranks, suits, chips, counts, np.ones(count, np.bool_))


def _counts(truth: int, sigma: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """A count read off a side whose length errs by `sigma` chips."""
    away = np.arange(1, TALLEST + 1) - truth - rng.normal(0, sigma)
    probs = np.exp(-0.5 * (away / max(sigma, 0.05)) ** 2) + 1e-6
    return np.asarray(probs / probs.sum(), np.float32)


def _thickness(box: ObjectTruth, chips: Sequence[ChipType]) -> float:
    by_name = {chip.name: chip.thickness_mm for chip in chips}
    return sum(by_name[name] for name in box.chips)


def _tidy(corners: FloatArray) -> FloatArray:
    """A short edge first, as detections of cards have it."""
    first = np.linalg.norm(corners[1] - corners[0])
    return corners if first <= np.linalg.norm(corners[2] - corners[1]) else np.roll(corners, -1, axis=0)


def _distribution(truth: int, count: int, sight: Eyesight, rng: np.random.Generator) -> NDArray[np.float32]:
    """A reading: mostly right and sure, sometimes wrong and less so."""
    wrong = rng.random() < sight.misread
    probs = np.full(count, (0.4 if wrong else 0.1) / max(count - 1, 1))
    probs[int(rng.integers(count)) if wrong else truth] += 0.6 if wrong else 0.9
    return np.asarray(probs / probs.sum(), np.float32)
