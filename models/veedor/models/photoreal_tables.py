"""Path-traced tables with full truth: each picture with the table file that a casino would have made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.models.errors import EvaluationError
from veedor.models.labels import CardLabel, ChipLabel, LabelledPicture, LabelledSet, StakeLabel, read_json
from veedor.vision.camera import Camera
from veedor.vision.layout import Line, LineKind, TableLayout, Zone, ZoneKind
from veedor.vision.table import ChipType, Table

# A card or stack of which less is visible is not asked for, nor is finding it a fault.
MIN_VISIBLE = 0.5

# The set's colours are told by name; these are what the names mean on a colour chart, not what the pictures
# show: nothing is taken from pictures that are to be measured.
CHIPS = (
    ChipType("5", 5, (235, 235, 230)),
    ChipType("20", 20, (190, 30, 35)),
    ChipType("50", 50, (35, 70, 160)),
    ChipType("100", 100, (30, 120, 60)),
    ChipType("500", 500, (100, 45, 130)),
    ChipType("1000", 1000, (30, 30, 32)),
    ChipType("5000", 5000, (190, 30, 35), plaque=True, size_mm=(75.0, 48.0)),
    ChipType("10000", 10000, (35, 70, 160), plaque=True, size_mm=(75.0, 48.0)),
)

_KINDS = {
    "slot.cesta": ZoneKind.BASKET,
    "slot.tips": ZoneKind.TIPS,
    "slot.cagnotte": ZoneKind.CAGNOTTE,
    "banker.hand": ZoneKind.BANKER_HAND,
    "banker.bank": ZoneKind.BANK,
}
_KINDS_BY_ENDING = {
    ".other_cloth_area": ZoneKind.OTHER_PANO,
    ".hand": ZoneKind.HAND,
    ".bet": ZoneKind.BET,
    ".player": ZoneKind.PLAYER,
}
_LINES = {"half_line": LineKind.HALF, "caballo": LineKind.CABALLO, "caballo_line": LineKind.CABALLO}


def load_photoreal(folder: Path) -> LabelledSet:
    """One JSON a picture with every object and its visible share, one for the layout of them all."""
    layout = layout_of(read_json(folder / "layout.json"))
    pictures = []
    for path in sorted(folder.glob("*.json")):
        truth = read_json(path)
        if "objects" not in truth:
            continue
        try:
            pictures.append(_picture(folder, truth, layout))
        except (KeyError, TypeError, ValueError) as fault:
            raise EvaluationError(f"{path}: not the truth of a photoreal picture: {fault!r}") from fault
    return LabelledSet(folder.name, tuple(pictures))


def layout_of(document: Mapping[str, Any]) -> TableLayout:
    """The layout as a table file would hold it; parts of the felt without a meaning are left out."""
    order: Sequence[str] = document["zone_priority"]

    def turn(name: str) -> int:
        return next((place for place, part in enumerate(order) if part in name), len(order))

    zones = []
    for name in sorted(document["zones"], key=turn):
        kind = _kind_of(name)
        if kind is not None:
            pano, seat = _place_of(name)
            zones.append(Zone(name, kind, np.array(document["zones"][name], np.float64), pano, seat))
    tolerance = float(document["on_line_tolerance_mm"]["centre_max_offset"])
    lines = tuple(
        Line(name, _LINES[line["kind"]], np.array(line["points"], np.float64), tolerance, *_place_of(name))
        for name, line in document["lines"].items()
    )
    return TableLayout("photoreal", np.array(document["outline"], np.float64), tuple(zones), lines)


def _kind_of(name: str) -> ZoneKind | None:
    if name in _KINDS:
        return _KINDS[name]
    if name.startswith("forbidden."):
        return ZoneKind.FORBIDDEN
    return next((kind for ending, kind in _KINDS_BY_ENDING.items() if name.endswith(ending)), None)


def _place_of(name: str) -> tuple[int | None, int | None]:
    """Paño and seat out of `cloth2.dept7.bet`."""
    parts = name.split(".")
    pano = int(parts[0].removeprefix("cloth")) if parts[0].startswith("cloth") else None
    seat = int(parts[1].removeprefix("dept")) if parts[1].startswith("dept") else None
    return pano, seat


def _picture(folder: Path, truth: Mapping[str, Any], layout: TableLayout) -> LabelledPicture:
    cards, chips = [], []
    for thing in truth["objects"]:
        if thing["class"] in ("card_face", "card_back"):
            cards.append(_card(thing))
        elif thing["class"] in ("chip_stack", "plaque"):
            chips.append(_chips(thing))
    table = Table(
        Path(truth["image"]).stem,
        "photoreal",
        "dos-panos-limitada",
        layout,
        CHIPS,
        _camera(truth["camera"]),
    )
    return LabelledPicture(folder / truth["image"], tuple(cards), tuple(chips), table)


def _card(thing: Mapping[str, Any]) -> CardLabel:
    up = thing["class"] == "card_face"
    return CardLabel(
        np.array(thing["quad_px"], dtype=np.float64),
        thing.get("rank", "").replace("10", "T") or None if up else None,
        thing.get("suit") if up else None,
        face_up=up,
        asked=thing["visible_fraction"] >= MIN_VISIBLE,
    )


def _chips(thing: Mapping[str, Any]) -> ChipLabel:
    plaque = thing["class"] == "plaque"
    stake = None
    if thing.get("role") == "bet":
        bet = thing["bet"] or {"kind": "nothing", "cloth1_units": 0, "cloth2_units": 0}
        shares = (float(bet[f"cloth{pano}_units"]) / float(thing["amount"]) for pano in (1, 2))
        near_line = thing.get("hard_negative") is not None
        stake = StakeLabel(str(bet["kind"]), (next(shares), next(shares)), near_line)
    return ChipLabel(
        _box_round(thing["quad_px"] if plaque else thing["polygon_px"]),
        plaque,
        asked=stake is not None and thing["visible_fraction"] >= MIN_VISIBLE,
        visible=thing["visible_fraction"] >= MIN_VISIBLE,
        values=(int(thing["denomination"]),) if plaque else tuple(thing["denominations_bottom_to_top"]),
        base_mm=np.array(thing["base_centre_mm"], np.float64),
        stake=stake,
    )


def _camera(truth: Mapping[str, Any]) -> Camera:
    return Camera(
        int(truth["width"]),
        int(truth["height"]),
        np.array(truth["K"], np.float64),
        np.array(truth["dist_opencv_k1k2p1p2k3"], np.float64),
        np.array(truth["R"], np.float64),
        np.array(truth["t_mm"], np.float64),
    )


def _box_round(points: Any) -> NDArray[np.float64]:
    return np.asarray(cv2.boxPoints(cv2.minAreaRect(np.array(points, dtype=np.float32))), dtype=np.float64)
