"""Makes the reader's training crops: a face on felt, small, lit, blurred, covered, roughly outlined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.models.reader_faces import FACE_HEIGHT_PX, FACE_WIDTH_PX, Face
from veedor.vision.reader import rectify

Image = NDArray[np.uint8]
FloatImage = NDArray[np.float32]
CARD = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float64)

NARROWEST_PX, WIDEST_PX = 18.0, 110.0
# The detector's corners are off by a few hundredths of the card's side.
CORNER_SIGMA = 0.018
CORNER_LIMIT = 0.06


@dataclass(frozen=True)
class Sample:
    """One crop with what it shows; -1 where that is unknown or there is nothing to know. kind as in KINDS."""

    crop: Image
    rank: int
    suit: int
    kind: int
    width_px: float


def make_sample(take: Callable[[], Face], rng: np.random.Generator) -> Sample:
    """A crop of a face that `take` gives, among 6 % of crops that show no card."""
    width = _width(rng)
    side = int(np.ceil(width * 2.1))
    scene = _felt(side, rng)
    corners = _pose(width, side, rng)
    if rng.random() < 0.06:
        return _nothing(take, scene, corners, rng)
    face = take()
    if rng.random() < 0.35:
        _lay(scene, take(), _beside(corners, rng, near=0.55), rng)
    _shadow_under(scene, corners, rng)
    _lay(scene, face, corners, rng)
    if rng.random() < 0.22:
        _lay(scene, take(), _beside(corners, rng, near=float(rng.choice([0.5, 0.72]))), rng)
    if rng.random() < 0.2:
        _cover(scene, corners, rng, limit=0.4)
    picture = photographed(scene, width, rng)
    return Sample(outlined(picture, corners, rng), face.rank, face.suit, int(face.back), width)


def _nothing(
    take: Callable[[], Face], scene: FloatImage, corners: NDArray[np.float64], rng: np.random.Generator
) -> Sample:
    if rng.random() < 0.5:
        _lay(scene, take(), _beside(corners, rng, near=1.05), rng)
    for _ in range(int(rng.integers(0, 3))):
        _cover(scene, corners, rng, limit=1.0)
    width = float(np.linalg.norm(corners[1] - corners[0]))
    picture = photographed(scene, width, rng)
    return Sample(outlined(picture, corners, rng), -1, -1, 2, width)


def _width(rng: np.random.Generator) -> float:
    if rng.random() < 0.65:
        return float(np.exp(rng.uniform(np.log(22), np.log(50))))
    return float(np.exp(rng.uniform(np.log(NARROWEST_PX), np.log(WIDEST_PX))))


def _pose(width: float, side: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Corners (4, 2) px of a card about `width` wide, turned, tilted, in the middle of the scene."""
    card = (CARD - 0.5) * (width, width * 88 / 63 * rng.uniform(0.97, 1.03))
    card = card @ _turn(rng.uniform(0, 2 * np.pi)).T
    # Tilt of the camera: one direction is foreshortened, and the far side a little smaller.
    tilt = np.cos(rng.uniform(0, np.deg2rad(52))) if rng.random() < 0.7 else 1.0
    direction = _turn(rng.uniform(0, 2 * np.pi))
    card = card @ direction.T * (1.0, tilt)
    card *= (1 + card[:, 1:] / (width * rng.uniform(12, 60))) if tilt < 0.99 else 1.0
    card = card @ direction
    return card + side / 2 + rng.uniform(-1, 1, 2)


def _turn(angle: float) -> NDArray[np.float64]:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _beside(corners: NDArray[np.float64], rng: np.random.Generator, near: float) -> NDArray[np.float64]:
    """Another card's corners; `near` 0 lies right on the first, 1 touches it."""
    middle = corners.mean(axis=0)
    across, along = corners[1] - corners[0], corners[3] - corners[0]
    other = corners - middle
    if rng.random() < 0.5:
        other = other @ _turn(rng.choice([np.pi / 2, rng.uniform(0, 2 * np.pi)])).T
    distance = rng.uniform(near, 1.25) * rng.choice([-1, 1])
    if rng.random() < 0.6:
        shift = across * distance + along * rng.uniform(-0.4, 0.4)
    else:
        shift = along * distance + across * rng.uniform(-0.6, 0.6)
    moved: NDArray[np.float64] = other + middle + shift
    return moved


# what is in view ----------------------------------------------------------------------------------------


