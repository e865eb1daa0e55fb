"""The fixed parts a video is perceived in, whichever process takes which."""

from __future__ import annotations

from dataclasses import dataclass

SEGMENT_S = 20.0


@dataclass(frozen=True)
class Segment:
    """Frames with start_s <= t_s < stop_s; `number` counts from 0."""

    number: int
    start_s: float
    stop_s: float


def segments_of(duration_s: float, length_s: float = SEGMENT_S) -> tuple[Segment, ...]:
    """The segments that cover a video; at least one."""
    count = max(1, -(-int(duration_s * 1000) // int(length_s * 1000)))
    return tuple(Segment(number, number * length_s, (number + 1) * length_s) for number in range(count))
