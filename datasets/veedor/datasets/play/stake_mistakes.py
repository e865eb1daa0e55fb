"""Mistakes with stakes: late, changed, in a forbidden place."""

from __future__ import annotations

from decimal import Decimal

from veedor.datasets.play.acts import BANKER, Place, RaiseBet
from veedor.datasets.play.coup import CoupPlay
from veedor.datasets.play.dealing import fix
from veedor.datasets.play.deviation import Deviation, plantable
from veedor.datasets.play.people import Stake
from veedor.datasets.play.reckoning import PANOS
from veedor.rules.events import BetChanged

RAISE_UNITS = 2


@plantable
class DrawBeforeCall(Deviation):
    """The banker slides the first card out before "ya no va más"; it stays out and is paño 1's."""

    code = "DRAW_BEFORE_NMV"

    def before_call(self, play: CoupPlay) -> None:
        event = play.draw()
        play.plant(event, BANKER, fix("card_stays_out", card=event.card))


def idle_seat(play: CoupPlay) -> int:
    """Someone without a stake, else anybody."""
    seats = [seat for pano in PANOS for seat in play.table.seats[pano]]
    busy = {stake.seat for stake in play.stakes}
    return play.rng.choice([seat for seat in seats if seat not in busy] or seats)


@plantable
class LateStake(Deviation):
    """A stake after the call: it does not play and goes back."""

    code = "BET_AFTER_NMV"

    def after_call(self, play: CoupPlay) -> None:
        stake = play.bettors.straight(idle_seat(play))
        self.out_of_play.add(stake.bet)
        play.plant(play.push(stake), stake.bettor)


@plantable
class RaisedStake(Deviation):
    """A stake raised after the call: what was added does not play."""

    code = "BET_CHANGED"

    def after_call(self, play: CoupPlay) -> None:
        stake = play.rng.choice([stake for stake in play.stakes if stake.zone in PANOS])
        piles = play.table.chips.piles(RAISE_UNITS * play.table.unit)
        amount = Decimal(stake.amount + sum(pile.amount for pile in piles))
        event = BetChanged(stake.bet, amount=amount, t=0.0)
        play.do(RaiseBet(event, stake.seat, piles))
        whole = fix("restore_bet", bet=stake.bet, amount=stake.amount, zone=stake.zone)
        play.plant(event, stake.bettor, whole)


@plantable
class BeyondLimits(Deviation):
    """A stake above the table's maximum stands at the call (BK-11)."""

    code = "BET_LIMITS"
    limits = ("bet_max",)

    def stakes(self, play: CoupPlay, stakes: list[Stake]) -> list[Stake]:
        assert play.house.bet_max is not None
        amount = play.house.bet_max + play.table.unit
        seat = self.rng.choice([seat for pano in PANOS for seat in play.table.seats[pano]])
        self.stake = play.bettors.stake(seat, Place.BET, play.table.pano_of(seat), amount)
        return [*[stake for stake in stakes if stake.seat != seat], self.stake]

    def after_call(self, play: CoupPlay) -> None:
        play.plant(play.call, self.stake.bettor)


@plantable
class ForbiddenPlace(Deviation):
    """A stake right or left of the banker or the croupier: it does not play and goes back."""

    code = "BET_POSITION_FORBIDDEN"

    def stakes(self, play: CoupPlay, stakes: list[Stake]) -> list[Stake]:
        ends = [seat for pano in PANOS for seat in (play.table.seats[pano][0], play.table.seats[pano][-1])]
        stake = play.bettors.forbidden(play.rng.choice(ends))
        self.out_of_play.add(stake.bet)
        stakes.insert(play.rng.randrange(len(stakes) + 1), stake)
        return stakes

    def after_call(self, play: CoupPlay) -> None:
        stake = next(stake for stake in play.stakes if stake.bet in self.out_of_play)
        play.plant(play.call, stake.bettor)
