"""Third cards against what was asked (ER-09 to ER-11, ER-21, SH-16)."""

from __future__ import annotations

from collections.abc import Sequence

from veedor.rules.coup import Coup
from veedor.rules.coup_parts import CardState
from veedor.rules.event_types import CardDealt, CardMoved, CardTurned, CoupClosed, Said, TableEvent
from veedor.rules.outcome import is_annulled, say_of, two_card_total
from veedor.rules.profile import RuleProfile
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.remedies import restoration_steps
from veedor.rules.restoration import bank_natural_first
from veedor.rules.verdict import Judgement, Moment, Reason, Verdict, rule


@rule(
    "CARD_TO_NO CARD_WITHHELD CARD_TO_WRONG_PANO",
    (DOS_PANOS,),
    (CardDealt, CardMoved, Said, CardTurned, CoupClosed),
    standing=True,
)
def served(moment: Moment) -> Sequence[Judgement] | None:
    """Who asked and who got, card by card in the order they were dealt."""
    coup = moment.coup
    if not coup.words or coup.stuck is not None or _changes_nothing(coup, moment.event):
        return None
    thirds = sorted(coup.thirds(), key=lambda card: card.dealt.t if card.dealt else 0.0)
    decided = _bank_decided(coup)
    if not thirds and decided is None:
        return None
    found: list[Judgement] = []
    pending: set[str] = set()
    withheld: set[str] = set()
    for index, card in enumerate(thirds):
        if card.dealt is None:
            continue
        if card.first_hand in coup.players:
            judgement = _to_player(coup, (thirds, index), pending, moment)
            if judgement is not None:
                found.append(judgement)
        else:
            for hand in _unserved(coup, thirds[:index], card.dealt.t, moment.profile):
                if hand not in pending and hand not in withheld:
                    withheld.add(hand)
                    found.append(_withheld(coup, hand, card.dealt, moment.profile))
    if decided is not None:
        for hand in _unserved(coup, thirds, decided.t, moment.profile):
            if hand not in pending and hand not in withheld:
                found.append(_withheld(coup, hand, decided, moment.profile))
    return found


def _changes_nothing(coup: Coup, event: TableEvent) -> bool:
    """True for a card of the first deal, and for a turn that does not end the bank's showing."""
    if isinstance(event, CardDealt):
        return not coup.cards[event.card].third
    if isinstance(event, CardTurned):
        card = coup.cards[event.card]
        return card.third or card.hand != coup.bank
    return False


def _asked(coup: Coup, hand: str, t: float) -> bool | None:
    """Whether the hand had asked by then; None where it had not spoken or contradicted itself."""
    say = say_of(coup, hand)
    if say is None or say.contrary is not None or say.first.t > t:
        return None
    return say.word == "carta"


def _unserved(coup: Coup, before: Sequence[CardState], t: float, profile: RuleProfile) -> list[str]:
    """Hands that had asked by then and had been given no card; a natural of the bank excuses it (G-02)."""
    return [
        hand
        for hand in coup.players
        if _asked(coup, hand, t)
        and coup.hands.get(hand)
        and not is_annulled(coup, hand, profile)
        and not any(card.first_hand == hand for card in before)
        and not bank_natural_first(coup, hand, profile)
    ]


def _to_player(
    coup: Coup, place: tuple[Sequence[CardState], int], pending: set[str], moment: Moment
) -> Judgement | None:
    thirds, index = place
    card = thirds[index]
    assert card.dealt is not None
    hand, t = str(card.first_hand), card.dealt.t
    asked = _asked(coup, hand, t)
    if asked is None or (asked and hand == coup.players[0]) or _is_due(coup, hand, t, moment.profile):
        return None
    waiting = [other for other in _unserved(coup, thirds[:index], t, moment.profile) if other != hand]
    later = {other.first_hand for other in thirds[index + 1 :]}
    if asked:
        earlier = [other for other in waiting if coup.players.index(other) < coup.players.index(hand)]
        if not earlier or not (earlier[0] in later or card.hand == earlier[0]):
            return None
        pending.add(earlier[0])
        return _wrong_pano(coup, card, earlier[0], moment.profile)
    if waiting:
        other = waiting[0]
        if card.dealt.by == "croupier" or card.hand == other:
            pending.add(other)
            return _wrong_pano(coup, card, other, moment.profile)
        if other not in later and card.dealt.by != "banker":
            # Whose card it was shows in the next one: if the other paño never gets its own, this was it.
            pending.add(other)
            return _wrong_pano(coup, card, other, moment.profile) if later or coup.closed else None
    say = say_of(coup, hand)
    assert say is not None
    return Judgement(
        "CARD_TO_NO",
        t,
        card.dealt.by or (card.drawn.by if card.drawn and card.drawn.by else "banker"),
        (say.first, card.dealt),
        facts={"hand": hand, "card": card.id},
        steps=restoration_steps(coup, moment.profile),
        subject=hand,
    )


def _is_due(coup: Coup, hand: str, t: float, profile: RuleProfile) -> bool:
    """True if the card came after the showdown, to a hand that ought to have drawn: restored play."""
    pair = coup.first_two(hand)
    points = two_card_total(coup, hand)
    seen = [card.turned_t for card in pair if card.turned_t is not None]
    return len(seen) == 2 and max(seen) <= t and points is not None and points <= profile.whole("draw_to")


def _wrong_pano(coup: Coup, card: CardState, meant: str, profile: RuleProfile) -> Judgement:
    assert card.dealt is not None
    words = tuple(coup.words[meant][:1])
    return Judgement(
        "CARD_TO_WRONG_PANO",
        card.dealt.t,
        card.dealt.by or "croupier",
        (*words, card.dealt),
        facts={"card": card.id, "to": str(card.first_hand), "meant": meant},
        steps=restoration_steps(coup, profile),
        subject=meant,
    )


def _bank_decided(coup: Coup) -> TableEvent | None:
    """The banker's "no", or his turning both cards: from then on nobody else is served."""
    words = coup.words.get(coup.bank, ())
    if words:
        return words[0]
    turned = coup.turnings(coup.bank)
    if len(turned) < 2 or coup.has_drawn(coup.bank):
        return None
    return max(turned, key=lambda event: event.t)


def _withheld(coup: Coup, hand: str, event: TableEvent, profile: RuleProfile) -> Judgement:
    word = coup.words[hand][0]
    blind = coup.is_blind(hand, f"{hand}.hand", "shoe")
    missed = coup.loose(event.t)
    reason = Reason("view", f"{hand}.hand") if blind else Reason("place", missed.id) if missed else None
    return Judgement(
        "CARD_WITHHELD",
        event.t,
        "banker",
        (word, event),
        Verdict.BROKEN if reason is None else Verdict.UNDECIDED,
        facts={"hand": hand},
        steps=restoration_steps(coup, profile) if reason is None else (),
        reason=reason,
        subject=hand,
    )


RULES = (served,)
