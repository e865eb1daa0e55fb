"""Small patches painted over a picture, with a buffer that remembers who is on top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.render.sensor import motion_kernel

FloatImage = NDArray[np.float32]

OCCLUDER = 32767  # number in the id buffer of what hides things but is no object itself (forearms)


@dataclass(frozen=True)
class Sprite:
    """A patch whose top-left pixel is (x, y): `colour` (h, w, 3) is BGR premultiplied by the coverage,
    `keep` (h, w, 1) = 1 − coverage, `mask` (h, w) where it covers more than half. It may stick out of the
    frame.
    """

    x: int
    y: int
    colour: FloatImage
    keep: FloatImage
    mask: NDArray[np.bool_]
    area: int


@dataclass(frozen=True)
class Shade:
    """A patch of shadow: `keep` (h, w, 1) is the share of light left."""

    x: int
    y: int
    keep: FloatImage


def sprite_of(x: int, y: int, colour: FloatImage, coverage: FloatImage) -> Sprite:
    """A sprite from premultiplied `colour` (h, w, 3) 0..255 and `coverage` (h, w) 0..1."""
    mask = coverage > 0.5
    return Sprite(x, y, colour, (1.0 - coverage)[:, :, None], mask, int(np.count_nonzero(mask)))


def smeared(sprite: Sprite, motion_px: tuple[float, float]) -> Sprite:
    """The sprite as an exposure sees it that moves by `motion_px` meanwhile."""
    length = float(np.hypot(*motion_px))
    if length < 1.0:
        return sprite
    kernel = motion_kernel(motion_px)
    reach = kernel.shape[0] // 2
    padded = [(reach, reach), (reach, reach), (0, 0)]
    colour = cv2.filter2D(np.pad(sprite.colour, padded), -1, kernel, borderType=cv2.BORDER_CONSTANT)
    coverage = cv2.filter2D(
        np.pad(1.0 - sprite.keep, padded)[:, :, 0], -1, kernel, borderType=cv2.BORDER_CONSTANT
    )
    return sprite_of(sprite.x - reach, sprite.y - reach, colour, coverage)


class Canvas:
    """A picture being painted: `image` (H, W, 3) uint8 and `owners` (H, W) int16, 0 where nothing stands."""

    def __init__(self, background: NDArray[np.uint8]) -> None:
        self.image = background.copy()
        size = (background.shape[0], background.shape[1])
        self.owners: NDArray[np.int16] = np.zeros(size, np.int16)

    def shade(self, shade: Shade) -> None:
        box = self._clip(shade.x, shade.y, shade.keep.shape)
        if box is None:
            return
        top, bottom, left, right = box
        target = self.image[top:bottom, left:right]
        part = shade.keep[top - shade.y : bottom - shade.y, left - shade.x : right - shade.x]
        target[:] = target * part

    def paint(self, sprite: Sprite, owner: int) -> None:
        box = self._clip(sprite.x, sprite.y, sprite.keep.shape)
        if box is None:
            return
        top, bottom, left, right = box
        rows, columns = slice(top - sprite.y, bottom - sprite.y), slice(left - sprite.x, right - sprite.x)
        target = self.image[top:bottom, left:right]
        mixed = target * sprite.keep[rows, columns]
        mixed += sprite.colour[rows, columns]
        np.minimum(mixed, 255.0, out=mixed)
        target[:] = mixed
        np.copyto(self.owners[top:bottom, left:right], owner, where=sprite.mask[rows, columns])

    def count(self, owner: int, sprites: Sequence[Sprite]) -> int:
        """How many pixels of an owner's sprites nothing painted later hides."""
        clipped = [self._clip(sprite.x, sprite.y, sprite.keep.shape) for sprite in sprites]
        boxes = [box for box in clipped if box is not None]
        if not boxes:
            return 0
        top, bottom = min(box[0] for box in boxes), max(box[1] for box in boxes)
        left, right = min(box[2] for box in boxes), max(box[3] for box in boxes)
        return int(np.count_nonzero(self.owners[top:bottom, left:right] == owner))

    def _clip(self, x: int, y: int, shape: tuple[int, ...]) -> tuple[int, int, int, int] | None:
        height, width = self.owners.shape
        top, bottom = max(y, 0), min(y + shape[0], height)
        left, right = max(x, 0), min(x + shape[1], width)
        if top >= bottom or left >= right:
            return None
        return top, bottom, left, right
