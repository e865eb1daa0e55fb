"""Points and results of a coup from the cards as they lie."""

from __future__ import annotations

from dataclasses import dataclass

from veedor.rules.cards import total
from veedor.rules.coup import Coup
from veedor.rules.event_types import CardDropped, Said
from veedor.rules.profile import RuleProfile
from veedor.rules.profile_keys import DOS_PANOS

PLAYER = "player"
BANKER = "banker"
TIE = "tie"
ANNULLED = "annulled"

# How a hand lost in the basket unseen counts (C-15).
ZERO_POINTS = "zero"
TESTIMONY = "testimony"


@dataclass(frozen=True, slots=True)
class Say:
    """What a hand pronounced: its first word, and the contrary one that followed, if any."""

    first: Said
    contrary: Said | None = None

    @property
    def word(self) -> str:
        """The first word: ``carta``, ``no`` or ``abato``."""
        return self.first.words


def say_of(coup: Coup, hand: str) -> Say | None:
    """What the hand pronounced before a third card came to it; None if nothing was heard."""
    known: Say | None = coup.says.get(hand)
    if known is None:
        words = coup.words.get(hand)
        if words:
            known = coup.says[hand] = _say(coup, hand, words)
    return known


def _say(coup: Coup, hand: str, words: tuple[Said, ...]) -> Say:
    words = coup.word_before_third(hand) or words[:1]
    first = words[0]
    contrary = {"carta": "no", "no": "carta"}.get(first.words)
    return Say(first, next((word for word in words[1:] if word.words == contrary), None))


def two_card_total(coup: Coup, hand: str) -> int | None:
    """Point of the hand's first two cards; what the croupier verified stands in for an unread face."""
    totals = coup.totals
    if hand not in totals:
        totals[hand] = _two_card_total(coup, hand)
    return totals[hand]


def _two_card_total(coup: Coup, hand: str) -> int | None:
    pair = [card for key in coup.hands.get(hand, ()) if not (card := coup.cards[key]).third]
    points = total([card.face for card in pair]) if len(pair) == 2 else None
    if points is None and hand in coup.checked and coup.third_of(hand) is None:
        return coup.checked[hand].points
    return points


def loss_kind(coup: Coup, hand: str, profile: RuleProfile) -> str | None:
    """What losing its cards unseen makes of the hand: zero, annulled, testimony; None if not lost."""
    drop = coup.thrown.get(hand)
    if drop is None:
        return None
    reading = profile.reading("C-15")
    if reading != "by-cause":
        return ANNULLED if reading == "annul" else ZERO_POINTS
    if is_own_hand(coup, hand, drop):
        return ZERO_POINTS
    card = coup.cards.get(drop.card)
    if card is None or card.third or not is_viewed(coup, hand, drop):
        return ANNULLED
    return TESTIMONY


def is_own_hand(coup: Coup, hand: str, drop: CardDropped) -> bool:
    """True if whoever dropped the card was its holder."""
    return drop.by in (hand, coup.holder(hand), "banker" if hand == coup.bank else hand)


def is_viewed(coup: Coup, hand: str, drop: CardDropped) -> bool:
    """True if the hand had been taken up, or spoken for, before the card fell."""
    if hand == coup.bank:
        return any(word.t <= drop.t for words in coup.words.values() for word in words)
    taken = coup.taken.get(hand, ())
    return any(event.t <= drop.t for event in taken) or hand in coup.words


def is_annulled(coup: Coup, hand: str, profile: RuleProfile) -> bool:
    """True if the coup is null for that hand (ER-05, ER-13, ER-14, or a ruling)."""
    if coup.stuck is not None or hand in coup.ruled_null:
        return True
    if not coup.thrown:
        return False
    return ANNULLED in (loss_kind(coup, hand, profile), loss_kind(coup, coup.bank, profile))


def points(coup: Coup, hand: str, profile: RuleProfile) -> int | None:
    """Point of the hand as it lies; None where a card is missing or unread."""
    lost = loss_kind(coup, hand, profile) if coup.thrown else None
    if lost == ZERO_POINTS:
        return 0
    cards = coup.cards_of(hand)
    found = total([card.face for card in cards]) if len(cards) >= 2 else None
    if found is None and hand in coup.checked and (lost == TESTIMONY or len(cards) == 2):
        return coup.checked[hand].points
    return found


def is_banco_caller_free(profile: RuleProfile, total_points: int | None) -> bool:
    """Whether the caller of banco may do as he likes with that two-card total (C-02)."""
    if total_points is None:
        return False
    reading = profile.reading("C-02")
    return reading == "001" or (total_points <= 4 if reading == "002" else total_points <= 7)


def has_natural(coup: Coup, hand: str, profile: RuleProfile) -> bool:
    """True if the hand shows 8 or 9 in two cards and has kept the right to turn it (ER-25, G-06)."""
    if len(coup.cards_of(hand)) != 2 or (two_card_total(coup, hand) or 0) < 8 or hand in coup.thrown:
        return False
    say = say_of(coup, hand)
    if say is None or hand == coup.bank or profile.family != DOS_PANOS or say.word == "abato":
        return True
    if coup.banco is not None and profile.reading("C-02") == "001":
        return True
    return say.word == "carta" and profile.reading("G-06") == "kept"


def result(coup: Coup, hand: str, profile: RuleProfile) -> str | None:
    """Result of one player's hand against the bank; None while a card is unread."""
    key = ("result", hand)
    known = coup.memo.get(key)
    if known is None or known[0] is not profile:
        known = coup.memo[key] = (profile, _result(coup, hand, profile))
    found: str | None = known[1]
    return found


def _result(coup: Coup, hand: str, profile: RuleProfile) -> str | None:
    if is_annulled(coup, hand, profile):
        return ANNULLED
    mine, bank = points(coup, hand, profile), points(coup, coup.bank, profile)
    if mine is None or bank is None or coup.loose() is not None:
        return None
    if profile.family == DOS_PANOS:
        mine_natural = has_natural(coup, hand, profile)
        bank_natural = has_natural(coup, coup.bank, profile)
        three_cards = len(coup.cards_of(hand)) > 2
        return decide(mine, bank, naturals=(mine_natural, bank_natural), three_cards=three_cards)
    return decide(mine, bank)


def decide(
    mine: int, bank: int, *, naturals: tuple[bool, bool] = (False, False), three_cards: bool = False
) -> str:
    """Result of a point against the bank's; ``naturals`` of player and bank, ``three_cards`` the player's."""
    mine_natural, bank_natural = naturals
    if mine_natural and not bank_natural:
        return PLAYER  # SH-20, SH-21: a natural yields only to a better natural (C-20)
    if bank_natural and not mine_natural and three_cards:
        return BANKER
    if mine == bank:
        return TIE
    return PLAYER if mine > bank else BANKER


def results(coup: Coup, profile: RuleProfile) -> dict[str, str | None]:
    """Results by player's hand."""
    return {hand: result(coup, hand, profile) for hand in coup.players}
