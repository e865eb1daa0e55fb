"""What was seen in a session: as its review kept it, or looked at anew around the moments that matter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from veedor.monitor.eyes import Eyes, open_eyes
from veedor.monitor.labelling.queue_record import Moment
from veedor.monitor.reviewed import ReviewedSession
from veedor.vision.percept import Percept
from veedor.vision.still_looks import look_at_table
from veedor.vision.table import Table

MOST_LOOKS = 200  # of a session of which nothing was kept
BEFORE_S, AFTER_S = 1.0, 0.5
RUN_S = 600.0  # a whole night of looks at once would take a gigabyte


def looks_of(
    session: ReviewedSession, moments: Sequence[Moment]
) -> tuple[Table, Iterator[list[Percept]]] | None:
    """A session's table and its looks in order of time, some minutes at once; None where it has no table.

    A watched night keeps no record of every look, and its pictures only for a while: there the moments that
    people or the record point at are looked at anew.
    """
    if not session.folder.table_file.is_file():
        return None
    table = session.table
    return None if table.camera is None else (table, _runs(session, table, moments))


def _runs(session: ReviewedSession, table: Table, moments: Sequence[Moment]) -> Iterator[list[Percept]]:
    seen, start_s = False, 0.0
    while start_s <= session.duration_s:
        run = list(session.sight(start_s, start_s + RUN_S))
        start_s += RUN_S
        if run:
            seen = True
            yield run
    if not seen:
        yield _anew(session, table, moments)


def _anew(session: ReviewedSession, table: Table, moments: Sequence[Moment]) -> list[Percept]:
    wanted = sorted({round(each.t_s + shift, 2) for each in moments for shift in (-BEFORE_S, 0.0, AFTER_S)})
    found: dict[float, Percept] = {}
    for t_s in wanted[:MOST_LOOKS]:
        exact = session.picture_at(max(0.0, t_s))
        if exact is None or exact.frame.t_s in found:
            continue
        percept = look_at_table(exact.frame, table, _eyes())
        found[exact.frame.t_s] = replace(percept, t_s=exact.frame.t_s)
    return [found[t_s] for t_s in sorted(found)]


@lru_cache(maxsize=1)
def _eyes() -> Eyes:
    return open_eyes(threads=1)
