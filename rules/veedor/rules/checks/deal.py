"""The deal and what happens to cards on the way (SH-05, SH-06, SH-08, SH-15, ER-01 to ER-06, ER-12)."""

from __future__ import annotations

from collections.abc import Sequence

from veedor.rules.coup_parts import OFF_TABLE, SHOE, CardState
from veedor.rules.event_types import (
    BetPlaced,
    BettingClosed,
    CardDealt,
    CardDrawn,
    CardMoved,
    CardPickedUp,
    CardsStuck,
    CardTurned,
    CoupClosed,
    HandTaken,
    Said,
    TableEvent,
)
from veedor.rules.profile_keys import DOS_PANOS, FAMILIES, PUNTO_BANCO, PUNTO_Y_BANCA
from veedor.rules.remedies import restoration_steps
from veedor.rules.session_parts import CoupAbandoned, RecordEnded
from veedor.rules.telling import clock
from veedor.rules.verdict import Judgement, Moment, Reason, Step, rule, undecided

# A person at a keypad, or a transcript, marks a word up to so long after it was said; cards are seen on time.
HEARD_LATE_S = 0.5
STAFF = ("croupier", "employee", "inspector", "auxiliar", "cambista")
DEAL_CODES = {DOS_PANOS: "DEAL_ORDER", PUNTO_Y_BANCA: "AR_DEAL_ORDER", PUNTO_BANCO: "PR_DEAL_ORDER"}


def dealer_of(moment: Moment, card: CardState) -> str:
    """Who answers for a card's destination: who dealt it, else who drew it, else who holds the sabot."""
    if card.dealt is not None and card.dealt.by:
        return card.dealt.by
    if card.drawn is not None and card.drawn.by:
        return card.drawn.by
    return "banker" if moment.profile.family == DOS_PANOS else moment.after.shooter.shooter or "croupier"


def heard_late(seen: TableEvent, call: TableEvent) -> bool:
    """Whether a call may have been said before what the camera saw, and been entered or heard after it."""
    said = call.source in ("voice", "operator") and seen.source == "vision"
    return said and call.t - seen.t < HEARD_LATE_S


@rule("DRAW_BEFORE_NMV", FAMILIES, (BettingClosed, BetPlaced, CoupClosed, CoupAbandoned, RecordEnded))
def early_draw(moment: Moment) -> Sequence[Judgement]:
    """ER-01: no card leaves the sabot before the call."""
    coup = moment.coup
    drawn = [card.drawn for card in coup.cards.values() if card.drawn is not None]
    if not drawn:
        return ()
    first = min(drawn, key=lambda draw: draw.t)
    actor = first.by or ("banker" if moment.profile.family == DOS_PANOS else "croupier")
    if coup.call is not None:
        if first.t >= coup.call.t or type(moment.event) is not BettingClosed:
            return ()
        if heard_late(first, coup.call):
            reason, both = Reason("timing"), (first, coup.call)
            return (undecided("DRAW_BEFORE_NMV", reason, t=first.t, actor=actor, evidence=both),)
        facts = {"card": first.card, "call": clock(coup.call.t)}
        steps = (Step("card_stays_out", {"card": first.card}),)
        evidence = (first, coup.call)
        return (Judgement("DRAW_BEFORE_NMV", first.t, actor, evidence, facts=facts, steps=steps),)
    # Only where somebody announces the betting at all does a missing call mean anything.
    if coup.betting_opened is None or type(moment.event) in (BetPlaced, BettingClosed):
        return ()
    if not moment.before.called and moment.before.account is not None:
        return ()  # said once is enough: this record has no call at all
    shown = (coup.betting_opened, first)
    return (undecided("DRAW_BEFORE_NMV", Reason("call"), t=first.t, actor=actor, evidence=shown),)


@rule("DEAL_ORDER AR_DEAL_ORDER PR_DEAL_ORDER", FAMILIES, (CardDealt, HandTaken, Said))
def deal_order(moment: Moment) -> Sequence[Judgement]:
    """SH-05, SH-06, AR-10, PR-04: cards one by one to each hand in turn, twice round."""
    coup = moment.coup
    need = 2 * (len(coup.players) + 1)
    if type(moment.event) is CardDealt and (len(coup.cards) < need or coup.cards[moment.event.card].third):
        return ()
    dealt = [c for c in coup.cards.values() if c.dealt is not None and not c.third]
    complete = len(dealt) >= need
    if complete:
        if type(moment.event) is not CardDealt or len(dealt) > need:
            return ()
    elif type(moment.event) is CardDealt or not dealt:
        return ()
    hands = (*coup.players, coup.bank)
    dealt.sort(key=lambda card: card.order)
    for index, card in enumerate(dealt):
        expected = hands[index % len(hands)]
        if card.dealt is not None and card.first_hand != expected:
            code = DEAL_CODES[moment.profile.family]
            evidence = tuple(other.dealt for other in dealt if other.dealt is not None)
            if not complete:
                reason = Reason("deal", str(need - len(dealt)))
                actor = dealer_of(moment, card)
                return (undecided(code, reason, t=card.dealt.t, actor=actor, evidence=evidence),)
            facts = {"card": card.id, "to": str(card.first_hand), "expected": expected}
            steps = _reassign(dealt, hands)
            actor = dealer_of(moment, card)
            return (Judgement(code, card.dealt.t, actor, evidence, facts=facts, steps=steps),)
    return ()


