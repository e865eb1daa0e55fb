"""Events to and from the mappings that stand in a journal line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, replace
from decimal import Decimal, InvalidOperation

from veedor.rules.cards import parse_card
from veedor.rules.errors import CardError, JournalError
from veedor.rules.event_types import (
    EVENT_TYPES,
    EventCorrected,
    SessionOpened,
    TableEvent,
    UnknownEvent,
)

COMMON = ("id", "t", "source", "confidence", "frames")
MOST_SECONDS = 1e10  # three centuries: past that no clock on a wall can be told
MOST_DIGITS = 15  # of an amount: more is no money, and would take any length to write
SMALLEST = Decimal("1e-9")
MOST_SHOWN = 80  # of a value that is not what it ought to be
SOURCES = ("vision", "operator", "voice", "simulator", "import")
_VOCABULARY = {
    "face": ("up", "down"),
    "where": ("floor", "basket"),
    "pose": ("crossed", "parallel", "tucked", "loose"),
}


def event_name(event_type: type[TableEvent]) -> str:
    """Journal name of an event class: ``CardDealt`` is ``card_dealt``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event_type.__name__).lower()


TYPE_BY_NAME: dict[str, type[TableEvent]] = {event_name(kind): kind for kind in EVENT_TYPES}
NAME_BY_TYPE: dict[type[TableEvent], str] = {kind: name for name, kind in TYPE_BY_NAME.items()}


SPANISH_EXPECTED = {
    "text": "un texto",
    "a whole number": "un número entero",
    "a whole number, not negative": "un número entero, no negativo",
    "a whole number from 1": "un número entero desde 1",
    "a point from 0 to 9": "un punto de 0 a 9",
    "an amount": "un importe",
    "an amount, not negative": "un importe, no negativo",
    "an amount under 10^16": "un importe menor de 10^16",
    "true or false": "true o false",
    "a list of texts": "una lista de textos",
    "seconds": "segundos",
    "a number from 0 to 1": "un número de 0 a 1",
    "two frame numbers, first and last": "dos números de cuadro, primero y último",
    "the name of an event": "el nombre de un suceso",
    "an event as of a journal line": "un suceso como el de una línea del registro",
    "an event that can be corrected": "un suceso que se pueda corregir",
}


def _fault(field: str, expected: str, found: object) -> JournalError:
    shown = repr(found)
    if len(shown) > MOST_SHOWN:
        shown = shown[:MOST_SHOWN] + "…"
    spanish = SPANISH_EXPECTED.get(expected) or expected.replace("one of", "uno de")
    return JournalError(
        f"{field}: expected {expected}, found {shown}", f"{field}: se esperaba {spanish}, y hay {shown}"
    )


def _missing(field: str, where: str = "") -> JournalError:
    return JournalError(
        f"{field}: missing{where and ' in ' + where}", f"{field}: falta{where and ' en ' + where}"
    )


