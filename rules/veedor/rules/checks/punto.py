"""Punto y banca and punto banco: carteo, turning, suite, sabot (AR-02 to AR-28, PR-05, PR-09, PR-11)."""

from __future__ import annotations

from collections.abc import Sequence

from veedor.rules.checks.stakes import bets_are_down, standing_bets
from veedor.rules.coup import Coup
from veedor.rules.coup_parts import CardState, plain
from veedor.rules.event_types import (
    BetCollected,
    BetPaid,
    BettingClosed,
    CardDealt,
    CardDrawn,
    CardTurned,
    CoupClosed,
    HandPosed,
    SabotPassed,
    SuiteWithdrawn,
    TableEvent,
)
from veedor.rules.odds import player_letter
from veedor.rules.outcome import two_card_total
from veedor.rules.profile_keys import PUNTO_BANCO, PUNTO_Y_BANCA
from veedor.rules.tableau import DRAW, STAND
from veedor.rules.verdict import Judgement, Moment, Reason, Step, rule, undecided

_FAMILIES = (PUNTO_Y_BANCA, PUNTO_BANCO)
_BANK_ROWS = {3: "R5", 4: "R6", 5: "R7", 6: "R8"}


@rule(
    "AR_DRAW_RULE PR_DRAW_RULE",
    _FAMILIES,
    (CardTurned, CardDealt, BetPaid, BetCollected, CoupClosed),
    standing=True,
)
def draw_rule(moment: Moment) -> Sequence[Judgement] | None:
    """R1 to R9 for Argentina, the standard table for Puerto Rico (G-12)."""
    coup, profile = moment.coup, moment.profile
    if profile.family == PUNTO_BANCO and profile.reading("G-12") == "silent":
        return None
    if len(coup.cards) < 4 or coup.stuck is not None:
        return None
    punto, banca = two_card_total(coup, "punto"), two_card_total(coup, "banca")
    if punto is None or banca is None or coup.loose() is not None:
        return None
    served = {hand: [c for c in coup.thirds() if c.first_hand == hand] for hand in ("punto", "banca")}
    first = _punto_fault(moment, (punto, banca), served)
    if first is not None:
        return (first,)
    second = _banca_fault(moment, (punto, banca), served)
    return (second,) if second is not None else ()


def _decided_at(coup: Coup) -> TableEvent | None:
    """When no more cards can come: settlement has begun or the coup is over."""
    return coup.settling or (coup.closed if type(coup.closed) is CoupClosed else None)


def _punto_fault(
    moment: Moment, totals: tuple[int, int], served: dict[str, list[CardState]]
) -> Judgement | None:
    coup, profile = moment.coup, moment.profile
    punto, banca = totals
    card = served["punto"][0] if served["punto"] else None
    if card is not None:
        if max(punto, banca) >= 8:
            return _fault(moment, "punto", ("R1", card, "stand"), None)
        wrong = player_letter(punto, profile) == STAND
        return _fault(moment, "punto", ("R2", card, "stand"), None) if wrong else None
    if max(punto, banca) >= 8 or player_letter(punto, profile) != DRAW:
        return None
    after = served["banca"][0].dealt if served["banca"] else _decided_at(coup)
    return None if after is None else _fault(moment, "punto", ("R4", None, "draw"), after)


def _banca_fault(
    moment: Moment, totals: tuple[int, int], served: dict[str, list[CardState]]
) -> Judgement | None:
    coup, profile = moment.coup, moment.profile
    punto, banca = totals
    card = served["banca"][0] if served["banca"] else None
    after = _decided_at(coup)
    if max(punto, banca) >= 8:
        return _fault(moment, "banca", ("R1", card, "stand"), None) if card is not None else None
    third = served["punto"][0] if served["punto"] else None
    if third is not None and third.face.points is None:
        return None
    implied = banca <= 2 or banca == 7
    if third is not None and implied and profile.reading("C-26") == "silent":
        return None
    letter = profile.tableau.cell(banca, third.face.points if third is not None else None)
    row = "R9" if third is None else _BANK_ROWS.get(banca, "R5-R9 (C-26)")
    if card is not None and letter == STAND:
        return _fault(moment, "banca", (row, card, "stand"), third.turned if third is not None else None)
    if card is None and letter == DRAW and after is not None:
        return _fault(moment, "banca", (row, None, "draw"), after)
    return None


def _fault(
    moment: Moment, hand: str, what: tuple[str, CardState | None, str], after: TableEvent | None
) -> Judgement:
    coup = moment.coup
    row, card, due = what
    argentina = moment.profile.family == PUNTO_Y_BANCA
    events: list[TableEvent] = [*coup.turnings("punto"), *coup.turnings("banca")]
    if card is not None and card.dealt is not None:
        events.append(card.dealt)
        actor = card.dealt.by or (card.drawn.by if card.drawn and card.drawn.by else None)
        steps = (Step("undo_draw", {"card": card.id, "hand": hand}),)
    else:
        actor = coup.holder("punto") if hand == "punto" else None
        steps = (Step("draws", {"hand": hand}),)
    if after is not None:
        events.append(after)
    return Judgement(
        "AR_DRAW_RULE" if argentina else "PR_DRAW_RULE",
        max(event.t for event in events),
        actor or moment.after.shooter.shooter or hand,
        tuple(events),
        rule=f"004 {row}" if argentina else "003 S11 (G-12)",
        facts={"hand": hand, "due": due, "total": str(two_card_total(coup, hand))},
        steps=steps,
        subject=hand,
    )


