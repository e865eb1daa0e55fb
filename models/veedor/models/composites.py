"""Flat training pictures: drawn cards, chips and plaques laid on photographs or painted surfaces.

They complement rendered tables, which know one kind of place: here the surface, the tilt, the crowding and
the clutter are anything, as in photographs taken by hand. Hands, palas and shoes are not among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.art import CARD_MM, RANKS, SUITS, Deck, chip_top, plaque_face
from veedor.datasets.scene import ChipStyle
from veedor.models.surfaces import surface
from veedor.vision.detections import ObjectClass
from veedor.vision.obb import signed_area

FloatArray = NDArray[np.float64]
Picture = NDArray[np.uint8]

SIDE_PX = 384
MIN_VISIBLE = 0.25
SCALES_PX_PER_MM = (0.33, 1.35)


@dataclass(frozen=True)
class Composite:
    """A picture, BGR uint8 (384, 384, 3), and its objects: corners (n, 4, 2) px and classes (n,)."""

    image: Picture
    corners_px: FloatArray
    class_ids: NDArray[np.int64]


@dataclass(frozen=True)
class _Sprite:
    """Something flat: BGRA art and its place in the plane, mm. `lean` lifts a chip in its stack, px."""

    kind: ObjectClass
    art: Picture
    centre_mm: tuple[float, float]
    size_mm: tuple[float, float]
    turn: float
    lean: int = 0


def composite(seed: int, photographs: Sequence[Picture] = ()) -> Composite:
    """The picture of a seed. `photographs` are card-free surfaces to lay things on, beside painted."""
    rng = np.random.default_rng([seed, 411])
    image = surface(rng, SIDE_PX, photographs)
    scale = float(np.exp(rng.uniform(*np.log(SCALES_PX_PER_MM))))
    plane = _plane_to_picture(rng, scale)
    owner = np.full((SIDE_PX, SIDE_PX), -1, dtype=np.int32)
    corners: list[FloatArray] = []
    kinds: list[int] = []
    for group in _groups(rng, SIDE_PX / scale, seed):
        parts = [_outline(sprite, plane) for sprite in group]
        shadow_px = float(rng.uniform(0.0, 2.5))
        for sprite, outline in zip(group, parts, strict=True):
            _lay(image, owner, sprite.art, outline, len(corners), shadow_px)
        kinds.append(int(group[0].kind))
        corners.append(parts[0] if len(group) == 1 else _around(parts))
    image = _photographed(image, rng)
    return _labelled(image, owner, np.array(corners).reshape(-1, 4, 2), np.array(kinds, dtype=np.int64))


def _labelled(
    image: Picture, owner: NDArray[np.int32], corners: FloatArray, kinds: NDArray[np.int64]
) -> Composite:
    """Leave out what is mostly hidden or outside."""
    seen = np.array([(owner == index).sum() for index in range(len(kinds))])
    keep = seen >= MIN_VISIBLE * np.abs(signed_area(corners)) if len(kinds) else np.zeros(0, dtype=bool)
    return Composite(image, corners[keep], kinds[keep])


def _plane_to_picture(rng: np.random.Generator, scale: float) -> FloatArray:
    """Homography (3, 3) from plane mm to px: up to about 55 degrees of tilt in any direction."""
    tilt, way, turn = (
        rng.beta(1.2, 2.2) * np.deg2rad(58),
        rng.uniform(0, 2 * np.pi),
        rng.uniform(0, 2 * np.pi),
    )
    axis = np.array([np.cos(way), np.sin(way), 0.0]) * tilt
    rotation = cv2.Rodrigues(axis)[0] @ cv2.Rodrigues(np.array([0.0, 0.0, turn]))[0]
    focal = SIDE_PX * rng.uniform(1.2, 4.0)
    distance = focal / scale
    columns = np.column_stack([rotation[:, 0], rotation[:, 1], [0, 0, distance]])
    lens = np.array([[focal, 0, SIDE_PX / 2], [0, focal, SIDE_PX / 2], [0, 0, 1]])
    return np.asarray(lens @ columns, dtype=np.float64)


def _groups(rng: np.random.Generator, span_mm: float, seed: int) -> list[list[_Sprite]]:
    """What lies on the plane, lowest first; the sprites of one object together."""
    deck = Deck(int(rng.integers(400)), indexed=bool(rng.random() < 0.5))
    groups: list[list[_Sprite]] = []
    cards = _card_count(rng, span_mm)
    while cards > 0:
        hand = min(cards, int(rng.choice([1, 1, 2, 2, 3, 4])))
        groups.extend([sprite] for sprite in _laid_cards(rng, deck, hand, span_mm))
        cards -= hand
    if rng.random() < 0.6:
        styles = _chip_set(rng)
        for _ in range(int(rng.integers(1, 2 + int(min(8, (span_mm / 110) ** 2))))):
            groups.append(_chips(rng, styles, span_mm, seed))
    order = rng.permutation(len(groups)) if rng.random() < 0.3 else np.arange(len(groups))
    return [groups[index] for index in order]


def _card_count(rng: np.random.Generator, span_mm: float) -> int:
    room = (span_mm / 120) ** 2
    return int(rng.integers(0, 3 + int(min(22, room))))


def _laid_cards(rng: np.random.Generator, deck: Deck, count: int, span_mm: float) -> list[_Sprite]:
    """A hand of cards: side by side, overlapping, crossed, or fanned."""
    centre = rng.uniform(-span_mm * 0.52, span_mm * 0.52, 2)
    turn = rng.uniform(0, 2 * np.pi)
    step = float(
        rng.choice([63 + rng.uniform(2, 18), rng.uniform(12, 62), rng.uniform(3, 30)], p=[0.55, 0.3, 0.15])
    )
    fan = float(rng.choice([0.0, rng.normal(0, 0.12), np.pi / 2 + rng.normal(0, 0.25)], p=[0.5, 0.35, 0.15]))
    back_share = float(rng.choice([0.0, 0.25, 1.0], p=[0.5, 0.3, 0.2]))
    sprites = []
    for index in range(count):
        along = np.array([np.cos(turn), np.sin(turn)]) * step * index
        own = turn + fan * index + rng.normal(0, 0.05) + np.pi * rng.integers(2)
        face = rng.random() >= back_share
        art = _face(deck, rng) if face else deck.back(_colour_name(rng))
        kind = ObjectClass.CARD_FACE if face else ObjectClass.CARD_BACK
        x, y = centre + along + rng.normal(0, 2, 2)
        sprites.append(_Sprite(kind, art, (float(x), float(y)), CARD_MM, float(own)))
    return sprites


def _face(deck: Deck, rng: np.random.Generator) -> Picture:
    return deck.face(RANKS[int(rng.integers(13))] + SUITS[int(rng.integers(4))])


def _colour_name(rng: np.random.Generator) -> str:
    return ("red", "blue")[int(rng.integers(2))]


@lru_cache(maxsize=512)
def _styles(seed: int) -> tuple[ChipStyle, ...]:
    rng = np.random.default_rng([seed, 87])
    styles = []
    for index, value in enumerate((5, 25, 100, 500, 1000, 5000)):
        colour = tuple(int(part) for part in rng.integers(10, 246, 3))
        accent = (
            (245, 245, 240) if rng.random() < 0.6 else tuple(int(part) for part in rng.integers(10, 246, 3))
        )
        styles.append(
            ChipStyle(
                f"chip{value}",
                value,
                (colour[0], colour[1], colour[2]),
                plaque=index >= 4,
                accent_rgb=(accent[0], accent[1], accent[2]),
            )
        )
    return tuple(styles)


def _chip_set(rng: np.random.Generator) -> tuple[ChipStyle, ...]:
    return _styles(int(rng.integers(60)))


def _chips(
    rng: np.random.Generator, styles: tuple[ChipStyle, ...], span_mm: float, seed: int
) -> list[_Sprite]:
    """A plaque, or a chip stack seen from nearly above: discs, each a little higher in the picture's lean."""
    x, y = (float(value) for value in rng.uniform(-span_mm * 0.5, span_mm * 0.5, 2))
    turn = float(rng.uniform(0, 2 * np.pi))
    if rng.random() < 0.2:
        style = styles[int(rng.integers(4, 6))]
        return [_Sprite(ObjectClass.PLAQUE, plaque_face(style), (x, y), style.size_mm, turn)]
    count = int(rng.choice([1, 2, 3, 4, 6, 9], p=[0.5, 0.15, 0.1, 0.1, 0.1, 0.05]))
    one_colour = rng.random() < 0.7
    first = int(rng.integers(4))
    sprites = []
    for level in range(count):
        style = styles[first if one_colour else int(rng.integers(4))]
        art = chip_top(style, 128, seed % 40)
        own = float(rng.uniform(0, 2 * np.pi))
        sprites.append(_Sprite(ObjectClass.CHIP_STACK, art, (x, y), (40.0, 40.0), own, level))
    return sprites


