"""A coup as a person follows it: who holds which cards, what lies where, what was said, how it was settled.

A reading of the journal for pages and reports; it judges nothing (that is the rule checker's part).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal

from veedor.rules.cards import UNREAD, parse_card, total
from veedor.rules.events import (
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
    CardDropped,
    CardMoved,
    CardTurned,
    CoupClosed,
    CoupOpened,
    HandPosed,
    HandTaken,
    Said,
    TableEvent,
)

_HAND_OF = {"banker": "B"}
_OUT_OF_HANDS = frozenset({"dead", "shoe", "off_table"})


@dataclass(frozen=True)
class CardStory:
    """A card of a hand. `shows` is its face, `??` while it lies face down or was not read."""

    card: str
    shows: str = UNREAD * 2


@dataclass(frozen=True)
class HandStory:
    """`cards` in order of arrival; `said` the hand's words in order; `holder` who lifted it."""

    name: str
    cards: tuple[CardStory, ...] = ()
    said: tuple[str, ...] = ()
    holder: str | None = None
    pose: str | None = None

    @property
    def points(self) -> int | None:
        """Point of the hand, None while a card of it is not known."""
        if not self.cards:
            return None
        return total(parse_card(card.shows) for card in self.cards)


@dataclass(frozen=True)
class BetStory:
    """A stake. `paid`, `collected` and `returned` are what was seen to happen to it so far."""

    bet: str
    zone: str
    amount: Decimal | None
    seat: int | None
    bettor: str | None
    placed_t: float
    chips: tuple[str, ...] = ()
    paid: Decimal | None = None
    collected: Decimal | None = None
    returned: Decimal | None = None
    removed: bool = False

    @property
    def who(self) -> str:
        if self.bettor is not None:
            return self.bettor
        return "?" if self.seat is None else f"seat{self.seat}"


@dataclass(frozen=True)
class CoupStory:
    """One coup. `phase` is betting, dealing, playing, showdown, settling, closed or waiting."""

    number: int
    opened_t: float
    closed_t: float | None = None
    phase: str = "waiting"
    bank: Decimal | None = None
    cagnotte: Decimal | None = None
    hands: tuple[HandStory, ...] = ()
    bets: tuple[BetStory, ...] = ()
    events: tuple[TableEvent, ...] = field(default=(), repr=False)

    @property
    def last_t(self) -> float:
        times = [event.t for event in self.events]
        return max([self.opened_t, *times, *([] if self.closed_t is None else [self.closed_t])])

    def hand(self, name: str) -> HandStory:
        return next((hand for hand in self.hands if hand.name == name), HandStory(name))

    def after(self, event: TableEvent) -> CoupStory:
        """The coup with one more event of it."""
        grown = replace(self, events=(*self.events, event))
        if isinstance(event, BetPlaced):
            return grown._with_new_bet(event)
        if isinstance(event, (BetChanged, BetRemoved, BetPaid, BetCollected, BetReturned)):
            return grown._with_bet_event(event)
        if isinstance(event, (CardDealt, CardMoved, CardDropped, CardTurned)):
            return grown._with_card(event)
        if isinstance(event, (HandTaken, HandPosed, Said)):
            return grown._with_hand_event(event)
        return grown._with_table_event(event)

    def _with_table_event(self, event: TableEvent) -> CoupStory:
        if isinstance(event, BankDeclared):
            return replace(self, bank=event.amount)
        if isinstance(event, BettingOpened):
            return replace(self, phase="betting")
        if isinstance(event, BettingClosed):
            return replace(self, phase="dealing")
        if isinstance(event, CagnottePaid):
            return replace(self, cagnotte=(self.cagnotte or Decimal(0)) + (event.amount or Decimal(0)))
        if isinstance(event, CoupClosed):
            return replace(self, phase="closed", closed_t=event.t)
        return self

    def _with_new_bet(self, event: BetPlaced) -> CoupStory:
        bet = BetStory(
            event.bet, event.zone, event.amount, event.seat, event.bettor, event.t, event.chips or ()
        )
        return replace(self, bets=(*(old for old in self.bets if old.bet != event.bet), bet))

    def _with_bet_event(
        self, event: BetChanged | BetRemoved | BetPaid | BetCollected | BetReturned
    ) -> CoupStory:
        bets = tuple(_changed_bet(bet, event) if bet.bet == event.bet else bet for bet in self.bets)
        settling = not isinstance(event, (BetChanged, BetRemoved)) and self.phase != "closed"
        return replace(self, bets=bets, phase="settling" if settling else self.phase)

    def _with_hand(self, hand: HandStory) -> CoupStory:
        if any(old.name == hand.name for old in self.hands):
            return replace(self, hands=tuple(hand if old.name == hand.name else old for old in self.hands))
        return replace(self, hands=(*self.hands, hand))

    def _with_card(self, event: CardDealt | CardMoved | CardDropped | CardTurned) -> CoupStory:
        holder = next((hand for hand in self.hands if any(c.card == event.card for c in hand.cards)), None)
        if isinstance(event, CardTurned):
            if holder is None:
                return self
            cards = tuple(replace(c, shows=event.shows) if c.card == event.card else c for c in holder.cards)
            shown = self._with_hand(replace(holder, cards=cards))
            late = self.phase in ("settling", "closed")
            return shown if late else replace(shown, phase="showdown")
        card = CardStory(event.card)
        coup = self
        if holder is not None:
            card = next(c for c in holder.cards if c.card == event.card)
            coup = coup._with_hand(replace(holder, cards=tuple(c for c in holder.cards if c is not card)))
        if isinstance(event, CardDropped) or event.to in _OUT_OF_HANDS:
            return coup
        hand = coup.hand(event.to)
        return coup._with_hand(replace(hand, cards=(*hand.cards, card)))

    def _with_hand_event(self, event: HandTaken | HandPosed | Said) -> CoupStory:
        name = event.by if isinstance(event, Said) else event.hand
        name = _HAND_OF.get(name, name)
        if isinstance(event, Said) and name not in {"P1", "P2", "B", "punto", "banca"}:
            return self
        hand = self.hand(name)
        if isinstance(event, Said):
            words = f"{event.words} {event.point}" if event.point is not None else event.words
            hand = replace(hand, said=(*hand.said, words))
        elif isinstance(event, HandTaken):
            hand = replace(hand, holder=event.by)
        else:
            hand = replace(hand, pose=event.pose)
        coup = self._with_hand(hand)
        return replace(coup, phase="playing") if self.phase == "dealing" else coup


