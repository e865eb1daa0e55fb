"""How chips move: pushed in, paid, collected, dropped in the slot, taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import cos, degrees, hypot, pi, sin
from random import Random
from typing import TYPE_CHECKING

from veedor.datasets.play import acts
from veedor.datasets.play.actors import CARRY_LIFT_MM, Actor, loaded_s
from veedor.datasets.play.money import Pile
from veedor.datasets.play.spots import Point, Spot
from veedor.datasets.play.timeline import Chips, Pose, Track
from veedor.vision.layout import ZoneKind

if TYPE_CHECKING:
    from veedor.datasets.play.choreography import FeltStage

CHIP_MM = 40.0
PLAQUE_SHORT_MM = 54.0  # its short side lies along the row
CHIP_HEIGHT_MM = 3.4
GAP_MM = (4.0, 13.0)  # between the piles of one stake
PAID_GAP_MM = (7.0, 18.0)  # between a stake and what is put beside it
LET_GO_S = 0.15
ROW_PLACES = 4  # of one stake: more would reach into the next one
OPEN_SHARE = 0.7  # of bettors who lay their chips beside one another as far as there is room
PUSH_EVERY_S = (0.75, 1.1)
SLOT_REST_S = 1.0
SLOT_STEP_MM = 44.0


@dataclass
class FeltPile:
    """A pile as it lies."""

    pile: Pile
    track: Track


@dataclass
class FeltStake:
    """A stake on the felt, with what has been put beside it."""

    seat: int
    spot: Spot
    piles: list[FeltPile]
    beside: list[FeltPile] = field(default_factory=list)
    side: float | None = None

    @property
    def everything(self) -> list[FeltPile]:
        return self.piles + self.beside


class ChipMoves:
    """Chip choreography of a stage."""

    def __init__(self, stage: FeltStage, rng: Random) -> None:
        self.stage, self.rng = stage, rng
        self.stakes: dict[str, FeltStake] = {}
        self.still_s = 0.0
        self._count = 0
        self._habits = Random(rng.getrandbits(32))
        self._lays_open: dict[int, bool] = {}

    # ---- bettors -----------------------------------------------------------------------------------

    def push(self, act: acts.PushBet) -> None:
        """A bettor brings chips over the edge and pushes them to their place."""
        taken = [stake.spot.point for stake in self.stakes.values()]
        spot = self.stage.felt.spot(act.place, act.seat, taken, self.rng)
        laid = self._laid(act.piles, act.seat)
        let_go_s, piles = self._bring(act.seat, laid, self._row(spot, laid), spot)
        self.stakes[act.event.bet] = FeltStake(act.seat, spot, piles)
        self.stage.emit(act.event, let_go_s)

    def add(self, act: acts.RaiseBet) -> None:
        """A bettor adds chips to his stake."""
        stake = self.stakes[act.event.bet]
        laid = self._laid(act.piles, stake.seat)
        let_go_s, piles = self._bring(stake.seat, laid, self._beside(stake, laid), stake.spot)
        stake.beside += piles
        self.stage.emit(act.event, let_go_s)

    def _bring(
        self, seat: int, piles: Sequence[Pile], places: Sequence[Point], spot: Spot
    ) -> tuple[float, list[FeltPile]]:
        stage, actor = self.stage, self.stage.crew.seat(seat)
        start_s = actor.from_home(stage.now_s)
        middle, edge = _middle(places), stage.felt.edge(seat)
        home = (actor.home.x_mm, actor.home.y_mm)
        edge_s = actor.go(start_s, edge, seconds=loaded_s(home, edge))
        push_s = actor.go(edge_s, middle, seconds=max(0.5, loaded_s(edge, middle)))
        felt_piles = []
        for pile, place in zip(piles, places, strict=True):
            offset = (place[0] - middle[0], place[1] - middle[1])
            rotation = self._rotation(pile, spot)
            track = self._chips(pile, start_s, Pose(home[0] + offset[0], home[1] + offset[1], 30.0, rotation))
            track.move(start_s, edge_s, Pose(edge[0] + offset[0], edge[1] + offset[1], 0.0, rotation))
            track.move(edge_s, push_s, Pose(place[0], place[1], 0.0, rotation))
            felt_piles.append(FeltPile(pile, track))
        actor.leave(push_s + LET_GO_S)
        self.still_s = max(self.still_s, push_s + LET_GO_S + 0.4)
        stage.now_s = max(stage.now_s, start_s) + self.rng.uniform(*PUSH_EVERY_S)
        return push_s + LET_GO_S, felt_piles

    def take_back(self) -> None:
        """Everybody takes what is his off the table."""
        stage = self.stage
        begin_s = stage.now_s
        for stake in self.stakes.values():
            if not stake.everything:
                continue
            actor = stage.crew.seat(stake.seat)
            begin_s += 0.12
            middle = _middle([(pile.track.last.x_mm, pile.track.last.y_mm) for pile in stake.everything])
            there_s = actor.go(max(begin_s, actor.free_s), middle, lift_mm=25.0) + 0.1
            edge, home = stage.felt.edge(stake.seat), (actor.home.x_mm, actor.home.y_mm)
            edge_s = there_s + max(0.45, loaded_s(middle, edge))
            gone_s = edge_s + loaded_s(edge, home)
            for pile in stake.everything:
                last = pile.track.last
                offset = (last.x_mm - middle[0], last.y_mm - middle[1])
                at_edge = last._replace(x_mm=edge[0] + offset[0], y_mm=edge[1] + offset[1])
                pile.track.move(there_s, edge_s, at_edge)
                away = last._replace(
                    x_mm=home[0] + offset[0], y_mm=home[1] + offset[1], z_mm=last.z_mm + 30.0
                )
                pile.track.gone_s = pile.track.move(edge_s, gone_s, away)
            actor.go(there_s, edge, seconds=edge_s - there_s)
            actor.go(edge_s, home, seconds=gone_s - edge_s)
            actor.leave(gone_s)
            self.still_s = max(self.still_s, gone_s)
        self.stakes.clear()

    # ---- the croupier ------------------------------------------------------------------------------

    def pay(self, act: acts.Pay) -> None:
        """Winnings come from the bank and are cut out beside the stake, so that everybody can count them."""
        stake = self.stakes[act.event.bet]
        laid = laid_open(act.piles)
        actor = self.stage.crew.croupier_for(stake.spot.x_mm)
        end_s, piles = self._from_bank(actor, laid, self._beside(stake, laid), stake.spot)
        stake.beside += piles
        self.stage.emit(act.event, end_s)

    def _from_bank(
        self, actor: Actor, piles: Sequence[Pile], places: Sequence[Point], spot: Spot | None
    ) -> tuple[float, list[FeltPile]]:
        bank = self._bank(actor)
        there_s = actor.go(max(self.stage.now_s, actor.free_s), bank, lift_mm=20.0) + 0.15
        middle = _middle(places)
        end_s = there_s + max(0.45, loaded_s(bank, middle))
        out = []
        for pile, place in zip(piles, places, strict=True):
            offset = (place[0] - middle[0], place[1] - middle[1])
            rotation = self._rotation(pile, spot)
            track = self._chips(pile, there_s, Pose(bank[0] + offset[0], bank[1] + offset[1], 0.0, rotation))
            track.move(there_s, end_s, Pose(place[0], place[1], 0.0, rotation), lift_mm=CARRY_LIFT_MM)
            out.append(FeltPile(pile, track))
        actor.go(there_s, middle, lift_mm=CARRY_LIFT_MM, seconds=end_s - there_s)
        actor.leave(end_s + LET_GO_S)
        self.still_s = max(self.still_s, end_s + LET_GO_S + 0.3)
        return end_s + LET_GO_S, out

    def collect(self, act: acts.Collect) -> None:
        """A stake or some of its chips goes to the bank."""
        stake = self.stakes[act.event.bet]
        actor = self.stage.crew.croupier_for(stake.spot.x_mm)
        at = _middle([(pile.track.last.x_mm, pile.track.last.y_mm) for pile in stake.piles])
        there_s = actor.go(max(self.stage.now_s, actor.free_s), at, lift_mm=25.0) + 0.15
        taken = self._split(stake, act.piles, there_s)
        bank = self._bank(actor)
        end_s = there_s + max(0.45, loaded_s(at, bank))
        for pile in taken:
            last = pile.track.last
            away = last._replace(x_mm=bank[0] + last.x_mm - at[0], y_mm=bank[1] + last.y_mm - at[1], z_mm=0.0)
            pile.track.gone_s = pile.track.move(there_s, end_s, away, lift_mm=CARRY_LIFT_MM)
        actor.go(there_s, bank, lift_mm=CARRY_LIFT_MM, seconds=end_s - there_s)
        actor.leave(end_s + 0.1)
        self.still_s = max(self.still_s, end_s + 0.3)
        # Seen once the hand has left the stake's place.
        self.stage.emit(act.event, there_s + min(UNCOVERED_S, end_s - there_s))

    def _split(self, stake: FeltStake, wanted: Sequence[Pile], t_s: float) -> list[FeltPile]:
        """Takes `wanted` off a stake; a stack gives up its top chips and stays with the rest."""
        left = {pile.chip: 0 for pile in wanted}
        for pile in wanted:
            left[pile.chip] += pile.count
        taken: list[FeltPile] = []
        kept: list[FeltPile] = []
        for felt_pile in stake.piles:
            pile = felt_pile.pile
            count = min(pile.count, left.get(pile.chip, 0))
            if count == 0:
                kept.append(felt_pile)
                continue
            left[pile.chip] -= count
            if count == pile.count:
                taken.append(felt_pile)
                continue
            felt_pile.track.gone_s = t_s
            last = felt_pile.track.last
            rest, top = pile.count - count, last._replace(z_mm=(pile.count - count) * CHIP_HEIGHT_MM)
            low, high = Pile(pile.chip, pile.value, rest), Pile(pile.chip, pile.value, count)
            kept.append(FeltPile(low, self._chips(low, t_s, last)))
            taken.append(FeltPile(high, self._chips(high, t_s, top)))
        stake.piles = kept
        return taken

    def cagnotte(self, act: acts.Cagnotte) -> None:
        """The deduction rests before the slot, then goes in."""
        x, y = self.stage.felt.centre(ZoneKind.CAGNOTTE)
        columns = min(2, len(act.piles))
        rows = -(-len(act.piles) // columns)
        places = [
            (
                x + SLOT_STEP_MM * (index % columns - (columns - 1) / 2),
                y + SLOT_STEP_MM * (index // columns - (rows - 1) / 2),
            )
            for index in range(len(act.piles))
        ]
        actor = self.stage.crew.right
        end_s, piles = self._from_bank(actor, act.piles, places, None)
        self.stage.emit(act.event, end_s + 0.2)
        actor.go(end_s, (x + 60.0, y - 230.0), seconds=0.3)
        push_s = actor.go(end_s + SLOT_REST_S, (x, y), seconds=0.35)
        for pile in piles:
            pile.track.gone_s = push_s + 0.15
        actor.leave(push_s + 0.3)
        self.still_s = max(self.still_s, push_s + 0.3)

    # ---- places ------------------------------------------------------------------------------------

    def _laid(self, piles: Sequence[Pile], seat: int) -> tuple[Pile, ...]:
        """How a bettor lays his chips: he keeps to his habit."""
        if self._lays_open.setdefault(seat, self._habits.random() < OPEN_SHARE):
            return laid_open(piles)
        return tuple(piles)

    def _bank(self, actor: Actor) -> Point:
        x, y = self.stage.felt.centre(ZoneKind.BANK)
        return x + (70.0 if actor is self.stage.crew.right else -70.0), y - 20.0

    def _chips(self, pile: Pile, t_s: float, pose: Pose) -> Track:
        self._count += 1
        track = Track(f"chips{self._count}", Chips(pile.names, pile.plaque))
        track.appear(t_s, pose)
        self.stage.tracks.append(track)
        return track

    def _rotation(self, pile: Pile, spot: Spot | None) -> float:
        if not pile.plaque:
            return self.rng.uniform(0.0, 360.0)
        return (degrees(spot.along) if spot is not None else 0.0) + 90.0 + self.rng.gauss(0.0, 4.0)

    def _offsets(self, piles: Sequence[Pile]) -> list[float]:
        """Positions of piles along a row, centred."""
        at, offsets = 0.0, []
        for index, pile in enumerate(piles):
            width = PLAQUE_SHORT_MM if pile.plaque else CHIP_MM
            if index:
                at += width / 2 + self.rng.uniform(*GAP_MM)
            offsets.append(at)
            at += width / 2
        middle = (offsets[0] + offsets[-1]) / 2
        return [offset - middle for offset in offsets]

    def _row(self, spot: Spot, piles: Sequence[Pile]) -> list[Point]:
        return [self.stage.felt.on_curve(spot, offset) for offset in self._offsets(piles)]

    def _beside(self, stake: FeltStake, piles: Sequence[Pile]) -> list[Point]:
        """A row next to a stake's, on the side with more room."""
        along = stake.spot.along
        tall = max(PLAQUE_LONG_MM if pile.pile.plaque else CHIP_MM for pile in stake.everything) / 2
        new = max(PLAQUE_LONG_MM if pile.plaque else CHIP_MM for pile in piles) / 2
        distance = tall + new + self.rng.uniform(*PAID_GAP_MM)
        rows = []
        for side in (1.0, -1.0) if stake.side is None else (-stake.side,):
            normal = along + side * pi / 2
            shift = (distance * cos(normal), distance * sin(normal))
            row = [
                (
                    stake.spot.x_mm + offset * cos(along) + shift[0],
                    stake.spot.y_mm + offset * sin(along) + shift[1],
                )
                for offset in self._offsets(piles)
            ]
            rows.append((self._room(row, stake), side, row))
        _, stake.side, row = max(rows, key=lambda entry: entry[:2])
        return row

    def _room(self, row: Sequence[Point], stake: FeltStake) -> float:
        felt = self.stage.felt
        room = 1e9
        for x, y in row:
            for other in self.stakes.values():
                if other is not stake:
                    lying = [pile.track.last for pile in other.everything]
                    room = min([room, *(hypot(x - pose.x_mm, y - pose.y_mm) for pose in lying)])
            near = felt.layout.nearest_line(x, y)
            room = min(room, 1e9 if near is None else 2.0 * near[1])
        return room


PLAQUE_LONG_MM = 84.0
UNCOVERED_S = 0.3


def laid_open(piles: Sequence[Pile]) -> tuple[Pile, ...]:
    """The same chips on as many places of a row as there are, the highest stacks divided first."""
    laid = list(piles)
    while len(laid) < ROW_PLACES and max(pile.count for pile in laid) > 1:
        tallest = max(range(len(laid)), key=lambda number: laid[number].count)
        pile = laid[tallest]
        low = pile.count // 2
        laid[tallest : tallest + 1] = [replace(pile, count=pile.count - low), replace(pile, count=low)]
    return tuple(laid)


def _middle(places: Sequence[Point]) -> Point:
    return sum(place[0] for place in places) / len(places), sum(place[1] for place in places) / len(places)
