"""From frames to percepts: motion gate, detector on what moved, sizes checked, faces and chips read.

State lives only between two calls of `reset`: a segment perceived alone gives the same percepts as one
perceived after others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.card_halves import halves_joined
from veedor.vision.chip_reading import ChipReader
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.drift import DriftWatch
from veedor.vision.errors import VisionError
from veedor.vision.footprints import (
    ONE_CHIP_MM,
    apart,
    as_plaques,
    bases_mm,
    felt_quads,
    plaque_sized,
    possible,
)
from veedor.vision.frames import Frame, Image
from veedor.vision.layout import ZoneKind
from veedor.vision.looks import Seen, joined, rows_of
from veedor.vision.motion import Mask, MotionGate, Region
from veedor.vision.percept import RANK_COUNT, SUIT_COUNT, Percept
from veedor.vision.reader import CardReadings
from veedor.vision.segments import Segment
from veedor.vision.sources import VideoSource
from veedor.vision.stack_counter import StackCounter
from veedor.vision.straight_view import straight_views
from veedor.vision.table import Table

DETECTOR_PX_PER_MM = 0.5
# Chips on printed figures are found better at a finer scale (0.98 for 0.93 of those of rendered sessions),
# cards and hands worse: once a place has gone still, its chips are looked at so.
CLOSE_PX_PER_MM = 0.7
CLOSE_SCORE = 0.35
LASTING_SCORE = 0.4  # chips seen better stay where no picture has changed
NO_STAKES = (
    ZoneKind.HAND, ZoneKind.BANKER_HAND, ZoneKind.BANK, ZoneKind.SHOE, ZoneKind.BASKET, ZoneKind.CROUPIER,
)  # fmt: skip
CARDS_LIE = (ZoneKind.HAND, ZoneKind.BANKER_HAND, ZoneKind.SHOE, ZoneKind.BASKET)
OFF_TABLE_MM = 90.0  # a card that juts over the rim, seen from aslant

# The faintest box that is kept of each class. Chips on felt of their own colour score 0.3, cards score 0.9;
# a faint box continues a track and begins one only where a hand has brought something.
FAINTEST = 0.25
_FAINT = np.full(len(ObjectClass), 0.35, np.float32)
_FAINT[[ObjectClass.CHIP_STACK, ObjectClass.PLAQUE]] = FAINTEST


class ObjectDetector(Protocol):
    """Finds oriented boxes of `min_score` or better, corners in the given picture's own pixels; `scale`
    resamples it first."""

    def detect(self, image_bgr: Image, *, scale: float = 1.0, min_score: float = 0.35) -> Detections: ...


class FaceReader(Protocol):
    """Reads the card faces of a picture BGR that are outlined by corners (n, 4, 2) px."""

    def read_cards(self, image_bgr: Image, corners_px: NDArray[np.floating]) -> CardReadings: ...


@dataclass(frozen=True)
class PerceiverSettings:
    """How often and how closely is looked; times in seconds, lengths in mm and gate cells."""

    # Every second frame of 12.5, every fourth of 25 a second: a card may lie open for a third of a second.
    rate_hz: float = 6.25
    full_every_s: float = 5.0
    arms_margin_mm: float = 150.0  # round the felt, where arms come from
    reach_cells: int = 2
    close_everywhere: bool = False  # for a single picture, of which nothing is known to lie still
    context_px: int = 48  # round a region, so that no object is cut off by its border
    most_regions: int = 3
    full_share: float = 0.6  # of the table's area; past it one full pass is cheaper
    same_place_mm: float = 2.5  # a box that moves less between two looks has not moved
    readings_enough: int = 10  # of one card that lies still
    echo_ticks: tuple[int, ...] = (2, 5)  # looks at a place after it went still: one miss must not stay


STILL = PerceiverSettings(close_everywhere=True)


class Perceiver:
    """Perceives the frames of one calibrated table."""

    def __init__(
        self,
        table: Table,
        detector: ObjectDetector,
        reader: FaceReader,
        counter: StackCounter | None = None,
        settings: PerceiverSettings | None = None,
    ) -> None:
        if table.camera is None:
            raise VisionError(f"table '{table.id}': no calibration, so nothing can be placed on its felt")
        self.table = table
        self.camera = table.camera
        self.settings = settings or PerceiverSettings()
        self._detector = detector
        self._reader = reader
        self._chips = ChipReader(table, table.camera, counter)
        outline = _grown(table.layout.outline_mm, self.settings.arms_margin_mm)
        self._straight = straight_views(self.camera, outline, (DETECTOR_PX_PER_MM, CLOSE_PX_PER_MM))
        self._drift = DriftWatch(table.layout, table.camera)
        self._felt = _felt_region(table, self.settings.arms_margin_mm)
        self._watched, self._zone_cells = _cells(table, self.settings.arms_margin_mm)
        self._stake_cells = self._watched.copy()
        for zone in table.layout.zones:
            if zone.kind in NO_STAKES:
                self._stake_cells &= ~self._zone_cells[zone.name]
        self.reset()

    def reset(self) -> None:
        """Forget everything; the next frame is looked at in full."""
        size = (self.camera.width, self.camera.height)
        self._gate = MotionGate(size, self._watched)
        self._tick: int | None = None
        self._full_at = -np.inf
        self._echoes: dict[int, Mask] = {}
        self._due = np.zeros(self._gate.shape, np.bool_)  # cells that changed or are looked at again
        self._stirred = np.full(self._gate.shape, -1, np.int64)  # tick, -1 once looked at closely
        self._drift.reset()
        blank = Percept.empty(0, 0.0, len(self.table.chips))
        self._seen = Seen(blank, np.zeros(0, np.int32))

    def see(self, frame: Frame) -> Percept | None:
        """What is seen in the frame, None for the frames between two looks."""
        tick = int(np.floor(frame.t_s * self.settings.rate_hz + 1e-6))
        if tick == self._tick:
            return None
        self._tick = tick
        self._check_size(frame)
        frame = self._drift.steadied(frame)
        stale, moving = self._gate.look(frame.thumbnail(*self._gate.thumbnail_size))
        self._due = stale | self._echo(tick, stale)
        regions = self._regions(frame.t_s, self._due)
        calm = self._calm(tick, stale)
        seen = self._carried(self._seen)
        for region in regions:
            still = self._still_chips(region, calm)
            seen = self._look(frame, region, seen, still)
        if regions:
            seen = self._unique(seen)
        zones = tuple(name for name, cells in self._zone_cells.items() if (cells & moving).any())
        percept = replace(
            seen.percept,
            index=frame.index,
            t_s=frame.t_s,
            moving=zones,
            camera_shift_px=self._drift.shift_px,
        )
        self._seen = Seen(percept, seen.readings)
        return percept

    def off_mm(self) -> float:
        """How far the camera is off its calibration, on the felt, as far as that is followed."""
        return self._drift.off_mm()

    def perceive(self, source: VideoSource, segment: Segment) -> Iterator[Percept]:
        """The percepts of one segment, the same whatever was perceived before."""
        self.reset()
        for frame in source.frames(segment.start_s, segment.stop_s):
            percept = self.see(frame)
            if percept is not None:
                yield percept

    def _echo(self, tick: int, stale: Mask) -> Mask:
        """Cells that are due for another look, and the note to look at `stale` again later."""
        for later in self.settings.echo_ticks:
            noted = self._echoes.get(tick + later)
            self._echoes[tick + later] = stale if noted is None else noted | stale
        due = np.zeros_like(stale)
        for moment in [moment for moment in self._echoes if moment <= tick]:
            due |= self._echoes.pop(moment)
        return due

    def _calm(self, tick: int, stale: Mask) -> Mask:
        """Cells that have been still for as long as there are looks again, told once each time."""
        self._stirred[stale] = tick
        calm = (self._stirred >= 0) & (tick - self._stirred >= max(self.settings.echo_ticks))
        self._stirred[calm] = -1
        return calm

    def _still_chips(self, region: Region, calm: Mask) -> list[Region]:
        """The region once more, closely, if stakes in it may have come to rest.

        All of it: looked at closely where they rest alone, 48 of 54 stakes had the right amount, for 50, and
        two of three false bets came of it; it would save a fifth of the time.
        """
        if self.settings.close_everywhere:
            return [region]
        if region is self._felt:
            return []
        return [region] if (self._gate.cells_of(region) & calm & self._stake_cells).any() else []

    def _check_size(self, frame: Frame) -> None:
        if self._tick is not None and self._seen.percept.index:
            return
        height, width = frame.image.shape[:2]
        if (width, height) != (self.camera.width, self.camera.height):
            raise VisionError(
                f"table '{self.table.id}': calibrated for pictures of {self.camera.width} x "
                f"{self.camera.height}, found {width} x {height}"
            )

    def _regions(self, t_s: float, stale: Mask) -> list[Region]:
        regions = self._gate.regions_of(stale, self.settings.reach_cells, self.settings.most_regions)
        area = sum(region.area for region in regions)
        due = t_s - self._full_at >= self.settings.full_every_s - 1e-6
        if due or area > self.settings.full_share * self._felt.area:
            self._full_at = t_s
            return [self._felt]
        return regions

    @staticmethod
    def _carried(seen: Seen) -> Seen:
        percept = replace(seen.percept, fresh=np.zeros(len(seen.percept), np.bool_))
        return Seen(percept, seen.readings)

    def _look(self, frame: Frame, region: Region, seen: Seen, close: list[Region]) -> Seen:
        """Detect in one region and put what is found in the place of what was there."""
        found = self._detect(frame, region, DETECTOR_PX_PER_MM, FAINTEST)
        found = found.where(found.scores >= _FAINT[found.class_ids])
        for part in close:
            near = self._detect(frame, part, CLOSE_PX_PER_MM, CLOSE_SCORE)
            found = found.joined(near.where(near.class_ids == ObjectClass.CHIP_STACK))
        quads = felt_quads(self.camera, found.corners_px)
        found, quads = halves_joined(self.camera, found, quads)
        found = self._plaques_named(found, quads)
        keep = possible(found, quads, self.table.chips)
        keep &= (found.class_ids == ObjectClass.HAND) | self._on_table(quads.mean(axis=1))
        keep &= ~(self._no_cards(quads) & plaque_sized(found, quads, self.table.chips))
        keep[keep] = apart(found.where(keep), quads[keep])
        # Only now: of a thing beyond the border a fainter second box may lie on this side.
        keep &= region.holds(found.corners_px.mean(axis=1))
        new = self._read(frame, found.where(keep), quads[keep], seen)
        inside = region.holds(seen.percept.detections.corners_px.mean(axis=1)) & ~self._lasting(
            seen, quads[keep]
        )
        self._gate.settle(self._gate.cells_of(region))
        return joined(seen, ~inside, new)

    def _lasting(self, seen: Seen, found_mm: NDArray[np.float64]) -> Mask:
        """Chips (n,) of earlier looks, found closely perhaps, where nothing changed and nothing is found."""
        old = seen.percept.detections
        middles = old.corners_px.mean(axis=1)
        lasting: Mask = (old.class_ids == ObjectClass.CHIP_STACK) & (old.scores >= LASTING_SCORE)
        lasting &= self._gate.quiet(middles, ~self._due)
        if len(found_mm):
            away = self.camera.to_felt(middles)[:, None] - found_mm.mean(axis=1)[None]
            lasting &= np.linalg.norm(away, axis=2).min(axis=1) > ONE_CHIP_MM
        return lasting

    def _detect(self, frame: Frame, region: Region, px_per_mm: float, min_score: float) -> Detections:
        """The boxes in and round a region, in the frame's pixels; looked at on that scale."""
        wide = region.grown(self.settings.context_px, (self.camera.width, self.camera.height))
        straight = self._straight.get(px_per_mm)
        if straight is not None:
            view, begins = straight.crop(frame.image, wide)
            found = self._detector.detect(view, min_score=min_score)
            corners = straight.to_picture(found.corners_px, begins)
            return Detections(corners, found.scores, found.class_ids)
        crop = frame.image[wide.top : wide.bottom, wide.left : wide.right]
        middle = np.array([[(wide.left + wide.right) / 2, (wide.top + wide.bottom) / 2]])
        scale = px_per_mm / self.camera.px_per_mm(*self.camera.to_felt(middle)[0])
        found = self._detector.detect(crop, scale=scale, min_score=min_score)
        offset = np.array([wide.left, wide.top], np.float32)
        return Detections(found.corners_px + offset, found.scores, found.class_ids)

    def _plaques_named(self, found: Detections, quads_mm: NDArray[np.float64]) -> Detections:
        """What was taken for a card and has a plaque's size, where no cards are laid, is a plaque."""
        named = as_plaques(found, quads_mm, self.table.chips)
        kinds = np.where(self._no_cards(quads_mm), named.class_ids, found.class_ids)
        return Detections(found.corners_px, found.scores, kinds)

    def _no_cards(self, quads_mm: NDArray[np.float64]) -> Mask:
        """Whether boxes (n, 4, 2) lie where no cards are laid."""
        zones = [self.table.layout.zone_at(float(x), float(y)) for x, y in quads_mm.mean(axis=1)]
        return np.array([zone is None or zone.kind not in CARDS_LIE for zone in zones], np.bool_)

    def _on_table(self, places_mm: NDArray[np.float64]) -> Mask:
        """Whether places (n, 2) are on the felt or its rim: what lies beyond is nobody's card or chip."""
        outline = self.table.layout.outline_mm.astype(np.float32).reshape(-1, 1, 2)
        gaps = [cv2.pointPolygonTest(outline, (float(x), float(y)), True) for x, y in places_mm]
        return np.asarray(np.array(gaps) > -OFF_TABLE_MM, np.bool_)

    def _unique(self, seen: Seen) -> Seen:
        """A thing at the border of two regions is found in both: the newer and better look counts."""
        percept = seen.percept
        quads = felt_quads(self.camera, percept.detections.corners_px)
        worth = percept.detections.scores.astype(np.float64) + percept.fresh
        return rows_of(seen, apart(percept.detections, quads, worth))

    def _read(self, frame: Frame, found: Detections, quads_mm: NDArray[np.float64], seen: Seen) -> Seen:
        count, chips = len(found), len(self.table.chips)
        ranks = np.full((count, RANK_COUNT), np.nan, np.float32)
        suits = np.full((count, SUIT_COUNT), np.nan, np.float32)
        readings = np.zeros(count, np.int32)
        before = self._same_as_before(found, quads_mm, seen)
        old = seen.percept
        for row, other in before.items():
            readings[row] = seen.readings[other]
            ranks[row], suits[row] = old.rank_probs[other], old.suit_probs[other]
        faces = found.class_ids == ObjectClass.CARD_FACE
        due = np.flatnonzero(faces & (readings < self.settings.readings_enough))
        if len(due):
            reading = self._reader.read_cards(frame.image, found.corners_px[due])
            ranks[due], suits[due] = reading.rank_probs, reading.suit_probs
            readings[due] += 1
        stacks = self._chips.read(frame.image, found, quads_mm)
        fresh = np.ones(count, np.bool_)
        fresh[faces & (readings >= self.settings.readings_enough)] = False
        fresh[due] = True
        percept = Percept(
            frame.index,
            frame.t_s,
            found,
            bases_mm(self.camera, found, quads_mm, stacks.heights_mm),
            ranks,
            suits,
            stacks.probs if chips else np.zeros((count, 0), np.float32),
            stacks.count_probs,
            fresh,
        )
        return Seen(percept, readings)

    def _same_as_before(self, found: Detections, quads_mm: NDArray[np.float64], seen: Seen) -> dict[int, int]:
        """Rows of face cards that lie where one was read before, with the row they had then."""
        old = seen.percept
        rows = np.flatnonzero((old.detections.class_ids == ObjectClass.CARD_FACE) & (seen.readings > 0))
        if not len(rows) or not len(found):
            return {}
        centres = felt_quads(self.camera, old.detections.corners_px[rows]).mean(axis=1)
        pairs = {}
        for row in np.flatnonzero(found.class_ids == ObjectClass.CARD_FACE).tolist():
            away = np.linalg.norm(centres - quads_mm[row].mean(axis=0), axis=1)
            nearest = int(away.argmin())
            if away[nearest] < self.settings.same_place_mm:
                pairs[row] = int(rows[nearest])
        return pairs


