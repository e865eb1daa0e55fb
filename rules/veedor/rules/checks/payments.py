"""Settlement, stake by stake (BT-03 to BT-09, AR-18, AR-19, SH-20, SH-21, PR with G-12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from veedor.rules.coup import Coup
from veedor.rules.coup_parts import ZERO, Bet, plain
from veedor.rules.event_types import (
    BetCollected,
    BetPaid,
    BetReturned,
    CardTurned,
    CommissionTaken,
    CoupClosed,
    TableEvent,
)
from veedor.rules.outcome import loss_kind, points
from veedor.rules.profile_keys import DOS_PANOS, FAMILIES, PUNTO_Y_BANCA
from veedor.rules.session_close import settlement_now
from veedor.rules.settlement import Due
from veedor.rules.stakes import CABALLO, HALF, SUITE, is_odd_split
from veedor.rules.telling import stake_facts
from veedor.rules.verdict import Judgement, Moment, Reason, Step, rule, undecided

_NOTHING = Due()


@dataclass(frozen=True, slots=True)
class _Wrong:
    """How a stake's settlement differs: the code, what was due and done, when it was certain."""

    code: str
    due: Decimal
    done: Decimal
    t: float
    is_commission: bool = False


# A sum that does not fit is more often one that was read wrongly than a croupier's error. Our number.
MISPAID = 1 / 3


@rule(
    "PAYOUT_WRONG ODD_UNIT_WRONG AR_COMMISSION AR_SUITE_COMMISSION",
    FAMILIES,
    (BetPaid, BetCollected, BetReturned, CommissionTaken, CardTurned, CoupClosed),
    standing=True,
)
def payments(moment: Moment) -> Sequence[Judgement] | None:
    """What was paid and collected against what was due.

    Too much, or the wrong way, is certain at once; too little only when the coup is closed.
    """
    coup = moment.coup
    if not coup.touched or not coup.cards:
        return None
    settlement = settlement_now(moment.after, coup)
    closed = coup.closed if type(coup.closed) is CoupClosed else None
    found = []
    blocked: Judgement | None = None
    for bet in coup.bets.values():
        if bet.removed or not bet.counted or bet.amount is None:
            continue
        due = settlement.due.get(bet.id)
        if due is None and bet.id in settlement.stakes:
            blocked = blocked or (_unread(coup, bet, moment) if closed else None)
            continue
        wrong = _compare(bet, due or _NOTHING, closed, moment)
        if wrong is not None:
            found.append(_unseen_kind(moment, bet, wrong) or _judge(moment, bet, wrong))
    return [*found, blocked] if blocked is not None else found


def _effective(bet: Bet) -> Decimal:
    """What was collected for good: what was given back out of more than the stake held was not kept."""
    given_back = max(ZERO, bet.collected + bet.returned - (bet.amount or ZERO))
    return bet.collected - given_back


def _compare(bet: Bet, due: Due, closed: TableEvent | None, moment: Moment) -> _Wrong | None:
    taken = _effective(bet)
    last = bet.last.t if bet.last is not None else None
    if due.won and due.lost:
        if closed is None or bet.paid - taken == due.won - due.lost:
            return None
        done = bet.paid - taken
        odd = done == due.lost - due.won and is_odd_split(bet.zone, bet.amount or ZERO, moment.profile)
        code = "ODD_UNIT_WRONG" if odd else "PAYOUT_WRONG"
        return _Wrong(code, due.won - due.lost, done, last if last is not None else closed.t)
    owed = due.won - due.lost
    done = bet.paid - taken
    net_payment = due.commission and bet.paid == due.won - due.commission and not bet.commission
    if net_payment and not taken:
        return None
    excess = bet.paid > due.won or taken > due.lost
    if excess and last is not None:
        return _Wrong("PAYOUT_WRONG", owed, done, last)
    if done != owed and closed is not None:
        return _Wrong("PAYOUT_WRONG", owed, done, last if last is not None else closed.t)
    if done != owed or due.commission is None:
        return None
    if bet.commission > due.commission or (closed is not None and bet.commission != due.commission):
        event = bet.commission_event or closed
        t = event.t if event is not None else 0.0
        code = _commission_code(bet, moment)
        return _Wrong(code, due.commission, bet.commission, t, is_commission=True)
    return None


