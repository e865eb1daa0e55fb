"""A session and its coups: timeline, video with what was seen, what the rules required and what happened."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from veedor.monitor import language
from veedor.monitor.correctable import CORRECTABLE
from veedor.monitor.coup_view import CoupView, view_of
from veedor.monitor.coup_view_night import JudgedCoup
from veedor.monitor.coup_view_sight import SeenPlace, overlay, places_of
from veedor.monitor.coup_view_timeline import draw_session
from veedor.monitor.coup_view_video import first_of, piece_of
from veedor.monitor.errors import MonitorError
from veedor.monitor.reviewed import ReviewedSession
from veedor.monitor.store import FindingRow, StoreError
from veedor.monitor.store.search import FoundCoup, wall_clock
from veedor.monitor.timeline import draw_timeline
from veedor.rules.events import NAME_BY_TYPE, BetPlaced, CardTurned, TableEvent
from veedor.vision.errors import VisionError
from veedor.web.access.people import Role
from veedor.web.gate import EXPORTERS
from veedor.web.live_pages import Desk
from veedor.web.review_archive import Archive, Opened, Stretch, coup_of, stretch_of
from veedor.web.review_ranges import ranged
from veedor.web.visits import Refusal, Visit, not_there, told_of

_AT_ONCE = 2  # pieces of video that are made; who waits for more does so without a thread
_T = TypeVar("_T")


@dataclass(frozen=True)
class ShownFinding:
    """A recorded finding with the decisions on it, oldest first; `last` the id of the last, 0 for none."""

    row: FindingRow
    decisions: tuple[Any, ...]

    @property
    def last(self) -> int:
        return self.decisions[-1].id if self.decisions else 0


@dataclass(frozen=True)
class Unsaved:
    """A verdict that was not saved: on which finding, why, and the words that were written with it."""

    number: int
    fault: str
    reason: str


class ReviewCoups:
    """Handlers of one session and one coup."""

    def __init__(self, desk: Desk, archive: Archive) -> None:
        self._desk = desk
        self._archive = archive
        self._few = asyncio.Semaphore(_AT_ONCE)

    async def session(self, visit: Visit) -> Response:
        """Every coup of a session, in a list and against time."""
        row = await self._asked(visit, lambda: self._archive.row(visit))
        await self._desk.saw(visit, "saw session", row.session)
        coups = await self._asked(visit, lambda: self._archive.coups(row.session))
        only = visit.request.query_params.get("only", "")
        drawing = await self._asked(visit, lambda: draw_session(coups, self._views(row.session)))
        pictures = await self._asked(visit, lambda: self._archive.pictures(row.session))
        return self._desk.renderer.page(
            visit,
            "review_session.html.j2",
            row=row,
            began=wall_clock(row.started_at, 0.0),
            coups=[each for each in coups if only != "findings" or each.findings],
            only=only,
            drawing=drawing,
            gone=self._gone(pictures),
            is_review=pictures.is_review,
            made_by=pictures.made_by,
        )

    async def coup(self, visit: Visit) -> Response:
        """One coup with everything about it."""
        opened, coup = await self._asked(visit, lambda: self._opened(visit))
        await self._desk.saw(visit, "saw coup", f"{opened.name}/{coup.place}")
        return await self._page(visit, opened, coup)

    async def again(self, visit: Visit, place: int, unsaved: Unsaved, refusal: Refusal) -> Response:
        """The coup's page once more, with what was not saved beside its finding."""
        opened = await self._asked(visit, lambda: self._archive.open(visit))
        coup = opened.judged.coup(place)
        rows = opened.coups[place - 1].findings if coup is not None and place <= len(opened.coups) else ()
        if coup is None or all(each.number != unsaved.number for each in rows):
            raise refusal
        return await self._page(visit, opened, coup, unsaved, refusal.status)

    async def _page(
        self,
        visit: Visit,
        opened: Opened,
        coup: JudgedCoup,
        unsaved: Unsaved | None = None,
        status: HTTPStatus = HTTPStatus.OK,
    ) -> Response:
        context = await self._asked(visit, lambda: self._context(opened, coup))
        return self._desk.renderer.page(
            visit,
            "review_coup.html.j2",
            status,
            corrects=visit.who.role is Role.REVIEWER,
            exports=visit.who.role in EXPORTERS,
            csrf=visit.csrf,
            unsaved=unsaved,
            at_address="" if unsaved is None else f"{opened.address}/coups/{coup.place}",
            **context,
        )

    async def video(self, visit: Visit) -> Response:
        """A piece of the coup's video, as browsers play it; they ask for it in ranges."""
        opened, coup = await self._asked(visit, lambda: self._opened(visit))
        pieces = stretch_of(opened.judged, coup).pieces
        number = visit.number("piece")
        if number >= len(pieces):
            raise not_there()
        await self._desk.saw(visit, "saw video", f"{opened.name}/{coup.place}")
        pictures = await self._asked(visit, lambda: self._archive.pictures(opened.name))
        async with self._few:
            if await visit.request.is_disconnected():  # on to another piece meanwhile
                return Response(status_code=HTTPStatus.SERVICE_UNAVAILABLE)
            clip = await self._asked(visit, lambda: piece_of(pictures, *pieces[number]), HTTPStatus.NOT_FOUND)
        return ranged(clip, visit.request.headers.get("range", ""), "video/mp4")

    async def sight(self, visit: Visit) -> Response:
        """Exact times of the coup's pictures and the outlines of what was seen in them."""
        opened, coup = await self._asked(visit, lambda: self._opened(visit))
        stretch = stretch_of(opened.judged, coup)
        pictures = await self._asked(visit, lambda: self._archive.pictures(opened.name))
        async with self._few:
            drawn = await self._asked(visit, lambda: overlay(pictures, stretch.start_s, stretch.stop_s))
            pieces = await self._asked(
                visit, lambda: [(*each, first_of(pictures, *each)) for each in stretch.pieces]
            )
        body = json.dumps({**drawn, "pieces": pieces}, separators=(",", ":"))
        return Response(body, media_type="application/json")

    def _opened(self, visit: Visit) -> tuple[Opened, JudgedCoup]:
        opened = self._archive.open(visit)
        return opened, coup_of(opened, visit)

    def _context(self, opened: Opened, coup: JudgedCoup) -> dict[str, Any]:
        found = opened.coups[coup.place - 1] if coup.place <= len(opened.coups) else None
        view = view_of(coup, opened.judged.profile)
        stretch = stretch_of(opened.judged, coup)
        findings = self._findings(opened, found)
        flags = [(each.row.number, each.row.t, _tone(each.row)) for each in findings]
        pictures = self._archive.pictures(opened.name)
        return {
            "opened": opened,
            "coup": coup,
            "found": found,
            "view": view,
            "began": wall_clock(opened.row.started_at, coup.story.opened_t),
            "wall": partial(_wall, wall_clock(opened.row.started_at, 0.0)),
            "stretch": stretch,
            "findings": findings,
            "timeline": draw_timeline(coup.story, flags),
            "felt": self._archive.felt(opened.name),
            "places": self._places(pictures, view),
            "gone": self._gone(pictures),
            "has_pictures": self._has_pictures(pictures, stretch),
            "around": self._around(opened, coup),
            "turned": _turns(coup.story.events),
            "placed": {each.bet: each.id for each in coup.story.events if isinstance(each, BetPlaced)},
            "correctable": {each.id for each in coup.story.events if _correctable(each)},
            "running": self._archive.is_running(opened.name),
        }

    def _findings(self, opened: Opened, found: FoundCoup | None) -> tuple[ShownFinding, ...]:
        rows = () if found is None else found.findings
        told = self._archive.store.decisions(opened.name) if rows else []
        return tuple(
            ShownFinding(row, tuple(each for each in told if each.finding == row.number)) for row in rows
        )

    def _places(self, pictures: ReviewedSession, view: CoupView) -> Mapping[str, SeenPlace]:
        try:
            return places_of(pictures, view.stakes)
        except (MonitorError, VisionError):
            return {}

    def _gone(self, pictures: ReviewedSession) -> list[str]:
        """Which pictures are not there any more, without where the data folder lies."""
        return [each.replace(f"{self._archive.data}/", "") for each in pictures.gone()]

    def _has_pictures(self, pictures: ReviewedSession, stretch: Stretch) -> bool:
        try:
            return bool(pictures.frame_times(stretch.start_s, stretch.stop_s))
        except (MonitorError, VisionError):
            return False

    def _around(self, opened: Opened, coup: JudgedCoup) -> Mapping[str, str]:
        """Addresses of the coups before and after, and of the nearest with findings; empty for none."""
        address = f"{opened.address}/coups/"
        places = [each.place for each in opened.coups]
        noted = [each.place for each in opened.coups if each.findings]
        near = {
            "previous": max((each for each in places if each < coup.place), default=None),
            "next": min((each for each in places if each > coup.place), default=None),
            "previous_finding": max((each for each in noted if each < coup.place), default=None),
            "next_finding": min((each for each in noted if each > coup.place), default=None),
        }
        return {name: "" if place is None else f"{address}{place}" for name, place in near.items()}

    def _views(self, session: str) -> Sequence[Any]:
        events = self._archive.store.events(session)
        return [each for each in events if each.kind in ("view_lost", "view_restored")]

    async def _asked(
        self, visit: Visit, question: Callable[[], _T], otherwise: HTTPStatus = HTTPStatus.CONFLICT
    ) -> _T:
        """In a thread, in the visitor's language; what cannot be answered is refused in a line."""
        language.use(visit.language)
        try:
            return await run_in_threadpool(question)
        except (StoreError, VisionError, MonitorError) as fault:
            told = told_of(fault, self._archive.data)
            raise Refusal(otherwise, told, told) from fault


def _turns(events: Sequence[TableEvent]) -> dict[str, int]:
    """The event that showed each card last: what a person corrects who sees that it was misread."""
    return {each.card: each.id for each in events if isinstance(each, CardTurned)}


def _correctable(event: TableEvent) -> bool:
    return event.id > 0 and NAME_BY_TYPE.get(type(event)) in CORRECTABLE


def _tone(row: FindingRow) -> str:
    return f"severity-{row.severity} verdict-{row.verdict}"


def _wall(zero: datetime | None, t_s: float) -> str:
    """The time on the wall to the second; empty where it is not known."""
    return "" if zero is None else (zero + timedelta(seconds=t_s)).strftime("%H:%M:%S")