def _text(field: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise _fault(field, "text", value)
    text = str(value)
    allowed = _VOCABULARY.get(field)
    if allowed and text not in allowed:
        raise _fault(field, "one of " + ", ".join(allowed), value)
    if field == "shows":
        try:
            parse_card(text)
        except CardError as error:
            raise JournalError(f"shows: {error}") from None
    return text


def _whole(field: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _fault(field, "a whole number", value)
    if field in ("point", "points") and not 0 <= value <= 9:
        raise _fault(field, "a point from 0 to 9", value)
    if value < 0:
        raise _fault(field, "a whole number, not negative", value)
    return value


def _amount(field: str, value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        raise _fault(field, "an amount", value)
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        raise _fault(field, "an amount", value) from None
    if not amount.is_finite() or amount < 0:
        raise _fault(field, "an amount, not negative", value)
    if amount.adjusted() > MOST_DIGITS:
        raise _fault(field, "an amount under 10^16", value)
    # What a float adds behind the ninth place is no money.
    return amount if amount >= SMALLEST else Decimal(0)


def _flag(field: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _fault(field, "true or false", value)
    return value


def _texts(field: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise _fault(field, "a list of texts", value)
    return tuple(_text(f"{field}[{index}]", item) for index, item in enumerate(value))


def _event(field: str, value: object) -> TableEvent:
    if not isinstance(value, Mapping):
        raise _fault(field, "an event as of a journal line", value)
    if value.get("event") in (event_name(EventCorrected), event_name(SessionOpened)):
        raise _fault(field, "an event that can be corrected", value["event"])
    try:
        return replace(decode_event(value), id=0)
    except JournalError as error:
        raise JournalError(f"{field}: {error}", f"{field}: {error.spanish}") from None


_READERS: dict[str, Callable[[str, object], object]] = {
    "str": _text,
    "int": _whole,
    "Decimal": _amount,
    "bool": _flag,
    "tuple[str, ...]": _texts,
    "TableEvent": _event,
}


def _layout(kind: type[TableEvent]) -> tuple[tuple[str, Callable[[str, object], object], bool], ...]:
    rows = []
    for field in fields(kind):
        if field.name not in COMMON:
            reader = _READERS[str(field.type).removesuffix(" | None")]
            rows.append((field.name, reader, field.default is MISSING))
    return tuple(rows)


_LAYOUT = {kind: _layout(kind) for kind in EVENT_TYPES}


def _seconds(value: object) -> float:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not -MOST_SECONDS <= value <= MOST_SECONDS:  # type: ignore[operator]  # NaN neither
        raise _fault("t", "seconds", value)
    return float(value)  # type: ignore[arg-type]


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise _fault("confidence", "a number from 0 to 1", value)
    return float(value)


def _frame_pair(value: object) -> tuple[int, int] | None:
    if value is None:
        return None
    if isinstance(value, (list, tuple)) and len(value) == 2:
        first, last = value
        if type(first) is int and type(last) is int and 0 <= first <= last:
            return first, last
    raise _fault("frames", "two frame numbers, first and last", value)


def _common(mapping: Mapping[str, object]) -> dict[str, object]:
    if "t" not in mapping:
        raise _missing("t")
    number = mapping.get("id", 0)
    if type(number) is not int or number < 0:
        raise _fault("id", "a whole number from 1", number)
    source = mapping.get("source", "import")
    if source not in SOURCES:
        raise _fault("source", "one of " + ", ".join(SOURCES), source)
    return {
        "t": _seconds(mapping["t"]),
        "id": number,
        "source": source,
        "confidence": _share(mapping.get("confidence", 1.0)),
        "frames": _frame_pair(mapping.get("frames")),
    }


def decode_event(mapping: Mapping[str, object]) -> TableEvent:
    """Event of one journal line's object.

    An event kind this version does not know becomes an UnknownEvent; keys a kind does not have are left
    out. Raises JournalError naming the field that is missing or wrong.
    """
    name = mapping.get("event")
    if not isinstance(name, str):
        raise _fault("event", "the name of an event", name)
    values = _common(mapping)
    kind = TYPE_BY_NAME.get(name)
    if kind is None:
        payload = {key: value for key, value in mapping.items() if key not in COMMON and key != "event"}
        return UnknownEvent(name, payload, **values)  # type: ignore[arg-type]
    for field, reader, required in _LAYOUT[kind]:
        value = mapping.get(field)
        if value is not None:
            values[field] = reader(field, value)
        elif required:
            raise _missing(field, name)
    return kind(**values)  # type: ignore[arg-type]


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else str(value)
    if isinstance(value, TableEvent):
        return {key: part for key, part in encode_event(value).items() if key != "id"}
    return list(value) if isinstance(value, tuple) else value


def encode_event(event: TableEvent) -> dict[str, object]:
    """The event as a journal line's object: plain JSON values, absent payload left out."""
    line: dict[str, object] = {"id": event.id, "t": event.t}
    if isinstance(event, UnknownEvent):
        line |= {"event": event.name, **event.payload}
    else:
        kind = type(event)
        line["event"] = NAME_BY_TYPE[kind]
        for field, _, _ in _LAYOUT[kind]:
            value = getattr(event, field)
            if value is not None:
                line[field] = _plain(value)
    line |= {"source": event.source, "confidence": event.confidence}
    if event.frames is not None:
        line["frames"] = list(event.frames)
    return line
