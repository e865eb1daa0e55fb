"""What is wrong with a record as a record: each fault told once, with its line and how often it came."""

from __future__ import annotations

from dataclasses import dataclass, replace

from veedor.rules.event_types import SCHEMA, SessionOpened, TableEvent, UnknownEvent


@dataclass(frozen=True, slots=True)
class JournalFault:
    """One thing wrong with a record, at a line counted from 1, in English and Spanish."""

    line: int
    text: str
    spanish: str
    count: int = 1

    def told(self, lang: str) -> str:
        """The fault in ``es`` or ``en``, and how often it came if more than once."""
        text = self.spanish if lang == "es" else self.text
        times = "veces" if lang == "es" else "times"
        return text if self.count == 1 else f"{text} ({self.count} {times})"

    def __str__(self) -> str:
        return f"line {self.line}: {self.told('en')}"


# A record of nothing but faults must not fill the memory: beyond so many kinds the rest is counted as one.
MOST_KINDS = 1000


class FaultList:
    """Collects faults; those noted under the same key are one, at its first line."""

    def __init__(self) -> None:
        self._found: dict[str, JournalFault] = {}

    def note(self, line: int, *, en: str, es: str, key: str = "") -> None:
        """Notes a fault; without ``key`` it stands for itself."""
        key = key or f"{line} {en}"
        if len(self._found) >= MOST_KINDS and key not in self._found:
            key, en, es = "more", "more faults from here on", "más fallos desde aquí"
        known = self._found.get(key)
        new = JournalFault(line, en, es) if known is None else replace(known, count=known.count + 1)
        self._found[key] = new

    def all(self) -> list[JournalFault]:
        """The faults in the order they were first seen."""
        return list(self._found.values())


class SequenceAudit:
    """Looks at events one after another: time, kind, schema.

    ``slack_s`` is how far an event may lie before the latest one: observers write an event when they are sure
    of it, so neighbours in a journal may be out of order; in a file that a person writes they may not.
    """

    def __init__(self, faults: FaultList, *, slack_s: float) -> None:
        self._faults = faults
        self._slack_s = slack_s
        self._latest_t = float("-inf")

    def feed(self, line: int, event: TableEvent) -> None:
        """Looks at one event."""
        if event.t < self._latest_t - self._slack_s:
            back = f"{self._latest_t:g}"
            en, es = f"runs back from {back}", f"retrocede desde {back}"
            self._faults.note(line, en=f"t {event.t:g}: {en}", es=f"t {event.t:g}: {es}")
            self._latest_t = event.t  # told once: what follows is measured from here
        else:
            self._latest_t = max(self._latest_t, event.t)
        if isinstance(event, UnknownEvent):
            name = f"event {event.name}"
            en, es = "not known to this version, not judged", "esta versión no lo conoce, no se juzga"
            self._faults.note(line, en=f"{name}: {en}", es=f"{name}: {es}", key=name)
        elif isinstance(event, SessionOpened) and event.schema != SCHEMA:
            name = f"schema {event.schema}"
            en, es = f"this version reads schema {SCHEMA}", f"esta versión lee schema {SCHEMA}"
            self._faults.note(line, en=f"{name}: {en}", es=f"{name}: {es}")
