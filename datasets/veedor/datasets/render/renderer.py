"""Draws scenes of one table as its camera sees them, with exact truth."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import numpy as np
from veedor.datasets.art import Deck
from veedor.datasets.render.bodies import Body
from veedor.datasets.render.canvas import OCCLUDER, Canvas
from veedor.datasets.render.cards import CardPainter, CardTextures
from veedor.datasets.render.chips import ChipPainter
from veedor.datasets.render.hands import HandPainter
from veedor.datasets.render.lighting import Lighting
from veedor.datasets.render.props import pala_body
from veedor.datasets.render.truth import ObjectTruth
from veedor.datasets.scene import HandPosePlan, Scene, TableLook

CACHED_BODIES = 512
HAND_SCALES = (0.45, 0.7, 1.0, 1.5)  # px/mm


@dataclass(frozen=True)
class Painters:
    """Everything that turns poses into bodies, for one look, camera and light."""

    cards: CardPainter
    chips: ChipPainter
    hands: HandPainter
    lighting: Lighting
    prop_seed: int = 0


def painters_for(look: TableLook, lighting: Lighting, cards: CardTextures | None = None) -> Painters:
    """Painters of a look's deck, chips and people."""
    textures = CardTextures(Deck(look.deck_seed, indexed=look.indexed)) if cards is None else cards
    return Painters(
        CardPainter(lighting, textures, cut_card_seed=look.seed),
        ChipPainter(lighting, look.chips, look.deck_seed),
        HandPainter(lighting, look.skins_rgb, look.sleeves_rgb, px_per_mm=_hand_scale(lighting)),
        lighting,
        look.seed,
    )


def _hand_scale(lighting: Lighting) -> float:
    """Resolution of the hands' art that the picture's own asks for, of a few, so that art is shared."""
    camera = lighting.camera
    middle = camera.to_felt(np.array([[camera.width / 2, camera.height / 2]]))[0]
    wanted = camera.px_per_mm(float(middle[0]), float(middle[1])) * 1.15
    return next((scale for scale in HAND_SCALES if scale >= wanted), HAND_SCALES[-1])


class BodyCache:
    """The last bodies by pose: most of a table is still from frame to frame."""

    def __init__(self, size: int = CACHED_BODIES) -> None:
        self._size = size
        self._bodies: OrderedDict[Hashable, Body] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Body]) -> Body:
        body = self._bodies.get(key)
        if body is None:
            body = make()
            self._bodies[key] = body
            if len(self._bodies) > self._size:
                self._bodies.popitem(last=False)
        else:
            self._bodies.move_to_end(key)
        return body


@dataclass
class BodyList:
    """A scene's bodies, and the painting of them."""

    bodies: list[Body] = field(default_factory=list)

    def paint(self, canvas: Canvas) -> tuple[ObjectTruth, ...]:
        """Paint everything in order and return the truth."""
        pieces = [
            (piece.order.key, number, piece)
            for number, body in enumerate(self.bodies, start=1)
            for piece in body.pieces
        ]
        pieces.sort(key=lambda entry: (entry[0], entry[1]))
        for _, number, piece in pieces:
            if piece.shade is not None:
                canvas.shade(piece.shade)
            if piece.sprite is not None:
                canvas.paint(piece.sprite, number if piece.own else OCCLUDER)
        first_piece = {}
        for place, (_, number, _) in enumerate(pieces):
            first_piece.setdefault(number, place)
        truths = []
        for number, body in sorted(enumerate(self.bodies, start=1), key=lambda entry: first_piece[entry[0]]):
            if body.kind is None:
                continue
            seen = canvas.count(number, [piece.sprite for piece in body.pieces if piece.own and piece.sprite])
            truths.append(
                ObjectTruth(
                    body.kind,
                    body.id,
                    body.corners_px,
                    body.base_mm,
                    body.rotation_deg,
                    min(seen / max(body.area_px, 1), 1.0),
                    body.face,
                    body.back,
                    body.chips,
                )  # fmt: skip
            )
        return tuple(truths)


def scene_bodies(
    scene: Scene, painters: Painters, arm_mm: Callable[[HandPosePlan], float], cache: BodyCache | None = None
) -> list[Body]:
    """Bodies of everything in a scene."""
    cache = BodyCache() if cache is None else cache
    bodies = [cache.get(pose, lambda pose=pose: painters.cards.card(pose)) for pose in scene.cards]
    if scene.cut_card is not None:
        cut = scene.cut_card
        bodies.append(cache.get(("cut", cut), lambda: painters.cards.cut_card(cut)))
    bodies += [cache.get(pose, lambda pose=pose: painters.chips.stack(pose)) for pose in scene.stacks]
    bodies += [cache.get(pose, lambda pose=pose: painters.chips.plaque(pose)) for pose in scene.plaques]
    bodies += [
        cache.get(pose, lambda pose=pose: painters.hands.hand(pose, arm_mm(pose))) for pose in scene.hands
    ]
    bodies += [
        cache.get(
            (pose, number),
            lambda pose=pose, number=number: pala_body(pose, painters.lighting, painters.prop_seed, number),
        )
        for number, pose in enumerate(scene.palas)
    ]
    return bodies
