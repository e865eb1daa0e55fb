"""Banco: one player against the whole bank, on both paños; its repeats and its mistakes (BC-01 to BC-09)."""

from __future__ import annotations

from veedor.datasets.play.acts import Place, PutBack, Speak, Take
from veedor.datasets.play.coup import CoupPlay
from veedor.datasets.play.dealing import fix
from veedor.datasets.play.deviation import Before, Deviation, plantable
from veedor.datasets.play.people import Stake
from veedor.datasets.play.reckoning import PANOS
from veedor.rules.events import BancoCalled, HandTaken, Said


class Banco(Deviation):
    """A banco as it should be: in the first coup, one stake on both paños, first one, then the other."""

    only_first = True
    is_banco = True
    on_felt = False
    #: The caller's seat where this coup repeats a null one.
    repeats: int | None = None

    def before_open(self, play: CoupPlay) -> None:
        seats = [seat for pano in PANOS for seat in play.table.seats[pano]]
        self.seat = self.rng.choice(seats) if self.repeats is None else self.repeats
        if self.repeats is not None:
            play.do(Speak(Said(self.caller, "repeat", t=0.0), 0.5))

    def stakes(self, play: CoupPlay, stakes: list[Stake]) -> list[Stake]:
        units = 2 * (play.table.bank // play.table.unit // 2)
        play.declared = units * play.table.unit
        return [play.bettors.stake(self.seat, Place.CABALLO, "caballo", play.declared)]

    seat = 0

    @property
    def caller(self) -> str:
        return f"seat{self.seat}"

    def opened(self, play: CoupPlay) -> None:
        if self.repeats is None:
            play.do(Speak(BancoCalled(self.caller, self.seat, t=0.0), 0.6))

    def take(self, play: CoupPlay, pano: str) -> None:
        play.do(Take(HandTaken(pano, self.caller, t=0.0), self.seat))

    def look(self, play: CoupPlay) -> None:
        """He plays the first paño and only then looks at the second (BC-05)."""
        play.do(Take(HandTaken("B", "banker", t=0.0), None))
        if play.bank_natural:
            return
        for pano in PANOS:
            self.take(play, pano)
            play.speak(pano)
        play.do(PutBack("B", "parallel"))

    def word(self, play: CoupPlay, pano: str) -> str:
        """He is free to draw or stand, but turns a natural (BC-08, BC-09)."""
        proper = play.proper_word(pano)
        return proper if proper == "abato" else play.rng.choice(("carta", "no"))


@plantable
class Peek(Banco):
    """He looks at the second paño's cards before he has played the first (BC-05)."""

    code = "BANCO_PEEK"

    def look(self, play: CoupPlay) -> None:
        if play.bank_natural:
            super().look(play)
            return
        play.do(Take(HandTaken("B", "banker", t=0.0), None))
        event = HandTaken("P2", self.caller, t=0.0)
        play.do(Take(event, self.seat))
        play.plant(event, self.caller, fix("ask_inspector"))
        play.do(PutBack("P2", "parallel"))
        self.take(play, "P1")
        play.speak("P1")
        self.take(play, "P2")
        play.speak("P2")
        play.do(PutBack("B", "parallel"))


@plantable
class RepeatExcess(Banco):
    """He asks to repeat a coup that was not null (BC-06, BC-07): refused."""

    code = "BANCO_REPEAT_EXCESS"

    def closed(self, play: CoupPlay) -> None:
        results = [play.results[pano] for pano in PANOS]
        if sum(results) != 0:
            event = Said(self.caller, "repeat", t=0.0)
            play.do(Speak(event, 0.5))
            play.plant(event, self.caller, fix("refuse"))


@plantable
class LateBanco(Deviation):
    """Banco called when the partida has begun: refused, and the coup is played like any other (BC-02)."""

    code = "BANCO_LATE"
    needs = Before.A_COUP

    def opened(self, play: CoupPlay) -> None:
        seats = [seat for pano in PANOS for seat in play.table.seats[pano]]
        seat = self.rng.choice(seats)
        event = BancoCalled(f"seat{seat}", seat, t=0.0)
        play.do(Speak(event, 0.6))
        play.plant(event, f"seat{seat}", fix("refuse"))
