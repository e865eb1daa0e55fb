"""One coup of punto y banca (Argentina) or punto banco (Puerto Rico), played without a felt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random
from typing import ClassVar

from veedor.datasets.play.acts import (
    CROUPIER,
    Collect,
    Pay,
    Place,
    PutBack,
    Rest,
    Speak,
    Sweep,
    Take,
    TakeBack,
    Turn,
)
from veedor.datasets.play.dealing import Dealing
from veedor.datasets.play.money import ChipSet
from veedor.datasets.play.people import Stake
from veedor.datasets.play.reckoning import CUADRO, NO_CARD, points
from veedor.datasets.play.shoe import Shoe
from veedor.rules.events import (
    BetCollected,
    BetPaid,
    BettingClosed,
    BettingOpened,
    CardTurned,
    CommissionTaken,
    CoupClosed,
    CoupOpened,
    HandPosed,
    HandTaken,
    SabotPassed,
    Said,
)
from veedor.rules.profile_keys import PUNTO_Y_BANCA

HANDS = ("punto", "banca")
TIE_ODDS = 8


@dataclass(frozen=True)
class PuntoTable:
    """A table between two coups; `passes`: the shooter's wins in a row, `new_shooter`: the sabot moves on."""

    coup: int
    seats: tuple[int, ...]
    shooter: int
    unit: int
    chips: ChipSet
    argentina: bool
    rate: Decimal  # what is kept of a winning banca stake (AR-18, G-12)
    least: int = 1  # units of the smallest stake on punto or banca
    most: int | None = None  # the largest stake
    passes: int = 0
    new_shooter: bool = True
    next_bet: int = 1

    def after(self, outcome: int, bets: int) -> PuntoTable:
        """The sabot goes on when punto wins in Argentina (004 L23)."""
        table = replace(self, coup=self.coup + 1, next_bet=self.next_bet + bets, new_shooter=False)
        if outcome > 0 and self.argentina:
            later = [seat for seat in self.seats if seat > self.shooter]
            return replace(table, shooter=(later or list(self.seats))[0], passes=0, new_shooter=True)
        return replace(table, passes=self.passes + (outcome < 0))


