"""Truth boxes of a scene by geometry alone: what a perfect detector would report, without drawing anything.

Bodies are simplified to flat outlines at their height; what hides what is sampled, not painted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, radians, sin

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.render.truth import ObjectTruth
from veedor.datasets.scene import CardPose, ChipStyle, HandPosePlan, PalaPose, PlaquePose, Scene, StackPose
from veedor.vision.camera import Camera
from veedor.vision.detections import ObjectClass

FloatArray = NDArray[np.float64]

CARD_MM = (63.0, 88.0)
HAND_MM = (92.0, 195.0)  # across, fingertips to wrist
ARM_MM = (96.0, 900.0)
PALM_HEIGHT_MM = 45.0
PALA_BLADE_MM = (150.0, 104.0)
PALA_HANDLE_MM = (20.0, 640.0)
SAMPLES = 6


@dataclass(frozen=True)
class _Body:
    truth: ObjectTruth | None  # None for what only hides: forearms, handles
    outline_px: FloatArray  # (n, 2), convex
    order: tuple[float, float]  # what is higher hides what is lower


class Outliner:
    """Projects scenes of one table as its camera sees them."""

    def __init__(self, camera: Camera, chips: Sequence[ChipStyle]) -> None:
        self.camera = camera
        self.chips = {chip.name: chip for chip in chips}

    def boxes(self, scene: Scene) -> tuple[ObjectTruth, ...]:
        """Every object of the scene, lowest first, with the share of it that nothing hides."""
        bodies = [self._card(card) for card in scene.cards]
        if scene.cut_card is not None:
            bodies.append(self._card(scene.cut_card))
        bodies += [self._stack(stack) for stack in scene.stacks]
        bodies += [self._plaque(plaque) for plaque in scene.plaques]
        for hand in scene.hands:
            bodies += self._hand(hand)
        for number, pala in enumerate(scene.palas):
            bodies += self._pala(pala, number)
        bodies.sort(key=lambda body: body.order)
        return tuple(
            _seen(body.truth, self._visible(body, bodies[index + 1 :]))
            for index, body in enumerate(bodies)
            if body.truth is not None
        )

    def _visible(self, body: _Body, above: Sequence[_Body]) -> float:
        points = _samples(body.outline_px)
        inside = (
            (points[:, 0] >= 0)
            & (points[:, 1] >= 0)
            & (points[:, 0] < self.camera.width)
            & (points[:, 1] < self.camera.height)
        )
        low, high = body.outline_px.min(axis=0), body.outline_px.max(axis=0)
        for other in above:
            if (other.outline_px.max(axis=0) < low).any() or (other.outline_px.min(axis=0) > high).any():
                continue
            inside &= ~_within(points, other.outline_px)
        return float(inside.mean())

    def _flat(self, corners_mm: FloatArray, z_mm: float) -> FloatArray:
        return self.camera.project(np.column_stack([corners_mm, np.full(len(corners_mm), z_mm)]))

    def _card(self, card: CardPose) -> _Body:
        # A card on its edge seems narrow; it lies on its long axis.
        width = CARD_MM[0] * max(0.12, abs(cos(radians(card.turn_deg))))
        corners = _rectangle((card.x_mm, card.y_mm), (width, CARD_MM[1]), card.rotation_deg)
        pixels = self._flat(corners, card.z_mm)
        face_up = card.turn_deg > 90.0
        truth = ObjectTruth(
            ObjectClass.CARD_FACE if face_up else ObjectClass.CARD_BACK,
            card.id,
            pixels,
            (card.x_mm, card.y_mm),
            card.rotation_deg,
            1.0,
            card.face,
            card.back,
        )
        return _Body(truth, pixels, (card.z_mm, card.layer))

    def _stack(self, stack: StackPose) -> _Body:
        style = self.chips[stack.chips[0]]
        angles = np.linspace(0.0, 2 * np.pi, 16, endpoint=False)
        ring = np.column_stack([np.cos(angles), np.sin(angles)]) * style.diameter_mm / 2
        ring += (stack.x_mm, stack.y_mm)
        height = style.thickness_mm * len(stack.chips)
        solid = np.vstack([self._flat(ring, stack.z_mm), self._flat(ring, stack.z_mm + height)])
        hull = cv2.convexHull(solid.astype(np.float32)).reshape(-1, 2).astype(np.float64)
        box = cv2.boxPoints(cv2.minAreaRect(hull.astype(np.float32))).astype(np.float64)
        truth = ObjectTruth(
            ObjectClass.CHIP_STACK,
            stack.id,
            box,
            (stack.x_mm, stack.y_mm),
            stack.rotation_deg,
            1.0,
            chips=stack.chips,
        )
        return _Body(truth, hull, (stack.z_mm + height, 0.0))

    def _plaque(self, plaque: PlaquePose) -> _Body:
        style = self.chips[plaque.chip]
        # A short edge first: the plaque's own left one.
        corners = np.roll(
            _rectangle((plaque.x_mm, plaque.y_mm), style.size_mm, plaque.rotation_deg), 1, axis=0
        )
        pixels = self._flat(corners, plaque.z_mm + style.thickness_mm)
        truth = ObjectTruth(
            ObjectClass.PLAQUE,
            plaque.id,
            pixels,
            (plaque.x_mm, plaque.y_mm),
            plaque.rotation_deg,
            1.0,
            chips=(plaque.chip,),
        )
        return _Body(truth, pixels, (plaque.z_mm + style.thickness_mm, 0.0))

    def _hand(self, hand: HandPosePlan) -> list[_Body]:
        palm = self._flat(_strip((hand.x_mm, hand.y_mm), hand.from_deg, -12.0, HAND_MM), hand.z_mm + 20.0)
        arm = self._flat(_strip((hand.x_mm, hand.y_mm), hand.from_deg, HAND_MM[1], ARM_MM), hand.z_mm + 60.0)
        top = hand.z_mm + PALM_HEIGHT_MM
        truth = ObjectTruth(
            ObjectClass.HAND, hand.id, palm, (hand.x_mm, hand.y_mm), hand.from_deg % 360.0, 1.0
        )
        return [_Body(truth, palm, (top, 1.0)), _Body(None, arm, (top + 5.0, 0.0))]

    def _pala(self, pala: PalaPose, number: int) -> list[_Body]:
        at = (pala.x_mm, pala.y_mm)
        across, along = PALA_BLADE_MM
        blade = self._flat(_strip(at, pala.handle_deg, -along / 2, PALA_BLADE_MM), pala.z_mm)
        handle = self._flat(
            _strip(at, pala.handle_deg, along / 2, PALA_HANDLE_MM), pala.z_mm + 0.035 * PALA_HANDLE_MM[1]
        )
        whole = _strip(at, pala.handle_deg, -along / 2, (across, PALA_HANDLE_MM[1] + along / 2))
        truth = ObjectTruth(
            ObjectClass.PALA, f"pala{number}", self._flat(whole, pala.z_mm), at, pala.handle_deg, 1.0
        )
        return [_Body(truth, blade, (pala.z_mm, 1500.0)), _Body(None, handle, (pala.z_mm + 1.0, 1500.0))]


def _seen(truth: ObjectTruth, visible: float) -> ObjectTruth:
    return ObjectTruth(
        truth.kind,
        truth.id,
        truth.corners_px,
        truth.base_mm,
        truth.rotation_deg,
        visible,
        truth.face,
        truth.back,
        truth.chips,
    )


def _rectangle(
    middle_mm: tuple[float, float], size_mm: tuple[float, float], rotation_deg: float
) -> FloatArray:
    """Corners (4, 2) in mm: top left, top right, bottom right, bottom left of the thing itself."""
    half_x, half_y = size_mm[0] / 2, size_mm[1] / 2
    corners = np.array([[-half_x, half_y], [half_x, half_y], [half_x, -half_y], [-half_x, -half_y]])
    angle = radians(rotation_deg)
    turn = np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])
    placed: FloatArray = corners @ turn.T + middle_mm
    return placed


def _strip(
    at_mm: tuple[float, float], toward_deg: float, start_mm: float, size_mm: tuple[float, float]
) -> FloatArray:
    """A rectangle (across, long) that begins `start_mm` from a point and goes on toward an angle."""
    angle = radians(toward_deg)
    along, across = np.array([cos(angle), sin(angle)]), np.array([-sin(angle), cos(angle)])
    half = size_mm[0] / 2
    origin = np.array(at_mm)
    near, far = origin + start_mm * along, origin + (start_mm + size_mm[1]) * along
    return np.array([near + half * across, near - half * across, far - half * across, far + half * across])


def _samples(outline: FloatArray) -> FloatArray:
    """Points spread over a convex outline."""
    middle = outline.mean(axis=0)
    shares = (np.arange(SAMPLES) + 0.5) / SAMPLES
    return np.vstack([middle + (outline - middle) * share**0.5 for share in shares])


def _within(points: FloatArray, outline: FloatArray) -> NDArray[np.bool_]:
    edges = np.roll(outline, -1, axis=0) - outline
    to_points = points[:, None, :] - outline[None, :, :]
    side = edges[None, :, 0] * to_points[:, :, 1] - edges[None, :, 1] * to_points[:, :, 0]
    return np.asarray((side >= 0).all(axis=1) | (side <= 0).all(axis=1))
