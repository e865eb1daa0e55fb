"""What the review pages read: sessions of a data folder judged anew, with what pictures there are."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from http import HTTPStatus
from itertools import pairwise
from pathlib import Path

from veedor.monitor.coup_view_night import Judged, JudgedCoup, Night, NightFault, judge
from veedor.monitor.felt_svg import FeltDrawing, draw_felt
from veedor.monitor.ops.heartbeat import last_heartbeat, opening_of
from veedor.monitor.reviewed import ReviewedSession, open_reviewed
from veedor.monitor.store import SessionRow, Store, StoreError
from veedor.monitor.store.layout import is_name
from veedor.monitor.store.search import CoupFilter, FoundCoup, search
from veedor.monitor.what_if_saving import read_for_review
from veedor.rules.errors import RulesError
from veedor.vision.errors import VisionError
from veedor.web.visits import Refusal, Visit, not_there, told_of

_NIGHTS_KEPT = 6  # judged; the pages of one are asked for one after another
_PIECE_S = 12.0  # of video at a time: the first picture comes soon, however long the coup
_BEFORE_S, _AFTER_S = 1.0, 8.0
_LONGEST_COUP_S = 1800.0
RUNNING_S = 60.0  # a table whose process was heard of so lately is being watched


@dataclass(frozen=True)
class Opened:
    """A session somebody looks at."""

    row: SessionRow
    night: Night
    judged: Judged
    coups: tuple[FoundCoup, ...]

    @property
    def name(self) -> str:
        return self.row.session

    @property
    def address(self) -> str:
        return f"/review/{self.row.session}"


@dataclass(frozen=True)
class Stretch:
    """A coup's part of a session, and the pieces in which its video comes."""

    start_s: float
    stop_s: float

    @property
    def pieces(self) -> tuple[tuple[float, float], ...]:
        count = max(1, -int(-(self.stop_s - self.start_s) // _PIECE_S))
        edges = [min(self.start_s + number * _PIECE_S, self.stop_s) for number in range(count + 1)]
        return tuple((round(start, 3), round(stop, 3)) for start, stop in pairwise(edges))


class Archive:
    """A data folder's sessions. Safe to use from several threads."""

    def __init__(self, data: Path, store: Store) -> None:
        self.data, self.store = data, store
        self._lock = threading.Lock()
        self._judged: OrderedDict[tuple[str, int, int], tuple[Night, Judged]] = OrderedDict()

    def open(self, visit: Visit) -> Opened:
        """The session that the address names, judged; refused where there is none or it cannot be."""
        row = self.row(visit)
        try:
            night, judged = self.judged(row.session)
        except (NightFault, StoreError) as fault:
            told = told_of(fault, self.data)
            raise Refusal(HTTPStatus.CONFLICT, told, told) from fault
        return Opened(row, night, judged, self.coups(row.session))

    def row(self, visit: Visit) -> SessionRow:
        """The session that the address names."""
        table, start = visit.path("table"), visit.path("session")
        if not is_name(table) or not is_name(start):
            raise not_there()
        row = self.store.session(f"{table}/{start}")
        if row is None:
            raise not_there()
        return row

    def coups(self, session: str) -> tuple[FoundCoup, ...]:
        """A session's coups with their findings and stakes."""
        return tuple(search(self.store, CoupFilter(session=session, with_bets=True)))

    def judged(self, session: str) -> tuple[Night, Judged]:
        """A session judged as its journal stands; kept until that changes."""
        journal = self.store.folder(session).journal
        try:
            found = journal.stat()
        except OSError as fault:
            raise NightFault(f"{journal.name}: {fault.strerror}") from fault
        key = (session, found.st_size, found.st_mtime_ns)
        with self._lock:
            if key not in self._judged:
                night = read_for_review(self.store, session)
                self._judged[key] = night, judge(night.standing(), night.profile, night.told)
                while len(self._judged) > _NIGHTS_KEPT:
                    self._judged.popitem(last=False)
            self._judged.move_to_end(key)
            return self._judged[key]

    def pictures(self, session: str) -> ReviewedSession:
        """The session's pictures and sight; StoreError where the folder is gone."""
        return open_reviewed(self.data, session)

    def felt(self, session: str) -> FeltDrawing | None:
        """The felt as it is drawn; None where the session's table file cannot be used."""
        try:
            return draw_felt(self.pictures(session).table)
        except (StoreError, VisionError, RulesError):
            return None

    def is_running(self, session: str) -> bool:
        """Whether a process watches this session's table now: then the journal is that process's.

        So it is from the moment it begins to read it, long before its first heartbeat.
        """
        table = session.partition("/")[0]
        last, opening = last_heartbeat(self.data, table), opening_of(self.data, table)
        if last is None or last.session != session:
            return False
        begins = opening is not None and time.time() - opening.at < RUNNING_S
        return begins or last.age_s() < RUNNING_S


def coup_of(opened: Opened, visit: Visit) -> JudgedCoup:
    """The coup that the address names."""
    coup = opened.judged.coup(visit.number("place"))
    if coup is None:
        raise not_there()
    return coup


def stretch_of(judged: Judged, coup: JudgedCoup) -> Stretch:
    """From a moment before the coup opens to the next one, or to some seconds after its end."""
    following = judged.coup(coup.place + 1)
    stop_s = coup.story.last_t + _AFTER_S
    if following is not None:
        stop_s = min(stop_s, max(following.story.opened_t, coup.story.opened_t + 1.0))
    start_s = max(0.0, coup.story.opened_t - _BEFORE_S)
    stop_s = max(stop_s, start_s)
    return Stretch(round(start_s, 3), round(min(stop_s, start_s + _LONGEST_COUP_S), 3))
