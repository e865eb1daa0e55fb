"""Which chip of the table's set a seen top is, by its colours under the light that the bare felt shows."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.frames import Image
from veedor.vision.layout import TableLayout
from veedor.vision.sampling import colours_at
from veedor.vision.table import ChipType, Table
from veedor.vision.told_colours import CENTRE, ToldColours, are_told

FloatArray = NDArray[np.float64]

RINGS = (0.2, 0.3, 0.38, 0.56, 0.68, 0.78, 0.86)  # of the radius; the blurred rim is left out
SPOKES = 23  # no count of spots divides it: all spokes might hit spots
COLOUR_SIGMA = 16.0  # grey levels
BRIGHTNESS = (0.75, 0.87, 1.0, 1.13, 1.28)  # a top is lit otherwise than the felt beside it
# Shares of a top's pixels: ground, spots, where a small picture mixes the two, figures and gloss.
BODY_SHARE, ACCENT_SHARE, MIXED_SHARE, OTHER_SHARE = 0.35, 0.15, 0.4, 0.1
WHITE_BGR = (240, 245, 245)  # of spots that nobody told
DARK_INK, LIGHT_INK = (20.0, 20.0, 20.0), (245.0, 245.0, 245.0)
OTHER_DENSITY = 1e-2
EVIDENCE = 8.0  # independent pixels' worth of evidence that a top gives

FELT_STEP_MM = 60.0
PRINT_MM = 30.0  # felt this near to a printed line shows its paint
NEAREST_FELT = 40  # places of bare felt that tell the light at a chip
TINT = 1.35  # a place whose colour channels differ more in brightness than this is no bare felt


class ChipColours:
    """Reads the tops of one table's chips."""

    def __init__(self, table: Table, camera: Camera) -> None:
        self._camera = camera
        self._chips = table.chips
        self._felt_bgr = np.array(table.felt_rgb, np.float64)[::-1] if table.felt_rgb is not None else None
        self._palette = ChipPalette(table.chips)
        self._told = ToldColours(table.chips) if are_told(table.chips) else None
        self._disc = disc_points()
        self._radii = np.hypot(*self._disc.T)
        self._inside = self._radii < CENTRE
        self._felt_mm = bare_felt(table.layout)
        self._felt_px = camera.project(self._felt_mm).astype(np.float32)
        self._light: tuple[FloatArray, FloatArray] | None = None

    def look(self, image: Image) -> None:
        """Measure the light on the bare felt of a picture; call it before `read`."""
        if self._felt_bgr is None or not len(self._felt_mm):
            return
        colours = colours_at(image, self._felt_px)
        ratios = colours / np.maximum(self._felt_bgr, 8.0)
        usual = np.median(ratios, axis=0)
        tints = ratios / np.maximum(usual, 1e-3)
        bare = tints.max(axis=1) < TINT * np.maximum(tints.min(axis=1), 1e-3)
        self._light = (self._felt_mm[bare], ratios[bare]) if bare.any() else (self._felt_mm, ratios)

    def read(
        self, image: Image, base_mm: FloatArray, top_mm: float, *, plaque: bool, turn_rad: float = 0.0
    ) -> FloatArray:
        """Probabilities (k,) over the set for a top seen `top_mm` above the felt at `base_mm` (2,)."""
        candidates = [number for number, chip in enumerate(self._chips) if chip.plaque == plaque]
        probs = np.zeros(len(self._chips))
        if not candidates:
            return probs
        first = self._chips[candidates[0]]
        points = plaque_points(first.size_mm, turn_rad) if plaque else self._disc * first.diameter_mm / 2
        raised = np.column_stack([base_mm + points, np.full(len(points), top_mm)])
        pixels = colours_at(image, self._camera.project(raised)) / self.gain(base_mm)
        if self._told is not None and not plaque:
            scores = self._told.scores(pixels, self._radii)[candidates]
        else:
            inside = np.zeros(len(points), np.bool_) if plaque else self._inside
            scores = self._palette.scores(pixels, inside)[candidates]
        weights = np.exp(EVIDENCE * (scores - scores.max()))
        probs[candidates] = weights / weights.sum()
        return probs

    def gain(self, base_mm: FloatArray) -> FloatArray:
        """Light (3,) BGR here, 1 where the felt has the colour that the table file gives."""
        if self._light is None:
            return np.ones(3)
        places, ratios = self._light
        away = ((places - base_mm) ** 2).sum(axis=1)
        near = ratios[np.argsort(away, kind="stable")[:NEAREST_FELT]]
        gain: FloatArray = np.clip(np.median(near, axis=0), 0.2, 3.0)
        return gain


