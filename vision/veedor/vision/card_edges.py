"""Moves a card's outline from the detector's rectangle onto the card's own border in the full picture.

The detector answers with rectangles from a shrunken picture; a card in perspective is a quadrilateral. For
each edge the line with the strongest change of colour across it is searched near the given one, all along
the edge at once, so that pips, rounded corners and a finger over part of it do not decide.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

SAMPLES = 20  # places along an edge
ALONG = (0.1, 0.9)  # part of the edge looked at: the corners are round
REACH = 0.2  # of the card's short side, how far from the given edge a border is looked for
REACH_PX = (2.5, 24.0)
FINE = 0.25  # the second search reaches this much as far, in steps as much finer
OFFSETS = 17  # positions tried across an edge, at each of its ends
CERTAIN = 1.5  # how much stronger than the usual line the found one must be, else the edge stays


def fit_outlines(image_bgr: NDArray[np.uint8], corners_px: NDArray[np.floating]) -> NDArray[np.float32]:
    """The outlines (n, 4, 2) moved onto the borders seen in the picture; edges without a clear border stay.

    Corners are sharp (edges extended past the card's round corners), order and frame as given.
    """
    corners = np.asarray(corners_px, dtype=np.float64).reshape(-1, 4, 2)
    if len(corners) == 0:
        return np.zeros((0, 4, 2), dtype=np.float32)
    short = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2).min(axis=1)
    reach = np.clip(short * REACH, *REACH_PX)
    coarse = _moved(image_bgr, _moved(image_bgr, corners, reach), reach)
    return _moved(image_bgr, coarse, reach * FINE).astype(np.float32)


def _moved(image_bgr: NDArray[np.uint8], corners: FloatArray, reach: FloatArray) -> FloatArray:
    """The outlines with each edge moved to the best line within `reach` (n,) px."""
    following = np.roll(corners, -1, axis=1)
    along = following - corners
    length = np.linalg.norm(along, axis=2)
    normal = np.stack([along[..., 1], -along[..., 0]], axis=2) / np.maximum(length, 1e-6)[..., None]
    strength = _change_across(image_bgr, corners, along, normal, reach)
    first, second = _best_lines(strength)
    step = reach[:, None] * 2 / (OFFSETS - 1)
    # Offsets at the sampled part's ends, carried on to the corners.
    slope = (second - first) / (ALONG[1] - ALONG[0])
    start = (first - slope * ALONG[0]) * step
    end = (first + slope * (1 - ALONG[0])) * step
    moved = _crossings(corners + normal * start[..., None], following + normal * end[..., None])
    shift = np.linalg.norm(moved - corners, axis=2).max(axis=1)
    sane = np.isfinite(shift) & (shift <= 2.5 * reach)
    return np.where(sane[:, None, None], moved, corners)


def _change_across(
    image_bgr: NDArray[np.uint8],
    corners: FloatArray,
    along: FloatArray,
    normal: FloatArray,
    reach: FloatArray,
) -> NDArray[np.float32]:
    """Signed colour change (n, 4, SAMPLES, OFFSETS) outward across each edge, two thirds of a step apart."""
    shares = np.linspace(*ALONG, SAMPLES)
    steps = np.linspace(-1, 1, OFFSETS + 2) * (OFFSETS + 1) / (OFFSETS - 1)
    base = corners[:, :, None] + along[:, :, None] * shares[:, None]
    points = base[:, :, :, None] + normal[:, :, None, None] * (
        steps[:, None] * reach[:, None, None, None, None]
    )
    spacing = float(np.median(reach)) * 2 / (OFFSETS - 1)
    source = image_bgr if spacing < 1.0 else cv2.GaussianBlur(image_bgr, (0, 0), spacing * 0.6)
    flat = points.reshape(-1, SAMPLES * (OFFSETS + 2), 2).astype(np.float32)
    colours = cv2.remap(source, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    profile = colours.reshape(*points.shape[:-1], 3).astype(np.float32)
    change = profile[..., 2:, :] - profile[..., :-2, :]
    size = np.sqrt((change**2).sum(axis=-1))
    return np.asarray(np.sign(change.sum(axis=-1)) * size, dtype=np.float32)


def _best_lines(strength: NDArray[np.float32]) -> tuple[FloatArray, FloatArray]:
    """Offsets in steps (n, 4) at the two ends of the sampled part of each edge; 0, 0 where unclear."""
    cards = strength.shape[0]
    values = strength.reshape(cards * 4, SAMPLES, OFFSETS)
    # A glossy highlight or a pip at one place must not outweigh the rest of the edge.
    limit = np.quantile(np.abs(values), 0.85, axis=(1, 2))[:, None, None] + 1e-3
    middle = (OFFSETS - 1) // 2
    ends = np.arange(OFFSETS)
    first, second = (grid.ravel() for grid in np.meshgrid(ends, ends, indexing="ij"))
    straight = np.abs(first - second) <= middle
    first, second = first[straight], second[straight]
    shares = np.linspace(0, 1, SAMPLES)
    columns = np.rint(first[:, None] + (second - first)[:, None] * shares).astype(np.intp)
    near = np.exp(-((first - middle) ** 2 + (second - middle) ** 2) / (2 * (0.75 * middle) ** 2))
    best = np.zeros((2, len(values)))
    found = np.zeros((2, 2, len(values)))
    for side, sign in enumerate((1.0, -1.0)):  # darker or lighter outside, the same all along one edge
        signed = np.clip(values * sign, 0, limit)
        lines = signed[:, np.arange(SAMPLES)[None, :], columns].mean(axis=2)
        scored = lines * near
        pick = scored.argmax(axis=1)
        top = scored[np.arange(len(values)), pick]
        usual = np.median(np.abs(values), axis=(1, 2)) + 1.0
        best[side] = np.where(top > CERTAIN * usual, top, 0.0)
        # The mean of the lines nearly as strong as the best one places it between two steps.
        weight = np.where(scored > 0.9 * top[:, None], scored, 0.0)
        total = np.maximum(weight.sum(axis=1), 1e-9)
        found[side, 0] = (weight * (first - middle)).sum(axis=1) / total
        found[side, 1] = (weight * (second - middle)).sum(axis=1) / total
    side = best.argmax(axis=0)
    rows = np.arange(len(values))
    clear = best[side, rows] > 0
    first_offset = np.where(clear, found[side, 0, rows], 0.0).reshape(cards, 4)
    second_offset = np.where(clear, found[side, 1, rows], 0.0).reshape(cards, 4)
    return first_offset, second_offset


def _crossings(start: FloatArray, end: FloatArray) -> FloatArray:
    """Corners (n, 4, 2) where each edge's line (start to end) meets the line of the edge before it."""
    before_start, before_end = np.roll(start, 1, axis=1), np.roll(end, 1, axis=1)
    edge, before = end - start, before_end - before_start
    cross = before[..., 0] * edge[..., 1] - before[..., 1] * edge[..., 0]
    between = start - before_start
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (between[..., 0] * edge[..., 1] - between[..., 1] * edge[..., 0]) / cross
    corners: FloatArray = before_start + share[..., None] * before
    return corners
