"""The felt's printed lines: where a layout has them, and which a picture shows.

Lines are found as ridges, thin strips that differ from what lies on both sides; polarity does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.frames import Image
from veedor.vision.layout import TableLayout, ZoneKind
from veedor.vision.sampling import sampled

FloatArray = NDArray[np.float64]
Plane = NDArray[np.float32]
Mask = NDArray[np.bool_]

PRINTED = (
    ZoneKind.BET,
    ZoneKind.PLAYER,
    ZoneKind.OTHER_PANO,
    ZoneKind.HAND,
    ZoneKind.BANKER_HAND,
    ZoneKind.FORBIDDEN,
    ZoneKind.PUNTO,
    ZoneKind.BANCA,
    ZoneKind.SUITE,
    ZoneKind.TIE,
)
RAIL_MM = 25.0  # so near the felt's edge the rail, its shadow and its shine look like lines
SAME_LINE_MM = 6.0  # two zones that share a border have one printed line between them
PIECE_MM = 120.0

WORK_WIDTH = 960  # of the picture in which lines are looked for
RIDGE_SIGMAS = (1.2, 2.4)
RIDGE_NOISE = 4.0  # times the picture's own noise
FEWEST_LEVELS = 1.2  # of brightness or colour, a ridge's curvature at least
SIDE_PX = 4.0
SAME_SIDES = 16.0  # colour difference between a line's two sides


@dataclass(frozen=True)
class PrintedLines:
    """Places along everything that may be printed.

    `places_mm` (n, 2), unit directions `ways` (n, 2), `pieces` (n,): number of the stretch of about 12 cm
    that a place belongs to, 0 to `piece_count` - 1.
    """

    places_mm: FloatArray
    ways: FloatArray
    pieces: NDArray[np.intp]
    piece_count: int

    def __len__(self) -> int:
        return len(self.places_mm)

    def every(self, step: int) -> PrintedLines:
        """Only every so many-th place."""
        return PrintedLines(self.places_mm[::step], self.ways[::step], self.pieces[::step], self.piece_count)


def printed_lines(layout: TableLayout, step_mm: float = 10.0) -> PrintedLines:
    """The places of a layout's printed lines, each line once."""
    places, ways, pieces = np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0, np.intp)
    count = 0
    for curve in _curves(layout):
        middle, way, along = _walk(curve, step_mm)
        keep = _off_rail(layout, middle) & _new(middle, way, places, ways)
        if not keep.any():
            continue
        numbers = count + (along[keep] // PIECE_MM).astype(np.intp)
        _, numbers = np.unique(numbers, return_inverse=True)
        places, ways = np.concatenate([places, middle[keep]]), np.concatenate([ways, way[keep]])
        pieces = np.concatenate([pieces, count + numbers])
        count = int(pieces.max()) + 1
    return PrintedLines(places, ways, pieces, count)


def _curves(layout: TableLayout) -> list[FloatArray]:
    """Lines with a meaning first, then borders of zones."""
    curves = [line.points_mm for line in layout.lines]
    borders = [zone.polygon_mm for zone in layout.zones if zone.kind in PRINTED]
    return curves + [np.vstack([polygon, polygon[:1]]) for polygon in borders]


def _walk(curve: FloatArray, step_mm: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Places along a polyline, directions there, and lengths from its start."""
    legs = np.linalg.norm(np.diff(curve, axis=0), axis=1)
    ends = np.concatenate([[0.0], np.cumsum(legs)])
    count = max(1, int(ends[-1] // step_mm))
    along = (np.arange(count) + 0.5) * ends[-1] / count
    leg = np.clip(np.searchsorted(ends, along, side="right") - 1, 0, len(legs) - 1)
    way = np.diff(curve, axis=0)[leg] / np.maximum(legs[leg], 1e-9)[:, None]
    return curve[leg] + way * (along - ends[leg])[:, None], way, along


def _off_rail(layout: TableLayout, places: FloatArray) -> Mask:
    outline = layout.outline_mm.astype(np.float32).reshape(-1, 1, 2)
    depths = [cv2.pointPolygonTest(outline, (float(x), float(y)), True) for x, y in places]
    return np.array(depths) > RAIL_MM


def _new(places: FloatArray, ways: FloatArray, old: FloatArray, old_ways: FloatArray) -> Mask:
    """Places that no earlier line already runs along."""
    if not len(old):
        return np.ones(len(places), np.bool_)
    apart = np.linalg.norm(places[:, None] - old[None], axis=2)
    nearest = apart.argmin(axis=1)
    parallel = np.abs((ways * old_ways[nearest]).sum(axis=1)) > 0.9
    fresh: Mask = ~((apart[np.arange(len(places)), nearest] < SAME_LINE_MM) & parallel)
    return fresh


@dataclass(frozen=True)
class FeltPicture:
    """What a picture shows of a felt, at `scale` times its size.

    `contrast` (h, w): how far each pixel is from the cloth round it in brightness and colour. Ridges: places
    `ridges_px` (n, 2), direction across them as `angles` (n,) in 0..pi, strength (n,). `felt` (h, w): where
    the cloth is, everything on it included.
    """

    scale: float
    contrast: Plane
    ridges_px: FloatArray
    angles: FloatArray
    strengths: FloatArray
    felt: Mask


def look_at_felt(image: Image) -> FeltPicture:
    """Find cloth and lines in a BGR picture."""
    scale = min(1.0, WORK_WIDTH / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB)
    contrast = line_contrast(lab)
    places, angles, strengths = _ridges(contrast)
    sides = _sides(lab, places, angles)
    plain = np.linalg.norm(sides[0] - sides[1], axis=1) < SAME_SIDES
    places, angles, strengths = places[plain], angles[plain], strengths[plain]
    felt = _felt(lab, (sides[0] + sides[1])[plain] / 2, strengths)
    if len(places):
        column, row = np.rint(places).astype(np.intp).T
        on = felt[row, column]
        places, angles, strengths = places[on], angles[on], strengths[on]
    return FeltPicture(scale, contrast, places, angles, strengths, felt)


def line_contrast(lab: Image) -> Plane:
    """How far every pixel of a Lab picture is from the cloth round it, at thin things."""
    height, width = lab.shape[:2]
    shrink = max(1, round(width / 240))
    coarse = cv2.resize(lab, (width // shrink, height // shrink), interpolation=cv2.INTER_AREA)
    cloth = cv2.resize(cv2.medianBlur(coarse, 15), (width, height), interpolation=cv2.INTER_LINEAR)
    apart = lab.astype(np.float32) - cloth
    return np.asarray(np.sqrt((apart**2).sum(axis=2)), np.float32)


def _ridges(contrast: Plane) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Crests of bright thin strips: places (n, 2), angle across (n,), strength (n,)."""
    best = np.zeros_like(contrast)
    angle = np.zeros_like(contrast)
    for sigma in RIDGE_SIGMAS:
        smooth = cv2.GaussianBlur(contrast, (0, 0), sigma)
        xx = cv2.Sobel(smooth, cv2.CV_32F, 2, 0, ksize=3) * np.float32(sigma**1.5 / 4)
        yy = cv2.Sobel(smooth, cv2.CV_32F, 0, 2, ksize=3) * np.float32(sigma**1.5 / 4)
        xy = cv2.Sobel(smooth, cv2.CV_32F, 1, 1, ksize=3) * np.float32(sigma**1.5 / 4)
        half, spread = (xx + yy) / 2, np.sqrt(((xx - yy) / 2) ** 2 + xy**2)
        curved = -(half - spread)  # along the normal, positive on a crest
        flat = np.abs(half + spread)
        strength = np.where(flat < 0.5 * curved, curved, 0.0)
        better = strength > best
        best[better] = strength[better]
        turn = np.arctan2(xy, (xx - yy) / 2) / 2 + np.pi / 2
        angle[better] = turn[better]
    least = max(
        FEWEST_LEVELS, RIDGE_NOISE * float(np.median(np.abs(best[best > 0]))) if (best > 0).any() else 0
    )
    crest = best > least
    # Along the normal no neighbour may be stronger.
    across_x, across_y = np.cos(angle), np.sin(angle)
    rows, columns = np.nonzero(crest)
    step = np.stack([across_x[rows, columns], across_y[rows, columns]], axis=1)
    here = best[rows, columns]
    top = np.ones(len(rows), np.bool_)
    for sign in (-1.0, 1.0):
        beside = np.stack([columns, rows], axis=1) + sign * step
        values = sampled(best, beside)
        top &= here >= np.asarray(values, np.float32)
    places = np.stack([columns[top], rows[top]], axis=1).astype(np.float64)
    return (
        places,
        np.mod(angle[rows[top], columns[top]].astype(np.float64), np.pi),
        here[top].astype(np.float64),
    )


def _sides(lab: Image, places: FloatArray, angles: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Colours (n, 3) to either side of ridges."""
    if not len(places):
        return np.zeros((0, 3)), np.zeros((0, 3))
    smooth = cv2.blur(lab, (3, 3))
    found = []
    for sign in (-1.0, 1.0):
        x = places[:, 0] + sign * SIDE_PX * np.cos(angles)
        y = places[:, 1] + sign * SIDE_PX * np.sin(angles)
        at = sampled(smooth, np.stack([x, y], axis=1), cv2.INTER_NEAREST)
        found.append(at.astype(np.float64))
    return found[0], found[1]


def _felt(lab: Image, sides: FloatArray, strengths: FloatArray) -> Mask:
    """Where the cloth is: the colour that lies beside most lines, its holes filled."""
    shape = lab.shape[:2]
    if len(sides) < 50:
        return np.zeros(shape, np.bool_)
    bins = np.clip(sides // (24, 8, 8), 0, 31).astype(np.intp)
    votes = np.zeros((34, 34, 34))
    np.add.at(votes, tuple((bins + 1).T), np.minimum(strengths, 10.0))
    for axis in range(3):  # neighbouring colours count together
        votes = votes + np.roll(votes, 1, axis) + np.roll(votes, -1, axis)
    peak = np.array(np.unravel_index(int(votes.argmax()), votes.shape)) - 1
    near = (np.abs(bins - peak) <= 1).all(axis=1)
    colour = sides[near].mean(axis=0)
    shrink = 2
    coarse = cv2.blur(
        cv2.resize(lab, (shape[1] // shrink, shape[0] // shrink), interpolation=cv2.INTER_AREA), (3, 3)
    )
    level = np.maximum(coarse[..., :1].astype(np.float32), 24.0)
    chroma = (coarse[..., 1:].astype(np.float32) - 128) * (np.float32(colour[0]) / level) ** 0.7
    apart = np.linalg.norm(chroma - (colour[1:] - 128).astype(np.float32), axis=2)
    tint = float(np.hypot(*(colour[1:] - 128)))
    mask = (apart < max(9.0, 0.4 * tint)) & (np.abs(coarse[..., 0] - colour[0]) < (70 if tint > 16 else 14))
    solid = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    solid = cv2.morphologyEx(solid, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    contours, _ = cv2.findContours(solid, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros_like(solid)
    large = max((cv2.contourArea(contour) for contour in contours), default=0.0)
    for contour in contours:
        if cv2.contourArea(contour) > max(0.08 * large, 20):
            cv2.drawContours(filled, [contour], -1, 1, cv2.FILLED)
    whole = cv2.resize(filled, (shape[1], shape[0]), interpolation=cv2.INTER_NEAREST)
    return np.asarray(whole > 0, np.bool_)
