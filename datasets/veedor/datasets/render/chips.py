"""Chips and plaques as solids: sides by perspective, the top's art, shadow on the felt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.art import chip_side_colours, chip_top, plaque_face
from veedor.datasets.render.bodies import Body, Order, Piece, ground_distance, oriented_box, seed_of, turned
from veedor.datasets.render.canvas import FloatImage, Sprite, sprite_of
from veedor.datasets.render.lighting import Lighting
from veedor.datasets.render.planes import Glint, Texture, plane_sprite
from veedor.datasets.scene import ChipStyle, PlaquePose, StackPose
from veedor.vision.detections import ObjectClass

FloatArray = NDArray[np.float64]

ART_PX_PER_MM = 3.0
RIM_STEPS = 48  # corners of a chip's outline
SLIP_MM = 0.9  # how far chips of a stack stand off its axis
# A stack whose top leans from its base by less than this share of its diameter looks round: its box then
# follows the picture's axes, because a round thing has no direction of its own.
LEANING = 0.3


@dataclass(frozen=True)
class _Ring:
    """One chip of a stack: rims (RIM_STEPS, 3) in mm, and its turn about its axis."""

    low: FloatArray
    high: FloatArray
    turn_deg: float


@lru_cache(maxsize=512)
def _top_texture(style: ChipStyle, seed: int) -> Texture:
    size = round(style.diameter_mm * ART_PX_PER_MM)
    return Texture(chip_top(style, size, seed), ART_PX_PER_MM)


@lru_cache(maxsize=128)
def _plaque_texture(style: ChipStyle, seed: int) -> Texture:
    return Texture(plaque_face(style, ART_PX_PER_MM, seed), ART_PX_PER_MM)


@lru_cache(maxsize=512)
def _edge(style: ChipStyle, seed: int) -> NDArray[np.float32]:
    """Edge colours (RIM_STEPS, 3) BGR."""
    colours = chip_side_colours(style, seed)
    return colours[:: len(colours) // RIM_STEPS].astype(np.float32)


class ChipPainter:
    """Draws one table's chips for one camera and light; `art_seed` draws the whole set's faces."""

    def __init__(self, lighting: Lighting, chips: tuple[ChipStyle, ...], art_seed: int) -> None:
        self._lighting = lighting
        self._styles = {style.name: style for style in chips}
        self._art_seed = art_seed

    def stack(self, pose: StackPose) -> Body:
        light = self._lighting
        rings = self._rings(pose)
        outline = np.vstack([rings[0].low, *[ring.high for ring in rings]])
        hull = (
            cv2.convexHull(light.camera.project(outline).astype(np.float32)).reshape(-1, 2).astype(np.float64)
        )
        patch = _SidePatch(hull, light)
        patch.fill(hull, _edge(self._styles[pose.chips[0]], self._art_seed).mean(axis=0) * 0.7)
        for name, ring in zip(pose.chips, rings, strict=True):
            patch.draw_ring(ring, _edge(self._styles[name], self._art_seed))
        style = self._styles[pose.chips[-1]]
        half = style.diameter_mm / 2
        square = np.array([[-half, half, 0], [half, half, 0], [half, -half, 0], [-half, -half, 0]])
        top = turned(square, rings[-1].turn_deg) + rings[-1].high.mean(axis=0)
        sprite = patch.under(self._top(_top_texture(style, self._art_seed), top))
        centre_px = light.camera.project(np.array([rings[0].low.mean(axis=0), rings[-1].high.mean(axis=0)]))
        lean = centre_px[1] - centre_px[0]
        wide = light.camera.px_per_mm(pose.x_mm, pose.y_mm) * style.diameter_mm
        axis = lean if np.linalg.norm(lean) > LEANING * wide else np.array([1.0, 0.0])
        return Body(
            ObjectClass.CHIP_STACK, pose.id, (self._piece(pose, sprite, outline),), oriented_box(hull, axis),
            (pose.x_mm, pose.y_mm), pose.rotation_deg, chips=pose.chips,
        )  # fmt: skip

    def plaque(self, pose: PlaquePose) -> Body:
        light = self._lighting
        style = self._styles[pose.chip]
        wide, high = style.size_mm[0] / 2, style.size_mm[1] / 2
        flat = np.array([[-wide, high, 0.0], [wide, high, 0.0], [wide, -high, 0.0], [-wide, -high, 0.0]])
        low = turned(flat, pose.rotation_deg) + np.array([pose.x_mm, pose.y_mm, pose.z_mm])
        top = low + np.array([0.0, 0.0, style.thickness_mm])
        outline = np.vstack([_inset(low, 3.0), _inset(top, 3.0)])
        hull = (
            cv2.convexHull(light.camera.project(outline).astype(np.float32)).reshape(-1, 2).astype(np.float64)
        )
        patch = _SidePatch(hull, light)
        side = np.array(style.colour_rgb[::-1], np.float32)
        patch.fill(light.camera.project(outline), side * 0.7)
        sprite = patch.under(self._top(_plaque_texture(style, self._art_seed), top))
        corners = light.camera.project(top)
        if np.linalg.norm(corners[1] - corners[0]) > np.linalg.norm(corners[2] - corners[1]):
            corners = np.roll(corners, -1, axis=0)
        return Body(
            ObjectClass.PLAQUE, pose.id, (self._piece(pose, sprite, np.vstack([low, top])),), corners,
            (pose.x_mm, pose.y_mm), pose.rotation_deg, chips=(pose.chip,),
        )  # fmt: skip

    def _rings(self, pose: StackPose) -> list[_Ring]:
        rng = np.random.default_rng(seed_of(pose.id, "stack"))
        angles = np.arange(RIM_STEPS) * 2 * np.pi / RIM_STEPS
        rings, height = [], pose.z_mm
        for number, name in enumerate(pose.chips):
            style = self._styles[name]
            slip = rng.uniform(-SLIP_MM, SLIP_MM, 2) if number else np.zeros(2)
            radius = style.diameter_mm / 2
            low = np.column_stack(
                [
                    pose.x_mm + slip[0] + radius * np.cos(angles),
                    pose.y_mm + slip[1] + radius * np.sin(angles),
                    np.full(RIM_STEPS, height),
                ]
            )
            height += style.thickness_mm
            high = low + np.array([0.0, 0.0, style.thickness_mm])
            turn = pose.rotation_deg + (float(rng.uniform(0, 360)) if number else 0.0)
            rings.append(_Ring(low, high, turn))
        return rings

    def _top(self, texture: Texture, corners: FloatArray) -> Sprite:
        light = self._lighting
        pixels = light.camera.project(corners)
        gain = light.gain_bgr(corners[:, :2], pixels).mean(axis=0)
        offsets = light.mirror_offsets(corners, np.array([0.0, 0.0, 1.0]))
        return plane_sprite(texture, pixels, gain, glint=Glint(offsets, 0.09, light.gloss * 0.3))

    def _piece(self, pose: StackPose | PlaquePose, sprite: Sprite, outline: FloatArray) -> Piece:
        light = self._lighting
        scale = light.camera.px_per_mm(pose.x_mm, pose.y_mm)
        thrown = light.camera.project(light.cast(outline))
        if pose.z_mm < 1.0:  # the felt is darker where a solid stands on it
            thrown = np.vstack([thrown, light.camera.project(_grown(outline, 1.5))])
        shadow = cv2.convexHull(thrown.astype(np.float32)).reshape(-1, 2).astype(np.float64)
        top = float(outline[:, 2].max())
        blur = max(0.8, scale * (1.2 + 0.08 * top))
        shade = light.polygon_shade(shadow, blur_px=blur, strength=light.shadow * 1.1 / (1 + pose.z_mm / 200))
        return Piece(
            Order(pose.z_mm, 1000, ground_distance(light.camera, pose.x_mm, pose.y_mm)), sprite, shade
        )


class _SidePatch:
    """The sides of a solid, drawn larger and averaged down."""

    def __init__(self, hull_px: FloatArray, lighting: Lighting) -> None:
        self._lighting = lighting
        low = np.floor(hull_px.min(axis=0)).astype(int) - 2
        high = np.ceil(hull_px.max(axis=0)).astype(int) + 2
        self._low = low
        self._size = (int(high[0] - low[0] + 1), int(high[1] - low[1] + 1))
        self._factor = 3 if max(self._size) < 60 else 2
        large = (self._size[0] * self._factor, self._size[1] * self._factor)
        self._image = np.zeros((large[1], large[0], 3), np.uint8)
        mask = np.zeros((large[1], large[0]), np.uint8)
        cv2.fillConvexPoly(mask, self._fixed(hull_px), 255, cv2.LINE_AA, 4)
        self._coverage = cv2.resize(mask, self._size, interpolation=cv2.INTER_AREA).astype(np.float32) / 255

    def _fixed(self, points: FloatArray) -> NDArray[np.int32]:
        # Pixel centres of the larger picture lie at (p + 0.5) * factor - 0.5.
        scaled = ((points - self._low + 0.5) * self._factor - 0.5) * 16
        return np.asarray(np.round(scaled), np.int32).reshape(-1, 1, 2)

    def fill(self, points_px: FloatArray, colour: NDArray[np.float32]) -> None:
        middle = points_px.mean(axis=0)
        hull = cv2.convexHull(points_px.astype(np.float32)).reshape(-1, 2).astype(np.float64)
        # Somewhat larger than the mask, so that smooth edges are not mixed with black.
        hull = middle + (hull - middle) * 1.15
        cv2.fillConvexPoly(self._image, self._fixed(hull), [float(part) for part in colour], cv2.LINE_8, 4)

    def draw_ring(self, ring: _Ring, edge: NDArray[np.float32]) -> None:
        light = self._lighting
        middle = ring.low.mean(axis=0)
        low_px, high_px = light.camera.project(ring.low), light.camera.project(ring.high)
        normals = ring.low - middle
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        to_eye = light.camera.position_mm - middle
        to_lamp = np.asarray(light.lamp_mm) - middle
        to_lamp /= np.linalg.norm(to_lamp)
        gain = light.gain_at(middle)
        bright = 0.62 + 0.38 * np.clip(normals @ to_lamp, -0.5, 1.0)
        shift = round(ring.turn_deg / 360 * RIM_STEPS)
        colours = np.roll(edge, shift, axis=0) * gain * bright[:, None].astype(np.float32)
        low, high = self._fixed(low_px), self._fixed(high_px)
        seen = np.flatnonzero(normals @ to_eye > 0)
        shown = np.minimum(colours, 255).tolist()
        for step in seen:
            after = (step + 1) % RIM_STEPS
            quad = np.stack([low[step], low[after], high[after], high[step]])
            cv2.fillConvexPoly(self._image, quad, shown[step], cv2.LINE_8, 4)
        for step in seen:
            seam = np.stack([low[step], low[(step + 1) % RIM_STEPS]])
            dark = [0.45 * part for part in shown[step]]
            cv2.polylines(self._image, [seam], False, dark, 1, cv2.LINE_AA, 4)

    def under(self, top: Sprite) -> Sprite:
        """These sides with the top's sprite over them."""
        small = cv2.resize(self._image, self._size, interpolation=cv2.INTER_AREA).astype(np.float32)
        colour: FloatImage = small * self._coverage[:, :, None]
        coverage = self._coverage.copy()
        x, y = top.x - int(self._low[0]), top.y - int(self._low[1])
        rows = slice(max(y, 0), min(y + top.mask.shape[0], self._size[1]))
        columns = slice(max(x, 0), min(x + top.mask.shape[1], self._size[0]))
        inner = (slice(rows.start - y, rows.stop - y), slice(columns.start - x, columns.stop - x))
        colour[rows, columns] = colour[rows, columns] * top.keep[inner] + top.colour[inner]
        coverage[rows, columns] = 1 - (1 - coverage[rows, columns]) * top.keep[inner][:, :, 0]
        return sprite_of(int(self._low[0]), int(self._low[1]), colour, coverage)


def _inset(corners: FloatArray, cut_mm: float) -> FloatArray:
    """A rectangle's corners (4, 3) cut off: (8, 3)."""
    cut = []
    for index in range(4):
        here = corners[index]
        for other in (corners[index - 1], corners[(index + 1) % 4]):
            way = other - here
            cut.append(here + way * cut_mm * 0.3 / np.linalg.norm(way))
    return np.array(cut)


def _grown(points: FloatArray, by_mm: float) -> FloatArray:
    """The outline's ground plan grown by some millimetres, on the felt."""
    middle = points.mean(axis=0)
    away = points - middle
    away[:, 2] = 0.0
    grown = points + away / np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9) * by_mm
    grown[:, 2] = 0.0
    return np.asarray(grown, dtype=np.float64)
