"""What else belongs to a table: the shoe and the pala."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.render.bodies import (
    Body,
    Order,
    Piece,
    ground_distance,
    oriented_box,
    turned,
)  # fmt: skip
from veedor.datasets.render.canvas import Sprite, sprite_of
from veedor.datasets.render.lighting import Lighting
from veedor.datasets.render.planes import Texture, plane_coverage, plane_sprite
from veedor.datasets.scene import PalaPose
from veedor.vision.detections import ObjectClass
from veedor.vision.obb import signed_area

FloatArray = NDArray[np.float64]

PALA_PX_PER_MM = 1.0
BLADE_MM = (150.0, 104.0)  # across and along the handle
PALA_HANDLE_MM = 640.0
PALA_WOODS = ((62, 92, 142), (40, 60, 100), (96, 140, 186), (30, 34, 44), (52, 70, 120))  # BGR
SHOE_LENGTH_MM, SHOE_WIDTH_MM = 285.0, 112.0
SHOE_ORDER_MM = 4.0  # what lies lower is under the shoe, what moves higher passes over it
SHOE_BODIES = ((24, 24, 26), (38, 46, 74), (60, 24, 24), (30, 30, 40), (54, 74, 110), (70, 70, 70))  # BGR
SHOE_PLATES = ((60, 150, 200), (170, 170, 172), (40, 40, 44), (46, 60, 96), (30, 30, 150))


@dataclass(frozen=True)
class ShoePose:
    """A shoe: x, y the middle of its mouth, which looks toward `mouth_deg`; `seed` chooses its make."""

    x_mm: float
    y_mm: float
    mouth_deg: float
    seed: int = 0


@lru_cache(maxsize=32)
def _pala_texture(seed: int) -> Texture:
    """Rows run from the blade's front edge back along the handle."""
    rng = np.random.default_rng([seed, 21])
    half = BLADE_MM[0] / 2 + 4
    length = PALA_HANDLE_MM + BLADE_MM[1] / 2 + 4
    rows, columns = round(length * PALA_PX_PER_MM), round(2 * half * PALA_PX_PER_MM)
    alpha = np.zeros((rows, columns), np.uint8)
    middle = (round(half * 16), round((BLADE_MM[1] / 2 + 2) * 16))
    axes = (round(BLADE_MM[0] / 2 * 16), round(BLADE_MM[1] / 2 * 16))
    cv2.ellipse(alpha, middle, axes, 0, 0, 360, 255, -1, cv2.LINE_AA, 4)
    if rng.random() < 0.5:  # a straight front edge
        alpha[: round(0.18 * BLADE_MM[1])] = 0
    wide = float(rng.uniform(8, 12))
    handle = np.array(
        [[half - wide, 60], [half + wide, 60], [half + wide * 0.8, rows - 3], [half - wide * 0.8, rows - 3]]
    )
    cv2.fillConvexPoly(alpha, np.round(handle * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    wood = np.array(PALA_WOODS[int(rng.integers(len(PALA_WOODS)))], np.float32)
    grain = cv2.resize(
        rng.normal(0, 1, (8, columns // 2)).astype(np.float32), (columns, rows), interpolation=cv2.INTER_CUBIC
    )
    distance = cv2.distanceTransform((alpha > 127).astype(np.uint8), cv2.DIST_L2, 3)
    edge = 0.72 + 0.28 * np.clip(distance / 7, 0, 1)
    colour = wood * (1 + 0.07 * grain[:, :, None]) * edge[:, :, None]
    return Texture(np.dstack([np.clip(colour, 0, 255), alpha]).astype(np.uint8), PALA_PX_PER_MM)


def pala_body(pose: PalaPose, lighting: Lighting, seed: int, number: int = 0) -> Body:
    texture = _pala_texture(seed)
    half = texture.size_px[0] / PALA_PX_PER_MM / 2
    front = BLADE_MM[1] / 2 + 2
    length = texture.size_px[1] / PALA_PX_PER_MM
    back = np.array([np.cos(np.deg2rad(pose.handle_deg)), np.sin(np.deg2rad(pose.handle_deg))])
    side = np.array([-back[1], back[0]])
    u = np.array([-front, -front, length - front, length - front])
    v = np.array([-half, half, half, -half])
    lift = pose.z_mm + np.clip(u, 0, None) * 0.07
    corners = np.column_stack(
        [np.array([pose.x_mm, pose.y_mm]) + u[:, None] * back + v[:, None] * side, lift]
    )
    pixels = lighting.camera.project(corners)
    sprite = plane_sprite(texture, pixels, lighting.gain_bgr(corners[:, :2], pixels))
    scale = lighting.camera.px_per_mm(pose.x_mm, pose.y_mm)
    blur = max(0.9, scale * (1.5 + 0.1 * float(lift.mean())))
    x, y, mask = plane_coverage(
        texture, lighting.camera.project(lighting.cast(corners)), pad_px=int(np.ceil(2.5 * blur)),
        frame=(lighting.camera.width, lighting.camera.height),
    )  # fmt: skip
    shade = lighting.mask_shade(x, y, mask, blur_px=blur, strength=lighting.shadow)
    outline_u = np.array([-front + 2, 0.0, 0.0, length - front, length - front])
    outline_v = np.array([0.0, -half + 4, half - 4, -9.0, 9.0])
    outline = np.column_stack(
        [np.array([pose.x_mm, pose.y_mm]) + outline_u[:, None] * back + outline_v[:, None] * side,
         pose.z_mm + np.clip(outline_u, 0, None) * 0.07]
    )  # fmt: skip
    outline_px = lighting.camera.project(outline)
    order = Order(pose.z_mm, 1500, ground_distance(lighting.camera, pose.x_mm, pose.y_mm))
    return Body(
        ObjectClass.PALA, f"pala{number}", (Piece(order, sprite, shade),),
        oriented_box(outline_px, outline_px[3:].mean(axis=0) - outline_px[0]),
        (pose.x_mm, pose.y_mm), pose.handle_deg,
    )  # fmt: skip


Face = tuple[FloatArray, tuple[float, float, float]]


def shoe_body(pose: ShoePose, lighting: Lighting, *, layer: int = 500) -> Body:
    """The shoe as a solid; what lies flat on the felt in front of its mouth seems to come out of it."""
    rng = np.random.default_rng([pose.seed, 31])
    body = SHOE_BODIES[int(rng.integers(len(SHOE_BODIES)))]
    plate = SHOE_PLATES[int(rng.integers(len(SHOE_PLATES)))]
    tall, low = float(rng.uniform(85, 115)), float(rng.uniform(28, 48))
    size = float(rng.uniform(0.9, 1.1))
    bend = float(rng.uniform(-0.1, 0.35)) * SHOE_LENGTH_MM / 2
    profile = np.array(
        [[-0.5, 0.0], [-0.5, tall / 100], [bend / SHOE_LENGTH_MM, tall / 100], [0.5, low / 100], [0.5, 0.0]]
    )
    length = SHOE_LENGTH_MM * size
    profile = (profile - (0.5, 0.0)) * (length, 100.0)
    half = SHOE_WIDTH_MM * size / 2

    def at(along: float, across: float, height: float) -> list[float]:
        return [along, across, height]

    def strip(
        first: int, second: int, inset: float = 0.0, span: tuple[float, float] = (0.0, 1.0)
    ) -> FloatArray:
        """The face over one stretch of the profile, or a part of it."""
        start, end = profile[first], profile[second]
        ends = [start + (end - start) * share for share in span]
        wide = half - inset
        return np.array(
            [at(ends[0][0], wide, ends[0][1]), at(ends[1][0], wide, ends[1][1]),
             at(ends[1][0], -wide, ends[1][1]), at(ends[0][0], -wide, ends[0][1])]
        )  # fmt: skip

    sides = [np.array([at(a, way * half, z) for a, z in profile]) for way in (-1, 1)]
    faces: list[Face] = [(sides[0], body), (sides[1][::-1], body)]
    faces += [(strip(0, 1), body), (strip(1, 2), body), (strip(2, 3), body), (strip(3, 4), body)]
    style = int(rng.integers(3))
    if style == 0:
        faces.append((strip(1, 2, 12.0, (0.08, 0.92)), plate))
    elif style == 1:
        faces.append((strip(2, 3, 10.0, (0.08, 0.9)), plate))
    else:
        faces += [
            (strip(1, 2, 16.0, (0.1, 0.95)), (36, 38, 40)),
            (strip(1, 2, 20.0, (0.55, 0.9)), (225, 228, 230)),
        ]
    faces.append((strip(2, 3, 26.0, (0.86, 0.98)), (12, 12, 12)))
    faces.append((strip(3, 4, 24.0, (0.35, 1.0)), (8, 8, 8)))
    place = np.array([pose.x_mm, pose.y_mm, 0.0])
    placed = [(turned(points, pose.mouth_deg) + place, colour) for points, colour in faces]
    sprite, hull = faces_sprite(placed, lighting)
    everything = np.vstack([points for points, _ in placed[:2]])
    thrown = np.vstack([lighting.camera.project(lighting.cast(everything)), hull])
    shadow = cv2.convexHull(thrown.astype(np.float32)).reshape(-1, 2).astype(np.float64)
    scale = lighting.camera.px_per_mm(pose.x_mm, pose.y_mm)
    shade = lighting.polygon_shade(shadow, blur_px=max(1.0, scale * 9), strength=lighting.shadow)
    ends_mm = turned(np.array([[-length, 0.0, 0.0], [0.0, 0.0, 0.0]]), pose.mouth_deg) + place
    middle = ends_mm.mean(axis=0)
    ends = lighting.camera.project(ends_mm)
    order = Order(SHOE_ORDER_MM, layer, ground_distance(lighting.camera, pose.x_mm, pose.y_mm))
    return Body(
        ObjectClass.SHOE, "shoe", (Piece(order, sprite, shade),), oriented_box(hull, ends[1] - ends[0]),
        (float(middle[0]), float(middle[1])), pose.mouth_deg,
    )  # fmt: skip


def faces_sprite(faces: list[Face], lighting: Lighting) -> tuple[Sprite, FloatArray]:
    """Paint convex faces (corners (n, 3) in mm, BGR), given far before near, and the hull (m, 2) in px."""
    camera = lighting.camera
    pixels = [camera.project(points) for points, _ in faces]
    hull = cv2.convexHull(np.vstack(pixels).astype(np.float32)).reshape(-1, 2).astype(np.float64)
    low = np.floor(hull.min(axis=0)).astype(int) - 2
    high = np.ceil(hull.max(axis=0)).astype(int) + 2
    size = (int(high[0] - low[0] + 1), int(high[1] - low[1] + 1))
    image = np.zeros((size[1] * 2, size[0] * 2, 3), np.uint8)
    mask = np.zeros(image.shape[:2], np.uint8)

    def fixed(points: FloatArray) -> NDArray[np.int32]:
        scaled = ((points - low + 0.5) * 2 - 0.5) * 16
        return np.asarray(np.round(scaled), np.int32).reshape(-1, 1, 2)

    # Faces seen from within are turned away; those at the outside come first.
    for (points, colour), outline in zip(faces, pixels, strict=True):
        normal = np.cross(points[1] - points[0], points[2] - points[0])
        normal /= max(float(np.linalg.norm(normal)), 1e-9)
        if signed_area(outline) <= 0:
            continue
        middle = points.mean(axis=0)
        if normal @ (camera.position_mm - middle) < 0:
            normal = -normal
        gain = lighting.gain_at(middle) * (0.25 + 0.75 * lighting.facing(normal, middle))
        shaded = [float(min(part, 255.0)) for part in np.array(colour) * gain]
        cv2.fillConvexPoly(image, fixed(outline), shaded, cv2.LINE_AA, 4)
        edge = [min(part * 1.25 + 10, 255.0) for part in shaded]
        cv2.polylines(image, [fixed(outline)], True, edge, 1, cv2.LINE_AA, 4)
    cv2.fillConvexPoly(mask, fixed(hull), 255, cv2.LINE_AA, 4)
    coverage = cv2.resize(mask, size, interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    return sprite_of(int(low[0]), int(low[1]), small * coverage[:, :, None], coverage), hull
