"""What was found against what is there: who matches whom, and what shares follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from veedor.models.labels import CardLabel, ChipLabel, LabelledPicture, LabelledSet, upright
from veedor.vision.obb import iou_matrix

FloatArray = NDArray[np.float64]

MATCH_IOU = 0.5
WIDTH_BUCKETS_PX = (0, 26, 34, 50, 80, 10_000)
_EDGE_PX = 3.0


@dataclass(frozen=True)
class FoundCard:
    """One card as the weights see it; `rank` and `suit` are the likeliest ones, None for a back."""

    corners_px: FloatArray
    score: float
    face_up: bool
    rank: str | None = None
    suit: str | None = None
    rank_prob: float | None = None
    suit_prob: float | None = None


@dataclass(frozen=True)
class FoundChips:
    """One stack or plaque. The rest is known at a calibrated table: `value` of the top chip, the `count`
    where it is told, and what its base `plays` in the terms of the journal.
    """

    corners_px: FloatArray
    score: float
    plaque: bool
    value: int | None = None
    count: int | None = None
    plays: str | None = None
    base_mm: FloatArray | None = None


@dataclass(frozen=True)
class FoundThings:
    """What was found in one picture. `size` is width, height; `took_ms` how long the look took."""

    cards: tuple[FoundCard, ...]
    chips: tuple[FoundChips, ...]
    size: tuple[int, int]
    took_ms: float = 0.0


@dataclass(frozen=True)
class CardOutcome:
    """What became of one true card that was asked for; `found` is None for a miss.

    `number` counts the picture's labels, so that two looks at one picture can be compared card by card.
    """

    picture: str
    number: int
    label: CardLabel
    found: FoundCard | None
    iou: float

    @property
    def key(self) -> str:
        return f"{self.picture}#{self.number}"

    @property
    def width_px(self) -> float:
        return self.label.width_px

    @property
    def rank_right(self) -> bool:
        return self.found is not None and self.found.rank == self.label.rank

    @property
    def suit_right(self) -> bool:
        return self.found is not None and self.found.suit == self.label.suit

    @property
    def face_right(self) -> bool:
        return self.found is not None and self.found.face_up == self.label.face_up


@dataclass(frozen=True)
class ChipOutcome:
    """What became of one true stack or plaque that was asked for."""

    picture: str
    number: int
    label: ChipLabel
    found: FoundChips | None

    @property
    def key(self) -> str:
        return f"{self.picture}#{self.number}"


@dataclass(frozen=True)
class SetScores:
    """Everything measured on one set. `false_cards`, `false_chips` were found where nothing is."""

    name: str
    pictures: int
    outcomes: tuple[CardOutcome, ...]
    false_cards: tuple[tuple[str, FoundCard], ...]
    chip_outcomes: tuple[ChipOutcome, ...]
    false_chips: tuple[tuple[str, FoundChips], ...]
    took_ms: tuple[float, ...] = ()

    @property
    def chips(self) -> int:
        return len(self.chip_outcomes)

    @property
    def chips_found(self) -> int:
        return sum(each.found is not None for each in self.chip_outcomes)


def match(truth: FloatArray, found: FloatArray, scores: FloatArray) -> dict[int, tuple[int, float]]:
    """True index to found index and IoU: the best-scored found box takes the free truth it covers best."""
    overlap = iou_matrix(truth, found)
    taken: dict[int, tuple[int, float]] = {}
    for column in np.argsort(-scores, kind="stable"):
        free = [row for row in range(len(truth)) if row not in taken and overlap[row, column] >= MATCH_IOU]
        if free:
            row = max(free, key=lambda each: overlap[each, column])
            taken[row] = (int(column), float(overlap[row, column]))
    return taken


def score_set(labelled: LabelledSet, found: Sequence[FoundThings]) -> SetScores:
    """Match picture by picture; `found` is in the order of the set's pictures."""
    outcomes: list[CardOutcome] = []
    chip_outcomes: list[ChipOutcome] = []
    false_cards: list[tuple[str, FoundCard]] = []
    false_chips: list[tuple[str, FoundChips]] = []
    for picture, things in zip(labelled.pictures, found, strict=True):
        name = picture.path.name
        good, bad = _score_cards(labelled, picture, things)
        outcomes.extend(good)
        false_cards.extend((name, card) for card in bad)
        chips, loose = _score_chips(picture, things)
        chip_outcomes.extend(chips)
        false_chips.extend((name, chip) for chip in loose)
    return SetScores(
        labelled.name,
        len(labelled.pictures),
        tuple(outcomes),
        tuple(false_cards),
        tuple(chip_outcomes),
        tuple(false_chips),
        tuple(things.took_ms for things in found),
    )


