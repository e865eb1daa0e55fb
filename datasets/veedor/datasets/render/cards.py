"""Playing cards and the cut card on the table, in the air, and being turned."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.render.bodies import Body, Order, Piece, ground_distance, seed_of, turned
from veedor.datasets.render.canvas import smeared
from veedor.datasets.render.lighting import Lighting
from veedor.datasets.render.planes import Glint, Texture, plane_sprite
from veedor.datasets.scene import CardPose
from veedor.vision.detections import ObjectClass
from veedor.vision.obb import signed_area

FloatArray = NDArray[np.float64]

CARD_WIDTH_MM, CARD_HEIGHT_MM = 63.0, 88.0
ART_HEIGHT_PX = 352
ART_PX_PER_MM = ART_HEIGHT_PX / CARD_HEIGHT_MM
# How far off flat a used card lies, as the tangent of its tilt: it moves the glare from card to card.
BEND = 0.02
CUT_CARD_COLOURS = ((30, 190, 245), (40, 40, 205), (40, 170, 60), (200, 110, 30), (25, 25, 25))  # BGR


class DeckArt(Protocol):
    """Where card pictures come from: BGRA uint8, alpha 0 outside the round corners."""

    def face(self, card: str) -> NDArray[np.uint8]: ...

    def back(self, colour: str) -> NDArray[np.uint8]: ...


class CardTextures:
    """A deck's pictures made ready for drawing, kept as they are asked for."""

    def __init__(self, deck: DeckArt) -> None:
        self._deck = deck
        self._textures: dict[tuple[str, str], Texture] = {}

    def face(self, card: str) -> Texture:
        return self._get("face", card)

    def back(self, colour: str) -> Texture:
        return self._get("back", colour)

    def _get(self, side: str, name: str) -> Texture:
        key = (side, name)
        if key not in self._textures:
            art = self._deck.face(name) if side == "face" else self._deck.back(name)
            self._textures[key] = Texture(art, art.shape[0] / CARD_HEIGHT_MM)
        return self._textures[key]


class CardPainter:
    """Draws one deck's cards for one camera and light."""

    def __init__(self, lighting: Lighting, textures: CardTextures, *, cut_card_seed: int = 0) -> None:
        self._lighting = lighting
        self._textures = textures
        self._cut_card_seed = cut_card_seed

    def card(self, pose: CardPose, motion_px: tuple[float, float] = (0.0, 0.0)) -> Body:
        corners, normal, face_seen = self._seen(pose)
        if face_seen:
            kind, texture = ObjectClass.CARD_FACE, self._textures.face(pose.face)
        else:
            kind, texture = ObjectClass.CARD_BACK, self._textures.back(pose.back)
        return self._body(pose, kind, texture, (corners, normal), motion_px)

    def cut_card(self, pose: CardPose) -> Body:
        corners, normal, _ = self._seen(pose)
        texture = cut_card_texture(self._cut_card_seed)
        return self._body(pose, ObjectClass.CUT_CARD, texture, (corners, normal), (0.0, 0.0))

    def _seen(self, pose: CardPose) -> tuple[FloatArray, FloatArray, bool]:
        """Corners (4, 3) clockwise from the seen side's top left, its normal, whether it is the face."""
        corners, normal = card_corners(pose)
        face_seen = bool(signed_area(self._lighting.camera.project(corners)) < 0)
        if face_seen:
            return corners[[1, 0, 3, 2]], -normal, True
        return corners, normal, False

    def _body(
        self,
        pose: CardPose,
        kind: ObjectClass,
        texture: Texture,
        surface: tuple[FloatArray, FloatArray],
        motion_px: tuple[float, float],
    ) -> Body:
        light = self._lighting
        corners, normal = surface
        pixels = light.camera.project(corners)
        centre = corners.mean(axis=0)
        gain = light.gain_bgr(corners[:, :2], pixels) * np.float32(light.facing(normal, centre))
        rng = np.random.default_rng(seed_of(pose.id, "bend"))
        bent = normal + np.append(rng.uniform(-BEND, BEND, 2), 0.0)
        bent /= np.linalg.norm(bent)
        spread = 0.10 - 0.05 * light.gloss
        glint = Glint(
            light.mirror_offsets(corners, bent), spread, light.gloss * 0.55 if normal[2] > 0.5 else 0.0
        )
        sprite = smeared(plane_sprite(texture, pixels, gain, glint=glint), motion_px)
        scale = float(np.linalg.norm(pixels[0] - pixels[2])) / float(np.hypot(CARD_WIDTH_MM, CARD_HEIGHT_MM))
        height = float(centre[2])
        shadow_px = light.camera.project(light.cast(corners * (1, 1, 1) + (0, 0, 0.6)))
        blur = max(0.7, scale * (0.8 + 0.12 * height))
        shade = light.polygon_shade(shadow_px, blur_px=blur, strength=light.shadow / (1 + height / 250))
        distance = ground_distance(light.camera, pose.x_mm, pose.y_mm)
        order = Order(pose.z_mm, pose.layer, distance)
        cut = kind is ObjectClass.CUT_CARD
        return Body(
            kind,
            pose.id,
            (Piece(order, sprite, shade),),
            pixels,
            (pose.x_mm, pose.y_mm),
            pose.rotation_deg,
            None if cut else pose.face,
            None if cut else pose.back,
        )


def card_corners(pose: CardPose) -> tuple[FloatArray, FloatArray]:
    """Corners (4, 3) in mm of a card, clockwise from the top left of its back, and the back's normal (3,).

    The lower long edge of a card being turned stays at the pose's height.
    """
    turn = np.deg2rad(pose.turn_deg)
    half_width, half_height = CARD_WIDTH_MM / 2, CARD_HEIGHT_MM / 2
    cos, sin = np.cos(turn), np.sin(turn)
    lift = pose.z_mm + half_width * abs(sin)
    local = np.array(
        [
            [side * half_width * cos, end * half_height, lift + side * half_width * sin]
            for side, end in ((-1, 1), (1, 1), (1, -1), (-1, -1))
        ]
    )
    corners = turned(local, pose.rotation_deg) + np.array([pose.x_mm, pose.y_mm, 0.0])
    normal = turned(np.array([[-sin, 0.0, cos]]), pose.rotation_deg)[0]
    return corners, normal


@lru_cache(maxsize=16)
def cut_card_texture(seed: int) -> Texture:
    """Plain coloured plastic with round corners."""
    rng = np.random.default_rng([seed, 77])
    colour = CUT_CARD_COLOURS[int(rng.integers(len(CUT_CARD_COLOURS)))]
    width, height = round(CARD_WIDTH_MM * ART_PX_PER_MM), ART_HEIGHT_PX
    art = np.zeros((height, width, 4), np.uint8)
    art[:, :, :3] = colour
    radius = round(3.5 * ART_PX_PER_MM)
    cv2.rectangle(art, (radius, 0), (width - radius, height), (*colour, 255), -1)
    cv2.rectangle(art, (0, radius), (width, height - radius), (*colour, 255), -1)
    for x, y in (
        (radius, radius),
        (width - radius, radius),
        (radius, height - radius),
        (width - radius, height - radius),
    ):
        cv2.circle(art, (x, y), radius, (*colour, 255), -1, cv2.LINE_AA)
    return Texture(art, ART_PX_PER_MM)
