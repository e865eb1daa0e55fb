"""Rule profiles: one game's numbers, switches and readings, each with its citation, from a TOML file."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import cast

from veedor.rules.errors import ProfileError
from veedor.rules.profile_keys import (
    BANK,
    DOS_PANOS,
    FAMILIES,
    NUMBERS,
    READING_ALIASES,
    READINGS,
    SWITCHES,
    NumberKey,
)
from veedor.rules.tableau import Tableau, parse_tableau

SCHEMA = 1
SHIPPED = ("dos-panos-limitada", "dos-panos-libre", "punto-y-banca-ar", "punto-banco-pr")
CONFIG_KEYS = ("unit", "bank", "bank_max", "bet_min", "bet_max", "view_limit_s")

Number = int | Decimal | None


@dataclass(frozen=True)
class RuleProfile:
    """One game as one casino plays it.

    ``numbers`` holds every key of profile_keys.NUMBERS (None: no limit), ``readings`` every C- and G- point,
    ``citations`` the source of each (``"001 VIII.4 p1"``), by the same keys plus ``tableau``.
    """

    id: str
    family: str
    names: Mapping[str, str]
    numbers: Mapping[str, Number]
    switches: Mapping[str, bool]
    readings: Mapping[str, str]
    tableau: Tableau
    citations: Mapping[str, str]

    def whole(self, key: str) -> int:
        """A whole number of the profile; 0 where it is absent."""
        return int(self.numbers[key] or 0)

    def amount(self, key: str) -> Decimal:
        """A decimal number of the profile; 0 where it is absent."""
        return Decimal(self.numbers[key] or 0)

    def limit(self, key: str) -> Decimal | None:
        """An optional limit of the profile; None where there is none."""
        value = self.numbers[key]
        return None if value is None else Decimal(value)

    def reading(self, key: str) -> str:
        """The value chosen for a C- or G- point."""
        return self.readings[key]

    @property
    def hands(self) -> tuple[str, ...]:
        """The hands dealt, in order of dealing."""
        return ("P1", "P2", "B") if self.family == DOS_PANOS else ("punto", "banca")

    @property
    def bank_hand(self) -> str:
        """The hand the others play against."""
        return self.hands[-1]

    @property
    def limited_bank(self) -> bool:
        """True where the bank answers only for what is on the table (001 I p2)."""
        return self.switches["limited_bank"]

    def with_readings(self, readings: Mapping[str, object]) -> RuleProfile:
        """The same profile with some readings changed; raises ProfileError naming key, value and choices."""
        changed = dict(self.readings)
        for key, value in readings.items():
            changed[key] = _reading(key, value)
        return replace(self, readings=changed)

    def with_config(self, config: Mapping[str, object]) -> RuleProfile:
        """The same profile with a table's own unit and limits; ``bank`` is left to the session."""
        changed = dict(self.numbers)
        for key, value in config.items():
            if key not in CONFIG_KEYS:
                raise ProfileError(f"config.{key}: expected one of {', '.join(CONFIG_KEYS)}, found {key!r}")
            number = _number(f"config.{key}", BANK if key == "bank" else NUMBERS[key], value)
            if key != "bank":
                changed[key] = number
        return replace(self, numbers=changed)


def profiles_folder() -> Path:
    """Where the shipped profiles are: inside an installed wheel, or beside the package in a checkout."""
    packaged = Path(__file__).parent / "data" / "profiles"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "profiles"


def load_profile(
    id_or_path: str | os.PathLike[str], *, named_in: str | os.PathLike[str] | None = None
) -> RuleProfile:
    """A shipped profile by id, or a casino's own file by path; raises ProfileError.

    ``named_in`` is the file that asks for it, so that the error can say where the wrong name stands.
    """
    text = os.fspath(id_or_path)
    try:
        return _load(text)
    except ProfileError as error:
        if named_in is None:
            raise
        raise ProfileError(f"{os.fspath(named_in)}: {error}") from None


def _load(text: str) -> RuleProfile:
    if text in SHIPPED:
        return _load_file(profiles_folder() / f"{text}.toml")
    path = Path(text)
    if not text or (path.suffix != ".toml" and not path.exists()):
        raise ProfileError(f"profile: expected one of {', '.join(SHIPPED)} or a TOML file, found {text!r}")
    return _load_file(path)


@lru_cache(maxsize=16)
def _load_cached(path: Path, _stamp: tuple[int, int]) -> RuleProfile:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:  # no TOML, no text, or a number of thousands of digits
        raise ProfileError(f"{path}: not TOML: {error}") from None
    except RecursionError:
        raise ProfileError(f"{path}: not TOML: nested too deep") from None
    try:
        return parse_profile(document)
    except ProfileError as error:
        raise ProfileError(f"{path}: {error}") from None


