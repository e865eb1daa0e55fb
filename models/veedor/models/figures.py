"""Figures of a scorecard: shares with their confidence intervals, against what they have to reach."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from veedor.models.scoring import CardOutcome, ChipOutcome, SetScores

Z = 1.96  # 95 %
READABLE_WIDTH_PX = 30.0
SHARE_ERROR = 0.02  # of the stake, on each hand

# What a stake plays on P1 and P2, by the zone that its base stands in.
PLAYED_SHARES: Mapping[str | None, tuple[float, float]] = {
    "P1": (1.0, 0.0),
    "P2": (0.0, 1.0),
    "half:P1": (0.5, 0.0),
    "half:P2": (0.0, 0.5),
    "caballo": (0.5, 0.5),
    "half:caballo": (0.25, 0.25),
}


@dataclass(frozen=True)
class Figure:
    """`right` of `n`. `target` is None for what is told only; `at_most`: the less the better.

    `items` says for each thing by key whether it counts as right, where things can be compared one by one.
    """

    set_name: str
    name: str
    right: int
    n: int
    target: float | None = None
    at_most: bool = False
    counts: bool = True
    items: Mapping[str, bool] = field(default_factory=dict, repr=False)

    @property
    def value(self) -> float | None:
        return self.right / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        return wilson(self.right, self.n) if self.n else None

    @property
    def holds(self) -> bool | None:
        """Whether the target is reached; None without a target or without a thing to measure it on."""
        if self.target is None or self.value is None:
            return None
        return self.value <= self.target if self.at_most else self.value >= self.target


def wilson(right: int, n: int) -> tuple[float, float]:
    """Wilson's interval of 95 % for a share."""
    share = right / n
    middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


# At least, or where the name says so at most; issue's words in the scorecard.
_CARD_TARGETS: Mapping[str, Mapping[str, float]] = {
    "felt-webcam": {"recall": 0.99, "precision": 0.99, "rank": 0.98, "suit": 0.97},
    "felt-webcam-noindex": {"rank": 0.97, "suit": 0.95},
    "phone-photos": {"recall": 0.95, "precision": 0.95, "rank": 0.93},
    "photoreal": {
        "recall": 0.97,
        "precision": 0.97,
        "face or back, of those found": 0.99,
        "rank, 30 px or wider": 0.95,
    },
}
_STAKE_TARGETS = {"found": 0.97, "value": 0.95, "plays": 0.97, "taken for the line": 0.02}


def figures_of(scores: SetScores) -> list[Figure]:
    """Every figure that a set's labels allow, those with targets among them."""
    found = card_figures(scores)
    stakes = [each for each in scores.chip_outcomes if each.label.stake is not None]
    if stakes:
        found += stake_figures(scores.name, stakes)
    elif scores.chips:
        found.append(_figure(scores.name, "chips found", scores.chip_outcomes, lambda each: _seen(each)))
    if scores.chips:
        right = scores.chips_found
        found.append(
            Figure(scores.name, "chips precision", right, right + len(scores.false_chips), counts=False)
        )
    return found


def card_figures(scores: SetScores) -> list[Figure]:
    """Recall, precision, face or back, rank and suit; over all cards asked for, found or not."""
    name, cards = scores.name, scores.outcomes
    targets = _CARD_TARGETS.get(name, {})
    right = sum(each.found is not None for each in cards)
    figures = [
        _figure(name, "recall", cards, lambda each: each.found is not None, targets),
        Figure(
            name, "precision", right, right + len(scores.false_cards), targets.get("precision"), counts=True
        ),
    ]
    faced = [each for each in cards if each.label.face_up is not None]
    if any(each.label.face_up is False for each in faced):
        seen = [each for each in faced if each.found is not None]
        figures.append(
            _figure(name, "face or back, of those found", seen, lambda each: each.face_right, targets)
        )
    ranked = [each for each in cards if each.label.rank is not None]
    figures.append(_figure(name, "rank", ranked, lambda each: each.rank_right, targets))
    wide = [each for each in ranked if each.width_px >= READABLE_WIDTH_PX]
    if "rank, 30 px or wider" in targets:
        figures.append(_figure(name, "rank, 30 px or wider", wide, lambda each: each.rank_right, targets))
    seen = [each for each in wide if each.found is not None]
    figures.append(_figure(name, "rank, 30 px or wider, of those found", seen, lambda each: each.rank_right))
    suited = [each for each in cards if each.label.suit is not None]
    figures.append(_figure(name, "suit", suited, lambda each: each.suit_right, targets))
    return [figure for figure in figures if figure.n]


