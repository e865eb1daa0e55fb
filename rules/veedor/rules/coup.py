"""One coup as a pure, total fold over its events: improper play is data, nothing raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from veedor.rules.coup_bets import (
    bet_changed,
    bet_placed,
    bet_removed,
    cagnotte_fed,
    call_made,
    commission,
    moved_money,
)
from veedor.rules.coup_parts import BASKET, FLOOR, MOUTH, ZERO, Bet, CardState, extraction_order, read_face
from veedor.rules.event_types import (
    BancoCalled,
    BankDeclared,
    BetChanged,
    BetCollected,
    BetPaid,
    BetPlaced,
    BetRemoved,
    BetReturned,
    BettingClosed,
    BettingOpened,
    CagnottePaid,
    CardDealt,
    CardDrawn,
    CardDropped,
    CardMoved,
    CardPickedUp,
    CardsStuck,
    CardTurned,
    Checked,
    CommissionTaken,
    CoupClosed,
    HandTaken,
    LotDrawn,
    Ruling,
    Said,
    TableEvent,
    ViewLost,
)
from veedor.rules.evolving import Evolving

# After the last card of the deal, faces shown by banker or croupier within this time still are part of it; a
# holder takes longer than that to lift, look and speak. Our number, the source has none.
EXPOSURE_S = 3.0
# A change of these leaves cards, words and holders as they were.
_MONEY_FIELDS = frozenset(
    (
        "closed",
        "bets",
        "settling",
        "cagnotte",
        "cagnotte_event",
        "cagnotte_counted",
        "call",
        "declared",
        "lot",
        "lost",
        "stakes_version",
        "touched",
        "unplaced",
    )
)
# Only these change what two cards come to.
_CARD_FIELDS = frozenset(("cards", "hands", "checked"))
# Only these change what a hand has pronounced before its third card.
_SPEECH_FIELDS = frozenset(("words", "hands"))
TABLE = "table"  # the view of everything
PLAYER_WORDS = ("carta", "no", "abato")


@dataclass(frozen=True)
class Coup(Evolving):
    """The state of a coup; ``apply`` gives the next state and leaves this one as it was.

    ``players`` are the hands that play against ``bank``, in order. The mappings are never changed in place.
    ``words`` holds the pronouncements of each hand in order of time; ``thrown`` the first loss of a hand's
    cards in the basket unseen; ``exposed`` the turn that showed both cards of a paño during the deal;
    ``touched`` tells that money was moved on a stake; ``memo``, ``totals`` and ``says`` keep what was
    worked out;
    ``late_banco`` a banco called out of time, which is refused: the coup is played like any other (BC-02).
    """

    number: int
    players: tuple[str, ...]
    bank: str
    opened: TableEvent | None = None
    betting_opened: BettingOpened | None = None
    call: BettingClosed | None = None
    closed: TableEvent | None = None
    bets: Mapping[str, Bet] = field(default_factory=dict)
    cards: Mapping[str, CardState] = field(default_factory=dict)
    hands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    words: Mapping[str, tuple[Said, ...]] = field(default_factory=dict)
    taken: Mapping[str, tuple[HandTaken, ...]] = field(default_factory=dict)
    checked: Mapping[str, Checked] = field(default_factory=dict)
    thrown: Mapping[str, CardDropped] = field(default_factory=dict)
    exposed: Mapping[str, CardTurned] = field(default_factory=dict)
    stuck: CardsStuck | None = None
    advice: Said | None = None
    cuadro: Said | None = None
    points_said: tuple[tuple[Said, tuple[str, ...]], ...] = ()
    banco: BancoCalled | None = None
    late_banco: BancoCalled | None = None
    declared: Decimal | None = None
    lot: tuple[str, ...] = ()
    lost: frozenset[str] = frozenset()
    ruled_null: frozenset[str] = frozenset()
    settling: TableEvent | None = None
    cagnotte: Decimal = ZERO
    cagnotte_event: CagnottePaid | None = None
    cagnotte_counted: bool = True
    stakes_version: int = 0
    touched: bool = False
    unplaced: bool = False
    memo: dict[object, tuple[Any, Any]] = field(default_factory=dict, compare=False, repr=False)
    totals: dict[str, int | None] = field(default_factory=dict, compare=False, repr=False)
    says: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def apply(self, event: TableEvent) -> Coup:
        """The coup after the event; events that mean nothing to a coup leave it unchanged."""
        handler = _HANDLERS.get(type(event))
        return self if handler is None else handler(self, event)

    def evolve(self, **changes: Any) -> Coup:
        """A copy with some fields changed; what was worked out about the cards stays if they do."""
        state = self.__dict__ | changes
        if not _MONEY_FIELDS.issuperset(changes):
            state["memo"] = {}
            if not _CARD_FIELDS.isdisjoint(changes):
                state["totals"] = {}
            if not _SPEECH_FIELDS.isdisjoint(changes):
                state["says"] = {}
        return self._with(state)

    def cards_of(self, hand: str) -> tuple[CardState, ...]:
        """The cards a hand holds now, in order of arrival."""
        cards = self.cards
        return tuple([cards[card] for card in self.hands.get(hand, ())])

    def first_two(self, hand: str) -> tuple[CardState, ...]:
        """The cards of the hand that are no third card; two in a proper deal."""
        return tuple([card for card in self.cards_of(hand) if not card.third])

    def turnings(self, hand: str) -> tuple[CardTurned, ...]:
        """How those cards were turned, as far as they were."""
        return tuple([card.turned for card in self.first_two(hand) if card.turned is not None])

    def has_shown(self, hand: str, t: float) -> bool:
        """Whether the hand's two cards lay open by then."""
        pair = self.first_two(hand)
        return len(pair) == 2 and all(card.turned_t is not None and card.turned_t <= t for card in pair)

    def has_drawn(self, hand: str) -> bool:
        """Whether a third card was dealt to the hand, wherever it lies now."""
        return any(card.first_hand == hand for card in self.thirds())

    def third_of(self, hand: str) -> CardState | None:
        """The third card the hand holds now, the first of them if it wrongly has more."""
        for card in self.cards_of(hand):
            if card.third:
                return card
        return None

    def thirds(self) -> tuple[CardState, ...]:
        """All third cards dealt, in order of extraction, wherever they lie now."""
        third = [card for card in self.cards.values() if card.third]
        return tuple(sorted(third, key=lambda card: card.order))

    def loose(self, t: float | None = None) -> CardState | None:
        """A card seen to leave the sabot, before ``t`` if given, that reached no hand: one was missed."""
        for card in self.cards.values():
            if card.place == MOUTH and (card.drawn is None or card.drawn.face != "up"):
                seen = card.drawn.t if card.drawn is not None else card.turned_t
                if t is None or seen is None or seen < t:
                    return card
        return None

    def holder(self, hand: str) -> str | None:
        """Who lifted the hand's cards last."""
        taken = self.taken.get(hand)
        return taken[-1].by if taken else None

    def word_before_third(self, hand: str) -> tuple[Said, ...]:
        """The hand's words up to the moment a third card was dealt to it; later ones decide nothing."""
        words = self.words.get(hand, ())
        if not words:
            return ()
        served = [c.dealt.t for c in self.cards.values() if c.third and c.dealt and c.dealt.to == hand]
        return tuple([w for w in words if w.t <= min(served)]) if served else words

    def is_blind(self, *names: str) -> bool:
        """True if a view that the names stand for was lost during the coup."""
        for zone in self.lost:
            head = zone.split(".")[0]
            if head in (TABLE, "all", "") or any(zone == name or head == name for name in names):
                return True
        return False


