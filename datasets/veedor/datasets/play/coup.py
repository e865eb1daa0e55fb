"""One coup of bacará a dos paños, as people play it: words, cards, stakes, and mistakes put right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from random import Random
from typing import TYPE_CHECKING

from veedor.datasets.play.acts import (
    BANKER,
    Act,
    PutBack,
    Rest,
    Speak,
    Take,
    Turn,
)
from veedor.datasets.play.dealing import DEAD, Dealing, Planted
from veedor.datasets.play.people import Bettors, Situation, Stake
from veedor.datasets.play.reckoning import (
    HANDS,
    NO_CARD,
    PANOS,
    Duty,
    Fault,
    HandEnd,
    cover,
    duty,
    points,
    result,
    shares,
)
from veedor.datasets.play.restoring import restoration_fixes
from veedor.datasets.play.settling import Till
from veedor.datasets.play.shoe import Shoe
from veedor.rules.events import (
    BankDeclared,
    BettingClosed,
    BettingOpened,
    CardTurned,
    CoupOpened,
    HandPosed,
    HandTaken,
    Said,
)

if TYPE_CHECKING:
    from veedor.datasets.play.deviation import Deviation

CUADRO_ASKED = 0.3  # how often a banker asks the croupier for the table


@dataclass(frozen=True)
class House:
    """What the house decides: its part of the bank's net gain (BT-10), how long one may look at his cards
    (G-10), and where the cut card lies.

    `cut_at` is the card of the deal (0..5) before which the cut card comes out; the limits are the profile's.
    """

    rate: Decimal
    view_limit_s: float = 20.0
    cut_at: int | None = None
    start: int = 0  # what the bank was constituted with
    bank_max: int | None = None
    bet_min: int = 0
    bet_max: int | None = None
    limited: bool = True
    seen: Mapping[str, int] = field(default_factory=dict)  # faces shown of this talla


@dataclass(frozen=True)
class CoupRecord:
    """A coup that was played."""

    acts: tuple[Act, ...]
    planted: tuple[Planted, ...]
    results: Mapping[str, int]  # +1 the paño wins, -1 the bank, 0 nobody
    stakes: tuple[Stake, ...]
    bank_after: int
    shoe: Shoe
    cut_shown: bool = False  # the talla ends with this coup
    faces: tuple[str, ...] = ()  # of the cards that were shown
    is_banco: bool = False


class CoupPlay(Dealing):
    """A coup being played; a deviation changes what somebody does."""

    def __init__(self, table: Situation, shoe: Shoe, rng: Random, deviation: Deviation, house: House) -> None:
        super().__init__(table.coup, shoe, HANDS, dealer=BANKER, code=deviation.code)
        self.table = table
        self.rng = rng
        self.deviation = deviation
        self.house = house
        self.words: dict[str, str] = {}
        self.annulled: set[str] = set()  # paños out of this coup
        self.zeroed: set[str] = set()  # hands that count nothing
        self.fault = Fault.NONE
        self.advised = False  # advice was given: the cuadro binds (ER-31)
        self.bettors = Bettors(table, rng, house.bet_min, house.bet_max)
        self.declared = table.bank  # the stake the banker announces
        self.bank_after = table.bank
        self.call = BettingClosed(t=0.0)  # "ya no va más"
        self.results: dict[str, int] = dict.fromkeys(PANOS, 0)
        self.till = Till(self)

    @property
    def bank_natural(self) -> bool:
        return self.two_card_total("B") >= 8

    def run(self) -> CoupRecord:
        """Plays it to the end."""
        self.deviation.before_open(self)
        self.open()
        self.deviation.before_call(self)
        self.do(Rest(0.6))
        self.do(Speak(self.call, 0.7))
        self.deviation.after_call(self)
        for index, hand in enumerate(HANDS * 2):
            if index == self.house.cut_at:
                self.show_cut()
            self.deviation.deal(self, index, hand)
            if self.null:
                break
        gain = 0
        if not self.null:
            self.do(Rest(0.2))
            self.deviation.dealt(self)
            self.play_hands()
            self.results = self.compare()
            gain = self.till.settle()
            self.deviation.paid(self)
        self.till.close(gain)
        self.bank_after = self.table.bank + gain - self.house_part(gain)
        self.deviation.closed(self)
        return CoupRecord(
            tuple(self.acts),
            tuple(self.planted),
            self.results,
            tuple(self.stakes),
            self.bank_after,
            self.shoe,
            self.cut_shown,
            tuple(self.faces[card] for card in self.shown),
            self.deviation.is_banco,
        )

    def covered(self, stake: Stake) -> dict[str, int]:
        """What of a stake plays on each paño once the bank has covered what it can (BK-15)."""
        if not self.house.limited:
            return shares(stake.zone, stake.amount, self.table.unit)
        bets = {one.bet: (one.seat, shares(one.zone, one.amount, self.table.unit)) for one in self.stakes}
        for bet in self.deviation.out_of_play:
            bets.pop(bet, None)
        return cover(bets, self.declared).get(stake.bet, {})

    def house_part(self, gain: int) -> int:
        """What of the bank's net gain goes into the cagnotte."""
        return int(self.house.rate * max(0, gain))

    def play_hands(self) -> None:
        """From the lifting of the cards to the showdown, mistakes put right."""
        self.deviation.look(self)
        if self.bank_natural:
            self.turn_hand("B")
        else:
            self.deviation.serve(self)
        self.showdown()
        if self.fault is not Fault.NONE and not self.deviation.put_right:
            self.restore()

    @property
    def playing(self) -> list[str]:
        """The paños that play this coup."""
        return [pano for pano in PANOS if pano not in self.annulled]

    def open(self) -> None:
        stakes = self.deviation.stakes(self, self.bettors.draw())
        self.do(Speak(CoupOpened(self.table.coup, t=0.0), 0.3))
        self.do(Speak(BankDeclared(Decimal(self.declared), t=0.0), 0.3))
        self.do(Speak(BettingOpened(t=0.0), 0.4))
        self.deviation.opened(self)
        for stake in stakes:
            self.push(stake)

    def look(self) -> None:
        """Everybody lifts his two cards; the paños speak in turn unless the bank turns a natural (G-02)."""
        for pano in self.playing:
            self.deviation.take(self, pano)
        self.do(Take(HandTaken("B", BANKER, t=0.0), None))
        if self.bank_natural:
            for pano in self.playing:
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
        if word == "abato" and self.turn_hand(pano):
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
        self.serve_players()
        self.bank_plays()

    def serve_players(self) -> None:
        for pano in self.playing:
            if self.words[pano] == "carta":
                self.third(pano)

    def live_thirds(self) -> dict[str, int]:
        """Points of the third card of each paño that has not turned a natural (NO_CARD if none)."""
        live: dict[str, int] = {}
        for pano in self.playing:
            if self.words.get(pano) != "abato":
                cards = self.hands[pano][2:]
                live[pano] = points(self.faces[cards[0]]) if cards else NO_CARD
        return live

    def restored_draw(self) -> bool:
        """Whether the banker takes a card in restored play."""
        live = self.live_thirds()
        bound = duty(self.two_card_total("B"), live, fault=self.fault, asked_cuadro=False)
        return self.deviation.restored_draw(self, bound, draws=self.bank_draws(ask=False))

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
        for hand in (*self.playing, "B"):
            if hand == "B":
                self.do(Rest(0.0))
            if not self.deviation.shows(self, hand):
                continue
            if self.bank_natural and hand != "B" and self.two_card_total(hand) >= 8:
                self.words[hand] = "abato"
                self.do(Speak(Said(hand, "abato", t=0.0), 0.2))
            events = self.turn_hand(hand)
            self.deviation.shown(self, hand, events)
        self.do(Rest(1.1))

    def restore(self) -> None:
        """Third cards go where they belonged, in order of extraction (001 VIII.4); the rest is dead."""
        remedy = restoration_fixes(self)
        self.planted = [
            replace(one, remedy=remedy) if one.code in self.deviation.restored_codes else one
            for one in self.planted
        ]
        queue = list(self.thirds)
        for pano in self.playing:
            point = self.two_card_total(pano)
            if point < 5 or (point == 5 and self.words[pano] == "carta"):
                self.give(queue, pano)
            else:
                self.strip(pano, queue)
        if self.live_thirds() and not self.bank_natural and self.restored_draw():
            self.give(queue, "B")
        else:
            self.strip("B", queue)
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
        self.strip(hand, queue)

    def strip(self, hand: str, queue: list[str]) -> None:
        self.hands[hand] = [card for card in self.hands[hand] if card not in queue]

    def ends(self) -> dict[str, HandEnd]:
        """The hands as they are settled."""
        ends = {}
        for hand in (*self.playing, "B"):
            faces = tuple(self.faces[card] for card in self.hands[hand])
            natural = (
                self.words.get(hand) == "abato" if hand != "B" else len(faces) == 2 and self.bank_natural
            )
            ends[hand] = HandEnd(()) if hand in self.zeroed else HandEnd(faces, natural)
        return ends

    def compare(self) -> dict[str, int]:
        """The result of each paño; an annulled one has none."""
        ends = self.ends()
        return {pano: result(ends[pano], ends["B"]) if pano in ends else 0 for pano in PANOS}
