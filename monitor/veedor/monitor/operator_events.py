"""What people and their devices enter while a table runs: keypad, button box, a listener's transcript.

An entry is in the journal when it is answered, stamped with the media time at which it came less how long ago
it happened; what was seen and is not told yet does not hold it back. It is judged in its place in time.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import cast

from veedor.monitor.bus import Answer, Handler
from veedor.monitor.bus_messages import FORGET
from veedor.monitor.correctable import uncorrectable
from veedor.monitor.entry_checks import Senseless, TableSense, check_written
from veedor.monitor.entry_keys import EntryKeys, mark_of
from veedor.monitor.fold import EntryFault, Fold
from veedor.monitor.spoken import Ear
from veedor.monitor.transcript import Cue
from veedor.monitor.written_text import shows
from veedor.rules.errors import JournalError
from veedor.rules.event_codec import TYPE_BY_NAME
from veedor.rules.events import (
    CoupOpened,
    EventCorrected,
    TableEvent,
    decode_event,
)
from veedor.rules.journal import read_journal

log = logging.getLogger(__name__)

# What is said or decided. What is done with cards and stakes is seen; a person may correct it, not enter it.
ENTERED = frozenset(
    {
        "shoe_started", "players_seen", "banker_seated", "banker_left", "bank_declared", "bank_deposited",
        "coup_opened", "coup_closed", "betting_opened", "betting_closed", "banco_called", "lot_drawn", "said",
        "checked", "ruling", "sabot_passed", "suite_withdrawn", "cut_card_shown",
    }
)  # fmt: skip
SOURCES = ("operator", "voice")
MOST_AGO_S = 60.0
LONGEST_TEXT, MOST_ITEMS = 500, 40
_OF_AN_ENTRY = frozenset({"schema", "request", "command", "run", "until", "key"})
UNANSWERED = "no answer reached who entered it"
_ITS_OWN_T = -1.0  # a replacement without a time stands where what it replaces stood


class OperatorDesk:
    """Takes entries for one table, from any thread. `now_s` gives the media time of this moment.

    `keys` is the session's file of the keys that entries came with; without it they are kept in memory.
    """

    def __init__(self, fold: Fold, now_s: Callable[[], float], keys: Path | None = None) -> None:
        self._fold = fold
        self._now_s = now_s
        journal = None if keys is None or not keys.is_file() else keys.with_name("journal.jsonl")
        self._keys = EntryKeys(keys, frozenset() if journal is None else _entered(journal))
        self._sense = TableSense(fold.observer.table, fold.profile)
        self._ear = Ear(numbered=False)

    def handlers(self) -> Mapping[str, Handler]:
        """The commands of the bus that this desk answers."""
        return {
            "operator_event": self._operator_event,
            "correct_event": self._correct_event,
            "transcript": self._transcript,
            FORGET: self._forget,
        }

    def enter(
        self, event: Mapping[str, object], *, ago_s: float = 0.0, who: str = "", key: str | None = None
    ) -> TableEvent:
        """Journal an event, given as in a journal line without `t`; EntryFault where it cannot be one.

        Given again with the same `key` it is not journalled again: the answer is the first one's.
        """
        return self._enter(event, Asked(key, who), ago_s)

    def correct(
        self, corrects: int, replacement: Mapping[str, object] | None,
        *, by: str | None, reason: str | None, key: str | None = None,
    ) -> TableEvent:  # fmt: skip
        """Put an event, or nothing, in the place of event `corrects`; EntryFault where it does not stand."""
        return self._correct(
            corrects, replacement, _text("reason", reason), Asked(key, _text("by", by) or "")
        )

    def say(
        self, words: str, speaker: str | None, *, ago_s: float = 0.0, who: str = ""
    ) -> tuple[TableEvent, ...]:
        """Journal what the words mean, if anything, `ago_s` being how long ago they began."""
        t_s = self._stamp(ago_s)
        return self._say(Cue(t_s, t_s, speaker, words), Asked(None, who))

    def _enter(self, event: Mapping[str, object], asked: Asked, ago_s: float) -> TableEvent:
        name = event.get("event")
        if not isinstance(name, str) or name not in ENTERED:
            told = f"event {name!r:.40}"
            raise EntryFault(f"{told}: not one that is entered", f"{told}: no es de los que se anotan")
        decoded = self._sensible(_decoded({**event, "t": self._stamp(ago_s)}))
        return self._once(asked, dict(event), lambda: [decoded])[0]

    def _correct(
        self, corrects: int, replacement: Mapping[str, object] | None, reason: str | None, asked: Asked
    ) -> TableEvent:
        new = None if replacement is None else _decoded({"t": _ITS_OWN_T, **replacement})
        if new is not None:
            own = uncorrectable(new)
            if own is not None:
                raise EntryFault(f"replacement: {own[1]}", f"replacement: {own[0]}")
            if new.t < 0.0 and new.t != _ITS_OWN_T:
                raise EntryFault("replacement: t: before the beginning", "replacement: t: antes del comienzo")
            new = self._sensible(new)
        by, t_s = asked.who or None, self._stamp(0.0)
        correction = EventCorrected(corrects, new, by, reason, t=t_s, source="operator")
        return self._once(asked, [corrects, replacement], lambda: [correction])[0]

    def _say(self, cue: Cue, asked: Asked) -> tuple[TableEvent, ...]:
        def meant() -> list[TableEvent]:
            return [self._sensible(event) for event in self._ear.hear(cue)]

        return self._once(asked, [cue.speaker, cue.words], meant)

    def _once(
        self, asked: Asked, what: object, meant: Callable[[], Sequence[TableEvent]]
    ) -> tuple[TableEvent, ...]:
        """Journal the events, unless the key was there before: then as they were journalled."""
        key, mark = asked.key, mark_of(what)
        with self._fold.lock:
            known = None if key is None else self._keys.get(key)
            if known is not None:
                if known.mark != mark:
                    raise EntryFault("key: it was another entry's", "key: era de otra anotación")
                return tuple(_Repeated(t=t_s, id=number) for number, t_s in known.events)
            if asked.until is not None and time.monotonic() > asked.until:
                raise Senseless("it came too late: not recorded", "llegó demasiado tarde: no quedó anotado")
            taken = []
            for event in meant():
                if key is not None:
                    self._keys.promise(key, mark, self._fold.last_id + 1, event.t)
                try:
                    taken.append(self._take(event, asked.who))
                except EntryFault:
                    if key is not None:
                        self._keys.forget(key)
                    raise
            return tuple(taken)

    def _take(self, event: TableEvent, who: str) -> TableEvent:
        if isinstance(event, EventCorrected):
            taken: TableEvent = self._fold.correct(event)
            log.info("event corrected", extra={"corrects": event.corrects, "id": taken.id, "who": who})
            return taken
        if isinstance(event, CoupOpened):
            self._ear.coup_is_open = True
        taken = self._fold.enter(event)
        log.info("event entered", extra={"id": taken.id, "t": taken.t, "who": who})
        return taken

    def _sensible(self, event: TableEvent) -> TableEvent:
        """The event; EntryFault where it cannot have been at this table."""
        self._sense.check(event)
        return event

    def _stamp(self, ago_s: float) -> float:
        return round(max(0.0, self._now_s() - ago_s), 3)

    def _operator_event(self, asked: Mapping[str, object], who: str) -> Answer:
        _known(asked, _OF_AN_ENTRY | {"event", "ago_s", "by"})
        event = asked.get("event")
        if not isinstance(event, dict):
            raise EntryFault("event: expected an object", "event: se esperaba un objeto")
        taken = self._enter(event, _asked(asked, who), _ago(asked))
        return {"id": taken.id, "t": taken.t}, b""

    def _correct_event(self, asked: Mapping[str, object], who: str) -> Answer:
        _known(asked, _OF_AN_ENTRY | {"corrects", "replacement", "by", "reason"})
        corrects, replacement = asked.get("corrects"), asked.get("replacement")
        if type(corrects) is not int:
            raise EntryFault(
                "corrects: expected the id of an event", "corrects: se esperaba el id de un suceso"
            )
        if replacement is not None and not isinstance(replacement, dict):
            raise EntryFault(
                "replacement: expected an event or nothing", "replacement: se esperaba un suceso o nada"
            )
        reason = _text("reason", asked.get("reason"))
        new = cast("Mapping[str, object] | None", replacement)
        done = self._correct(corrects, new, reason, _asked(asked, who))
        return {"id": done.id, "t": done.t}, b""

    def _transcript(self, asked: Mapping[str, object], who: str) -> Answer:
        _known(asked, _OF_AN_ENTRY | {"text", "speaker", "ago_s", "by"})
        words, speaker = _text("text", _in_a_line(asked.get("text"))), _text("speaker", asked.get("speaker"))
        if words is None:
            raise EntryFault("text: missing", "text: falta")
        t_s = self._stamp(_ago(asked))
        taken = self._say(Cue(t_s, t_s, speaker, words), _asked(asked, who))
        return {"events": [{"id": event.id, "t": event.t} for event in taken]}, b""

    def _forget(self, asked: Mapping[str, object], who: str) -> Answer:
        """Take back what was entered with a key by somebody who was never told that it was."""
        key = asked.get("key")
        if key is not None and not isinstance(key, str):
            raise EntryFault("key: expected text", "key: se esperaba un texto")
        with self._fold.lock:
            taken = None if key is None else self._keys.forget(key)
            for number, _ in () if taken is None else taken.events:
                undone = EventCorrected(number, None, who, UNANSWERED, t=self._stamp(0.0), source="operator")
                with contextlib.suppress(EntryFault):  # somebody has corrected it already
                    self._take(undone, who)
        return {"forgotten": taken is not None}, b""


@dataclass(frozen=True)
class Asked:
    """Who enters something, with which key, and until when (`time.monotonic`) it may be taken."""

    key: str | None
    who: str
    until: float | None = None


@dataclass(frozen=True, kw_only=True)
class _Repeated(TableEvent):
    """Number and time of an entry that was there before."""


def _asked(asked: Mapping[str, object], who: str) -> Asked:
    until = asked.get("until")
    by = _text("by", asked.get("by")) or who
    return Asked(_text("key", asked.get("key")), by, until if isinstance(until, (int, float)) else None)


def _entered(journal: Path) -> frozenset[int]:
    """The numbers of what people have entered."""
    return frozenset(event.id for event in read_journal(journal).events if event.source in SOURCES)


def _decoded(line: Mapping[str, object]) -> TableEvent:
    kind = TYPE_BY_NAME.get(str(line.get("event")))
    if kind is None:
        told = f"event {line.get('event')!r:.40}"
        raise EntryFault(f"{told}: there is none of that name", f"{told}: no hay ninguno de ese nombre")
    types = {field.name: str(field.type) for field in fields(kind)}
    _known(line, types.keys() | {"event"})
    for name, value in line.items():
        items = value if isinstance(value, list) else [value]
        texts = [each for each in items if isinstance(each, str)]
        if len(items) > MOST_ITEMS or any(len(each) > LONGEST_TEXT for each in texts):
            raise EntryFault(f"{name}: too long", f"{name}: demasiado largo")
        for each in texts:
            _written(name, each)
        # A journal may have figures there; who enters one has the fields mixed up.
        if "str" in types.get(name, "") and any(type(each) is int for each in items):
            raise EntryFault(
                f"{name}: expected text, found a number", f"{name}: se esperaba texto, no un número"
            )
    check_written(line)
    if line.get("source", "operator") not in SOURCES:
        known = ", ".join(SOURCES)
        raise EntryFault(f"source: one of {known}", f"source: uno de {known}")
    try:
        event = decode_event({"source": "operator", **line, "id": 0, "confidence": 1.0, "frames": None})
    except JournalError as fault:
        raise Senseless(str(fault), fault.spanish) from None
    return event


def _known(told: Mapping[str, object], names: Collection[str]) -> None:
    """EntryFault for a field that nobody would read: the first there is."""
    for name in told:
        if name not in names:
            raise EntryFault(f"{name!r:.40}: no such field", f"{name!r:.40}: no hay tal campo")


def _in_a_line(words: object) -> object:
    """A listener may break what it heard into lines."""
    return " ".join(words.split()) if isinstance(words, str) and len(words) <= LONGEST_TEXT else words


def _ago(asked: Mapping[str, object]) -> float:
    value = asked.get("ago_s", 0.0)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise EntryFault("ago_s: expected seconds", "ago_s: se esperaban segundos")
    if not 0.0 <= value <= MOST_AGO_S:
        raise EntryFault(f"ago_s: from 0 to {MOST_AGO_S:g}", f"ago_s: de 0 a {MOST_AGO_S:g}")
    return float(value)


def _text(name: str, value: object) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise EntryFault(
            f"{name}: text of {LONGEST_TEXT} characters at most",
            f"{name}: texto de {LONGEST_TEXT} caracteres como mucho",
        )
    return _written(name, value)


def _written(name: str, text: str) -> str:
    """The text, if whoever reads the record sees what it says; it may be empty."""
    if text and not shows(text):
        raise EntryFault(
            f"{name}: has characters that do not show, or nothing else",
            f"{name}: tiene caracteres que no se ven, o nada más",
        )
    return text
