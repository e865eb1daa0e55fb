"""What must be done to restore a coup, as the player of sessions sees it: cards, duty, what is dead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veedor.datasets.play.dealing import Fix, fix
from veedor.datasets.play.reckoning import NO_CARD, Duty, duty, points

if TYPE_CHECKING:
    from veedor.datasets.play.coup import CoupPlay

DUTY_STEPS = {Duty.DRAW: "must_draw", Duty.STAND: "must_stand", Duty.FREE: "free"}


def restoration_fixes(play: CoupPlay) -> tuple[Fix, ...]:
    """Third cards to the paños that should have drawn, in order of extraction; the bank; what is left."""
    queue = list(play.thirds)
    fixes: list[Fix] = []
    live: dict[str, int] = {}
    is_known = True
    for pano in play.playing:
        point = play.two_card_total(pano)
        if play.words[pano] == "abato":
            continue
        live[pano] = NO_CARD
        if point < 5 or (point == 5 and play.words[pano] == "carta"):
            if not queue:
                fixes.append(fix("new_card", hand=pano))
                is_known = False
                continue
            card = queue.pop(0)
            live[pano] = points(play.faces[card])
            if card not in play.hands[pano]:
                fixes.append(fix("move", card=card, to=pano))
    if not is_known:
        return (*fixes, fix("bank_by_restored"))
    due = duty(play.two_card_total("B"), live, fault=play.fault, asked_cuadro=False)
    fixes.append(fix(DUTY_STEPS[due]))
    if due is not Duty.STAND and queue and queue[0] not in play.hands["B"]:
        fixes.append(fix("bank_takes" if due is Duty.DRAW else "bank_takes_if", card=queue[0]))
    left = queue if due is Duty.STAND else queue[1:]
    return (*fixes, fix("dead", card=", ".join(left))) if left else tuple(fixes)
