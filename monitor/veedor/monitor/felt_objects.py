"""What lies on the felt, from above and to scale, with what each stake plays."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray
from veedor.monitor.live_state import FeltObject
from veedor.monitor.stills import best, chip_of
from veedor.monitor.wording import amount_text
from veedor.rules.profile import RuleProfile
from veedor.rules.stakes import in_play
from veedor.vision.detections import ObjectClass
from veedor.vision.observer import Observer
from veedor.vision.percept import Percept
from veedor.vision.reader import RANKS, SUITS
from veedor.vision.stakes import Stake
from veedor.vision.table import ChipType
from veedor.vision.tracker import Family, Track

FloatArray = NDArray[np.float64]


def felt_objects(observer: Observer, percept: Percept, profile: RuleProfile) -> tuple[FeltObject, ...]:
    """Followed cards and chips, the hands of the newest look, and the words of each stake."""
    found = [_thing(track, observer) for track in observer.tracker.tracks.values()]
    hands = np.flatnonzero(percept.detections.class_ids == ObjectClass.HAND)
    for row in hands.tolist():
        x_mm, y_mm = (round(float(part), 1) for part in percept.base_mm[row])
        found.append(FeltObject(f"hand{row}", "hand", x_mm, y_mm))
    found += [_words(stake, profile) for stake in observer.stakes.stakes if stake.everything]
    return tuple(found)


def _thing(track: Track, observer: Observer) -> FeltObject:
    x_mm, y_mm = (round(float(part), 1) for part in track.base_mm)
    if track.family is Family.CARD:
        label = "??"
        if track.face_up:
            label = best(track.ranks(), RANKS) + best(track.suits(), SUITS)
        return FeltObject(f"t{track.id}", "card", x_mm, y_mm, round(track.turn_deg - 90.0, 1), label)
    kind = "plaque" if track.family is Family.PLAQUE else "chips"
    turn_deg = round(track.turn_deg, 1) if kind == "plaque" else 0.0
    return FeltObject(
        f"t{track.id}", kind, x_mm, y_mm, turn_deg, colour=felt_colour(track, observer.table.chips)
    )


def felt_colour(track: Track, chips: Sequence[ChipType]) -> str:
    """The colour of the chip that a stack or plaque is of; empty where that is not known."""
    chip = chip_of(track.chip(), chips) if track.chip_readings else None
    # Where the set has none of its shape, every chip of it is as likely.
    if chip is None or chip.plaque != (track.family is Family.PLAQUE):
        return ""
    red, green, blue = chip.colour_rgb
    return f"#{red:02x}{green:02x}{blue:02x}"


def _words(stake: Stake, profile: RuleProfile) -> FeltObject:
    amounts = [None if pile.told is None else pile.told.amount for pile in stake.piles]
    known = [amount for amount in amounts if amount is not None]
    amount = sum(known, Decimal(0)) if known and len(known) == len(amounts) else None
    parts = {} if amount is None else in_play(stake.zone, amount, profile)
    plays = " · ".join(f"{hand} {amount_text(part)}" for hand, part in parts.items())
    middle = np.mean([pile.place_mm for pile in stake.everything], axis=0)
    x_mm, y_mm = (round(float(part), 1) for part in middle)
    return FeltObject(stake.bet, "stake", x_mm, y_mm, 0.0, amount_text(amount), "", plays)
