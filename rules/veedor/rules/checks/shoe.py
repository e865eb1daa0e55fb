"""The sabot: cut card and composition (SH-02, SH-03, EQ-04)."""

from __future__ import annotations

from collections.abc import Sequence

from veedor.rules.cards import SUITS
from veedor.rules.event_types import CardDrawn, CoupClosed, CutCardShown
from veedor.rules.profile_keys import DOS_PANOS, FAMILIES
from veedor.rules.session_parts import CoupAbandoned
from veedor.rules.verdict import Judgement, Moment, Step, Verdict, rule


@rule("PLAY_AFTER_CUT", (DOS_PANOS,), (CardDrawn,))
def play_after_cut(moment: Moment) -> Sequence[Judgement]:
    """SH-03: when the cut card appears only the coup in course is finished."""
    event, shoe, coup = moment.event, moment.after.shoe, moment.coup
    assert isinstance(event, CardDrawn)
    if shoe.cut is None or coup.opened is None or coup.opened.t < shoe.cut.t or len(coup.cards) != 1:
        return ()
    if shoe.cut_in_play and moment.before.number == 0:
        return ()
    steps = (Step("void_coup"),)
    facts = {"cut": f"{shoe.cut.t:g}"}
    actor = event.by or "banker"
    return (Judgement("PLAY_AFTER_CUT", event.t, actor, (shoe.cut, event), facts=facts, steps=steps),)


@rule("CUT_CARD_DEPTH", FAMILIES, (CutCardShown,))
def cut_depth(moment: Moment) -> Sequence[Judgement]:
    """SH-02: ten cards below the cut card; more than ten is allowed by one reading (C-09)."""
    event = moment.event
    assert isinstance(event, CutCardShown)
    depth = moment.profile.numbers["cut_card_depth"]
    if depth is None or event.cards_below is None or event.cards_below == depth:
        return ()
    if event.cards_below > depth and moment.profile.reading("C-09") == "at-least":
        return ()
    verdict = Verdict.BROKEN if event.cards_below < depth else Verdict.INSPECTOR
    facts = {"below": str(event.cards_below), "depth": str(depth)}
    return (Judgement("CUT_CARD_DEPTH", event.t, "croupier", (event,), verdict, facts=facts),)


@rule("SHOE_COMPOSITION", FAMILIES, (CoupClosed, CoupAbandoned))
def composition(moment: Moment) -> Sequence[Judgement]:
    """EQ-04: no face comes more often than the packs hold it, no rank more than four times that."""
    before, after = moment.before.shoe.faces, moment.after.shoe.faces
    if before is after or not moment.after.shoe.started:
        return ()
    decks = moment.after.shoe.decks or moment.profile.whole("decks")
    if max(after.values(), default=0) <= decks:
        return ()  # a rank seen too often has a suit seen too often
    found = []
    for card in moment.coup.cards.values():
        face = card.face
        if not face.is_read or card.turned is None:
            continue
        ranks = sum(after.get(type(face)(face.rank, suit), 0) for suit in SUITS)
        count = after.get(face, 0)
        if count <= decks and ranks <= decks * len(SUITS):
            continue
        facts = {"face": str(face), "count": str(count), "decks": str(decks)}
        if ranks > decks * len(SUITS):
            facts = {"face": face.rank, "count": str(ranks), "decks": str(decks)}
        found.append(
            Judgement(
                "SHOE_COMPOSITION", card.turned.t, "croupier", (card.turned,), facts=facts, subject=str(face)
            )
        )
    return found


RULES = (play_after_cut, cut_depth, composition)