def _load_file(path: Path) -> RuleProfile:
    try:
        status = path.stat()
        return _load_cached(path, (status.st_mtime_ns, status.st_size))
    except OSError as error:
        raise ProfileError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:  # a name that no file can have
        raise ProfileError(f"{path}: {error}") from None


def parse_profile(document: Mapping[str, object]) -> RuleProfile:
    """The profile a parsed TOML document holds; raises ProfileError naming key, value and range."""
    if document.get("schema") != SCHEMA:
        raise ProfileError(f"schema: expected {SCHEMA}, found {document.get('schema')!r}")
    family = document.get("family")
    if family not in FAMILIES:
        raise ProfileError(f"family: expected one of {', '.join(FAMILIES)}, found {family!r}")
    known = {"schema", "id", "family", "name", "numbers", "switches", "readings", "tableau"}
    for key in document:
        if key not in known:
            raise ProfileError(f"{key}: not a key of a rule profile")
    citations: dict[str, str] = {}
    numbers = {
        key: _number(f"numbers.{key}", NUMBERS[key], value)
        for key, value in _cited(document, "numbers", NUMBERS, citations).items()
    }
    for key, spec in NUMBERS.items():
        if key not in numbers and not spec.optional:
            raise ProfileError(f"numbers.{key}: missing, expected a number from {spec.low} to {spec.high}")
        numbers.setdefault(key, None)
    switches = _cited(document, "switches", SWITCHES, citations)
    for key in SWITCHES:
        if not isinstance(switches.get(key), bool):
            raise ProfileError(f"switches.{key}: expected true or false, found {switches.get(key)!r}")
    readings = {
        key: _reading(key, value) for key, value in _cited(document, "readings", READINGS, citations).items()
    }
    for key, reading in READINGS.items():
        if key not in readings:
            raise ProfileError(f"readings.{key}: missing, expected one of {', '.join(reading.values)}")
    table = _table(document, "tableau")
    rows = table.get("rows")
    citations["tableau"] = _citation("tableau", table)
    return RuleProfile(
        id=_text("id", document.get("id")),
        family=str(family),
        names={lang: _text(f"name.{lang}", _table(document, "name").get(lang)) for lang in ("es", "en")},
        numbers=numbers,
        switches=cast(dict[str, bool], switches),
        readings=readings,
        tableau=parse_tableau(rows if isinstance(rows, list) else []),
        citations=citations,
    )


def _table(document: Mapping[str, object], key: str) -> Mapping[str, object]:
    table = document.get(key)
    if not isinstance(table, Mapping):
        raise ProfileError(f"{key}: expected a table, found {table!r}")
    return table


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ProfileError(f"{key}: expected text, found {value!r}")
    return value


def _citation(key: str, entry: Mapping[str, object]) -> str:
    return _text(f"{key}.cite", entry.get("cite"))


def _cited(
    document: Mapping[str, object],
    section: str,
    allowed: Mapping[str, object] | tuple[str, ...],
    out: dict[str, str],
) -> dict[str, object]:
    values: dict[str, object] = {}
    for key, entry in _table(document, section).items():
        name = f"{section}.{key}"
        if key not in allowed:
            raise ProfileError(f"{name}: not a key of {section}")
        if not isinstance(entry, Mapping) or "value" not in entry:
            raise ProfileError(f"{name}: expected a value and its cite, found {entry!r}")
        values[key] = entry["value"]
        out[key] = _citation(name, entry)
    return values


def _number(name: str, spec: NumberKey, value: object) -> Number:
    whole = spec.kind is int
    text = str(value)
    expected = f"a {'whole ' if whole else ''}number from {spec.low} to {spec.high}"
    plain = text.removeprefix("-").replace(".", "", 1)
    if isinstance(value, bool) or not plain.isascii() or not plain.isdigit():
        raise ProfileError(f"{name}: expected {expected}, found {value!r}")
    number = Decimal(text)
    if not Decimal(spec.low) <= number <= Decimal(spec.high) or (whole and number != int(number)):
        raise ProfileError(f"{name}: expected {expected}, found {value!r}")
    return int(number) if whole else number


def _reading(key: str, value: object) -> str:
    spec = READINGS.get(key)
    if spec is None:
        raise ProfileError(f"readings.{key}: expected C-01 to C-26 or G-01 to G-18, found {key!r}")
    text = READING_ALIASES.get(key, {}).get(str(value), str(value))
    if text not in spec.values:
        raise ProfileError(f"readings.{key}: expected one of {', '.join(spec.values)}, found {value!r}")
    return text
