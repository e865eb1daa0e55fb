"""The review's lists: sessions, coups that were looked for, and what many of them come to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response
from veedor.monitor.language import Bilingual, Language
from veedor.monitor.reviewed import is_review
from veedor.monitor.statistics import Statistics, statistics
from veedor.monitor.store import SessionRow, State, StoreError
from veedor.monitor.store.search import (
    CoupFilter,
    FoundCoup,
    search,
    search_in,
    sessions_of,
    wall_clock,
)
from veedor.monitor.wording import person_name
from veedor.rules.rulebook import rulebook
from veedor.web.finding_pages import csv_stream
from veedor.web.live_pages import Desk
from veedor.web.review_archive import Archive
from veedor.web.review_query import VERDICTS, Query, read_query
from veedor.web.visits import Refusal, Visit, told_of

PAGE = 50
MOST_SESSIONS, MOST_DATED = 400, 10_000
SHIFTS, MOST_SHIFTS = (6, 14, 22), 24
_KINDS = {"live": False, "review": True}
COLUMNS = (
    "table", "session", "coup", "place", "at", "finding", "code", "verdict", "severity", "actor", "title",
    "decision",
)  # fmt: skip


class ReviewLists:
    """Handlers of what is about many coups."""

    def __init__(self, desk: Desk, archive: Archive) -> None:
        self._desk = desk
        self._archive = archive

    async def sessions(self, visit: Visit) -> Response:
        """Where a review begins: the line to search with, and the sessions, newest first."""
        await self._desk.saw(visit, "saw review", "")
        tables = await run_in_threadpool(self._tables)  # the disk may be slow: nobody else waits for it
        query = read_query(visit.request.query_params, tables)
        params = visit.request.query_params
        kind, only_open = params.get("kind", ""), bool(params.get("open"))
        rows = [
            each
            for each in await run_in_threadpool(self._sessions, query)
            if kind not in _KINDS or each["review"] is _KINDS[kind]
            if not only_open or each["row"].open_findings
        ]
        return self._page(
            visit, "review_sessions.html.j2", query, rows=rows, tables=tables, kind=kind,
            only_open=only_open,
        )  # fmt: skip

    async def search(self, visit: Visit) -> Response:
        """The coups that fit; whoever typed a line is led to the coup where there is but one."""
        tables = await run_in_threadpool(self._tables)
        query = read_query(visit.request.query_params, tables)
        await self._desk.saw(visit, "searched", query.address("")[:200])
        found = await run_in_threadpool(self._found, query) if not query.faults else []
        first = _page_of(visit)
        covering = [each for each in found if each.covers(query.near)]
        if "go" in visit.request.query_params and len(found) == 1:
            return RedirectResponse(_address(found[0]), HTTPStatus.SEE_OTHER)
        return self._page(
            visit,
            "review_search.html.j2",
            query,
            found=found[first * PAGE : (first + 1) * PAGE],
            total=len(found),
            page_number=first,
            pages=max(1, -(-len(found) // PAGE)),
            covering={(each.session, each.place) for each in covering},
            tables=tables,
        )

    async def search_csv(self, visit: Visit) -> Response:
        """All of them as a sheet, however many, a line for each finding and one for each coup without any."""
        tables = await run_in_threadpool(self._tables)
        query = read_query(visit.request.query_params, tables)
        if query.faults:
            told = "; ".join(
                f"{name}: {words.in_language(visit.language)}" for name, words in query.faults.items()
            )
            raise Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, told, told)
        store = self._archive.store
        try:
            sessions = await run_in_threadpool(sessions_of, store, query.filter)
        except StoreError as fault:
            raise self._unwell(fault) from fault
        await self._desk.did(visit, "exported coups", query.address("")[:200], f"{len(sessions)} sessions")
        found = search_in(store, sessions, query.filter)
        return csv_stream(
            "coups.csv", COLUMNS, (row for coup in found for row in _csv_rows(coup, visit.language))
        )

    async def statistics(self, visit: Visit) -> Response:
        """What the coups that fit come to."""
        tables = await run_in_threadpool(self._tables)
        query = read_query(visit.request.query_params, tables)
        await self._desk.saw(visit, "saw statistics", query.address("")[:200])
        written = visit.request.query_params.get("shifts", "").strip()
        shifts = _shifts(written)
        if shifts is None:
            hours = Bilingual("se esperan horas, como 6 14 22", "hours are expected, such as 6 14 22")
            query = replace(query, faults={**query.faults, "shifts": hours})
            shifts = SHIFTS
        found = await run_in_threadpool(self._statistics, query.filter, shifts)
        return self._page(
            visit,
            "review_statistics.html.j2",
            query,
            found=found,
            shifts=shifts,
            shifts_written=written or " ".join(map(str, shifts)),
            tables=tables,
            names={code: _name(code, visit.language) for code in rulebook().codes},
        )

    def _tables(self) -> list[str]:
        try:
            return self._archive.store.table_ids()
        except StoreError as fault:
            raise self._unwell(fault) from fault

    def _rows(self, table: str | None, *, dated: bool) -> list[SessionRow]:
        """The newest; where days are asked for all there are, of which those days' are taken."""
        try:
            return self._archive.store.sessions(table, limit=MOST_DATED if dated else MOST_SESSIONS)
        except StoreError as fault:
            raise self._unwell(fault) from fault

    def _sessions(self, query: Query) -> list[dict[str, Any]]:
        wanted = query.filter
        rows = []
        dated = wanted.since is not None or wanted.until is not None
        for row in self._rows(wanted.table_id, dated=dated):
            at = wall_clock(row.started_at, 0.0)
            day = None if at is None else at.date()
            if dated and day is None:
                continue
            if wanted.since is not None and day is not None and day < wanted.since:
                continue
            if wanted.until is not None and day is not None and day > wanted.until:
                continue
            rows.append({"row": row, "at": at, "review": is_review(self._archive.store.folder(row.session))})
        return rows

    def _found(self, query: Query) -> list[FoundCoup]:
        try:
            found = search(self._archive.store, query.filter)
        except StoreError as fault:
            raise self._unwell(fault) from fault
        if query.near is None:
            return found
        # Somebody remembers a time: first what was in course then, last night's before earlier ones.
        return sorted(found, key=lambda each: not each.covers(query.near))

    def _statistics(self, wanted: CoupFilter, shifts: tuple[int, ...]) -> Statistics:
        try:
            return statistics(self._archive.store, wanted, shifts)
        except StoreError as fault:
            raise self._unwell(fault) from fault

    def _unwell(self, fault: StoreError) -> Refusal:
        told = told_of(fault, self._archive.data)
        return Refusal(HTTPStatus.SERVICE_UNAVAILABLE, told, told)

    def _page(self, visit: Visit, template: str, query: Query, **context: Any) -> Response:
        status = HTTPStatus.UNPROCESSABLE_ENTITY if query.faults else HTTPStatus.OK
        return self._desk.renderer.page(
            visit, template, status, query=query, codes=sorted(rulebook().codes), verdicts=VERDICTS,
            states=tuple(State), **context,
        )  # fmt: skip


