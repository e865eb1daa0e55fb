"""What would follow if a card, a stake or a word of a session had been another: nothing is written.

The same checker judges a copy of the journal to which the corrections are added just as saving adds them, so
what is shown before is what is saved afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from veedor.monitor.correctable import CORRECTABLE, uncorrectable
from veedor.monitor.coup_view_night import Judged, JudgedCoup, Night, judge
from veedor.monitor.errors import MonitorError
from veedor.monitor.language import text
from veedor.monitor.written_text import shows
from veedor.rules.errors import JournalError
from veedor.rules.events import (
    EventCorrected,
    TableEvent,
    UnknownEvent,
    decode_event,
    encode_event,
)
from veedor.rules.finding import Finding
from veedor.rules.verdict import Verdict

MOST_CHANGES = 40
LONGEST_TEXT, MOST_ITEMS = 500, 40
SOURCE = "operator"
ADDED = 0  # what a change corrects that adds an event


class ChangeFault(MonitorError):
    """A change that cannot be made; one line says why."""


@dataclass(frozen=True)
class Change:
    """Another event, or nothing (None), in the place of event `corrects`; with `ADDED` a missed one."""

    corrects: int
    replacement: TableEvent | None = None


@dataclass(frozen=True)
class FindingChange:
    """A finding before and after; None where it was not there, or is not any more."""

    number: int
    before: Finding | None
    after: Finding | None

    @property
    def kind(self) -> str:
        """`new`, `gone`, `changed` or `same`."""
        if self.before is None:
            return "new"
        if self.after is None:
            return "gone"
        return "same" if _says(self.before) == _says(self.after) else "changed"


@dataclass(frozen=True)
class WhatIf:
    """A session as it is recorded and as it would be. `elsewhere` are changes in other coups, by place."""

    before: Judged
    after: Judged
    findings: tuple[FindingChange, ...]

    def of_coup(self, place: int) -> tuple[FindingChange, ...]:
        """What became of a coup's findings, as they are recorded first."""
        there = {number for coup in self._both(place) for number, _ in coup.findings}
        return tuple(each for each in self.findings if each.number in there)

    def elsewhere(self, place: int) -> tuple[FindingChange, ...]:
        """Findings of other coups that would not stay as they are."""
        here = {each.number for each in self.of_coup(place)}
        return tuple(each for each in self.findings if each.number not in here and each.kind != "same")

    def _both(self, place: int) -> list[JudgedCoup]:
        found = (self.before.coup(place), self.after.coup(place))
        return [each for each in found if each is not None]


def consider(night: Night, changes: Sequence[Change], before: Judged | None = None) -> WhatIf:
    """Judge a session with the changes; `before`, where it is at hand, is the session judged without them."""
    more = corrections(night, changes)
    if before is None:
        before = judge(night.standing(), night.profile, night.told)
    old = before.findings()
    withdrawn = [each for each in night.told if each[1] not in old]
    after = judge(night.standing(more), night.profile, withdrawn, before)
    new = after.findings()
    numbers = sorted(old.keys() | new.keys())
    return WhatIf(before, after, tuple(FindingChange(each, old.get(each), new.get(each)) for each in numbers))


def corrections(
    night: Night, changes: Sequence[Change], by: str | None = None, reason: str | None = None
) -> tuple[EventCorrected, ...]:
    """The changes as events that follow the journal's last; ChangeFault where one cannot be made."""
    if not changes:
        raise ChangeFault(text(es="nada que cambiar", en="nothing to change"))
    if len(changes) > MOST_CHANGES:
        raise ChangeFault(text(es=f"hasta {MOST_CHANGES} cambios", en=f"up to {MOST_CHANGES} changes"))
    standing = {event.id: event for event in night.standing() if not isinstance(event, EventCorrected)}
    latest = max((event.t for event in night.written), default=0.0)
    done, taken = [], set[int]()
    for place, change in enumerate(changes, 1):
        if change.corrects != ADDED:
            old = standing.get(change.corrects)
            own = None if old is None else uncorrectable(old)
            if own is not None:
                raise ChangeFault(text(es=own[0], en=own[1]))
            if old is None or change.corrects in taken:
                number = change.corrects
                raise ChangeFault(
                    text(
                        es=f"suceso {number}: no existe o ya se corrigió",
                        en=f"event {number}: there is none, or it was corrected already",
                    )
                )
            taken.add(change.corrects)
        elif change.replacement is None:
            raise ChangeFault(text(es="falta el suceso que se añade", en="the event to add is missing"))
        new = change.replacement
        own = None if new is None else uncorrectable(new)
        if own is not None:
            raise ChangeFault(text(es=own[0], en=own[1]))
        if new is not None:
            new = replace(new, id=0, source=SOURCE, confidence=1.0)
        done.append(
            EventCorrected(
                change.corrects, new, by, reason, t=latest, id=night.last_id + place, source=SOURCE
            )
        )
    return tuple(done)


