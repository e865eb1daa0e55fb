"""Exact odds of the games, worked out with the profile's own table and the same settlement as real coups."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product

from veedor.rules.cards import POINTS
from veedor.rules.outcome import BANKER, PLAYER, TIE, decide
from veedor.rules.profile import RuleProfile
from veedor.rules.settlement import due_on
from veedor.rules.tableau import DRAW, OPTIONAL, STAND, Tableau

_RANKS_OF_POINT = tuple(sum(1 for points in POINTS.values() if points == value) for value in range(10))
# With replacement: the chance of each point of one card.
_CHANCE = tuple(Fraction(ranks, 13) for ranks in _RANKS_OF_POINT)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many of the ordered six-card draws end each way."""

    banker: int
    player: int
    tie: int

    @property
    def total(self) -> int:
        return self.banker + self.player + self.tie


def player_letter(total: int, profile: RuleProfile) -> str:
    """What a player does with a two-card total below a natural: T draw, P stand, O at will."""
    if total <= profile.whole("draw_to"):
        return DRAW
    if total == 5:
        return OPTIONAL if profile.numbers["free_on"] == 5 else DRAW
    return STAND


def punto_counts(profile: RuleProfile, decks: int, *, draws_on_five: bool = True) -> Counts:
    """Exact counts of punto y banca over every ordered draw of six cards from a full sabot."""
    left = [ranks * 4 * decks for ranks in _RANKS_OF_POINT]
    found = {BANKER: 0, PLAYER: 0, TIE: 0}
    size = 52 * decks
    for first, second, third, fourth in product(range(10), repeat=4):
        cards = [first, second, third, fourth]
        ways = _ways(left, cards)
        punto, banca = (first + third) % 10, (second + fourth) % 10
        for outcome, more in _finish(punto, banca, cards, left, profile, draws_on_five=draws_on_five):
            # Cards that are not drawn may be any of those left: every line counts as six cards.
            drawn = 4 + more[0]
            rest = 1
            for number in range(drawn, 6):
                rest *= size - number
            found[outcome] += ways * more[1] * rest
    return Counts(found[BANKER], found[PLAYER], found[TIE])


def _ways(left: list[int], cards: list[int]) -> int:
    ways = 1
    for index, card in enumerate(cards):
        ways *= left[card] - cards[:index].count(card)
    return ways


def _finish(
    punto: int, banca: int, cards: list[int], left: list[int], profile: RuleProfile, *, draws_on_five: bool
) -> list[tuple[str, tuple[int, int]]]:
    """Every way on from four cards: the result, cards drawn since, and in how many ways."""
    if max(punto, banca) >= 8:
        return [(decide(punto, banca), (0, 1))]
    letter = player_letter(punto, profile)
    if letter == STAND or (letter == OPTIONAL and not draws_on_five):
        return _bank(punto, banca, (None, cards, left), profile, (0, 1))
    lines = []
    for card in range(10):
        ways = left[card] - cards.count(card)
        mine = (punto + card) % 10
        lines += _bank(mine, banca, (card, [*cards, card], left), profile, (1, ways))
    return lines


def _bank(
    mine: int,
    banca: int,
    drawn: tuple[int | None, list[int], list[int]],
    profile: RuleProfile,
    so_far: tuple[int, int],
) -> list[tuple[str, tuple[int, int]]]:
    third, cards, left = drawn
    count, ways = so_far
    if profile.tableau.cell(banca, third) == STAND:
        return [(decide(mine, banca), so_far)]
    return [
        (decide(mine, (banca + card) % 10), (count + 1, ways * (left[card] - cards.count(card))))
        for card in range(10)
    ]


def pair_chances() -> tuple[Fraction, ...]:
    """Chance of each two-card total, cards drawn with replacement."""
    chances = [Fraction(0)] * 10
    for one, two in product(range(10), repeat=2):
        chances[(one + two) % 10] += _CHANCE[one] * _CHANCE[two]
    return tuple(chances)


def house_edge(zone: str, counts: Counts, profile: RuleProfile) -> Fraction:
    """What a stake of one on a zone loses on average, settled as the profile has it."""
    ways = {BANKER: counts.banker, PLAYER: counts.player, TIE: counts.tie}
    nets = {found: Fraction(due_on(zone, Decimal(1), found, profile).net) for found in ways}
    return -sum((ways[found] * net for found, net in nets.items()), Fraction(0)) / counts.total


_SCORE = {BANKER: 1, PLAYER: -1, TIE: 0}


def banque_value(
    shares: tuple[Fraction, ...],
    draws_on_five: Fraction,
    tableau: Tableau | None = None,
    *,
    draw_to: int | None = None,
) -> Fraction:
    """The bank's gain a unit staked at bacará, cards with replacement.

    ``shares`` are the parts of all stakes on each paño (one paño is chemin de fer); every paño draws on five
    with the given chance. The bank replies as well as it can, or by ``tableau`` where one paño alone is left,
    an optional cell drawing; a bank at fault draws with ``draw_to`` or less where more are (C-07).
    """
    pairs = pair_chances()
    value = Fraction(0)
    # A paño ends natural, standing (None) or with a third card; what the bank gains on it follows from that.
    seen: tuple[int | str | None, ...] = ("natural", None, *range(10))
    for bank, chance in enumerate(pairs):
        if bank >= 8:
            value += chance * sum(
                share * other * _SCORE[decide(total, bank, naturals=(total >= 8, True))]
                for share in shares
                for total, other in enumerate(pairs)
            )
            continue
        gains = {what: _gains(bank, what, pairs, draws_on_five) for what in seen}
        for views in product(seen, repeat=len(shares)):
            odds = Fraction(1)
            for view in views:
                odds *= gains[view][0]
            draw = sum((s * gains[v][1] for s, v in zip(shares, views, strict=True)), Fraction(0))
            stand = sum((s * gains[v][2] for s, v in zip(shares, views, strict=True)), Fraction(0))
            live = [view for view in views if not isinstance(view, str)]
            if draw_to is not None and len(live) > 1:
                value += chance * odds * (draw if bank <= draw_to else stand)
            elif tableau is not None and len(live) == 1:
                value += chance * odds * (stand if tableau.cell(bank, live[0]) == STAND else draw)
            else:
                value += chance * odds * max(draw, stand)
    return value


def _gains(
    bank: int, view: int | str | None, pairs: tuple[Fraction, ...], draws_on_five: Fraction
) -> tuple[Fraction, Fraction, Fraction]:
    """Chance that a paño looks so, and the bank's mean gain on it if it draws and if it stands."""
    weight = draw = stand = Fraction(0)
    for total, chance in enumerate(pairs):
        drawing = Fraction(1) if total <= 4 else draws_on_five if total == 5 else Fraction(0)
        if view == "natural":
            here, mine, three = (chance if total >= 8 else Fraction(0)), total, False
        elif view is None:
            here, mine, three = (Fraction(0) if total >= 8 else chance * (1 - drawing)), total, False
        else:
            card = int(view)
            here, mine, three = chance * drawing * _CHANCE[card] * (total < 8), (total + card) % 10, True
        if not here:
            continue
        weight += here
        naturals = (view == "natural", False)
        stand += here * _SCORE[decide(mine, bank, naturals=naturals, three_cards=three)]
        for card, other in enumerate(_CHANCE):
            point = (bank + card) % 10
            draw += here * other * _SCORE[decide(mine, point, naturals=naturals, three_cards=three)]
    return (weight, draw / weight, stand / weight) if weight else (weight, draw, stand)
