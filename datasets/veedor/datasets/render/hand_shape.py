"""The shape and skin of a hand: fingers and palm as tapered capsules in a height field, lit from one side.

Millimetres in the hand's own frame while it is built: x to the right and y forward from the wrist as the
fingers point away from the viewer; in the finished picture u runs back from the fingertips' middle
(rows), v to the right (columns).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.render.hand_bones import skeleton
from veedor.datasets.scene import HandPose

FloatArray = NDArray[np.float64]

ARM_PX_PER_MM = 0.7
ARM_ART_MM = 520.0
FLUSHED = np.array([0.80, 0.80, 1.02], np.float32)  # BGR gain of skin with much blood in it
FLUSH = np.float32(0.18)
FADE_MM = 13.0
ARM_HALF_MM = 62.0


@dataclass(frozen=True)
class Handling:
    """Everything a hand's picture depends on."""

    pose: HandPose
    left: bool
    skin_rgb: tuple[int, int, int]
    sleeve_rgb: tuple[int, int, int]
    variant: int
    light_step: int  # eighths of a turn from u toward v
    px_per_mm: float = 1.0


@dataclass(frozen=True)
class HandPicture:
    """BGRA art and where it lies: it spans low_u..high_u and ±half_v. `outline_mm` (n, 2) holds u, v of the
    hand with its wrist; the sleeve begins at `cuff_mm`. `thumb` is drawn apart where it lies over what is
    held."""

    hand: NDArray[np.uint8]
    thumb: NDArray[np.uint8] | None
    px_per_mm: float
    low_u_mm: float
    high_u_mm: float
    half_v_mm: float
    arm_half_v_mm: float
    arm_axis_v_mm: float
    wrist_mm: float
    cuff_mm: float
    outline_mm: FloatArray


class _Field:
    """Heights over a grid of u (rows) and v (columns)."""

    def __init__(self, low_u: float, high_u: float, half_v: float, px_per_mm: float) -> None:
        self.scale = px_per_mm
        rows, columns = round((high_u - low_u) * px_per_mm), round(2 * half_v * px_per_mm)
        self.u = (low_u + (np.arange(rows) + 0.5) / px_per_mm).astype(np.float32)
        self.v = (-half_v + (np.arange(columns) + 0.5) / px_per_mm).astype(np.float32)
        self.height = np.zeros((rows, columns), np.float32)
        self.inside = np.full((rows, columns), -50.0, np.float32)  # mm from the edge, positive inside

    def add(self, start: FloatArray, end: FloatArray, radii: tuple[float, float]) -> None:
        """A capsule from (u, v, z) to (u, v, z)."""
        reach = max(radii) + 2.0
        rows = self.span(self.u, min(start[0], end[0]) - reach, max(start[0], end[0]) + reach)
        columns = self.span(self.v, min(start[1], end[1]) - reach, max(start[1], end[1]) + reach)
        u, v = self.u[rows][:, None], self.v[columns][None, :]
        way = (end - start)[:2]
        share = ((u - start[0]) * way[0] + (v - start[1]) * way[1]) / max(float(way @ way), 1e-6)
        share = np.clip(share, 0.0, 1.0)
        apart = np.hypot(u - start[0] - share * way[0], v - start[1] - share * way[1])
        radius = radii[0] + (radii[1] - radii[0]) * share
        middle = start[2] + (end[2] - start[2]) * share
        rise = np.sqrt(np.maximum(radius**2 - apart**2, 0.0))
        height = np.where(apart < radius, middle + 0.8 * rise, 0.0)
        np.maximum(self.height[rows, columns], height, out=self.height[rows, columns])
        np.maximum(self.inside[rows, columns], radius - apart, out=self.inside[rows, columns])

    @staticmethod
    def span(axis: NDArray[np.float32], low: float, high: float) -> slice:
        return slice(int(np.searchsorted(axis, low)), int(np.searchsorted(axis, high)))

    @property
    def coverage(self) -> NDArray[np.float32]:
        covered: NDArray[np.float32] = np.clip(self.inside * self.scale + 0.5, 0.0, 1.0)
        return covered


