"""What somebody looks for: the fields of the search form, and one line such as `mesa-3 23:40 asiento 4`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlencode

from veedor.monitor.language import Bilingual
from veedor.monitor.store import State
from veedor.monitor.store.layout import is_name
from veedor.monitor.store.search import CoupFilter
from veedor.monitor.written_amounts import UnclearAmount, read_amount
from veedor.rules.rulebook import rulebook
from veedor.rules.verdict import Verdict

_T = TypeVar("_T")
LONGEST, MOST_AMOUNT = 200, 10**12
ABOUT_MIN = 10  # around a single time that was given: people remember roughly
FIELDS = ("q", "table", "code", "person", "low", "high", "since", "until", "from", "to", "verdict", "state")
VERDICTS = (Verdict.BROKEN.value, Verdict.UNDECIDED.value, Verdict.INSPECTOR.value)
_TIME = re.compile(r"([01]?[0-9]|2[0-3])[:.h]([0-5][0-9])", re.ASCII)
_SPAN = re.compile(rf"{_TIME.pattern}[-–]{_TIME.pattern}", re.ASCII)
_HALF_OF_DAY = re.compile(r"\s*([ap])\.?m\.?(?!\S)", re.ASCII | re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_SEAT = re.compile(r"(?:asiento|seat|s)\s*([0-9]{1,2})", re.ASCII | re.IGNORECASE)
_AMOUNTS = re.compile(r"([0-9]{1,12})\.\.([0-9]{1,12})", re.ASCII)
_AMOUNT = re.compile(r"[0-9]{3,12}", re.ASCII)
_CODE = re.compile(r"[A-Z][A-Z0-9_]{2,40}", re.ASCII)


class FieldFault(Exception):
    """A field holds what it cannot; the words stand beside it."""

    def __init__(self, words: Bilingual) -> None:
        super().__init__(words.en)
        self.words = words


@dataclass(frozen=True)
class Query:
    """A search as it was written, what it means, and words of the line that mean nothing.

    `near` is the one minute of the day that was asked for, None for a stretch or none. `faults` say, by
    field, what is wrong with one that holds what it cannot: it limits nothing.
    """

    written: Mapping[str, str]
    filter: CoupFilter
    near: int | None = None
    unknown: tuple[str, ...] = ()
    faults: Mapping[str, Bilingual] = field(default_factory=dict)

    @property
    def asked(self) -> bool:
        return any(self.written.values())

    def address(self, path: str, **changes: str) -> str:
        """The same search at another address."""
        kept = {name: value for name, value in self.written.items() if value} | changes
        return f"{path}?{urlencode(kept)}" if kept else path


def read_query(params: Mapping[str, str], tables: Iterable[str]) -> Query:
    """The search that an address asks for."""
    written = {name: params.get(name, "").strip() for name in FIELDS}
    faults: dict[str, Bilingual] = {}

    def meant(name: str, meaning: Callable[[str], _T], otherwise: _T) -> _T:
        try:
            if len(written[name]) > LONGEST:
                raise _wrong(f"hasta {LONGEST} caracteres", f"up to {LONGEST} characters")
            return meaning(written[name])
        except FieldFault as fault:
            faults[name] = fault.words
            return otherwise

    nothing: tuple[str, ...] = ()
    wanted = CoupFilter(
        table_id=meant("table", _name, None),
        person=meant("person", _person, None),
        low=meant("low", _amount, None),
        high=meant("high", _amount, None),
        codes=meant("code", _code, nothing),
        verdicts=meant("verdict", partial(_one_of, known=VERDICTS), nothing),
        states=tuple(State(each) for each in meant("state", partial(_one_of, known=tuple(State)), nothing)),
        since=meant("since", _day, None),
        until=meant("until", _day, None),
        from_min=meant("from", _minute, None),
        to_min=meant("to", _minute, None),
    )
    return _with_line(Query(written, wanted, faults=faults), meant("q", str, ""), set(tables))


def _with_line(query: Query, line: str, tables: set[str]) -> Query:
    """The query with what its one line says; the fields beside it go first."""
    said: dict[str, Any] = {}
    near: int | None = None
    rest = _without_table(line, tables, said)
    span = _SPAN.search(rest)
    if span is not None:
        hours = [int(each) for each in span.groups()]
        said |= {"from_min": hours[0] * 60 + hours[1], "to_min": hours[2] * 60 + hours[3]}
        rest = rest.replace(span.group(0), " ", 1)
    elif (time := _TIME.search(rest)) is not None:
        hour = int(time.group(1))
        half = _HALF_OF_DAY.match(rest, time.end())
        if half is not None and 1 <= hour <= 12:
            hour = hour % 12 + (12 if half.group(1).lower() == "p" else 0)
            rest = rest[: half.start()] + rest[half.end() :]
        near = hour * 60 + int(time.group(2))
        said |= {"from_min": (near - ABOUT_MIN) % 1440, "to_min": (near + ABOUT_MIN) % 1440}
        rest = rest.replace(time.group(0), " ", 1)
    for pattern, meaning in (
        (_DAY, lambda found: {"since": _day(found.group(0)), "until": _day(found.group(0))}),
        (_AMOUNTS, lambda found: {"low": Decimal(found.group(1)), "high": Decimal(found.group(2))}),
        (
            re.compile(rf"(?<!\S){_SEAT.pattern}(?!\S)", _SEAT.flags),
            lambda found: {"person": f"seat{int(found.group(1))}"},
        ),
    ):
        match = pattern.search(rest)
        if match is not None:
            said |= meaning(match)
            rest = rest.replace(match.group(0), " ", 1)
    unknown = []
    for word in rest.split():
        if _CODE.fullmatch(word) and word in rulebook().codes:
            said["codes"] = (word,)
        elif _AMOUNT.fullmatch(word) and "low" not in said:
            said |= {"low": Decimal(word), "high": Decimal(word)}
        else:
            unknown.append(word)
    free = {name: value for name, value in said.items() if not getattr(query.filter, name)}
    if query.filter.from_min is not None or query.filter.to_min is not None:
        near = None
        free = {name: value for name, value in free.items() if name not in ("from_min", "to_min")}
    return replace(query, filter=replace(query.filter, **free), near=near, unknown=tuple(unknown))


def _without_table(line: str, tables: set[str], said: dict[str, Any]) -> str:
    """The line without its table: one may be called `s1` as a seat is, or `sala-20.30` as a time."""
    words = line.split()
    for place, word in enumerate(words):
        named = word if word in tables else word.lower()
        of_a_seat = place > 0 and words[place - 1].lower() in ("asiento", "seat", "s")
        if named in tables and not of_a_seat:
            said["table_id"] = named
            words[place] = ""
    return " ".join(words)


def _name(written: str) -> str | None:
    if not written:
        return None
    if not is_name(written):
        raise _wrong("no es un nombre de mesa", "not a table's name")
    return written


def _person(written: str) -> str | None:
    if not written:
        return None
    seat = re.fullmatch(rf"{_SEAT.pattern}|([0-9]{{1,2}})", written, _SEAT.flags)
    if seat is not None:
        return f"seat{int(seat.group(1) or seat.group(2))}"
    return written


def _amount(written: str) -> Decimal | None:
    if not written:
        return None
    try:
        amount = read_amount(written)
    except UnclearAmount as fault:
        raise _wrong(fault.es, fault.en) from None
    if not 0 <= amount <= MOST_AMOUNT:
        raise _wrong("de 0 a 10^12", "0 to 10^12")
    return amount


def _code(written: str) -> tuple[str, ...]:
    if written and written not in rulebook().codes:
        raise _wrong("no hay tal código", "there is no such code")
    return (written,) if written else ()


def _one_of(written: str, known: Iterable[str]) -> tuple[str, ...]:
    if written and written not in tuple(known):
        raise _wrong("no es una opción", "not an option")
    return (written,) if written else ()


def _day(written: str) -> date | None:
    if not written:
        return None
    try:
        if not _DAY.fullmatch(written):
            raise ValueError
        return date.fromisoformat(written)
    except ValueError:
        raise _wrong("se espera un día: AAAA-MM-DD", "a day is expected: YYYY-MM-DD") from None


def _minute(written: str) -> int | None:
    if not written:
        return None
    found = _TIME.fullmatch(written)
    if found is None:
        raise _wrong("se espera una hora: HH:MM", "a time is expected: HH:MM")
    return int(found.group(1)) * 60 + int(found.group(2))


def _wrong(es: str, en: str) -> FieldFault:
    return FieldFault(Bilingual(es, en))
