"""The events that a camera cannot see, from the file given with `--events`."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.monitor.spoken import events_of
from veedor.monitor.transcript import read_transcript
from veedor.rules.event_types import SCHEMA
from veedor.rules.events import EventCorrected, SessionOpened, TableEvent
from veedor.rules.faults import JournalFault
from veedor.rules.journal import read_journal
from veedor.rules.settled import corrections_of, settled

TRANSCRIPT_SUFFIXES = frozenset({".vtt", ".srt"})


@dataclass(frozen=True)
class Announcements:
    """Events in order of media time; `notes` say, one line each, what of the file could not be used."""

    events: tuple[TableEvent, ...] = ()
    notes: tuple[str, ...] = ()


def read_announcements(path: Path) -> Announcements:
    """Read a journal (JSON Lines) or a WebVTT or SubRip transcript.

    Raises UsageFault where the file holds neither.
    """
    if path.is_dir():
        raise UsageFault(f"{path}: a folder; expected a journal or a transcript")
    if not path.is_file():
        raise UsageFault(f"{path}: no such file")
    if path.suffix.lower() in TRANSCRIPT_SUFFIXES:
        spoken = events_of(read_transcript(path))
        notes = tuple(
            f"{path.name}: {cue.start_s:.1f} s: not understood: {cue.words}" for cue in spoken.not_understood
        )
        return Announcements(spoken.events, notes)
    _expect_journal(path)
    reading = read_journal(path)
    if not reading.events:
        raise UsageFault(f"{path}: no event found" + (f"; {reading.faults[0]}" if reading.faults else ""))
    return Announcements(_well_formed(_as_it_stands(reading.events)), _notes(path.name, reading.faults))


def past_the_end(announcements: Announcements, name: str, end_s: float) -> tuple[str, ...]:
    """One line on the events of the file `name` that no picture goes with, none if there are none."""
    late = [event.t for event in announcements.events if event.t > end_s]
    if not late:
        return ()
    count, first, end = len(late), f"{late[0]:.1f}", f"{end_s:.1f}"
    return (
        text(
            es=f"{name}: {count} de sus sucesos están tras el final de la grabación ({end} s), desde "
            f"{first} s; nadie queda acusado por ellos",
            en=f"{name}: {count} of its events are past the end of the recording ({end} s), from "
            f"{first} s on; they accuse nobody",
        ),
    )


def _as_it_stands(events: tuple[TableEvent, ...]) -> tuple[TableEvent, ...]:
    """The events with their corrections applied: in a journal of its own, other events have those ids."""
    stands = settled(events, corrections_of(events))
    return tuple(event for event in stands if not isinstance(event, EventCorrected))


def _well_formed(events: tuple[TableEvent, ...]) -> tuple[TableEvent, ...]:
    """The events in order of time, behind one opening of the session in the format that is written here."""
    opened = next((event for event in events if isinstance(event, SessionOpened)), None)
    rest = sorted(
        (event for event in events if not isinstance(event, SessionOpened)), key=lambda event: event.t
    )
    return tuple(rest) if opened is None else (replace(opened, t=0.0, schema=SCHEMA), *rest)


# A file whose clock is wrong runs back at nearly every line; the reader of a review is told once.
_RUNS_BACK = "runs back from"


def _notes(name: str, faults: tuple[JournalFault, ...]) -> tuple[str, ...]:
    back = [fault for fault in faults if _RUNS_BACK in fault.text]
    told = [fault for fault in faults if fault not in back or fault is back[0]]
    notes = []
    for fault in told:
        line = text(
            es=f"{name}: línea {fault.line}: {fault.told('es')}",
            en=f"{name}: line {fault.line}: {fault.told('en')}",
        )
        if fault in back and len(back) > 1:
            line += text(es=f"; y así {len(back)} veces", en=f"; {len(back)} times like that")
        notes.append(line)
    return tuple(notes)


def _expect_journal(path: Path) -> None:
    """A video or a picture given as `--events` is refused at its first line rather than line by line."""
    with path.open("rb") as file:
        first = next((line for line in file if line.strip()), b"")
    if not first:
        raise UsageFault(f"{path}: empty file")
    try:
        holds_object = isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        holds_object = False
    if not holds_object:
        raise UsageFault(f"{path}: neither a journal (JSON Lines) nor a transcript (.vtt, .srt)")
