"""Mistakes with the bank's money and its banker, between coups and in the cover of a limited bank."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from veedor.datasets.play.acts import BANKER, CROUPIER, Place, Speak
from veedor.datasets.play.coup import CoupPlay, CoupRecord
from veedor.datasets.play.dealing import fix
from veedor.datasets.play.deviation import Deviation, plantable
from veedor.datasets.play.people import Stake
from veedor.datasets.play.reckoning import shares
from veedor.rules.events import BankDeposited, BankerLeft, BankerSeated, BetChanged, BetReturned


@plantable
class BankOverMax(Deviation):
    """The bank is constituted with more than is authorised (EQ-03)."""

    code = "BANK_OVER_MAX"
    only_first = True
    limited_only = True
    limits = ("bank_max",)

    def before_open(self, play: CoupPlay) -> None:
        assert play.house.bank_max is not None
        more = play.house.bank_max - play.table.bank + play.table.unit
        if more == play.table.bank:
            more += play.table.unit  # the same sum twice would be one deposit, announced and made
        event = BankDeposited(Decimal(more), t=0.0)
        play.do(Speak(event, 0.3))
        play.plant(event, BANKER, coup=play.coup - 1)
        play.table = replace(play.table, bank=play.table.bank + more)
        play.declared = play.bank_after = play.table.bank


@plantable
class LeftEarly(Deviation):
    """The banker leaves before the first coup, and another takes the bank (BK-06)."""

    code = "BANKER_LEFT_EARLY"
    only_first = True

    def before_open(self, play: CoupPlay) -> None:
        event = BankerLeft("banker1", Decimal(play.table.bank), t=0.0)
        play.do(Speak(event, 1.0))
        play.plant(event, BANKER, coup=play.coup - 1)
        play.do(Speak(BankerSeated("banker2", Decimal(play.table.bank), t=0.0), 0.6))


@plantable
class BackSameSabot(Deviation):
    """A banker who has won withdraws, and takes the bank again in the same sabot (BK-07)."""

    code = "BANKER_BACK_SAME_SABOT"
    only_first = True  # the bank then holds what it began with, so that winning this coup is enough

    def closed(self, play: CoupPlay) -> None:
        if play.bank_after <= play.house.start:
            return
        amount = Decimal(play.bank_after)
        play.do(Speak(BankerLeft("banker1", amount, t=0.0), 2.0))
        event = BankerSeated("banker1", amount, t=0.0)
        play.do(Speak(event, 0.6))
        play.plant(event, BANKER)


class BrokenBank(Deviation):
    """One player stakes all that the bank holds, and wins it (BK-08)."""

    limited_only = True
    on_felt = False  # that is more chips than a place on the felt has room for

    def stakes(self, play: CoupPlay, stakes: list[Stake]) -> list[Stake]:
        seat = play.rng.choice(play.table.seats["P1"])
        return [play.bettors.stake(seat, Place.BET, "P1", play.table.bank)]


@plantable
class SmallRedeposit(BrokenBank):
    """The bank has broken, and the banker goes on with less than he began with (BK-09)."""

    code = "REDEPOSIT_TOO_SMALL"
    # A bank that began small could not go on smaller and still cover a coup's stakes.
    only_first = True

    def closed(self, play: CoupPlay) -> None:
        start = play.house.start
        missing = play.table.unit * self.rng.randint(1, 40)
        if play.bank_after > 0:
            return
        event = BankDeposited(Decimal(start - missing), t=0.0)
        play.do(Speak(event, 0.6))
        # It is a fault once play goes on.
        remedy = fix("deposit_more", amount=missing, start=start)
        play.plant(event, BANKER, remedy, coup=play.coup + 1)
        play.bank_after = start - missing


class ShortBank(Deviation):
    """The banker announces less than the stakes come to: the rest is given back (BK-15, G-01)."""

    limited_only = True
    on_felt = False  # a stake's chips cannot always be parted as they are covered

    def stakes(self, play: CoupPlay, stakes: list[Stake]) -> list[Stake]:
        whole = sum(sum(shares(one.zone, one.amount, play.table.unit).values()) for one in stakes)
        units = whole // play.table.unit
        play.declared = play.table.unit * play.rng.randint(max(1, units // 3), max(1, units - 1))
        return stakes

    def after_call(self, play: CoupPlay) -> None:
        for stake in play.stakes:
            self.give_back(play, stake, stake.amount - self.standing(play, stake))

    def standing(self, play: CoupPlay, stake: Stake) -> int:
        """What of a stake is left on the felt; the half that a stake on the line does not play stays."""
        parts = sum(shares(stake.zone, stake.amount, play.table.unit).values())
        return stake.amount - parts + sum(play.covered(stake).values())

    def give_back(self, play: CoupPlay, stake: Stake, amount: int) -> BetReturned | None:
        if not amount:
            return None
        event = BetReturned(stake.bet, Decimal(amount), t=0.0)
        play.do(Speak(event, 0.6))
        return event


@plantable
class CoverOrder(ShortBank):
    """The croupier gives back a stake that the bank does cover, and puts it back (PL-03, G-01)."""

    code = "COVER_ORDER"

    def after_call(self, play: CoupPlay) -> None:
        whole = [stake for stake in play.stakes if self.standing(play, stake) == stake.amount]
        for stake in play.stakes:
            self.give_back(play, stake, stake.amount - self.standing(play, stake))
        if whole:
            stake = self.rng.choice(whole)
            event = self.give_back(play, stake, stake.amount)
            assert event is not None
            remedy = fix("restore_bet", bet=stake.bet, amount=stake.amount, zone=stake.zone)
            play.plant(event, CROUPIER, remedy)
            play.do(Speak(BetChanged(stake.bet, amount=Decimal(stake.amount), t=0.0), 0.6))


class NewBanker(Deviation):
    """After the coup the banker leaves with what he has, and another takes the bank (BK-06)."""

    def closed(self, play: CoupPlay) -> None:
        if play.bank_after <= 0:
            return
        play.do(Speak(BankerLeft(None, Decimal(play.bank_after), t=0.0), 2.0))
        event = BankerSeated(f"banker{play.coup + 1}", Decimal(play.house.start), t=0.0)
        play.do(Speak(event, 0.6))
        play.bank_after = play.house.start


class ProperRedeposit(BrokenBank):
    """The bank has broken, and goes on with what it began with."""

    def closed(self, play: CoupPlay) -> None:
        if play.bank_after <= 0:
            play.do(Speak(BankDeposited(Decimal(play.house.start), t=0.0), 0.6))
            play.bank_after = play.house.start

    def happened(self, record: CoupRecord) -> bool:
        return record.results["P1"] > 0
