"""Stakes and money in the fold of a coup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from veedor.rules.coup_parts import ZERO, Bet
from veedor.rules.event_types import (
    BetChanged,
    BetPlaced,
    BetRemoved,
    BettingClosed,
    CagnottePaid,
    CommissionTaken,
)

if TYPE_CHECKING:
    from veedor.rules.coup import Coup


def _replace_bet(coup: Coup, bet_id: str, **changes: Any) -> Coup:
    bet = coup.bets.get(bet_id)
    if bet is None:
        return coup
    bets = dict(coup.bets)
    bets[bet_id] = bet.evolve(**changes)
    return coup.evolve(bets=bets)


def bet_placed(coup: Coup, event: BetPlaced) -> Coup:
    """A stake laid; late if the call was before it."""
    late = coup.call is not None and event.t > coup.call.t
    bets = dict(coup.bets)
    bets[event.bet] = Bet(
        id=event.bet, zone=event.zone, placed=event, order=len(bets), amount=event.amount, late=late
    )
    return coup.evolve(bets=bets, stakes_version=coup.stakes_version + 1)


def bet_changed(coup: Coup, event: BetChanged) -> Coup:
    """A stake changed in time; one changed after the call plays as it stood (ER-07, ER-38)."""
    bet = coup.bets.get(event.bet)
    if bet is None:
        return coup
    if coup.call is not None and event.t > coup.call.t:
        is_put_back = bet.returned and event.amount == bet.amount and not bet.paid and not bet.collected
        put_back: dict[str, Any] = {"returned": ZERO, "last": None} if is_put_back else {}
        return _replace_bet(coup, event.bet, moves=(*bet.moves, event), **put_back)
    amount = event.amount if event.amount is not None else bet.amount
    coup = coup.evolve(stakes_version=coup.stakes_version + 1)
    moves = (*bet.moves, event)
    return _replace_bet(coup, event.bet, zone=event.zone or bet.zone, amount=amount, moves=moves)


def bet_removed(coup: Coup, event: BetRemoved) -> Coup:
    """A stake taken away in time."""
    if coup.call is not None and event.t > coup.call.t:
        return coup
    coup = coup.evolve(stakes_version=coup.stakes_version + 1)
    return _replace_bet(coup, event.bet, removed=True)


def moved_money(coup: Coup, event: Any, column: str) -> Coup:
    """Money paid, collected or returned on a stake: ``column`` of its Bet."""
    bet = coup.bets.get(event.bet)
    if bet is None:
        # Money moved on a stake that was never seen to be laid: the coup cannot be reckoned in full.
        return coup if coup.unplaced else coup.evolve(unplaced=True)
    amount = event.amount
    changes: dict[str, Any] = {column: getattr(bet, column) + (amount or ZERO), "last": event}
    changes["moves"] = (*bet.moves, event)
    if amount is None:
        changes["counted"] = False
    bets = dict(coup.bets)
    bets[event.bet] = bet.evolve(**changes)
    begins = coup.settling is None and column != "returned"
    return coup.evolve(bets=bets, touched=True, settling=event if begins else coup.settling)


def commission(coup: Coup, event: CommissionTaken) -> Coup:
    """Commission taken from a winning stake."""
    bet = coup.bets.get(event.bet)
    if bet is None:
        return coup
    total = bet.commission + (event.amount or ZERO)
    counted = bet.counted and event.amount is not None
    return _replace_bet(coup, event.bet, commission=total, commission_event=event, counted=counted)


def call_made(coup: Coup, event: BettingClosed) -> Coup:
    """The call; stakes laid after it, by time, are late."""
    if coup.call is not None:
        return coup
    bets = coup.bets
    if any(bet.placed.t > event.t for bet in bets.values()):
        bets = {key: bet.evolve(late=bet.placed.t > event.t) for key, bet in bets.items()}
    return coup.evolve(call=event, bets=bets, stakes_version=coup.stakes_version + 1)


def cagnotte_fed(coup: Coup, event: CagnottePaid) -> Coup:
    """Chips dropped in the cagnotte."""
    return coup.evolve(
        cagnotte=coup.cagnotte + (event.amount or ZERO),
        cagnotte_event=event,
        cagnotte_counted=coup.cagnotte_counted and event.amount is not None,
    )
