"""A session of punto y banca or punto banco as a script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from math import ceil
from random import Random

from veedor.datasets.errors import DatasetError
from veedor.datasets.play import punto_accidents
from veedor.datasets.play.acts import Act, Speak
from veedor.datasets.play.dealing import Planted
from veedor.datasets.play.money import ChipSet
from veedor.datasets.play.orders import Order, place_orders
from veedor.datasets.play.punto_mistakes import PUNTO_DEVIATIONS
from veedor.datasets.play.punto_play import PuntoPlay, PuntoTable
from veedor.datasets.play.script import ATTEMPTS, STARTED_AT, Script
from veedor.datasets.play.shoe import CARDS_BELOW_CUT, Shoe
from veedor.rules.events import SessionOpened, ShoeStarted
from veedor.rules.profile import RuleProfile
from veedor.rules.profile_keys import PUNTO_Y_BANCA

DECKS = 8
_MISTAKES = (punto_accidents,)  # importing it registers its codes
CARDS_OF_A_COUP = 8


def play_of(code: str | None, family: str) -> type[PuntoPlay]:
    """The way of playing that plants a code; raises DatasetError naming the known ones."""
    if code is None:
        return PuntoPlay
    known = {name: kind for name, kind in PUNTO_DEVIATIONS.items() if kind.belongs_to(family)}
    if code not in known:
        raise DatasetError(
            f"infraction {code!r}: cannot be planted in {family}; one of {', '.join(sorted(known))}"
        )
    return known[code]


def write_punto(
    rules: RuleProfile, seed: int, coups: int, orders: Sequence[Order], chips: ChipSet, seats: Sequence[int]
) -> Script:
    """Plays `coups` coups with people at `seats`."""

    def first_coup(code: str) -> int:
        return 2 if play_of(code, rules.family).after_punto_win else 1

    for order in orders:
        missing = [key for key in play_of(order.code, rules.family).limits if rules.limit(key) is None]
        if missing:
            raise DatasetError(f"infraction {order.code}: needs a profile that sets {' and '.join(missing)}")
    placed = place_orders(orders, seed, coups, first_coup)
    rng = Random(f"session/{seed}")
    taken = tuple(sorted(rng.sample(list(seats), min(len(seats), rng.randint(5, 8)))))
    table = PuntoTable(
        1, taken, taken[0], 1, chips, rules.family == PUNTO_Y_BANCA, rules.amount("commission_rate")
    )
    unit = chips.unit(int(table.rate * 10_000))
    least, most = rules.limit("bet_min"), rules.limit("bet_max")
    table = replace(
        table,
        unit=unit,
        least=1 if least is None else max(1, ceil(least / unit)),
        most=None if most is None else int(most),
    )
    acts: list[Act] = [
        Speak(SessionOpened(rules.id, STARTED_AT, Decimal(table.unit), None, len(seats), t=0.0), 0.0),
        Speak(ShoeStarted(DECKS, t=0.0), 0.5),
    ]
    shoe = Shoe.shuffled(rng, DECKS)
    planted: list[Planted] = []
    for number in range(1, coups + 1):
        if len(shoe.rest) < CARDS_OF_A_COUP + CARDS_BELOW_CUT:
            shoe = Shoe.shuffled(rng, DECKS)
            acts.append(Speak(ShoeStarted(DECKS, t=0.0), 0.5))
        follower = placed.get(number + 1)
        punto_must_win = follower is not None and play_of(follower, rules.family).after_punto_win
        play = _play(
            play_of(placed.get(number), rules.family), table, shoe, seed, punto_must_win=punto_must_win
        )
        shoe = play.shoe
        acts += play.acts
        planted += play.planted
        table = table.after(play.outcome, len(play.stakes))
    return Script(rules.id, seed, tuple(acts), tuple(planted))


def _play(
    kind: type[PuntoPlay], table: PuntoTable, shoe: Shoe, seed: int, *, punto_must_win: bool
) -> PuntoPlay:
    for attempt in range(ATTEMPTS):
        rng = Random(f"coup/{seed}/{table.coup}/{attempt}")
        play = kind(table, shoe.reshuffled(rng) if attempt else shoe.copy(), rng)
        play.run()
        if play.happened() and (play.outcome > 0 or not punto_must_win):
            return play
    raise DatasetError(f"infraction {kind.code_}: the cards of coup {table.coup} do not allow it")
