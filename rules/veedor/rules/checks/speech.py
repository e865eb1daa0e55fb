"""Words at the table: order, contradiction, advice, long looks (SH-10, ER-24, ER-29 to ER-31)."""

from __future__ import annotations

from collections.abc import Sequence

from veedor.rules.coup import speaking_hand
from veedor.rules.event_types import HandTaken, Said
from veedor.rules.outcome import is_annulled, say_of
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.restoration import Should, should
from veedor.rules.verdict import Judgement, Moment, Step, Verdict, rule


def first_word_now(moment: Moment) -> str | None:
    """The player's hand whose first word this event is; None for anything else."""
    event, coup, before = moment.event, moment.coup, moment.coup_before
    assert isinstance(event, Said)
    hand = speaking_hand(coup, event)
    if hand not in coup.players or hand is None or before is None or coup.closed is not None:
        return None
    return hand if coup.words.get(hand) and not before.words.get(hand) else None


@rule("ORDER_OF_SPEECH", (DOS_PANOS,), (Said,))
def order_of_speech(moment: Moment) -> Sequence[Judgement]:
    """SH-10: first paño, second paño, and only then the banker.

    Judged when the earlier hand speaks at last: a word that was never heard accuses nobody.
    """
    hand = first_word_now(moment)
    if hand is None:
        return ()
    event, coup = moment.event, moment.coup
    found = []
    later = (*coup.players[coup.players.index(hand) + 1 :], coup.bank)
    for other in later:
        words = coup.words.get(other)
        if not words or words[0].t >= event.t or coup.has_shown(hand, words[0].t):
            continue
        actor = "banker" if other == coup.bank else other
        facts = {"hand": other, "before": hand}
        found.append(
            Judgement("ORDER_OF_SPEECH", words[0].t, actor, (words[0], event), facts=facts, subject=hand)
        )
    return found


@rule("P_CONTRADICTORY", (DOS_PANOS,), (Said,))
def contradictory(moment: Moment) -> Sequence[Judgement]:
    """ER-24, ER-29: "carta" and "no" by one hand; with five the first word holds, else the total."""
    coup, event = moment.coup, moment.event
    assert isinstance(event, Said)
    hand = speaking_hand(coup, event)
    if hand not in coup.players or hand is None:
        return ()
    say = say_of(coup, hand)
    if say is None or say.contrary is not event:
        return ()
    checked = coup.checked.get(hand)
    steps: tuple[Step, ...] = (Step("verify_total", {"hand": hand}),)
    if checked is not None:
        duty = should(checked.points, say.word, event.words)
        steps = (Step("draws" if duty is Should.DRAW else "stands", {"hand": hand}),)
    facts = {"first": say.word, "second": event.words, "hand": hand}
    cite = "001 VIII.4 p3" if hand == coup.players[0] else "001 VIII.4 p5; 001 VIII.4 p3"
    evidence = (say.first, event)
    return (
        Judgement(
            "P_CONTRADICTORY", event.t, hand, evidence, rule=cite, facts=facts, steps=steps, subject=hand
        ),
    )


@rule("ADVICE", (DOS_PANOS,), (Said,))
def advice(moment: Moment) -> Sequence[Judgement]:
    """ER-31, PL-11: nobody but the croupier advises; after advice play goes by the cuadro."""
    event = moment.event
    assert isinstance(event, Said)
    if event.words != "advice" or event.by == "croupier" or moment.profile.reading("C-19") == "000":
        return ()
    to_banker = event.to in (None, "banker", moment.coup.bank)
    # The cuadro has no rows for players: what advice to one of them costs is the inspector's to say (G-09).
    open_point = not to_banker and moment.profile.reading("G-09") == "inspector"
    verdict = Verdict.INSPECTOR if open_point else Verdict.BROKEN
    steps = (Step("follow_cuadro"),) if to_banker else (Step("ask_inspector"),)
    facts = {"by": event.by, "to": event.to or "?"}
    return (
        Judgement(
            "ADVICE", event.t, event.by, (event,), verdict, facts=facts, steps=steps, subject=event.to or ""
        ),
    )


@rule("SLOW_VIEW", (DOS_PANOS,), (Said,))
def slow_view(moment: Moment) -> Sequence[Judgement]:
    """ER-30: cards are not held for long; the limit is the profile's (G-10), from lift to word."""
    hand = first_word_now(moment)
    if hand is None:
        return ()
    event, coup = moment.event, moment.coup
    lift = _lift(coup.taken.get(hand, ()), event.t)
    if lift is None or is_annulled(coup, hand, moment.profile):
        return ()
    limit = float(moment.profile.amount("view_limit_s"))
    deadline = lift.t + limit
    for other in coup.players[: coup.players.index(hand)]:
        words = coup.words.get(other, ())
        if words and words[0].t > deadline:
            # He had to wait for the paño before his: his time starts when that one has spoken.
            deadline = words[0].t + limit
    if event.t <= deadline:
        return ()
    facts = {"hand": hand, "seconds": f"{event.t - lift.t:g}", "limit": f"{limit:g}"}
    steps = (Step("loses_hand", {"hand": hand}),)
    return (Judgement("SLOW_VIEW", deadline, hand, (lift, event), facts=facts, steps=steps, subject=hand),)


def _lift(taken: Sequence[HandTaken], t: float) -> HandTaken | None:
    """When whoever spoke first took the cards he still held."""
    earlier = [event for event in taken if event.t <= t]
    first = None
    for event in reversed(earlier):
        if first is not None and event.by != first.by:
            break
        first = event
    return first


RULES = (order_of_speech, contradictory, advice, slow_view)
