"""What each stake was due and what was seen to happen to it: the money of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from veedor.monitor.report_record import Coup, RecordedFinding
from veedor.monitor.story import BetStory
from veedor.rules.coup_parts import Bet
from veedor.rules.events import BetCollected, BetPaid, BetReturned

NOTHING = Decimal(0)


@dataclass(frozen=True)
class Stake:
    """A stake with its settlement, from the bettor's side, and the findings about that."""

    coup: Coup
    bet: BetStory
    said: tuple[RecordedFinding, ...] = ()

    @property
    def _counted(self) -> Bet | None:
        """The stake as the rules count it; None before any card was dealt."""
        return self.coup.account.stakes.get(self.bet.bet)

    @property
    def amount(self) -> Decimal | None:
        """What plays: a stake that was changed after the call plays as it stood."""
        return self.bet.amount if self._counted is None else self._counted.amount

    @property
    def due(self) -> Decimal | None:
        """What the bettor was to gain or lose."""
        return self.coup.account.due.get(self.bet.bet)

    @property
    def settled(self) -> Decimal | None:
        """What the bettor was seen to gain or lose; None where an amount was not seen, or nothing at all."""
        bet = self._counted
        if bet is None or not bet.is_touched or not bet.counted or bet.amount is None:
            return None
        # Chips taken and given back were not kept: the stake held no more.
        given_back = max(NOTHING, bet.collected + bet.returned - bet.amount)
        return bet.paid - (bet.collected - given_back) - bet.commission

    @property
    def difference(self) -> Decimal | None:
        """Settled less due: above 0 the bettor got too much; None where one of them is not known."""
        due, settled = self.due, self.settled
        if due is None:
            return None
        if settled is None:
            untouched = self._counted is not None and not self._counted.is_touched
            return NOTHING if due == 0 and untouched else None
        return settled - due

    @property
    def differs(self) -> bool:
        return bool(self.difference)

    @property
    def wrong(self) -> bool:
        """Whether a finding that nobody has dismissed says that it was settled wrongly."""
        return self.differs and any(
            each.view.verdict == "broken" and not each.dismissed for each in self.said
        )


def stakes_of(coups: Iterable[Coup], findings: Sequence[RecordedFinding] = ()) -> list[Stake]:
    """Every stake that was not taken back before it counted, with what `findings` say of its settlement."""
    return [
        Stake(
            coup,
            bet,
            tuple(each for each in findings if coup.holds(each.view) and _is_about(each, bet, coup)),
        )
        for coup in coups
        for bet in coup.story.bets
        if not (bet.removed and bet.paid is None and bet.collected is None)
    ]


def _is_about(finding: RecordedFinding, bet: BetStory, coup: Coup) -> bool:
    """Whether a finding rests on the stake's settlement."""
    events = finding.line.get("events")
    rests_on = events if isinstance(events, list) else []
    return any(
        isinstance(event, BetPaid | BetCollected | BetReturned)
        and event.bet == bet.bet
        and event.id in rests_on
        for event in coup.story.events
    )


@dataclass(frozen=True)
class Sums:
    """Amounts over several coups; `too_much` and `too_little` of stakes that findings call wrong."""

    staked: Decimal
    paid: Decimal
    collected: Decimal
    too_much: Decimal
    too_little: Decimal
    cagnotte: Decimal
    cagnotte_due: Decimal | None


def sums_of(coups: Iterable[Coup], findings: Sequence[RecordedFinding] = ()) -> Sums:
    there = list(coups)
    stakes = stakes_of(there, findings)
    wrong = [each.difference or NOTHING for each in stakes if each.wrong]
    dues = [each.account.cagnotte for each in there if each.account.cagnotte is not None]
    return Sums(
        staked=_sum(each.amount for each in stakes),
        paid=_sum(each.bet.paid for each in stakes),
        collected=_sum(each.bet.collected for each in stakes),
        too_much=_sum(each for each in wrong if each > 0),
        too_little=_sum(-each for each in wrong if each < 0),
        cagnotte=_sum(each.story.cagnotte for each in there),
        cagnotte_due=_sum(dues) if dues else None,
    )


def _sum(amounts: Iterable[Decimal | None]) -> Decimal:
    return sum((each for each in amounts if each is not None), NOTHING)
