"""Light on a table: how bright a spot is, where a surface mirrors the lamp, where shadows fall."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.render.canvas import FloatImage, Shade
from veedor.vision.camera import Camera

FloatArray = NDArray[np.float64]

SHADOW_PAD_PX = 3


@dataclass(frozen=True)
class Lighting:
    """One main lamp above a felt that other lamps and walls light evenly.

    `colour_rgb` is a gain on each channel; `ambient` the share of light that casts no shadow;
    `vignette` the light lost in the picture's corners.
    """

    camera: Camera
    lamp_mm: tuple[float, float, float]
    colour_rgb: tuple[float, float, float]
    gloss: float = 0.3
    ambient: float = 0.6
    vignette: float = 0.15
    exposure: float = 1.0
    shadow: float = 0.45

    def gain_bgr(self, points_mm: FloatArray, pixels: FloatArray) -> FloatImage:
        """Gains (n, 3) BGR at table points (n, 2) seen at pixels (n, 2): lamp fall-off and vignetting."""
        lamp = np.asarray(self.lamp_mm)
        apart = ((points_mm[:, :2] - lamp[:2]) ** 2).sum(axis=1)
        direct = (1.0 - self.ambient) / (1.0 + apart / lamp[2] ** 2) ** 1.5
        middle = np.array([self.camera.width, self.camera.height]) / 2
        radius = ((pixels - middle) ** 2).sum(axis=1) / (middle**2).sum()
        level = (self.ambient + direct) * (1.0 - self.vignette * radius) * self.exposure
        return np.asarray(level[:, None] * np.array(self.colour_rgb)[None, ::-1], np.float32)

    def gain_at(self, point_mm: FloatArray) -> FloatImage:
        """Gain (3,) BGR at one table point (3,)."""
        gain: FloatImage = self.gain_bgr(point_mm[None, :2], self.camera.project(point_mm[None, :]))[0]
        return gain

    def facing(self, normal: FloatArray, point_mm: FloatArray) -> float:
        """Brightness of a surface by its tilt, 1 for one that lies flat under the lamp."""
        toward = np.asarray(self.lamp_mm) - point_mm
        toward /= np.linalg.norm(toward)
        flat = max(toward[2], 0.2)
        return float(self.ambient + (1.0 - self.ambient) * min(max(normal @ toward, 0.0) / flat, 1.3))

    def mirror_offsets(self, points_mm: FloatArray, normal: FloatArray) -> FloatArray:
        """Tangential parts (n, 2) of the half vector at points (n, 3): (0, 0) where the lamp is mirrored."""
        to_lamp = np.asarray(self.lamp_mm) - points_mm
        to_eye = self.camera.position_mm - points_mm
        to_lamp /= np.linalg.norm(to_lamp, axis=1, keepdims=True)
        to_eye /= np.linalg.norm(to_eye, axis=1, keepdims=True)
        half = to_lamp + to_eye
        half /= np.linalg.norm(half, axis=1, keepdims=True)
        offsets: FloatArray = half[:, :2] - normal[:2] * (half @ normal)[:, None]
        return offsets

    def cast(self, points_mm: FloatArray, onto_mm: float = 0.0) -> FloatArray:
        """Where points (n, 3) throw their shadow on the plane z = `onto_mm`, (n, 3)."""
        lamp = np.asarray(self.lamp_mm)
        lifted = points_mm[:, 2:3] - onto_mm
        share = lifted / np.maximum(lamp[2] - points_mm[:, 2:3], 100.0)
        shadow: FloatArray = points_mm + (points_mm - lamp) * share
        shadow[:, 2] = onto_mm
        return shadow

    def polygon_shade(self, outline_px: FloatArray, *, blur_px: float, strength: float) -> Shade:
        """The shade of a filled polygon (n, 2) px, blurred."""
        pad = SHADOW_PAD_PX + int(np.ceil(2.5 * blur_px))
        low = np.floor(outline_px.min(axis=0)).astype(int) - pad
        high = np.ceil(outline_px.max(axis=0)).astype(int) + pad
        size = high - low + 1
        mask = np.zeros((size[1], size[0]), np.uint8)
        fixed = np.round((outline_px - low) * 16).astype(np.int32)
        cv2.fillPoly(mask, [fixed.reshape(-1, 1, 2)], 255, cv2.LINE_AA, 4)
        return self.mask_shade(int(low[0]), int(low[1]), mask, blur_px=blur_px, strength=strength)

    def mask_shade(
        self, x: int, y: int, mask: NDArray[np.uint8], *, blur_px: float, strength: float
    ) -> Shade:
        """The shade of a mask (h, w) 0..255 whose margin leaves room for the blur."""
        soft = mask.astype(np.float32)
        if blur_px > 0.2:
            soft = cv2.GaussianBlur(soft, (0, 0), blur_px)
        keep = 1.0 - soft * np.float32(strength / 255.0)
        return Shade(x, y, keep[:, :, None])
