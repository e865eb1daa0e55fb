"""What can go wrong with cards and stakes at punto y banca and punto banco as at any table."""

from __future__ import annotations

from decimal import Decimal

from veedor.datasets.play.accidents import leaves_face_up, picked_up_by, put_back, two_come_out
from veedor.datasets.play.acts import CROUPIER, Recover, Speak
from veedor.datasets.play.dealing import DEAD, fix
from veedor.datasets.play.money_mistakes import set_right
from veedor.datasets.play.people import Stake
from veedor.datasets.play.punto_mistakes import plantable
from veedor.datasets.play.punto_play import PuntoPlay
from veedor.rules.events import (
    BetChanged,
    BetCollected,
    BetPaid,
    CardMoved,
)


class DealAccident(PuntoPlay):
    """Something happens at one card of the deal."""

    first, last = 0, 3

    def deal_card(self, index: int, hand: str) -> None:
        if index == 0:
            self.at = self.rng.randint(self.first, self.last)
        if index == self.at:
            self.happen(hand)
        else:
            self.deal_to(hand)

    at = -1

    def happen(self, hand: str) -> None:
        raise NotImplementedError


@plantable
class FaceUpAtMouth(DealAccident):
    """A card leaves the sabot face up: it is dead and the next replaces it (ER-04)."""

    code_ = "CARD_FACE_UP_SABOT"

    def happen(self, hand: str) -> None:
        leaves_face_up(self, hand)


@plantable
class StuckCards(DealAccident):
    """Two cards come out together: the coup is null (ER-05)."""

    code_ = "STUCK_CARDS"
    first, last = 1, 2

    def happen(self, hand: str) -> None:
        two_come_out(self)


@plantable
class PickedUpByPlayer(DealAccident):
    """A card falls on the floor and a player picks it up (ER-06)."""

    code_ = "FLOOR_CARD_PICKUP"

    def happen(self, hand: str) -> None:
        picked_up_by(self, hand, f"seat{self.rng.choice(self.table.seats)}")


@plantable
class PutBackInSabot(DealAccident):
    """A card that was drawn is pushed back into the sabot (ER-02)."""

    code_ = "CARD_RETURNED_TO_SABOT"

    def happen(self, hand: str) -> None:
        put_back(self, hand)


@plantable
class CardsOffTable(PuntoPlay):
    """Punto's holder takes the cards off the table and has to put them back (SH-08)."""

    code_ = "CARDS_OFF_TABLE"

    def turn_hands(self) -> None:
        person = self.holder()
        if person != CROUPIER:
            self.take("punto", person)
            cards = list(self.hands["punto"])
            self.plant_first([self.lose(card, "off_table", person, moved=True) for card in cards], person)
            for card in cards:
                self.hands["punto"].append(card)
                self.do(Recover(card, "punto", person, (CardMoved(card, "punto", person, t=0.0),)))
        super().turn_hands()


@plantable
class ThirdCardTwice(PuntoPlay):
    """Punto is given two cards; the second is dead (SH-15)."""

    code_ = "THIRD_CARD_TWICE"

    def serve(self) -> None:
        if self.natural or not self.punto_draws():
            return
        self.third("punto")
        extra = self.third("punto")
        self.plant(extra, self.dealer, fix("dead", card=extra.card))
        self.slide(extra.card, DEAD)
        if self.banca_draws():
            self.third("banca")


@plantable
class DrawBeforeCall(PuntoPlay):
    """A card leaves the sabot before the call (ER-01)."""

    code_ = "DRAW_BEFORE_NMV"

    def before_call(self) -> None:
        event = self.draw()
        self.plant(event, self.dealer, fix("card_stays_out", card=event.card))


@plantable
class LateStake(PuntoPlay):
    """A stake after the call: it does not play (BT-01)."""

    code_ = "BET_AFTER_NMV"

    def after_call(self) -> None:
        stake = self.stake(self.rng.choice(self.table.seats), "banca", self.table.least)
        self.out_of_play.add(stake.bet)
        self.plant(self.push(stake), stake.bettor)


@plantable
class RaisedStake(PuntoPlay):
    """A stake raised after the call: what was added does not play (ER-07)."""

    code_ = "BET_CHANGED"

    def after_call(self) -> None:
        stake = self.rng.choice(self.stakes)
        event = BetChanged(stake.bet, amount=Decimal(stake.amount + 2 * self.table.unit), t=0.0)
        self.do(Speak(event, 0.6))
        whole = fix("restore_bet", bet=stake.bet, amount=stake.amount, zone=stake.zone)
        self.plant(event, stake.bettor, whole)


@plantable
class PayoutWrong(PuntoPlay):
    """A punto stake is paid a unit too much or too little, or collected on a tie (BT-07, BT-08)."""

    code_ = "PAYOUT_WRONG"

    def settle(self, stake: Stake, gross: int) -> BetPaid | BetCollected | None:
        if self.planted or stake.zone != "punto" or gross < 0:
            return super().settle(stake, gross)
        unit = self.table.unit
        wrong = gross + (self.rng.choice((-unit, unit)) if gross > unit else unit) if gross else -stake.amount
        event = super().settle(stake, wrong)
        if event is not None:
            self.plant(event, CROUPIER, set_right(stake, gross - wrong))
        return event


@plantable
class BeyondLimits(PuntoPlay):
    """A stake above the table's maximum stands at the call (BK-11)."""

    code_ = "BET_LIMITS"
    limits = ("bet_max",)

    def draw_stakes(self) -> list[Stake]:
        assert self.table.most is not None
        units = self.table.most // self.table.unit + 1
        self.large = self.stake(self.table.shooter, "banca", units)
        return [*super().draw_stakes(), self.large]

    def after_call(self) -> None:
        self.plant(self.call, self.large.bettor)


@plantable
class SmallTieBet(PuntoPlay):
    """A tie bet under the minimum by somebody without the minimum on punto or banca (PR-02)."""

    code_ = "PR_TIE_BET_MIN"
    argentina = False
    limits = ("bet_min",)

    def draw_stakes(self) -> list[Stake]:
        self.small = self.stake(self.table.shooter, "tie", 1)
        return [*super().draw_stakes(), self.small]

    def after_call(self) -> None:
        if self.small.amount < self.table.least * self.table.unit:
            self.plant(self.call, self.small.bettor)
