"""Restored play: which third card goes to whom once an error has come to light.

The one rule behind the paragraphs of 001 VIII.4: third cards, in order of extraction, go to the hands that
should have drawn, first paño, second paño, bank; what is left is dead and never goes back into the sabot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from veedor.rules.coup import Coup
from veedor.rules.outcome import is_annulled, is_banco_caller_free, say_of, two_card_total
from veedor.rules.profile import RuleProfile
from veedor.rules.profile_keys import DOS_PANOS


class Should(StrEnum):
    """What a player's hand ought to have done."""

    DRAW = "draw"
    STAND = "stand"
    NATURAL = "natural"


class Fault(StrEnum):
    """Whose error made a coup one to restore (001 VIII.3 p3)."""

    PLAYER = "player"
    EXEMPT = "exempt"  # the croupier's, or a slip of the banker that costs him nothing (ER-21)
    BANKER = "banker"


@dataclass(frozen=True, slots=True)
class Shift:
    """Where the third cards go: a card id, or None for the next card of the sabot.

    ``players`` has an entry for each hand that must have a third card; ``bank`` is the card the bank gets if
    it draws; ``left`` what is dead if it draws, ``left_if_stands`` if it does not.
    """

    players: Mapping[str, str | None]
    bank: str | None
    left: tuple[str, ...]
    left_if_stands: tuple[str, ...]


def should(total: int, word: str, contrary: str | None = None, *, free_on: int | None = 5) -> Should:
    """What a hand with that two-card total and those words ought to have done (001 VI p3, VIII.4 p3-p4)."""
    if contrary is not None:
        if total == free_on:
            return Should.DRAW if word == "carta" else Should.STAND
        if total >= 8:
            return Should.STAND
        return Should.DRAW if total <= 4 else Should.STAND
    if total >= 8:
        return Should.NATURAL if word == "abato" else Should.STAND
    if total == free_on:
        return Should.DRAW if word == "carta" else Should.STAND
    return Should.DRAW if total <= 4 else Should.STAND


def shift(duties: Sequence[tuple[str, Should]], thirds: Sequence[str]) -> Shift:
    """Deals the third cards, in order of extraction, to the hands that should draw."""
    queue = list(thirds)
    players: dict[str, str | None] = {}
    for hand, duty in duties:
        if duty is Should.DRAW:
            players[hand] = queue.pop(0) if queue else None
    return Shift(players, queue[0] if queue else None, tuple(queue[1:]), tuple(queue))


@dataclass(frozen=True, slots=True)
class Restoration:
    """A coup to restore: the duties found, where its third cards go, and whose fault it was."""

    duties: Mapping[str, Should]
    shift: Shift
    fault: Fault

    def is_done(self, coup: Coup) -> bool:
        """True once every player's hand holds a third card exactly where it should."""
        for hand, duty in self.duties.items():
            held = [card.id for card in coup.cards_of(hand) if card.third]
            if len(held) != (duty is Should.DRAW):
                return False
            wanted = self.shift.players.get(hand)
            if held and wanted is not None and held[0] != wanted:
                return False
        return True


def duty_of(coup: Coup, hand: str, profile: RuleProfile) -> Should | None:
    """What the hand ought to have done, as far as it is known: totals if seen, else its word."""
    say = say_of(coup, hand)
    points = two_card_total(coup, hand)
    if points is None:
        if say is None or say.contrary is not None:
            return None
        return Should.DRAW if say.word == "carta" else Should.STAND
    if coup.banco is not None and say is not None and is_banco_caller_free(profile, points):
        return Should.DRAW if say.word == "carta" else Should.STAND
    if say is None:
        if points >= 8:
            return Should.NATURAL
        has_third = coup.has_drawn(hand)
        word = "carta" if has_third else "no"
        return should(points, word)
    if profile.reading("C-01") == "002" and points in (6, 7) and say.contrary is None:
        return Should.DRAW if say.word == "carta" else Should.STAND
    return should(points, say.word, say.contrary.words if say.contrary else None)


def restoration_of(coup: Coup, profile: RuleProfile) -> Restoration | None:
    """How the coup must be restored, or None where every third card was dealt as it should be."""
    if profile.family != DOS_PANOS or coup.stuck is not None:
        return None
    live = [hand for hand in coup.players if not is_annulled(coup, hand, profile)]
    duties: list[tuple[str, Should]] = []
    for hand in live:
        duty = duty_of(coup, hand, profile)
        if duty is None or (duty is Should.DRAW and bank_natural_first(coup, hand, profile)):
            return None
        duties.append((hand, duty))
    thirds = coup.thirds()
    if not thirds and not any(duty is Should.DRAW for _, duty in duties):
        return None
    moved = shift(duties, [card.id for card in thirds])
    first = {hand: [card.id for card in thirds if card.first_hand == hand] for hand, _ in duties}
    faults = [
        fault
        for hand, duty in duties
        if (fault := _fault_of(coup, hand, duty, (first[hand], moved.players.get(hand)))) is not None
    ]
    if not faults:
        return None
    worst = next(fault for fault in (Fault.BANKER, Fault.PLAYER, Fault.EXEMPT) if fault in faults)
    return Restoration(dict(duties), moved, worst)


def _fault_of(coup: Coup, hand: str, duty: Should, served: tuple[list[str], str | None]) -> Fault | None:
    """Whose fault it is that the hand was not served as it should; None if it was."""
    dealt, wanted = served
    if duty is not Should.DRAW and not dealt:
        return None
    say = say_of(coup, hand)
    asked = say is not None and say.word == "carta"
    if say is not None and say.contrary is None and asked != (duty is Should.DRAW):
        return Fault.PLAYER  # even where the card it was then given is already the right one
    if duty is Should.DRAW and wanted in dealt:
        # A second third card belongs to whoever comes next: a slip that costs the banker nothing.
        return Fault.EXEMPT if len(dealt) > 1 else None
    if say is not None and asked != (duty is Should.DRAW):
        return Fault.PLAYER
    if duty is not Should.DRAW:
        return Fault.EXEMPT  # a card to a paño that had said "no"
    if wanted is not None:
        holder = coup.cards[wanted].first_hand
        if holder in coup.players:
            # Another paño had it: its own error shifts the cards, or the croupier passed it wrongly.
            return Fault.EXEMPT if _is_entitled_first(coup, hand, holder) else None
        if dealt:
            return None  # it was served; an earlier paño's error takes its card and gives it the banker's
        return Fault.BANKER if asked else Fault.PLAYER
    return Fault.BANKER if asked and _has_bank_acted(coup) else None


def _is_entitled_first(coup: Coup, hand: str, holder: str) -> bool:
    say = say_of(coup, hand)
    if say is None or say.word != "carta":
        return False
    other = say_of(coup, holder)
    return coup.players.index(hand) < coup.players.index(holder) or other is None or other.word != "carta"


def _has_bank_acted(coup: Coup) -> bool:
    return coup.has_drawn(coup.bank) or bool(coup.words.get(coup.bank) or coup.turnings(coup.bank))


def bank_natural_first(coup: Coup, hand: str, profile: RuleProfile) -> bool:
    """True if the bank turned a natural before the hand had to draw: then nobody draws (G-02)."""
    if profile.reading("G-02") != "nobody-draws" or (two_card_total(coup, coup.bank) or 0) < 8:
        return False
    pair = coup.first_two(coup.bank)
    turned = max((card.turned_t for card in pair if card.turned_t is not None), default=None)
    if turned is None or any(card.third for card in coup.cards.values()):
        return False
    words = coup.words.get(hand, ())
    return not words or words[0].t >= turned
