"""The house's deduction (BT-10 to BT-12; readings C-12, G-15)."""

from __future__ import annotations

from collections.abc import Sequence

from veedor.rules.coup_parts import plain
from veedor.rules.event_types import CagnottePaid, CardTurned, CoupClosed
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.session_close import settlement_now
from veedor.rules.verdict import Judgement, Moment, Reason, Step, Verdict, rule


@rule("CAGNOTTE_WRONG", (DOS_PANOS,), (CagnottePaid, CardTurned, CoupClosed), standing=True)
def cagnotte(moment: Moment) -> Sequence[Judgement] | None:
    """A rate of the banker's net gain in the coup: too much is certain at once, too little at the close."""
    coup = moment.coup
    closed = coup.closed if type(coup.closed) is CoupClosed else None
    paid = coup.cagnotte_event
    if (
        not coup.cards
        or not coup.bets
        or not coup.cagnotte_counted
        or (paid is None and (closed is None or coup.settling is None))
    ):
        return None
    due = settlement_now(moment.after, coup).cagnotte
    if due is None or due == coup.cagnotte or (coup.cagnotte < due and closed is None):
        return ()
    t = paid.t if paid is not None else (closed.t if closed is not None else moment.event.t)
    blind = paid is None and coup.is_blind("cagnotte")
    difference = due - coup.cagnotte
    key = "cagnotte_add" if difference > 0 else "cagnotte_return"
    shown = tuple(card.turned for card in coup.cards.values() if card.turned is not None)
    bets = tuple(bet.placed for bet in coup.bets.values())
    return (
        Judgement(
            "CAGNOTTE_WRONG",
            t,
            "croupier",
            (*bets, *shown, paid if paid is not None else moment.event),
            Verdict.UNDECIDED if blind else Verdict.BROKEN,
            facts={
                "due": plain(due),
                "done": plain(coup.cagnotte),
                "difference": plain(abs(difference)),
            },
            steps=(Step(key, {"amount": plain(abs(difference))}),),
            reason=Reason("view", "cagnotte") if blind else None,
        ),
    )


RULES = (cagnotte,)
