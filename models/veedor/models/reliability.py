"""Whether the reader's probabilities can be believed: how often it is right when it says how sure it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from veedor.models.scoring import CardOutcome, SetScores
from veedor.vision.reader import MIN_PROB

BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
What = Literal["rank", "suit"]


@dataclass(frozen=True)
class Bin:
    """Readings with a probability of `low` to `high`: how sure they were on average, how many were right."""

    low: float
    high: float
    n: int
    sure: float
    right: int


@dataclass(frozen=True)
class Reliability:
    """`error` is the expected calibration error: the mean gap between sureness and rightness, by reading.

    `told` readings are those that are sure enough to be given out, the others are `?`.
    """

    set_name: str
    what: What
    n: int
    error: float
    told: int
    told_right: int
    bins: tuple[Bin, ...]


def reliabilities(scores: Sequence[SetScores]) -> list[Reliability]:
    """Rank and suit of each set, where its labels say them and something was read."""
    found = []
    kinds: tuple[What, ...] = ("rank", "suit")
    for one in scores:
        for what in kinds:
            readings = list(_readings(one.outcomes, what))
            if readings:
                found.append(_reliability(one.name, what, readings))
    return found


def pooled(scores: Sequence[SetScores], what: What) -> Reliability | None:
    """All sets as one; None if nothing was read."""
    readings = [each for one in scores for each in _readings(one.outcomes, what)]
    return _reliability("all", what, readings) if readings else None


def _readings(outcomes: Iterable[CardOutcome], what: What) -> Iterable[tuple[float, bool]]:
    for each in outcomes:
        card = each.found
        if card is None:
            continue
        sure = card.rank_prob if what == "rank" else card.suit_prob
        label = each.label.rank if what == "rank" else each.label.suit
        if sure is not None and label is not None:
            yield sure, each.rank_right if what == "rank" else each.suit_right


def _reliability(name: str, what: What, readings: Sequence[tuple[float, bool]]) -> Reliability:
    bins = []
    for low, high in pairwise(BINS):
        inside = [each for each in readings if low <= each[0] < high or (high == 1.0 and each[0] >= 1.0)]
        if inside:
            sure = sum(each[0] for each in inside) / len(inside)
            bins.append(Bin(low, high, len(inside), sure, sum(right for _, right in inside)))
    error = sum(abs(each.n * each.sure - each.right) for each in bins) / len(readings)
    told = [right for sure, right in readings if sure >= MIN_PROB]
    return Reliability(name, what, len(readings), error, len(told), sum(told), tuple(bins))
