"""Players' mistakes with their word and with whose turn it is; a wrong word shows only at the showdown."""

from __future__ import annotations

from random import Random
from typing import ClassVar

from veedor.datasets.play.acts import CROUPIER, PutBack, Rest, Speak, Take
from veedor.datasets.play.coup import CoupPlay, CoupRecord
from veedor.datasets.play.dealing import fix
from veedor.datasets.play.deviation import Before, Deviation, plantable
from veedor.datasets.play.reckoning import PANOS, Fault
from veedor.rules.events import CardTurned, Checked, HandTaken, Said


class WrongWord(Deviation):
    """A paño says `says` with a two-card total in `totals`; it comes out when its cards are turned."""

    totals: ClassVar[range]
    says: ClassVar[str]
    restored: ClassVar[bool] = True
    target: str | None = None

    def word(self, play: CoupPlay, pano: str) -> str:
        fits = play.two_card_total(pano) in self.totals
        if fits and self.target is None and (pano == "P2" or play.rng.random() < 0.5):
            self.target = pano
            return self.says
        return play.proper_word(pano)

    def shown(self, play: CoupPlay, hand: str, events: tuple[CardTurned, ...]) -> None:
        if hand == self.target:
            remedy = (
                () if self.restored else (fix("plain_points", hand=hand, points=play.two_card_total(hand)),)
            )
            play.plant(events[-1], hand, *remedy)
            if self.restored:
                play.fault = Fault.EXEMPT


@plantable
class StandBelowFive(WrongWord):
    """ "No" with 0–4 (001 VIII.4 p1, p5)."""

    code = "P_STAND_BELOW5"
    restored_codes = (code,)
    totals = range(5)
    says = "no"


@plantable
class DrawOnSix(WrongWord):
    """ "Carta" with 6 or 7 (001 VIII.4 p2, p5)."""

    code = "P_DRAW_ON_6PLUS"
    restored_codes = (code,)
    totals = range(6, 8)
    says = "carta"


@plantable
class NoOnNatural(WrongWord):
    """ "No" with 8 or 9: the right to turn is lost (001 VIII.4 p4)."""

    code = "P_NO_ON_NATURAL"
    totals = range(8, 10)
    says = "no"
    restored = False


@plantable
class CardOnNatural(WrongWord):
    """ "Carta" with 8 or 9: restored as a card on six (001 VIII.4 p4)."""

    code = "P_CARD_ON_NATURAL"
    restored_codes = (code,)
    totals = range(8, 10)
    says = "carta"


@plantable
class Contradictory(Deviation):
    """Two opposite words; the croupier verifies the total: with 5 the first holds (001 VIII.4 p3)."""

    code = "P_CONTRADICTORY"

    def speak(self, play: CoupPlay) -> None:
        target = play.rng.choice([pano for pano in PANOS if play.two_card_total(pano) < 8] or [""])
        for pano in PANOS:
            if pano != target:
                play.speak(pano)
                continue
            proper = play.proper_word(pano)
            other = "no" if proper == "carta" else "carta"
            point = play.two_card_total(pano)
            words = (proper, other) if point == 5 or play.rng.random() < 0.5 else (other, proper)
            play.do(Speak(Said(pano, words[0], t=0.0), 0.9))
            second = Said(pano, words[1], t=0.0)
            play.do(Speak(second, 0.9))
            play.plant(second, pano, fix("verify_total", hand=pano))
            play.do(Speak(Checked(pano, point, t=0.0, source=CROUPIER), 0.5))
            play.words[pano] = proper
            play.lay_down(pano)


@plantable
class OrderOfSpeech(Deviation):
    """The second paño speaks before the first (SH-10)."""

    code = "ORDER_OF_SPEECH"

    def speak(self, play: CoupPlay) -> None:
        play.plant(play.speak("P2"), "P2")
        play.speak("P1")


class WrongHolder(Deviation):
    """Somebody lifts cards that are another's, and passes them before he has spoken."""

    def wrong_seats(self, play: CoupPlay, pano: str) -> list[int]:
        raise NotImplementedError

    def take(self, play: CoupPlay, pano: str) -> None:
        seats = self.wrong_seats(play, pano)
        if seats and not play.planted:
            seat = play.rng.choice(seats)
            event = HandTaken(pano, f"seat{seat}", t=0.0)
            play.do(Take(event, seat))
            due = f"seat{play.table.holder[pano]}"
            play.plant(event, f"seat{seat}", fix("pass_cards", hand=pano, to=due))
            play.do(PutBack(pano, "parallel"))
        super().take(play, pano)


@plantable
class HandNotRotated(WrongHolder):
    """After a bank win the old holder takes the cards again (PL-07)."""

    code = "HAND_ROTATION"
    needs = Before.BANK_WIN

    def wrong_seats(self, play: CoupPlay, pano: str) -> list[int]:
        before = play.table.previous[pano]
        return [before] if before is not None and before != play.table.holder[pano] else []


@plantable
class WrongHandHolder(WrongHolder):
    """Another seat than the one whose turn it is takes the cards (ER-08)."""

    code = "WRONG_HAND_HOLDER"

    def wrong_seats(self, play: CoupPlay, pano: str) -> list[int]:
        barred = (play.table.holder[pano], play.table.previous[pano])
        return [seat for seat in play.table.seats[pano] if seat not in barred]


@plantable
class SlowView(Deviation):
    """A holder looks at his cards for too long before he speaks (ER-30); he loses the hand anyway."""

    code = "SLOW_VIEW"

    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        self.pano = rng.choice(PANOS)
        self.lift: HandTaken | None = None

    def take(self, play: CoupPlay, pano: str) -> None:
        super().take(play, pano)
        act = play.acts[-1]
        if pano == self.pano and isinstance(act, Take):
            self.lift = act.event

    def speak(self, play: CoupPlay) -> None:
        for pano in play.playing:
            if pano == self.pano and self.lift is not None:
                limit_s = play.house.view_limit_s
                play.do(Rest(limit_s + play.rng.uniform(1.5, 4.0)))
                play.plant(self.lift, pano, fix("loses_hand", hand=pano), delay_s=limit_s)
            play.speak(pano)

    def happened(self, record: CoupRecord) -> bool:
        # The bank wins, so that the hand passes on by either rule.
        return super().happened(record) and record.results[self.pano] < 0