def _outline(sprite: _Sprite, plane: FloatArray) -> FloatArray:
    """The sprite's corners in px, clockwise in its own picture."""
    half = np.array(sprite.size_mm) / 2
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    cos, sin = np.cos(sprite.turn), np.sin(sprite.turn)
    points = square @ np.array([[cos, sin], [-sin, cos]]) + np.array(sprite.centre_mm)
    projected = np.column_stack([points, np.ones(4)]) @ plane.T
    pixels = projected[:, :2] / projected[:, 2:]
    if sprite.lean:
        # A chip's height shows as a small step away from the picture's middle, as under a camera above.
        middle = pixels.mean(axis=0)
        away = middle - SIDE_PX / 2 + np.array([0.0, -SIDE_PX * 0.6])
        scale = np.linalg.norm(pixels[1] - pixels[0]) / sprite.size_mm[0]
        pixels = pixels + sprite.lean * 3.4 * scale * 0.5 * away / (np.linalg.norm(away) + 1e-9)
    return np.asarray(pixels, dtype=np.float64)


def _around(parts: Sequence[FloatArray]) -> FloatArray:
    """The tight oriented box round the discs of a stack."""
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    rims = [
        part.mean(axis=0)
        + np.outer(np.cos(angles), (part[1] - part[0]) / 2)
        + np.outer(np.sin(angles), (part[3] - part[0]) / 2)
        for part in parts
    ]
    box = cv2.boxPoints(cv2.minAreaRect(np.concatenate(rims).astype(np.float32)))
    return np.asarray(box, dtype=np.float64)


