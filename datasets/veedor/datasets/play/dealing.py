"""What any coup is made of: cards out of a sabot into hands, stakes on the felt, acts in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from veedor.datasets.play.acts import (
    CROUPIER,
    Act,
    Deal,
    Draw,
    Lose,
    PushBet,
    ShowCut,
    Slide,
    Turn,
)
from veedor.datasets.play.people import Stake
from veedor.datasets.play.reckoning import total
from veedor.datasets.play.shoe import CARDS_BELOW_CUT, Shoe
from veedor.rules.events import (
    BetPlaced,
    CardDealt,
    CardDrawn,
    CardDropped,
    CardMoved,
    CardTurned,
    CutCardShown,
    TableEvent,
)

DEAD = "dead"


@dataclass(frozen=True)
class Fix:
    """One thing to do to put the table right: what, and to which card, hand, stake or person."""

    what: str
    which: tuple[tuple[str, str], ...] = ()


def fix(what: str, **which: object) -> Fix:
    """A fix by the name of its step in the rulebook, e.g. `fix("move", card="c7", to="P1")`."""
    return Fix(what, tuple(sorted((key, str(value)) for key, value in which.items())))


@dataclass(frozen=True)
class Planted:
    """A finding that the checker must report: `delay_s` after the first of `events`, acts' templates.

    `remedy` is what must be done about it; empty where the rule's general remedy is all there is to say.
    """

    code: str
    coup: int
    actor: str
    events: tuple[TableEvent, ...]
    delay_s: float = 0.0
    remedy: tuple[Fix, ...] = ()


class Dealing:
    """A coup's cards and stakes as they move, whatever the game."""

    def __init__(self, coup: int, shoe: Shoe, hands: Sequence[str], *, dealer: str, code: str) -> None:
        self.coup = coup
        self.shoe = shoe
        self.dealer = dealer  # who draws
        self.code = code  # of what is planted, "" in a clean coup
        self.acts: list[Act] = []
        self.planted: list[Planted] = []
        self.stakes: list[Stake] = []
        self.hands: dict[str, list[str]] = {hand: [] for hand in hands}
        self.thirds: list[str] = []  # in order of extraction
        self.faces: dict[str, str] = {}
        self.shown: set[str] = set()
        self.waiting: str | None = None  # a card at the mouth
        self.cut_shown = False
        self.null = False  # the whole coup is
        self.back_names: tuple[str, ...] = ()  # colours of the backs, where the journal tells them

    def do(self, act: Act) -> None:
        self.acts.append(act)

    def plant(
        self,
        event: TableEvent,
        actor: str,
        *remedy: Fix,
        delay_s: float = 0.0,
        coup: int | None = None,
    ) -> None:
        """Notes a finding that must come of `event` (or `delay_s` after it), in this or another `coup`."""
        number = self.coup if coup is None else coup
        self.planted.append(Planted(self.code, number, actor, (event,), delay_s, remedy))

    def plant_first(self, events: Sequence[TableEvent], actor: str, *remedy: Fix) -> None:
        """The same for whichever of `events` happens first."""
        self.planted.append(Planted(self.code, self.coup, actor, tuple(events), remedy=remedy))

    def two_card_total(self, hand: str) -> int:
        return total([self.faces[card] for card in self.hands[hand][:2]])

    def push(self, stake: Stake) -> BetPlaced:
        """A bettor puts down a stake."""
        event = BetPlaced(
            stake.bet,
            stake.zone,
            Decimal(stake.amount),
            stake.bettor,
            stake.seat,
            tuple(name for pile in stake.piles for name in pile.names),
            t=0.0,
        )
        self.stakes.append(stake)
        self.do(PushBet(event, stake.seat, stake.place, stake.piles))
        return event

    def draw(self, *, face: str = "down") -> CardDrawn:
        """The banker slides the next card out; it waits at the mouth."""
        if len(self.shoe.rest) == CARDS_BELOW_CUT and not self.cut_shown:
            self.show_cut()
        card = self.shoe.draw()
        name = f"c{len(self.faces) + 1}"
        self.faces[name] = card.face
        back = self.back_names[card.back] if self.back_names else None
        event = CardDrawn(name, self.dealer, face, card.face if face == "up" else None, back, t=0.0)
        self.waiting = name
        self.do(Draw(event, card.face, card.back))
        return event

    def deal_to(self, hand: str, *, by: str | None = None) -> CardDealt:
        """The card at the mouth, drawn now if none waits, reaches `hand`."""
        if self.waiting is None:
            self.draw()
        card = self.waiting
        assert card is not None
        self.waiting = None
        self.hands[hand].append(card)
        event = CardDealt(card, hand, by, t=0.0)
        self.do(Deal(event))
        return event

    def third(self, hand: str, *, by: str | None = None) -> CardDealt:
        """A third card: drawn, dealt and turned (G-17)."""
        event = self.deal_to(hand, by=by)
        self.thirds.append(event.card)
        self.shown.add(event.card)
        turned = CardTurned(event.card, self.faces[event.card], self.dealer, t=0.0)
        self.do(Turn(hand, (turned,), by_croupier=True))
        return event

    def slide(self, card: str, to: str) -> CardMoved:
        """The croupier moves a lying card to another hand, or away."""
        for cards in self.hands.values():
            if card in cards:
                cards.remove(card)
        if to in self.hands:
            self.hands[to].append(card)
        event = CardMoved(card, to, CROUPIER, t=0.0)
        self.do(Slide(event))
        return event

    def lose(
        self, card: str, where: str, by: str, *, hand_of: str = "", moved: bool = False
    ) -> CardDropped | CardMoved:
        """A card leaves the play, dropped unseen or (`moved`) put away, by the hand of `hand_of`."""
        event: CardDropped | CardMoved
        if moved:
            event = CardMoved(card, where, by, t=0.0)
        else:
            event = CardDropped(card, where, by, False, t=0.0)
        if self.waiting == card:
            self.waiting = None
        for cards in self.hands.values():
            if card in cards:
                cards.remove(card)
        self.do(Lose(event, hand_of or by))
        return event

    def show_cut(self, cards_below: int | None = None) -> CutCardShown:
        """The cut card comes out: this coup is the last of the talla (SH-03)."""
        event = CutCardShown(cards_below, t=0.0)
        self.cut_shown = True
        self.do(ShowCut(event))
        return event
