"""Draws scenes of one table as its camera sees them, with exact truth."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.render.canvas import Canvas
from veedor.datasets.render.lighting import Lighting
from veedor.datasets.render.painters import BodyCache, paint_bodies, painters_for, scene_bodies
from veedor.datasets.render.props import ShoePose, shoe_body
from veedor.datasets.render.room import background
from veedor.datasets.render.truth import Rendered
from veedor.datasets.scene import HandPosePlan, Scene, TableLook
from veedor.vision.camera import Camera
from veedor.vision.layout import Zone, ZoneKind

NOISE_SHIFT_PX = 96  # how far the one noise picture is moved about from frame to frame
ARM_STEP_MM = 25.0
ARM_BEYOND_EDGE_MM = 520.0
SHORTEST_ARM_MM = 420.0
# A card that lies 130 mm before the zone's middle, its long side along the slide, has just left the mouth.
MOUTH_FROM_MIDDLE_MM = 80.0


class Renderer:
    """Renders the scenes of one table, look and camera; the empty table is drawn once.

    Not safe for use by several threads at a time.
    """

    def __init__(self, look: TableLook, camera: Camera) -> None:
        self.look = look
        self.camera = camera
        self.lighting = table_lighting(look, camera)
        self._painters = painters_for(look, self.lighting)
        self._cache = BodyCache()
        self._background = background(look, self.lighting)
        self._furniture = [
            shoe_body(shoe_pose(zone, look.seed), self.lighting)
            for zone in look.layout.of_kind(ZoneKind.SHOE)
        ]
        rng = np.random.default_rng([look.seed, 81])
        size = (camera.height + NOISE_SHIFT_PX, camera.width + NOISE_SHIFT_PX)
        noise = _sensor_noise(rng, size, look.noise_sigma)
        # Saturating sums of bytes are several times faster than sums of wider numbers.
        self._lighter = np.clip(noise, 0, 127).astype(np.uint8)
        self._darker = np.clip(-noise, 0, 127).astype(np.uint8)

    def render(self, scene: Scene, rng: np.random.Generator) -> Rendered:
        """The picture of a scene and the truth; `rng` draws the sensor's noise alone."""
        self._cache.next_frame()
        bodies = scene_bodies(scene, self._painters, self._arm_mm, self._cache) + self._furniture
        canvas = Canvas(self._background)
        objects = paint_bodies(bodies, canvas)
        image = canvas.image
        if self.look.blur_px > 0.15:
            image = np.asarray(cv2.GaussianBlur(image, (3, 3), self.look.blur_px), np.uint8)
        rows, columns = (int(rng.integers(NOISE_SHIFT_PX)) for _ in range(2))
        window = (slice(rows, rows + self.camera.height), slice(columns, columns + self.camera.width))
        cv2.add(image, self._lighter[window], dst=image)
        cv2.subtract(image, self._darker[window], dst=image)
        return Rendered(image, objects)

    def _arm_mm(self, pose: HandPosePlan) -> float:
        """How far a forearm reaches: from the fingertips to beyond the table's edge."""
        outline = self.look.layout.outline_mm.astype(np.float32).reshape(-1, 1, 2)
        way = np.deg2rad(pose.from_deg)
        x, y = pose.x_mm, pose.y_mm
        length = 0.0
        while length < 2000.0 and cv2.pointPolygonTest(outline, (float(x), float(y)), False) >= 0:
            length += ARM_STEP_MM
            x, y = pose.x_mm + length * np.cos(way), pose.y_mm + length * np.sin(way)
        return max(length + ARM_BEYOND_EDGE_MM, SHORTEST_ARM_MM)


def table_lighting(look: TableLook, camera: Camera) -> Lighting:
    """The light of a look; what the look does not say is drawn from its seed."""
    rng = np.random.default_rng([look.seed, 91])
    return Lighting(
        camera,
        look.light_position_mm,
        look.light_rgb,
        gloss=look.gloss,
        ambient=float(rng.uniform(0.5, 0.75)),
        vignette=float(rng.uniform(0.05, 0.22)),
        exposure=float(rng.uniform(0.92, 1.12)),
        shadow=float(rng.uniform(0.3, 0.5)),
    )


def shoe_pose(zone: Zone, seed: int) -> ShoePose:
    """A shoe in its zone, its mouth toward the table's origin, some way before the zone's middle."""
    x, y = (float(part) for part in zone.centre_mm)
    angle = np.arctan2(-y, -x)
    ahead = MOUTH_FROM_MIDDLE_MM
    return ShoePose(
        x + ahead * float(np.cos(angle)), y + ahead * float(np.sin(angle)), float(np.rad2deg(angle)), seed
    )


def _sensor_noise(rng: np.random.Generator, size: tuple[int, int], sigma: float) -> NDArray[np.float32]:
    """Noise (H, W, 3): mostly brightness, some coarser colour."""
    bright = rng.standard_normal((*size, 1), dtype=np.float32)
    small = rng.standard_normal((size[0] // 2 + 1, size[1] // 2 + 1, 3), dtype=np.float32)
    colour = cv2.resize(small, (size[1], size[0]), interpolation=cv2.INTER_LINEAR)
    return np.asarray((bright * 0.9 + colour * 0.5) * np.float32(sigma), np.float32)
