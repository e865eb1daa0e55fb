"""Cards lost in the basket unseen (ER-13 to ER-16, ER-32 to ER-34, SH-25; readings C-15)."""

from __future__ import annotations

from collections.abc import Sequence

from veedor.rules.event_types import CardDropped
from veedor.rules.outcome import is_own_hand, is_viewed
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.verdict import Judgement, Moment, Reason, Step, rule, undecided


@rule("BASKET_UNSEEN_DEAL THROWN_UNSEEN THROWN_UNSEEN_CROUPIER", (DOS_PANOS,), (CardDropped,))
def basket(moment: Moment) -> Sequence[Judgement]:
    """By the holder they count zero; by the staff in the deal the paño is null; later, recovered."""
    event, coup, before = moment.event, moment.coup, moment.coup_before
    assert isinstance(event, CardDropped)
    if coup.closed is not None or coup.settling is not None or before is None:
        return ()
    hand = next((hand for hand, drop in coup.thrown.items() if drop is event), None)
    if hand is None:
        return ()
    facts = {"hand": hand, "card": event.card}
    if event.by is None:
        reason = Reason("person", event.card)
        return (undecided("THROWN_UNSEEN", reason, t=event.t, actor="none", evidence=(event,)),)
    if is_own_hand(coup, hand, event):
        steps: tuple[Step, ...] = (Step("counts_zero", {"hand": hand}),)
        code = "THROWN_UNSEEN"
    elif coup.cards[event.card].third or not is_viewed(coup, hand, event):
        bank = hand == coup.bank
        steps = (Step("annul") if bank else Step("annul_pano", {"hand": hand}),)
        code = "BASKET_UNSEEN_DEAL"
    else:
        steps = (Step("recover", {"hand": hand}),)
        code = "THROWN_UNSEEN_CROUPIER"
    return (Judgement(code, event.t, event.by, (event,), facts=facts, steps=steps, subject=hand),)


RULES = (basket,)
