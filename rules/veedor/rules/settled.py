"""A journal as it stands: what was corrected is replaced, and every event is in its place in time.

A journal is written as things become known: what a person enters at once, what is seen once it is certain.
Rules judge in order of time. Both the running table and whoever reads its journal later come to the same.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from veedor.rules.event_types import EventCorrected, TableEvent
from veedor.rules.journal import TIME_SLACK_S

_UNNUMBERED = 1 << 53  # corrections without a number of their own, as in a file that a person writes


def corrections_of(events: Iterable[TableEvent]) -> dict[int, EventCorrected]:
    """The corrections among the events, by the id that each corrects; of two the first counts.

    One that corrects 0 adds an event that was missed: it stands under its own number, negative.
    """
    found: dict[int, EventCorrected] = {}
    for event in events:
        if isinstance(event, EventCorrected):
            own = -(event.id or _UNNUMBERED + len(found))
            found.setdefault(event.corrects or own, event)
    return found


def additions_of(corrections: Mapping[int, EventCorrected]) -> list[TableEvent]:
    """The events that people added, as they stand, in order of time."""
    added = [replacement_of(each) for key, each in corrections.items() if key < 0]
    stand = [None if event is None else standing(event, corrections) for event in added]
    return sorted((each for each in stand if each is not None), key=lambda each: (each.t, each.id))


def settled(events: Iterable[TableEvent], corrections: Mapping[int, EventCorrected]) -> Iterator[TableEvent]:
    """The events in order of time with their corrections applied, in memory that does not grow.

    An event that lies further back than neighbours may is a fault of the record and stays where it stands;
    one that a person added takes its place in time.
    """
    added = deque(additions_of(corrections))
    for event in _in_order(events, corrections):
        while added and added[0].t < event.t:
            yield added.popleft()
        yield event
    yield from added


def _in_order(
    events: Iterable[TableEvent], corrections: Mapping[int, EventCorrected]
) -> Iterator[TableEvent]:
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
