"""Frozen dataclasses to JSON and back, by their annotations: the state of a table as it goes over the bus."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from veedor.monitor.bus_messages import BusFault
from veedor.monitor.live_state import LiveState
from veedor.rules.errors import RulesError
from veedor.rules.events import TableEvent, decode_event, encode_event


def state_to_json(state: LiveState) -> dict[str, object]:
    return cast("dict[str, object]", to_plain(state))


def state_from_json(told: Mapping[str, object]) -> LiveState:
    """The state; BusFault where a field is not of its kind. Fields of a later version are left out."""
    return cast(LiveState, from_plain(LiveState, told))


def to_plain(value: object) -> object:
    """A value as JSON has it: amounts as text, tuples as lists, events as lines of a journal."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, TableEvent):
        return encode_event(value)
    if isinstance(value, (tuple, list)):
        return [to_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if is_dataclass(value):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"no JSON for {type(value).__name__}")


def from_plain(kind: Any, value: object) -> object:
    """The value of `kind` that `to_plain` made `value` of; BusFault where it did not."""
    try:
        return _reader(kind)(value)
    except (RulesError, InvalidOperation, TypeError, AttributeError, KeyError) as fault:
        raise BusFault(f"state: {fault}") from None


@cache
def _reader(kind: Any) -> Callable[[Any], object]:
    if isinstance(kind, type) and issubclass(kind, TableEvent):
        return decode_event
    if kind is Decimal:
        return lambda value: Decimal(_checked(str, value))
    if isinstance(kind, type) and is_dataclass(kind):
        return _dataclass_reader(kind)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        (only,) = (each for each in inner if each is not type(None))
        return lambda value: None if value is None else _reader(only)(value)
    if origin is tuple:
        return lambda value: tuple(_reader(inner[0])(item) for item in _checked(list, value))
    if origin is not None:
        return lambda value: {key: _reader(inner[1])(item) for key, item in _checked(dict, value).items()}
    if kind is float:
        return lambda value: float(_checked((int, float), value))
    return lambda value: _checked(kind, value)


def _dataclass_reader(kind: Any) -> Callable[[Any], object]:
    hints = get_type_hints(kind)

    def read(value: object) -> object:
        told = _checked(dict, value)
        found = {}
        for field in fields(kind):
            if field.name in told:
                found[field.name] = _reader(hints[field.name])(told[field.name])
            elif field.default is MISSING and field.default_factory is MISSING:
                raise TypeError(f"{kind.__name__}: {field.name}: missing")
        return kind(**found)

    return read


def _checked(kind: Any, value: Any) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise TypeError(f"expected {getattr(kind, '__name__', kind)}, found {value!r:.60}")
    return value
