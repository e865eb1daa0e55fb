"""What each stake plays: zones, halves, the line a caballo, odd units, and the cover of a limited bank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from veedor.rules.coup import Coup
from veedor.rules.coup_parts import ZERO, Bet
from veedor.rules.profile import RuleProfile
from veedor.rules.profile_keys import DOS_PANOS

FORBIDDEN = "forbidden"
HALF = "half:"
CABALLO = "caballo"
SUITE = "suite"
TIE_BET = "tie"
DOS_PANOS_ZONES = ("P1", "P2", CABALLO, "half:P1", "half:P2", "half:caballo", FORBIDDEN)
PUNTO_ZONES = ("punto", "banca", SUITE, TIE_BET, FORBIDDEN)


@dataclass(frozen=True, slots=True)
class Stake:
    """What one bet plays on each hand, before (``parts``) and after (``covered``) the bank's cover."""

    bet: Bet
    parts: Mapping[str, Decimal]
    covered: Mapping[str, Decimal]

    @property
    def uncovered(self) -> Decimal:
        """What stands on the felt but does not play because the bank does not reach it."""
        return sum(self.parts.values(), ZERO) - sum(self.covered.values(), ZERO)


def _multiple(amount: Decimal, unit: Decimal, rounding: str) -> Decimal:
    return (amount / unit).to_integral_value(rounding=rounding) * unit


def in_play(zone: str, amount: Decimal, profile: RuleProfile) -> dict[str, Decimal]:
    """What a stake of that amount plays on each hand; empty where it does not play.

    Halves in whole units, the rest does not play (G-04). A caballo, equal parts, and of an odd number of
    units the larger fraction on the first paño (BT-05, C-04, C-05; catalogue 4.1).
    """
    if profile.family != DOS_PANOS:
        plays = zone in ("punto", "banca")
        plays = plays or (zone == SUITE and profile.switches["suite"])
        plays = plays or (zone == TIE_BET and profile.switches["tie_bets"])
        return {zone: amount} if plays else {}
    unit = profile.amount("unit")
    halved = zone.startswith(HALF)
    if halved:
        zone = zone.removeprefix(HALF)
        amount /= 2
        if profile.reading("G-04") == "whole-units":
            amount = _multiple(amount, unit, ROUND_FLOOR)
    if zone in ("P1", "P2"):
        return {zone: amount}
    if zone != CABALLO:
        return {}
    half = amount / 2
    literal = profile.reading("C-04") == "001" and not halved
    if literal or profile.reading("C-05") == "halves" or half % unit == 0:
        return {"P1": half, "P2": half}
    first = _multiple(half, unit, ROUND_CEILING)
    return {"P1": first, "P2": amount - first}


def is_odd_split(zone: str, amount: Decimal, profile: RuleProfile) -> bool:
    """True if a stake a caballo plays unequal parts."""
    parts = in_play(zone, amount, profile)
    return len(parts) == 2 and len(set(parts.values())) == 2


def cover_order(coup: Coup) -> list[str]:
    """The paños in the order they are covered: by lot, else the first first (G-01)."""
    drawn = [hand for hand in coup.lot if hand in coup.players]
    return drawn + [hand for hand in coup.players if hand not in drawn]


def _priority(bet: Bet) -> tuple[int, int, int]:
    # PL-03: numbered seats nearest the banker first (numbers start there on both paños), then the standing.
    return (0, bet.seat, bet.order) if bet.seat is not None else (1, 0, bet.order)


def stakes(coup: Coup, profile: RuleProfile, bank: Decimal | None) -> dict[str, Stake]:
    """Every stake that plays, with its cover; a bet whose amount was not counted is left out.

    ``bank`` is what the bank holds, None where unknown; what the banker announced for the coup goes first.
    """
    playing = {}
    for bet in coup.bets.values():
        if bet.late or bet.removed or bet.amount is None:
            continue
        parts = in_play(bet.zone, bet.amount, profile)
        if parts:
            playing[bet.id] = (bet, parts)
    limit = coup.declared if coup.declared is not None else bank
    if not profile.limited_bank or limit is None or profile.reading("G-01") == "uncovered":
        return {key: Stake(bet, parts, parts) for key, (bet, parts) in playing.items()}
    total = sum((amount for _, parts in playing.values() for amount in parts.values()), ZERO)
    if total <= limit:
        return {key: Stake(bet, parts, parts) for key, (bet, parts) in playing.items()}
    covered: dict[str, dict[str, Decimal]] = {key: {} for key in playing}
    rest = limit
    for hand in cover_order(coup):
        for bet, parts in sorted(playing.values(), key=lambda entry: _priority(entry[0])):
            if hand in parts:
                covered[bet.id][hand] = min(parts[hand], rest)
                rest -= covered[bet.id][hand]
    return {key: Stake(bet, parts, covered[key]) for key, (bet, parts) in playing.items()}