def _address(coup: FoundCoup) -> str:
    return f"/review/{coup.session}/coups/{coup.place}"


def _page_of(visit: Visit) -> int:
    written = visit.request.query_params.get("page", "0")
    return int(written) if re.fullmatch(r"[0-9]{1,6}", written) else 0


def _shifts(written: str) -> tuple[int, ...] | None:
    """Hours at which dealers change, as written `6 14 22`; None where that is none."""
    words = re.split(r"[\s,;]+", written) if written else []
    if len(words) > MOST_SHIFTS or not all(re.fullmatch(r"[01]?[0-9]|2[0-3]", each) for each in words):
        return None
    return tuple(sorted({int(each) for each in words})) or SHIFTS


def _name(code: str, language: Language) -> str:
    return rulebook().codes[code].texts[language.value].name


def _csv_rows(coup: FoundCoup, language: Language) -> Iterable[list[str]]:
    at = "" if coup.at is None else coup.at.isoformat(timespec="seconds")
    head = [coup.table_id, coup.session.partition("/")[2], str(coup.number), str(coup.place), at]
    if not coup.findings:
        yield [*head, *[""] * (len(COLUMNS) - len(head))]
    for each in coup.findings:
        title = each.view().title.in_language(language)
        who = person_name(each.actor, language)
        yield [*head, str(each.number), each.code, each.verdict, each.severity, who, title, each.state.value]
