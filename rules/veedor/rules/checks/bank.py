"""The bank and the banco between coups (EQ-03, BK-06, BK-07, BK-09, BC-02, BC-06)."""

from __future__ import annotations

from collections.abc import Sequence

from veedor.rules.coup_parts import ZERO, plain
from veedor.rules.event_types import (
    BancoCalled,
    BankDeposited,
    BankerLeft,
    BankerSeated,
    CoupOpened,
    Said,
    SessionOpened,
)
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.session_parts import RecordEnded
from veedor.rules.verdict import Judgement, Moment, Step, rule


@rule("BANK_OVER_MAX", (DOS_PANOS,), (BankDeposited, BankerSeated, SessionOpened))
def over_max(moment: Moment) -> Sequence[Judgement]:
    """EQ-03: a maximum for constituting the bank, not for what it grows to by winning."""
    top = moment.profile.limit("bank_max")
    bank, before = moment.after.bank, moment.before.bank
    if top is None or not moment.profile.limited_bank or bank.start is None or bank.coups or bank.broken:
        return ()
    if bank.start <= top or bank.start == before.start:
        return ()
    facts = {"amount": plain(bank.start), "max": plain(top)}
    return (Judgement("BANK_OVER_MAX", moment.event.t, "banker", (moment.event,), facts=facts),)


@rule("REDEPOSIT_TOO_SMALL", (DOS_PANOS,), (CoupOpened, RecordEnded))
def redeposit(moment: Moment) -> Sequence[Judgement]:
    """BK-09: after breaking he goes on with at least what he began with; judged when play goes on."""
    bank = moment.before.bank
    if not bank.broken or not bank.deposits or bank.start is None:
        return ()
    total = sum((event.amount for event in bank.deposits), ZERO)
    if total >= bank.start:
        return ()
    facts = {"amount": plain(total), "start": plain(bank.start)}
    steps = (Step("deposit_more", {"amount": plain(bank.start - total), "start": plain(bank.start)}),)
    t = bank.deposits[-1].t
    return (Judgement("REDEPOSIT_TOO_SMALL", t, "banker", bank.deposits, facts=facts, steps=steps),)


@rule("BANKER_LEFT_EARLY", (DOS_PANOS,), (BankerLeft,))
def left_early(moment: Moment) -> Sequence[Judgement]:
    """BK-06: the banker may leave only after the first coup."""
    if moment.before.bank.coups or moment.before.bank.banker is None:
        return ()
    facts = {"banker": moment.before.bank.banker}
    return (Judgement("BANKER_LEFT_EARLY", moment.event.t, "banker", (moment.event,), facts=facts),)


@rule("BANKER_BACK_SAME_SABOT", (DOS_PANOS,), (BankerSeated,))
def back_again(moment: Moment) -> Sequence[Judgement]:
    """BK-07: who won and withdrew is not banker again during the same sabot."""
    event = moment.event
    assert isinstance(event, BankerSeated)
    if event.banker is None or event.banker not in moment.before.bank.gone:
        return ()
    facts = {"banker": event.banker}
    return (Judgement("BANKER_BACK_SAME_SABOT", event.t, "banker", (event,), facts=facts),)


@rule("BANCO_LATE", (DOS_PANOS,), (BancoCalled,))
def banco_late(moment: Moment) -> Sequence[Judgement]:
    """BC-02: banco once, and only at the beginning of the partida (C-03)."""
    event = moment.event
    assert isinstance(event, BancoCalled)
    if not moment.before.is_late_banco(event):
        return ()
    facts = {"bettor": event.bettor, "coups": str(moment.before.shoe.coups)}
    steps = (Step("refuse"),)
    return (
        Judgement(
            "BANCO_LATE", event.t, event.bettor, (event,), facts=facts, steps=steps, subject=f"{event.t}"
        ),
    )


@rule("BANCO_REPEAT_EXCESS", (DOS_PANOS,), (Said,))
def repeat_excess(moment: Moment) -> Sequence[Judgement]:
    """BC-06: after a null coup, up to two repeats."""
    event, banco = moment.event, moment.before.banco
    assert isinstance(event, Said)
    if event.words != "repeat" or banco is None or not moment.before.is_repeat_refused():
        return ()
    allowed = moment.profile.whole("banco_repeats")
    facts = {"repeats": str(banco.repeats), "allowed": str(allowed), "null": "yes" if banco.null else "no"}
    steps = (Step("refuse"),)
    return (Judgement("BANCO_REPEAT_EXCESS", event.t, event.by, (event,), facts=facts, steps=steps),)


RULES = (over_max, redeposit, left_early, back_again, banco_late, repeat_excess)
