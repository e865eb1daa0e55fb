"""The events that a camera cannot see, from the file given with `--events`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from veedor.monitor.errors import UsageFault
from veedor.monitor.spoken import events_of
from veedor.monitor.transcript import read_transcript
from veedor.rules.events import TableEvent
from veedor.rules.journal import read_journal

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
    events = tuple(sorted(reading.events, key=lambda event: event.t))
    return Announcements(events, tuple(f"{path.name}: {fault}" for fault in reading.faults))


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
