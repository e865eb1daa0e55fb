"""The players' duties with their two cards, judged once both are seen (SH-11 to SH-14, ER-22 to ER-28)."""

from __future__ import annotations

from collections.abc import Sequence

from veedor.rules.coup import Coup
from veedor.rules.event_types import CardTurned, Checked, CoupClosed, Said, TableEvent
from veedor.rules.outcome import Say, is_annulled, is_banco_caller_free, say_of, two_card_total
from veedor.rules.profile import RuleProfile
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.remedies import restoration_steps
from veedor.rules.restoration import bank_natural_first
from veedor.rules.verdict import Judgement, Moment, Reason, Step, rule, undecided

# 001 VIII.4: p1 and p2 speak of the first paño, p5 makes the second answer in the same way.
_CITES = {
    "P_STAND_BELOW5": ("001 VIII.4 p1", "001 VIII.4 p5"),
    "P_DRAW_ON_6PLUS": ("001 VIII.4 p2", "001 VIII.4 p5"),
    "P_NO_ON_NATURAL": ("001 VIII.4 p4", "001 VIII.4 p4-p5"),
    "P_CARD_ON_NATURAL": ("001 VIII.4 p4", "001 VIII.4 p4-p5"),
}


@rule(
    "P_STAND_BELOW5 P_DRAW_ON_6PLUS P_NO_ON_NATURAL P_CARD_ON_NATURAL",
    (DOS_PANOS,),
    (CardTurned, Said, Checked, CoupClosed),
    standing=True,
)
def player_errors(moment: Moment) -> Sequence[Judgement] | None:
    """Words against totals, for both paños."""
    coup, profile = moment.coup, moment.profile
    ended = type(moment.event) is CoupClosed
    if not ended and not _matters(coup, moment.event):
        return None
    if coup.stuck is not None:
        return ()
    found = []
    for index, hand in enumerate(coup.players):
        if is_annulled(coup, hand, profile):
            continue
        say, points = say_of(coup, hand), two_card_total(coup, hand)
        if points is None:
            missing = _unread(coup, hand, say) if ended else None
            if missing is not None:
                found.append(missing)
        elif say is None:
            unheard = _unheard(coup, hand, points, profile) if ended else None
            if unheard is not None:
                found.append(unheard)
        elif (code := _error(coup, hand, (say, points), profile)) is not None:
            found.append(_judge(coup, hand, (code, _CITES[code][min(index, 1)], say, points), profile))
    return found


def _matters(coup: Coup, event: TableEvent) -> bool:
    if isinstance(event, CardTurned):
        card = coup.cards.get(event.card)
        if card is None or card.third:
            return card is not None and coup.closed is None and card.hand in coup.players
        return card.hand == coup.bank or any(two_card_total(coup, hand) is not None for hand in coup.players)
    return any(two_card_total(coup, hand) is not None for hand in coup.players)


def _error(coup: Coup, hand: str, seen: tuple[Say, int], profile: RuleProfile) -> str | None:
    say, points = seen
    if say.contrary is not None:
        return None  # P_CONTRADICTORY already says what must happen
    if coup.banco is not None and is_banco_caller_free(profile, points):
        return None
    if say.word == "no":
        if points >= 8:
            return "P_NO_ON_NATURAL"
        if points <= profile.whole("draw_to") and not bank_natural_first(coup, hand, profile):
            return "P_STAND_BELOW5"
    elif say.word == "carta":
        if points >= 8:
            return "P_CARD_ON_NATURAL"
        free = profile.reading("C-01") == "002"
        if points >= 6 and not free and not bank_natural_first(coup, hand, profile):
            return "P_DRAW_ON_6PLUS"
    return None


def _judge(coup: Coup, hand: str, fault: tuple[str, str, Say, int], profile: RuleProfile) -> Judgement:
    code, cite, say, points = fault
    turned = coup.turnings(hand)
    evidence: tuple[TableEvent, ...] = (say.first, *turned)
    if not turned and hand in coup.checked:
        evidence = (say.first, coup.checked[hand])
    steps = restoration_steps(coup, profile)
    if code == "P_NO_ON_NATURAL":
        steps = (Step("plain_points", {"hand": hand, "points": str(points)}), *steps)
    return Judgement(
        code,
        max(event.t for event in evidence),
        hand,
        evidence,
        rule=cite,
        facts={"hand": hand, "points": str(points), "word": say.word},
        steps=steps,
        subject=hand,
    )


def _unread(coup: Coup, hand: str, say: Say | None) -> Judgement | None:
    """A word was heard and a card of the hand was turned but not read: the rule was at stake."""
    pair = coup.first_two(hand)
    unread = [card for card in pair if card.face.points is None and card.turned is not None]
    if say is None or say.word == "abato" or not unread or len(pair) != 2:
        return None
    code = "P_STAND_BELOW5" if say.word == "no" else "P_DRAW_ON_6PLUS"
    card = unread[0]
    evidence = (say.first, card.turned) if card.turned is not None else (say.first,)
    return undecided(code, Reason("card", card.id), t=say.first.t, actor=hand, evidence=evidence)


def _unheard(coup: Coup, hand: str, points: int, profile: RuleProfile) -> Judgement | None:
    """No word was heard, and what was done cannot be right whatever it was: player or banker, who knows."""
    turned = coup.turnings(hand)
    if len(turned) < 2 or coup.banco is not None:
        return None
    served = coup.has_drawn(hand) or coup.third_of(hand) is not None
    bank = two_card_total(coup, coup.bank)
    if points <= profile.whole("draw_to") and not served:
        if bank is None or bank >= 8:
            return None
        code = "P_STAND_BELOW5"
    elif served and points >= 6 and (points >= 8 or profile.reading("C-01") == "000"):
        code = "P_DRAW_ON_6PLUS" if points < 8 else "P_CARD_ON_NATURAL"
    else:
        return None
    t = max(event.t for event in turned)
    return undecided(code, Reason("word", hand), t=t, actor=hand, evidence=turned)


RULES = (player_errors,)
