"""The weights, end to end, on a labelled set: every picture detected, read and, at a known table, placed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.models.errors import EvaluationError
from veedor.models.figures import Figure
from veedor.models.labels import LabelledPicture, LabelledSet
from veedor.models.model_files import ModelSet
from veedor.models.scoring import (
    CardOutcome,
    FoundCard,
    FoundChips,
    FoundThings,
    SetScores,
    Shares,
    buckets,
    precision,
    score_set,
    shares,
)
from veedor.vision import still_looks
from veedor.vision.betting_places import place_of
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.footprints import CARDS, CHIPS
from veedor.vision.frames import Frame
from veedor.vision.percept import Percept
from veedor.vision.reader import RANKS, SUITS
from veedor.vision.table import Table

Image = NDArray[np.uint8]


def evaluate(
    labelled: LabelledSet,
    models: ModelSet,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> SetScores:
    """Look at every picture of the set and score what was seen; `progress` hears (done, total).

    A picture that has a table is looked at as that table's, any other in several sizes.
    """
    found = []
    for index, picture in enumerate(labelled.pictures):
        progress(index, len(labelled.pictures))
        image = read_picture(picture)
        table = picture.table
        started = time.perf_counter()
        things = look(image, models) if table is None else look_at_table(image, table, models)
        found.append(replace(things, took_ms=1000 * (time.perf_counter() - started)))
    progress(len(labelled.pictures), len(labelled.pictures))
    return score_set(labelled, found)


def read_picture(picture: LabelledPicture) -> Image:
    """The picture, BGR uint8; EvaluationError if it cannot be read."""
    if picture.image is not None:
        return picture.image
    image = cv2.imread(str(picture.path), cv2.IMREAD_COLOR)
    if image is None:
        raise EvaluationError(f"{picture.path}: not a readable picture")
    return np.asarray(image, dtype=np.uint8)


def look(image: Image, models: ModelSet) -> FoundThings:
    """The cards and chips of one picture whose scale is not known."""
    seen = still_looks.look_freely(image, models)
    chips = tuple(_bare_chips(seen.found, row) for row in _rows(seen.found, *CHIPS))
    cards = _cards(seen.found, seen.rank_probs, seen.suit_probs)
    return FoundThings(cards, chips, (image.shape[1], image.shape[0]))


def look_at_table(image: Image, table: Table, models: ModelSet) -> FoundThings:
    """The cards and chips of one picture of a calibrated table, read as `veedor read --table` reads it."""
    percept = still_looks.look_at_table(Frame.from_image(0, 0.0, image), table, models)
    found = percept.detections
    chips = tuple(_placed_chips(percept, row, table) for row in _rows(found, *CHIPS))
    cards = _cards(found, percept.rank_probs, percept.suit_probs)
    return FoundThings(cards, chips, (image.shape[1], image.shape[0]))


def _rows(found: Detections, *kinds: ObjectClass) -> list[int]:
    rows: list[int] = np.flatnonzero(np.isin(found.class_ids, kinds)).tolist()
    return rows


def _cards(
    found: Detections, ranks: NDArray[np.float32], suits: NDArray[np.float32]
) -> tuple[FoundCard, ...]:
    cards = []
    for row in _rows(found, *CARDS):
        corners, score = found.corners_px[row].astype(np.float64), float(found.scores[row])
        if found.class_ids[row] == ObjectClass.CARD_BACK or np.isnan(ranks[row]).any():
            up = bool(found.class_ids[row] == ObjectClass.CARD_FACE)
            cards.append(FoundCard(corners, score, up))
            continue
        rank, suit = int(ranks[row].argmax()), int(suits[row].argmax())
        sure = float(ranks[row][rank]), float(suits[row][suit])
        cards.append(FoundCard(corners, score, True, RANKS[rank], SUITS[suit], *sure))
    return tuple(cards)


def _bare_chips(found: Detections, row: int) -> FoundChips:
    plaque = bool(found.class_ids[row] == ObjectClass.PLAQUE)
    return FoundChips(found.corners_px[row].astype(np.float64), float(found.scores[row]), plaque)


def _placed_chips(percept: Percept, row: int, table: Table) -> FoundChips:
    base = percept.base_mm[row].astype(np.float64)
    probs = percept.chip_probs[row]
    value = table.chips[int(probs.argmax())].value if len(probs) and not np.isnan(probs).any() else None
    return replace(
        _bare_chips(percept.detections, row),
        value=value,
        count=int(percept.counts[row]) or None,
        plays=place_of(table.layout, base).plays,
        base_mm=base,
    )


def as_json(scores: SetScores, figures: Sequence[Figure] = ()) -> dict[str, Any]:
    """The scores as `veedor evaluate --json` prints them; corners in px of the stored picture."""
    total = shares(scores.outcomes)
    return {
        "set": scores.name,
        "pictures": scores.pictures,
        **_shares_json(total),
        "precision": rounded(precision(scores)),
        "false": len(scores.false_cards),
        "chips": scores.chips,
        "chips_recall": rounded(scores.chips_found / scores.chips if scores.chips else None),
        "by_width_px": [
            {"from": low, "to": high, **_shares_json(part)} for (low, high), part in buckets(scores.outcomes)
        ],
        "misses": [_miss_json(each) for each in scores.outcomes if each.found is None],
        "misread": [_misread_json(each) for each in scores.outcomes if _misread(each)],
        "false_cards": [
            {"picture": name, "polygon": _polygon(card.corners_px), "confidence": round(card.score, 3)}
            for name, card in scores.false_cards
        ],
        "figures": {
            each.name: {"right": each.right, "of": each.n, "target": each.target, "holds": each.holds}
            for each in figures
        },
    }


def _misread(outcome: CardOutcome) -> bool:
    if outcome.found is None:
        return False
    label = outcome.label
    wrong_rank = label.rank is not None and not outcome.rank_right
    wrong_suit = label.suit is not None and not outcome.suit_right
    return wrong_rank or wrong_suit or (label.face_up is not None and not outcome.face_right)


def _shares_json(part: Shares) -> dict[str, Any]:
    return {
        "cards": part.cards,
        "recall": rounded(part.recall),
        "rank_right": rounded(part.rank_right),
        "suit_right": rounded(part.suit_right),
        "face_right": rounded(part.face_right),
    }


def _miss_json(outcome: CardOutcome) -> dict[str, Any]:
    return {
        "picture": outcome.picture,
        "card": card_name(outcome.label.rank, outcome.label.suit, outcome.label.face_up),
        "polygon": _polygon(outcome.label.corners_px),
        "width_px": round(outcome.width_px, 1),
    }


def _misread_json(outcome: CardOutcome) -> dict[str, Any]:
    found = outcome.found
    assert found is not None
    return _miss_json(outcome) | {
        "read": card_name(found.rank, found.suit, found.face_up),
        "confidence": round(found.score, 3),
        "iou": round(outcome.iou, 3),
    }


def card_name(rank: str | None, suit: str | None, face_up: bool | None) -> str:
    """`7H`, with `?` for what is not known, or `back`."""
    return "back" if face_up is False else f"{rank or '?'}{suit or '?'}"


def _polygon(corners: NDArray[np.float64]) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in corners]


def rounded(value: float | None) -> float | None:
    """A share as files have it."""
    return None if value is None else round(value, 4)
