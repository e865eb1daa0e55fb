"""One coup of bacará a dos paños, as people play it: words, cards, stakes, and mistakes put right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import TYPE_CHECKING

from veedor.datasets.play.acts import (
    BANKER,
    CROUPIER,
    Act,
    Cagnotte,
    Collect,
    Deal,
    Draw,
    Pay,
    PushBet,
    PutBack,
    Rest,
    Slide,
    Speak,
    Sweep,
    Take,
    TakeBack,
    Turn,
)
from veedor.datasets.play.money import Pile, take
from veedor.datasets.play.people import Bettors, Situation, Stake
from veedor.datasets.play.reckoning import (
    HANDS,
    NO_CARD,
    PANOS,
    Duty,
    Fault,
    HandEnd,
    due,
    duty,
    points,
    result,
    total,
)
from veedor.datasets.play.shoe import Shoe, ShoeCard
from veedor.rules.events import (
    BankDeclared,
    BetCollected,
    BetPaid,
    BetPlaced,
    BettingClosed,
    BettingOpened,
    CagnottePaid,
    CardDealt,
    CardDrawn,
    CardMoved,
    CardTurned,
    CoupClosed,
    CoupOpened,
    HandPosed,
    HandTaken,
    Said,
    TableEvent,
)

if TYPE_CHECKING:
    from veedor.datasets.play.deviation import Deviation

DEAD = "dead"
CUADRO_ASKED = 0.3  # how often a banker asks the croupier for the table


@dataclass(frozen=True)
class Planted:
    """A finding that the checker must report: at `event`, an act's template."""

    code: str
    coup: int
    actor: str
    event: TableEvent


@dataclass(frozen=True)
class CoupRecord:
    """A coup that was played."""

    acts: tuple[Act, ...]
    planted: tuple[Planted, ...]
    results: Mapping[str, int]  # +1 the paño wins, -1 the bank, 0 nobody
    stakes: tuple[Stake, ...]
    bank_after: int
    shoe: Shoe


