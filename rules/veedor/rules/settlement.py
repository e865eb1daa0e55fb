"""What is due in a coup: every stake to the last unit, the cagnotte, the commission, the bank afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from veedor.rules.coup import Coup
from veedor.rules.coup_parts import ZERO
from veedor.rules.outcome import BANKER, PLAYER, TIE, results
from veedor.rules.profile import RuleProfile
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.stakes import SUITE, TIE_BET, Stake, stakes

TENTH = Decimal("0.1")


@dataclass(frozen=True, slots=True)
class SuiteState:
    """Where the shooter's suite stands: passes won before this coup, and what the last wins brought."""

    passes: int = 0
    last_win: Decimal = ZERO


@dataclass(frozen=True, slots=True)
class Due:
    """What one stake wins and loses, and the commission on it; None where a reading leaves it open."""

    won: Decimal = ZERO
    lost: Decimal = ZERO
    commission: Decimal | None = ZERO

    @property
    def net(self) -> Decimal:
        """The bettor's gain, commission deducted where it is known."""
        return self.won - self.lost - (self.commission or ZERO)


@dataclass(frozen=True, slots=True)
class Settlement:
    """The whole coup settled; a bet is missing from ``due`` while its result is not known.

    ``cagnotte`` None while the banker's gain is not known; ``complete`` True when every stake has its due.
    """

    results: Mapping[str, str | None]
    stakes: Mapping[str, Stake]
    due: Mapping[str, Due]
    gains: Mapping[str, Decimal]
    cagnotte: Decimal | None
    complete: bool

    def payouts(self) -> dict[str, Decimal]:
        """Net gain of each bettor who has a stake that plays."""
        nets: dict[str, Decimal] = {}
        for key, due in self.due.items():
            bettor = self.stakes[key].bet.bettor
            nets[bettor] = nets.get(bettor, ZERO) + due.net
        return nets


def settle(
    coup: Coup, profile: RuleProfile, bank: Decimal | None, suite: SuiteState = SuiteState()
) -> Settlement:
    """Settles the coup as its cards lie; ``bank`` is what the bank held before it, None where unknown."""
    key = ("settle", coup.stakes_version, coup.unplaced, coup.declared, coup.lot, bank, suite)
    known = coup.memo.get(key)
    if known is None or known[0] is not profile:
        known = coup.memo[key] = (profile, _settle(coup, profile, bank, suite))
    settlement: Settlement = known[1]
    return settlement


def _settle(coup: Coup, profile: RuleProfile, bank: Decimal | None, suite: SuiteState) -> Settlement:
    found = results(coup, profile)
    playing = stakes(coup, profile, bank)
    due: dict[str, Due] = {}
    if profile.family == DOS_PANOS:
        for key, stake in playing.items():
            if all(found.get(hand) is not None for hand in stake.covered):
                won = sum((part for hand, part in stake.covered.items() if found[hand] == PLAYER), ZERO)
                lost = sum((part for hand, part in stake.covered.items() if found[hand] == BANKER), ZERO)
                due[key] = Due(won, lost)
    elif found[coup.players[0]] is not None:
        for key, stake in playing.items():
            amount = sum(stake.covered.values(), ZERO)
            due[key] = due_on(stake.bet.zone, amount, str(found[coup.players[0]]), profile, suite)
    gains = {hand: _gain(hand, playing, found) for hand in coup.players}
    uncounted = any(not bet.late and not bet.removed and bet.amount is None for bet in coup.bets.values())
    complete = len(due) == len(playing) and not uncounted and not coup.unplaced
    cagnotte = _cagnotte(gains, profile) if complete else None
    return Settlement(found, playing, due, gains, cagnotte, complete)


def _gain(hand: str, playing: Mapping[str, Stake], found: Mapping[str, str | None]) -> Decimal:
    sign = {BANKER: 1, PLAYER: -1}.get(found[hand] or "", 0)
    return sign * sum((stake.covered.get(hand, ZERO) for stake in playing.values()), ZERO)


def _cagnotte(gains: Mapping[str, Decimal], profile: RuleProfile) -> Decimal:
    """The deduction on the banker's net gain (BT-10, BT-11, C-12); exact unless G-15 rounds it."""
    if profile.reading("C-12") == "gross":
        base = sum((gain for gain in gains.values() if gain > 0), ZERO)
    else:
        base = max(ZERO, sum(gains.values(), ZERO))
    amount = base * profile.amount("cagnotte_rate")
    return amount.quantize(TENTH, ROUND_HALF_UP) if profile.reading("G-15") == "tenth" else amount


def due_on(
    zone: str, amount: Decimal, found: str, profile: RuleProfile, suite: SuiteState = SuiteState()
) -> Due:
    """What a stake on a zone of punto y banca is due, given the result of the punto's hand."""
    if zone == TIE_BET:
        return Due(won=amount * profile.amount("tie_odds")) if found == TIE else Due(lost=amount)
    if found not in (PLAYER, BANKER):
        return Due()
    if zone == "punto":
        return Due(won=amount) if found == PLAYER else Due(lost=amount)
    if found == PLAYER:
        return Due(lost=amount)
    if zone == SUITE:
        return Due(won=amount, commission=suite_commission(amount, profile, suite))
    return Due(won=amount, commission=amount * profile.amount("commission_rate"))


def suite_commission(win: Decimal, profile: RuleProfile, suite: SuiteState) -> Decimal | None:
    """Discount on a suite that wins: nothing but on every second pass; None where C-23 leaves it open."""
    if (suite.passes + 1) % profile.whole("suite_passes"):
        return ZERO
    reading = profile.reading("C-23")
    rate = profile.amount("suite_rate")
    if reading == "second":
        return win * rate
    if reading == "both":
        return (win + suite.last_win) * rate
    # The running suite after the pass is the stake and what it has just won.
    return 2 * win * rate if reading == "running" else None
