"""Steps that put a restored coup right, in words an inspector can act on at once."""

from __future__ import annotations

from veedor.rules.coup import Coup
from veedor.rules.duty import Duty, Must, banker_duty
from veedor.rules.outcome import two_card_total
from veedor.rules.profile import RuleProfile
from veedor.rules.restoration import restoration_of
from veedor.rules.verdict import Step


def restoration_steps(coup: Coup, profile: RuleProfile) -> tuple[Step, ...]:
    """Where each third card goes, what the banker must then do, and what is dead.

    The steps start from the cards as they lie now; none where nothing has to move. What the banker must do is
    added once his own cards are known.
    """
    restoration = restoration_of(coup, profile)
    if restoration is None:
        return ()
    if coup.settling is not None:
        return (Step("barred"),)
    steps: list[Step] = []
    shift = restoration.shift
    for hand, card in shift.players.items():
        if card is None:
            # Every third card drawn so far goes to somebody before this hand, also one it holds now.
            steps.append(Step("new_card", {"hand": hand}))
        elif coup.cards[card].place != hand:
            steps.append(Step("move", {"card": card, "to": hand}))
    if two_card_total(coup, coup.bank) is None:
        # What he must do shows with his cards; where the next card goes is known already.
        if shift.bank is not None and coup.cards[shift.bank].place != coup.bank:
            steps.append(Step("bank_takes_if", {"card": shift.bank}))
        if shift.left:
            steps.append(Step("dead", {"card": ", ".join(shift.left)}))
        return tuple(steps)
    duty = banker_duty(coup, profile)
    if not duty.cells and duty.must is Must.FREE:
        # A card that decides it is still in the sabot.
        return (*steps, Step("bank_by_restored"))
    steps.append(duty_step(duty))
    if duty.must is not Must.STAND and shift.bank is not None and coup.cards[shift.bank].place != coup.bank:
        key = "bank_takes" if duty.must is Must.DRAW else "bank_takes_if"
        steps.append(Step(key, {"card": shift.bank}))
    left = shift.left_if_stands if duty.must is Must.STAND else shift.left
    if left:
        steps.append(Step("dead", {"card": ", ".join(left)}))
    return tuple(steps)


def duty_step(duty: Duty) -> Step:
    """The banker's duty as a step, with the cells of the cuadro it comes from."""
    cells = ", ".join(f"{hand} {letter}" for hand, letter in duty.cells)
    return Step(str(duty.must.value), {"cells": cells or "—", "rule": duty.rule})