def _lay(
    image: Picture, owner: NDArray[np.int32], art: Picture, outline: FloatArray, index: int, *shadow_px: float
) -> None:
    """Draw one sprite into the picture, darken beside it, and note whose the pixels are."""
    low = np.maximum(np.floor(outline.min(axis=0)).astype(int) - 6, 0)
    high = np.minimum(np.ceil(outline.max(axis=0)).astype(int) + 7, SIDE_PX)
    if (high - low < 2).any():
        return
    scale = np.linalg.norm(outline[1] - outline[0]) / art.shape[1]
    if scale < 0.6:  # shrunk first: warping alone would skip pixels
        size = (max(2, round(art.shape[1] * scale * 1.4)), max(2, round(art.shape[0] * scale * 1.4)))
        art = np.asarray(cv2.resize(art, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    height, width = art.shape[:2]
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32) - 0.5
    to_picture = cv2.getPerspectiveTransform(source, (outline - low).astype(np.float32))
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    opaque = np.ascontiguousarray(art[..., :3])
    colour = cv2.warpPerspective(opaque, to_picture, size, borderMode=cv2.BORDER_REPLICATE)
    alpha = cv2.warpPerspective(np.ascontiguousarray(art[..., 3]), to_picture, size).astype(np.float32) / 255
    window = image[low[1] : high[1], low[0] : high[0]]
    shade = cv2.GaussianBlur(alpha, (0, 0), 0.6 + shadow_px[0])
    dark = 1 - 0.35 * np.clip(shade, 0, 1)
    mixed = window * (dark * (1 - alpha))[..., None] + colour * alpha[..., None]
    window[:] = np.clip(mixed, 0, 255).astype(np.uint8)
    owner[low[1] : high[1], low[0] : high[0]][alpha > 0.5] = index


def _photographed(image: Picture, rng: np.random.Generator) -> Picture:
    """Light, colour cast, blur, noise and compression of a camera."""
    side = image.shape[0]
    x, y = np.meshgrid(np.linspace(-1, 1, side), np.linspace(-1, 1, side))
    way, strength = rng.uniform(0, 2 * np.pi), rng.uniform(0, 0.45)
    light = 1 + strength * (np.cos(way) * x + np.sin(way) * y) * 0.5
    if rng.random() < 0.25:
        place, spread = rng.uniform(-1, 1, 2), rng.uniform(0.1, 0.6)
        light = light + rng.uniform(0.2, 0.9) * np.exp(
            -((x - place[0]) ** 2 + (y - place[1]) ** 2) / spread**2
        )
    cast = np.clip(rng.normal(1, 0.07, 3), 0.75, 1.25) * rng.uniform(0.6, 1.3)
    result = image * light[..., None] * cast
    blur = float(rng.choice([rng.uniform(0.2, 0.7), rng.uniform(0.7, 1.6)], p=[0.75, 0.25]))
    result = cv2.GaussianBlur(result, (0, 0), blur)
    result = result + rng.normal(0, rng.uniform(0.5, 7), result.shape)
    picture = np.clip(result, 0, 255).astype(np.uint8)
    quality = int(rng.integers(35, 96))
    encoded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR), dtype=np.uint8)
