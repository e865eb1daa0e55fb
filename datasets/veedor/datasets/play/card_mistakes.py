"""Mistakes of banker and croupier with cards: a wrong hand, one too many, one too few."""

from __future__ import annotations

from random import Random

from veedor.datasets.play.acts import BANKER, CROUPIER, Speak
from veedor.datasets.play.coup import CoupPlay
from veedor.datasets.play.dealing import DEAD, fix
from veedor.datasets.play.deviation import Deviation, plantable
from veedor.datasets.play.reckoning import HANDS, PANOS, Fault
from veedor.rules.events import Said


@plantable
class DealOrder(Deviation):
    """One of the first six cards is laid on another hand and moved over before anybody looks."""

    code = "DEAL_ORDER"

    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        self.index = rng.randrange(6)

    def deal(self, play: CoupPlay, index: int, hand: str) -> None:
        if index != self.index:
            play.deal_to(hand)
            return
        wrong = play.rng.choice([other for other in HANDS if other != hand])
        event = play.deal_to(wrong)
        play.plant(event, BANKER, fix("move", card=event.card, to=hand))
        play.slide(event.card, hand)


def waits(play: CoupPlay, pano: str) -> bool:
    return play.words[pano] == "carta"


def surplus(play: CoupPlay, card: str) -> None:
    """A card nobody else is owed: the banker takes it if he draws, else it is dead."""
    for cards in play.hands.values():
        if card in cards:
            cards.remove(card)
    if play.bank_draws():
        play.slide(card, "B")
        return
    play.do(Speak(Said(BANKER, "no", t=0.0)))
    play.slide(card, DEAD)


@plantable
class CardToWrongPano(Deviation):
    """The third card of the paño that asked goes to the one that stood, and is slid over."""

    code = "CARD_TO_WRONG_PANO"
    put_right = True

    def serve(self, play: CoupPlay) -> None:
        for owed, other in (PANOS, PANOS[::-1]):
            if waits(play, owed) and play.words[other] == "no":
                event = play.third(other, by=CROUPIER)
                play.plant(event, CROUPIER, fix("move", card=event.card, to=owed))
                play.slide(event.card, owed)
                play.fault = Fault.EXEMPT
                play.bank_plays()
                return
        play.serve()


@plantable
class CardToNo(Deviation):
    """The banker gives a card to a paño that said "no" while nobody else waits for one."""

    code = "CARD_TO_NO"
    put_right = True

    def serve(self, play: CoupPlay) -> None:
        first, second = PANOS
        standing = [pano for pano in PANOS if play.words[pano] == "no"]
        if waits(play, second):
            standing = []
        if not standing:
            play.serve()
            return
        target = play.rng.choice(standing)
        if waits(play, first):
            play.third(first)
        event = play.third(target)
        play.plant(event, BANKER, fix("bank_takes_if", card=event.card))
        play.fault = Fault.EXEMPT
        surplus(play, event.card)


class WhileOneWaits(Deviation):
    """Third cards go wrong where a paño waits for one."""

    put_right = True

    def serve(self, play: CoupPlay) -> None:
        asking = [pano for pano in PANOS if waits(play, pano)]
        if asking:
            self.misserve(play, asking)
        else:
            play.serve()

    def misserve(self, play: CoupPlay, asking: list[str]) -> None:
        raise NotImplementedError


@plantable
class ThirdCardTwice(WhileOneWaits):
    """The last paño that asked is given two cards: the second is the banker's if he draws, else dead."""

    code = "THIRD_CARD_TWICE"

    def misserve(self, play: CoupPlay, asking: list[str]) -> None:
        play.fault = Fault.EXEMPT
        play.serve_players()
        extra = play.third(asking[-1])
        play.plant(extra, BANKER, fix("bank_takes_if", card=extra.card))
        surplus(play, extra.card)


@plantable
class CardWithheld(WhileOneWaits):
    """The banker draws for himself although a paño waits: the card goes to it, and he is at fault."""

    code = "CARD_WITHHELD"

    def misserve(self, play: CoupPlay, asking: list[str]) -> None:
        for pano in asking[:-1]:
            play.third(pano)
        event = play.third("B")
        play.plant(event, BANKER, fix("move", card=event.card, to=asking[-1]))
        play.slide(event.card, asking[-1])
        play.fault = Fault.BANKER
        play.bank_plays()
