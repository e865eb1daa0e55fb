"""Coup files: a journal in the form a person writes, with what is expected of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from veedor.rules.checker import Checker
from veedor.rules.errors import CoupFileError, JournalError, ProfileError
from veedor.rules.events import TableEvent, decode_event
from veedor.rules.finding import Finding
from veedor.rules.profile import SHIPPED, RuleProfile, load_profile

_KEYS = {"id", "title", "profile", "readings", "config", "events", "expect"}


@dataclass(frozen=True, slots=True)
class CoupFile:
    """One coup file; ``expect`` is empty where the file only asks what the rules say."""

    id: str
    title: str
    profile: RuleProfile
    bank: Decimal | None
    events: tuple[TableEvent, ...]
    expect: Mapping[str, object]

    def check(self) -> tuple[Checker, list[Finding]]:
        """Judges the whole file; the checker afterwards holds the last coup's account."""
        checker = Checker(self.profile, bank=self.bank)
        return checker, checker.judge(self.events)


def read_coup_file(document: object, lines: Sequence[int] = (), *, profile: str | None = None) -> CoupFile:
    """The coup file a parsed YAML document holds; raises CoupFileError naming the key or the event.

    ``lines`` are the lines of its events, for the error; ``profile`` stands in for the file's own.
    """
    if document is None:
        raise CoupFileError("empty: expected id, title, profile and events")
    if not isinstance(document, Mapping):
        raise CoupFileError(f"expected id, title, profile and events, found {type(document).__name__}")
    for key in document:
        if key not in _KEYS:
            raise CoupFileError(f"{key!s:.40}: not a key of a coup file")
    events = _events(document.get("events"), lines)
    named = profile if profile is not None else document.get("profile")
    if not isinstance(named, str) or not named:
        found = "missing" if named is None else f"found {named!r}"
        raise CoupFileError(f"profile: expected one of {', '.join(SHIPPED)} or a TOML file, {found}")
    config = _mapping(document, "config")
    try:
        rules = load_profile(named).with_readings(_mapping(document, "readings")).with_config(config)
    except ProfileError as error:
        raise CoupFileError(str(error)) from None
    bank = config.get("bank")
    return CoupFile(
        id=str(document.get("id", "")),
        title=str(document.get("title", "")),
        profile=rules,
        bank=None if bank is None else Decimal(str(bank)),
        events=events,
        expect=_mapping(document, "expect"),
    )


def _events(listed: object, lines: Sequence[int]) -> tuple[TableEvent, ...]:
    if not isinstance(listed, list):
        raise CoupFileError(f"events: expected a list, found {type(listed).__name__}")
    events = []
    for number, line in enumerate(listed, 1):
        place = f"events[{number}]"
        if number <= len(lines):
            place = f"line {lines[number - 1]}: {place}"
        if not isinstance(line, Mapping):
            raise CoupFileError(f"{place}: expected an event, found {type(line).__name__}")
        if line.get("words") is False:
            line = {**line, "words": "no"}  # an unquoted no is false to YAML 1.1
        try:
            events.append(replace(decode_event(line), id=number))
        except JournalError as error:
            raise CoupFileError(f"{place}: {error}") from None
    return tuple(events)


def _mapping(document: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = document.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise CoupFileError(f"{key}: expected keys and values, found {value!r}")
    return value
