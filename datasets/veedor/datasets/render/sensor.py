"""What lens, sensor and compression do to a picture."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Sensor:
    """How one picture was taken; gamma, contrast and saturation about 1, `sharpen` 0 for none, `shrink` the
    share of true resolution."""

    blur_px: float = 0.5
    noise_sigma: float = 2.0
    chroma_noise: float = 0.5
    gamma: float = 1.0
    contrast: float = 1.0
    saturation: float = 1.0
    haze: float = 0.0  # grey levels that black is lifted by
    sharpen: float = 0.0
    shrink: float = 1.0
    motion_px: tuple[float, float] = (0.0, 0.0)


def random_sensor(rng: np.random.Generator) -> Sensor:
    """Any camera from a good one to a cheap webcam in bad light."""
    grey = rng.random() < 0.03
    moving = rng.random() < 0.12
    length, angle = float(rng.uniform(1.5, 6.0)), float(rng.uniform(0, 2 * np.pi))
    return Sensor(
        blur_px=float(rng.uniform(0.2, 0.9)) if rng.random() < 0.85 else float(rng.uniform(0.9, 2.0)),
        noise_sigma=float(rng.exponential(2.5)),
        chroma_noise=float(rng.uniform(0, 1)),
        gamma=float(np.exp(rng.normal(-0.03, 0.13))),
        contrast=float(np.exp(rng.normal(0, 0.1))),
        saturation=0.0 if grey else float(np.clip(rng.normal(1.0, 0.2), 0.3, 1.6)),
        haze=float(rng.uniform(5, 45)) if rng.random() < 0.2 else 0.0,
        sharpen=float(rng.uniform(0.3, 1.5)) if rng.random() < 0.25 else 0.0,
        shrink=float(rng.uniform(0.5, 0.95)) if rng.random() < 0.15 else 1.0,
        motion_px=(length * np.cos(angle), length * np.sin(angle)) if moving else (0.0, 0.0),
    )


def taken(image: NDArray[np.uint8], sensor: Sensor, rng: np.random.Generator) -> NDArray[np.uint8]:
    """The picture (H, W, 3) BGR as that sensor delivers it; same size."""
    size = (image.shape[1], image.shape[0])
    if sensor.shrink < 1.0:
        image = cv2.resize(image, None, fx=sensor.shrink, fy=sensor.shrink, interpolation=cv2.INTER_AREA)
        image = cv2.resize(image, size, interpolation=cv2.INTER_LINEAR)
    if sensor.blur_px > 0.15:
        image = cv2.GaussianBlur(image, (0, 0), sensor.blur_px)
    if sensor.motion_px != (0.0, 0.0):
        image = cv2.filter2D(image, -1, motion_kernel(sensor.motion_px))
    levels = np.clip(((np.arange(256) / 255) ** sensor.gamma - 0.5) * sensor.contrast + 0.5, 0, 1)
    levels = sensor.haze + levels * (255 - sensor.haze)
    image = cv2.LUT(image, levels.astype(np.uint8))
    if abs(sensor.saturation - 1.0) > 0.02:
        grey = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
        image = cv2.addWeighted(image, sensor.saturation, grey, 1 - sensor.saturation, 0)
    if sensor.noise_sigma > 0.3:
        luma = rng.standard_normal((image.shape[0], image.shape[1], 1), dtype=np.float32)
        noise = luma * np.float32(sensor.noise_sigma)
        if sensor.chroma_noise > 0.3:
            small = rng.standard_normal((image.shape[0] // 2, image.shape[1] // 2, 3), dtype=np.float32)
            coarse = cv2.resize(small, size, interpolation=cv2.INTER_LINEAR)
            noise = noise + coarse * np.float32(sensor.noise_sigma * sensor.chroma_noise)
        image = np.clip(image + noise, 0, 255).astype(np.uint8)
    if sensor.sharpen > 0:
        soft = cv2.GaussianBlur(image, (0, 0), 1.2)
        image = cv2.addWeighted(image, 1 + sensor.sharpen, soft, -sensor.sharpen, 0)
    return image


def motion_kernel(motion_px: tuple[float, float]) -> NDArray[np.float32]:
    """A line of that length and direction, its sum 1."""
    reach = int(np.ceil(np.hypot(*motion_px) / 2)) + 1
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.uint8)
    half = np.array(motion_px) / 2
    ends = [tuple(round(float(reach + sign * part) * 16) for part in half) for sign in (-1, 1)]
    cv2.line(kernel, (ends[0][0], ends[0][1]), (ends[1][0], ends[1][1]), 255, 1, cv2.LINE_AA, 4)
    weights = kernel.astype(np.float32)
    return np.asarray(weights / weights.sum(), np.float32)
