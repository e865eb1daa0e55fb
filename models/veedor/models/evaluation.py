"""The shipped weights, end to end, on a labelled set: every picture detected at several scales and read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.models.errors import EvaluationError
from veedor.models.labelled_sets import LabelledPicture, LabelledSet
from veedor.models.scoring import (
    CardOutcome,
    FoundCard,
    FoundThings,
    SetScores,
    Shares,
    buckets,
    precision,
    score_set,
    shares,
)
from veedor.vision.detections import ObjectClass
from veedor.vision.detector import Detector
from veedor.vision.reader import RANKS, SUITS, Reader


def evaluate(
    labelled: LabelledSet,
    detector: Detector,
    reader: Reader,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> SetScores:
    """Look at every picture of the set and score what was seen; `progress` hears (done, total)."""
    found = []
    for index, picture in enumerate(labelled.pictures):
        progress(index, len(labelled.pictures))
        found.append(look(read_picture(picture), detector, reader))
    progress(len(labelled.pictures), len(labelled.pictures))
    return score_set(labelled, found)


def read_picture(picture: LabelledPicture) -> NDArray[np.uint8]:
    """The picture, BGR uint8; EvaluationError if it cannot be read."""
    image = cv2.imread(str(picture.path), cv2.IMREAD_COLOR)
    if image is None:
        raise EvaluationError(f"{picture.path}: not a readable picture")
    return np.asarray(image, dtype=np.uint8)


def look(image: NDArray[np.uint8], detector: Detector, reader: Reader) -> FoundThings:
    """The cards and chips of one picture whose scale is not known."""
    found = detector.detect_at_scales(image)
    face = found.class_ids == ObjectClass.CARD_FACE
    rows = np.flatnonzero(face | (found.class_ids == ObjectClass.CARD_BACK))
    faces = np.flatnonzero(face)
    readings = reader.read_cards(image, found.corners_px[faces])
    names: dict[int, tuple[str, str]] = {}
    for place, row in enumerate(faces):
        rank = RANKS[int(readings.rank_probs[place].argmax())]
        names[int(row)] = (rank, SUITS[int(readings.suit_probs[place].argmax())])
    cards = tuple(
        FoundCard(
            found.corners_px[row].astype(np.float64),
            float(found.scores[row]),
            bool(face[row]),
            *names.get(int(row), (None, None)),
        )
        for row in rows
    )
    chips = (found.class_ids == ObjectClass.CHIP_STACK) | (found.class_ids == ObjectClass.PLAQUE)
    size = (image.shape[1], image.shape[0])
    return FoundThings(cards, found.corners_px[chips].astype(np.float64), size)


def as_json(scores: SetScores) -> dict[str, Any]:
    """The scores as `veedor evaluate --json` prints them; corners in px of the stored picture."""
    total = shares(scores.outcomes)
    return {
        "set": scores.name,
        "pictures": scores.pictures,
        **_shares_json(total),
        "precision": _rounded(precision(scores)),
        "false": len(scores.false_cards),
        "chips": scores.chips,
        "chips_recall": _rounded(scores.chips_found / scores.chips if scores.chips else None),
        "by_width_px": [
            {"from": low, "to": high, **_shares_json(part)} for (low, high), part in buckets(scores.outcomes)
        ],
        "misses": [_miss_json(each) for each in scores.outcomes if each.found is None],
        "misread": [_misread_json(each) for each in scores.outcomes if _misread(each)],
        "false_cards": [
            {"picture": name, "polygon": _polygon(card.corners_px), "confidence": round(card.score, 3)}
            for name, card in scores.false_cards
        ],
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
        "recall": _rounded(part.recall),
        "rank_right": _rounded(part.rank_right),
        "suit_right": _rounded(part.suit_right),
        "face_right": _rounded(part.face_right),
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


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
