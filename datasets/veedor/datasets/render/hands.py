"""Hands with their forearms: a height field of fingers and palm, lit, and laid over the table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from veedor.datasets.render.bodies import Body, Order, Piece, ground_distance, oriented_box, seed_of
from veedor.datasets.render.canvas import Shade, Sprite
from veedor.datasets.render.hand_shape import Handling, HandPicture, draw_forearm, draw_hand
from veedor.datasets.render.lighting import Lighting
from veedor.datasets.render.planes import Texture, plane_coverage, plane_sprite
from veedor.datasets.scene import HandPosePlan
from veedor.vision.detections import ObjectClass

FloatArray = NDArray[np.float64]

VARIANTS = 12  # different hands a pose and skin are drawn as
LIGHT_STEPS = 8  # directions of light, seen from the hand, that are told apart
TIP_HEIGHT_MM = 9.0
WRIST_HEIGHT_MM = 42.0
ELBOW_HEIGHT_MM = 110.0
# What lies up to so far above a pinching hand's height is held: under the thumb, over the fingers.
GRIP_MM = 30.0
PALM_TOP_MM = 45.0


@dataclass(frozen=True)
class HandTextures:
    """Art of one hand and what must be known to place it; lengths in mm back from the fingertips' middle."""

    hand: Texture
    thumb: Texture | None
    arm: Texture
    picture: HandPicture


@lru_cache(maxsize=192)
def hand_textures(handling: Handling) -> HandTextures:
    picture = draw_hand(handling)
    thumb = None if picture.thumb is None else Texture(picture.thumb, picture.px_per_mm)
    arm, arm_scale = draw_forearm(handling, picture.arm_axis_v_mm)
    return HandTextures(Texture(picture.hand, picture.px_per_mm), thumb, Texture(arm, arm_scale), picture)


class HandPainter:
    """Draws hands for one camera and light. `arm_reach` gives the forearm's length in mm for a pose."""

    def __init__(
        self,
        lighting: Lighting,
        skins_rgb: tuple[tuple[int, int, int], ...],
        sleeves_rgb: tuple[tuple[int, int, int], ...],
        *,
        px_per_mm: float = 1.0,
    ) -> None:
        self._lighting = lighting
        self._skins = skins_rgb
        self._sleeves = sleeves_rgb
        self._px_per_mm = px_per_mm

    def hand(self, pose: HandPosePlan, arm_mm: float) -> Body:
        """A hand whose forearm goes on for `arm_mm` from the fingertips."""
        light = self._lighting
        back = np.array([np.cos(np.deg2rad(pose.from_deg)), np.sin(np.deg2rad(pose.from_deg))])
        side = np.array([-back[1], back[0]])  # to the right as the fingers point away from the viewer
        textures = hand_textures(self._handling(pose, back, side))
        picture = textures.picture
        origin = np.array([pose.x_mm, pose.y_mm])

        def place(u_mm: FloatArray, v_mm: FloatArray, lift_mm: FloatArray) -> FloatArray:
            flat = origin + u_mm[:, None] * back + v_mm[:, None] * side
            return np.column_stack([flat, pose.z_mm + lift_mm])

        def corners(low_u: float, high_u: float, half_v: float) -> FloatArray:
            # Texture rows run from the fingertips back, columns across.
            u = np.array([low_u, low_u, high_u, high_u])
            v = np.array([-half_v, half_v, half_v, -half_v])
            return place(u, v, _lift(u, picture.wrist_mm, arm_mm))

        hand_box = corners(picture.low_u_mm, picture.high_u_mm, picture.half_v_mm)
        distance = ground_distance(light.camera, pose.x_mm, pose.y_mm)
        top = pose.z_mm + PALM_TOP_MM
        pinching = textures.thumb is not None
        hand_order = Order(pose.z_mm + 0.5, 2000, distance) if pinching else Order(top, 1, distance)
        pieces = []
        if arm_mm > picture.cuff_mm:
            arm_box = corners(
                picture.cuff_mm - 6.0, max(arm_mm, picture.cuff_mm + 60.0), picture.arm_half_v_mm
            )
            arm_shade = self._shade(textures.arm, arm_box)
            pieces.append(
                Piece(Order(hand_order.z_mm, hand_order.layer - 1, distance), None, arm_shade, own=False)
            )
            arm_sprite = self._plane(textures.arm, arm_box, (light.camera.width, light.camera.height))
            pieces.append(Piece(Order(top + 5.0, 0, distance), arm_sprite, own=False))
        shade = self._shade(textures.hand, hand_box)
        pieces.append(Piece(hand_order, self._plane(textures.hand, hand_box), shade))
        if textures.thumb is not None:
            thumb = self._plane(textures.thumb, hand_box)
            pieces.append(Piece(Order(pose.z_mm + GRIP_MM, 1, distance), thumb))
        outline_u, outline_v = picture.outline_mm[:, 0], picture.outline_mm[:, 1]
        outline = place(outline_u, outline_v, _lift(outline_u, picture.wrist_mm, arm_mm))
        ends = light.camera.project(
            place(np.array([0.0, picture.wrist_mm]), np.zeros(2), np.array([9.0, 42.0]))
        )
        return Body(
            ObjectClass.HAND, pose.id, tuple(pieces),
            oriented_box(light.camera.project(outline), ends[1] - ends[0]),
            (pose.x_mm, pose.y_mm), pose.from_deg,
        )  # fmt: skip

    def _handling(self, pose: HandPosePlan, back: FloatArray, side: FloatArray) -> Handling:
        light = self._lighting
        lamp = np.asarray(light.lamp_mm)[:2] - (pose.x_mm, pose.y_mm)
        angle = np.arctan2(lamp @ side, lamp @ back)
        return Handling(
            pose=pose.pose,
            left=pose.left,
            skin_rgb=self._skins[pose.skin % len(self._skins)],
            sleeve_rgb=self._sleeves[pose.sleeve % len(self._sleeves)],
            variant=seed_of(pose.id.split(":")[0], pose.pose, pose.skin) % VARIANTS,
            light_step=int(np.round(angle / (2 * np.pi) * LIGHT_STEPS)) % LIGHT_STEPS,
            px_per_mm=self._px_per_mm,
        )

    def _plane(self, texture: Texture, corners: FloatArray, frame: tuple[int, int] | None = None) -> Sprite:
        light = self._lighting
        pixels = light.camera.project(corners)
        gain = light.gain_bgr(corners[:, :2], pixels)
        return plane_sprite(texture, pixels, gain, frame=frame)

    def _shade(self, texture: Texture, corners: FloatArray) -> Shade:
        light = self._lighting
        height = float(corners[:, 2].mean())
        scale = light.camera.px_per_mm(*corners[:2, :2].mean(axis=0))
        blur = max(1.0, scale * (2.0 + 0.09 * height))
        pixels = light.camera.project(light.cast(corners))
        x, y, mask = plane_coverage(
            texture, pixels, pad_px=int(np.ceil(2.5 * blur)), frame=(light.camera.width, light.camera.height)
        )
        return light.mask_shade(x, y, mask, blur_px=blur, strength=light.shadow / (1 + height / 250))


def _lift(u_mm: FloatArray, wrist_mm: float, arm_mm: float) -> FloatArray:
    """Height of the hand's and forearm's middle above the fingertips, by distance from them."""
    return np.interp(
        u_mm,
        [0.0, wrist_mm, max(arm_mm, wrist_mm + 300.0)],
        [TIP_HEIGHT_MM, WRIST_HEIGHT_MM, ELBOW_HEIGHT_MM],
    )
