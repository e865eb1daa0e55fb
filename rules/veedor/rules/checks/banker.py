"""The banker's own duties (SH-18, SH-23, ER-17 to ER-20, ER-31, ER-35, ER-36)."""

from __future__ import annotations

from collections.abc import Sequence

from veedor.rules.coup import Coup
from veedor.rules.coup_parts import CardState
from veedor.rules.duty import Duty, Must, banker_duty, miscall, miscall_after_showing
from veedor.rules.event_types import (
    BetCollected,
    BetPaid,
    CardMoved,
    CardTurned,
    CoupClosed,
    Said,
    TableEvent,
)
from veedor.rules.outcome import is_annulled, two_card_total
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.remedies import duty_step
from veedor.rules.verdict import Judgement, Moment, Reason, Step, Verdict, rule

_ON_REQUEST = ("001 VI p4", "001 VIII.5 p2")


def bank_third(coup: Coup) -> CardState | None:
    """The bank's third card as it lies."""
    return coup.third_of(coup.bank)


def _all_seen(coup: Coup) -> bool:
    return all(
        two_card_total(coup, hand) is not None for hand in (*coup.players, coup.bank) if coup.hands.get(hand)
    )


def _turns(coup: Coup) -> tuple[TableEvent, ...]:
    return tuple(
        card.turned
        for hand in (*coup.players, coup.bank)
        for card in coup.cards_of(hand)
        if card.turned is not None
    )


def _drawn(coup: Coup) -> tuple[TableEvent, ...]:
    """That the bank was given a third card, if it was."""
    third = bank_third(coup)
    return () if third is None or third.dealt is None else (third.dealt,)


def _breach(coup: Coup, duty: Duty) -> tuple[str, str] | None:
    """What was due and what was done, where they differ."""
    drew = bank_third(coup) is not None
    if duty.must is Must.DRAW and not drew:
        return "draw", "stand"
    if duty.must is Must.STAND and drew:
        return "stand", "draw"
    return None


@rule(
    "BANKER_TABLE_BREACH",
    (DOS_PANOS,),
    (CardTurned, BetPaid, BetCollected, CoupClosed),
    standing=True,
)
def table_breach(moment: Moment) -> Sequence[Judgement] | None:
    """SH-18, ER-31: who asks for the cuadro, or is advised, follows it where both paños say the same."""
    coup = moment.coup
    asked = coup.cuadro or coup.advice
    if asked is None or coup.stuck is not None or not _all_seen(coup):
        return None
    third = bank_third(coup)
    if third is not None and third.dealt is not None and third.dealt.t < asked.t:
        return None
    duty = banker_duty(coup, moment.profile)
    breach = _breach(coup, duty)
    if duty.restoration is not None or duty.rule not in _ON_REQUEST or breach is None:
        return ()
    if third is None and not _bank_has_decided(coup):
        return ()
    evidence = (asked, *_turns(coup), *_drawn(coup))
    facts = {"due": breach[0], "done": breach[1], "cells": ", ".join(letter for _, letter in duty.cells)}
    t = max(event.t for event in evidence)
    return (
        Judgement(
            "BANKER_TABLE_BREACH",
            t,
            "banker",
            evidence,
            rule=duty.rule,
            facts=facts,
            steps=(duty_step(duty),),
        ),
    )


def _bank_has_decided(coup: Coup) -> bool:
    if coup.words.get(coup.bank) or coup.settling is not None or coup.closed is not None:
        return True
    return all(card.turned is not None for card in coup.first_two(coup.bank))