@rule("AR_TURN_ORDER PR_TURN_ORDER", _FAMILIES, (CardTurned,), standing=True)
def turn_order(moment: Moment) -> Sequence[Judgement] | None:
    """AR-13, PR-09: punto turns its two cards, then banca."""
    coup = moment.coup
    first = "punto" if moment.profile.switches["punto_turns_first"] else "banca"
    second = "banca" if first == "punto" else "punto"
    early = [card for card in coup.first_two(second) if card.turned_t is not None]
    if not early:
        return None
    card = min(early, key=lambda one: one.turned_t or 0.0)
    pair = coup.first_two(first)
    times = [one.turned_t for one in pair if one.turned_t is not None]
    assert card.turned is not None and card.turned_t is not None
    if len(pair) != 2:
        return None
    if len(times) == 2 and max(times) <= card.turned_t:
        return ()
    argentina = moment.profile.family == PUNTO_Y_BANCA
    actor = card.turned.by or moment.after.shooter.shooter or second
    shown = [one.turned for one in pair if one.turned is not None]
    facts = {"second": second, "first": first}
    code = "AR_TURN_ORDER" if argentina else "PR_TURN_ORDER"
    evidence = (card.turned, *shown)
    if len(times) == 1 and times[0] <= card.turned_t:
        # Cards are turned together: the other's turn was missed.
        missing = next(one for one in pair if one.turned_t is None)
        reason = Reason("card", missing.id)
        return (undecided(code, reason, t=card.turned_t, actor=actor, evidence=evidence),)
    return (Judgement(code, card.turned_t, actor, evidence, facts=facts),)


@rule("PR_CARDS_TUCK", (PUNTO_BANCO,), (HandPosed,))
def tuck(moment: Moment) -> Sequence[Judgement]:
    """PR-05: the bank's cards lie caught under the front of the sabot."""
    event = moment.event
    assert isinstance(event, HandPosed)
    if event.hand != "banca" or event.pose != "loose" or moment.coup.closed is not None:
        return ()
    if any(card.turned is not None for card in moment.coup.cards_of("banca")):
        return ()
    actor = moment.after.shooter.shooter or "banca"
    return (Judgement("PR_CARDS_TUCK", event.t, actor, (event,), steps=(Step("tuck"),)),)


@rule("AR_SUITE_MISSING", (PUNTO_Y_BANCA,), (BettingClosed, CardDealt))
def suite_missing(moment: Moment) -> Sequence[Judgement]:
    """AR-02: who throws the sabot must have a stake in the suite."""
    shooter = moment.after.shooter.shooter
    bets = standing_bets(moment.coup)
    if not bets_are_down(moment) or shooter in (None, "croupier", "employee") or not bets:
        return ()
    if any(bet.zone == "suite" for bet in bets):
        return ()
    blind = moment.coup.is_blind("suite")
    if blind:
        reason = Reason("view", "suite")
        return (
            undecided(
                "AR_SUITE_MISSING", reason, t=moment.event.t, actor=str(shooter), evidence=(moment.event,)
            ),
        )
    return (Judgement("AR_SUITE_MISSING", moment.event.t, str(shooter), (moment.event,)),)


@rule("AR_SUITE_WITHDRAW", (PUNTO_Y_BANCA,), (SuiteWithdrawn,))
def suite_withdraw(moment: Moment) -> Sequence[Judgement]:
    """AR-07: while he holds the sabot the shooter takes off at most half of the suite."""
    event, shooter = moment.event, moment.after.shooter
    assert isinstance(event, SuiteWithdrawn)
    if not shooter.suite or event.amount is None or shooter.must_pass:
        return ()
    allowed = shooter.suite * moment.profile.amount("suite_keep")
    if shooter.withdrawn <= allowed:
        return ()
    facts = {"taken": plain(shooter.withdrawn), "allowed": plain(allowed), "suite": plain(shooter.suite)}
    steps = (Step("put_back", {"amount": plain(shooter.withdrawn - allowed)}),)
    actor = shooter.shooter or "none"
    return (
        Judgement(
            "AR_SUITE_WITHDRAW", event.t, actor, (event,), facts=facts, steps=steps, subject=f"{event.t}"
        ),
    )


@rule("AR_SABOT_ROTATION", (PUNTO_Y_BANCA,), (CardDrawn, SabotPassed))
def sabot_rotation(moment: Moment) -> Sequence[Judgement]:
    """AR-16: when punto wins the sabot goes on to the next seat."""
    event, before = moment.event, moment.before.shooter
    if not before.must_pass or before.shooter is None:
        return ()
    person = event.by if isinstance(event, CardDrawn) else None
    if person != before.shooter:
        return ()
    facts = {"person": before.shooter}
    steps = (Step("pass_sabot", {"from": before.shooter}),)
    return (Judgement("AR_SABOT_ROTATION", event.t, before.shooter, (event,), facts=facts, steps=steps),)


RULES = (draw_rule, turn_order, tuck, suite_missing, suite_withdraw, sabot_rotation)
