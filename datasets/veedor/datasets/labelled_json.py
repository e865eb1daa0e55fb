"""Labelled pictures as JSON objects: the form of the label store's lines and of data-set versions.

Numbers come back to the last bit, and what is left out has its default.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from veedor.datasets.labelled import LabelError, LabelledObject, LabelledPicture, as_corners
from veedor.vision.detections import ObjectClass

SCHEMA = 1


def kind_name(kind: ObjectClass) -> str:
    """A class as files spell it: `card_face`, `chip_stack`, …"""
    return kind.name.lower()


KIND_BY_NAME = {kind_name(kind): kind for kind in ObjectClass}


def object_to_json(item: LabelledObject) -> dict[str, object]:
    """One object; what is None, False or empty is left out."""
    record: dict[str, object] = {
        "id": item.id,
        "kind": kind_name(item.kind),
        "corners_px": [list(point) for point in item.corners_px],
    }
    for name in ("rank", "suit", "back", "count", "zone"):
        if getattr(item, name) is not None:
            record[name] = getattr(item, name)
    if item.chips is not None:
        record["chips"] = list(item.chips)
    record |= {name: True for name in ("occluded", "truncated") if getattr(item, name)}
    if item.extra:
        record["extra"] = [list(pair) for pair in item.extra]
    return record


def object_from_json(record: object) -> LabelledObject:
    """The object of such a record; LabelError says what is wrong with it."""
    fields = _fields(record, "object", _OBJECT_FIELDS)
    kind = fields.pop("kind", None)
    if not isinstance(kind, str) or kind not in KIND_BY_NAME:
        raise LabelError(f"object {fields.get('id')}: unknown kind {kind!r}")
    where = f"object {fields.get('id')}"
    corners = fields.pop("corners_px", None)
    if not isinstance(corners, list) or not all(_is_numbers(point) for point in corners):
        raise LabelError(f"{where}: corners_px is not four pairs of numbers")
    extra = fields.pop("extra", [])
    if not isinstance(extra, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in extra):
        raise LabelError(f"{where}: extra is not a list of pairs")
    chips = fields.pop("chips", None)
    if chips is not None and not isinstance(chips, list):
        raise LabelError(f"{where}: chips is not a list of names")
    return LabelledObject(
        kind=KIND_BY_NAME[kind],
        corners_px=as_corners(corners),
        chips=None if chips is None else tuple(chips),
        extra=tuple((name, value) for name, value in extra),
        **fields,  # type: ignore[arg-type]  # LabelledObject looks at every field
    )


def picture_to_json(picture: LabelledPicture) -> dict[str, object]:
    """One picture with its objects."""
    record: dict[str, object] = {"schema": SCHEMA}
    record |= {name: getattr(picture, name) for name in _PICTURE_FIELDS if name != "objects"}
    record["time_base"] = time_base_text(picture)
    record["objects"] = [object_to_json(item) for item in picture.objects]
    return record


def time_base_text(picture: LabelledPicture) -> str:
    """A picture's time base as files have it, `1/90000`."""
    return f"{picture.time_base.numerator}/{picture.time_base.denominator}"


def picture_from_json(record: object) -> LabelledPicture:
    """The picture of such a record; LabelError says what is wrong with it."""
    fields = _fields(record, "picture", ("schema", *_PICTURE_FIELDS))
    if fields.pop("schema", None) != SCHEMA:
        raise LabelError(f"picture {fields.get('id')}: not of schema {SCHEMA}")
    where = f"picture {fields.get('id')}"
    objects = fields.pop("objects", [])
    if not isinstance(objects, list):
        raise LabelError(f"{where}: objects is not a list")
    missing = [name for name in _PICTURE_FIELDS if name not in (*fields, "objects", "split")]
    if missing:
        raise LabelError(f"{where}: {missing[0]} is missing")
    time_base = fraction(fields.pop("time_base"), f"{where}: time_base")
    try:
        found = tuple(object_from_json(each) for each in objects)
    except LabelError as fault:
        raise LabelError(f"{where}: {fault}") from fault
    fields.setdefault("split", None)
    return LabelledPicture(objects=found, time_base=time_base, **fields)  # type: ignore[arg-type]


def fraction(value: object, where: str) -> Fraction:
    """A time base written `1/12800`."""
    if not isinstance(value, str) or len(value) > 60:
        raise LabelError(f"{where} is not a fraction like 1/12800")
    upper, _, lower = value.partition("/")
    if not (upper.isascii() and upper.isdigit() and lower.isascii() and lower.isdigit()) or int(lower) == 0:
        raise LabelError(f"{where}: {value!r} is not a fraction like 1/12800")
    return Fraction(int(upper), int(lower))


_OBJECT_FIELDS = (
    "id", "kind", "corners_px", "rank", "suit", "back", "chips", "count", "zone", "occluded", "truncated",
    "extra",
)  # fmt: skip
_PICTURE_FIELDS = (
    "id", "recording", "pts", "time_base", "width", "height", "session", "table", "split", "author",
    "revision", "objects",
)  # fmt: skip


def _fields(record: object, what: str, known: tuple[str, ...]) -> dict[str, object]:
    if not isinstance(record, Mapping):
        raise LabelError(f"a {what} is not a JSON object")
    unknown = [str(name) for name in record if name not in known]
    if unknown:
        raise LabelError(f"{what} {record.get('id')}: unknown field {unknown[0]}")
    if "id" not in record:
        raise LabelError(f"{what} without an id")
    return dict(record)


def _is_numbers(point: object) -> bool:
    return isinstance(point, list) and all(
        isinstance(part, int | float) and not isinstance(part, bool) for part in point
    )
