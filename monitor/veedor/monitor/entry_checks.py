"""Whether an entry can have been at this table: its hands, seats, people, amounts and words.

Not whether it is allowed: what is against the rules is what the record is for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from decimal import Decimal

from veedor.monitor.fold import EntryFault
from veedor.monitor.written_amounts import as_program
from veedor.monitor.written_text import shows
from veedor.rules.coup_numbers import MOST_COUP
from veedor.rules.coup_parts import DEAD, OFF_TABLE, SHOE
from veedor.rules.event_codec import COMMON
from veedor.rules.events import BankerLeft, BetPaid, CardDealt, CardMoved, Said, TableEvent
from veedor.rules.profile import RuleProfile
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.record_audit import WORDS
from veedor.rules.stakes import DOS_PANOS_ZONES, PUNTO_ZONES
from veedor.vision.table import Table

MOST_SEATS = 20  # of a table whose layout numbers none
MOST_AMOUNT = Decimal(10) ** 12
MOST_DECKS, MOST_CARDS = 16, 16 * 52
STAFF = ("croupier", "inspector", "director", "employee")
BANKER = "banker"
_BY_ANYBODY = ("advice", "banco", "repeat")  # words that somebody without a hand may say
_NAME = re.compile(r"[^\W_][\w .'-]{0,39}")
_LIKE_A_PLACE = re.compile(r"(?i)p\d+|seat[\W_]*\d*|pa[nñ]o.*|punto|banca")
_SEAT = re.compile(r"seat([1-9][0-9]{0,2})")
_EVENT_NUMBER = re.compile(r"[A-Za-z0-9][\w.:-]{0,23}")


class Senseless(EntryFault):
    """What cannot have been."""


class TableSense:
    """What there is at one table; without its file, what there may be at any."""

    def __init__(self, table: Table | None, profile: RuleProfile) -> None:
        zones = () if table is None else table.layout.zones
        numbered = {zone.seat for zone in zones if zone.seat is not None}
        self.seats = frozenset(numbered or range(1, MOST_SEATS + 1))
        self.hands = profile.hands
        self.panos = profile.hands[:-1]
        self.zones = DOS_PANOS_ZONES if profile.family == DOS_PANOS else PUNTO_ZONES
        self._checks: Mapping[str, Callable[[TableEvent, str, object], None]] = {
            "seat": self._seat, "bettor": self._person, "banker": self._person, "by": self._by,
            "to": self._to, "hand": self._hand, "pano": self._pano, "players": self._players,
            "order": self._order, "zone": self._zone, "amount": self._amount, "words": self._words,
            "point": self._point, "bet": self._number, "card": self._number, "cards": self._numbers,
            "coup": self._at_most(MOST_COUP), "decks": self._at_most(MOST_DECKS),
            "cards_below": self._at_most(MOST_CARDS, least=0), "text": self._text, "effect": self._effect,
        }  # fmt: skip

    def check(self, event: TableEvent) -> None:
        """EntryFault, in one line that names the field, for what cannot have been at this table."""
        for field in fields(event):
            value = getattr(event, field.name)
            if field.name not in COMMON:
                self._seen(field.name, value)
            check = self._checks.get(field.name)
            if value is not None and check is not None and field.name not in COMMON:
                check(event, field.name, value)
        if isinstance(event, Said) and (event.words == "point") != (event.point is not None):
            raise _fault(
                "point",
                "with the words point, and only with them",
                "con las palabras point, y solo con ellas",
                event.point,
            )
        seat, bettor = getattr(event, "seat", None), getattr(event, "bettor", None)
        named = _SEAT.fullmatch(bettor) if seat is not None and bettor is not None else None
        if named is not None and int(named.group(1)) != seat:
            raise _fault("seat", f"that of the bettor, {bettor}", f"el del apostante, {bettor}", seat)

    @staticmethod
    def _seen(field: str, value: object) -> None:
        """Nothing that is written hides something, and each text of a list has something to be seen."""
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, str) and not shows(each) and (each or isinstance(value, tuple)):
                raise _fault(field, "characters that can be seen", "caracteres que se vean", each)

    def _seat(self, event: TableEvent, field: str, value: object) -> None:
        if value not in self.seats:
            raise _fault(
                field,
                f"a seat of this table ({self._seats()})",
                f"un asiento de esta mesa ({self._seats()})",
                value,
            )

    def _person(self, event: TableEvent, field: str, value: object) -> None:
        name = str(value)
        seat = _SEAT.fullmatch(name)
        if seat is not None:
            self._seat(event, field, int(seat.group(1)))
        elif not _NAME.fullmatch(name) or _LIKE_A_PLACE.fullmatch(name):
            raise _fault(
                field, f"seatN ({self._seats()}) or a name", f"seatN ({self._seats()}) o un nombre", value
            )

    def _by(self, event: TableEvent, field: str, value: object) -> None:
        if event.__class__.__name__ == "Ruling":
            if value not in ("inspector", "director", "employee"):
                raise _fault(field, "inspector or director", "inspector o director", value)
        elif value in (*self.hands, BANKER, *STAFF):
            return
        elif isinstance(event, Said) and event.words not in _BY_ANYBODY and not str(value).startswith("seat"):
            hands = ", ".join((*self.hands, BANKER))
            raise _fault(field, f"one of {hands}, seatN", f"uno de {hands}, seatN", value)
        else:
            self._person(event, field, value)

    def _to(self, event: TableEvent, field: str, value: object) -> None:
        places = (*self.hands, DEAD, SHOE, OFF_TABLE) if isinstance(event, CardMoved) else self.hands
        if value in places:
            return
        if isinstance(event, CardDealt | CardMoved):
            raise _fault(field, f"one of {', '.join(places)}", f"uno de {', '.join(places)}", value)
        if value not in (BANKER, *STAFF):
            self._person(event, field, value)

    def _one_of(self, known: Iterable[str], field: str, value: object) -> None:
        names = tuple(known)
        if value not in names:
            raise _fault(field, f"one of {', '.join(names)}", f"uno de {', '.join(names)}", value)

    def _hand(self, event: TableEvent, field: str, value: object) -> None:
        self._one_of(self.hands, field, value)

    def _pano(self, event: TableEvent, field: str, value: object) -> None:
        self._one_of(self.panos, field, value)

    def _zone(self, event: TableEvent, field: str, value: object) -> None:
        self._one_of(self.zones, field, value)

    def _words(self, event: TableEvent, field: str, value: object) -> None:
        self._one_of(WORDS, field, value)

    def _players(self, event: TableEvent, field: str, value: object) -> None:
        for name in self._once_each(field, value):
            self._person(event, field, name)

    def _order(self, event: TableEvent, field: str, value: object) -> None:
        names = self._once_each(field, value)
        if not names:
            raise _fault(field, "the paños in their order", "los paños en su orden", list(names))
        for name in names:
            self._one_of(self.panos, field, name)

    @staticmethod
    def _once_each(field: str, value: object) -> tuple[str, ...]:
        names = tuple(value) if isinstance(value, tuple) else ()
        if len(set(names)) != len(names):
            raise _fault(field, "each once", "cada uno una vez", list(names))
        return names

    @staticmethod
    def _amount(event: TableEvent, field: str, value: object) -> None:
        amount = Decimal(str(value))
        exponent = amount.normalize().as_tuple().exponent
        if amount > MOST_AMOUNT or not isinstance(exponent, int) or exponent < -2:
            raise _fault(
                field,
                "at most 10^12, with two decimals at most",
                "hasta 10^12, con dos decimales como mucho",
                value,
            )
        if not amount and not isinstance(event, BankerLeft | BetPaid):
            raise _fault(field, "more than 0", "más que 0", value)

    @staticmethod
    def _at_most(most: int, least: int = 1) -> Callable[[TableEvent, str, object], None]:
        def check(event: TableEvent, field: str, value: object) -> None:
            if not isinstance(value, int) or not least <= value <= most:
                raise _fault(field, f"{least} to {most}", f"de {least} a {most}", value)

        return check

    @staticmethod
    def _point(event: TableEvent, field: str, value: object) -> None:
        if not isinstance(value, int) or not 0 <= value <= 9:
            raise _fault(field, "0 to 9", "de 0 a 9", value)

    @staticmethod
    def _number(event: TableEvent, field: str, value: object) -> None:
        if not _EVENT_NUMBER.fullmatch(str(value)):
            raise _fault(field, "a short name as b12 or c3", "un nombre corto como b12 o c3", value)

    def _numbers(self, event: TableEvent, field: str, value: object) -> None:
        for name in self._once_each(field, value):
            self._number(event, field, name)

    @staticmethod
    def _text(event: TableEvent, field: str, value: object) -> None:
        if not shows(str(value)):
            raise _fault(field, "words", "palabras", value)

    def _effect(self, event: TableEvent, field: str, value: object) -> None:
        what, _, hand = str(value).partition(":")
        if what == "annul":
            self._one_of(self.hands, field, hand)
        else:
            self._text(event, field, value)

    def _seats(self) -> str:
        seats = sorted(self.seats)
        whole = seats == list(range(seats[0], seats[-1] + 1))
        return f"{seats[0]}–{seats[-1]}" if whole and len(seats) > 2 else ", ".join(map(str, seats))


def check_written(line: Mapping[str, object]) -> None:
    """EntryFault for an amount in words that can be read in two ways, before anybody reads it in one."""
    value = line.get("amount")
    if isinstance(value, str):
        fault = as_program(value)
        if fault is not None:
            raise Senseless(f"amount: {fault[1]}", f"amount: {fault[0]}")


def _fault(field: str, en: str, es: str, found: object) -> Senseless:
    shown = repr(found) if isinstance(found, str | list) else str(found)
    shown = shown if len(shown) <= 40 else shown[:39] + "…"
    return Senseless(f"{field}: expected {en}, found {shown}", f"{field}: se esperaba {es}, y hay {shown}")
