"""Turns the poses of a scene into bodies, and paints bodies in order."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from veedor.datasets.art import Deck
from veedor.datasets.render.bodies import Body, Piece
from veedor.datasets.render.canvas import OCCLUDER, Canvas
from veedor.datasets.render.cards import CardPainter, CardTextures
from veedor.datasets.render.chips import ChipPainter
from veedor.datasets.render.hands import HandPainter
from veedor.datasets.render.lighting import Lighting
from veedor.datasets.render.props import pala_body
from veedor.datasets.render.truth import ObjectTruth
from veedor.datasets.scene import HandPosePlan, Scene, TableLook

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
    """Painters of a look's deck (or of other `cards`), chips and people."""
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
    """The bodies of the frame before: most of a table is still from frame to frame, and what moves never
    comes back to the same pose, so that anything older would only take memory."""

    def __init__(self) -> None:
        self._before: dict[Hashable, Body] = {}
        self._now: dict[Hashable, Body] = {}

    def next_frame(self) -> None:
        """Forget what the frame before last showed."""
        self._before, self._now = self._now, {}

    def get(self, key: Hashable, make: Callable[[], Body]) -> Body:
        """The body of that key, made if it is not there."""
        body = self._now.get(key) or self._before.get(key) or make()
        self._now[key] = body
        return body


def scene_bodies(
    scene: Scene, painters: Painters, arm_mm: Callable[[HandPosePlan], float], cache: BodyCache | None = None
) -> list[Body]:
    """Bodies of everything in a scene; `arm_mm` says how long a hand's forearm is drawn."""
    cache = BodyCache() if cache is None else cache
    bodies = [cache.get(card, partial(painters.cards.card, card)) for card in scene.cards]
    if scene.cut_card is not None:
        bodies.append(cache.get(("cut", scene.cut_card), partial(painters.cards.cut_card, scene.cut_card)))
    bodies += [cache.get(stack, partial(painters.chips.stack, stack)) for stack in scene.stacks]
    bodies += [cache.get(plaque, partial(painters.chips.plaque, plaque)) for plaque in scene.plaques]
    bodies += [cache.get(hand, partial(painters.hands.hand, hand, arm_mm(hand))) for hand in scene.hands]
    for number, pala in enumerate(scene.palas):
        make = partial(pala_body, pala, painters.lighting, painters.prop_seed, number)
        bodies.append(cache.get((pala, number), make))
    return bodies


def paint_bodies(bodies: Sequence[Body], canvas: Canvas) -> tuple[ObjectTruth, ...]:
    """Paint bodies in order and return the truth about those that have one, lowest first."""
    pieces: list[tuple[int, Piece]] = [
        (number, piece) for number, body in enumerate(bodies, start=1) for piece in body.pieces
    ]
    pieces.sort(key=lambda entry: (entry[1].order.key, entry[0]))
    order: dict[int, None] = {}
    for number, piece in pieces:
        order.setdefault(number)
        if piece.shade is not None:
            canvas.shade(piece.shade)
        if piece.sprite is not None:
            canvas.paint(piece.sprite, number if piece.own else OCCLUDER)
    truths = []
    for number in order:
        body = bodies[number - 1]
        if body.kind is None:
            continue
        sprites = [piece.sprite for piece in body.pieces if piece.own and piece.sprite is not None]
        share = canvas.count(number, sprites) / max(body.area_px, 1)
        truths.append(
            ObjectTruth(
                body.kind,
                body.id,
                body.corners_px,
                body.base_mm,
                body.rotation_deg,
                min(share, 1.0),
                body.face,
                body.back,
                body.chips,
            )
        )
    return tuple(truths)