def _changed_bet(
    bet: BetStory, event: BetChanged | BetRemoved | BetPaid | BetCollected | BetReturned
) -> BetStory:
    if isinstance(event, BetRemoved):
        return replace(bet, removed=True)
    amount = event.amount or Decimal(0)
    if isinstance(event, BetPaid):
        return replace(bet, paid=(bet.paid or Decimal(0)) + amount)
    if isinstance(event, BetCollected):
        return replace(bet, collected=(bet.collected or Decimal(0)) + amount)
    if isinstance(event, BetReturned):
        return replace(bet, returned=(bet.returned or Decimal(0)) + amount)
    return replace(bet, zone=event.zone or bet.zone, amount=bet.amount if event.amount is None else amount)


class Storyteller:
    """Sorts a journal's events into coups as they come. Events between coups belong to the coup before."""

    def __init__(self) -> None:
        self.coups: list[CoupStory] = []
        self.before: list[TableEvent] = []
        self._is_numbered = False  # the coup in course, by its announcement

    def feed(self, event: TableEvent) -> None:
        if isinstance(event, CoupOpened):
            self._is_numbered = event.coup is not None
            number = event.coup if event.coup is not None else len(self.coups) + 1
            self.coups.append(CoupStory(number, event.t).after(event))
        elif isinstance(event, CoupClosed) and self._is_another(event):
            return  # late, or of no coup at all
        elif self.coups:
            self.coups[-1] = self.coups[-1].after(event)
        else:
            self.before.append(event)

    def _is_another(self, event: CoupClosed) -> bool:
        if not self.coups or event.coup is None:
            return False
        number = self.coups[-1].number
        return event.coup != number if self._is_numbered else event.coup < number

    @property
    def current(self) -> CoupStory | None:
        return self.coups[-1] if self.coups else None


def tell(events: Iterable[TableEvent]) -> tuple[CoupStory, ...]:
    """The coups of a journal."""
    teller = Storyteller()
    for event in events:
        teller.feed(event)
    return tuple(teller.coups)
