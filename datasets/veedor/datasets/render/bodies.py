"""What stands on the table, ready to be painted: pieces in drawing order and the truth about them."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from veedor.datasets.render.canvas import Shade, Sprite
from veedor.vision.camera import Camera
from veedor.vision.detections import ObjectClass

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Order:
    """When a piece is painted: lower `z_mm` first, then lower `layer`, then what stands farther away."""

    z_mm: float
    layer: int
    distance_mm: float

    @property
    def key(self) -> tuple[float, int, float]:
        return (self.z_mm, self.layer, -self.distance_mm)


@dataclass(frozen=True)
class Piece:
    """A sprite, its shadow, or both. `own` is False for what only hides other things (a forearm)."""

    order: Order
    sprite: Sprite | None
    shade: Shade | None = None
    own: bool = True


@dataclass(frozen=True)
class Body:
    """An object's pieces and truth; `kind` None for what no detector is asked about."""

    kind: ObjectClass | None
    id: str
    pieces: tuple[Piece, ...]
    corners_px: FloatArray
    base_mm: tuple[float, float] = (0.0, 0.0)
    rotation_deg: float = 0.0
    face: str | None = None
    back: str | None = None
    chips: tuple[str, ...] = ()

    @property
    def area_px(self) -> int:
        """Pixels the whole body covers, whether they lie in the frame or not."""
        own = [piece.sprite for piece in self.pieces if piece.own and piece.sprite is not None]
        if len(own) == 1:
            return own[0].area
        low_x, low_y = min(sprite.x for sprite in own), min(sprite.y for sprite in own)
        high_x = max(sprite.x + sprite.mask.shape[1] for sprite in own)
        high_y = max(sprite.y + sprite.mask.shape[0] for sprite in own)
        union = np.zeros((high_y - low_y, high_x - low_x), np.bool_)
        for sprite in own:
            rows = slice(sprite.y - low_y, sprite.y - low_y + sprite.mask.shape[0])
            columns = slice(sprite.x - low_x, sprite.x - low_x + sprite.mask.shape[1])
            union[rows, columns] |= sprite.mask
        return int(np.count_nonzero(union))


def turned(points: FloatArray, degrees: float) -> FloatArray:
    """Points (n, 2) or (n, 3) turned counter-clockwise about the z axis."""
    angle = np.deg2rad(degrees)
    cos, sin = np.cos(angle), np.sin(angle)
    result = np.array(points, dtype=np.float64)
    result[:, 0] = points[:, 0] * cos - points[:, 1] * sin
    result[:, 1] = points[:, 0] * sin + points[:, 1] * cos
    return result


def seed_of(*parts: object) -> int:
    """A number that is always the same for the same words (hash() is not)."""
    return zlib.crc32("|".join(str(part) for part in parts).encode())


def ground_distance(camera: Camera, x_mm: float, y_mm: float) -> float:
    eye = camera.position_mm
    return float(np.hypot(eye[0] - x_mm, eye[1] - y_mm))


def oriented_box(points: FloatArray, axis: FloatArray) -> FloatArray:
    """The tight box (4, 2) round points (n, 2), sides along `axis` or across, clockwise, short edge first."""
    along = axis / max(float(np.linalg.norm(axis)), 1e-9)
    across = np.array([-along[1], along[0]])
    u, v = points @ along, points @ across
    corners = [(u.min(), v.min()), (u.max(), v.min()), (u.max(), v.max()), (u.min(), v.max())]
    box = np.array([a * along + b * across for a, b in corners])
    if np.linalg.norm(box[1] - box[0]) > np.linalg.norm(box[2] - box[1]):
        box = np.roll(box, -1, axis=0)
    return box
