"""Words, figures, plaques and cut cards added to training tiles, in more kinds than the renderer draws.

The renderer prints with three stroke fonts and knows a handful of plaques; letters of other type are then
taken for chips. Fonts come with the training libraries; none is part of this project.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.models.errors import TrainingError
from veedor.vision.detections import ObjectClass
from veedor.vision.footprints import CARDS

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

PRINTED_SHARE = 0.45  # of the tiles
PASTED_SHARE = 0.3
MOST_PRINTS, MOST_PASTED = 8, 2
CARD_SHORT_MM, CHIP_MM = 63.0, 40.0
LETTER_MM = (18.0, 95.0)  # height of capitals: from small print to a seat's number
PLAQUES_MM = ((75.0, 48.0), (83.0, 50.0), (70.0, 45.0), (96.0, 64.0), (110.0, 70.0), (60.0, 40.0))
CUT_CARD_MM = (88.0, 63.0)
WORDS = (
    "OTRO PAÑO", "PAÑO 1", "PAÑO 2", "BANCA", "PUNTO", "EMPATE", "SUITE", "BANKER", "PLAYER", "TIE", "CASINO",
    "BACARÁ",     "8", "9", "5", "0", "6", "3", "10", "1", "2", "4", "7", "O", "Q", "OO", "PAGA 8 A 1",
    "PAR", "CAJA", "&", "@", "•", "*",
)  # fmt: skip
INKS_BGR = (
    (240, 245, 248),
    (225, 235, 240),
    (90, 200, 230),
    (70, 170, 205),
    (140, 190, 205),
    (60, 60, 210),
    (30, 30, 30),
)
FILLS_BGR = (
    (235, 238, 240), (60, 50, 190), (150, 80, 40), (90, 130, 40), (40, 40, 45), (40, 170, 220),
    (170, 60, 120), (190, 170, 60), (200, 160, 220), (120, 120, 125), (50, 110, 230),
)  # fmt: skip
FINE = 6  # things are drawn so much larger than they appear


@dataclass(frozen=True)
class Decorated:
    """A tile's picture with additions; corners (n, 4, 2) from the first pixel's corner, classes (n,)."""

    image: Image
    corners_px: FloatArray
    class_ids: NDArray[np.int64]


class FeltPrints:
    """Adds to tiles, each time differently. TrainingError where the libraries' fonts are missing."""

    def __init__(self) -> None:
        self._fonts = _fonts()

    def on(
        self, image: Image, corners_px: FloatArray, class_ids: NDArray[np.int64], rng: np.random.Generator
    ) -> Decorated:
        """The tile, perhaps with print under its objects and with plaques and cut cards beside them."""
        px_per_mm = _scale_of(corners_px, class_ids)
        if px_per_mm is None:
            return Decorated(image, corners_px, class_ids)
        grey = bool(np.ptp(image[::7, ::7].astype(np.int16), axis=2).max() < 12)
        if rng.random() < PRINTED_SHARE:
            image = self._printed(image, corners_px, class_ids, (px_per_mm, rng))
        if rng.random() < PASTED_SHARE:
            image, corners_px, class_ids = self._pasted(image, corners_px, class_ids, (px_per_mm, rng))
        if grey:
            image = np.asarray(
                cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR), np.uint8
            )
        return Decorated(image, corners_px, class_ids)

    def _printed(
        self,
        image: Image,
        corners_px: FloatArray,
        class_ids: NDArray[np.int64],
        how: tuple[float, np.random.Generator],
    ) -> Image:
        px_per_mm, rng = how
        height, width = image.shape[:2]
        ink = np.zeros((height, width), np.float32)
        for _ in range(int(rng.integers(1, MOST_PRINTS + 1))):
            tall = float(np.exp(rng.uniform(*np.log(LETTER_MM)))) * px_per_mm
            if tall < 5:
                continue
            stamp = _ring(rng) if rng.random() < 0.15 else self._word(rng)
            turn = (
                float(rng.choice([0.0, 90.0, 180.0, 270.0]) + rng.normal(0, 6))
                if rng.random() < 0.7
                else float(rng.uniform(0, 360))
            )
            _stamp_on(ink, stamp, (rng.uniform(0, width), rng.uniform(0, height)), (tall, turn))
        free = 1.0 - _covered(corners_px, class_ids, image.shape[:2])
        strength = ink * free * float(rng.uniform(0.55, 1.0))
        colour = np.array(INKS_BGR[int(rng.integers(len(INKS_BGR)))], np.float32) * float(
            rng.uniform(0.6, 1.0)
        )
        strength = cv2.GaussianBlur(strength, (0, 0), float(rng.uniform(0.4, 1.0)))[:, :, None]
        return np.asarray(np.clip(image + (colour - image) * strength, 0, 255), np.uint8)

    def _pasted(
        self,
        image: Image,
        corners_px: FloatArray,
        class_ids: NDArray[np.int64],
        how: tuple[float, np.random.Generator],
    ) -> tuple[Image, FloatArray, NDArray[np.int64]]:
        px_per_mm, rng = how
        height, width = image.shape[:2]
        taken = _covered(corners_px, class_ids, image.shape[:2])
        for _ in range(int(rng.integers(1, MOST_PASTED + 1))):
            cut_card = rng.random() < 0.25
            size = CUT_CARD_MM if cut_card else PLAQUES_MM[int(rng.integers(len(PLAQUES_MM)))]
            long, short = (side * px_per_mm for side in size)
            middle = np.array(
                [rng.uniform(long / 2, width - long / 2), rng.uniform(long / 2, height - long / 2)]
            )
            turn = float(rng.uniform(0, 2 * np.pi))
            axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
            quad = middle + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (long / 2, short / 2) @ axes
            mask = np.zeros((height, width), np.float32)
            cv2.fillPoly(mask, [np.round((quad - 0.5) * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
            near = cv2.dilate(mask, np.ones((5, 5), np.uint8))
            if width < long * 1.5 or height < long * 1.5 or (near * taken).any():
                continue
            face = self._cut_card(size, rng) if cut_card else self._plaque(size, rng)
            image = _laid(image, face, quad, rng)
            taken = np.maximum(taken, near)
            kind = ObjectClass.CUT_CARD if cut_card else ObjectClass.PLAQUE
            corners_px = np.concatenate([corners_px, quad[None]])
            class_ids = np.append(class_ids, int(kind))
        return image, corners_px, class_ids

    def _word(self, rng: np.random.Generator) -> Image:
        word = WORDS[int(rng.integers(len(WORDS)))]
        if rng.random() < 0.3:
            word = "".join(
                chr(int(each)) for each in rng.integers(ord("A"), ord("Z") + 1, int(rng.integers(1, 7)))
            )
        return _lettering(word, self._fonts[int(rng.integers(len(self._fonts)))])

    def _plaque(self, size_mm: tuple[float, float], rng: np.random.Generator) -> Image:
        """A plaque's face: rim, frame, an oval or a panel, a number."""
        long, short = (round(side * FINE / 2) for side in size_mm)
        base, frame, panel = (
            np.array(FILLS_BGR[int(each)], np.float64) for each in rng.integers(len(FILLS_BGR), size=3)
        )
        face = np.full((short, long, 3), base, np.uint8)
        inset = int(rng.integers(4, 22))
        if rng.random() < 0.7:
            cv2.rectangle(
                face, (inset, inset), (long - inset, short - inset), frame.tolist(), int(rng.integers(2, 14))
            )
        centre, radii = (
            (long // 2, short // 2),
            (int(long * rng.uniform(0.18, 0.4)), int(short * rng.uniform(0.18, 0.38))),
        )
        if rng.random() < 0.75:
            cv2.ellipse(face, centre, radii, 0, 0, 360, panel.tolist(), -1, cv2.LINE_AA)
        else:
            low = (centre[0] - radii[0], centre[1] - radii[1])
            cv2.rectangle(face, low, (centre[0] + radii[0], centre[1] + radii[1]), panel.tolist(), -1)
        if rng.random() < 0.85:
            number = str(int(rng.choice([1000, 2000, 5000, 10000, 25000, 50000, 100000])))
            ink = np.zeros((short, long), np.float32)
            stamp = _lettering(number, self._fonts[int(rng.integers(len(self._fonts)))])
            tall = min(radii[1] * rng.uniform(0.5, 1.1), 1.7 * radii[0] * stamp.shape[0] / stamp.shape[1])
            _stamp_on(ink, stamp, centre, (tall, 0.0))
            colour = np.array(FILLS_BGR[int(rng.integers(len(FILLS_BGR)))], np.float32)
            face = np.clip(face + (colour - face) * ink[:, :, None], 0, 255).astype(np.uint8)
        return face

    @staticmethod
    def _cut_card(size_mm: tuple[float, float], rng: np.random.Generator) -> Image:
        """Plain plastic, a little lighter towards one side."""
        long, short = (round(side * FINE / 2) for side in size_mm)
        colour = np.array(FILLS_BGR[int(rng.integers(1, len(FILLS_BGR)))], np.float64)
        shine = 1 + rng.uniform(-0.25, 0.25) * np.linspace(-1, 1, long)[None, :, None]
        return np.asarray(np.clip(colour * shine * np.ones((short, 1, 1)), 0, 255), np.uint8)


def _laid(image: Image, face: Image, quad: FloatArray, rng: np.random.Generator) -> Image:
    """The face on a place (4, 2) of the picture, with a soft shadow, as bright and as sharp as the rest."""
    height, width = face.shape[:2]
    around = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64) - 0.5
    to_picture = cv2.getPerspectiveTransform(around.astype(np.float32), (quad - 0.5).astype(np.float32))
    size = (image.shape[1], image.shape[0])
    alpha = np.full(face.shape[:2], 255, np.uint8)
    shrunk = max(1.0, width / max(float(np.linalg.norm(quad[1] - quad[0])), 1.0))
    soft = cv2.GaussianBlur(face, (0, 0), 0.45 * shrunk) if shrunk > 1.2 else face
    drawn = cv2.warpPerspective(
        soft, to_picture, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    share = cv2.warpPerspective(alpha, to_picture, size, flags=cv2.INTER_AREA).astype(np.float32) / 255
    share = cv2.GaussianBlur(share, (0, 0), float(rng.uniform(0.4, 0.8)))[:, :, None]
    shift = rng.normal(0, 1.5, 2)
    moved = np.array([[1, 0, shift[0]], [0, 1, shift[1]]])
    shadow = cv2.GaussianBlur(cv2.warpAffine(share[:, :, 0], moved, size), (0, 0), 1.5)[:, :, None]
    ground = image * (1 - float(rng.uniform(0.1, 0.5)) * shadow)
    level = float(np.clip(np.percentile(image, 95) / 235, 0.35, 1.1)) * float(rng.uniform(0.8, 1.1))
    noise = rng.normal(0, 2.5, image.shape)
    return np.asarray(np.clip(ground + (drawn * level + noise - ground) * share, 0, 255), np.uint8)


def _scale_of(corners_px: FloatArray, class_ids: NDArray[np.int64]) -> float | None:
    """Pixels a millimetre, by the cards or chips that are there; None without any."""
    sides = np.linalg.norm(np.roll(corners_px, -1, axis=1) - corners_px, axis=2)
    shorter = np.minimum(sides[:, 0] + sides[:, 2], sides[:, 1] + sides[:, 3]) / 2
    cards = np.isin(class_ids, CARDS)
    if cards.any():
        return float(np.median(shorter[cards])) / CARD_SHORT_MM
    chips = class_ids == ObjectClass.CHIP_STACK
    return float(np.median(shorter[chips])) / CHIP_MM if chips.any() else None


def _covered(
    corners_px: FloatArray, class_ids: NDArray[np.int64], shape: tuple[int, int]
) -> NDArray[np.float32]:
    """Where objects lie, 0..1: chips by the ellipse in their box, lest print break off there in squares."""
    mask = np.zeros(shape, np.float32)
    for quad, kind in zip(corners_px - 0.5, class_ids, strict=True):
        outline = quad
        if kind == ObjectClass.CHIP_STACK:
            angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
            halves = (quad[1] - quad[0]) / 2, (quad[2] - quad[1]) / 2
            outline = (
                quad.mean(axis=0) + np.cos(angles)[:, None] * halves[0] + np.sin(angles)[:, None] * halves[1]
            )
        cv2.fillPoly(mask, [np.round(outline * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
    return mask


def _stamp_on(
    ink: NDArray[np.float32], stamp: Image, middle: tuple[float, float], how: tuple[float, float]
) -> None:
    """Add coverage (h, w) 0..255 about a middle, `how` tall in pixels and turned in degrees."""
    tall, turn = how
    scale = tall / stamp.shape[0]
    if scale < 1:
        stamp = cv2.GaussianBlur(stamp, (0, 0), max(0.45 / scale - 0.3, 0.1))
    matrix = cv2.getRotationMatrix2D((stamp.shape[1] / 2, stamp.shape[0] / 2), turn, scale)
    matrix[:, 2] += np.array(middle) - (stamp.shape[1] / 2, stamp.shape[0] / 2)
    laid = cv2.warpAffine(stamp, matrix, (ink.shape[1], ink.shape[0]), flags=cv2.INTER_LINEAR)
    np.maximum(ink, laid.astype(np.float32) / 255, out=ink)


def _ring(rng: np.random.Generator) -> Image:
    """A printed circle, disc, diamond or frame, 0..255."""
    shape = np.zeros((120, 120), np.uint8)
    stroke = -1 if rng.random() < 0.25 else int(rng.integers(4, 18))
    which = int(rng.integers(3))
    if which == 0:
        cv2.circle(shape, (60, 60), 46, 255, stroke, cv2.LINE_AA)
    elif which == 1:
        points = np.array([[60, 12], [108, 60], [60, 108], [12, 60]])
        cv2.polylines(shape, [points], True, 255, abs(stroke) + 2, cv2.LINE_AA)
    else:
        cv2.rectangle(shape, (18, 34), (102, 86), 255, stroke, cv2.LINE_AA)
    return shape


@cache
def _lettering(word: str, font: Path) -> Image:
    """A word as coverage (h, w) 0..255, cut to its letters."""
    from PIL import Image as Picture
    from PIL import ImageDraw, ImageFont

    face = ImageFont.truetype(str(font), 96)
    left, top, right, bottom = face.getbbox(word)
    canvas = Picture.new("L", (int(right - left) + 16, int(bottom - top) + 16), 0)
    ImageDraw.Draw(canvas).text((8 - left, 8 - top), word, fill=255, font=face)
    return np.asarray(canvas, np.uint8)


@cache
def _fonts() -> Sequence[Path]:
    """Text fonts that the plotting library brings along."""
    try:
        import matplotlib
    except ImportError as fault:
        raise TrainingError(
            "printed felts need the fonts of matplotlib: install the `train` extra"
        ) from fault
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    names = ("DejaVuSans*", "DejaVuSerif*", "STIXGeneral*", "cmb10*", "cmr10*", "cmss10*")
    found = sorted(
        {path for name in names for path in folder.glob(f"{name}.ttf") if "Display" not in path.name}
    )
    if not found:
        raise TrainingError(f"{folder}: no fonts to print with")
    return tuple(found)
