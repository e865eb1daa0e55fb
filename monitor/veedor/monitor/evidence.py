"""Stills and clips that show a finding."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from veedor.monitor.clips import encode_clip
from veedor.monitor.drawing import Outline, jpeg, outlined
from veedor.monitor.recordings import Session
from veedor.monitor.stills import best, chip_of
from veedor.monitor.wording import card_name
from veedor.rules.events import TableEvent
from veedor.vision.detections import ObjectClass
from veedor.vision.footprints import CHIPS
from veedor.vision.percept import Percept
from veedor.vision.reader import RANKS, SUITS
from veedor.vision.table import ChipType

STILL_WIDTH_PX = 1280
STILL_QUALITY = 82
BEFORE_S = 3.0
AFTER_S = 3.0
# A finding may rest on events a minute apart (a word and the showdown): the clip shows the end of it. Longer
# clips are not looked at to their end.
LONGEST_S = 12.0


@dataclass(frozen=True)
class Span:
    """The stretch of media time that shows a finding."""

    start_s: float
    stop_s: float


def span_of(t_s: float, events: Sequence[TableEvent], duration_s: float) -> Span:
    """From a little before the earliest of a finding's events to a little after its moment."""
    earliest = min([t_s, *(event.t for event in events)])
    stop_s = min(t_s + AFTER_S, duration_s)
    return Span(max(0.0, earliest - BEFORE_S, stop_s - LONGEST_S), stop_s)


def clip_of(session: Session, span: Span) -> bytes | None:
    """The stretch as an MP4 file, None where no frame lies in it."""
    return encode_clip(session.frames(span.start_s, span.stop_s), session.rate_fps)


def still_of(
    session: Session, t_s: float, percepts: Sequence[Percept], chips: Sequence[ChipType]
) -> bytes | None:
    """The picture at a moment with what was recognised in it, as JPEG; None after the end of all pictures.

    `percepts` in order of time; the last one up to the moment gives the outlines.
    """
    place = bisect_right([percept.t_s for percept in percepts], t_s + 1e-6) - 1
    percept = percepts[place] if place >= 0 else None
    # The picture that the outlines were found in: a frame later a carried card would have left its outline.
    frame = session.frame_at(t_s if percept is None else percept.t_s)
    if frame is None:
        return None
    outlines = [] if percept is None else outlines_of(percept, chips)
    return jpeg(outlined(frame.image, outlines, width_px=STILL_WIDTH_PX), STILL_QUALITY)


def outlines_of(percept: Percept, chips: Sequence[ChipType]) -> list[Outline]:
    """Outlines with what each object was read as."""
    found = percept.detections
    return [
        Outline(ObjectClass(kind), found.corners_px[row], _label(percept, row, ObjectClass(kind), chips))
        for row, kind in enumerate(found.class_ids.tolist())
    ]


def _label(percept: Percept, row: int, kind: ObjectClass, chips: Sequence[ChipType]) -> str:
    """Latin letters only: OpenCV's own font has no suit signs."""
    if kind is ObjectClass.CARD_FACE:
        rank, suit = best(percept.rank_probs[row], RANKS), best(percept.suit_probs[row], SUITS)
        return "?" if rank == "?" else card_name(rank + "?") + suit.lower().strip("?")
    if kind in CHIPS:
        chip, count = chip_of(percept.chip_probs[row], chips), int(percept.counts[row])
        if not chips or count == 0:
            return ""
        value = "?" if chip is None else str(chip.value)
        return value if count == 1 else f"{count}x{value}"
    return ""