def event_of(fields: Mapping[str, object], last_s: float) -> TableEvent:
    """The event that somebody wrote, as in a journal line; ChangeFault where it is none."""
    name = fields.get("event")
    if not isinstance(name, str) or name not in CORRECTABLE:
        raise ChangeFault(
            text(es="no es un suceso que se pueda poner", en="not an event that can be entered")
        )
    for key, value in fields.items():
        _check(key, value)
    try:
        event = decode_event({**fields, "source": SOURCE})
    except JournalError as fault:
        raise ChangeFault(text(es=fault.spanish, en=str(fault))) from None
    if isinstance(event, UnknownEvent) or not 0.0 <= event.t <= last_s:
        raise ChangeFault(text(es="t: fuera de la sesión", en="t: outside the session"))
    return event


def _check(key: str, value: object) -> None:
    parts = value if isinstance(value, list | tuple) else [value]
    if len(parts) > MOST_ITEMS or any(isinstance(each, Mapping | list) for each in parts):
        raise ChangeFault(
            f"{key:.40}: " + text(es=f"hasta {MOST_ITEMS} textos", en=f"{MOST_ITEMS} texts at most")
        )
    for each in parts:
        if not isinstance(each, str):
            continue
        if len(each) > LONGEST_TEXT or (each and not shows(each)):
            raise ChangeFault(
                f"{key:.40}: "
                + text(
                    es=f"hasta {LONGEST_TEXT} caracteres, todos de los que se ven",
                    en=f"up to {LONGEST_TEXT} characters, all of them to be seen",
                )
            )


def written(changes: Iterable[Change]) -> str:
    """Changes as a page carries them on."""
    return json.dumps([_plain(each) for each in changes], ensure_ascii=False, separators=(",", ":"))


def read_changes(words: str, last_s: float) -> tuple[Change, ...]:
    """Changes that a page brings back; ChangeFault where they are none: anybody may have written them."""
    wrong = ChangeFault(text(es="cambios mal escritos", en="malformed changes"))
    try:
        listed = json.loads(words) if words else []
    except (ValueError, RecursionError):
        raise wrong from None
    if not isinstance(listed, list) or len(listed) > MOST_CHANGES:
        raise wrong
    found = []
    for each in listed:
        if not isinstance(each, dict) or set(each) - {"corrects", "event"}:
            raise wrong
        corrects, event = each.get("corrects"), each.get("event")
        if type(corrects) is not int or not 0 <= corrects < 1 << 53:
            raise wrong
        if event is not None and not isinstance(event, dict):
            raise wrong
        found.append(Change(corrects, None if event is None else event_of(event, last_s)))
    return tuple(found)


def _plain(change: Change) -> dict[str, object]:
    if change.replacement is None:
        return {"corrects": change.corrects}
    line = encode_event(change.replacement)
    event = {key: value for key, value in line.items() if key not in ("id", "source", "confidence")}
    return {"corrects": change.corrects, "event": event}


def _says(finding: Finding) -> tuple[object, ...]:
    """What a person reads of a finding; ids of corrected events are none of it."""
    if finding.verdict is Verdict.WITHDRAWN:
        return ("withdrawn",)
    return (
        finding.code, finding.coup, finding.verdict, finding.actor, finding.facts, finding.steps,
        finding.reason, finding.rule,
    )  # fmt: skip
