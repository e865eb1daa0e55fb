"""What can happen to cards on their way: turned, stuck, dropped, put back, taken off, thrown unseen."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from veedor.datasets.play.accidents import leaves_face_up, picked_up_by, put_back, two_come_out
from veedor.datasets.play.acts import BANKER, CROUPIER, Draw, Recover, Speak, Turn
from veedor.datasets.play.coup import CoupPlay, CoupRecord
from veedor.datasets.play.dealing import fix
from veedor.datasets.play.deviation import Before, Deviation, plantable
from veedor.datasets.play.reckoning import HANDS, PANOS, Duty, Fault, duty
from veedor.rules.events import CardMoved, CardTurned, Checked

DECKS = 6
BACK_NAMES = ("red", "blue")


class DealAccident(Deviation):
    """Something happens at one card of the deal."""

    first, last = 0, 5  # cards of the deal that will do
    panos_only = False

    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        cards = [index for index in range(self.first, self.last + 1) if not self.panos_only or index % 3 < 2]
        self.index = rng.choice(cards)

    def deal(self, play: CoupPlay, index: int, hand: str) -> None:
        if index == self.index:
            self.happen(play, hand)
        else:
            play.deal_to(hand)

    def happen(self, play: CoupPlay, hand: str) -> None:
        raise NotImplementedError


@plantable
class FaceUpAtMouth(DealAccident):
    """A card leaves the sabot face up: it is dead and the next replaces it (ER-04)."""

    code = "CARD_FACE_UP_SABOT"

    def happen(self, play: CoupPlay, hand: str) -> None:
        leaves_face_up(play, hand)


@plantable
class StuckCards(DealAccident):
    """Two cards come out together: the coup is null and every card dead (ER-05)."""

    code = "STUCK_CARDS"
    first, last = 1, 4

    def happen(self, play: CoupPlay, hand: str) -> None:
        two_come_out(play)


@plantable
class PickedUpByPlayer(DealAccident):
    """A card falls on the floor and a player picks it up; it keeps its value (ER-06)."""

    code = "FLOOR_CARD_PICKUP"
    panos_only = True

    def happen(self, play: CoupPlay, hand: str) -> None:
        picked_up_by(play, hand, f"seat{play.table.holder[hand]}")


@plantable
class PutBackInSabot(DealAccident):
    """A card that was drawn is pushed back into the sabot: dead, the next one replaces it (ER-02)."""

    code = "CARD_RETURNED_TO_SABOT"

    def happen(self, play: CoupPlay, hand: str) -> None:
        put_back(play, hand)


@plantable
class PlayAfterCut(Deviation):
    """Another coup from a sabot whose cut card has come out (SH-03)."""

    code = "PLAY_AFTER_CUT"
    needs = Before.CUT_CARD

    def deal(self, play: CoupPlay, index: int, hand: str) -> None:
        if index == 0:
            play.plant(play.draw(), BANKER, fix("void_coup"))
        play.deal_to(hand)


@plantable
class CutCardTooDeep(DealAccident):
    """Fewer cards below the cut card than there must be (SH-02)."""

    code = "CUT_CARD_DEPTH"
    first = 1

    def happen(self, play: CoupPlay, hand: str) -> None:
        play.plant(play.show_cut(cards_below=self.rng.randint(4, 8)), CROUPIER)
        play.deal_to(hand)


@plantable
class BothExposed(Deviation):
    """Both cards of a paño are turned before its holder has them: the banker is bound (ER-12)."""

    code = "BOTH_CARDS_EXPOSED"
    put_right = True
    agreed = True

    def dealt(self, play: CoupPlay) -> None:
        pano = play.rng.choice(PANOS)
        events = tuple(CardTurned(card, play.faces[card], BANKER, t=0.0) for card in play.hands[pano])
        play.shown.update(play.hands[pano])
        play.do(Turn(pano, events, by_croupier=True))
        play.plant(events[-1], BANKER, fix("stakes_stay"), fix("banker_bound"))
        play.fault = Fault.BANKER

    def serve(self, play: CoupPlay) -> None:
        play.serve_players()
        live, bank = play.live_thirds(), play.two_card_total("B")
        bound = duty(bank, live, fault=Fault.BANKER, asked_cuadro=False)
        # Where the sources' readings of what binds him differ (C-07) the inspector decides: not this coup.
        self.agreed = not live or bound is (Duty.DRAW if bank <= 5 else Duty.STAND)
        play.bank_plays()

    def happened(self, record: CoupRecord) -> bool:
        return super().happened(record) and self.agreed


@plantable
class LostInTheDeal(Deviation):
    """A paño's cards fall into the basket unseen before anybody has them: it is out of the coup (ER-13)."""

    code = "BASKET_UNSEEN_DEAL"

    def dealt(self, play: CoupPlay) -> None:
        pano = play.rng.choice(PANOS)
        events = [play.lose(card, "basket", CROUPIER) for card in list(play.hands[pano])]
        play.plant_first(events, CROUPIER, fix("annul_pano", hand=pano))
        play.annulled.add(pano)


