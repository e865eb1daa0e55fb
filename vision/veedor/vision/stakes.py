"""Stakes on the felt: the piles that belong together and what has been put beside them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray
from veedor.vision.chip_amounts import UNEXPECTED, ChipAmounts, PileReading
from veedor.vision.percept import TALLEST
from veedor.vision.tracker import Family, Track

FloatArray = NDArray[np.float64]


WORTH_LOOKS = 2  # readings of every pile before it is told
FAINT_PILE = 0.6  # of the detector; chips of payments score 0.85 to 0.95
OVERLOOKED = 0.3  # nobody is accused over a pile that was seen late or badly
FAINT_SCORE = 0.45  # a pile seen no better may be a letter of the print
NAMED = 0.8  # a chip that is one of the set is told from the others more surely than this
MISTAKEN = 0.25  # weight of a croupier's mistake against that of a wrong reading
MISSING_MM = 75.0  # between the middles of neighbours in a row: another chip would have room there
TWO_PITCHES_MM = 130.0
SELDOM = 0.1  # weight of a pile's being left at another height than usual


@dataclass
class Pile:
    """Chips on one another: the track that shows them, what was last told of them."""

    track: Track
    told: PileReading | None = None

    @property
    def place_mm(self) -> FloatArray:
        return self.track.base_mm

    @property
    def is_single(self) -> bool:
        """Whether it is one chip, as far as told."""
        return self.told is not None and self.told.count == 1


@dataclass
class Group:
    """Piles put down together, not told yet; `grown_at` is when the last of them came."""

    piles: list[Pile]
    grown_at: float
    stake: Stake | None = None

    @property
    def rested_at(self) -> float:
        return max(pile.track.rested_at or 0.0 for pile in self.piles)

    @property
    def frames(self) -> tuple[int, int]:
        tracks = [pile.track for pile in self.piles]
        return min(track.rest_frame for track in tracks), max(track.last_frame for track in tracks)

    @property
    def middle_mm(self) -> FloatArray:
        return np.asarray(np.mean([pile.place_mm for pile in self.piles], axis=0), np.float64)

    @property
    def ceiling(self) -> float:
        """How sure what is told of the group can be at most, by how well its piles were seen."""
        read = all(pile.track.chip_readings >= WORTH_LOOKS for pile in self.piles)
        clear = all(pile.track.score >= FAINT_SCORE for pile in self.piles)
        return 1.0 if read and clear and not has_gap(self.piles) else OVERLOOKED

    def gap_mm(self, point_mm: FloatArray) -> float:
        return gap_mm(self.piles, point_mm)


@dataclass
class Stake:
    """A stake that was told. `beside` is what the croupier put next to it, `paid` whether he ever has.

    `doubted`: a pile came to light that may be its own or another stake's.
    """

    bet: str
    zone: str
    bettor: str | None
    piles: list[Pile]
    placed_at: float
    beside: list[Pile] = field(default_factory=list)
    doubted: bool = False
    paid: bool = False

    @property
    def everything(self) -> list[Pile]:
        return self.piles + self.beside

    def is_one_with(self, other: Stake) -> bool:
        """Whether the two may be one stake whose middle was missed."""
        near = min(self.gap_mm(pile.place_mm) for pile in other.piles)
        return (self.bettor, self.zone) == (other.bettor, other.zone) and near < TWO_PITCHES_MM

    def gap_mm(self, point_mm: FloatArray) -> float:
        return gap_mm(self.everything, point_mm)


def has_gap(piles: Sequence[Pile]) -> bool:
    """Whether a row of piles has room for one that was missed."""
    joined, rest = list(piles[:1]), list(piles[1:])
    while rest:
        gap, nearest = min((gap_mm(joined, pile.place_mm), number) for number, pile in enumerate(rest))
        if gap > MISSING_MM and rest[nearest].track.family is Family.CHIP:
            return True
        joined.append(rest.pop(nearest))
    return False


def gap_mm(piles: Iterable[Pile], point_mm: FloatArray) -> float:
    """Distance from a point to the nearest pile's base, infinite without piles."""
    return min((pile.track.distance_mm(point_mm) for pile in piles), default=np.inf)


def worth(
    piles: Iterable[Pile],
    amounts: ChipAmounts,
    expected: Sequence[Decimal] = (),
    *,
    in_units: bool = True,
) -> tuple[Decimal | None, float]:
    """What piles are worth together, None if one of them cannot be told, and how sure that is.

    Every pile remembers what was told of it, so that a part taken away later is told against it.
    """
    together = list(piles)
    readings, confidence = amounts.read_together(
        [pile.track for pile in together], expected, in_units=in_units
    )
    total: Decimal | None = Decimal(0)
    for pile, reading in zip(together, readings, strict=True):
        pile.told = reading
        total = None if total is None or reading.amount is None else total + reading.amount
    return total, confidence


