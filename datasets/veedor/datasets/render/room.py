"""Everything behind the play: floor, people and chairs, the table itself, lit once and kept."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.render.felt import RAIL_MM, felt_texture, ground_map, view_ground
from veedor.datasets.render.grounds import random_ground
from veedor.datasets.render.lighting import Lighting
from veedor.datasets.scene import TableLook
from veedor.vision.camera import Camera
from veedor.vision.layout import ZoneKind

FloatArray = NDArray[np.float64]

FLOOR_MM = -760.0
FLOOR_TILE_MM = 900.0
FLOOR_DARKER = 0.42
SUPERSAMPLING = 1.4  # texture pixels for a picture's pixel
RINGS = 14  # steps in which round shapes are shaded
CHAIR = (30.0, 30.0, 34.0)  # BGR
HAIR = ((28, 30, 36), (40, 56, 78), (120, 176, 200), (150, 152, 156), (24, 22, 22))  # BGR


def background(look: TableLook, lighting: Lighting) -> NDArray[np.uint8]:
    """The picture of the empty table, (H, W, 3) BGR."""
    camera = lighting.camera
    middle = look.layout.outline_mm.mean(axis=0)
    scale = max(camera.px_per_mm(float(middle[0]), float(middle[1])) * SUPERSAMPLING, 0.3)
    rng = np.random.default_rng([look.seed, 71])
    picture = _floor(camera, rng)
    _people(picture, look, camera, rng)
    cloth, coverage = view_ground(felt_texture(look, scale), camera)
    share = coverage[:, :, None].astype(np.float32) / 255
    picture += (cloth - picture) * share
    picture *= gain_map(lighting)
    return np.clip(picture, 0, 255).astype(np.uint8)


def gain_map(lighting: Lighting) -> NDArray[np.float32]:
    """Brightness (H, W, 3) BGR of flat ground over the picture; smooth, so it is worked out coarsely."""
    camera = lighting.camera
    nodes = (max(camera.width // 30, 8), max(camera.height // 30, 8))
    axis_x = (np.arange(nodes[0]) + 0.5) * camera.width / nodes[0] - 0.5
    axis_y = (np.arange(nodes[1]) + 0.5) * camera.height / nodes[1] - 0.5
    pixels = np.stack(np.meshgrid(axis_x, axis_y), axis=-1).reshape(-1, 2)
    gain = lighting.gain_bgr(camera.to_felt(pixels), pixels).reshape(nodes[1], nodes[0], 3)
    size = (camera.width, camera.height)
    return np.asarray(cv2.resize(gain, size, interpolation=cv2.INTER_LINEAR), np.float32)


def _floor(camera: Camera, rng: np.random.Generator) -> NDArray[np.float32]:
    tile = random_ground(rng, 640)
    seen = ground_map(camera, FLOOR_MM) * np.float32(tile.shape[0] / FLOOR_TILE_MM)
    # Mirrored at every border, so that the pattern goes on without seams.
    period = 2 * tile.shape[0]
    folded = np.abs(np.mod(seen, period) - tile.shape[0])
    floor = cv2.remap(tile, folded, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(floor * np.float32(FLOOR_DARKER), np.float32)


def _people(picture: NDArray[np.float32], look: TableLook, camera: Camera, rng: np.random.Generator) -> None:
    """Players at most of the seats, the banker and the croupier, as the camera sees them from above."""
    seats: list[tuple[FloatArray, FloatArray, float]] = []
    for zone in look.layout.of_kind(ZoneKind.PLAYER):
        bets = [bet for bet in look.layout.of_kind(ZoneKind.BET) if bet.seat == zone.seat]
        if bets:
            out = zone.centre_mm - bets[0].centre_mm
            seats.append((zone.centre_mm, out / np.linalg.norm(out), 70.0))
    for kind in (ZoneKind.BANK, ZoneKind.CROUPIER):
        for zone in look.layout.of_kind(kind):
            out = np.array([0.0, np.sign(zone.centre_mm[1])])
            seats.append((zone.centre_mm, out, 100.0))
    for middle, out, edge in seats:
        place = middle + out * (edge + RAIL_MM + float(rng.uniform(120, 260)))
        present = rng.random() < 0.75
        colour = np.array(look.sleeves_rgb[int(rng.integers(len(look.sleeves_rgb)))][::-1], np.float32)
        turn = float(np.rad2deg(np.arctan2(out[1], out[0]))) + 90 + float(rng.normal(0, 8))
        _blob(picture, camera, (*(place + out * 90), -320.0), (230.0, 215.0, turn), np.array(CHAIR))
        if not present:
            continue
        _blob(picture, camera, (*place, 40.0), (250.0, 140.0, turn), colour * 0.8)
        for side in (-1, 1):
            way = np.deg2rad(turn)
            arm = place + np.array([np.cos(way), np.sin(way)]) * 215 * side - out * 60
            _blob(picture, camera, (*arm, 0.0), (75.0, 130.0, turn + 12 * side), colour * 0.75)
        head = place - out * 20
        hair = HAIR[int(rng.integers(len(HAIR)))]
        skin = look.skins_rgb[int(rng.integers(len(look.skins_rgb)))][::-1]
        face = np.array(skin, np.float32) * 0.8
        _blob(picture, camera, (*(head - out * 34), 250.0), (60.0, 70.0, turn), face)
        _blob(picture, camera, (*head, 300.0), (82.0, 100.0, turn), np.array(hair, np.float32))


def _blob(
    picture: NDArray[np.float32],
    camera: Camera,
    middle: tuple[float, float, float],
    shape: tuple[float, float, float],
    colour: NDArray[np.float32] | NDArray[np.float64],
) -> None:
    """A rounded ellipse (radius, radius, turn in degrees) of cloth, hair or skin at a height."""
    angles = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    way = np.deg2rad(shape[2])
    ring = np.column_stack([np.cos(angles) * shape[0], np.sin(angles) * shape[1]])
    ring = ring @ np.array([[np.cos(way), np.sin(way)], [-np.sin(way), np.cos(way)]])
    for step in range(RINGS):
        size = 1 - step / RINGS
        lift = np.sqrt(max(1 - size**2, 0.0))
        height = np.full(len(ring), middle[2] + lift * min(shape[:2]) * 0.5)
        points = np.column_stack([ring * size + middle[:2], height])
        shade = 0.45 + 0.55 * lift
        outline = np.round(camera.project(points) * 16).astype(np.int32).reshape(-1, 1, 2)
        cv2.fillPoly(picture, [outline], [float(part) for part in colour * shade], cv2.LINE_8, 4)
