"""What a label says beside class and outline, as the named texts that COCO and CVAT carry with a shape.

Each class has the attributes that a person fills in for it; whatever else an object has, and corners that
lie outside the picture, travel in `more`, as JSON, so that nothing is lost on the way.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from veedor.datasets.formats.outlines import (
    Outline,
    card_way_round,
    corners_of_outline,
    outline_inside,
    same_outline,
)
from veedor.datasets.labelled import Corners, LabelError, LabelledObject, as_corners
from veedor.rules.cards import RANKS, SUITS, UNREAD
from veedor.vision.detections import ObjectClass

ID, MORE = "id", "more"
_RANK_AND_SUIT = ("rank", "suit")
BY_KIND: dict[ObjectClass, tuple[str, ...]] = {
    ObjectClass.CARD_FACE: _RANK_AND_SUIT,
    ObjectClass.CARD_BACK: ("back",),
    ObjectClass.CHIP_STACK: ("chips", "count"),
    ObjectClass.PLAQUE: ("chips", "count"),
}
CHOICES = {"rank": (UNREAD, *RANKS), "suit": (UNREAD, *SUITS), "truncated": ("false", "true")}
# What other programs add by themselves about their own drawing.
_TECHNICAL = frozenset({"occluded", "outside", "keyframe", "track_id", "rotation"})
_TRUE, _FALSE = ("true", "1"), ("false", "0", "")


@dataclass(frozen=True)
class Shape:
    """One drawn shape as a file has it. `number` names it where it brings no id of its own."""

    kind: ObjectClass
    points: Outline
    attributes: Mapping[str, object]
    occluded: bool
    number: str


def names_of(kind: ObjectClass) -> tuple[str, ...]:
    """The attributes that a shape of that class carries, in order."""
    return (ID, *BY_KIND.get(kind, ()), "zone", "truncated", MORE)


def outline_of(item: LabelledObject, size: tuple[int, int]) -> Outline:
    """The outline to write: what lies in the picture, or all of it where nothing does."""
    return outline_inside(item.corners_px, size) or item.corners_px


def to_attributes(item: LabelledObject, size: tuple[int, int]) -> dict[str, str]:
    """Every field but class, outline and `occluded`, as texts; `size` is the picture's."""
    own = BY_KIND.get(item.kind, ())
    texts = {ID: item.id, "zone": item.zone or "", "truncated": "true" if item.truncated else "false"}
    more: dict[str, object] = {}
    for name in (*_RANK_AND_SUIT, "back", "chips", "count"):
        value = getattr(item, name)
        value = list(value) if isinstance(value, tuple) else value
        if name in own:
            texts[name] = _text(value, UNREAD if name in _RANK_AND_SUIT else "")
        elif value is not None:
            more[name] = value
    if item.extra:
        more["extra"] = [list(pair) for pair in item.extra]
    if outline_of(item, size) != item.corners_px:
        more["corners_px"] = [list(point) for point in item.corners_px]
    texts[MORE] = json.dumps(more, ensure_ascii=False) if more else ""
    return {name: texts[name] for name in names_of(item.kind)}


def _text(value: object, unknown: str) -> str:
    if value is None:
        return unknown
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else str(value)


def to_object(shape: Shape, size: tuple[int, int]) -> LabelledObject:
    """The object of a shape; LabelError says what cannot be.

    Its corners are those it was written with, unless somebody has moved its outline since.
    """
    given = {name: _as_text(value) for name, value in shape.attributes.items()}
    name = given.pop(ID, "") or shape.number
    more = _more(given.pop(MORE, ""), name)
    back = more.pop("back", None)
    fields: dict[str, Any] = {
        "rank": _choice(given.pop("rank", None), more, "rank", RANKS, name),
        "suit": _choice(given.pop("suit", None), more, "suit", SUITS, name),
        "back": given.pop("back", "") or back,
        "zone": given.pop("zone", "") or None,
        "chips": _chips(given.pop("chips", ""), more, name),
        "count": _count(given.pop("count", ""), more, name),
        "truncated": _truth(given.pop("truncated", ""), "truncated", name),
        "occluded": shape.occluded or _truth(given.get("occluded", ""), "occluded", name),
    }
    extra = _pairs(more.pop("extra", []), name)
    known = {each for each, _ in extra}
    others = tuple((key, text) for key, text in given.items() if key not in known | _TECHNICAL)
    corners = _corners(shape, more.pop("corners_px", None), size, name, own=ID in shape.attributes)
    if more:
        raise LabelError(f"object {name}: unknown field {next(iter(more))!r} in {MORE}")
    return LabelledObject(name, shape.kind, corners, extra=extra + others, **fields)


def _corners(shape: Shape, written: object, size: tuple[int, int], name: str, *, own: bool) -> Corners:
    if written is not None:
        try:
            exact = as_corners([[float(part) for part in point] for point in written])  # type: ignore[attr-defined]
        except (TypeError, ValueError, OverflowError):
            raise LabelError(f"object {name}: corners_px in {MORE} is not four points") from None
        # Looked at before it is cut by the picture's borders: it may hold anything.
        LabelledObject(name, shape.kind, exact)
        if same_outline(outline_inside(exact, size), shape.points):
            return exact
    corners = corners_of_outline(shape.points)
    if corners is None:
        raise LabelError(f"object {name}: its outline encloses nothing")
    return corners if own and len(shape.points) == 4 else card_way_round(shape.kind, corners)


def _more(text: str, name: str) -> dict[str, Any]:
    if not text:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise LabelError(f"object {name}: {MORE} is not a JSON object")
    return found


def _pairs(found: object, name: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(found, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in found):
        raise LabelError(f"object {name}: extra in {MORE} is not a list of pairs")
    return tuple((key, value) for key, value in found)


def _choice(given: str | None, more: dict[str, Any], what: str, known: str, name: str) -> str | None:
    """A rank or suit; programs that take `7` for a number give back `7.0`."""
    kept = more.pop(what, None)
    if given is None or given in ("", UNREAD):
        return kept if kept is None or isinstance(kept, str) else str(kept)
    value = given.upper().removesuffix(".0")
    value = "T" if what == "rank" and value == "10" else value
    if value not in tuple(known):
        raise LabelError(f"object {name}: {what} {given!r:.40} is not one of {' '.join(known)}")
    return value


def _chips(given: str, more: dict[str, Any], name: str) -> tuple[str, ...] | None:
    """Names from the bottom up: a JSON list, or parted by commas as a person types them."""
    found: object = more.pop("chips", None)
    if given.lstrip().startswith("["):
        try:
            found = json.loads(given)
        except (ValueError, RecursionError):
            raise LabelError(f"object {name}: chips {given!r:.40} is not a list of names") from None
    elif given:
        found = [part.strip() for part in given.split(",")]
    if found is None:
        return None
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise LabelError(f"object {name}: chips is not a list of names")
    return tuple(found)


def _count(given: str, more: dict[str, Any], name: str) -> int | None:
    found = more.pop("count", None)
    if not given:
        return found if found is None or isinstance(found, int) else -1
    digits = given.removesuffix(".0")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 6):
        raise LabelError(f"object {name}: count {given!r:.40} is not a number")
    return int(digits)


def _truth(given: str, what: str, name: str) -> bool:
    if given.lower() in _TRUE:
        return True
    if given.lower() in _FALSE:
        return False
    raise LabelError(f"object {name}: {what} {given!r:.40} is neither true nor false")


def _as_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
