"""Coup files: a journal in the form a person writes, with what is expected of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from veedor.rules.checker import Checker
from veedor.rules.errors import CoupFileError, JournalError, ProfileError
from veedor.rules.events import TableEvent, decode_event
from veedor.rules.finding import Finding
from veedor.rules.profile import RuleProfile, load_profile

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
        findings = [finding for event in self.events for finding in checker.feed(event)]
        return checker, findings + checker.finish()


def read_coup_file(document: object) -> CoupFile:
    """The coup file a parsed YAML document holds; raises CoupFileError naming the key or the event."""
    if not isinstance(document, Mapping):
        raise CoupFileError(f"expected id, title, profile and events, found {type(document).__name__}")
    for key in document:
        if key not in _KEYS:
            raise CoupFileError(f"{key}: not a key of a coup file")
    listed = document.get("events")
    if not isinstance(listed, list):
        raise CoupFileError(f"events: expected a list, found {type(listed).__name__}")
    events = []
    for number, line in enumerate(listed, 1):
        if not isinstance(line, Mapping):
            raise CoupFileError(f"events[{number}]: expected an event, found {type(line).__name__}")
        if line.get("words") is False:
            line = {**line, "words": "no"}  # an unquoted no is false to YAML 1.1
        try:
            events.append(replace(decode_event(line), id=number))
        except JournalError as error:
            raise CoupFileError(f"events[{number}]: {error}") from None
    config = _mapping(document, "config")
    bank = config.get("bank")
    try:
        profile = load_profile(str(document.get("profile", "")))
        profile = profile.with_readings(_mapping(document, "readings")).with_config(config)
        money = None if bank is None else Decimal(str(bank))
    except (ProfileError, ArithmeticError) as error:
        raise CoupFileError(
            str(error) if isinstance(error, ProfileError) else f"config.bank: {bank!r}"
        ) from None
    return CoupFile(
        id=str(document.get("id", "")),
        title=str(document.get("title", "")),
        profile=profile,
        bank=money,
        events=tuple(events),
        expect=_mapping(document, "expect"),
    )


def _mapping(document: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = document.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise CoupFileError(f"{key}: expected keys and values, found {value!r}")
    return value
