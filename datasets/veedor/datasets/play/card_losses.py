"""How cards leave the play and come back: stuck, dropped, thrown, put back into the sabot, off the table."""

from __future__ import annotations

from math import atan2, cos, sin
from typing import TYPE_CHECKING

from veedor.datasets.play import acts
from veedor.datasets.play.actors import Actor, loaded_s
from veedor.datasets.play.card_moves import (
    HIDDEN_IN_SHOE_MM,
    SLIDE_OUT_S,
    UNCOVER_S,
    CardMoves,
    Lying,
)
from veedor.datasets.play.spots import Point
from veedor.datasets.play.timeline import CUT_CARD, Card, Pose, Track
from veedor.rules.events import CardDropped, TableEvent
from veedor.vision.layout import ZoneKind

if TYPE_CHECKING:
    from veedor.datasets.play.choreography import FeltStage

STUCK_MM = 28.0  # how far the second of two stuck cards shows behind the first
STUCK_SEEN_S = 1.0
AWAY_S = 1.2  # a lost card's time out of sight


class CardLosses:
    """Choreography of accidents, on the cards of `moves`."""

    def __init__(self, stage: FeltStage, moves: CardMoves) -> None:
        self.stage, self.moves = stage, moves

    def draw_stuck(self, act: acts.DrawStuck) -> None:
        """Two cards come out in one slide and stay at the mouth, one half under the other."""
        stage, moves = self.stage, self.moves
        x, y, _ = stage.felt.mouth
        angle = atan2(-y, -x)
        moves.draw(act.first)
        card, track, out_s = moves.take_from_mouth()
        moves.lying[card] = Lying(track, "", 0, 0.0)
        behind = track.last._replace(x_mm=x - STUCK_MM * cos(angle), y_mm=y - STUCK_MM * sin(angle))
        other = Track(
            moves.name_of(act.second.event.card), Card(act.second.face, moves.backs[act.second.back])
        )
        start = track.poses[0]
        other.appear(
            out_s - SLIDE_OUT_S,
            Pose(
                start.x_mm - STUCK_MM * cos(angle),
                start.y_mm - STUCK_MM * sin(angle),
                0.0,
                track.last.rotation_deg + 3.0,
            ),
        )
        other.move(out_s - SLIDE_OUT_S, out_s, behind._replace(rotation_deg=track.last.rotation_deg + 3.0))
        track.lay(out_s - SLIDE_OUT_S, 1)
        stage.tracks.append(other)
        moves.lying[act.second.event.card] = Lying(other, "", 0, 0.0)
        stage.emit(act.second.event, out_s)
        stage.emit(act.event, out_s)
        stage.now_s = out_s + STUCK_SEEN_S

    def show_cut(self, act: acts.ShowCut) -> None:
        """The cut card slides out and is laid beside the shoe until the cards are swept."""
        stage, moves = self.stage, self.moves
        x, y, rotation = stage.felt.mouth
        angle = atan2(-y, -x)
        dealer = stage.crew.dealer
        start_s = max(stage.now_s, dealer.free_s, moves.still_s)
        inside = (x - HIDDEN_IN_SHOE_MM * cos(angle), y - HIDDEN_IN_SHOE_MM * sin(angle))
        reach_s = dealer.go(start_s, inside, z_mm=40.0)
        track = Track(CUT_CARD, Card(CUT_CARD, CUT_CARD))
        track.appear(reach_s, Pose(*inside, 0.0, rotation))
        stage.tracks.append(track)
        out_s = track.move(reach_s, reach_s + SLIDE_OUT_S, Pose(x, y, 0.0, rotation))
        dealer.go(reach_s, (x - 25.0 * cos(angle), y - 25.0 * sin(angle)), seconds=SLIDE_OUT_S)
        dealer.go(out_s, inside, z_mm=45.0, seconds=0.3)
        stage.emit(act.event, out_s + 0.2)
        aside = (x + 40.0, y - 95.0)
        grip_s = dealer.go(out_s + 0.9, (x, y), seconds=0.3)
        end_s = track.move(grip_s, grip_s + 0.4, Pose(*aside, 0.0, rotation + 35.0))
        dealer.go(grip_s, aside, seconds=0.4)
        dealer.go(end_s, inside, z_mm=45.0, seconds=0.35)
        dealer.leave(end_s + 0.35)
        moves.cut = track
        moves.still_s = max(moves.still_s, end_s)
        stage.now_s = end_s

    def lose(self, act: acts.Lose) -> None:
        """Somebody's hand takes a card away; it goes where it is not seen any more."""
        stage, moves = self.stage, self.moves
        card = act.event.card
        lying = moves.lying.pop(card) if card in moves.lying else None
        track = lying.track if lying is not None else moves.take_from_mouth()[1]
        at = (track.last.x_mm, track.last.y_mm)
        actor = self._actor(act.by, at)
        where = act.event.where if isinstance(act.event, CardDropped) else act.event.to
        to = self._outside(where, actor, at)
        held = moves.held.pop(lying.hand, None) if lying is not None else None
        ready_s = track.times[-1] if held is None else held.since_s + UNCOVER_S
        grip_s = actor.go(max(stage.now_s, actor.free_s, ready_s), at, lift_mm=25.0) + 0.1
        carry_s = max(0.5, loaded_s(at, to))
        pose = track.last._replace(x_mm=to[0], y_mm=to[1], z_mm=2.0)
        track.gone_s = track.move(grip_s, grip_s + carry_s, pose, lift_mm=15.0)
        actor.go(grip_s, to, lift_mm=15.0, seconds=carry_s)
        actor.leave(track.gone_s + 0.1)
        stage.emit(act.event, track.gone_s)
        moves.lost[card] = track
        moves.still_s = max(moves.still_s, track.gone_s + UNCOVER_S)
        stage.now_s = track.gone_s + 0.1

    def recover(self, act: acts.Recover) -> None:
        """A lost card comes back in somebody's hand and is laid in its place."""
        stage, moves = self.stage, self.moves
        lost = moves.lost.pop(act.card)
        actor = self._actor(act.by, (lost.last.x_mm, lost.last.y_mm))
        start_s = actor.from_home(max(stage.now_s, (lost.gone_s or 0.0) + AWAY_S))
        home = (actor.home.x_mm, actor.home.y_mm)
        lying = Lying(Track(lost.id, lost.thing), act.hand, -1, 0.0)
        lying.slot = moves.free_slot(act.hand)
        moves.lying[act.card] = lying
        stage.tracks.append(lying.track)
        lying.track.appear(start_s, Pose(*home, 30.0, 0.0, lost.last.turn_deg))
        to = stage.felt.slot(act.hand, lying.slot)
        end_s = lying.track.move(
            start_s, start_s + loaded_s(home, to), Pose(*to, 0.0, 0.0, lost.last.turn_deg)
        )
        actor.go(start_s, to, seconds=end_s - start_s)
        actor.leave(end_s + 0.1)
        events: list[TableEvent] = list(act.events)
        if len(events) > 1:
            stage.emit(events[0], start_s)
        stage.emit(events[-1], end_s + UNCOVER_S)
        moves.still_s = max(moves.still_s, end_s + UNCOVER_S)
        stage.now_s = end_s + UNCOVER_S

    def _actor(self, by: str, at: Point) -> Actor:
        crew = self.stage.crew
        if by.startswith("seat"):
            return crew.seat(int(by.removeprefix("seat")))
        return crew.dealer if by == acts.BANKER else crew.croupier_for(at[0])

    def _outside(self, where: str, actor: Actor, at: Point) -> Point:
        felt = self.stage.felt
        if where == "basket":
            return felt.centre(ZoneKind.BASKET)
        if where == "shoe":
            x, y, _ = felt.mouth
            angle = atan2(-y, -x)
            return x - HIDDEN_IN_SHOE_MM * cos(angle), y - HIDDEN_IN_SHOE_MM * sin(angle)
        return actor.home.x_mm, actor.home.y_mm
