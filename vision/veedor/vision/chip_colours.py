"""Which chip of the table's set a seen top is, by its colours against the felt round it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.frames import Image
from veedor.vision.table import ChipType, Table

FloatArray = NDArray[np.float64]

RINGS, SPOKES = 6, 24
COLOUR_SIGMA = 13.0  # Lab units: blur mixes colours on a top of about 24 px, light varies by a tenth
BRIGHTNESS = (0.7, 0.85, 1.0, 1.15, 1.3)  # a top is lit otherwise than the felt beside it
BODY_SHARE, ACCENT_SHARE, OTHER_SHARE = 0.6, 0.3, 0.1  # of a top: ground, spots, figures
EVIDENCE = 8.0  # independent pixels' worth of evidence that a top gives


class ChipColours:
    """Reads the tops of one table's chips."""

    def __init__(self, table: Table, camera: Camera) -> None:
        self._camera = camera
        self._chips = table.chips
        self._felt_rgb = np.array(table.felt_rgb, np.float64) if table.felt_rgb is not None else None
        self._palette = _palette(table.chips)
        radii = np.sqrt((np.arange(RINGS) + 0.5) / RINGS) * 0.88
        angles = np.arange(SPOKES) * 2 * np.pi / SPOKES
        self._disc = _polar(radii, angles)  # equal areas, the blurred rim left out
        self._round = _polar(np.array([1.35, 1.6, 1.9]), angles)

    def read(
        self, image: Image, base_mm: FloatArray, top_mm: float, *, plaque: bool, turn_rad: float = 0.0
    ) -> FloatArray:
        """Probabilities (k,) over the set for a top seen `top_mm` above the felt at `base_mm` (2,)."""
        candidates = [number for number, chip in enumerate(self._chips) if chip.plaque == plaque]
        probs = np.zeros(len(self._chips))
        if not candidates:
            return probs
        first = self._chips[candidates[0]]
        points = self._plaque_points(first, turn_rad) if plaque else self._disc * first.diameter_mm / 2
        around = self._round * (max(first.size_mm) * 0.6 if plaque else first.diameter_mm / 2)
        pixels = self._sample(image, base_mm + points, top_mm) / self._gain(image, base_mm + around)
        scores = self._scores(pixels)[candidates]
        weights = np.exp(EVIDENCE * (scores - scores.max()))
        probs[candidates] = weights / weights.sum()
        return probs

    def _plaque_points(self, chip: ChipType, turn_rad: float) -> FloatArray:
        across, along = np.meshgrid(np.linspace(-0.42, 0.42, 12), np.linspace(-0.42, 0.42, 9))
        flat = np.column_stack([across.ravel() * chip.size_mm[0], along.ravel() * chip.size_mm[1]])
        cosine, sine = np.cos(turn_rad), np.sin(turn_rad)
        turned: FloatArray = flat @ np.array([[cosine, sine], [-sine, cosine]])
        return turned

    def _sample(self, image: Image, points_mm: FloatArray, height_mm: float) -> FloatArray:
        """Colours (m, 3) BGR at felt points raised by `height_mm`."""
        raised = np.column_stack([points_mm, np.full(len(points_mm), height_mm)])
        pixels = self._camera.project(raised).astype(np.float32)
        found = cv2.remap(
            image, pixels[None, :, 0], pixels[None, :, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(found, np.float64).reshape(-1, 3)

    def _gain(self, image: Image, around_mm: FloatArray) -> FloatArray:
        """Light (3,) BGR on the felt here, 1 where the felt has the colour that the table file gives."""
        if self._felt_rgb is None:
            return np.ones(3)
        colours = self._sample(image, around_mm, 0.0)
        # Other chips, print and shadow beside this one: the middle half by brightness is mostly bare felt.
        order = np.argsort(colours.sum(axis=1))
        felt = np.median(colours[order[len(order) // 3 :]], axis=0)
        ratio = felt / np.maximum(self._felt_rgb[::-1], 8.0)
        # Dark channels of a felt say little; the light's tint is weak beside its strength.
        strength = float((felt * self._felt_rgb[::-1]).sum() / (self._felt_rgb**2).sum())
        gain: FloatArray = np.clip(0.5 * ratio + 0.5 * strength, 0.25, 3.0)
        return gain

    def _scores(self, pixels: FloatArray) -> FloatArray:
        """Mean log likelihood (k,) of the pixels under each chip, at the brightness that suits best."""
        shares = np.array(BRIGHTNESS)
        lit = np.clip(pixels[None] / shares[:, None, None], 0, 255)
        lab = _lab(lit.reshape(-1, 3)).reshape(len(shares), len(pixels), 1, 1, 3)
        away = ((lab - self._palette) ** 2).sum(axis=-1)  # brightness, pixel, chip, body or accent
        near = np.exp(-away / (2 * COLOUR_SIGMA**2))
        likely = BODY_SHARE * near[..., 0] + ACCENT_SHARE * near[..., 1] + OTHER_SHARE * 1e-2
        scores = np.log(likely).mean(axis=1) - 0.05 * (np.log(shares)[:, None] / 0.25) ** 2
        best: FloatArray = scores.max(axis=0)
        return best


def _polar(radii: FloatArray, angles: FloatArray) -> FloatArray:
    points: FloatArray = np.stack(
        [np.outer(radii, np.cos(angles)).ravel(), np.outer(radii, np.sin(angles)).ravel()], axis=1
    )
    return points


def _palette(chips: tuple[ChipType, ...]) -> FloatArray:
    """Body and accent of each chip in Lab, (k, 2, 3)."""
    colours = [[chip.colour_rgb[::-1], chip.accent_rgb[::-1]] for chip in chips]
    return _lab(np.array(colours, np.float64).reshape(-1, 3)).reshape(-1, 2, 3)


def _lab(colours_bgr: FloatArray) -> FloatArray:
    scaled = (colours_bgr / 255).astype(np.float32)[None]
    lab: FloatArray = np.asarray(cv2.cvtColor(scaled, cv2.COLOR_BGR2LAB), np.float64)[0]
    return lab