def draw_hand(handling: Handling) -> HandPicture:
    """The art of one hand."""
    bones = skeleton(handling.pose, handling.variant)
    mirror = -1.0 if handling.left else 1.0

    def place(point: FloatArray) -> FloatArray:
        return np.array([bones.grip[1] - point[1], mirror * (point[0] - bones.grip[0]), point[2]])

    everything = [
        place(end) for part in bones.palm + bones.fingers + bones.thumb for end in (part.start, part.end)
    ]
    low_u = min(point[0] for point in everything) - 16.0
    wrist_mm = float(bones.grip[1])
    high_u = wrist_mm + bones.cuff_mm + 8.0
    half_v = max(abs(point[1]) for point in everything) + 18.0
    apart = handling.pose is HandPose.PINCH
    fields = []
    for capsules in (
        [bones.palm + bones.fingers, bones.thumb] if apart else [bones.palm + bones.fingers + bones.thumb]
    ):
        field = _Field(low_u, high_u, half_v, handling.px_per_mm)
        for part in capsules:
            field.add(place(part.start), place(part.end), part.radii)
        fields.append(field)
    nails = [
        (place(point), np.array([-way[1], mirror * way[0]]), radius) for point, way, radius in bones.tips
    ]
    joints = [
        (place(point), np.array([-way[1], mirror * way[0]]), radius) for point, way, radius in bones.joints
    ]
    if apart:
        art = [
            _skin(fields[0], handling, nails[:-1], joints[:-1]),
            _skin(fields[1], handling, nails[-1:], joints[-1:]),
        ]
    else:
        art = [_skin(fields[0], handling, nails, joints)]
    outline = []
    for field in fields:
        rows, columns = np.nonzero(field.inside > 0)
        kept = field.u[rows] < wrist_mm + bones.cuff_mm
        outline.append(np.column_stack([field.u[rows][kept], field.v[columns][kept]]))
    hull = cv2.convexHull(np.vstack(outline).astype(np.float32)).reshape(-1, 2).astype(np.float64)
    lateral = -mirror * bones.grip[0]  # where the forearm's axis lies
    return HandPicture(
        art[0], art[1] if apart else None, handling.px_per_mm, low_u, high_u, half_v,
        ARM_HALF_MM + abs(lateral), lateral, wrist_mm, wrist_mm + bones.cuff_mm, hull,
    )  # fmt: skip


Mark = tuple[FloatArray, FloatArray, float]


def _skin(field: _Field, handling: Handling, nails: list[Mark], joints: list[Mark]) -> NDArray[np.uint8]:
    """BGRA of a height field as lit skin with nails and joints."""
    scale = field.scale
    coverage = field.coverage
    smooth = _masked_blur(field.height, coverage, 1.3 * scale)
    bright = _lit(smooth, handling.light_step, scale)
    wide = _masked_blur(field.height, coverage, 6.0 * scale)
    bright *= 1 + 0.4 * np.clip((smooth - wide) / 9.0, -0.8, 0.25)  # dark between fingers
    rng = np.random.default_rng([handling.variant, 9])
    mottle = cv2.resize(
        rng.normal(0, 1, (14, 12)).astype(np.float32), bright.shape[::-1], interpolation=cv2.INTER_CUBIC
    )
    skin = np.array(handling.skin_rgb[::-1], np.float32)
    flushed = np.minimum(skin * FLUSHED, 255)
    red = np.clip(FLUSH + 0.12 * mottle, 0.0, 0.5)
    for middle, _, radius in [*joints, *nails]:
        spot = (field.u[:, None] - middle[0]) ** 2 + (field.v[None, :] - middle[1]) ** 2
        red = np.maximum(red, 0.6 * np.exp(-spot / (2 * (radius * 0.9) ** 2)))
    colour = skin * (1 - red[:, :, None]) + flushed * red[:, :, None]
    _draw_creases(bright, field, joints)
    colour *= bright[:, :, None]
    _draw_nails(colour, field, nails, skin)
    return np.dstack([np.clip(colour, 0, 255), coverage * 255]).astype(np.uint8)


def _masked_blur(
    values: NDArray[np.float32], coverage: NDArray[np.float32], sigma: float
) -> NDArray[np.float32]:
    weight = cv2.GaussianBlur(coverage, (0, 0), sigma)
    total = cv2.GaussianBlur(values * coverage, (0, 0), sigma)
    blurred: NDArray[np.float32] = total / np.maximum(weight, 1e-3)
    return blurred


def _lit(height: NDArray[np.float32], light_step: int, scale: float) -> NDArray[np.float32]:
    """Brightness of a height field under soft light and a lamp from one side."""
    slope_u = cv2.Sobel(height, cv2.CV_32F, 0, 1, scale=scale / 8)
    slope_v = cv2.Sobel(height, cv2.CV_32F, 1, 0, scale=scale / 8)
    up = 1.0 / np.sqrt(1 + slope_u**2 + slope_v**2)
    angle = light_step * np.pi / 4
    toward = (-slope_u * np.cos(angle) - slope_v * np.sin(angle)) * 0.5 + 0.866
    bright: NDArray[np.float32] = 0.34 + 0.28 * up + 0.46 * np.maximum(toward * up, 0.0)
    return bright.astype(np.float32)


