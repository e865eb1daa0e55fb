"""The banker's own mistakes: against the cuadro, in restored play, with his point, with his showing."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from veedor.datasets.play.acts import BANKER, Rest, Speak
from veedor.datasets.play.coup import CoupPlay
from veedor.datasets.play.dealing import fix
from veedor.datasets.play.deviation import Deviation, plantable
from veedor.datasets.play.reckoning import PANOS, Duty, Fault, duty
from veedor.datasets.play.restoring import DUTY_STEPS
from veedor.datasets.play.word_mistakes import StandBelowFive
from veedor.rules.events import CardTurned, PlayersSeen, Said


@plantable
class TableBreach(Deviation):
    """He asks for the cuadro, it says the same for both paños, and he does otherwise (SH-18)."""

    code = "BANKER_TABLE_BREACH"
    breached: Duty | None = None

    def serve(self, play: CoupPlay) -> None:
        play.serve_players()
        live = play.live_thirds()
        bound = duty(play.two_card_total("B"), live, fault=Fault.NONE, asked_cuadro=True)
        if not live or bound is Duty.FREE:
            play.bank_plays()
            return
        self.breached = bound
        play.do(Speak(Said(BANKER, "cuadro", t=0.0), 0.5))
        if bound is Duty.STAND:
            play.third("B")
        else:
            play.do(Speak(Said(BANKER, "no", t=0.0)))

    def shown(self, play: CoupPlay, hand: str, events: tuple[CardTurned, ...]) -> None:
        if hand == "B" and self.breached is not None:
            play.plant(events[-1], BANKER, fix(DUTY_STEPS[self.breached]))


@plantable
class NotShown(Deviation):
    """Stakes are settled before he has shown his cards (SH-23)."""

    code = "BANKER_NOT_SHOWN"

    def shows(self, play: CoupPlay, hand: str) -> bool:
        return hand != "B"

    def paid(self, play: CoupPlay) -> None:
        if play.till.events and not play.bank_natural:
            play.plant_first(play.till.events, BANKER, fix("show_first"))
            play.turn_hand("B")
            play.do(Rest(0.8))


@plantable
class RestoredBreach(StandBelowFive):
    """In a coup restored for a player's mistake he is bound and does otherwise (001 VIII.3): two findings."""

    code = "BANKER_RESTORED_BREACH"
    restored_codes = ("P_STAND_BELOW5",)
    findings = 2

    def shown(self, play: CoupPlay, hand: str, events: tuple[CardTurned, ...]) -> None:
        super().shown(play, hand, events)
        if hand == self.target:
            play.planted[-1] = replace(play.planted[-1], code="P_STAND_BELOW5")

    def restored_draw(self, play: CoupPlay, bound: Duty, *, draws: bool) -> bool:
        self.breached = bound if bound is not Duty.FREE else None
        return not draws if self.breached else draws

    breached: Duty | None = None

    def paid(self, play: CoupPlay) -> None:
        if self.breached is not None and play.till.events:
            play.plant_first(play.till.events, BANKER, fix(DUTY_STEPS[self.breached]))


@plantable
class WrongPoint(Deviation):
    """He announces a point that is not his after the players have shown (001 VIII.5 p4)."""

    code = "BANKER_WRONG_POINT"
    spoken: Said | None = None

    def shows(self, play: CoupPlay, hand: str) -> bool:
        # With seven he stands whatever binds him, so that the miscall is the only fault.
        if hand == "B" and play.two_card_total("B") == 7 and len(play.hands["B"]) == 2:
            self.spoken = Said(BANKER, "point", None, self.rng.choice((5, 6)), t=0.0)
            play.do(Speak(self.spoken, 0.6))
        return True

    def shown(self, play: CoupPlay, hand: str, events: tuple[CardTurned, ...]) -> None:
        if hand == "B" and self.spoken is not None:
            # Where both paños have turned naturals there is nothing left for him to do.
            play.plant(events[-1], BANKER, fix("must_stand" if play.live_thirds() else "free"))


@plantable
class Advice(Deviation):
    """Somebody advises the banker: he must follow the cuadro (ER-31)."""

    code = "ADVICE"

    def serve(self, play: CoupPlay) -> None:
        play.serve_players()
        seats = [seat for pano in PANOS for seat in play.table.seats[pano] if seat != play.table.holder[pano]]
        if play.live_thirds():
            event = Said(f"seat{play.rng.choice(seats)}", "advice", BANKER, t=0.0)
            play.do(Speak(event, 0.5))
            play.plant(event, event.by, fix("follow_cuadro"))
            play.advised = True
        play.bank_plays()


@plantable
class TooFewPlayers(Deviation):
    """A paño is down to one player when the call comes (PL-01)."""

    code = "MIN_PLAYERS"

    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        self.pano = rng.choice(PANOS)

    def before_call(self, play: CoupPlay) -> None:
        play.do(Speak(PlayersSeen(self.pano, (f"seat{play.table.holder[self.pano]}",), t=0.0), 0.2))

    def after_call(self, play: CoupPlay) -> None:
        people = tuple(f"seat{seat}" for seat in play.table.seats[self.pano])
        play.do(Speak(PlayersSeen(self.pano, people, t=0.0), 0.2))
        play.plant(play.call, "table")
