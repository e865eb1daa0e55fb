"""What people and their devices enter while a table runs: keypad, button box, a listener's transcript.

An entry is in the journal when it is answered, stamped with the media time at which it came less how long ago
it happened; what was seen and is not told yet does not hold it back. It is judged in its place in time.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Mapping
from typing import cast

from veedor.monitor.bus import Answer, Handler
from veedor.monitor.fold import EntryFault, Fold
from veedor.monitor.spoken import Ear
from veedor.monitor.transcript import Cue
from veedor.rules.errors import JournalError
from veedor.rules.events import (
    CoupOpened,
    EventCorrected,
    SessionOpened,
    TableEvent,
    UnknownEvent,
    decode_event,
)

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
_ITS_OWN_T = -1.0  # a replacement without a time stands where what it replaces stood


class OperatorDesk:
    """Takes entries for one table, from any thread. `now_s` gives the media time of this moment."""

    def __init__(self, fold: Fold, now_s: Callable[[], float]) -> None:
        self._fold = fold
        self._now_s = now_s
        self._ear = Ear(numbered=False)
        self._lock = threading.Lock()

    def handlers(self) -> Mapping[str, Handler]:
        """The commands of the bus that this desk answers."""
        return {
            "operator_event": self._operator_event,
            "correct_event": self._correct_event,
            "transcript": self._transcript,
        }

    def enter(self, event: Mapping[str, object], *, ago_s: float = 0.0, who: str = "") -> TableEvent:
        """Journal an event, given as in a journal line without `t`; EntryFault where it cannot be one."""
        name = event.get("event")
        if not isinstance(name, str) or name not in ENTERED:
            raise EntryFault(f"event {name!r:.40}: not one that is entered")
        return self._take(_decoded({**event, "t": self._stamp(ago_s)}), who)

    def correct(
        self, corrects: int, replacement: Mapping[str, object] | None, *, by: str | None, reason: str | None
    ) -> EventCorrected:
        """Put an event, or nothing, in the place of event `corrects`; EntryFault where it does not stand."""
        new = None if replacement is None else _decoded({"t": _ITS_OWN_T, **replacement})
        if isinstance(new, EventCorrected | SessionOpened) or (
            new is not None and new.t < 0.0 and new.t != _ITS_OWN_T
        ):
            raise EntryFault("replacement: not an event that can be corrected, or one before the beginning")
        t_s = self._stamp(0.0)
        done = self._fold.correct(
            EventCorrected(corrects, new, _text("by", by), _text("reason", reason), t=t_s, source="operator")
        )
        log.info("event corrected", extra={"corrects": corrects, "id": done.id, "who": by})
        return done

    def say(
        self, words: str, speaker: str | None, *, ago_s: float = 0.0, who: str = ""
    ) -> tuple[TableEvent, ...]:
        """Journal what the words mean, if anything, `ago_s` being how long ago they began."""
        t_s = self._stamp(ago_s)
        with self._lock:
            meant = self._ear.hear(Cue(t_s, t_s, speaker, words))
        return tuple(self._take(event, who) for event in meant)

    def _take(self, event: TableEvent, who: str) -> TableEvent:
        if isinstance(event, CoupOpened):
            with self._lock:
                self._ear.coup_is_open = True
        taken = self._fold.enter(event)
        log.info("event entered", extra={"id": taken.id, "t": taken.t, "who": who})
        return taken

    def _stamp(self, ago_s: float) -> float:
        return round(max(0.0, self._now_s() - ago_s), 3)

    def _operator_event(self, asked: Mapping[str, object], who: str) -> Answer:
        event = asked.get("event")
        if not isinstance(event, dict):
            raise EntryFault("event: expected an object")
        taken = self.enter(event, ago_s=_ago(asked), who=_text("by", asked.get("by")) or who)
        return {"id": taken.id, "t": taken.t}, b""

    def _correct_event(self, asked: Mapping[str, object], who: str) -> Answer:
        corrects, replacement = asked.get("corrects"), asked.get("replacement")
        if type(corrects) is not int:
            raise EntryFault("corrects: expected the id of an event")
        if replacement is not None and not isinstance(replacement, dict):
            raise EntryFault("replacement: expected an event or nothing")
        by, reason = asked.get("by"), asked.get("reason")
        done = self.correct(
            corrects,
            cast("Mapping[str, object] | None", replacement),
            by=_text("by", by) or who,
            reason=_text("reason", reason),
        )
        return {"id": done.id, "t": done.t}, b""

    def _transcript(self, asked: Mapping[str, object], who: str) -> Answer:
        words, speaker = _text("text", asked.get("text")), _text("speaker", asked.get("speaker"))
        if words is None:
            raise EntryFault("text: missing")
        taken = self.say(words, speaker, ago_s=_ago(asked), who=who)
        return {"events": [{"id": event.id, "t": event.t} for event in taken]}, b""


def _decoded(line: Mapping[str, object]) -> TableEvent:
    for name, value in line.items():
        items = value if isinstance(value, list) else [value]
        texts = [each for each in items if isinstance(each, str)]
        for each in texts:
            _written(name, each)
        if len(items) > MOST_ITEMS or any(len(each) > LONGEST_TEXT for each in texts):
            raise EntryFault(f"{name:.40}: too long")
    if line.get("source", "operator") not in SOURCES:
        raise EntryFault(f"source: one of {', '.join(SOURCES)}")
    try:
        event = decode_event({"source": "operator", **line, "id": 0, "confidence": 1.0, "frames": None})
    except JournalError as fault:
        raise EntryFault(str(fault)) from None
    if isinstance(event, UnknownEvent):
        raise EntryFault(f"event {event.name!r:.40}: there is none of that name")
    return event


def _ago(asked: Mapping[str, object]) -> float:
    value = asked.get("ago_s", 0.0)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise EntryFault("ago_s: expected seconds")
    if not 0.0 <= value <= MOST_AGO_S:
        raise EntryFault(f"ago_s: from 0 to {MOST_AGO_S:g}")
    return float(value)


def _text(name: str, value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise EntryFault(f"{name}: text of {LONGEST_TEXT} characters at most")
    return _written(name, value)


def _written(name: str, text: str) -> str:
    """The text, if it can stand in a journal: half of a surrogate pair, which JSON may bring, cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise EntryFault(f"{name:.40}: not text") from None
    return text
