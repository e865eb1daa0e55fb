"""Mistakes at punto y banca and punto banco, each a way of playing a coup."""

from __future__ import annotations

from decimal import Decimal

from veedor.datasets.play.acts import CROUPIER, Speak
from veedor.datasets.play.dealing import Fix, fix
from veedor.datasets.play.people import Stake
from veedor.datasets.play.punto_play import HANDS, PuntoPlay
from veedor.rules.coup_parts import plain
from veedor.rules.events import BetCollected, BetPaid, CommissionTaken, HandPosed, SabotPassed, SuiteWithdrawn

PUNTO_DEVIATIONS: dict[str, type[PuntoPlay]] = {}


def plantable(kind: type[PuntoPlay]) -> type[PuntoPlay]:
    """Registers a way of playing under its code."""
    PUNTO_DEVIATIONS[kind.code_] = kind
    return kind


def owed(stake: Stake, amount: Decimal | None) -> Fix:
    """What the house took too much from a stake."""
    return fix("pay_bettor", amount=plain(amount), bettor=stake.bettor, bet=stake.bet)


class DealOrder(PuntoPlay):
    """One of the four cards goes to the other hand and is moved over."""

    def deal(self) -> None:
        wrong = self.rng.randrange(4)
        for index, hand in enumerate(HANDS * 2):
            if index != wrong:
                self.deal_to(hand)
                continue
            event = self.deal_to(HANDS[1 - index % 2])
            self.plant(event, self.dealer, fix("move", card=event.card, to=hand))
            self.slide(event.card, hand)
        if not self.table.argentina:
            self.pose("tucked")


@plantable
class ArDealOrder(DealOrder):
    code_ = "AR_DEAL_ORDER"
    argentina = True


@plantable
class PrDealOrder(DealOrder):
    code_ = "PR_DEAL_ORDER"
    argentina = False


class TurnOrder(PuntoPlay):
    """Banca turns before punto (AR-13, PR-09)."""

    def turn_hands(self) -> None:
        self.take("banca", self.dealer)
        events = self.turn("banca", self.dealer)
        self.plant(events[0], self.dealer)
        person = self.holder()
        self.take("punto", person)
        self.turn("punto", person)


@plantable
class ArTurnOrder(TurnOrder):
    code_ = "AR_TURN_ORDER"
    argentina = True


@plantable
class PrTurnOrder(TurnOrder):
    code_ = "PR_TURN_ORDER"
    argentina = False


@plantable
class CardsLoose(PuntoPlay):
    """Banca's cards do not lie under the sabot (PR-05)."""

    code_ = "PR_CARDS_TUCK"
    argentina = False

    def pose(self, pose: str) -> HandPosed:
        event = super().pose("loose")
        self.plant(event, self.dealer, fix("tuck"))
        return event


class WrongCardHolder(PuntoPlay):
    """Punto's cards go to somebody who is not entitled, and are passed on."""

    def turn_hands(self) -> None:
        holder = self.holder()
        bettors = {f"seat{stake.seat}" for stake in self.stakes if stake.zone == "punto"}
        sums = {
            person: sum(
                stake.amount for stake in self.stakes if stake.zone == "punto" and stake.bettor == person
            )
            for person in bettors
        }
        # Equal stakes are one person's by order of seat in Argentina only: take a clearly smaller one.
        others = sorted(person for person in bettors if sums[person] < max(sums.values()))
        if holder != CROUPIER and others:
            event = self.take("punto", self.rng.choice(others))
            self.plant(event, CROUPIER, fix("pass_cards", hand="punto", to=holder))
        super().turn_hands()


@plantable
class ArWrongHolder(WrongCardHolder):
    code_ = "AR_WRONG_CARD_HOLDER"
    argentina = True


@plantable
class PrWrongHolder(WrongCardHolder):
    code_ = "PR_WRONG_HOLDER"
    argentina = False


