"""Things about a table that a detector must not take for cards or chips."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.render.bodies import Body, Order, Piece, ground_distance, turned
from veedor.datasets.render.lighting import Lighting
from veedor.datasets.render.planes import Glint, Texture, plane_coverage, plane_sprite

FloatArray = NDArray[np.float64]
Rng = np.random.Generator

PX_PER_MM = 2.0
KINDS = (
    "paper",
    "business",
    "phone",
    "coin",
    "note",
    "pen",
    "ashtray",
    "glass",
    "box",
    "coaster",
    "lump",
    "ticket",
    "person",
)


@dataclass(frozen=True)
class ClutterPose:
    """A distractor of one of KINDS; `seed` draws its make."""

    id: str
    kind: str
    seed: int
    x_mm: float
    y_mm: float
    rotation_deg: float


def clutter_body(pose: ClutterPose, lighting: Lighting) -> Body:
    """The distractor as a flat picture at its height, without truth."""
    texture, height = _clutter_texture(pose.kind, pose.seed)
    wide, high = (side / texture.px_per_mm / 2 for side in texture.size_px)
    flat = np.array([[-wide, high, 0.0], [wide, high, 0.0], [wide, -high, 0.0], [-wide, -high, 0.0]])
    corners = turned(flat, pose.rotation_deg) + np.array([pose.x_mm, pose.y_mm, height])
    pixels = lighting.camera.project(corners)
    glint = Glint(lighting.mirror_offsets(corners, np.array([0.0, 0.0, 1.0])), 0.08, lighting.gloss * 0.6)
    sprite = plane_sprite(texture, pixels, lighting.gain_bgr(corners[:, :2], pixels), glint=glint)
    scale = lighting.camera.px_per_mm(pose.x_mm, pose.y_mm)
    blur = max(0.8, scale * (1.0 + 0.12 * height))
    x, y, mask = plane_coverage(
        texture, lighting.camera.project(lighting.cast(corners)), pad_px=int(np.ceil(2.5 * blur)),
        frame=(lighting.camera.width, lighting.camera.height),
    )  # fmt: skip
    shade = lighting.mask_shade(x, y, mask, blur_px=blur, strength=lighting.shadow)
    order = Order(2.0, 1200, ground_distance(lighting.camera, pose.x_mm, pose.y_mm))
    return Body(
        None, pose.id, (Piece(order, sprite, shade),), pixels, (pose.x_mm, pose.y_mm), pose.rotation_deg
    )


@lru_cache(maxsize=256)
def _clutter_texture(kind: str, seed: int) -> tuple[Texture, float]:
    """Art and its height over the felt in mm."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    size_mm, height = _measures(kind, rng)
    width, tall = (max(4, round(side * PX_PER_MM)) for side in size_mm)
    art = np.zeros((tall, width, 4), np.uint8)
    painters = {
        "paper": _paper, "business": _paper, "ticket": _paper, "phone": _phone, "note": _note, "pen": _pen,
        "box": _box, "lump": _lump, "person": _person,
    }  # fmt: skip
    painters.get(kind, _round)(art, rng, kind)
    return Texture(art, PX_PER_MM), height


def _measures(kind: str, rng: Rng) -> tuple[tuple[float, float], float]:
    """(width, height) in mm and the height over the felt."""
    measures: dict[str, tuple[tuple[float, float], tuple[float, float], float]] = {
        "paper": ((60, 210), (50, 290), 0.5),
        "business": ((80, 92), (48, 60), 0.5),
        "ticket": ((40, 80), (80, 160), 0.5),
        "phone": ((66, 78), (135, 165), 8.0),
        "coin": ((17, 28), (0, 0), 2.0),
        "note": ((130, 156), (62, 76), 0.8),
        "pen": ((8, 12), (125, 150), 6.0),
        "ashtray": ((90, 140), (0, 0), 25.0),
        "glass": ((60, 85), (0, 0), 70.0),
        "coaster": ((85, 105), (0, 0), 2.0),
        "box": ((52, 75), (80, 110), 20.0),
        "lump": ((50, 140), (40, 110), 20.0),
        "person": ((420, 520), (300, 400), 180.0),
    }
    wide, tall, height = measures[kind]
    width = float(rng.uniform(*wide))
    return (width, width if tall[1] == 0 else float(rng.uniform(*tall))), height


def _any(rng: Rng, low: float = 0, high: float = 255) -> tuple[float, float, float, float]:
    colour = rng.uniform(low, high, 3)
    return float(colour[0]), float(colour[1]), float(colour[2]), 255.0


