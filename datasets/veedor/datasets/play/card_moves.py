"""How cards move: out of the sabot, on the pala, lifted, crossed, turned, into the basket."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import atan2, cos, hypot, sin
from random import Random
from typing import TYPE_CHECKING

from veedor.datasets.play import acts
from veedor.datasets.play.actors import CARRY_LIFT_MM, Actor, loaded_s
from veedor.datasets.play.spots import Point
from veedor.datasets.play.timeline import Card, Pose, Track
from veedor.vision.layout import ZoneKind

if TYPE_CHECKING:
    from veedor.datasets.play.choreography import FeltStage

SLIDE_OUT_S = 0.4
SHOWN_AT_MOUTH_S = 0.44  # uncovered at the mouth before anything takes it
HIDDEN_IN_SHOE_MM = 125.0  # behind the mouth: under the shoe's body
HAND_BACK_MM = 85.0  # the dealing hand behind the card it has pulled
ON_PALA_MM = 9.0
LIFTED_MM = 22.0
FLIP_LIFT_MM = 38.0
FLIP_S = 0.45
COVER_S = 0.9
COVER_MM = 30.0  # from the middle of what a hand covers to its fingertips
POSE_S = 0.4
UNCOVER_S = 0.3  # until a leaving hand no longer hides what it has left
DEAD_STEP_MM = 76.0


@dataclass
class Lying:
    """A card of the running coup."""

    track: Track
    hand: str
    slot: int
    base_deg: float  # its attitude when it lies straight


@dataclass
class Held:
    """A hand's cards under somebody's hand."""

    actor: Actor
    since_s: float
    cards: list[str] = field(default_factory=list)


class CardMoves:
    """Card choreography of a stage."""

    def __init__(self, stage: FeltStage, rng: Random, back_colours: tuple[str, str]) -> None:
        self.stage, self.rng, self.backs = stage, rng, back_colours
        self.lying: dict[str, Lying] = {}
        self.held: dict[str, Held] = {}
        self.lost: dict[str, Track] = {}  # cards out of sight
        self.cut: Track | None = None  # the cut card, once it lies on the felt
        self.still_s = 0.0
        self._mouth: tuple[str, Track, float] | None = None
        self._mouth_free_s = 0.0
        self._last_dealt_s = 0.0
        self._coup = 0
        self._dead = 0

    def seen_s(self, hand: str) -> float:
        """Since when a hand's holder has had his hand on its cards; long ago if he has not."""
        held = self.held.get("B" if hand == acts.BANKER else hand)
        return held.since_s if held is not None else -1e9

    def name_of(self, card: str) -> str:
        """A card's name in the whole session."""
        return f"{self._coup}.{card}"

    def take_from_mouth(self) -> tuple[str, Track, float]:
        """The card that waits at the mouth, no longer waiting, and since when it has lain there."""
        assert self._mouth is not None, "no card waits at the mouth"
        waiting, self._mouth = self._mouth, None
        return waiting

    # ---- out of the sabot --------------------------------------------------------------------------

    def draw(self, act: acts.Draw) -> None:
        stage = self.stage
        x, y, rotation = stage.felt.mouth
        angle = atan2(-y, -x)
        out = cos(angle), sin(angle)
        dealer = stage.crew.dealer
        start_s = max(stage.now_s, dealer.free_s, self._mouth_free_s)
        inside = (x - HIDDEN_IN_SHOE_MM * out[0], y - HIDDEN_IN_SHOE_MM * out[1])
        reach_s = dealer.go(start_s, (inside[0] + 60.0 * out[0], inside[1] + 60.0 * out[1]), z_mm=40.0)
        rotation += self.rng.gauss(0.0, 2.0)
        up = 180.0 if act.event.face == "up" else 0.0
        track = Track(self.name_of(act.event.card), Card(act.face, self.backs[act.back]))
        track.appear(reach_s, Pose(*inside, 0.0, rotation, up))
        stage.tracks.append(track)
        out_s = track.move(reach_s, reach_s + SLIDE_OUT_S, Pose(x, y, 0.0, rotation, up))
        dealer.go(reach_s, (x - 25.0 * out[0], y - 25.0 * out[1]), seconds=SLIDE_OUT_S)
        rest = (x - HAND_BACK_MM * out[0] + 40.0, y - HAND_BACK_MM * out[1] + 40.0)
        dealer.go(out_s, rest, z_mm=45.0, seconds=0.25)
        dealer.leave(out_s + 0.25)
        stage.emit(act.event, out_s)
        self._mouth = (act.event.card, track, out_s)
        self.still_s = max(self.still_s, out_s + SHOWN_AT_MOUTH_S)
        stage.now_s = out_s + SHOWN_AT_MOUTH_S

    def deal(self, act: acts.Deal) -> None:
        card, track, out_s = self.take_from_mouth()
        hand = act.event.to
        slot = self.free_slot(hand)
        base_deg = self.rng.gauss(0.0, 2.5) + self.rng.choice((0.0, 180.0))
        x, y = self.stage.felt.slot(hand, slot)
        target = Pose(
            x + self.rng.uniform(-2.5, 2.5),
            y + self.rng.uniform(-6.0, 6.0),
            0.0,
            _near(base_deg, track.last.rotation_deg),
        )
        target = target._replace(turn_deg=track.last.turn_deg)
        self.lying[card] = Lying(track, hand, slot, target.rotation_deg)
        ready_s = max(self.stage.now_s, out_s + SHOWN_AT_MOUTH_S)
        rest_s = (
            self._by_hand(track, target, ready_s) if hand == "B" else self._by_pala(track, target, ready_s)
        )
        self._last_dealt_s = rest_s
        self.still_s = max(self.still_s, rest_s)
        self.stage.emit(act.event, rest_s)

    def _by_hand(self, track: Track, target: Pose, ready_s: float) -> float:
        """The banker slides his own card over."""
        dealer = self.stage.crew.dealer
        at = (track.last.x_mm, track.last.y_mm)
        grip_s = dealer.go(max(ready_s, dealer.free_s), (at[0] + 12.0, at[1] + 25.0), seconds=0.25)
        to = (target.x_mm, target.y_mm)
        end_s = track.move(grip_s, grip_s + max(0.45, loaded_s(at, to)), target)
        dealer.go(grip_s, (to[0] + 12.0, to[1] + 25.0), seconds=end_s - grip_s)
        mouth = self.stage.felt.mouth
        dealer.go(end_s + 0.05, (mouth[0] + 110.0, mouth[1] + 120.0), z_mm=45.0, seconds=0.35)
        dealer.leave(end_s + 0.4)
        self._mouth_free_s = grip_s + 0.25
        self.stage.now_s = end_s + 0.1
        return max(end_s + UNCOVER_S, self._last_dealt_s + 0.05)

    def _by_pala(self, track: Track, target: Pose, ready_s: float) -> float:
        """The croupier carries a player's card on the pala (SH-07)."""
        pala = self.stage.crew.pala
        at = (track.last.x_mm, track.last.y_mm)
        to = (target.x_mm, target.y_mm)
        leave_s = max(ready_s - pala.travel_s(at), pala.free_s)
        there_s = max(pala.go(leave_s, at, lift_mm=CARRY_LIFT_MM / 2), ready_s)
        scoop_s = track.move(there_s, there_s + 0.15, track.last._replace(z_mm=ON_PALA_MM))
        carry_s = max(0.5, loaded_s(at, to))
        end_s = track.move(
            scoop_s, scoop_s + carry_s, target._replace(z_mm=ON_PALA_MM), lift_mm=CARRY_LIFT_MM
        )
        pala.go(scoop_s, to, lift_mm=CARRY_LIFT_MM, seconds=carry_s)
        track.move(end_s + 0.05, end_s + 0.2, target)
        drawn_back = self.stage.felt.croupier_body(0.0)
        share = 220.0 / max(1.0, ((to[0] - drawn_back[0]) ** 2 + (to[1] - drawn_back[1]) ** 2) ** 0.5)
        back = (to[0] + (drawn_back[0] - to[0]) * share, to[1] + (drawn_back[1] - to[1]) * share)
        away_s = pala.go(end_s + 0.05, back, z_mm=12.0, seconds=0.3)
        pala.leave(away_s)
        self._mouth_free_s = scoop_s + 0.25
        self.stage.now_s = scoop_s + 0.2
        return max(end_s + 0.25, self._last_dealt_s + 0.05)

    def free_slot(self, hand: str) -> int:
        taken = {lying.slot for lying in self.lying.values() if lying.hand == hand}
        return next(slot for slot in range(12) if slot not in taken)

    # ---- in the hands ------------------------------------------------------------------------------

    def _actor(self, hand: str, seat: int | None) -> Actor:
        crew = self.stage.crew
        return crew.banker if seat is None else crew.seat(seat)

    def _middle(self, cards: list[str]) -> Point:
        poses = [self.lying[card].track.last for card in cards]
        return sum(pose.x_mm for pose in poses) / len(poses), sum(pose.y_mm for pose in poses) / len(poses)

    def _over(self, actor: Actor, middle: Point) -> Point:
        """Where the fingertips are when the palm covers `middle`."""
        away = middle[0] - actor.home.x_mm, middle[1] - actor.home.y_mm
        share = COVER_MM / max(1.0, hypot(*away))
        return middle[0] + share * away[0], middle[1] + share * away[1]

    def take(self, act: acts.Take) -> None:
        """A hand covers the cards, lifts them a little and holds them."""
        stage, hand = self.stage, act.event.hand
        cards = [card for card, lying in self.lying.items() if lying.hand == hand]
        actor = self._actor(hand, act.seat)
        ready_s = max(self.lying[card].track.times[-1] for card in cards)
        start_s = max(stage.now_s, actor.free_s, ready_s)
        there_s = actor.go(start_s, self._over(actor, self._middle(cards)), z_mm=6.0, lift_mm=25.0)
        for card in cards:
            track = self.lying[card].track
            track.move(there_s + 0.15, there_s + 0.45, track.last._replace(z_mm=LIFTED_MM))
        self.held[hand] = Held(actor, there_s, cards)
        stage.emit(act.event, there_s)
        self.still_s = max(self.still_s, there_s + COVER_S)
        stage.now_s = max(stage.now_s, start_s) + 0.2

    def put_back(self, act: acts.PutBack) -> None:
        """The cards are laid down straight or crossed and uncovered."""
        held = self.held.pop(act.hand)
        start_s = max(self.stage.now_s, held.since_s + COVER_S)
        end_s = start_s + POSE_S
        crossed = act.pose == "crossed" and len(held.cards) == 2
        for index, card in enumerate(held.cards):
            lying = self.lying[card]
            pose = self._crossed(act.hand, lying, index) if crossed else self._straight(lying)
            lying.track.move(start_s, end_s, pose)
            lying.track.lay(start_s, index)
        held.actor.leave(end_s)
        seen_s = end_s + UNCOVER_S
        if act.event is not None:
            self.stage.emit(act.event, seen_s)
        self.still_s = max(self.still_s, seen_s)
        self.stage.now_s = max(self.stage.now_s, start_s + 0.15)

    def _straight(self, lying: Lying, *, turned: bool = False) -> Pose:
        x, y = self.stage.felt.slot(lying.hand, lying.slot)
        turn = 180.0 if turned else lying.track.last.turn_deg
        return Pose(
            x + self.rng.uniform(-2.5, 2.5),
            y + self.rng.uniform(-6.0, 6.0),
            0.0,
            lying.base_deg + self.rng.gauss(0.0, 1.5),
            turn,
        )

    def _crossed(self, hand: str, lying: Lying, index: int) -> Pose:
        x, y = self.stage.felt.hand_centre(hand)
        lean = (-1.0, 1.0)[index] * self.rng.uniform(36.0, 48.0)
        return Pose(
            x + self.rng.uniform(-4.0, 4.0),
            y + self.rng.uniform(-4.0, 4.0),
            0.6 * index,
            lying.base_deg + lean,
            lying.track.last.turn_deg,
        )

    def turn(self, act: acts.Turn) -> None:
        """Cards are turned face up and left side by side."""
        stage = self.stage
        cards = [event.card for event in act.events]
        held = self.held.pop(act.hand, None)
        middle = self._middle(cards)
        actor = stage.crew.croupier_for(middle[0]) if act.by_croupier else self._actor(act.hand, act.seat)
        if act.by_croupier and act.hand == "B":
            actor = stage.crew.banker
        if held is not None and held.actor is actor:
            start_s = max(stage.now_s, held.since_s + COVER_S)
        else:
            ready_s = max(self.lying[card].track.times[-1] for card in cards)
            start_s = max(stage.now_s, actor.free_s, ready_s - 0.3)
            start_s = actor.go(start_s, self._over(actor, middle), lift_mm=25.0)
            start_s = max(start_s, ready_s)
        end_s = start_s
        for index, card in enumerate(cards):
            lying = self.lying[card]
            begin_s = start_s + 0.22 * index
            end_s = lying.track.move(
                begin_s, begin_s + FLIP_S, self._straight(lying, turned=True), lift_mm=FLIP_LIFT_MM
            )
            lying.track.lay(begin_s, index)
        actor.leave(end_s)
        for index, event in enumerate(act.events):
            stage.emit(event, end_s + UNCOVER_S + 0.04 * index)
        self.still_s = max(self.still_s, end_s + UNCOVER_S + 0.1)
        stage.now_s = end_s + UNCOVER_S if act.by_croupier else max(stage.now_s, start_s + 0.3)

    # ---- by the croupier ---------------------------------------------------------------------------

    def slide(self, act: acts.Slide) -> None:
        """The croupier moves a card to another hand, or out of play to his own strip."""
        stage, card = self.stage, act.event.card
        if card in self.lying:
            lying = self.lying[card]
        else:
            lying = self.lying[card] = Lying(self.take_from_mouth()[1], "", 0, 0.0)
        at = (lying.track.last.x_mm, lying.track.last.y_mm)
        lying.hand = act.event.to
        if act.event.to in ("P1", "P2", "B"):
            lying.slot = -1
            lying.slot = self.free_slot(lying.hand)
            to = stage.felt.slot(lying.hand, lying.slot)
        else:
            x, y = stage.felt.centre(ZoneKind.CROUPIER)
            to = (x - 30.0 + DEAD_STEP_MM * self._dead, y + 62.0)
            self._dead += 1
        actor = stage.crew.croupier_for(at[0])
        start_s = max(stage.now_s, actor.free_s, lying.track.times[-1])
        grip_s = actor.go(start_s, at, lift_mm=25.0) + 0.1
        carry_s = max(0.5, loaded_s(at, to))
        pose = Pose(to[0], to[1], 0.0, lying.base_deg, lying.track.last.turn_deg)
        end_s = lying.track.move(grip_s, grip_s + carry_s, pose, lift_mm=15.0)
        actor.go(grip_s, to, lift_mm=15.0, seconds=carry_s)
        actor.leave(end_s + 0.1)
        stage.emit(act.event, end_s + UNCOVER_S)
        self.still_s = max(self.still_s, end_s + UNCOVER_S)
        stage.now_s = end_s + UNCOVER_S

    def sweep(self, act: acts.Sweep) -> None:
        """All cards go into the basket, a hand's cards at a time."""
        stage = self.stage
        basket = stage.felt.centre(ZoneKind.BASKET)
        done_s = stage.now_s
        for hand in ("P1", "P2", "B", "dead"):
            cards = [card for card, lying in self.lying.items() if lying.hand == hand]
            if not cards:
                continue
            middle = self._middle(cards)
            actor = stage.crew.croupier_for(middle[0] if hand != "B" else 1.0)
            there_s = actor.go(max(stage.now_s, actor.free_s), middle, lift_mm=25.0) + 0.1
            carry_s = max(0.5, loaded_s(middle, basket))
            for number, card in enumerate(cards):
                track = self.lying[card].track
                gather = Pose(
                    basket[0] + self.rng.uniform(-15, 15),
                    basket[1] + self.rng.uniform(-8, 8),
                    2.0 + number,
                    track.last.rotation_deg + self.rng.uniform(-20, 20),
                    track.last.turn_deg,
                )
                track.lay(there_s, number)
                track.gone_s = track.move(there_s, there_s + carry_s, gather, lift_mm=12.0)
            end_s = actor.go(there_s, basket, lift_mm=12.0, seconds=carry_s)
            actor.leave(end_s + 0.1)
            done_s = max(done_s, end_s)
        if self.cut is not None:
            self._sweep_cut(done_s)
            done_s = self.cut.times[-1]
            self.cut = None
        stage.emit(act.event, done_s + 0.2)
        self.lost.clear()
        self.lying.clear()
        self.held.clear()
        self._dead = 0
        self._coup += 1
        self.still_s = max(self.still_s, done_s)
        stage.now_s = done_s + 0.2

    def _sweep_cut(self, start_s: float) -> None:
        """The cut card goes off the table with the croupier."""
        assert self.cut is not None
        actor = self.stage.crew.right
        at = (self.cut.last.x_mm, self.cut.last.y_mm)
        home = (actor.home.x_mm, actor.home.y_mm)
        grip_s = actor.go(max(start_s, actor.free_s), at, lift_mm=25.0) + 0.1
        end_s = grip_s + loaded_s(at, home)
        self.cut.gone_s = self.cut.move(grip_s, end_s, self.cut.last._replace(x_mm=home[0], y_mm=home[1]))
        actor.go(grip_s, home, seconds=end_s - grip_s)
        actor.leave(end_s)


def _near(angle_deg: float, reference_deg: float) -> float:
    """The same attitude as `angle_deg`, at most half a turn from `reference_deg`."""
    return angle_deg + 360.0 * round((reference_deg - angle_deg) / 360.0)