@plantable
class ThrownUnseen(Deviation):
    """A holder who stood throws his cards into the basket unseen: they count zero (ER-32)."""

    code = "THROWN_UNSEEN"

    def shows(self, play: CoupPlay, hand: str) -> bool:
        if play.planted or play.words.get(hand) != "no" or len(play.hands[hand]) != 2:
            return True
        person = f"seat{play.table.holder[hand]}"
        events = [play.lose(card, "basket", hand, hand_of=person) for card in list(play.hands[hand])]
        play.plant_first(events, hand, fix("counts_zero", hand=hand))
        play.zeroed.add(hand)
        return False


@plantable
class ThrownByCroupier(Deviation):
    """The croupier throws a stood hand's cards away before they were shown; witnesses know it (ER-34)."""

    code = "THROWN_UNSEEN_CROUPIER"

    def shows(self, play: CoupPlay, hand: str) -> bool:
        if play.planted or play.words.get(hand) != "no" or len(play.hands[hand]) != 2:
            return True
        cards = list(play.hands[hand])
        events = [play.lose(card, "basket", CROUPIER) for card in cards]
        play.plant_first(events, CROUPIER, fix("recover", hand=hand))
        play.hands[hand] = cards  # they count for what those say who saw them
        point = play.two_card_total(hand)
        play.do(Speak(Checked(hand, point, t=0.0), 0.6))
        return False


@plantable
class StrangeCard(Deviation):
    """The sabot holds more of one face than six packs do, or a card with another back (EQ-04)."""

    code = "SHOE_COMPOSITION"
    needs = Before.A_COUP
    on_felt = False  # the felt's cards come from honest packs

    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        self.by_back = rng.random() < 0.5
        self.face = ""
        self.left = 0

    def before_open(self, play: CoupPlay) -> None:
        if self.by_back:
            play.back_names = BACK_NAMES
            return
        seen = play.house.seen
        self.face = max(sorted(seen), key=lambda face: seen[face], default="7H")
        self.left = DECKS - seen.get(self.face, 0)
        count = min(2 * len(HANDS), len(play.shoe.rest))
        play.shoe.rest[-count:] = [replace(card, face=self.face) for card in play.shoe.rest[-count:]]

    def deal(self, play: CoupPlay, index: int, hand: str) -> None:
        backs = {act.event.back for act in play.acts if isinstance(act, Draw)}
        if self.by_back and backs == set(BACK_NAMES) and not play.planted:
            play.back_names = ("green", "green")
            play.plant(play.draw(), CROUPIER)
            play.back_names = BACK_NAMES
        play.deal_to(hand)

    def closed(self, play: CoupPlay) -> None:
        turned = [
            event
            for act in play.acts
            if isinstance(act, Turn)
            for event in act.events
            if event.shows == self.face
        ]
        if len(turned) > self.left > 0:
            play.plant(turned[self.left], CROUPIER)


@plantable
class CardsOffTable(Deviation):
    """A holder takes his cards off the table after seeing them, and has to put them back (SH-08)."""

    code = "CARDS_OFF_TABLE"

    def serve(self, play: CoupPlay) -> None:
        standing = [pano for pano in PANOS if play.words[pano] == "no"]
        if standing:
            pano = play.rng.choice(standing)
            person = f"seat{play.table.holder[pano]}"
            cards = list(play.hands[pano])
            events = [play.lose(card, "off_table", person, moved=True) for card in cards]
            play.plant_first(events, person)
            for card in cards:
                play.hands[pano].append(card)
                play.do(Recover(card, pano, person, (CardMoved(card, pano, person, t=0.0),)))
        play.serve()