def _felt_region(table: Table, margin_mm: float) -> Region:
    camera = table.camera
    assert camera is not None
    outline = camera.project(_grown(table.layout.outline_mm, margin_mm))
    low, high = outline.min(axis=0), outline.max(axis=0)
    return Region(
        max(0, int(low[0])),
        max(0, int(low[1])),
        min(camera.width, int(high[0]) + 1),
        min(camera.height, int(high[1]) + 1),
    )


def _grown(polygon_mm: NDArray[np.float64], margin_mm: float) -> NDArray[np.float64]:
    middle = polygon_mm.mean(axis=0)
    away = polygon_mm - middle
    lengths = np.linalg.norm(away, axis=1, keepdims=True)
    grown: NDArray[np.float64] = middle + away * (1 + margin_mm / np.maximum(lengths, 1.0))
    return grown


def _cells(table: Table, margin_mm: float) -> tuple[Mask, dict[str, Mask]]:
    """Gate cells that see the felt and its edge, and those of each zone."""
    camera = table.camera
    assert camera is not None
    gate = MotionGate((camera.width, camera.height))
    scale = 1.0 / np.array(gate.cell_px())

    def cells(polygon_mm: NDArray[np.float64]) -> Mask:
        mask = np.zeros(gate.shape, np.uint8)
        points = np.round(camera.project(polygon_mm) * scale - 0.5).astype(np.int32)
        cv2.fillPoly(mask, [points.reshape(-1, 1, 2)], 1)
        return mask.astype(np.bool_)

    zones = {zone.name: cells(zone.polygon_mm) for zone in table.layout.zones}
    return cells(_grown(table.layout.outline_mm, margin_mm)), zones
