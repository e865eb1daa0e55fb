"""The sabot: cut card and composition (SH-02, SH-03, EQ-04)."""

from __future__ import annotations

from collections.abc import Sequence

from veedor.rules.cards import SUITS
from veedor.rules.event_types import CardDrawn, CoupClosed, CutCardShown
from veedor.rules.profile_keys import DOS_PANOS, FAMILIES
from veedor.rules.session_close import counted_cards
from veedor.rules.session_parts import CoupAbandoned
from veedor.rules.telling import clock
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
    facts = {"cut": clock(shoe.cut.t)}
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
    counts = dict(before)
    for card in sorted(counted_cards(moment.coup), key=lambda card: card.turned_t or 0.0):
        face = card.face
        counts[face] = counts.get(face, 0) + 1
        ranks = sum(counts.get(type(face)(face.rank, suit), 0) for suit in SUITS)
        # Told once a sabot: when the count goes past what the packs hold.
        past = counts[face] == decks + 1 or ranks == decks * len(SUITS) + 1
        if card.turned is None or not past:
            continue
        facts = {"due": f"{decks} × {face}", "done": f"{counts[face]} × {face}"}
        if counts[face] <= decks:
            facts = {"due": f"{decks * len(SUITS)} × {face.rank}", "done": f"{ranks} × {face.rank}"}
        found.append(
            Judgement(
                "SHOE_COMPOSITION", card.turned.t, "croupier", (card.turned,), facts=facts, subject=str(face)
            )
        )
    return found


@rule("SHOE_COMPOSITION", FAMILIES, (CardDrawn,))
def back_colour(moment: Moment) -> Sequence[Judgement]:
    """EQ-04: three packs have one back, three another; a third colour does not belong in the sabot."""
    event, known = moment.event, moment.after.shoe.backs
    assert isinstance(event, CardDrawn)
    if event.back is None or event.back in known:
        return ()
    facts = {"due": ", ".join(known), "done": f"{event.card} ({event.back})"}
    subject = f"back {event.back}"
    return (Judgement("SHOE_COMPOSITION", event.t, "croupier", (event,), facts=facts, subject=subject),)


RULES = (play_after_cut, cut_depth, composition, back_colour)