def _with_card(coup: Coup, card: CardState, **more: Any) -> Coup:
    cards = dict(coup.cards)
    cards[card.id] = card
    new = coup.evolve(cards=cards, **more)
    if coup.totals and "hands" not in more:
        # The other hands come to what they came to.
        new.totals.update(item for item in coup.totals.items() if item[0] != card.hand)
    return new


def _card(coup: Coup, card_id: str) -> CardState:
    known = coup.cards.get(card_id)
    return known or CardState(card_id, extraction_order(card_id, len(coup.cards) + 1))


def _card_drawn(coup: Coup, event: CardDrawn) -> Coup:
    card = _card(coup, event.card)
    if card.drawn is not None:
        return coup
    face = read_face(event.shows) if card.turned is None else card.face
    return _with_card(coup, card.evolve(drawn=event, face=face))


def _without(coup: Coup, card_id: str) -> dict[str, tuple[str, ...]]:
    hands = dict(coup.hands)
    for hand, ids in hands.items():
        if card_id in ids:
            hands[hand] = tuple([other for other in ids if other != card_id])
    return hands


def _is_third(coup: Coup, event: CardDealt) -> bool:
    first = sum(1 for ids in coup.hands.values() for card in ids if not coup.cards[card].third)
    if first >= 2 * (len(coup.players) + 1):
        return True
    # A card of the deal may have escaped the camera; once somebody has asked, what comes is a third card.
    return any(word.t <= event.t for words in coup.words.values() for word in words)


