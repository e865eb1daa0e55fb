"""Where the picture changed: the cheap gate in front of the detector.

Pictures are compared as small luma and colour planes (`Frame.thumbnail`), cell by cell. A cell is *stale*
while it differs from what it looked like when it was last detected, and *moving* while it differs from
the tick before.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.frames import Image

THUMBNAIL_WIDTH = 480
CELL_PX = 8  # of the thumbnail: 32 px of a 1080p picture, about a card's width

# Averaging 16 pixels leaves camera noise under 1 grey level and recompression under 4; a chip that comes to
# lie on felt changes luma or colour by 12 or more.
LUMA_STEP = 9
COLOUR_STEP = 7
CHANGED_PIXELS = 3  # of the 64 of a cell; the smallest chip covers about 28

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Region:
    """A rectangle of the full picture in pixels: left, top, right, bottom, right and bottom exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def area(self) -> int:
        return max(0, self.right - self.left) * max(0, self.bottom - self.top)

    def union(self, other: Region) -> Region:
        return Region(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    def grown(self, margin: int, size: tuple[int, int]) -> Region:
        """Wider by `margin` on every side, inside a picture of `size` (width, height)."""
        return Region(
            max(0, self.left - margin),
            max(0, self.top - margin),
            min(size[0], self.right + margin),
            min(size[1], self.bottom + margin),
        )

    def holds(self, points_px: NDArray[np.float32]) -> Mask:
        """Which of the points (n, 2) lie inside."""
        x, y = points_px[:, 0], points_px[:, 1]
        inside: Mask = (x >= self.left) & (x < self.right) & (y >= self.top) & (y < self.bottom)
        return inside


class MotionGate:
    """Compares pictures of one camera cell by cell. `watched` (rows, columns) marks the cells that matter."""

    def __init__(self, size: tuple[int, int], watched: Mask | None = None) -> None:
        self.size = size
        self.thumbnail_size = thumbnail_size(size)
        self.shape = (self.thumbnail_size[1] // CELL_PX, self.thumbnail_size[0] // CELL_PX)
        self._watched = np.ones(self.shape, np.bool_) if watched is None else watched
        self._reference: Image | None = None
        self._before: Image | None = None
        self._now: Image | None = None

    def look(self, thumbnail: Image) -> tuple[Mask, Mask]:
        """The stale and the moving cells of a new picture; in the first picture everything is both."""
        self._now = thumbnail
        if self._reference is None or self._before is None:
            self._reference = thumbnail.copy()
            stale = moving = self._watched.copy()
        else:
            stale = self._changed(self._reference, thumbnail) & self._watched
            moving = self._changed(self._before, thumbnail) & self._watched
        self._before = thumbnail
        return stale, moving

    def settle(self, cells: Mask) -> None:
        """Take the newest picture of these cells as detected."""
        assert self._reference is not None and self._now is not None
        height, width = self.shape[0] * CELL_PX, self.shape[1] * CELL_PX
        pixels = cv2.resize(cells.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST)
        cv2.copyTo(self._now[:height, :width], pixels, self._reference[:height, :width])

    def cells_of(self, region: Region) -> Mask:
        """Cells that lie wholly inside a region of the full picture."""
        scale_x, scale_y = self.cell_px()
        cells = np.zeros(self.shape, np.bool_)
        top, bottom = int(np.ceil(region.top / scale_y)), int(region.bottom // scale_y)
        left, right = int(np.ceil(region.left / scale_x)), int(region.right // scale_x)
        if region.bottom >= self.size[1]:
            bottom = self.shape[0]
        if region.right >= self.size[0]:
            right = self.shape[1]
        cells[top:bottom, left:right] = True
        return cells

    def quiet(self, points_px: NDArray[np.floating], still: Mask) -> Mask:
        """Which points (n, 2) of the full picture lie in cells that are still with all round them."""
        calm = cv2.erode(still.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(np.bool_)
        cells = np.floor(np.asarray(points_px) / self.cell_px()).astype(int)
        rows, columns = self.shape
        quiet: Mask = calm[np.clip(cells[:, 1], 0, rows - 1), np.clip(cells[:, 0], 0, columns - 1)]
        return quiet

    def regions_of(self, cells: Mask, reach_cells: int, most: int) -> list[Region]:
        """At most `most` rectangles that cover the cells, those nearer than `reach_cells` joined."""
        kernel = np.ones((2 * reach_cells + 1, 2 * reach_cells + 1), np.uint8)
        grown = cv2.dilate(cells.astype(np.uint8), kernel)
        count, _, stats, _ = cv2.connectedComponentsWithStats(grown, connectivity=8)
        scale_x, scale_y = self.cell_px()
        regions = []
        for left, top, width, height in stats[1:count, :4].tolist():
            region = Region(
                int(left * scale_x),
                int(top * scale_y),
                min(self.size[0], int(np.ceil((left + width) * scale_x))),
                min(self.size[1], int(np.ceil((top + height) * scale_y))),
            )
            regions.append(region)
        return merged(regions, most)

    def cell_px(self) -> tuple[float, float]:
        """Width and height of a cell in pixels of the full picture."""
        width, height = self.thumbnail_size
        return self.size[0] * CELL_PX / width, self.size[1] * CELL_PX / height

    def _changed(self, before: Image, now: Image) -> Mask:
        difference = cv2.absdiff(before, now)
        height, width = self.shape[0] * CELL_PX, self.shape[1] * CELL_PX
        luma = now[:height:2, :width:2, 0].astype(np.int16) - before[:height:2, :width:2, 0]
        # An exposure that hunts moves the whole picture by the same amount; that is no motion.
        drift = int(np.clip(np.median(luma), -20, 20))
        if drift:
            shifted = cv2.absdiff(now[..., 0].astype(np.int16) - drift, before[..., 0].astype(np.int16))
            difference[..., 0] = np.clip(shifted, 0, 255).astype(np.uint8)
        pixels = (
            (difference[..., 0] > LUMA_STEP)
            | (difference[..., 1] > COLOUR_STEP)
            | (difference[..., 2] > COLOUR_STEP)
        )
        blocks = pixels[:height, :width].reshape(self.shape[0], CELL_PX, self.shape[1], CELL_PX)
        changed: Mask = blocks.sum(axis=(1, 3)) >= CHANGED_PIXELS
        return changed


def thumbnail_size(size: tuple[int, int]) -> tuple[int, int]:
    """Width and height of the small picture of a full picture of `size` (width, height).

    A whole fraction, an even one where that serves: averaging down by a whole number is twenty times as fast.
    """
    shrink = max(1, round(size[0] / THUMBNAIL_WIDTH))
    if shrink > 1 and shrink % 2:
        shrink += 1  # the colour planes of a video have half the size
    return max(CELL_PX, size[0] // shrink), max(CELL_PX, size[1] // shrink)


def merged(regions: list[Region], most: int) -> list[Region]:
    """Join regions that overlap, then the pairs that waste least, until there are at most `most`."""
    found = list(regions)
    while len(found) > 1:
        pairs = [
            (found[one].union(found[two]).area - found[one].area - found[two].area, one, two)
            for one in range(len(found))
            for two in range(one + 1, len(found))
        ]
        waste, one, two = min(pairs)
        if waste > 0 and len(found) <= most:
            break
        joined = found[one].union(found[two])
        found = [region for number, region in enumerate(found) if number not in (one, two)] + [joined]
    return sorted(found, key=lambda region: (region.top, region.left))