def _reassign(dealt: Sequence[CardState], hands: Sequence[str]) -> tuple[Step, ...]:
    """ER-09: what can be put right evidently is; once a face has been seen it can no longer."""
    if any(card.turned is not None for card in dealt):
        return (Step("annul"),)
    return tuple(
        Step("move", {"card": card.id, "to": hands[index % len(hands)]})
        for index, card in enumerate(dealt)
        if card.first_hand != hands[index % len(hands)]
    )


@rule("THIRD_CARD_TWICE", FAMILIES, (CardDealt,))
def third_card_twice(moment: Moment) -> Sequence[Judgement]:
    """SH-15: at most one third card for each hand."""
    event, before = moment.event, moment.coup_before
    assert isinstance(event, CardDealt)
    if before is None:
        return ()
    held = [card for card in before.hands.get(event.to, ()) if card != event.card]
    if len(held) < 3:
        return ()
    card = moment.coup.cards[event.card]
    facts = {"card": event.card, "hand": event.to}
    evidence = tuple(c.dealt for c in moment.coup.cards_of(event.to) if c.dealt is not None)
    steps = restoration_steps(moment.coup, moment.profile) or (Step("dead", {"card": event.card}),)
    actor = dealer_of(moment, card)
    return (
        Judgement("THIRD_CARD_TWICE", event.t, actor, evidence, facts=facts, steps=steps, subject=event.card),
    )


@rule("CARD_FACE_UP_SABOT", FAMILIES, (CardDrawn,))
def face_up(moment: Moment) -> Sequence[Judgement]:
    """ER-04: a card that leaves the sabot face up is dead; nobody is at fault."""
    event = moment.event
    assert isinstance(event, CardDrawn)
    if event.face != "up":
        return ()
    facts = {"card": event.card, "shows": event.shows or "??"}
    steps = (Step("dead", {"card": event.card}), Step("next_replaces"), Step("stakes_stay"))
    return (
        Judgement(
            "CARD_FACE_UP_SABOT", event.t, "none", (event,), facts=facts, steps=steps, subject=event.card
        ),
    )


@rule("STUCK_CARDS", FAMILIES, (CardsStuck,))
def stuck(moment: Moment) -> Sequence[Judgement]:
    """ER-05: cards that come out together make the coup null."""
    event = moment.event
    assert isinstance(event, CardsStuck)
    dead = sorted(moment.coup.cards.values(), key=lambda card: card.order)
    steps = (Step("annul"), Step("dead", {"card": ", ".join(card.id for card in dead)}))
    facts = {"cards": ", ".join(event.cards)}
    return (Judgement("STUCK_CARDS", event.t, "none", (event,), facts=facts, steps=steps),)


@rule("FLOOR_CARD_PICKUP", FAMILIES, (CardPickedUp,))
def floor_card(moment: Moment) -> Sequence[Judgement]:
    """ER-06: only the staff picks a card up from the floor."""
    event = moment.event
    assert isinstance(event, CardPickedUp)
    if event.by in STAFF:
        return ()
    card = moment.coup.cards.get(event.card)
    evidence = (event,) if card is None or card.dropped is None else (card.dropped, event)
    if event.by is None:
        reason = Reason("person", event.card)
        return (undecided("FLOOR_CARD_PICKUP", reason, t=event.t, actor="none", evidence=evidence),)
    steps = (Step("value_kept", {"card": event.card}),)
    return (
        Judgement(
            "FLOOR_CARD_PICKUP",
            event.t,
            event.by,
            evidence,
            facts={"card": event.card, "by": event.by},
            steps=steps,
            subject=event.card,
        ),
    )


@rule("CARD_RETURNED_TO_SABOT CARDS_OFF_TABLE", FAMILIES, (CardMoved,))
def card_leaves(moment: Moment) -> Sequence[Judgement]:
    """ER-02: no card goes back into the sabot. SH-08: the holder leaves his cards on the table."""
    event, before = moment.event, moment.coup_before
    assert isinstance(event, CardMoved)
    facts = {"card": event.card}
    if event.to == SHOE:
        steps = (Step("dead", {"card": event.card}),)
        return (
            Judgement(
                "CARD_RETURNED_TO_SABOT", event.t, event.by or "none", (event,), facts=facts, steps=steps,
                subject=event.card,
            ),
        )  # fmt: skip
    if event.to != OFF_TABLE or before is None:
        return ()
    card = before.cards.get(event.card)
    if card is None or card.place not in before.players or event.by in STAFF:
        return ()
    actor = event.by or before.holder(card.place) or card.place
    return (Judgement("CARDS_OFF_TABLE", event.t, actor, (event,), facts=facts, subject=card.place),)


@rule("BOTH_CARDS_EXPOSED", (DOS_PANOS,), (CardTurned,))
def exposed(moment: Moment) -> Sequence[Judgement]:
    """ER-12: both cards of a paño shown during the deal bind the banker and freeze the stakes."""
    event, coup, before = moment.event, moment.coup, moment.coup_before
    assert isinstance(event, CardTurned)
    if not coup.exposed or (before is not None and len(before.exposed) == len(coup.exposed)):
        return ()
    hand = next(hand for hand, turn in coup.exposed.items() if turn is event)
    evidence = coup.turnings(hand)
    steps = (Step("stakes_stay"), Step("banker_bound"))
    actor = event.by or "none"
    return (
        Judgement(
            "BOTH_CARDS_EXPOSED", event.t, actor, evidence, facts={"pano": hand}, steps=steps, subject=hand
        ),
    )


RULES = (
    early_draw,
    deal_order,
    third_card_twice,
    face_up,
    stuck,
    floor_card,
    card_leaves,
    exposed,
)