def names_of(piles: Iterable[Pile]) -> tuple[str, ...] | None:
    """The chips of told piles, None if one of them cannot be told."""
    names: list[str] = []
    for pile in piles:
        if pile.told is None or pile.told.chip is None or pile.told.count is None:
            return None
        names += [pile.told.chip] * pile.told.count
    return tuple(names)


def told_worth(piles: Iterable[Pile]) -> Decimal | None:
    """What was told of piles together, None if one of them was not."""
    total = Decimal(0)
    for pile in piles:
        if pile.told is None or pile.told.amount is None:
            return None
        total += pile.told.amount
    return total


def usual_payments(zone: str, whole: Decimal, unit: Decimal | None) -> tuple[Decimal, ...]:
    """What winnings of a stake usually come to: its amount, on a line a half too."""
    if zone in ("P1", "P2", "punto"):
        return (whole,)
    parts = [whole, whole / 2]
    if unit:
        parts += [(whole - unit) / 2, (whole + unit) / 2, unit]
    return tuple(parts)


def payment_confidence(stake: Stake, paid: list[Pile], amounts: ChipAmounts) -> float:
    """How likely the told stake and the told payment are both right.

    A payment that does not suit its stake is more often a pile counted wrongly than a croupier's mistake,
    unless no likely reading of the piles suits.
    """
    told, told_paid = told_worth(stake.piles), told_worth(paid)
    stakes = amounts.sums([pile.track for pile in stake.piles])
    payments = amounts.sums([pile.track for pile in paid])
    if told is None or told_paid is None or not stakes or not payments:
        return 0.0
    weights = {
        (one, other): first
        * second
        * (1.0 if other in usual_payments(stake.zone, one, amounts.unit) else UNEXPECTED)
        for one, first in stakes.items()
        for other, second in payments.items()
    }
    whole = sum(weights.values())
    sure = round(weights.get((told, told_paid), 0.0) / whole, 3) if whole else 0.0
    # A faint pile beside a payment may be a shadow or a letter of the print.
    faint = any(pile.track.score < FAINT_PILE for pile in paid)
    return min(sure, OVERLOOKED) if faint else sure


def seen_badly(piles: Iterable[Pile], alive: Container[int]) -> bool:
    """Whether a new stake may be none: a sleeve's fold is faint, or shows only where an arm is and has no
    chip's colours; and chips may have been taken away again.
    """

    def is_sleeve(track: Track) -> bool:
        return not track.open_looks and track.chip().max(initial=0.0) < NAMED

    tracks = [pile.track for pile in piles]
    return any(each.score < FAINT_PILE or each.id not in alive or is_sleeve(each) for each in tracks)


def collection_confidence(stake: Stake, taken: Iterable[Pile], since_s: float, *, missed: bool) -> float:
    """How sure it is that the chips that went at `since_s`, and no others, were taken from a stake.

    What was missed before may have been taken with the rest, and so may what has not been seen anew since.
    Of a stack that stays, the croupier may have taken some chips besides; what was paid, its bettor takes.
    """
    missed = missed or stake.paid
    missed |= stake.paid or any(pile.track.fresh_at <= since_s for pile in stake.everything)
    taken = list(taken)
    sure = min((pile.told.confidence if pile.told is not None else 0.0 for pile in taken), default=0.0)
    stays = not all(pile.is_single for pile in stake.piles)
    if missed or stake.doubted or stays:
        return min(sure, OVERLOOKED)
    total, left = told_worth(taken), told_worth(stake.piles)
    if total is None or left is None or total in usual_payments(stake.zone, total + left, None):
        return sure
    # Neither the stake nor its half: more often a pile counted wrongly than a croupier's mistake.
    weight = UNEXPECTED * sure
    return round(weight / (weight + 1.0 - sure), 3)


def lowered_confidence(stake: Stake, pile: Pile, lower: float) -> float:
    """How sure it is that chips went from a stack that is lower with a probability of `lower`.

    A chip that goes from a count that was never sure may never have been there.
    """
    alone = all(other is pile or other.is_single for other in stake.piles)
    if not alone or stake.doubted or pile.told is None:
        return OVERLOOKED
    return min(lower, pile.told.confidence)


def deduction_confidence(confidence: float) -> float:
    """How sure a deduction is told that was read with `confidence`.

    One that does not fit is more often a pile read wrongly than a croupier's mistake.
    """
    weight = MISTAKEN * confidence
    return round(weight / (weight + 1.0 - confidence), 3)


def lowered_prior(stake: Stake, count: int) -> NDArray[np.float64]:
    """How often the croupier leaves so many chips (8,) of a pile of `count`: all, or half of a half stake."""
    weights = np.full(TALLEST, SELDOM)
    weights[count - 1] = 1.0
    if count % 2 == 0 and (stake.zone.startswith("half") or stake.zone == "caballo"):
        weights[count // 2 - 1] = 1.0
    return weights
