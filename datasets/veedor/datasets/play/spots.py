"""Places on a felt: where stakes, cards, hands and payments may lie, worked out from its layout alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import atan2, cos, degrees, hypot, pi, sin
from random import Random

import numpy as np
from numpy.typing import NDArray
from veedor.datasets.errors import DatasetError
from veedor.datasets.play.acts import Place
from veedor.vision.layout import Line, LineKind, TableLayout, Zone, ZoneKind

Point = tuple[float, float]

CLEAR_OF_LINE_MM = 27.0  # a stake meant for one area keeps this far from every line and border
ON_LINE_MM = 5.0  # a stake meant for a line is at most this far off it
STAKE_ROOM_MM = 260.0  # between the middles of two stakes: payments lie beside them
OFF_TABLE_MM = 330.0  # how far beyond the edge hands come from
CARD_STEP_MM = 72.0  # 63 mm of card and a gap
SHOE_REACH_MM = 130.0  # from the shoe zone's middle to the middle of a card that has just come out
CLEAR_OF_SHOE_MM = 110.0
TRIES = 400


@dataclass(frozen=True)
class Spot:
    """A place for a stake and the direction (radians) in which its piles are laid out."""

    x_mm: float
    y_mm: float
    along: float
    place: Place

    @property
    def point(self) -> Point:
        return self.x_mm, self.y_mm


class Felt:
    """Geometry that the choreography asks for."""

    def __init__(self, layout: TableLayout) -> None:
        self.layout = layout
        self.top_mm = float(layout.outline_mm[:, 1].max())
        self.bottom_mm = float(layout.outline_mm[:, 1].min())

    # ---- people ------------------------------------------------------------------------------------

    def seat_zone(self, seat: int, kind: ZoneKind) -> Zone:
        for zone in self.layout.of_kind(kind):
            if zone.seat == seat:
                return zone
        raise DatasetError(f"layout {self.layout.name}: no zone of kind {kind} for seat {seat}")

    @cached_property
    def panos(self) -> dict[str, tuple[int, ...]]:
        """Seat numbers of each paño."""
        seats: dict[str, list[int]] = {}
        for zone in self.layout.of_kind(ZoneKind.BET):
            if zone.seat is not None and zone.pano is not None:
                seats.setdefault(f"P{zone.pano}", []).append(zone.seat)
        return {pano: tuple(sorted(numbers)) for pano, numbers in sorted(seats.items())}

    def outward(self, seat: int) -> Point:
        """Unit direction from the table to the person on a seat."""
        player = self.seat_zone(seat, ZoneKind.PLAYER).centre_mm
        bet = self.seat_zone(seat, ZoneKind.BET).centre_mm
        length = float(np.linalg.norm(player - bet))
        return float((player - bet)[0]) / length, float((player - bet)[1]) / length

    def edge(self, seat: int) -> Point:
        """Where a seat's chips come onto the table and leave it."""
        player = self.seat_zone(seat, ZoneKind.PLAYER).centre_mm
        out = self.outward(seat)
        return float(player[0]) + 45.0 * out[0], float(player[1]) + 45.0 * out[1]

    def body(self, seat: int) -> Point:
        """The elbow of a seat's arm, off the table."""
        edge, out = self.edge(seat), self.outward(seat)
        return edge[0] + OFF_TABLE_MM * out[0], edge[1] + OFF_TABLE_MM * out[1]

    @property
    def banker_body(self) -> Point:
        return 40.0, self.top_mm + OFF_TABLE_MM

    def croupier_body(self, side: float) -> Point:
        """`side` -1 is his left arm, 1 his right, as he looks up the picture."""
        return 110.0 * side, self.bottom_mm - OFF_TABLE_MM

    # ---- zones -------------------------------------------------------------------------------------

    def centre(self, kind: ZoneKind, pano: int | None = None) -> Point:
        for zone in self.layout.of_kind(kind):
            if pano is None or zone.pano == pano:
                centre = zone.centre_mm
                return float(centre[0]), float(centre[1])
        raise DatasetError(f"layout {self.layout.name}: no zone of kind {kind}")

    def hand_centre(self, hand: str) -> Point:
        if hand == "B":
            return self.centre(ZoneKind.BANKER_HAND)
        return self.centre(ZoneKind.HAND, int(hand[1:]))

    def slot(self, hand: str, number: int) -> Point:
        """Where the card `number` (0 …) of a hand lies: two beside the middle, then right, then left."""
        x, y = self.hand_centre(hand)
        return x + (-0.5, 0.5, 1.5, -1.5)[number % 4] * CARD_STEP_MM, y

    @property
    def mouth(self) -> tuple[float, float, float]:
        """x, y and rotation of a card that has just left the sabot, its long side along the slide."""
        x, y = self.centre(ZoneKind.SHOE)
        angle = atan2(-y, -x)
        return x + SHOE_REACH_MM * cos(angle), y + SHOE_REACH_MM * sin(angle), degrees(angle) - 90.0

    # ---- stakes ------------------------------------------------------------------------------------

    def spot(self, place: Place, seat: int, taken: Sequence[Point], rng: Random) -> Spot:
        """A free place for a seat's stake; what is taken is kept away from as far as there is room."""
        best: tuple[float, Spot] | None = None
        for _ in range(TRIES):
            spot = self._candidate(place, seat, rng)
            if spot is None:
                continue
            room = min([hypot(spot.x_mm - x, spot.y_mm - y) for x, y in taken], default=1e9)
            reach = hypot(spot.x_mm - self.edge(seat)[0], spot.y_mm - self.edge(seat)[1])
            score = min(room, STAKE_ROOM_MM) - 0.02 * reach
            if best is None or score > best[0]:
                best = (score, spot)
            if room >= STAKE_ROOM_MM and rng.random() < 0.3:
                break
        if best is None:
            raise DatasetError(f"layout {self.layout.name}: no place of kind {place} for seat {seat}")
        return best[1]

    def _candidate(self, place: Place, seat: int, rng: Random) -> Spot | None:
        if place in (Place.HALF, Place.CABALLO):
            return self._on_line(self._line(place, seat), place, rng)
        zone = self._zone(place, seat)
        low, high = zone.polygon_mm.min(axis=0), zone.polygon_mm.max(axis=0)
        x, y = rng.uniform(float(low[0]), float(high[0])), rng.uniform(float(low[1]), float(high[1]))
        margin = CLEAR_OF_LINE_MM + (20.0 if place is not Place.FORBIDDEN else 30.0)
        if zone.inside_mm(x, y) < margin or self._near_cards(x, y):
            return None
        if self.layout.zone_at(x, y) is not zone:
            return None
        near = self.layout.nearest_line(x, y)
        if near is not None and near[1] < margin:
            return None
        along = self._tangent(x, y) if place is Place.BET else rng.uniform(-pi, pi)
        return Spot(x, y, along, place)

    def _near_cards(self, x: float, y: float) -> bool:
        """Too near to where cards come out: the dealing hand would rest on the stake."""
        mouth = self.mouth
        shoe = self.layout.of_kind(ZoneKind.SHOE)[0]
        return hypot(x - mouth[0], y - mouth[1]) < 170.0 or shoe.inside_mm(x, y) > -CLEAR_OF_SHOE_MM

    def _tangent(self, x: float, y: float) -> float:
        near = self.layout.nearest_line(x, y)
        if near is None:
            return 0.0
        return _direction(near[0].points_mm, x, y)

    def _zone(self, place: Place, seat: int) -> Zone:
        bet = self.seat_zone(seat, ZoneKind.BET)
        if place is Place.BET:
            return bet
        if place is Place.OTHER:
            return next(zone for zone in self.layout.of_kind(ZoneKind.OTHER_PANO) if zone.pano == bet.pano)
        player = self.edge(seat)
        return min(
            self.layout.of_kind(ZoneKind.FORBIDDEN),
            key=lambda zone: hypot(zone.centre_mm[0] - player[0], zone.centre_mm[1] - player[1]),
        )

    def _line(self, place: Place, seat: int) -> Line:
        pano = self.seat_zone(seat, ZoneKind.BET).pano
        for line in self.layout.lines:
            if place is Place.CABALLO and line.kind is LineKind.CABALLO and line.pano == pano:
                return line
            if place is Place.HALF and line.kind is LineKind.HALF and line.seat == seat:
                return line
        raise DatasetError(f"layout {self.layout.name}: no {place} line for seat {seat}")

    def _on_line(self, line: Line, place: Place, rng: Random) -> Spot | None:
        points = line.points_mm
        steps = np.hypot(*np.diff(points, axis=0).T)
        length = float(steps.sum())
        where = rng.uniform(0.14, 0.86) * length
        index = int(np.searchsorted(np.cumsum(steps), where))
        rest = where - float(steps[:index].sum())
        start, end = points[index], points[index + 1]
        x, y = start + (end - start) * (rest / float(steps[index]))
        along = atan2(float(end[1] - start[1]), float(end[0] - start[0]))
        off = rng.uniform(-ON_LINE_MM, ON_LINE_MM) * 0.6
        x, y = float(x) - off * sin(along), float(y) + off * cos(along)
        if self._near_cards(x, y):
            return None
        others = [other.distance_mm(x, y) for other in self.layout.lines if other.name != line.name]
        if min(others, default=1e9) < 60.0:
            return None
        return Spot(x, y, along, place)

    def on_curve(self, spot: Spot, offset_mm: float) -> Point:
        """The point `offset_mm` from a spot along its line (or straight, off the lines)."""
        x, y = spot.x_mm + offset_mm * cos(spot.along), spot.y_mm + offset_mm * sin(spot.along)
        if spot.place not in (Place.HALF, Place.CABALLO):
            return x, y
        kind = LineKind.HALF if spot.place is Place.HALF else LineKind.CABALLO
        lines = [line for line in self.layout.lines if line.kind is kind]
        return min(
            (_nearest(line.points_mm, x, y) for line in lines), key=lambda p: hypot(p[0] - x, p[1] - y)
        )


def _nearest(points: NDArray[np.float64], x: float, y: float) -> Point:
    start, along = points[:-1], np.diff(points, axis=0)
    share = ((np.array([x, y]) - start) * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-9)
    feet = start + np.clip(share, 0.0, 1.0)[:, None] * along
    best = feet[np.hypot(feet[:, 0] - x, feet[:, 1] - y).argmin()]
    return float(best[0]), float(best[1])


def _direction(points: NDArray[np.float64], x: float, y: float) -> float:
    start, along = points[:-1], np.diff(points, axis=0)
    middle = start + along / 2
    index = int(np.hypot(middle[:, 0] - x, middle[:, 1] - y).argmin())
    return atan2(float(along[index, 1]), float(along[index, 0]))