def _score_cards(
    labelled: LabelledSet, picture: LabelledPicture, things: FoundThings
) -> tuple[list[CardOutcome], list[FoundCard]]:
    truth = _stacked([card.corners_px for card in picture.cards])
    boxes = whole = _stacked([card.corners_px for card in things.cards])
    if labelled.upright_boxes:
        boxes = _upright_inside(boxes, things.size)
    taken = match(truth, boxes, np.array([card.score for card in things.cards]))
    outcomes = []
    for index, label in enumerate(picture.cards):
        if label.asked:
            column, overlap = taken.get(index, (None, 0.0))
            card = None if column is None else things.cards[column]
            outcomes.append(CardOutcome(picture.path.name, index, label, card, overlap))
    used = {column for column, _ in taken.values()}
    loose = [index for index in range(len(boxes)) if index not in used]
    if labelled.edge_unlabelled:
        loose = [index for index in loose if not _cut_by_edge(whole[index], things.size)]
    return outcomes, [things.cards[index] for index in loose]


def _score_chips(picture: LabelledPicture, things: FoundThings) -> tuple[list[ChipOutcome], list[FoundChips]]:
    truth = _stacked([chip.corners_px for chip in picture.chips])
    boxes = _stacked([chip.corners_px for chip in things.chips])
    taken = match(truth, boxes, np.array([chip.score for chip in things.chips]))
    outcomes = [
        ChipOutcome(
            picture.path.name, index, label, things.chips[taken[index][0]] if index in taken else None
        )
        for index, label in enumerate(picture.chips)
        if label.asked
    ]
    used = {column for column, _ in taken.values()}
    return outcomes, [chip for index, chip in enumerate(things.chips) if index not in used]


def _stacked(quads: Sequence[FloatArray]) -> FloatArray:
    return np.array(quads, dtype=np.float64).reshape(-1, 4, 2)


def _upright_inside(quads: FloatArray, size: tuple[int, int]) -> FloatArray:
    """The axis-aligned boxes round `quads`, as far as they lie in the picture."""
    limit = np.array(size, dtype=np.float64) - 1
    low = np.clip(quads.min(axis=1), 0, limit) if len(quads) else np.zeros((0, 2))
    high = np.clip(quads.max(axis=1), 0, limit) if len(quads) else np.zeros((0, 2))
    return _stacked([upright(box) for box in np.hstack([low, high])])


def _cut_by_edge(quad: FloatArray, size: tuple[int, int]) -> bool:
    limit = np.array(size, dtype=np.float64) - 1 - _EDGE_PX
    return bool((quad < _EDGE_PX).any() or (quad > limit).any())


@dataclass(frozen=True)
class Shares:
    """Shares in 0..1 of some cards, None where there is nothing to divide by or the set does not say."""

    cards: int
    recall: float | None
    rank_right: float | None
    suit_right: float | None
    face_right: float | None


def shares(outcomes: Sequence[CardOutcome]) -> Shares:
    """Of all cards asked for, found or not: rank and suit count over face-up cards whose label says them."""
    ranked = [each.rank_right for each in outcomes if each.label.rank is not None]
    suited = [each.suit_right for each in outcomes if each.label.suit is not None]
    faced = [each.face_right for each in outcomes if each.label.face_up is not None]
    found = [each.found is not None for each in outcomes]
    return Shares(len(outcomes), _share(found), _share(ranked), _share(suited), _share(faced))


def precision(scores: SetScores) -> float | None:
    """Found cards that are cards, among all found (a card not asked for counts neither way)."""
    right = sum(each.found is not None for each in scores.outcomes)
    return _share([True] * right + [False] * len(scores.false_cards))


def buckets(outcomes: Sequence[CardOutcome]) -> list[tuple[tuple[int, int], Shares]]:
    """Shares by the card's width in px, low included, high not; empty ranges left out."""
    result = []
    for low, high in pairwise(WIDTH_BUCKETS_PX):
        inside = [each for each in outcomes if low <= each.width_px < high]
        if inside:
            result.append(((low, high), shares(inside)))
    return result


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None