@rule(
    "BANKER_RESTORED_BREACH",
    (DOS_PANOS,),
    (BetPaid, BetCollected, CoupClosed, CardMoved, CardTurned),
    standing=True,
)
def restored_breach(moment: Moment) -> Sequence[Judgement] | None:
    """ER-17 to ER-20, ER-36, C-07: the bound banker, judged when stakes begin to be settled."""
    coup = moment.coup
    if coup.settling is None and coup.closed is None:
        return None
    if type(moment.event) in (BetPaid, BetCollected) and coup.settling is not moment.event:
        return None
    if coup.stuck is not None or not _all_seen(coup) or len(coup.first_two(coup.bank)) != 2:
        return None
    duty = banker_duty(coup, moment.profile)
    bound = duty.restoration is not None or coup.exposed or miscall_after_showing(coup) is not None
    if not bound or duty.rule in _ON_REQUEST or duty.rule == "001 VI p3":
        return ()
    if duty.restoration is not None and not duty.restoration.is_done(coup):
        return ()  # the cards were never put right: the player's fault stands, the banker could not comply
    event = coup.settling or coup.closed or moment.event
    if duty.must is Must.INSPECTOR:
        breach, verdict = ("draw or stand", "draw" if bank_third(coup) else "stand"), Verdict.INSPECTOR
    else:
        found = _breach(coup, duty)
        if found is None:
            return ()
        breach, verdict = found, Verdict.BROKEN
    facts = {"due": breach[0], "done": breach[1], "cells": ", ".join(letter for _, letter in duty.cells)}
    return (
        Judgement(
            "BANKER_RESTORED_BREACH",
            event.t,
            "banker",
            (*_turns(coup), *_drawn(coup), event),
            verdict,
            rule=duty.rule,
            facts=facts,
            steps=(duty_step(duty),),
        ),
    )


@rule("BANKER_WRONG_POINT", (DOS_PANOS,), (Said, CardTurned), standing=True)
def wrong_point(moment: Moment) -> Sequence[Judgement] | None:
    """ER-35, ER-36: a point announced that is not his; bound once the players have shown."""
    coup = moment.coup
    if not coup.points_said or moment.profile.family != DOS_PANOS:
        return None
    found = miscall(coup)
    if found is None:
        return ()
    event, true = found
    held = [card.turned for card in coup.cards_of(coup.bank) if card.turned is not None]
    shown = miscall_after_showing(coup) is not None
    steps = (duty_step(banker_duty(coup, moment.profile)),) if shown else (Step("may_draw"),)
    facts = {"said": str(event.point), "true": str(true)}
    t = max(one.t for one in (event, *held))
    return (Judgement("BANKER_WRONG_POINT", t, "banker", (event, *held), facts=facts, steps=steps),)


@rule("BANKER_NOT_SHOWN", (DOS_PANOS,), (BetPaid, BetCollected))
def not_shown(moment: Moment) -> Sequence[Judgement]:
    """SH-23: the banker shows his point on both paños before anything is paid or collected."""
    coup = moment.coup
    if coup.settling is not moment.event or moment.profile.reading("C-19") == "000":
        return ()
    pair = coup.first_two(coup.bank)
    hidden = [card for card in coup.cards_of(coup.bank) if card.turned is None]
    seen_any = any(card.turned is not None for card in coup.cards.values())
    if len(pair) != 2 or not hidden or not seen_any or coup.bank in coup.thrown:
        return ()
    if all(is_annulled(coup, hand, moment.profile) for hand in coup.players):
        return ()
    evidence = (moment.event, *[card.dealt for card in hidden if card.dealt is not None])
    blind = coup.is_blind(coup.bank, "banker_hand", "banker")
    # Cards are turned together: where one was seen turning, the other's turn was missed, not left out.
    partly = any(card.turned is not None for card in pair)
    reason = Reason("view", "banker_hand") if blind else Reason("card", hidden[0].id) if partly else None
    return (
        Judgement(
            "BANKER_NOT_SHOWN",
            moment.event.t,
            "banker",
            evidence,
            Verdict.BROKEN if reason is None else Verdict.UNDECIDED,
            facts={"cards": ", ".join(card.id for card in hidden)},
            steps=(Step("show_first"),),
            reason=reason,
        ),
    )


RULES = (table_breach, restored_breach, wrong_point, not_shown)