class PuntoPlay(Dealing):
    """Proper play; a mistake is a subclass that does one thing otherwise."""

    code_: ClassVar[str] = ""
    #: Limits that the profile must set.
    limits: ClassVar[tuple[str, ...]] = ()
    #: Punto must have won the coup before.
    after_punto_win: ClassVar[bool] = False
    argentina: ClassVar[bool | None] = None  # the game it belongs to; None for both

    def __init__(self, table: PuntoTable, shoe: Shoe, rng: Random) -> None:
        super().__init__(table.coup, shoe, HANDS, dealer=f"seat{table.shooter}", code=self.code_)
        self.table = table
        self.rng = rng
        self.out_of_play: set[str] = set()  # bets that do not play
        self.outcome = 0  # +1 punto, -1 banca, 0 tie
        self.call = BettingClosed(t=0.0)

    @classmethod
    def belongs_to(cls, family: str) -> bool:
        """Whether it is a way of playing that game."""
        return cls.argentina in (None, family == PUNTO_Y_BANCA)

    def happened(self) -> bool:
        return len(self.planted) == (1 if self.code else 0)

    # ---- the coup ----------------------------------------------------------------------------------

    def run(self) -> None:
        """Plays it to the end."""
        self.pass_sabot()
        self.do(Speak(CoupOpened(self.coup, t=0.0), 0.3))
        self.do(Speak(BettingOpened(t=0.0), 0.4))
        for stake in self.draw_stakes():
            self.push(stake)
        self.before_call()
        self.do(Rest(0.6))
        self.do(Speak(self.call, 0.7))
        self.after_call()
        self.deal()
        if not self.null:
            self.play_on()
        self.do(Rest(0.5))
        self.do(Sweep(CoupClosed(self.coup, t=0.0)))
        self.do(TakeBack())

    def play_on(self) -> None:
        """From the turning of the hands to the last payment."""
        self.turn_hands()
        self.serve()
        ends = {hand: sum(points(self.faces[card]) for card in self.hands[hand]) % 10 for hand in HANDS}
        self.outcome = (ends["punto"] > ends["banca"]) - (ends["punto"] < ends["banca"])
        for stake in self.stakes:
            self.settle(stake, self.gross(stake))

    def pass_sabot(self) -> None:
        if self.table.new_shooter:
            self.do(Speak(SabotPassed(f"seat{self.table.shooter}", t=0.0), 0.5))

    def draw_stakes(self) -> list[Stake]:
        """The shooter's suite (Argentina), and some stakes on punto, banca and, in Puerto Rico, tie."""
        table = self.table
        stakes = []
        if table.argentina:
            stakes.append(self.stake(table.shooter, "suite", self.rng.randint(1, 6)))
        seats = [seat for seat in table.seats if seat != table.shooter]
        for seat in self.rng.sample(seats, min(len(seats), self.rng.randint(2, 5))):
            zone = self.rng.choice(("punto", "punto", "banca"))
            stakes.append(self.stake(seat, zone, self.rng.randint(table.least, 9)))
            if not table.argentina and self.rng.random() < 0.3:
                stakes.append(self.stake(seat, "tie", self.rng.randint(1, 3)))
        return stakes

    def stake(self, seat: int, zone: str, units: int) -> Stake:
        amount = units * self.table.unit
        bet = f"b{self.table.next_bet + self._count}"
        self._count += 1
        return Stake(bet, seat, Place.BET, zone, amount, self.table.chips.piles(amount))

    _count = 0

    def before_call(self) -> None:
        """Between the last stake and the call."""

    def after_call(self) -> None:
        """Between the call and the first card."""

    def deal(self) -> None:
        """Punto, banca, punto, banca, face down (AR-10, PR-04)."""
        for index, hand in enumerate(HANDS * 2):
            self.deal_card(index, hand)
            if self.null:
                return
        if not self.table.argentina:
            self.pose("tucked")

    def deal_card(self, index: int, hand: str) -> None:
        """The card `index` (0..3), due to `hand`."""
        self.deal_to(hand)

    def pose(self, pose: str) -> HandPosed:
        event = HandPosed("banca", pose, t=0.0)
        self.do(PutBack("banca", pose, event))
        return event

    def holder(self) -> str:
        """Who gets punto's cards: the largest stake, the lowest seat of equals, else the croupier (AR-11)."""
        sums: dict[int, int] = {}
        for stake in self.stakes:
            if stake.zone == "punto":
                sums[stake.seat] = sums.get(stake.seat, 0) + stake.amount
        if not sums:
            return CROUPIER
        best = max(sums.values())
        return f"seat{min(seat for seat, amount in sums.items() if amount == best)}"

    def turn_hands(self) -> None:
        """Punto first, then banca (AR-13, PR-09)."""
        person = self.holder()
        self.take("punto", person)
        self.turn("punto", person)
        self.take("banca", self.dealer)
        self.turn("banca", self.dealer)

    def take(self, hand: str, person: str) -> HandTaken:
        event = HandTaken(hand, person, t=0.0)
        self.do(Take(event, None))
        return event

    def turn(self, hand: str, person: str) -> tuple[CardTurned, ...]:
        """A hand's two cards are turned and the croupier says the point."""
        events = tuple(
            CardTurned(card, self.faces[card], person, t=0.0)
            for card in self.hands[hand]
            if card not in self.shown
        )
        self.shown.update(self.hands[hand])
        self.do(Turn(hand, events))
        self.do(Speak(Said(CROUPIER, "point", None, self.two_card_total(hand), t=0.0), 0.3))
        return events

    @property
    def natural(self) -> bool:
        """Whether a two-card 8 or 9 ends it (R1)."""
        return max(map(self.two_card_total, HANDS)) >= 8

    def serve(self) -> None:
        """Third cards by the carteo."""
        if self.natural:
            return
        if self.punto_draws():
            self.third("punto")
        if self.banca_draws():
            self.third("banca")
        else:
            self.banca_stands()

    def banca_stands(self) -> None:
        """Banca takes no card."""

    def punto_draws(self) -> bool:
        point = self.two_card_total("punto")
        if point == 5 and self.table.argentina:
            return self.rng.random() < 0.6  # R3: at will
        return point <= 5

    def banca_draws(self) -> bool:
        thirds = self.hands["punto"][2:]
        given = points(self.faces[thirds[0]]) if thirds else NO_CARD
        # The cuadro with its options drawn is the standard table (catalogue section 3).
        return CUADRO[self.two_card_total("banca")][given] != "P"

    # ---- money -------------------------------------------------------------------------------------

    def gross(self, stake: Stake) -> int:
        """What a stake wins (positive) or loses, before any commission."""
        if stake.zone == "tie":
            return stake.amount * TIE_ODDS if self.outcome == 0 else -stake.amount
        if stake.zone == "forbidden" or stake.bet in self.out_of_play:
            return 0  # off its strip, or too late, a stake does not play
        return stake.amount * self.outcome * (1 if stake.zone == "punto" else -1)

    def settle(self, stake: Stake, gross: int) -> BetPaid | BetCollected | None:
        """Pays gross and takes the commission, or collects."""
        if gross < 0:
            collected = BetCollected(stake.bet, Decimal(-gross), t=0.0)
            self.do(Collect(collected, ()))
            return collected
        if gross == 0:
            return None
        paid = BetPaid(stake.bet, Decimal(gross), t=0.0)
        self.do(Pay(paid, ()))
        if stake.zone in ("banca", "suite"):
            self.commission(stake, self.fee(stake, gross))
        return paid

    def fee(self, stake: Stake, gross: int) -> int:
        """The house's part; on the suite only every second pass (004 L24)."""
        if stake.zone == "suite" and (self.table.passes + 1) % 2:
            return 0
        return int(gross * self.table.rate)

    def commission(self, stake: Stake, fee: int) -> CommissionTaken | None:
        if not fee:
            return None
        event = CommissionTaken(stake.bet, Decimal(fee), t=0.0)
        self.do(Speak(event, 0.2))
        return event
