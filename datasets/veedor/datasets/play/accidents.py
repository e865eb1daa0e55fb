"""What can happen to a card on its way from the sabot to a hand, whatever the game."""

from __future__ import annotations

from veedor.datasets.play.acts import CROUPIER, Draw, DrawStuck, Recover
from veedor.datasets.play.dealing import DEAD, Dealing, fix
from veedor.rules.events import CardDealt, CardPickedUp, CardsStuck


def leaves_face_up(play: Dealing, hand: str) -> None:
    """A card leaves the sabot face up: it is dead and the next replaces it (ER-04)."""
    event = play.draw(face="up")
    play.plant(event, "none", fix("dead", card=event.card), fix("next_replaces"), fix("stakes_stay"))
    play.waiting = None
    play.slide(event.card, DEAD)
    play.deal_to(hand)


def two_come_out(play: Dealing) -> None:
    """Two cards come out together: the coup is null and every card dead (ER-05)."""
    pair = []
    for _ in range(2):
        play.draw()
        drawn = play.acts.pop()
        assert isinstance(drawn, Draw)
        pair.append(drawn)
    event = CardsStuck(tuple(draw.event.card for draw in pair), t=0.0)
    play.do(DrawStuck(pair[0], pair[1], event))
    play.plant(event, "none", fix("annul"), fix("dead", card=", ".join(play.faces)))
    play.waiting = None
    play.null = True
    for card in list(play.faces):
        play.slide(card, DEAD)


def picked_up_by(play: Dealing, hand: str, person: str) -> None:
    """A card falls on the floor and a player picks it up; it keeps its value (ER-06)."""
    card = play.draw().card
    play.lose(card, "floor", CROUPIER)
    picked, dealt = CardPickedUp(card, person, t=0.0), CardDealt(card, hand, t=0.0)
    play.plant(picked, person, fix("value_kept", card=card))
    play.hands[hand].append(card)
    play.do(Recover(card, hand, person, (picked, dealt)))


def put_back(play: Dealing, hand: str) -> None:
    """A card that was drawn is pushed back into the sabot: dead, the next one replaces it (ER-02)."""
    card = play.draw().card
    play.plant(play.lose(card, "shoe", play.dealer, moved=True), play.dealer, fix("dead", card=card))
    play.deal_to(hand)