def _card_dealt(coup: Coup, event: CardDealt) -> Coup:
    card = _card(coup, event.card)
    if event.to in (*coup.players, coup.bank):
        third = card.third if card.dealt else _is_third(coup, event)
        card = card.evolve(third=third, dealt=card.dealt or event)
    return _laid(coup, card, event.to)


def _card_moved(coup: Coup, event: CardMoved) -> Coup:
    return _laid(coup, _card(coup, event.card), event.to)


def _laid(coup: Coup, card: CardState, to: str) -> Coup:
    """The card lies in that hand, or elsewhere, and nowhere else any more."""
    hands = _without(coup, card.id)
    card = card.evolve(place=to)
    if to in (*coup.players, coup.bank):
        hands[to] = (*hands.get(to, ()), card.id)
        card = card.evolve(hand=to)
    return _with_card(coup, card, hands=hands)


def _card_turned(coup: Coup, event: CardTurned) -> Coup:
    card = _card(coup, event.card).shown(event)
    after = _with_card(coup, card)
    hand = card.hand
    if hand in coup.players and not card.third and not coup.words and hand not in coup.taken:
        pair = after.first_two(hand)
        both = len(pair) == 2 and hand not in coup.exposed and all(other.turned for other in pair)
        if both and _is_during_the_deal(coup, event):
            return after.evolve(exposed={**coup.exposed, hand: event})
    return after


def _is_during_the_deal(coup: Coup, event: CardTurned) -> bool:
    dealt = [card.dealt.t for card in coup.cards.values() if card.dealt]
    if len(dealt) < 2 * (len(coup.players) + 1):
        return True
    # A complete deal waits for its holders: only whoever dealt it, and at once, can have exposed it.
    return event.by in ("banker", "croupier") and event.t <= max(dealt) + EXPOSURE_S


def _card_dropped(coup: Coup, event: CardDropped) -> Coup:
    card = _card(coup, event.card)
    if event.where == FLOOR:
        return _with_card(coup, card.evolve(dropped=event, place=card.hand or FLOOR))
    if event.seen or card.turned is not None:
        return _with_card(coup, card.evolve(dropped=event))  # ER-15: seen, recovered, it goes on counting
    hand = card.hand or next_hand_served(coup)
    thrown = coup.thrown
    if hand is not None and hand not in thrown:
        thrown = {**thrown, hand: event}
    return _with_card(coup, card.evolve(dropped=event, place=BASKET), thrown=thrown)


