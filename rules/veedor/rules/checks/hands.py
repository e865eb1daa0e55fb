"""Who holds the cards (PL-05 to PL-08, ER-08, AR-11, AR-12, PR-06, BC-05)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from veedor.rules.checks.deal import STAFF
from veedor.rules.checks.stakes import standing_bets
from veedor.rules.coup import Coup
from veedor.rules.coup_parts import ZERO
from veedor.rules.event_types import HandTaken, Said, TableEvent
from veedor.rules.profile_keys import DOS_PANOS, PUNTO_BANCO, PUNTO_Y_BANCA
from veedor.rules.verdict import Judgement, Moment, Step, rule


def _is_repeat(moment: Moment, event: HandTaken) -> bool:
    """True if that person had already taken the hand in this coup: one fault, not several."""
    before = moment.coup_before
    return before is not None and any(old.by == event.by for old in before.taken.get(event.hand, ()))


@rule("HAND_ROTATION WRONG_HAND_HOLDER", (DOS_PANOS,), (HandTaken,))
def holder(moment: Moment) -> Sequence[Judgement]:
    """PL-06, PL-07: the turn of the paño; kept after a bank win, or taken by anybody else."""
    event, coup = moment.event, moment.coup
    assert isinstance(event, HandTaken)
    if event.hand not in coup.players or event.by is None or event.by in STAFF or coup.closed is not None:
        return ()
    if _is_repeat(moment, event) or coup.settling is not None:
        return ()
    session = moment.before
    person = moment.after.seat_of(event.by)
    if coup.banco is not None and moment.profile.reading("C-10") == "001":
        return () if event.by == coup.banco.bettor else _wrong(moment, event, coup.banco.bettor)
    if coup.late_banco is not None and event.by == coup.late_banco.bettor:
        return ()  # BANCO_LATE has said that he ought not to play it
    expected = session.expected_holder(event.hand)
    turn = session.turns.get(event.hand)
    kept = turn is not None and turn.passes is True and turn.owed is None and person == turn.holder
    if kept and person != expected:
        words = coup.words.get(event.hand)
        facts = {"hand": event.hand, "person": str(person), "expected": expected or "?"}
        steps = _pass_on(event.hand, expected or "?", spoken=bool(words))
        evidence: tuple[TableEvent, ...] = (event,)
        return (
            Judgement(
                "HAND_ROTATION", event.t, event.by, evidence, facts=facts, steps=steps, subject=event.hand
            ),
        )
    if expected is None or person == expected:
        return ()
    return _wrong(moment, event, expected)


def _pass_on(hand: str, expected: str, *, spoken: bool) -> tuple[Step, ...]:
    key = "coup_stands_next" if spoken else "pass_cards"
    return (Step(key, {"hand": hand, "to": expected}),)


def _wrong(moment: Moment, event: HandTaken, expected: str) -> Sequence[Judgement]:
    words = moment.coup.words.get(event.hand)
    facts = {"hand": event.hand, "person": str(event.by), "expected": expected}
    steps = _pass_on(event.hand, expected, spoken=bool(words))
    return (
        Judgement(
            "WRONG_HAND_HOLDER",
            event.t,
            str(event.by),
            (event,),
            facts=facts,
            steps=steps,
            subject=event.hand,
        ),
    )


@rule("BANCO_PEEK", (DOS_PANOS,), (HandTaken, Said))
def banco_peek(moment: Moment) -> Sequence[Judgement]:
    """BC-05: who plays banco does not see the second paño before he has played the first.

    Where no word has been heard yet in the whole record, it is judged when the first paño speaks.
    """
    coup = moment.coup
    if coup.banco is None or coup.closed is not None:
        return ()
    first, second = coup.players[0], coup.players[-1]
    caller = coup.banco.bettor
    lift = next((event for event in coup.taken.get(second, ()) if event.by == caller), None)
    if lift is None or _has_played(coup, first, lift.t):
        return ()
    if not coup.words.get(first) and not (moment.before.heard and moment.event is lift):
        return ()
    steps = (Step("ask_inspector"),)
    evidence = (coup.banco, lift)
    return (Judgement("BANCO_PEEK", lift.t, caller, evidence, facts={"person": caller}, steps=steps),)


def _has_played(coup: Coup, hand: str, t: float) -> bool:
    if any(word.t <= t for word in coup.words.get(hand, ())):
        return True
    # A natural that the bank has turned leaves nothing to play.
    return any(
        card.turned_t is not None and card.turned_t <= t
        for card in (*coup.first_two(hand), *coup.first_two(coup.bank))
    )


def _stakes_on(coup: Coup, zone: str) -> dict[str, tuple[Decimal | None, int | None]]:
    """Sum on a zone and seat, by bettor; None where an amount was not counted."""
    sums: dict[str, tuple[Decimal | None, int | None]] = {}
    for bet in standing_bets(coup):
        if bet.zone == zone:
            amount, _ = sums.get(bet.bettor, (ZERO, None))
            total = None if amount is None or bet.amount is None else amount + bet.amount
            sums[bet.bettor] = (total, bet.seat)
    return sums


@rule("AR_WRONG_CARD_HOLDER", (PUNTO_Y_BANCA,), (HandTaken,))
def card_holder(moment: Moment) -> Sequence[Judgement]:
    """AR-11, AR-12: punto's cards to the largest seated stake, if equal first from croupier's right."""
    event, coup = moment.event, moment.coup
    assert isinstance(event, HandTaken)
    if event.by is None or coup.closed is not None or _is_repeat(moment, event) or not coup.bets:
        return ()
    if event.hand == "banca":
        due = moment.after.shooter.shooter
        cite = "004 L15"
    else:
        due, cite = _punto_holder(coup)
    if due is None or moment.after.seat_of(event.by) == due or event.by in STAFF:
        return ()
    facts = {"hand": event.hand, "person": event.by, "expected": due}
    steps = (Step("pass_cards", {"hand": event.hand, "to": due}),)
    return (
        Judgement(
            "AR_WRONG_CARD_HOLDER", event.t, "croupier", (event,), rule=cite, facts=facts, steps=steps,
            subject=event.hand,
        ),
    )  # fmt: skip


def _punto_holder(coup: Coup) -> tuple[str | None, str]:
    sums = _stakes_on(coup, "punto")
    seated = {seat: amount for amount, seat in sums.values() if seat is not None}
    if any(amount is None for amount in seated.values()):
        return None, "004 L13-14"
    if not seated:
        return ("croupier", "004 L15") if not sums else (None, "004 L15")
    best = max(amount for amount in seated.values() if amount is not None)
    return f"seat{min(seat for seat, amount in seated.items() if amount == best)}", "004 L13-14"


@rule("PR_WRONG_HOLDER", (PUNTO_BANCO,), (HandTaken,))
def pr_holder(moment: Moment) -> Sequence[Judgement]:
    """PR-06: the cards go to a player who bet against the bank, by C-25 the one with most on it."""
    event, coup = moment.event, moment.coup
    assert isinstance(event, HandTaken)
    if event.hand != "punto" or event.by is None or event.by in STAFF or _is_repeat(moment, event):
        return ()
    sums = _stakes_on(coup, "punto")
    if not sums or coup.closed is not None or any(amount is None for amount, _ in sums.values()):
        return ()
    names = {name for bettor, (_, seat) in sums.items() for name in (bettor, f"seat{seat}")}
    best = max(amount for amount, _ in sums.values() if amount is not None)
    if moment.profile.reading("C-25") == "largest":
        due = {b for b, (amount, seat) in sums.items() if amount == best}
        due |= {f"seat{seat}" for amount, seat in sums.values() if amount == best and seat is not None}
    else:
        due = names
    if event.by in due or not _is_identified(coup, event.by):
        return ()
    # Of equal stakes the seat nearest the croupier's right, as in AR-11; somebody standing comes last.
    first = min(
        (seat is None, seat or 0, bettor) for bettor, (amount, seat) in sums.items() if amount == best
    )[2]
    facts = {"hand": "punto", "person": event.by, "expected": first}
    steps = (Step("pass_cards", {"hand": "punto", "to": first}),)
    return (Judgement("PR_WRONG_HOLDER", event.t, "croupier", (event,), facts=facts, steps=steps),)


def _is_identified(coup: Coup, person: str) -> bool:
    """True if the person is a bettor of this coup, or every punto stake has a seat to compare with."""
    bets = standing_bets(coup)
    if any(person in (bet.bettor, f"seat{bet.seat}") for bet in bets):
        return True
    return all(bet.seat is not None for bet in bets if bet.zone == "punto")


RULES = (holder, banco_peek, card_holder, pr_holder)