def _draw_creases(bright: NDArray[np.float32], field: _Field, joints: list[Mark]) -> None:
    """Fine folds of skin across the finger joints."""
    layer = np.zeros_like(bright)
    for middle, way, radius in joints:
        across = np.array([-way[1], way[0]]) / max(float(np.hypot(*way)), 1e-6)
        for shift in (-1.8, 0.0, 1.8):
            centre = middle[:2] + way / max(float(np.hypot(*way)), 1e-6) * shift
            ends = [_grid(field, centre + across * radius * side * 0.62) for side in (-1, 1)]
            cv2.line(layer, ends[0], ends[1], 1.0, 1, cv2.LINE_AA, 4)
    bright *= 1 - 0.14 * layer


def _draw_nails(
    colour: NDArray[np.float32], field: _Field, nails: list[Mark], skin: NDArray[np.float32]
) -> None:
    nail = np.minimum(skin * 0.72 + np.array([205, 200, 235], np.float32) * 0.30, 255)
    for middle, way, radius in nails:
        length = float(np.hypot(*way))
        if length < 0.35:  # bent out of sight
            continue
        centre = middle[:2] + way / length * radius * 0.15
        angle = float(np.rad2deg(np.arctan2(way[0], way[1])))
        reach = radius * 1.1
        rows = _Field.span(field.u, centre[0] - reach, centre[0] + reach)
        columns = _Field.span(field.v, centre[1] - reach, centre[1] + reach)
        window = colour[rows, columns]
        if window.size == 0:
            continue
        mask = np.zeros(window.shape[:2], np.float32)
        axes = (round(radius * 0.78 * length * field.scale * 16), round(radius * 0.58 * field.scale * 16))
        x, y = _grid(field, centre)
        cv2.ellipse(
            mask, (x - columns.start * 16, y - rows.start * 16), axes, angle, 0, 360, 1.0, -1, cv2.LINE_AA, 4
        )
        bright = window.mean(axis=2, keepdims=True) / max(float(skin.mean()), 1.0)
        weight = 0.75 * mask[:, :, None]
        window[:] = window * (1 - weight) + nail * np.clip(bright, 0.4, 1.15) * weight


def _grid(field: _Field, point: FloatArray) -> tuple[int, int]:
    """Picture position of (u, v) with four binary places."""
    column = (point[1] - float(field.v[0])) * field.scale
    row = (point[0] - float(field.u[0])) * field.scale
    return round(column * 16), round(row * 16)


def draw_forearm(handling: Handling, lateral_mm: float = 0.0) -> tuple[NDArray[np.uint8], float]:
    """BGRA of the forearm from the cuff back, and its scale; it may be stretched to any length.

    `lateral_mm` moves its axis off the texture's middle. A quarter of the arms are bare.
    """
    rng = np.random.default_rng([handling.variant, 11])
    bare = handling.variant % 4 == 3
    half = ARM_HALF_MM + abs(lateral_mm)
    field = _Field(0.0, ARM_ART_MM, half, ARM_PX_PER_MM)
    u = field.u[:, None]
    v = field.v[None, :] - lateral_mm
    first = 27.0 if bare else float(rng.uniform(30, 36))
    radius = np.interp(u, [0, 150, ARM_ART_MM], [first, first + 8, first + 16]).astype(np.float32)
    wobble = cv2.resize(
        rng.normal(0, 1, (26, 5)).astype(np.float32),
        (field.v.size, field.u.size),
        interpolation=cv2.INTER_CUBIC,
    )
    if not bare:
        radius = radius + cv2.blur(wobble, (field.v.size * 2 + 1, 1)) * 1.5
    across = v / radius
    field.inside = (1 - np.abs(across)) * radius
    if not bare:
        field.inside = np.minimum(field.inside, u - 4.0 * across**2)
    field.height = radius * np.sqrt(np.maximum(1 - across**2, 0.0))
    coverage = field.coverage
    height = field.height if bare else field.height + wobble * 2.2
    bright = _lit(
        cv2.GaussianBlur(height.astype(np.float32), (0, 0), 1.2), handling.light_step, ARM_PX_PER_MM
    )
    base = np.array((handling.skin_rgb if bare else handling.sleeve_rgb)[::-1], np.float32)
    if bare:  # as flushed as the hand, and fading into it without a seam
        base = base * (1 - FLUSH) + np.minimum(base * FLUSHED, 255) * FLUSH
        coverage = coverage * np.clip(u / FADE_MM, 0.0, 1.0)
    colour = np.broadcast_to(base, (*bright.shape, 3)).copy()
    if not bare and rng.random() < 0.6:
        colour[(u - 4.0 * across**2 < 13.0)] = (238, 236, 236)
    if not bare:
        colour *= 1 + 0.05 * rng.standard_normal((*bright.shape, 1)).astype(np.float32)
    colour *= bright[:, :, None]
    return np.dstack([np.clip(colour, 0, 255), coverage * 255]).astype(np.uint8), ARM_PX_PER_MM