@dataclass
class CoupPlay:
    """A coup being played; a deviation changes what somebody does."""

    table: Situation
    shoe: Shoe
    rng: Random
    deviation: Deviation
    rate: Decimal  # the house's part of the bank's net gain (BT-10)
    acts: list[Act] = field(default_factory=list)
    planted: list[Planted] = field(default_factory=list)
    stakes: list[Stake] = field(default_factory=list)
    hands: dict[str, list[str]] = field(default_factory=lambda: {hand: [] for hand in HANDS})
    thirds: list[str] = field(default_factory=list)  # in order of extraction
    faces: dict[str, str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    waiting: str | None = None  # a card at the mouth
    fault: Fault = Fault.NONE
    advised: bool = False  # advice was given: the cuadro binds (ER-31)

    def __post_init__(self) -> None:
        self.bettors = Bettors(self.table, self.rng)
        self.call = BettingClosed(t=0.0)  # "ya no va más"
        self.results: dict[str, int] = {}

    # ---- what the deviations use -------------------------------------------------------------------

    def do(self, act: Act) -> None:
        self.acts.append(act)

    def plant(self, event: TableEvent, actor: str) -> None:
        self.planted.append(Planted(self.deviation.code, self.table.coup, actor, event))

    def two_card_total(self, hand: str) -> int:
        return total([self.faces[card] for card in self.hands[hand][:2]])

    @property
    def bank_natural(self) -> bool:
        return self.two_card_total("B") >= 8

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
        card: ShoeCard = self.shoe.draw()
        name = f"c{len(self.faces) + 1}"
        self.faces[name] = card.face
        event = CardDrawn(name, BANKER, face, card.face if face == "up" else None, t=0.0)
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
        turned = CardTurned(event.card, self.faces[event.card], BANKER, t=0.0)
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

    # ---- the coup ----------------------------------------------------------------------------------

    def run(self) -> CoupRecord:
        """Plays it to the end."""
        self.open()
        self.deviation.before_call(self)
        self.do(Rest(0.6))
        self.do(Speak(self.call, 0.7))
        self.deviation.after_call(self)
        for index, hand in enumerate(HANDS * 2):
            self.deviation.deal(self, index, hand)
        self.do(Rest(0.2))
        self.look()
        if self.bank_natural:
            self.turn_hand("B")
        else:
            self.deviation.serve(self)
        self.showdown()
        if self.fault is not Fault.NONE and not self.deviation.put_right:
            self.restore()
        ends = self.ends()
        self.results = {pano: result(ends[pano], ends["B"]) for pano in PANOS}
        gain = self.settle()
        self.close(gain)
        bank_after = self.table.bank + gain - int(self.rate * max(0, gain))
        return CoupRecord(
            tuple(self.acts), tuple(self.planted), self.results, tuple(self.stakes), bank_after, self.shoe
        )

    def open(self) -> None:
        self.do(Speak(CoupOpened(self.table.coup, t=0.0), 0.3))
        self.do(Speak(BankDeclared(Decimal(self.table.bank), t=0.0), 0.3))
        self.do(Speak(BettingOpened(t=0.0), 0.4))
        for stake in self.deviation.stakes(self, self.bettors.draw()):
            self.push(stake)

    def look(self) -> None:
        """Everybody lifts his two cards; the paños speak in turn unless the bank turns a natural (G-02)."""
        for pano in PANOS:
            self.deviation.take(self, pano)
        self.do(Take(HandTaken("B", BANKER, t=0.0), None))
        if self.bank_natural:
            for pano in PANOS:
                self.do(PutBack(pano, "parallel"))
            return
        self.deviation.speak(self)
        self.do(PutBack("B", "parallel"))

    def speak(self, pano: str) -> Said:
        """One paño pronounces and lays its cards down."""
        word = self.deviation.word(self, pano)
        self.words[pano] = word
        event = Said(pano, word, t=0.0)
        self.do(Speak(event, 0.25))
        self.lay_down(pano)
        return event

    def lay_down(self, pano: str) -> None:
        """A natural is turned; other cards are left crossed (no card) or parallel (card), SH-09."""
        word = self.words[pano]
        if word == "abato":
            self.turn_hand(pano)
            return
        pose = "parallel" if word == "carta" else "crossed"
        self.do(PutBack(pano, pose, HandPosed(pano, pose, t=0.0)))

    def proper_word(self, pano: str) -> str:
        """What the rules want the paño to say (SH-11 … SH-14); on 5 what it likes."""
        point = self.two_card_total(pano)
        if point >= 8:
            return "abato"
        if point == 5:
            return self.rng.choice(("carta", "no"))
        return "carta" if point < 5 else "no"

    def turn_hand(self, hand: str) -> tuple[CardTurned, ...]:
        """A hand's holder turns its two cards."""
        by = BANKER if hand == "B" else hand
        cards = [card for card in self.hands[hand] if card not in self.shown]
        events = tuple(CardTurned(card, self.faces[card], by, t=0.0) for card in cards)
        self.shown.update(cards)
        if events:
            self.do(Turn(hand, events, seat=None if hand == "B" else self.table.holder[hand]))
        return events

    def serve(self) -> None:
        """Third cards to whoever asked, then the banker plays."""
        for pano in PANOS:
            if self.words[pano] == "carta":
                self.third(pano)
        self.bank_plays()

    def live_thirds(self) -> dict[str, int]:
        """Points of the third card of each paño that has not turned a natural (NO_CARD if none)."""
        live: dict[str, int] = {}
        for pano in PANOS:
            if self.words.get(pano) != "abato":
                cards = self.hands[pano][2:]
                live[pano] = points(self.faces[cards[0]]) if cards else NO_CARD
        return live

    def bank_draws(self, *, ask: bool = True) -> bool:
        """Whether the banker takes a card; he may ask for the cuadro first and then follows it."""
        live = self.live_thirds()
        asked = ask and self.rng.random() < CUADRO_ASKED
        if asked:
            self.do(Speak(Said(BANKER, "cuadro", t=0.0), 0.5))
        bound = duty(self.two_card_total("B"), live, fault=self.fault, asked_cuadro=asked or self.advised)
        if bound is not Duty.FREE:
            return bound is Duty.DRAW
        return self.rng.random() < (0.9, 0.85, 0.4, 0.05)[max(0, min(3, self.two_card_total("B") - 4))]

    def bank_plays(self) -> None:
        """The banker draws or says no; with both paños turned there is nothing to decide."""
        if not self.live_thirds():
            return
        if self.bank_draws():
            self.third("B")
        else:
            self.do(Speak(Said(BANKER, "no", t=0.0)))

    def showdown(self) -> None:
        """Whoever has not shown turns his cards, the banker last (SH-22 … SH-24)."""
        for hand in HANDS:
            if hand == "B":
                self.do(Rest(0.0))
            if self.bank_natural and hand != "B" and self.two_card_total(hand) >= 8:
                self.words[hand] = "abato"
                self.do(Speak(Said(hand, "abato", t=0.0), 0.2))
            events = self.turn_hand(hand)
            self.deviation.shown(self, hand, events)
        self.do(Rest(1.1))

    def restore(self) -> None:
        """Third cards go where they belonged, in order of extraction (001 VIII.4); the rest is dead."""
        queue = list(self.thirds)
        for pano in PANOS:
            point = self.two_card_total(pano)
            if point < 5 or (point == 5 and self.words[pano] == "carta"):
                self.give(queue, pano)
            else:
                self.strip(pano, queue)
        if self.live_thirds() and not self.bank_natural and self.bank_draws(ask=False):
            self.give(queue, "B")
        for card in queue:
            self.slide(card, DEAD)
        self.do(Rest(0.5))

    def give(self, queue: list[str], hand: str) -> None:
        """The next card of the queue, or a new one, becomes `hand`'s third."""
        if queue:
            card = queue.pop(0)
            if card not in self.hands[hand]:
                self.slide(card, hand)
        else:
            self.third(hand)
        # What else the hand had drawn belongs to whoever comes next in the queue.
        self.hands[hand] = [card for card in self.hands[hand] if card not in queue]

    def strip(self, hand: str, queue: list[str]) -> None:
        self.hands[hand] = [card for card in self.hands[hand] if card not in queue]

    def ends(self) -> dict[str, HandEnd]:
        """The hands as they are settled."""
        ends = {
            pano: HandEnd(
                tuple(self.faces[card] for card in self.hands[pano]), self.words.get(pano) == "abato"
            )
            for pano in PANOS
        }
        bank = tuple(self.faces[card] for card in self.hands["B"])
        ends["B"] = HandEnd(bank, len(bank) == 2 and self.bank_natural)
        return ends

    # ---- money -------------------------------------------------------------------------------------

    def settle(self) -> int:
        """Collects and pays every stake; returns what is due to the bank, net."""
        gain = 0
        dues = []
        for stake in self.stakes:
            amount = self.due(stake)
            gain -= amount
            dues.append((stake, self.deviation.payment(self, stake, amount)))
        for stake, amount in sorted(dues, key=lambda pair: pair[1] > 0):
            event = self.pay(stake, amount)
            self.deviation.settled(self, stake, event)
        self.do(Rest(0.5))
        return gain

    def due(self, stake: Stake) -> int:
        """Net due to the bettor of a stake."""
        if stake.bet in self.deviation.out_of_play:
            return 0
        return due(stake.zone, stake.amount, self.table.unit, self.results)

    def pay(self, stake: Stake, amount: int) -> BetPaid | BetCollected | None:
        """Pays (positive) or collects (negative) one stake."""
        if amount > 0:
            paid = BetPaid(stake.bet, Decimal(amount), t=0.0)
            self.do(Pay(paid, self.winnings(stake, amount)))
            return paid
        if amount < 0:
            collected = BetCollected(stake.bet, Decimal(-amount), t=0.0)
            self.do(Collect(collected, self.part(stake, -amount)))
            return collected
        return None

    def winnings(self, stake: Stake, amount: int) -> tuple[Pile, ...]:
        """Chips for `amount`: like the stake's own where that comes out even."""
        split = take(stake.piles, amount)
        return split[0] if split is not None else self.table.chips.piles(amount)

    def part(self, stake: Stake, amount: int) -> tuple[Pile, ...]:
        """The chips of a stake that are taken for `amount`."""
        split = take(stake.piles, amount)
        assert split is not None, f"{stake} cannot give up {amount}"
        return split[0]

    def close(self, gain: int) -> None:
        """The cagnotte, the cards into the basket, everybody takes what is his."""
        fee = int(self.rate * max(0, gain))
        paid = self.deviation.cagnotte(self, fee)
        if paid:
            event = CagnottePaid(Decimal(paid), t=0.0)
            self.do(Cagnotte(event, self.table.chips.piles(paid)))
            self.do(Rest(0.2))
            if paid != fee:
                self.plant(event, CROUPIER)
        closed = CoupClosed(self.table.coup, t=0.0)
        self.do(Sweep(closed))
        self.do(Rest(0.3))
        self.do(TakeBack())
        self.do(Rest(0.4))
