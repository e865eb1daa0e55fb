"""What a stake plays where its base stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from veedor.vision.layout import LineKind, TableLayout, ZoneKind

FloatArray = NDArray[np.float64]

_NAMED = (ZoneKind.PUNTO, ZoneKind.BANCA, ZoneKind.SUITE, ZoneKind.TIE)

# Chips in these zones are nobody's stake.
NOT_STAKES = frozenset(
    {
        ZoneKind.BANK,
        ZoneKind.TIPS,
        ZoneKind.CROUPIER,
        ZoneKind.BASKET,
        ZoneKind.SHOE,
        ZoneKind.BANKER_HAND,
        ZoneKind.CAGNOTTE,
    }
)


@dataclass(frozen=True)
class Place:
    """Where a base stands. `plays` is a bet zone of the journal, None where nothing is played.

    `seat` and `pano` are those of the felt there; `line_gap_mm` is how far the base is from the nearest
    border between two meanings, so that whoever knows the calibration's error can tell what is undecided.
    """

    plays: str | None
    zone: str | None
    pano: int | None
    seat: int | None
    line_gap_mm: float


def place_of(layout: TableLayout, base_mm: FloatArray) -> Place:
    """The meaning of a base at (2,) mm."""
    x, y = float(base_mm[0]), float(base_mm[1])
    zone = layout.zone_at(x, y)
    touched = [
        (line.distance_mm(x, y), line)
        for line in layout.lines
        if line.distance_mm(x, y) <= line.half_width_mm
    ]
    gap = min((abs(line.distance_mm(x, y) - line.half_width_mm) for line in layout.lines), default=np.inf)
    name = zone.name if zone is not None else None
    if touched:
        kinds = {line.kind for _, line in touched}
        _, line = min(touched, key=lambda pair: pair[0])
        if kinds == {LineKind.HALF, LineKind.CABALLO}:
            return Place("half:caballo", name, line.pano, line.seat, float(gap))
        if line.kind is LineKind.CABALLO:
            return Place("caballo", name, line.pano, line.seat, float(gap))
        return Place(f"half:P{line.pano}", name, line.pano, line.seat, float(gap))
    if zone is None:
        return Place(None, None, None, None, float(gap))
    plays: str | None = None
    if zone.kind is ZoneKind.BET and zone.pano is not None:
        plays = f"P{zone.pano}"
    elif zone.kind is ZoneKind.OTHER_PANO and zone.pano is not None:
        plays = f"P{3 - zone.pano}"
    elif zone.kind is ZoneKind.FORBIDDEN:
        plays = "forbidden"
    elif zone.kind in _NAMED:
        plays = zone.kind.value
    return Place(plays, name, zone.pano, zone.seat, float(gap))


def place_of_group(layout: TableLayout, bases_mm: Sequence[FloatArray]) -> Place:
    """The meaning of a stake laid out in several piles: what most of them play, the clearest of those."""
    places = [place_of(layout, base) for base in bases_mm]
    votes = Counter(place.plays for place in places if place.plays is not None)
    if not votes:
        return places[0]
    most = max(votes.values())
    # A row along a line may end off it: on a tie the line, which is the narrower aim, wins.
    leading = sorted(name for name, count in votes.items() if count == most)
    plays = max(leading, key=lambda name: (name == "caballo" or name.startswith("half"), name))
    return max((place for place in places if place.plays == plays), key=lambda place: place.line_gap_mm)
