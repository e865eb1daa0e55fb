"""The croupier's till: what is due, what is paid and taken, the house's part, the end of the coup."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from veedor.datasets.play.acts import CROUPIER, Cagnotte, Collect, Pay, Rest, Sweep, TakeBack
from veedor.datasets.play.dealing import fix
from veedor.datasets.play.money import Pile, take
from veedor.datasets.play.people import Stake
from veedor.rules.events import BetCollected, BetPaid, CagnottePaid, CoupClosed

if TYPE_CHECKING:
    from veedor.datasets.play.coup import CoupPlay


class Till:
    """Settles one coup."""

    def __init__(self, play: CoupPlay) -> None:
        self.play = play
        self.events: list[BetPaid | BetCollected] = []  # of stakes that were settled

    def due(self, stake: Stake) -> int:
        """Net due to the bettor of a stake."""
        play = self.play
        if stake.bet in play.deviation.out_of_play:
            return 0
        return sum(part * play.results[pano] for pano, part in play.covered(stake).items())

    def settle(self) -> int:
        """Collects and pays every stake; returns what is due to the bank, net."""
        play = self.play
        gain = 0
        amounts = []
        for stake in play.stakes:
            amount = self.due(stake)
            gain -= amount
            amounts.append((stake, play.deviation.payment(play, stake, amount)))
        for stake, amount in sorted(amounts, key=lambda pair: pair[1] > 0):
            event = self._pay(stake, amount)
            if event is not None:
                self.events.append(event)
            play.deviation.settled(play, stake, event)
        play.do(Rest(0.5))
        return gain

    def _pay(self, stake: Stake, amount: int) -> BetPaid | BetCollected | None:
        """Pays (positive) or collects (negative) one stake."""
        if amount > 0:
            paid = BetPaid(stake.bet, Decimal(amount), t=0.0)
            self.play.do(Pay(paid, self._winnings(stake, amount)))
            return paid
        if amount < 0:
            collected = BetCollected(stake.bet, Decimal(-amount), t=0.0)
            self.play.do(Collect(collected, self._part(stake, -amount)))
            return collected
        return None

    def _winnings(self, stake: Stake, amount: int) -> tuple[Pile, ...]:
        """Chips for `amount`: like the stake's own where that comes out even."""
        if not self.play.deviation.on_felt:
            return ()  # nobody sees the chips, and they need not come out even
        split = take(stake.piles, amount)
        return split[0] if split is not None else self.play.table.chips.piles(amount)

    def _part(self, stake: Stake, amount: int) -> tuple[Pile, ...]:
        """The chips of a stake that are taken for `amount`."""
        if not self.play.deviation.on_felt:
            return ()
        split = take(stake.piles, amount)
        assert split is not None, f"{stake} cannot give up {amount}"
        return split[0]

    def close(self, gain: int) -> None:
        """The cagnotte, the cards into the basket, everybody takes what is his."""
        play = self.play
        fee = play.house_part(gain)
        paid = play.deviation.cagnotte(play, fee)
        if paid:
            event = CagnottePaid(Decimal(paid), t=0.0)
            on_felt = play.deviation.on_felt
            play.do(Cagnotte(event, play.table.chips.piles(paid) if on_felt else ()))
            play.do(Rest(0.2))
            if paid != fee:
                what = "cagnotte_add" if paid < fee else "cagnotte_return"
                play.plant(event, CROUPIER, fix(what, amount=abs(fee - paid)))
        play.do(Sweep(CoupClosed(play.table.coup, t=0.0)))
        play.do(Rest(0.3))
        play.do(TakeBack())
        play.do(Rest(0.4))