class DrawRule(PuntoPlay):
    """Banca draws on a stand: the card is found false and put away dead (G-11)."""

    def banca_stands(self) -> None:
        event = self.third("banca")
        self.plant(event, self.dealer, fix("undo_draw", card=event.card, hand="banca"))
        self.slide(event.card, "dead")


@plantable
class ArDrawRule(DrawRule):
    code_ = "AR_DRAW_RULE"
    argentina = True


@plantable
class PrDrawRule(DrawRule):
    code_ = "PR_DRAW_RULE"
    argentina = False


@plantable
class SuiteMissing(PuntoPlay):
    """The shooter has nothing in the suite (AR-02)."""

    code_ = "AR_SUITE_MISSING"
    argentina = True

    def draw_stakes(self) -> list[Stake]:
        return [stake for stake in super().draw_stakes() if stake.zone != "suite"]

    def after_call(self) -> None:
        self.plant(self.call, self.dealer)


@plantable
class SuiteCommission(PuntoPlay):
    """The suite pays a commission on its first pass (AR-19, C-23)."""

    code_ = "AR_SUITE_COMMISSION"
    argentina = True
    after_punto_win = True  # so that it is the new shooter's first pass

    def commission(self, stake: Stake, fee: int) -> CommissionTaken | None:
        if stake.zone != "suite" or fee:
            return super().commission(stake, fee)
        event = super().commission(stake, int(stake.amount * self.table.rate))
        if event is not None:
            self.plant(event, CROUPIER, owed(stake, event.amount))
        return event


@plantable
class BancaCommission(PuntoPlay):
    """Twice the commission on a banca stake (AR-18)."""

    code_ = "AR_COMMISSION"
    argentina = True

    def commission(self, stake: Stake, fee: int) -> CommissionTaken | None:
        if stake.zone != "banca" or self.planted or not fee:
            return super().commission(stake, fee)
        event = super().commission(stake, fee * 2)
        if event is not None:
            self.plant(event, CROUPIER, owed(stake, Decimal(fee)))
        return event


@plantable
class SuiteWithdraw(PuntoPlay):
    """After a pass the shooter takes off more than half of his suite (AR-07)."""

    code_ = "AR_SUITE_WITHDRAW"
    argentina = True

    def settle(self, stake: Stake, gross: int) -> BetPaid | BetCollected | None:
        event = super().settle(stake, gross)
        if stake.zone == "suite" and gross > 0:
            self.won = stake.amount + gross - self.fee(stake, gross)
        return event

    won = 0

    def run(self) -> None:
        super().run()
        if self.won:
            event = SuiteWithdrawn(Decimal(self.won * 3 // 4), t=0.0)
            self.do(Speak(event, 0.3))
            excess = plain(Decimal(self.won * 3 // 4) - Decimal(self.won) / 2)
            self.plant(event, self.dealer, fix("put_back", amount=excess))


@plantable
class PuntoPosition(PuntoPlay):
    """A punto stake off the outer strip (AR-04)."""

    code_ = "AR_PUNTO_POSITION"
    argentina = True

    def draw_stakes(self) -> list[Stake]:
        stakes = super().draw_stakes()
        seat = self.rng.choice([seat for seat in self.table.seats if seat != self.table.shooter])
        self.misplaced = self.stake(seat, "forbidden", 1)
        return [*stakes, self.misplaced]

    def after_call(self) -> None:
        self.plant(self.call, self.misplaced.bettor)


@plantable
class SabotKept(PuntoPlay):
    """The shooter goes on although punto has won (AR-16)."""

    code_ = "AR_SABOT_ROTATION"
    argentina = True
    after_punto_win = True

    def pass_sabot(self) -> None:
        index = self.table.seats.index(self.table.shooter)
        self.dealer = f"seat{self.table.seats[index - 1]}"

    def deal(self) -> None:
        self.plant(self.draw(), self.dealer, fix("pass_sabot", **{"from": self.dealer}))
        self.dealer = f"seat{self.table.shooter}"
        self.do(Speak(SabotPassed(self.dealer, t=0.0), 0.5))
        super().deal()
