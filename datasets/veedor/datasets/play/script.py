"""A session as a script: people sit down, coups are played shoe after shoe, mistakes where ordered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random

from veedor.datasets.errors import DatasetError
from veedor.datasets.play import (
    banco_play,
    bank_mistakes,
    banker_mistakes,
    card_accidents,
    card_mistakes,
    money_mistakes,
    stake_mistakes,
    word_mistakes,
)
from veedor.datasets.play.acts import Act, Speak
from veedor.datasets.play.coup import CoupPlay, CoupRecord, House
from veedor.datasets.play.dealing import Planted
from veedor.datasets.play.deviation import Before, Deviation, deviation_for
from veedor.datasets.play.money import ChipSet
from veedor.datasets.play.orders import Order, draw_orders, place_orders
from veedor.datasets.play.people import Situation, seat_people
from veedor.datasets.play.reckoning import PANOS
from veedor.datasets.play.shoe import Shoe
from veedor.datasets.play.variants import Variety
from veedor.rules.events import BankDeposited, BankerSeated, PlayersSeen, SessionOpened, ShoeStarted
from veedor.rules.profile import RuleProfile

# Importing a module of mistakes registers its codes.
_MISTAKES = (
    banco_play,
    bank_mistakes,
    banker_mistakes,
    card_accidents,
    card_mistakes,
    money_mistakes,
    stake_mistakes,
    word_mistakes,
)

STARTED_AT = "2026-01-01T21:00:00+01:00"  # a fixed clock: the same seed gives the same bytes
ATTEMPTS = 4000
BANK_UNITS = 100  # the bank never opens a coup with less stake units: it covers any stakes
CARDS_OF_A_COUP = 18  # so that the cut card never comes before a coup's first card, nor the last card in it


@dataclass(frozen=True)
class Script:
    """A session before it is staged: what everybody does, in order."""

    profile: str
    seed: int
    acts: tuple[Act, ...]
    planted: tuple[Planted, ...]
    bank: int | None = None  # what the bank holds in the end, where there is one


def _needs(code: str | None) -> Before:
    return Before.NOTHING if code is None else deviation_for(code, Random(0)).needs


# What `draw_infractions` chooses from: the codes that a first monitor must find.
CORE_CODES = (
    "BET_AFTER_NMV",
    "BET_CHANGED",
    "BET_POSITION_FORBIDDEN",
    "CAGNOTTE_WRONG",
    "CARD_TO_NO",
    "CARD_TO_WRONG_PANO",
    "CARD_WITHHELD",
    "DEAL_ORDER",
    "DRAW_BEFORE_NMV",
    "HAND_ROTATION",
    "ODD_UNIT_WRONG",
    "PAYOUT_WRONG",
    "P_CARD_ON_NATURAL",
    "P_DRAW_ON_6PLUS",
    "P_NO_ON_NATURAL",
    "P_STAND_BELOW5",
    "THIRD_CARD_TWICE",
)


def first_coup(code: str) -> int:
    """The earliest coup in which a code can be planted: 2 where it needs something of the coup before."""
    return 1 if _needs(code) is Before.NOTHING else 2


def last_coup(code: str) -> int | None:
    """The last coup in which a code can be planted, None where any will do."""
    return 1 if deviation_for(code, Random(0)).only_first else None


def can_be_planted(kind: type[Deviation], rules: RuleProfile) -> bool:
    """Whether the game and its limits leave room for that mistake."""
    if kind.limited_only and not rules.limited_bank:
        return False
    return all(rules.limit(key) is not None for key in kind.limits)


def _expect_possible(deviation: Deviation, rules: RuleProfile) -> None:
    if not can_be_planted(type(deviation), rules):
        needs = (
            f"a profile that sets {' and '.join(deviation.limits)}" if deviation.limits else "a limited bank"
        )
        raise DatasetError(f"infraction {deviation.code}: needs {needs}")


def draw_infractions(
    seed: int, coups: int, count: int, codes: Sequence[str] = CORE_CODES
) -> tuple[Order, ...]:
    """`count` different codes, each in a coup of its own, from the seed alone."""
    return draw_orders(seed, coups, count, codes, first_coup)


def write_dos_panos(
    rules: RuleProfile,
    seed: int,
    coups: int,
    orders: Sequence[Order],
    chips: ChipSet,
    panos: Mapping[str, tuple[int, ...]],
    *,
    varied: bool = False,
) -> Script:
    """Plays `coups` coups under `rules` with people at `panos`' seats (seat numbers of each paño).

    `varied` brings the less common kinds of proper play in, too.
    """
    if coups < 1:
        raise DatasetError(f"coups: expected 1 or more, found {coups}")
    rate = rules.amount("cagnotte_rate")
    for order in orders:
        _expect_possible(deviation_for(order.code, Random(0)), rules)
    placed = place_orders(orders, seed, coups, first_coup, last_coup)
    rng = Random(f"session/{seed}")
    unit = chips.unit(int(rate * 10_000))
    seats = seat_people(rng, panos)
    holder = {pano: seats[pano][0] for pano in PANOS}
    bank = BANK_UNITS * unit * rng.randint(2, 4)
    bank_max = rules.limit("bank_max")
    if bank_max is not None:
        bank = min(bank, int(bank_max))
    table = Situation(1, seats, holder, dict.fromkeys(PANOS), bank, unit, chips)
    acts: list[Act] = [
        Speak(
            SessionOpened(
                rules.id, STARTED_AT, Decimal(unit), Decimal(bank), sum(map(len, panos.values())), t=0.0
            ),
            0.0,
        ),
        Speak(ShoeStarted(6, t=0.0), 0.0),
        *(
            Speak(PlayersSeen(pano, tuple(f"seat{seat}" for seat in seats[pano]), t=0.0), 0.0)
            for pano in PANOS
        ),
        Speak(BankerSeated("banker1", t=0.0), 0.6),
    ]
    shoe = Shoe.shuffled(rng)
    records: list[CoupRecord] = []
    seen: Counter[str] = Counter()
    variety = Variety(seed, limited=rules.limited_bank) if varied else None
    for number in range(1, coups + 1):
        fresh = number == 1
        if len(shoe.rest) < CARDS_OF_A_COUP:
            shoe = Shoe.shuffled(rng)
            fresh = True
            seen.clear()
            acts.append(Speak(ShoeStarted(6, t=0.0), 0.5))
        after = _needs(placed.get(number + 1))
        code = placed.get(number)
        # A banco leaves the turns of the paños as they were: not before a coup that needs one to pass.
        is_free = code is None and after is not Before.BANK_WIN
        way = None
        if variety is not None and is_free:
            way = variety.choose(number, first_of_talla=fresh)
        elif variety is not None:
            variety.everyday()
        record = _play(table, shoe, code, Plan((seed, number), rules, after, bank, seen, way))
        if variety is not None:
            variety.played(record.results)
        seen.update(record.faces)
        shoe = record.shoe
        if record.cut_shown and after is not Before.CUT_CARD:
            shoe = Shoe()
        if _needs(placed.get(number)) is Before.CUT_CARD:
            shoe = Shoe()
        records.append(record)
        acts += record.acts
        turns = {} if record.is_banco else record.results  # PL-08: the turn of the paño waits
        table = table.after(turns, bank=record.bank_after, bets=len(record.stakes))
        if table.bank < BANK_UNITS * unit:
            acts.append(Speak(BankDeposited(Decimal(bank), t=0.0), 0.3))
            table = replace(table, bank=table.bank + bank)
    planted = tuple(plant for record in records for plant in record.planted)
    return Script(rules.id, seed, tuple(acts), planted, table.bank)


@dataclass(frozen=True)
class Plan:
    """What a coup's play depends on beside the table: seed and number, the rules, the coup after it."""

    key: tuple[int, int]
    rules: RuleProfile
    after: Before
    start: int  # what the bank was constituted with
    seen: Mapping[str, int]  # faces shown of this talla
    way: Deviation | None = None  # how a clean coup is played, if not in the everyday way

    def house(self, cut_at: int | None) -> House:
        rules = self.rules
        limits = {
            key: None if (limit := rules.limit(key)) is None else int(limit)
            for key in ("bank_max", "bet_min", "bet_max")
        }
        return House(
            rules.amount("cagnotte_rate"),
            float(rules.amount("view_limit_s")),
            cut_at,
            self.start,
            limits["bank_max"],
            limits["bet_min"] or 0,
            limits["bet_max"],
            rules.limited_bank,
            self.seen,
        )


def _play(table: Situation, shoe: Shoe, code: str | None, plan: Plan) -> CoupRecord:
    """Plays one coup, with the rest of the shoe in other orders until what was ordered has happened."""
    seed, number = plan.key
    for attempt in range(ATTEMPTS):
        rng = Random(f"coup/{seed}/{number}/{attempt}")
        cards = shoe.reshuffled(rng) if attempt else shoe.copy()
        deviation_rng = Random(f"deviation/{seed}/{number}/{code}")
        clean = plan.way or Deviation(deviation_rng)
        deviation = clean if code is None else deviation_for(code, deviation_rng)
        cut_at = rng.randint(1, 5) if plan.after is Before.CUT_CARD else None
        record = CoupPlay(table, cards, rng, deviation, plan.house(cut_at)).run()
        lost = any(result < 0 for result in record.results.values())
        if deviation.happened(record) and (lost or plan.after is not Before.BANK_WIN):
            return record
    raise DatasetError(f"infraction {code}: the cards of coup {number} do not allow it")
