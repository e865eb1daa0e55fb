"""A journal as it stands: what was corrected is replaced, and every event is in its place in time.

A journal is written as things become known: what a person enters at once, what is seen once it is certain.
Rules judge in order of time. Both the running table and whoever reads its journal later come to the same.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from veedor.rules.event_types import EventCorrected, TableEvent
from veedor.rules.journal import TIME_SLACK_S


def corrections_of(events: Iterable[TableEvent]) -> dict[int, EventCorrected]:
    """The corrections among the events, by the id that each corrects; of two the first counts."""
    found: dict[int, EventCorrected] = {}
    for event in events:
        if isinstance(event, EventCorrected):
            found.setdefault(event.corrects, event)
    return found


def settled(
    events: Iterable[TableEvent], corrections: Mapping[int, EventCorrected]
) -> Iterator[TableEvent]:
    """The events in order of time with their corrections applied, in memory that does not grow.

    An event that lies further back than neighbours may is a fault of the record and stays where it stands.
    """
    held: list[tuple[float, int, TableEvent]] = []
    latest = float("-inf")
    for place, written in enumerate(events):
        event = standing(written, corrections)
        if event is None:
            continue
        if event.t < latest - TIME_SLACK_S:
            yield from (each for _, _, each in held)
            held.clear()
            latest = event.t
        latest = max(latest, event.t)
        insort(held, (event.t, place, event), key=lambda entry: entry[:2])
        while held[0][0] < latest - TIME_SLACK_S:
            yield held.pop(0)[2]
    yield from (each for _, _, each in held)


def standing(event: TableEvent, corrections: Mapping[int, EventCorrected]) -> TableEvent | None:
    """What stands for the event after all its corrections; None where nothing does."""
    seen: set[int] = set()
    found: TableEvent | None = event
    while found is not None and found.id in corrections and found.id not in seen:
        if isinstance(found, EventCorrected):
            break  # its own line; what it put in its place is corrected there
        seen.add(found.id)
        found = replacement_of(corrections[found.id])
    return found


def replacement_of(correction: EventCorrected) -> TableEvent | None:
    """The event that a correction puts in the place of another, under the correction's id."""
    if correction.replacement is None:
        return None
    return replace(correction.replacement, id=correction.id)
