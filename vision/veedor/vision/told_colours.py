"""Which chip of a set a top is where only the set's colours are told: red, blue, black, and no picture.

A told colour is a name more than a measurement: the real plastic is lighter or greyer, its spots and its
middle have colours that nobody told. So pixels are judged by hue, and each chip may have white, dark or
coloured spots.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.table import ChipType

FloatArray = NDArray[np.float64]

# Chosen on 914 single chips of ten rendered tables, of which the six names were told and nothing else: 0.999
# were named rightly, by the two colours with white spots for all 0.894.
HUE_SPREAD = np.radians(20.0)
GREY_BELOW, GREY_FADES = 8.0, 14.0  # chroma, CIELAB
DARK_L, DARK_FADES, DARK_CHROMA = 38.0, 20.0, 25.0  # dark plastic shows chroma that is noise
WHITE_L, BLACK_L, L_SPREAD = 58.0, 42.0, 7.0
COLOURED = 20.0  # chroma of a told colour that is one
# Shares of the pixels round the middle: the chip's own colour, white and dark spots, spots of any colour.
OWN, WHITE, DARK, ANY, STRAY = 0.5, 0.25, 0.08, 0.17, 0.02
# White or black chips may have spots of six hues; coloured ones have white spots in six of ten. The logarithm
# of that, shared among the eight pixels' worth of evidence that a top gives.
UNNAMED_SPOTS = np.log(0.6 * 6) / 8
CENTRE = 0.42  # of the radius: nearer to the middle are the centre's own colour and the figures
# Casino chips have a printed label let in, mostly white, 22 to 32 mm across of 39. What lies within may be
# the label's or the plastic's, whichever explains it better.
LABEL, LABEL_WHITE = 0.7, 0.8
BRIGHTEST = 235.0  # what the brightest part of a top is taken to show, white print or gloss
DIMMEST_TOP = 60.0  # grey level; a top darker than this in all its parts is not brightened further


def are_told(chips: Sequence[ChipType]) -> bool:
    """Whether of some round chip only the colour is known: then the set is read by names."""
    return any(not chip.plaque and chip.accent_rgb is None and chip.centre_rgb is None for chip in chips)


class ToldColours:
    """The told colours of a chip set, and how well pixels suit each of them."""

    def __init__(self, chips: Sequence[ChipType]) -> None:
        told = _lab(np.array([chip.colour_rgb[::-1] for chip in chips], np.float64).reshape(-1, 3))
        self._hues, self._lightness = np.arctan2(told[:, 2], told[:, 1]), told[:, 0]
        self._coloured = np.hypot(told[:, 1], told[:, 2]) > COLOURED

    def scores(self, pixels: FloatArray, radii: FloatArray) -> FloatArray:
        """Mean log likelihood (k,) under each chip of pixels (m, 3) BGR at `radii` (m,), 1 at the rim."""
        brightest = max(float(np.percentile(pixels.max(axis=1), 95)), DIMMEST_TOP)
        seen = _lab(np.clip(pixels[radii >= CENTRE] * (BRIGHTEST / brightest), 0, 255))
        lightness, chroma = seen[:, 0], np.hypot(seen[:, 1], seen[:, 2])
        needed = GREY_BELOW + DARK_CHROMA * np.clip((DARK_L - lightness) / DARK_FADES, 0, 1)
        colour = np.clip((chroma - needed) / GREY_FADES, 0, 1)
        white = (1 - colour) / (1 + np.exp((WHITE_L - lightness) / L_SPREAD))
        black = (1 - colour) / (1 + np.exp((lightness - BLACK_L) / L_SPREAD))
        away = np.angle(np.exp(1j * (np.arctan2(seen[:, 2], seen[:, 1])[:, None] - self._hues)))
        # Spots have some one hue as well: its own hue is no better an explanation than theirs.
        like = np.exp(-0.5 * (away / HUE_SPREAD) ** 2)
        coloured = (
            OWN * colour[:, None] * like + (WHITE * white + DARK * black + ANY * colour)[:, None] + STRAY
        )
        pale = (OWN + WHITE / 2) * white + DARK * black + (ANY + WHITE / 2) * colour + STRAY
        dark = OWN * black + WHITE * white + (DARK + ANY) * colour + STRAY
        plain = np.where((self._lightness > 50)[None], pale[:, None], dark[:, None])
        likely = np.log(np.where(self._coloured[None], coloured, plain))
        label = np.log(LABEL_WHITE * white + (1 - LABEL_WHITE) / 2)
        within = radii[radii >= CENTRE] < LABEL
        as_plastic, as_label = likely[within].sum(axis=0), label[within].sum()
        pale_chip = ~self._coloured & (self._lightness > 50)
        within_best = np.where(pale_chip, as_plastic, np.maximum(as_plastic, as_label))
        unnamed = np.minimum(colour.mean() / OWN, 1.0) * UNNAMED_SPOTS * ~self._coloured
        scores: FloatArray = (likely[~within].sum(axis=0) + within_best) / len(seen) - unnamed
        return scores


def _lab(bgr: FloatArray) -> FloatArray:
    planes = cv2.cvtColor((bgr / 255).astype(np.float32).reshape(-1, 1, 3), cv2.COLOR_BGR2LAB)
    return np.asarray(planes, np.float64).reshape(-1, 3)