def _commission_code(bet: Bet, moment: Moment) -> str:
    if bet.zone == SUITE:
        return "AR_SUITE_COMMISSION"
    return "AR_COMMISSION" if moment.profile.family == PUNTO_Y_BANCA else "PAYOUT_WRONG"


def _cite(bet: Bet, code: str, moment: Moment) -> str:
    if moment.profile.family != DOS_PANOS:
        return "004 L24" if moment.profile.family == PUNTO_Y_BANCA else "003 S11 (G-12)"
    if code == "ODD_UNIT_WRONG":
        return "000 §12 p3; 001 VII p4"
    if bet.zone.startswith(HALF) or bet.zone == CABALLO:
        return "001 VII p4; 001 VII p6"
    return "001 VII p6"


def _judge(moment: Moment, bet: Bet, wrong: _Wrong) -> Judgement:
    coup = moment.coup
    commission = wrong.is_commission
    events = (bet.commission_event,) if commission else bet.moves
    shown = [card.turned for card in coup.cards.values() if card.turned is not None]
    difference = wrong.due - wrong.done
    # A commission too low is owed by the bettor, a payment too low to him.
    to_bettor = difference < 0 if commission else difference > 0
    step = Step("pay_bettor" if to_bettor else "take_bettor", _amounts(bet, abs(difference)))
    facts = {
        **stake_facts(bet),
        "due": plain(wrong.due),
        "done": plain(wrong.done),
        "difference": plain(abs(difference)),
    }
    evidence: tuple[TableEvent, ...] = (bet.placed, *shown)
    evidence += tuple(event for event in events if event is not None)
    return Judgement(
        wrong.code,
        wrong.t,
        "croupier",
        evidence,
        rule=_cite(bet, wrong.code, moment),
        facts=facts,
        steps=(step,),
        subject=bet.id,
        odds=MISPAID,
    )


def _unseen_kind(moment: Moment, bet: Bet, wrong: _Wrong) -> Judgement | None:
    """Nothing was seen on the stake, and what was due on it was never seen in the whole record."""
    if wrong.is_commission:
        if bet.commission_event is not None:
            return None
        kind = "commission"
    elif bet.is_touched:
        return None
    else:
        kind = "paid" if wrong.due > 0 else "collected"
    if kind in moment.after.seen:
        return None
    reason = Reason("settlement", bet.id, stake_facts(bet))
    return undecided(wrong.code, reason, t=wrong.t, actor="croupier", evidence=(bet.placed,))


def _amounts(bet: Bet, amount: Decimal) -> dict[str, str]:
    return {"amount": plain(amount), "bettor": bet.bettor, "bet": bet.id}


def _unread(coup: Coup, bet: Bet, moment: Moment) -> Judgement | None:
    """A stake was settled, and a card that decides it was never read."""
    if coup.settling is None:
        return None
    missed = coup.loose()
    if missed is not None:
        evidence = (bet.placed, bet.last or coup.settling)
        reason = Reason("place", missed.id)
        return undecided("PAYOUT_WRONG", reason, t=evidence[1].t, actor="croupier", evidence=evidence)
    for hand in (*coup.players, coup.bank):
        if points(coup, hand, moment.profile) is not None or loss_kind(coup, hand, moment.profile):
            continue
        cards = [card for card in coup.cards_of(hand) if card.face.points is None]
        missing = cards[0].id if cards else hand
        shown = tuple(card.dealt for card in cards[:1] if card.dealt is not None)
        kind = "card" if cards else "hand"
        last = bet.last or coup.settling
        return undecided(
            "PAYOUT_WRONG",
            Reason(kind, missing),
            t=last.t,
            actor="croupier",
            evidence=(bet.placed, *shown, last),
        )
    return None


RULES = (payments,)
