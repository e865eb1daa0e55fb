"""What is printed on a table's felt, in table millimetres, and what a spot on it means."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class ZoneKind(StrEnum):
    """Kinds of felt areas (table file, CONTRACTS section 2)."""

    PLAYER = "player"
    BET = "bet"
    OTHER_PANO = "other_pano"
    HAND = "hand"
    BANKER_HAND = "banker_hand"
    BANK = "bank"
    SHOE = "shoe"
    BASKET = "basket"
    CAGNOTTE = "cagnotte"
    TIPS = "tips"
    CROUPIER = "croupier"
    FORBIDDEN = "forbidden"
    PUNTO = "punto"
    BANCA = "banca"
    SUITE = "suite"
    TIE = "tie"


class LineKind(StrEnum):
    HALF = "half"
    CABALLO = "caballo"


@dataclass(frozen=True)
class Zone:
    """A named area. `polygon_mm` (n, 2), simple; `pano` is 1, 2 or None, `seat` a number or None."""

    name: str
    kind: ZoneKind
    polygon_mm: FloatArray
    pano: int | None = None
    seat: int | None = None

    @property
    def centre_mm(self) -> FloatArray:
        """Centre of area, (2,)."""
        moments = cv2.moments(self.polygon_mm.astype(np.float32).reshape(-1, 1, 2))
        return np.array([moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]])

    def inside_mm(self, x_mm: float, y_mm: float) -> float:
        """Signed distance to the border: positive inside, negative outside."""
        contour = self.polygon_mm.astype(np.float32).reshape(-1, 1, 2)
        return float(cv2.pointPolygonTest(contour, (float(x_mm), float(y_mm)), True))

    def depth_mm(self, point_mm: FloatArray) -> float:
        """The same of a point (2,)."""
        return self.inside_mm(float(point_mm[0]), float(point_mm[1]))


@dataclass(frozen=True)
class Line:
    """A printed line with a meaning. `points_mm` (n, 2); a base within `half_width_mm` of it stands on it."""

    name: str
    kind: LineKind
    points_mm: FloatArray
    half_width_mm: float
    pano: int | None = None
    seat: int | None = None

    def distance_mm(self, x_mm: float, y_mm: float) -> float:
        """Distance from a point to the polyline, never negative."""
        point = np.array([x_mm, y_mm])
        start, end = self.points_mm[:-1], self.points_mm[1:]
        along = end - start
        length = np.maximum((along**2).sum(axis=1), 1e-9)
        share = np.clip(((point - start) * along).sum(axis=1) / length, 0.0, 1.0)
        nearest = start + share[:, None] * along
        return float(np.sqrt(((nearest - point) ** 2).sum(axis=1)).min())


@dataclass(frozen=True)
class TableLayout:
    """The felt.

    `outline_mm` (n, 2) is its edge; `zones` are looked up in order, the first that holds wins.
    """

    name: str
    outline_mm: FloatArray
    zones: tuple[Zone, ...]
    lines: tuple[Line, ...] = field(default=())

    def zone_at(self, x_mm: float, y_mm: float) -> Zone | None:
        """The first zone that holds the point, or None off every zone."""
        return next((zone for zone in self.zones if zone.inside_mm(x_mm, y_mm) >= 0), None)

    def zone(self, name: str) -> Zone:
        """The zone of that name; KeyError if there is none."""
        for zone in self.zones:
            if zone.name == name:
                return zone
        raise KeyError(name)

    def of_kind(self, kind: ZoneKind) -> tuple[Zone, ...]:
        return tuple(zone for zone in self.zones if zone.kind is kind)

    def nearest_line(self, x_mm: float, y_mm: float) -> tuple[Line, float] | None:
        """The line closest to the point and its distance in mm; None on a felt without lines."""
        if not self.lines:
            return None
        measured = [(line.distance_mm(x_mm, y_mm), line) for line in self.lines]
        distance, line = min(measured, key=lambda pair: pair[0])
        return line, distance
