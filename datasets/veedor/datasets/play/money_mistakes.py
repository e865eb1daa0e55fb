"""The croupier's mistakes when he settles."""

from __future__ import annotations

from random import Random

from veedor.datasets.play.acts import CROUPIER
from veedor.datasets.play.coup import CoupPlay
from veedor.datasets.play.dealing import Fix, fix
from veedor.datasets.play.deviation import Deviation, plantable
from veedor.datasets.play.people import Stake
from veedor.datasets.play.reckoning import PANOS, due, shares
from veedor.rules.events import BetCollected, BetPaid


class WrongPayment(Deviation):
    """One stake is settled for another amount than is due."""

    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        self.target: str | None = None

    def wrong_amount(self, play: CoupPlay, stake: Stake, amount: int) -> int | None:
        """The wrong amount for a stake where `amount` is due; None where this stake does not serve."""
        raise NotImplementedError

    def payment(self, play: CoupPlay, stake: Stake, amount: int) -> int:
        if self.target is None:
            choices = [
                (other.bet, wrong)
                for other in play.stakes
                if (wrong := self.wrong_amount(play, other, play.till.due(other))) is not None
            ]
            self.target, self.wrong = play.rng.choice(choices) if choices else ("", 0)
        return self.wrong if stake.bet == self.target else amount

    def settled(self, play: CoupPlay, stake: Stake, event: BetPaid | BetCollected | None) -> None:
        if stake.bet == self.target and event is not None:
            play.plant(event, CROUPIER, set_right(stake, play.till.due(stake) - self.wrong))


def set_right(stake: Stake, difference: int) -> Fix:
    """What the bettor is still owed (positive), or has to give back."""
    what = "pay_bettor" if difference > 0 else "take_bettor"
    return fix(what, amount=abs(difference), bettor=stake.bettor, bet=stake.bet)


@plantable
class PayoutWrong(WrongPayment):
    """Too little, too much, a half stake taken whole, a tie collected, or a natural held to lose."""

    code = "PAYOUT_WRONG"

    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        self.way = rng.choice(("short", "over", "whole", "natural", "tie"))

    def wrong_amount(self, play: CoupPlay, stake: Stake, amount: int) -> int | None:
        unit = play.table.unit
        if self.way == "whole":
            return -stake.amount if stake.zone.startswith("half:") and amount < 0 else None
        if stake.zone not in PANOS:
            return None
        if self.way == "natural":
            ends = play.ends()
            higher = ends["B"].point > ends[stake.zone].point and len(ends["B"].faces) == 3
            return -stake.amount if ends[stake.zone].natural and higher else None
        if self.way == "tie":
            return -stake.amount if amount == 0 else None
        if amount < 2 * unit:
            return None
        return amount - unit if self.way == "short" else amount + unit


@plantable
class OddUnitWrong(WrongPayment):
    """The odd unit of a stake on both paños is played on the second instead of the first (BT-05)."""

    code = "ODD_UNIT_WRONG"

    def stakes(self, play: CoupPlay, stakes: list[Stake]) -> list[Stake]:
        seat = play.rng.choice([seat for pano in PANOS for seat in play.table.seats[pano]])
        kept = [stake for stake in stakes if stake.seat != seat]
        return [*kept, play.bettors.caballo(seat, odd=True)]

    def wrong_amount(self, play: CoupPlay, stake: Stake, amount: int) -> int | None:
        unit = play.table.unit
        if stake.zone != "caballo" or play.results["P1"] + play.results["P2"] != 0:
            return None
        part = shares(stake.zone, stake.amount, unit)
        wrong = part["P2"] * play.results["P1"] + part["P1"] * play.results["P2"]
        assert amount == due(stake.zone, stake.amount, unit, play.results)
        # A net of nothing leaves no event to point at.
        return wrong if wrong not in (amount, 0) else None


@plantable
class CagnotteWrong(Deviation):
    """The deduction is taken on the gross win, doubled, or on one paño only (BT-11, C-12)."""

    code = "CAGNOTTE_WRONG"

    def cagnotte(self, play: CoupPlay, fee: int) -> int:
        if fee == 0:
            return 0
        gains = dict.fromkeys(PANOS, 0)
        for stake in play.stakes:
            if stake.bet not in self.out_of_play:
                for pano, share in shares(stake.zone, stake.amount, play.table.unit).items():
                    gains[pano] -= share * play.results[pano]
        gross = int(play.house.rate * sum(max(0, gain) for gain in gains.values()))
        step = play.table.chips.smallest
        return next(wrong for wrong in (gross, fee - step, 2 * fee) if wrong > 0 and wrong != fee)