def stake_figures(name: str, stakes: Sequence[ChipOutcome]) -> list[Figure]:
    """Stakes found, what they are worth, what they play, and what stands beside a line.

    Value and play are asked of every stake: one that was not found is wrong. A near miss that was not found
    was not taken for the line.
    """
    targets = _STAKE_TARGETS
    single = [each for each in stakes if each.label.values is not None and len(each.label.values) == 1]
    piles = [each for each in stakes if each.label.values is not None and len(each.label.values) > 1]
    near = [each for each in stakes if each.label.stake is not None and each.label.stake.near_line]
    figures = [
        _chips(name, "bets: found", stakes, _seen, targets["found"]),
        _chips(name, "bets: value of single chips", single, value_right, targets["value"]),
        _chips(name, "bets: plays, of those found", _only_seen(stakes), plays_right, targets["plays"]),
        Figure(
            name,
            "bets: near misses taken for the line",
            sum(_on_line(each) for each in near),
            len(near),
            targets["taken for the line"],
            at_most=True,
            items={each.key: _on_line(each) for each in near},
        ),
        _chips(name, "bets: value of single chips, of those found", _only_seen(single), value_right),
        _chips(name, "bets: plays, of all", stakes, plays_right),
        _chips(
            name,
            "bets: amount told, of those found",
            _only_seen(stakes),
            lambda each: _count(each) is not None,
        ),
        _chips(name, "bets: amount right, of those found", _only_seen(stakes), _amount_right),
        _chips(name, "bets: top chip of piles, of those found", _only_seen(piles), _top_right),
        _chips(name, "bets: count of piles told", _only_seen(piles), lambda each: _count(each) is not None),
        _chips(
            name,
            "bets: count of piles right, of those told",
            [each for each in _only_seen(piles) if _count(each) is not None],
            _count_right,
        ),
    ]
    return [figure for figure in figures if figure.n]


def _figure(
    set_name: str,
    name: str,
    outcomes: Sequence[CardOutcome] | Sequence[ChipOutcome],
    right: Callable[..., bool],
    targets: Mapping[str, float] | None = None,
) -> Figure:
    items = {each.key: right(each) for each in outcomes}
    target = None if targets is None else targets.get(name)
    counts = target is not None or "those found" not in name
    return Figure(set_name, name, sum(items.values()), len(items), target, counts=counts, items=items)


def _chips(
    set_name: str,
    name: str,
    outcomes: Sequence[ChipOutcome],
    right: Callable[[ChipOutcome], bool],
    target: float | None = None,
) -> Figure:
    items = {each.key: right(each) for each in outcomes}
    return Figure(
        set_name, name, sum(items.values()), len(items), target, counts=target is not None, items=items
    )


def _seen(outcome: ChipOutcome) -> bool:
    return outcome.found is not None


def _only_seen(outcomes: Sequence[ChipOutcome]) -> list[ChipOutcome]:
    return [each for each in outcomes if each.found is not None]


def value_right(outcome: ChipOutcome) -> bool:
    """Whether a single chip was found and is read as worth what it is."""
    values = outcome.label.values
    return outcome.found is not None and values is not None and outcome.found.value == values[0]


def _amount_right(outcome: ChipOutcome) -> bool:
    found, values = outcome.found, outcome.label.values
    if found is None or values is None or found.value is None or found.count is None:
        return False
    return found.value * found.count == sum(values)


def _top_right(outcome: ChipOutcome) -> bool:
    values = outcome.label.values
    return outcome.found is not None and values is not None and outcome.found.value == values[-1]


def _count(outcome: ChipOutcome) -> int | None:
    return None if outcome.found is None else outcome.found.count


def _count_right(outcome: ChipOutcome) -> bool:
    return outcome.label.values is not None and _count(outcome) == len(outcome.label.values)


def plays_right(outcome: ChipOutcome) -> bool:
    """Whether a stake was found and plays the shares on P1 and P2 that it plays in truth."""
    stake = outcome.label.stake
    if outcome.found is None or stake is None:
        return False
    played = PLAYED_SHARES.get(outcome.found.plays, (0.0, 0.0))
    return all(abs(one - other) <= SHARE_ERROR for one, other in zip(played, stake.shares, strict=True))


def _on_line(outcome: ChipOutcome) -> bool:
    plays = None if outcome.found is None else outcome.found.plays
    return plays is not None and (plays == "caballo" or plays.startswith("half:"))
