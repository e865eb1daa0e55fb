"""The felt as seen from straight above, for cameras that look at it aslant.

The network has learnt cards of one scale; under a slanting camera the far side is small, the near side large,
and cards are squashed. Straightened onto the felt they have one size and their true proportions: of the cards
of path-traced tables tilted by 31 to 49 degrees 0.84 are found where 0.78 are found in the picture as it is.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.detector import PAD_GREY
from veedor.vision.frames import Image
from veedor.vision.motion import Region

SLANT_DEG = 20.0  # from straight above; below it straightening gains nothing and costs a look 5 ms
STEP_PX = 8  # the map is computed on so coarse a grid and interpolated
ALIAS = 1.6  # shrinking by more than this in one step of linear sampling loses detail by chance


def slant_deg(camera: Camera) -> float:
    """Angle between the camera's axis and straight down."""
    return math.degrees(math.acos(min(1.0, max(-1.0, -float(camera.rotation[2, 2])))))


class StraightView:
    """One camera's felt at one scale. The view's pixels: x along the table's x, y down its y axis."""

    def __init__(self, camera: Camera, outline_mm: NDArray[np.float64], px_per_mm: float) -> None:
        self._camera = camera
        self._scale = px_per_mm
        low, high = outline_mm.min(axis=0), outline_mm.max(axis=0)
        self._corner = np.array([low[0], high[1]])
        width, height = (math.ceil(side * px_per_mm) for side in high - low)
        coarse = np.meshgrid(np.arange(width // STEP_PX + 3) - 0.5, np.arange(height // STEP_PX + 3) - 0.5)
        nodes = (np.stack(coarse, axis=-1) * STEP_PX).reshape(-1, 2) - 0.5
        pixels = camera.project(self._felt(nodes)).reshape(*coarse[0].shape, 2).astype(np.float32)
        whole = (coarse[0].shape[1] * STEP_PX, coarse[0].shape[0] * STEP_PX)
        fine = cv2.resize(pixels, whole, interpolation=cv2.INTER_LINEAR)
        self._map = np.ascontiguousarray(fine[STEP_PX : STEP_PX + height, STEP_PX : STEP_PX + width])

    def _felt(self, view_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Table mm (n, 2) of view pixels (n, 2), the centre of the first at (0, 0)."""
        felt: NDArray[np.float64] = self._corner + (view_px + 0.5) / self._scale * (1.0, -1.0)
        return felt

    def crop(self, image: Image, region: Region) -> tuple[Image, tuple[int, int]]:
        """What a region of the picture shows, straightened, and where it begins (x, y) in the view."""
        rim = np.array(
            [
                (x, y)
                for x in np.linspace(region.left, region.right, 5)
                for y in np.linspace(region.top, region.bottom, 5)
            ]
        )
        view = (self._camera.to_felt(rim) - self._corner) * (self._scale, -self._scale)
        height, width = self._map.shape[:2]
        left, top = np.clip(np.floor(view.min(axis=0)), 0, (width - 1, height - 1)).astype(int)
        right, bottom = np.clip(np.ceil(view.max(axis=0)), (left + 1, top + 1), (width, height)).astype(int)
        seen = self._map[top:bottom, left:right]
        middle = seen[seen.shape[0] // 2, seen.shape[1] // 2].astype(np.float64)
        shrink = self._camera.px_per_mm(*self._camera.to_felt(middle[None])[0]) / self._scale
        if shrink > ALIAS:
            size = (round(image.shape[1] / shrink), round(image.shape[0] / shrink))
            ratio = np.array([size[0] / image.shape[1], size[1] / image.shape[0]], np.float32)
            image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
            seen = (seen + np.float32(0.5)) * ratio - np.float32(0.5)
        straight = cv2.remap(
            image, seen, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(PAD_GREY,) * 3
        )
        return np.asarray(straight, np.uint8), (int(left), int(top))

    def to_picture(self, corners_px: NDArray[np.float32], begins: tuple[int, int]) -> NDArray[np.float32]:
        """Corners (n, 4, 2) of a crop that begins at a place of the view, in the picture's own pixels."""
        if not len(corners_px):
            return corners_px
        view = corners_px.reshape(-1, 2).astype(np.float64) + begins
        return self._camera.project(self._felt(view)).reshape(-1, 4, 2).astype(np.float32)


def straight_views(
    camera: Camera, outline_mm: NDArray[np.float64], scales: tuple[float, ...]
) -> dict[float, StraightView]:
    """Views by their px/mm; none for a camera that looks nearly straight down."""
    if slant_deg(camera) < SLANT_DEG:
        return {}
    return {scale: StraightView(camera, outline_mm, scale) for scale in scales}