def _felt(side: int, rng: np.random.Generator) -> FloatImage:
    hue, saturation, value = rng.uniform(35, 90), rng.uniform(60, 240), rng.uniform(25, 140)
    kind = rng.random()
    if kind > 0.6:
        hue = rng.uniform(0, 180)
    if kind > 0.9:
        saturation, value = rng.uniform(0, 60), rng.uniform(10, 240)
    colour = cv2.cvtColor(np.array([[[hue, saturation, value]]], np.uint8), cv2.COLOR_HSV2BGR)[0, 0]
    scene = np.empty((side, side, 3), np.float32)
    scene[:] = colour
    coarse = rng.normal(0, rng.uniform(1, 7), (5, 5, 3)).astype(np.float32)
    scene += cv2.resize(coarse, (side, side), interpolation=cv2.INTER_CUBIC)
    scene += rng.normal(0, rng.uniform(0.5, 6), (side, side, 1)).astype(np.float32)
    for _ in range(int(rng.choice([0, 0, 1, 2, 3]))):
        ends = rng.uniform(-0.2, 1.2, (2, 2)) * side
        tone = colour * rng.uniform(0.3, 1) + rng.uniform(0, 180)
        cv2.line(
            scene,
            tuple(map(int, ends[0])),
            tuple(map(int, ends[1])),
            tuple(map(float, np.clip(tone, 0, 255))),
            int(rng.integers(1, max(2, side // 14))),
            cv2.LINE_AA,
        )
    return scene


def _dressed(face: Face, rng: np.random.Generator) -> Image:
    """The face with small differences of its own: print shifted, corners wiped, colours moved."""
    picture = face.picture
    if face.indexed and not face.back and rng.random() < 0.75:
        picture = _without_index(picture, rng)
    if not face.photographed and rng.random() < 0.7:
        # Cards with large corner indices have small signs close together: print shrinks by up to a third.
        scale = rng.uniform(0.66, 0.95) if rng.random() < 0.45 else rng.uniform(0.9, 1.06)
        scale_x, scale_y = scale * rng.uniform(0.95, 1.05, 2)
        shift = rng.normal(0, 2.0, 2)
        matrix = np.array(
            [
                [scale_x, 0, FACE_WIDTH_PX / 2 * (1 - scale_x) + shift[0]],
                [0, scale_y, FACE_HEIGHT_PX / 2 * (1 - scale_y) + shift[1]],
            ]
        )
        paper = tuple(int(v) for v in picture[FACE_HEIGHT_PX // 2, 2])
        picture = cv2.warpAffine(
            picture,
            matrix,
            (FACE_WIDTH_PX, FACE_HEIGHT_PX),
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=paper,
        )
    if rng.random() < 0.5 and not face.back:
        hsv = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV)
        hsv[..., 0] = (hsv[..., 0].astype(int) + int(rng.normal(0, 3.5))) % 180
        hsv[..., 1] = np.clip(hsv[..., 1] * rng.uniform(0.6, 1.2), 0, 255)
        picture = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)
    return np.asarray(picture, np.uint8)


def _without_index(picture: Image, rng: np.random.Generator) -> Image:
    """Corner indices covered in the card's own white, as they are missing on cards made for dos paños."""
    picture = picture.copy()
    height, width = picture.shape[:2]
    rim = np.concatenate([picture[4:-4, 3:7].reshape(-1, 3), picture[4:-4, -7:-3].reshape(-1, 3)])
    paper = np.median(rim, axis=0)
    wide, high = int(width * rng.uniform(0.12, 0.19)), int(height * rng.uniform(0.18, 0.28))
    picture[:high, :wide] = paper
    picture[-high:, -wide:] = paper
    if rng.random() < 0.7:
        picture[:high, -wide:] = paper
        picture[-high:, :wide] = paper
    return picture


def _lay(scene: FloatImage, face: Face, corners: NDArray[np.float64], rng: np.random.Generator) -> None:
    """Print the face into the scene."""
    picture = _dressed(face, rng)
    alpha = face.alpha
    width = max(float(np.linalg.norm(corners[1] - corners[0])), 4.0)
    shrink = width * 1.2 / FACE_WIDTH_PX
    if shrink < 0.9:
        size = max(4, round(FACE_WIDTH_PX * shrink)), max(6, round(FACE_HEIGHT_PX * shrink))
        picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
        alpha = np.asarray(cv2.resize(alpha, size, interpolation=cv2.INTER_AREA), np.uint8)
    height_px, width_px = alpha.shape
    source = (CARD * (width_px, height_px) - 0.5).astype(np.float32)
    homography = cv2.getPerspectiveTransform(source, corners.astype(np.float32))
    side = scene.shape[0]
    laid = cv2.warpPerspective(picture, homography, (side, side), borderMode=cv2.BORDER_REPLICATE)
    share = cv2.warpPerspective(alpha, homography, (side, side)).astype(np.float32)[..., None] / 255
    scene *= 1 - share
    scene += laid * share * rng.uniform(0.86, 1.0)


def _shadow_under(scene: FloatImage, corners: NDArray[np.float64], rng: np.random.Generator) -> None:
    if rng.random() < 0.5:
        return
    mask = np.zeros(scene.shape[:2], np.float32)
    width = float(np.linalg.norm(corners[1] - corners[0]))
    shifted = corners + rng.normal(0, 0.04 * width, 2)
    cv2.fillConvexPoly(mask, np.round(shifted).astype(np.int32), float(rng.uniform(0.2, 0.6)))
    blur = max(0.5, 0.05 * width)
    scene *= 1 - cv2.GaussianBlur(mask, (0, 0), blur)[..., None]


def _cover(scene: FloatImage, corners: NDArray[np.float64], rng: np.random.Generator, limit: float) -> None:
    """Fingers, a chip or a pala over part of the card; `limit` is how deep they reach, 1 to the middle."""
    middle = corners.mean(axis=0)
    edge = rng.uniform(0, 2 * np.pi)
    out = np.array([np.cos(edge), np.sin(edge)])
    radius = float(np.linalg.norm(corners[0] - middle))
    tip = middle + out * radius * rng.uniform(1.0 - limit, 1.1)
    width = float(np.linalg.norm(corners[1] - corners[0]))
    kind = rng.random()
    if kind < 0.5:
        skin = np.array([rng.uniform(60, 170), rng.uniform(80, 190), rng.uniform(110, 235)])
        sideways = np.array([-out[1], out[0]])
        for finger in range(int(rng.integers(1, 4))):
            start = tip + sideways * width * 0.25 * (finger - 1)
            away = start + out * width * 2 + sideways * rng.normal(0, 0.2) * width
            cv2.line(
                scene,
                tuple(map(int, start)),
                tuple(map(int, away)),
                tuple(map(float, skin * rng.uniform(0.85, 1))),
                max(2, int(width * rng.uniform(0.18, 0.28))),
                cv2.LINE_AA,
            )
    elif kind < 0.85:
        colour = tuple(map(float, rng.uniform(10, 240, 3)))
        centre = tuple(map(int, tip + out * width * 0.33))
        cv2.circle(scene, centre, max(3, int(width * 0.32)), colour, -1, cv2.LINE_AA)
        ring = tuple(map(float, rng.uniform(10, 250, 3)))
        cv2.circle(scene, centre, max(2, int(width * 0.22)), ring, max(1, int(width * 0.05)), cv2.LINE_AA)
    else:
        sideways = np.array([-out[1], out[0]]) * width * 1.5
        blade = np.array(
            [tip - sideways, tip + sideways, tip + sideways + out * width, tip - sideways + out * width]
        )
        tone = float(rng.uniform(10, 90))
        cv2.fillConvexPoly(
            scene, np.round(blade).astype(np.int32), (tone * 0.6, tone * 0.8, tone), cv2.LINE_AA
        )


# what light and camera do to it --------------------------------------------------------------------------


def photographed(scene: FloatImage, width: float, rng: np.random.Generator) -> Image:
    """The scene as a camera would deliver it; `width` is the card's, in px. Uses `scene` up."""
    side = scene.shape[0]
    _light(scene, width, rng)
    blur = rng.uniform(0.25, max(0.9, min(0.03 * width, 1.6)))
    scene = cv2.GaussianBlur(scene, (0, 0), blur)
    if rng.random() < 0.12:
        scene = _moved(scene, rng.uniform(1.5, max(3.0, 0.12 * width)), rng)
    if rng.random() < 0.25:
        factor = rng.uniform(0.65, 1.0)
        small = cv2.resize(scene, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        scene = cv2.resize(small, (side, side), interpolation=cv2.INTER_LINEAR)
    noise = rng.uniform(0.5, 7) if rng.random() < 0.85 else rng.uniform(7, 14)
    grey, colour = noise * 0.8, noise * 0.5
    scene = scene + rng.normal(0, grey, (side, side, 1)).astype(np.float32)
    scene += rng.normal(0, colour, (side, side, 3)).astype(np.float32)
    if rng.random() < 0.3:
        strength = rng.uniform(0.2, 1.2)
        scene += strength * (scene - cv2.GaussianBlur(scene, (0, 0), 1.0))
    picture = np.clip(scene, 0, 255).astype(np.uint8)
    if rng.random() < 0.75:
        quality = int(rng.integers(28, 96))
        _, coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
        picture = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)
    return picture


def _light(scene: FloatImage, width: float, rng: np.random.Generator) -> None:
    side = scene.shape[0]
    ramp = np.linspace(-0.5, 0.5, side, dtype=np.float32)
    slope = rng.normal(0, 0.25, 2)
    level = np.exp(rng.uniform(np.log(0.45), np.log(1.15)))
    light = level * (1 + slope[0] * ramp[None, :] + slope[1] * ramp[:, None])
    if rng.random() < 0.2:
        mask = np.zeros((side, side), np.float32)
        edge = side / 2 + rng.normal(0, 0.3, 2) * side
        angle = rng.uniform(0, 2 * np.pi)
        along = np.array([np.cos(angle), np.sin(angle)]) * side * 2
        across = np.array([-along[1], along[0]])
        half = np.array([edge - along, edge + along, edge + along + across, edge - along + across])
        cv2.fillConvexPoly(mask, np.round(half).astype(np.int32), float(rng.uniform(0.2, 0.55)))
        light = light * (1 - cv2.GaussianBlur(mask, (0, 0), max(1.0, rng.uniform(0.02, 0.3) * width)))
    scene *= light[..., None]
    if rng.random() < 0.18:
        glare = np.zeros((side, side), np.float32)
        centre = tuple(map(int, side / 2 + rng.normal(0, 0.25, 2) * side))
        axes = tuple(map(int, rng.uniform(0.08, 0.5, 2) * width + 1))
        cv2.ellipse(glare, centre, axes, float(rng.uniform(0, 180)), 0, 360, float(rng.uniform(60, 230)), -1)
        scene += cv2.GaussianBlur(glare, (0, 0), max(1.0, 0.1 * width))[..., None]
    gains = 1 + np.clip(rng.normal(0, 0.09, 3), -0.25, 0.25)
    scene *= gains.astype(np.float32)
    np.clip(scene, 0, 255, out=scene)
    if rng.random() < 0.6:
        gamma = np.exp(rng.normal(0, 0.2))
        np.power(scene / 255, gamma, out=scene)
        scene *= 255
    haze = rng.uniform(0, 25) if rng.random() < 0.3 else 0.0
    scene *= 1 - haze / 255
    scene += haze
    if rng.random() < 0.4:
        grey = scene.mean(axis=2, keepdims=True)
        scene += (grey - scene) * rng.uniform(-0.2, 0.45)


def _moved(scene: FloatImage, length: float, rng: np.random.Generator) -> FloatImage:
    size = int(np.ceil(length)) | 1
    kernel = np.zeros((size, size), np.float32)
    reach = np.array([np.cos(angle := rng.uniform(0, np.pi)), np.sin(angle)]) * length / 2
    middle = size // 2
    cv2.line(
        kernel,
        tuple(np.round(middle - reach).astype(int).tolist()),
        tuple(np.round(middle + reach).astype(int).tolist()),
        1.0,
    )
    return np.asarray(cv2.filter2D(scene, -1, kernel / max(kernel.sum(), 1e-6)), np.float32)


def outlined(picture: Image, corners: NDArray[np.float64], rng: np.random.Generator) -> Image:
    """The crop that a detector's imperfect outline would give."""
    size = np.array([np.linalg.norm(corners[1] - corners[0]), np.linalg.norm(corners[3] - corners[0])]).mean()
    whole = rng.normal(0, CORNER_SIGMA * 0.6, 2)
    grow = 1 + rng.normal(0, CORNER_SIGMA)
    each = rng.normal(0, CORNER_SIGMA, (4, 2))
    middle = corners.mean(axis=0)
    moved = (corners - middle) * grow + middle
    moved = moved + np.clip(whole + each, -CORNER_LIMIT, CORNER_LIMIT) * size + rng.normal(0, 0.25, (4, 2))
    first = int(rng.choice([0, 2])) if rng.random() < 0.985 else int(rng.choice([1, 3]))
    return rectify(picture, np.roll(moved, -first, axis=0))
