"""WebVTT and SubRip transcripts of what was said at the table, as timed cues.

Formats: https://www.w3.org/TR/webvtt1/ and SubRip (numbered blocks, comma before milliseconds).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from veedor.monitor.errors import UsageFault

_TIMING = re.compile(
    r"^\s*(?:(\d+):)?(\d{1,2}):(\d{2})[.,](\d{1,3})\s*-->\s*(?:(\d+):)?(\d{1,2}):(\d{2})[.,](\d{1,3})(?:\s.*)?$"
)
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
_TAG = re.compile(r"<[^>]*>")
_PREFIX = re.compile(r"^\s*[-–—]?\s*([^\W\d_][\w .ºª]{0,30}?)\s*:\s+(?=\S)")
_BLOCKS_WITHOUT_SPEECH = ("WEBVTT", "NOTE", "STYLE", "REGION")


@dataclass(frozen=True)
class Cue:
    """Words said between two media times, seconds; `speaker` as named there, or None."""

    start_s: float
    end_s: float
    speaker: str | None
    words: str


def parse_transcript(content: str, name: str) -> tuple[Cue, ...]:
    """The cues of a WebVTT or SubRip text in order of time; `name` stands in the error.

    Raises UsageFault naming the line where a cue's timing cannot be read.
    """
    content = content.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    cues: list[Cue] = []
    line_number = 1
    for block in re.split(r"(\n{2,})", content):
        cues.extend(_cues_of(block, name, line_number))
        line_number += block.count("\n")
    if not cues:
        raise UsageFault(f"{name}: no cue found; expected WebVTT or SubRip (00:00:01.000 --> 00:00:02.000)")
    return tuple(sorted(cues, key=lambda cue: cue.start_s))


def read_transcript(path: Path) -> tuple[Cue, ...]:
    """`parse_transcript` of a UTF-8 file."""
    try:
        content = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as fault:
        raise UsageFault(f"{path}: not UTF-8 text (byte {fault.start})") from fault
    return parse_transcript(content, str(path))


def _cues_of(block: str, name: str, first_line: int) -> list[Cue]:
    lines = block.split("\n")
    if block.isspace() or not block or lines[0].startswith(_BLOCKS_WITHOUT_SPEECH):
        return []
    at = next((row for row, line in enumerate(lines) if "-->" in line), None)
    if at is None:
        return []
    found = _TIMING.match(lines[at])
    if found is None:
        shown = lines[at].strip()[:60]
        raise UsageFault(f"{name}: line {first_line + at}: cue timing not understood: {shown!r}")
    parts = found.groups(default="0")
    start_s, end_s = _seconds(parts[:4]), _seconds(parts[4:])
    if end_s < start_s:
        raise UsageFault(f"{name}: line {first_line + at}: cue ends before it starts")
    return _split_speakers("\n".join(lines[at + 1 :]), start_s, end_s)


def _seconds(parts: tuple[str, ...]) -> float:
    hours, minutes, seconds, fraction = parts
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds) + int(fraction.ljust(3, "0")) / 1000


def _split_speakers(payload: str, start_s: float, end_s: float) -> list[Cue]:
    """One cue for each speaker of the payload: `<v Name>` spans, or lines that begin `Name: `."""
    spans: list[tuple[str | None, str]] = []
    for line in payload.split("\n"):
        pieces = _VOICE.split(line)
        if len(pieces) > 1:
            named = list(zip(pieces[1::2], pieces[2::2], strict=True))
            spans.extend((speaker.strip(), _TAG.sub("", words).strip()) for speaker, words in named)
            continue
        bare = _TAG.sub("", line).strip()
        prefix = _PREFIX.match(bare)
        if prefix is not None:
            spans.append((prefix.group(1).strip(), bare[prefix.end() :]))
        elif bare and spans:
            speaker, words = spans[-1]
            spans[-1] = (speaker, f"{words} {bare}")
        elif bare:
            spans.append((None, bare))
    spans = [(speaker, words) for speaker, words in spans if words]
    share = (end_s - start_s) / max(len(spans), 1)
    return [
        Cue(round(start_s + share * at, 3), round(start_s + share * (at + 1), 3), speaker, words)
        for at, (speaker, words) in enumerate(spans)
    ]
