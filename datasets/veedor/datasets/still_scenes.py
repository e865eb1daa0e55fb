"""Arrangements of cards, chips, hands and other things by chance, for pictures that train a detector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from veedor.datasets.art import RANKS, SUITS
from veedor.datasets.render.clutter import KINDS, ClutterPose
from veedor.datasets.render.props import ShoePose
from veedor.datasets.scene import (
    CardPose,
    ChipStyle,
    HandPose,
    HandPosePlan,
    PalaPose,
    PlaquePose,
    StackPose,
)  # fmt: skip

FloatArray = NDArray[np.float64]
Rng = np.random.Generator

PRINT_REACH_MM = 220.0
ALL_CARDS = tuple(rank + suit for rank in RANKS for suit in SUITS)


@dataclass
class Arrangement:
    """A scene in the making; positions in table mm."""

    cards: list[CardPose] = field(default_factory=list)
    stacks: list[StackPose] = field(default_factory=list)
    plaques: list[PlaquePose] = field(default_factory=list)
    hands: list[HandPosePlan] = field(default_factory=list)
    palas: list[PalaPose] = field(default_factory=list)
    cut_cards: list[CardPose] = field(default_factory=list)
    shoes: list[ShoePose] = field(default_factory=list)
    clutter: list[ClutterPose] = field(default_factory=list)
    moving: dict[str, tuple[float, float]] = field(default_factory=dict)  # card id -> mm moved in an exposure


@dataclass(frozen=True)
class Stock:
    """What may be laid out: card faces, back colours, chips, and how many skins and sleeves there are.

    `print_mm` are places on printed lines, numbers and words, where chips are hardest to tell from the cloth.
    """

    faces: Sequence[str]
    backs: Sequence[str]
    chips: Sequence[ChipStyle]
    skins: int
    sleeves: int
    print_mm: tuple[tuple[float, float], ...] = ()


class Arranger:
    """Lays groups of things at places, every one turned by chance."""

    def __init__(self, rng: Rng, stock: Stock) -> None:
        self._rng = rng
        self._stock = stock
        self._number = 0
        self._layer = 0
        # Within one picture cards mostly look one way up, as they do on a table.
        self._face_share = float(rng.choice([0.15, 0.5, 0.8, 0.95]))
        self._back = str(stock.backs[int(rng.integers(len(stock.backs)))])
        self.scene = Arrangement()

    def lay(self, x_mm: float, y_mm: float) -> None:
        """One group of some kind about a place."""
        groups: tuple[tuple[Callable[[float, float], None], float], ...] = (
            (self._side_by_side, 0.2), (self._crossed, 0.12), (self._single, 0.12), (self._fan, 0.07),
            (self._overlapping, 0.11), (self._chips_on_print, 0.14),
            (self._rows, 0.07), (self._pile, 0.05), (self._turning, 0.06), (self._held, 0.08),
            (self._covered, 0.06), (self._at_shoe, 0.09), (self._chips, 0.26), (self._plaques, 0.05),
            (self._on_pala, 0.08),
            (self._cut, 0.06), (self._pack, 0.02), (self._hand_alone, 0.05), (self._things, 0.09),
        )  # fmt: skip
        chances = np.array([weight for _, weight in groups])
        groups[int(self._rng.choice(len(groups), p=chances / chances.sum()))][0](x_mm, y_mm)

    def _id(self, kind: str) -> str:
        self._number += 1
        # The picture's own chance is part of every id, because bends and skins are drawn from ids.
        return f"{kind}{self._number}-{int(self._rng.integers(1 << 30))}"

    def _turn(self) -> float:
        return float(self._rng.uniform(0, 360))

    def _card(
        self, x: float, y: float, rotation: float, *, z_mm: float = 0.0, face_up: bool | None = None
    ) -> CardPose:
        rng = self._rng
        self._layer += 1
        up = rng.random() < self._face_share if face_up is None else face_up
        back = (
            self._back
            if rng.random() < 0.9
            else str(self._stock.backs[int(rng.integers(len(self._stock.backs)))])
        )
        face = str(self._stock.faces[int(rng.integers(len(self._stock.faces)))])
        card = CardPose(
            self._id("c"), face, back, x, y, z_mm, rotation + (180.0 if rng.random() < 0.5 else 0.0),
            180.0 if up else 0.0, self._layer,
        )  # fmt: skip
        self.scene.cards.append(card)
        return card

    def _along(self, x: float, y: float, angle: float, steps: Sequence[float]) -> list[tuple[float, float]]:
        way = np.deg2rad(angle)
        return [(x + step * np.cos(way), y + step * np.sin(way)) for step in steps]

    def _side_by_side(self, x: float, y: float) -> None:
        rng = self._rng
        turn, count = self._turn(), int(rng.integers(2, 4))
        gap = 63 + float(rng.uniform(2, 18)) if rng.random() < 0.7 else float(rng.uniform(18, 63))
        for place in self._along(x, y, turn, [gap * (number - (count - 1) / 2) for number in range(count)]):
            drift = rng.normal(0, 3, 2)
            self._card(place[0] + drift[0], place[1] + drift[1], turn + float(rng.normal(0, 4)))

    def _crossed(self, x: float, y: float) -> None:
        rng = self._rng
        turn = self._turn()
        shift = rng.normal(0, 14, 2)
        self._card(x, y, turn)
        self._card(x + shift[0], y + shift[1], turn + float(rng.uniform(25, 155)))
        if rng.random() < 0.25:
            place = self._along(x, y, turn, [float(rng.uniform(80, 110))])[0]
            self._card(place[0], place[1], turn + float(rng.choice([0.0, 90.0])))

    def _overlapping(self, x: float, y: float) -> None:
        """Cards of one direction partly on one another, down to two that stick together."""
        rng = self._rng
        turn, way = self._turn(), self._turn()
        step = float(rng.uniform(3, 10)) if rng.random() < 0.3 else float(rng.uniform(10, 55))
        lean = 2.0 if step < 10 else 9.0
        for place in self._along(x, y, way, [step * number for number in range(int(rng.choice([2, 2, 3])))]):
            self._card(place[0], place[1], turn + float(rng.normal(0, lean)))

    def _single(self, x: float, y: float) -> None:
        card = self._card(x, y, self._turn())
        if self._rng.random() < 0.12:
            step = self._rng.normal(0, 22, 2)
            self.scene.moving[card.id] = (float(step[0]), float(step[1]))

    def _fan(self, x: float, y: float) -> None:
        rng = self._rng
        turn, count = self._turn(), int(rng.integers(3, 8))
        spread, radius = float(rng.uniform(8, 24)), float(rng.uniform(60, 130))
        for number in range(count):
            lean = turn + spread * (number - (count - 1) / 2)
            way = np.deg2rad(lean + 90)
            self._card(x + radius * np.cos(way), y + radius * np.sin(way), lean)

    def _rows(self, x: float, y: float) -> None:
        rng = self._rng
        turn = self._turn() if rng.random() < 0.6 else float(rng.normal(0, 6))
        columns, rows = int(rng.integers(2, 6)), int(rng.integers(1, 4))
        pitch = (63 + float(rng.uniform(4, 70)), 88 + float(rng.uniform(4, 60)))
        if rng.random() < 0.3:
            pitch = (float(rng.uniform(16, 50)), pitch[1])
        for row in range(rows):
            start = self._along(x, y, turn + 90, [pitch[1] * (row - (rows - 1) / 2)])[0]
            for place in self._along(
                *start, turn, [pitch[0] * (number - (columns - 1) / 2) for number in range(columns)]
            ):
                drift = rng.normal(0, 4, 2)
                self._card(place[0] + drift[0], place[1] + drift[1], turn + float(rng.normal(0, 3)))

    def _pile(self, x: float, y: float) -> None:
        rng = self._rng
        wide = float(rng.uniform(20, 60))
        for number in range(int(rng.integers(4, 11))):
            drift = rng.normal(0, wide, 2)
            self._card(x + drift[0], y + drift[1], self._turn(), z_mm=0.3 * number)

    def _turning(self, x: float, y: float) -> None:
        rng = self._rng
        card = self._card(x, y, self._turn(), z_mm=float(rng.uniform(0, 25)))
        tilt = float(rng.uniform(15, 165))
        self.scene.cards[-1] = replace(card, turn_deg=tilt)
        if rng.random() < 0.6:
            self._hand(x, y, card.z_mm, reach=45.0, pose=HandPose.PINCH)

    def _held(self, x: float, y: float) -> None:
        rng = self._rng
        turn, height = self._turn(), float(rng.uniform(4, 60))
        count = int(rng.integers(1, 4))
        hand = self._hand(x, y, height - 3.0, reach=0.0, pose=HandPose.PINCH)
        # The fingers hold a card by its near edge.
        for number in range(count):
            ahead = self._along(x, y, hand.from_deg + 180, [float(rng.uniform(14, 40))])[0]
            self._card(ahead[0], ahead[1], turn + 18.0 * number, z_mm=height + 0.4 * number)

    def _covered(self, x: float, y: float) -> None:
        rng = self._rng
        turn = self._turn()
        for place in self._along(x, y, turn, [-36.0, 36.0]):
            self._card(place[0], place[1], turn + float(rng.normal(0, 6)))
        self._hand(x, y, float(rng.uniform(0, 10)), reach=55.0)

    def _hand_alone(self, x: float, y: float) -> None:
        self._hand(x, y, float(self._rng.uniform(0, 60)), reach=0.0)

    def _hand(
        self, x: float, y: float, z_mm: float, *, reach: float, pose: HandPose | None = None
    ) -> HandPosePlan:
        rng = self._rng
        drift = rng.normal(0, max(reach, 1e-3), 2)
        chosen = HandPose(str(rng.choice([kind.value for kind in HandPose]))) if pose is None else pose
        hand = HandPosePlan(
            self._id("h"), x + drift[0], y + drift[1], z_mm, self._turn(), chosen, bool(rng.random() < 0.5),
            int(rng.integers(self._stock.skins)), int(rng.integers(self._stock.sleeves)),
        )  # fmt: skip
        self.scene.hands.append(hand)
        return hand

    def _at_shoe(self, x: float, y: float) -> None:
        rng = self._rng
        turn = self._turn()
        self.scene.shoes.append(ShoePose(x, y, turn, int(rng.integers(64))))
        if rng.random() < 0.8:
            ahead = self._along(x, y, turn, [44 + float(rng.uniform(-60, 60))])[0]
            self._card(
                ahead[0], ahead[1], turn + 90 + float(rng.normal(0, 5)), face_up=bool(rng.random() < 0.15)
            )
            if rng.random() < 0.3:
                self._hand(ahead[0], ahead[1], 2.0, reach=15.0)

    def _chip_names(self, count: int) -> tuple[str, ...]:
        names = [style.name for style in self._stock.chips if not style.plaque]
        if self._rng.random() < 0.6:
            return (str(names[int(self._rng.integers(len(names)))]),) * count
        return tuple(str(names[int(index)]) for index in self._rng.integers(0, len(names), count))

    def _chips(self, x: float, y: float) -> None:
        rng = self._rng
        kind = rng.random()
        if kind < 0.45:  # a row of few
            count = int(rng.integers(1, 6))
            pitch = 40 + float(rng.exponential(8))
            for place in self._along(x, y, self._turn(), [pitch * number for number in range(count)]):
                tall = 1 if rng.random() < 0.6 else int(rng.integers(2, 6))
                self._stack(place, tall)
        elif kind < 0.8:  # a bank of stacks
            count = int(rng.integers(2, 8))
            for _ in range(count):
                drift = rng.normal(0, 70, 2)
                self._stack((x + drift[0], y + drift[1]), 1 + int(rng.exponential(6)))
        else:  # strewn
            for _ in range(int(rng.integers(3, 10))):
                drift = rng.normal(0, 60, 2)
                self._stack((x + drift[0], y + drift[1]), 1)

    def _chips_on_print(self, x: float, y: float) -> None:
        """Single chips, small stacks and rows on what is printed nearby."""
        rng = self._rng
        near = [spot for spot in self._stock.print_mm if np.hypot(spot[0] - x, spot[1] - y) < PRINT_REACH_MM]
        if not near:
            self._chips(x, y)
            return
        for _ in range(int(rng.integers(1, 4))):
            spot = near[int(rng.integers(len(near)))]
            drift = rng.normal(0, 14, 2)
            turn = self._turn()
            for place in self._along(
                spot[0] + drift[0], spot[1] + drift[1], turn,
                [41.0 * number for number in range(int(rng.choice([1, 1, 2, 3])))],
            ):  # fmt: skip
                self._stack(place, 1 if rng.random() < 0.6 else int(rng.integers(2, 6)))

    def _stack(self, place: tuple[float, float], count: int) -> None:
        others = [(stack.x_mm, stack.y_mm) for stack in self.scene.stacks]
        if any(np.hypot(place[0] - a, place[1] - b) < 40.5 for a, b in others):
            return
        chips = self._chip_names(min(count, 20))
        self.scene.stacks.append(StackPose(self._id("s"), chips, place[0], place[1], 0.0, self._turn()))

    def _plaques(self, x: float, y: float) -> None:
        rng = self._rng
        turn = self._turn()
        names = [style.name for style in self._stock.chips if style.plaque]
        for number in range(int(rng.integers(1, 4))):
            place = self._along(x, y, turn, [float(rng.uniform(20, 100)) * number])[0]
            name = str(names[int(rng.integers(len(names)))])
            lean = turn + float(rng.normal(0, 25))
            self.scene.plaques.append(PlaquePose(self._id("q"), name, place[0], place[1], 3.4 * number, lean))

    def _on_pala(self, x: float, y: float) -> None:
        rng = self._rng
        pala = PalaPose(x, y, float(rng.uniform(2, 8)), self._turn())
        self.scene.palas.append(pala)
        for _ in range(int(rng.integers(0, 3))):
            drift = rng.normal(0, 18, 2)
            self._card(
                x + drift[0],
                y + drift[1],
                pala.handle_deg + 90 + float(rng.normal(0, 20)),
                z_mm=pala.z_mm + 2.0,
            )

    def _cut(self, x: float, y: float) -> None:
        self._layer += 1
        self.scene.cut_cards.append(
            CardPose(self._id("x"), "", "", x, y, 0.0, self._turn(), 0.0, self._layer)
        )

    def _pack(self, x: float, y: float) -> None:
        turn, face_up = self._turn(), bool(self._rng.random() < 0.3)
        for number in range(int(self._rng.integers(4, 12))):
            drift = self._rng.normal(0, 0.8, 2)
            self._card(x + drift[0], y + drift[1], turn, z_mm=2.5 * number, face_up=face_up)

    def _things(self, x: float, y: float) -> None:
        rng = self._rng
        for _ in range(int(rng.integers(1, 4))):
            drift = rng.normal(0, 70, 2)
            kind = KINDS[int(rng.integers(len(KINDS)))]
            self.scene.clutter.append(
                ClutterPose(
                    self._id("d"), kind, int(rng.integers(40)), x + drift[0], y + drift[1], self._turn()
                )
            )