class ChipPalette:
    """The colours of a chip set, and how well pixels suit each of them."""

    def __init__(self, chips: Sequence[ChipType]) -> None:
        self.body = np.array([chip.colour_rgb[::-1] for chip in chips], np.float64).reshape(-1, 3)
        self.accent = np.array([_accent(chip) for chip in chips], np.float64).reshape(-1, 3)
        self.centre, self.ink = _centres(chips)

    def scores(self, pixels: FloatArray, inside: NDArray[np.bool_]) -> FloatArray:
        """Mean log likelihood (k,) of the pixels under each chip, at the brightness that suits best."""
        shares = np.array(BRIGHTNESS)
        lit = np.clip(pixels[None] / shares[:, None, None], 0, 255)[:, :, None, :]  # brightness, pixel, chip
        logs = np.log(_likely(lit[:, ~inside], self.body, self.accent)).sum(axis=1)
        logs = logs + np.log(_likely(lit[:, inside], self.centre, self.ink)).sum(axis=1)
        scores = logs / len(pixels) - 0.05 * (np.log(shares)[:, None] / 0.25) ** 2
        best: FloatArray = scores.max(axis=0)
        return best


def disc_points() -> FloatArray:
    """Places (m, 2) on a round top at which its colours are taken, in radii."""
    radii = np.array(RINGS)
    turns = np.arange(len(RINGS))[:, None] / len(RINGS) + np.arange(SPOKES)
    angles = turns * 2 * np.pi / SPOKES
    points: FloatArray = radii[:, None, None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    return points.reshape(-1, 2)


def plaque_points(size_mm: tuple[float, float], turn_rad: float) -> FloatArray:
    """Places (m, 2) mm from a plaque's middle at which its colours are taken."""
    across, along = np.meshgrid(np.linspace(-0.42, 0.42, 12), np.linspace(-0.42, 0.42, 9))
    flat = np.column_stack([across.ravel() * size_mm[0], along.ravel() * size_mm[1]])
    cosine, sine = np.cos(turn_rad), np.sin(turn_rad)
    turned: FloatArray = flat @ np.array([[cosine, sine], [-sine, cosine]])
    return turned


def _centres(chips: Sequence[ChipType]) -> tuple[FloatArray, FloatArray]:
    """Colours (k, 3) BGR of the chips' centres and of the figures on them.

    Of a chip whose centre is not known they are its ground and its spots, as everywhere on it.
    """
    grounds: list[tuple[float, ...]] = []
    inks: list[tuple[float, ...]] = []
    for chip in chips:
        if chip.centre_rgb is None:
            grounds.append(chip.colour_rgb[::-1])
            inks.append(_accent(chip))
        else:
            grounds.append(chip.centre_rgb[::-1])
            inks.append(DARK_INK if sum(chip.centre_rgb) > 3 * 127 else LIGHT_INK)
    return np.array(grounds, np.float64).reshape(-1, 3), np.array(inks, np.float64).reshape(-1, 3)


def _accent(chip: ChipType) -> tuple[int, ...]:
    """The colour BGR of a chip's spots, white where nobody told."""
    return WHITE_BGR if chip.accent_rgb is None else chip.accent_rgb[::-1]


def _likely(lit: FloatArray, body: FloatArray, accent: FloatArray) -> FloatArray:
    """Likelihood (brightness, pixel, chip) of pixels (brightness, pixel, 1, 3) by two colours (k, 3)."""
    way = accent - body
    length = np.linalg.norm(way, axis=1)
    from_body = lit - body
    share = np.clip((from_body * way).sum(axis=-1) / np.maximum(length**2, 1.0), 0.0, 1.0)
    off_line = ((from_body - share[..., None] * way) ** 2).sum(axis=-1)
    near_body = (from_body**2).sum(axis=-1)
    near_accent = ((lit - accent) ** 2).sum(axis=-1)
    # Pixels spread along the way from ground to spots are the thinner the longer it is.
    mixed = MIXED_SHARE * COLOUR_SIGMA * np.sqrt(2 * np.pi) / np.maximum(length, COLOUR_SIGMA * 2.5)
    likely: FloatArray = (
        BODY_SHARE * _bell(near_body)
        + ACCENT_SHARE * _bell(near_accent)
        + mixed * _bell(off_line)
        + OTHER_SHARE * OTHER_DENSITY
    )
    return likely


def _bell(squared: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-squared / (2 * COLOUR_SIGMA**2)), np.float64)


def bare_felt(layout: TableLayout) -> FloatArray:
    """Places (m, 2) mm in the betting areas where nothing is printed."""
    low, high = layout.outline_mm.min(axis=0), layout.outline_mm.max(axis=0)
    across = np.arange(low[0] + FELT_STEP_MM, high[0], FELT_STEP_MM)
    along = np.arange(low[1] + FELT_STEP_MM, high[1], FELT_STEP_MM)
    grid = np.array([(x, y) for x in across for y in along]).reshape(-1, 2)
    borders = [zone.polygon_mm for zone in layout.zones] + [layout.outline_mm]
    contours = [polygon.astype(np.float32).reshape(-1, 1, 2) for polygon in borders]
    outline = contours[-1]

    def bare(x: float, y: float) -> bool:
        inside = cv2.pointPolygonTest(outline, (x, y), True) > PRINT_MM
        return inside and all(abs(cv2.pointPolygonTest(c, (x, y), True)) > PRINT_MM for c in contours)

    kept = [(float(x), float(y)) for x, y in grid if bare(float(x), float(y))]
    return np.array(kept, np.float64).reshape(-1, 2)
