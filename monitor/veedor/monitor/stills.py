"""What the models see in one still picture, in the terms of `veedor read`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from veedor.monitor.colour_names import colour_name, colour_within
from veedor.monitor.eyes import Eyes
from veedor.rules.profile import load_profile
from veedor.rules.stakes import in_play
from veedor.vision.betting_places import place_of
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.footprints import CARDS, CHIPS
from veedor.vision.frames import Frame, Image
from veedor.vision.percept import Percept
from veedor.vision.reader import MIN_PROB, RANKS, SUITS
from veedor.vision.still_looks import look_at_table, look_freely
from veedor.vision.table import ChipType, Table

OTHER = {
    ObjectClass.HAND: "hand",
    ObjectClass.PALA: "pala",
    ObjectClass.CUT_CARD: "cut_card",
    ObjectClass.SHOE: "shoe",
}
_POLYGON_DECIMALS = 1  # corners are good to about a pixel
_MANY_UNITS = Decimal(400)  # can be halved twice without a rest


@dataclass(frozen=True)
class Seen:
    """A picture's objects; `base_mm` and `chip_probs` only where it was looked at as a table's."""

    image: Image
    found: Detections
    rank_probs: NDArray[np.float32]
    suit_probs: NDArray[np.float32]
    percept: Percept | None = None


def look(image: Image, eyes: Eyes, table: Table | None) -> Seen:
    """Detect and read everything; with a table by its calibration, else at several scales."""
    if table is not None:
        percept = look_at_table(Frame.from_image(0, 0.0, image), table, eyes)
        return Seen(image, percept.detections, percept.rank_probs, percept.suit_probs, percept)
    seen = look_freely(image, eyes)
    return Seen(image, seen.found, seen.rank_probs, seen.suit_probs)


def as_json(seen: Seen, path: Path, table: Table | None) -> dict[str, object]:
    """The line that `veedor read --json` prints for one picture."""
    cards, chips, other = [], [], []
    for row, class_id in enumerate(seen.found.class_ids.tolist()):
        kind = ObjectClass(class_id)
        common: dict[str, object] = {
            "polygon": np.round(seen.found.corners_px[row].astype(float), _POLYGON_DECIMALS).tolist(),
            "confidence": round(float(seen.found.scores[row]), 3),
        }
        if table is not None and seen.percept is not None:
            common |= _place(seen.percept, row, table)
        if kind in CARDS:
            cards.append(_card(seen, row, kind) | common)
        elif kind in CHIPS:
            read = _chips(seen, row, kind, table) | common
            if table is not None and seen.percept is not None:
                read |= _plays(seen.percept, row, table, read["amount"])
            chips.append(read)
        else:
            other.append({"kind": OTHER[kind]} | common)
    height, width = seen.image.shape[:2]
    head = {"image": str(path), "width": width, "height": height}
    return head | {"cards": cards, "chips": chips, "other": other}


def _card(seen: Seen, row: int, kind: ObjectClass) -> dict[str, object]:
    if kind is ObjectClass.CARD_BACK:
        back = colour_within(seen.image, seen.found.corners_px[row], 0.7)
        hidden: dict[str, object] = {"rank": "?", "suit": "?", "face": "down", "back": back}
        return hidden
    rank, suit = best(seen.rank_probs[row], RANKS), best(seen.suit_probs[row], SUITS)
    shown: dict[str, object] = {"rank": rank, "suit": suit, "face": "up", "back": None}
    return shown


def best(probs: NDArray[np.floating], names: str, sure: float = MIN_PROB) -> str:
    """The likeliest name of a distribution, `?` where it is unread or not likely enough."""
    if not len(probs) or np.isnan(probs).any() or probs.max() < sure:
        return "?"
    return names[int(probs.argmax())]


def face_of(percept: Percept, row: int, sure: float = MIN_PROB) -> str:
    """Rank and suit of a card, `?` each where it is not likely enough."""
    return best(percept.rank_probs[row], RANKS, sure) + best(percept.suit_probs[row], SUITS, sure)


def chip_of(probs: NDArray[np.floating], chips: Sequence[ChipType]) -> ChipType | None:
    """The likeliest chip of the set; None where the top was not read, or is of no chip of the set."""
    if not len(probs) or np.isnan(probs).any() or probs.max() < MIN_PROB:
        return None
    return chips[int(probs.argmax())]


def _chips(seen: Seen, row: int, kind: ObjectClass, table: Table | None) -> dict[str, object]:
    shape = "plaque" if kind is ObjectClass.PLAQUE else "round"
    unread: dict[str, object] = {"shape": shape, "values": None, "count": None, "amount": None}
    if table is None or seen.percept is None or not table.chips:
        return unread | {"colour": colour_within(seen.image, seen.found.corners_px[row], 0.8)}
    count = int(seen.percept.counts[row])
    chip = chip_of(seen.percept.chip_probs[row], table.chips)
    if chip is None:
        colour = colour_within(seen.image, seen.found.corners_px[row], 0.8)
        return unread | {"colour": colour, "count": count or None}
    read: dict[str, object] = {"shape": shape, "colour": colour_name(chip.colour_rgb)}
    if count == 0:
        return read | {"values": None, "count": None, "amount": None}
    # Only the top chip's face is seen; a stack is taken to be of one kind, as its side colours tell.
    return read | {"values": [chip.value] * count, "count": count, "amount": str(Decimal(chip.value) * count)}


def _place(percept: Percept, row: int, table: Table) -> dict[str, object]:
    x_mm, y_mm = (float(part) for part in percept.base_mm[row])
    zone = table.layout.zone_at(x_mm, y_mm)
    return {"mm": [round(x_mm, 1), round(y_mm, 1)], "zone": None if zone is None else zone.name}


def _plays(percept: Percept, row: int, table: Table, amount: object) -> dict[str, dict[str, str | None]]:
    """What a stake plays where it stands, by hand; empty where that is nothing.

    `shares` of the stake go by the place alone; `plays` in units, None for a stake that is not counted.
    """
    place = place_of(table.layout, percept.base_mm[row].astype(np.float64)).plays
    if place is None:
        return {"plays": {}, "shares": {}}
    profile = load_profile(table.profile)
    whole = in_play(place, _MANY_UNITS * (profile.amount("unit") or 1), profile)
    shares = {hand: part / (_MANY_UNITS * (profile.amount("unit") or 1)) for hand, part in whole.items()}
    told: dict[str, str | None] = dict.fromkeys(shares)
    if isinstance(amount, str):
        told = {hand: format(part, "f") for hand, part in in_play(place, Decimal(amount), profile).items()}
    return {"plays": told, "shares": {hand: format(share.normalize(), "f") for hand, share in shares.items()}}
