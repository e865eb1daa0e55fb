"""Felts with their printed lines as a camera sees them, drawn quickly, for tests of calibration."""

from __future__ import annotations

import cv2
import numpy as np
from veedor.datasets.layouts import dos_panos_10
from veedor.vision.camera import Camera, look_at
from veedor.vision.felt_lines import PRINTED
from veedor.vision.layout import TableLayout, ZoneKind

LAYOUT = dos_panos_10()
SIZE = (960, 540)


def overhead(*, turned: bool = False, focal_px: float = 900.0) -> Camera:
    """Nearly straight above; `turned`: the croupier at the picture's top."""
    return look_at(
        SIZE,
        focal_px=focal_px,
        position_mm=np.array([60.0, -150.0, 2900.0]),
        target_mm=np.array([20.0, 0.0, 0.0]),
        roll_deg=182.0 if turned else 2.0,
        distortion=(-0.04, 0.0, 0.0, 0.0, 0.0),
    )


def printed_felt(camera: Camera, layout: TableLayout = LAYOUT, *, seed: int = 0) -> np.ndarray:
    """A green felt in a dark room, its lines, a few cards and an arm."""
    image = np.full((camera.height, camera.width, 3), (38, 34, 36), np.uint8)

    def polygon(points: np.ndarray) -> np.ndarray:
        return np.round(camera.project(points) * 16).astype(np.int32)

    rail = layout.outline_mm * 1.06
    cv2.fillPoly(image, [polygon(rail)], (24, 28, 40), cv2.LINE_AA, 4)
    cv2.fillPoly(image, [polygon(layout.outline_mm)], (60, 92, 20), cv2.LINE_AA, 4)
    thickness = max(1, round(7 * camera.px_per_mm()))
    for zone in layout.zones:
        if zone.kind in PRINTED and zone.kind is not ZoneKind.PLAYER:
            cv2.polylines(image, [polygon(zone.polygon_mm)], True, (150, 205, 226), thickness, cv2.LINE_AA, 4)
    for line in layout.lines:
        cv2.polylines(image, [polygon(line.points_mm)], False, (150, 205, 226), thickness, cv2.LINE_AA, 4)
    rng = np.random.default_rng(seed)
    for x, y in rng.uniform((-1200, -500), (1200, 500), (8, 2)):
        corners = np.array([[-32, -44], [32, -44], [32, 44], [-32, 44]]) + np.array([x, y])
        cv2.fillPoly(image, [polygon(corners)], (235, 235, 235), cv2.LINE_AA, 4)
    arm = np.array([[-300.0, -900.0], [-180.0, -900.0], [-240.0, -150.0], [-300.0, -150.0]])
    cv2.fillPoly(image, [polygon(arm)], (120, 150, 200), cv2.LINE_AA, 4)
    image = cv2.GaussianBlur(image, (0, 0), 0.6)
    return np.clip(image + rng.normal(0, 3, image.shape), 0, 255).astype(np.uint8)


def error_mm(camera: Camera, truth: Camera) -> float:
    """The largest error on the felt over a grid of places that the picture shows."""
    x, y = np.meshgrid(np.linspace(-1300, 1300, 27), np.linspace(-600, 600, 13))
    places = np.stack([x.ravel(), y.ravel()], axis=1)
    pixels = truth.project(places)
    inside = ((pixels >= 0) & (pixels < SIZE)).all(axis=1)
    away = np.linalg.norm(camera.to_felt(pixels[inside]) - places[inside], axis=1)
    return float(away.max())