def next_hand_served(coup: Coup) -> str | None:
    """The hand the next card out of the sabot is meant for, as far as deal and words tell."""
    if not coup.words and sum(map(len, coup.hands.values())) < 2 * (len(coup.players) + 1):
        hands = (*coup.players, coup.bank)
        return min(hands, key=lambda hand: len(coup.hands.get(hand, ())))
    for hand in coup.players:
        words = coup.words.get(hand)
        if words and words[-1].words == "carta" and coup.third_of(hand) is None:
            return hand
    return coup.bank


def _card_picked_up(coup: Coup, event: CardPickedUp) -> Coup:
    card = _card(coup, event.card)
    return _with_card(coup, card.evolve(place=card.hand or MOUTH))


def _hand_taken(coup: Coup, event: HandTaken) -> Coup:
    return coup.evolve(taken={**coup.taken, event.hand: (*coup.taken.get(event.hand, ()), event)})


def speaking_hand(coup: Coup, event: Said) -> str | None:
    """The hand somebody speaks for: named outright, or the one that person holds."""
    if event.by in coup.players:
        return event.by
    if event.by in ("banker", coup.bank):
        return coup.bank
    for hand in coup.players:
        if coup.holder(hand) == event.by:
            return hand
    return None


def _said(coup: Coup, event: Said) -> Coup:
    hand = speaking_hand(coup, event)
    if event.words == "advice":
        return coup.evolve(advice=event) if coup.advice is None and event.by != "croupier" else coup
    if event.words == "cuadro":
        return coup.evolve(cuadro=event)
    if event.words == "point":
        if event.point is None:  # the record does not tell which
            return coup
        return coup.evolve(points_said=(*coup.points_said, (event, coup.hands.get(hand or "", ()))))
    if hand is None or event.words not in PLAYER_WORDS:
        return coup
    words = tuple(sorted((*coup.words.get(hand, ()), event), key=lambda word: word.t))
    return coup.evolve(words={**coup.words, hand: words})


def _ruling(coup: Coup, event: Ruling) -> Coup:
    effect, _, hand = (event.effect or "").partition(":")
    if effect != "annul":
        return coup
    return coup.evolve(ruled_null=coup.ruled_null | (frozenset((hand,)) if hand else frozenset(coup.players)))


_HANDLERS: dict[type[TableEvent], Callable[[Coup, Any], Coup]] = {
    BettingOpened: lambda coup, event: coup.evolve(betting_opened=event),
    BettingClosed: call_made,
    BetPlaced: bet_placed,
    BetChanged: bet_changed,
    BetRemoved: bet_removed,
    BetPaid: lambda coup, event: moved_money(coup, event, "paid"),
    BetCollected: lambda coup, event: moved_money(coup, event, "collected"),
    BetReturned: lambda coup, event: moved_money(coup, event, "returned"),
    CommissionTaken: commission,
    CagnottePaid: cagnotte_fed,
    BancoCalled: lambda coup, event: coup.evolve(banco=coup.banco or event),
    BankDeclared: lambda coup, event: coup.evolve(declared=event.amount),
    LotDrawn: lambda coup, event: coup.evolve(lot=event.order),
    CardDrawn: _card_drawn,
    CardsStuck: lambda coup, event: coup.evolve(stuck=coup.stuck or event),
    CardDealt: _card_dealt,
    CardMoved: _card_moved,
    CardTurned: _card_turned,
    CardDropped: _card_dropped,
    CardPickedUp: _card_picked_up,
    HandTaken: _hand_taken,
    Checked: lambda coup, event: coup.evolve(checked={**coup.checked, event.hand: event}),
    Said: _said,
    Ruling: _ruling,
    # No zones named: the whole table.
    ViewLost: lambda coup, event: coup.evolve(lost=coup.lost | set(event.zones or (TABLE,))),
    CoupClosed: lambda coup, event: coup.evolve(closed=event),
}