def _paper(art: NDArray[np.uint8], rng: Rng, kind: str) -> None:
    art[:] = _any(rng, 205, 252)
    height, width = art.shape[:2]
    ink = _any(rng, 10, 130)
    step = int(rng.integers(6, 14))
    for y in range(step * 2, height - step, step):
        if rng.random() < 0.75:
            end = int(width * rng.uniform(0.3, 0.9))
            cv2.line(art, (int(width * 0.08), y), (end, y), ink, int(rng.integers(1, 3)))
    if rng.random() < 0.5:
        place = (int(rng.uniform(0, width)), int(rng.uniform(0, height)))
        cv2.circle(art, place, int(rng.uniform(6, 22)), _any(rng), -1, cv2.LINE_AA)
    if kind == "business" and rng.random() < 0.4:
        art[:, : width // 4] = _any(rng)


def _phone(art: NDArray[np.uint8], rng: Rng, kind: str) -> None:
    height, width = art.shape[:2]
    _rounded(art, _any(rng, 10, 60), 16)
    inner = art[5 : height - 5, 5 : width - 5]
    if rng.random() < 0.5:
        inner[:, :, :3] = np.clip(rng.uniform(0, 230, 3), 0, 255)
        for _ in range(int(rng.integers(2, 9))):
            corner = (int(rng.uniform(0, width - 30)), int(rng.uniform(0, height - 30)))
            cv2.rectangle(inner, corner, (corner[0] + 24, corner[1] + 24), _any(rng), -1)


def _note(art: NDArray[np.uint8], rng: Rng, kind: str) -> None:
    base = _any(rng, 110, 230)
    art[:] = base
    height, width = art.shape[:2]
    dark = tuple(part * 0.6 for part in base[:3])
    for x in range(0, width, 7):
        cv2.line(art, (x, 0), (int(x + rng.uniform(-30, 30)), height), (*dark, 255.0), 1, cv2.LINE_AA)
    cv2.ellipse(
        art,
        (int(width * 0.66), height // 2),
        (height // 3, int(height * 0.42)),
        0,
        0,
        360,
        (*dark, 255.0),
        -1,
        cv2.LINE_AA,
    )
    cv2.putText(
        art,
        str(int(rng.choice([10, 20, 50, 100, 500, 1000]))),
        (8, height - 12),
        1,
        2.2,
        (*dark, 255.0),
        3,
        cv2.LINE_AA,
    )


def _pen(art: NDArray[np.uint8], rng: Rng, kind: str) -> None:
    art[:] = _any(rng)
    width = art.shape[1]
    shine = 1 - 0.5 * np.abs(np.linspace(-1, 1, width)) ** 2
    art[:, :, :3] = (art[:, :, :3] * shine[None, :, None]).astype(np.uint8)
    art[-16:, : width // 4, 3] = 0
    art[-16:, -width // 4 :, 3] = 0


def _box(art: NDArray[np.uint8], rng: Rng, kind: str) -> None:
    _rounded(art, _any(rng), 4)
    height = art.shape[0]
    art[: height // 3, :, :3] = np.array(_any(rng)[:3]).astype(np.uint8)
    letters = "".join(chr(int(code)) for code in rng.integers(65, 91, 5))
    cv2.putText(art, letters, (6, height // 2), 0, 0.9, _any(rng), 2, cv2.LINE_AA)


def _lump(art: NDArray[np.uint8], rng: Rng, kind: str) -> None:
    height, width = art.shape[:2]
    colour = _any(rng, 5, 120)
    for _ in range(4):
        middle = (int(width * rng.uniform(0.35, 0.65)), int(height * rng.uniform(0.35, 0.65)))
        axes = (int(width * rng.uniform(0.2, 0.34)), int(height * rng.uniform(0.2, 0.34)))
        cv2.ellipse(art, middle, axes, float(rng.uniform(0, 180)), 0, 360, colour, -1, cv2.LINE_AA)
    depth = cv2.distanceTransform(np.ascontiguousarray(art[:, :, 3]), cv2.DIST_L2, 3)
    shade = 0.55 + 0.9 * np.clip(depth / max(float(depth.max()), 1.0), 0, 1)
    art[:, :, :3] = np.clip(art[:, :, :3] * shade[:, :, None], 0, 255).astype(np.uint8)


def _person(art: NDArray[np.uint8], rng: Rng, kind: str) -> None:
    """Head and shoulders from above: rounded bodies, dark towards their rims."""
    height, width = art.shape[:2]
    cloth, hair, skin = (
        _any(rng, 10, 150),
        _any(rng, 5, 90),
        (*rng.uniform((50, 70, 100), (150, 180, 230)), 255),
    )
    if rng.random() < 0.25:
        hair = (110.0, 165.0, 190.0, 255.0)
    middle = (width // 2, int(height * rng.uniform(0.5, 0.62)))
    shoulders = (int(width * 0.47), int(height * rng.uniform(0.24, 0.32)))
    _ball(art, middle, shoulders, cloth)
    for side in (-1, 1):
        place = (middle[0] + int(side * shoulders[0] * 0.72), middle[1] - int(shoulders[1] * 0.4))
        _ball(art, place, (int(shoulders[1] * 0.5), int(shoulders[1] * 0.8)), cloth)
    head = (middle[0] + int(rng.normal(0, 8)), middle[1] - int(height * rng.uniform(0.05, 0.2)))
    size = (int(width * 0.17), int(width * 0.2))
    _ball(art, (head[0], head[1] - int(size[1] * 0.45)), (int(size[0] * 0.85), int(size[1] * 0.8)), skin)
    _ball(art, head, size, hair)


def _ball(
    art: NDArray[np.uint8],
    middle: tuple[int, int],
    axes: tuple[int, int],
    colour: tuple[float, ...],
) -> None:
    """A rounded thing: its colour falls off towards the rim."""
    mask = np.zeros(art.shape[:2], np.uint8)
    cv2.ellipse(mask, middle, axes, 0, 0, 360, 255, -1, cv2.LINE_AA)
    rows, columns = np.mgrid[: art.shape[0], : art.shape[1]].astype(np.float32)
    away = ((columns - middle[0]) / axes[0]) ** 2 + ((rows - middle[1]) / axes[1]) ** 2
    shade = 0.45 + 0.75 * np.sqrt(np.clip(1 - away, 0, 1))
    share = mask.astype(np.float32)[:, :, None] / 255
    paint = np.array(colour[:3], np.float32) * shade[:, :, None]
    art[:, :, :3] = np.clip(art[:, :, :3] * (1 - share) + paint * share, 0, 255).astype(np.uint8)
    art[:, :, 3] = np.maximum(art[:, :, 3], mask)


def _round(art: NDArray[np.uint8], rng: Rng, kind: str) -> None:
    size = art.shape[0]
    middle = (size // 2, size // 2)
    radius = size // 2 - 2
    if kind == "coin":
        metal = (_any(rng, 120, 190)[0],) * 3 if rng.random() < 0.5 else (70.0, 140.0, 180.0)
        cv2.circle(art, middle, radius, (*metal, 255.0), -1, cv2.LINE_AA)
        cv2.circle(art, middle, max(radius - 4, 2), (*(part * 0.8 for part in metal), 255.0), -1, cv2.LINE_AA)
        cv2.circle(
            art, middle, max(radius // 2, 2), (*(part * 1.15 for part in metal), 255.0), -1, cv2.LINE_AA
        )
    elif kind == "glass":
        drink = _any(rng, 20, 200)
        cv2.circle(art, middle, radius, (200.0, 205.0, 205.0, 120.0), -1, cv2.LINE_AA)
        cv2.circle(art, middle, radius - 5, (*drink[:3], float(rng.uniform(120, 250))), -1, cv2.LINE_AA)
        cv2.circle(art, middle, radius - 1, (240.0, 240.0, 240.0, 220.0), 3, cv2.LINE_AA)
        if rng.random() < 0.6:
            for _ in range(3):
                place = (int(size * rng.uniform(0.35, 0.65)), int(size * rng.uniform(0.35, 0.65)))
                half = int(size * 0.09)
                cv2.rectangle(
                    art,
                    (place[0] - half, place[1] - half),
                    (place[0] + half, place[1] + half),
                    (225.0, 225.0, 220.0, 230.0),
                    -1,
                )
    else:
        colour = _any(rng, 20, 230)
        cv2.circle(art, middle, radius, colour, -1, cv2.LINE_AA)
        cv2.circle(
            art, middle, int(radius * 0.82), (*(part * 0.6 for part in colour[:3]), 255.0), -1, cv2.LINE_AA
        )
        if kind == "ashtray":
            for _ in range(int(rng.integers(0, 4))):
                ends = [
                    (int(size * rng.uniform(0.3, 0.7)), int(size * rng.uniform(0.3, 0.7))) for _ in range(2)
                ]
                cv2.line(art, ends[0], ends[1], (235.0, 235.0, 235.0, 255.0), 12, cv2.LINE_AA)
        elif rng.random() < 0.6:
            cv2.putText(art, "CASINO", (size // 6, size // 2), 0, size / 220, _any(rng), 2, cv2.LINE_AA)


def _rounded(art: NDArray[np.uint8], colour: tuple[float, float, float, float], radius: int) -> None:
    height, width = art.shape[:2]
    cv2.rectangle(art, (radius, 0), (width - radius, height), colour, -1)
    cv2.rectangle(art, (0, radius), (width, height - radius), colour, -1)
    for x in (radius, width - 1 - radius):
        for y in (radius, height - 1 - radius):
            cv2.circle(art, (x, y), radius, colour, -1, cv2.LINE_AA)
