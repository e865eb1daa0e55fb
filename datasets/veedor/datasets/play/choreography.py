"""Performs a script on a felt: acts become movement of hands, cards, chips, and events as they are seen."""

from __future__ import annotations

from random import Random

from veedor.datasets.play import acts
from veedor.datasets.play.actors import Actor
from veedor.datasets.play.acts import Act
from veedor.datasets.play.card_losses import CardLosses
from veedor.datasets.play.card_moves import CardMoves
from veedor.datasets.play.chip_moves import ChipMoves
from veedor.datasets.play.spots import Felt, Point
from veedor.datasets.play.stage import Stage
from veedor.datasets.play.timeline import Hand, Pala, Timeline, Track
from veedor.datasets.scene import HandPose
from veedor.rules.events import Said
from veedor.vision.layout import TableLayout

LOOK_S = 0.85  # a hand covers its cards at least this long before anything is said


class Crew:
    """Everybody whose hands come over the felt."""

    def __init__(self, felt: Felt, rng: Random, tracks: list[Track]) -> None:
        self._felt, self._rng, self._tracks = felt, rng, tracks
        self._actors: dict[str, Actor] = {}
        croupier = rng.randrange(3)
        banker = rng.randrange(3)
        top = felt.banker_body
        shoe = felt.mouth
        self.banker = self._add("banker", top, skin=banker, sleeve=banker, left=False)
        self.dealer = self._add(
            "banker.shoe", (shoe[0] + 190.0, top[1]), skin=banker, sleeve=banker, left=True
        )
        self.dealer.patience_s = 6.0  # rests on the shoe
        self.left = self._add("croupier.left", felt.croupier_body(-1.0), skin=croupier, sleeve=1, left=True)
        self.right = self._add("croupier.right", felt.croupier_body(1.0), skin=croupier, sleeve=1, left=False)
        body = felt.croupier_body(0.4)
        pala = Pala((body[0], body[1] - 200.0), croupier, 1)
        self.pala = Actor("croupier.pala", pala, body, tracks, patience_s=2.5)
        self._actors["pala"] = self.pala

    def _add(self, name: str, body: Point, *, skin: int, sleeve: int, left: bool) -> Actor:
        # The elbow stays further out than the place where a hand rests, so that the forearm keeps its way.
        x, y = body
        away = 260.0 / max(1.0, (x * x + y * y) ** 0.5)
        hand = Hand((x * (1 + away), y * (1 + away)), HandPose.FLAT, left, skin, sleeve)
        actor = Actor(name, hand, body, self._tracks)
        self._actors[name] = actor
        return actor

    def seat(self, seat: int) -> Actor:
        name = f"seat{seat}"
        if name not in self._actors:
            rng = self._rng
            self._add(
                name,
                self._felt.body(seat),
                skin=rng.randrange(3),
                sleeve=rng.randrange(3),
                left=rng.random() < 0.3,
            )
        return self._actors[name]

    def croupier_for(self, x_mm: float) -> Actor:
        """The croupier's hand that serves a side of the table."""
        return self.left if x_mm < 0 else self.right

    @property
    def free_s(self) -> float:
        """When everybody's last task is done."""
        return max(actor.free_s for actor in self._actors.values())

    def finish(self) -> None:
        for actor in self._actors.values():
            actor.finish()


class FeltStage(Stage):
    """The stage with a felt under it."""

    def __init__(self, layout: TableLayout, rng: Random, back_colours: tuple[str, str]) -> None:
        super().__init__()
        self.felt = Felt(layout)
        self.tracks: list[Track] = []
        self.crew = Crew(self.felt, rng, self.tracks)
        self.cards = CardMoves(self, rng, back_colours)
        self.losses = CardLosses(self, self.cards)
        self.chips = ChipMoves(self, rng)

    def act(self, act: Act) -> None:
        match act:
            case acts.Speak(event, pause_s):
                if isinstance(event, Said):
                    self.now_s = max(self.now_s, self.cards.seen_s(event.by) + LOOK_S)
                self.emit(event, self.now_s)
                self.now_s += pause_s
            case acts.Rest(seconds):
                self.now_s = (
                    max(self.now_s, self.crew.free_s, self.cards.still_s, self.chips.still_s) + seconds
                )
            case acts.PushBet():
                self.chips.push(act)
            case acts.RaiseBet():
                self.chips.add(act)
            case acts.Pay():
                self.chips.pay(act)
            case acts.Collect():
                self.chips.collect(act)
            case acts.Cagnotte():
                self.chips.cagnotte(act)
            case acts.TakeBack():
                self.chips.take_back()
            case acts.Draw():
                self.cards.draw(act)
            case acts.Deal():
                self.cards.deal(act)
            case acts.Slide():
                self.cards.slide(act)
            case acts.DrawStuck():
                self.losses.draw_stuck(act)
            case acts.ShowCut():
                self.losses.show_cut(act)
            case acts.Lose():
                self.losses.lose(act)
            case acts.Recover():
                self.losses.recover(act)
            case acts.Take():
                self.cards.take(act)
            case acts.PutBack():
                self.cards.put_back(act)
            case acts.Turn():
                self.cards.turn(act)
            case acts.Sweep():
                self.cards.sweep(act)

    def timeline(self) -> Timeline:
        """The finished timeline; nothing can be performed after it."""
        self.crew.finish()
        ends = [track.times[-1] for track in self.tracks]
        return Timeline(self.tracks, max([self.now_s, *ends]) + 0.4)
