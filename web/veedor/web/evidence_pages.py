"""What is taken out of the house: signed evidence and reports. Each is in the audit log."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from veedor.monitor.errors import MonitorError, UsageFault
from veedor.monitor.evidence_bundle import bundle_name, make_bundle
from veedor.monitor.evidence_bundle_keys import key_of, key_path
from veedor.monitor.language import Language, use
from veedor.monitor.report_export import csv_table
from veedor.monitor.report_pdf import report_pdf
from veedor.monitor.report_record import NightRecord
from veedor.monitor.report_record_files import open_record
from veedor.monitor.report_selection import Chosen, Selection, choose, parse_coups, report_page
from veedor.monitor.report_tables import tables_of
from veedor.monitor.store.layout import is_name, session_folder
from veedor.rules.errors import RulesError
from veedor.vision.errors import VisionError
from veedor.web.gate import EXPORTERS, Page
from veedor.web.live_pages import Desk
from veedor.web.visits import Refusal, Visit, not_there, told_of


@dataclass(frozen=True)
class _Export:
    """A file that is handed out, and what the audit log says of it."""

    name: str
    media_type: str
    content: bytes
    detail: str


class EvidencePages:
    """Handlers of downloads; one is made at a time, so that exporting never starves the pages.

    Those that wait do so here and not in threads, of which the pages have a few only.
    """

    def __init__(self, desk: Desk, data: Path) -> None:
        self._desk, self._data = desk, data
        self._one = asyncio.Lock()

    async def evidence(self, visit: Visit) -> Response:
        """A finding's bundle, signed with this installation's key."""
        number = visit.number("number")
        had_key = key_path(self._data).exists()
        export = await self._made(visit, lambda record: self._bundle(record, number))
        if not had_key:
            await self._desk.did(visit, "made evidence key", key_path(self._data).name)
        await self._desk.did(visit, "exported evidence", f"{self._session(visit)}/{number}", export.detail)
        return _download(export)

    async def report(self, visit: Visit) -> Response:
        """A session's report or one of its tables; `?coups=12-14` for a part."""
        name = visit.path("file")
        make = _REPORTS.get(name)
        if make is None:
            raise not_there()
        coups, language = visit.request.query_params.get("coups"), visit.language

        def made(record: NightRecord) -> _Export:
            chosen = choose(record, Selection(coups=None if coups is None else parse_coups(coups)))
            content, media_type = make(chosen, language), _MEDIA_TYPES[name.rpartition(".")[2]]
            stem, _, ending = name.rpartition(".")
            file = f"{record.name.replace('/', '-')}-{stem}.{ending}"
            return _Export(file, media_type, content, sha256(content).hexdigest())

        export = await self._made(visit, made)
        await self._desk.did(visit, f"exported {name}", self._session(visit), export.detail)
        return _download(export)

    def _session(self, visit: Visit) -> str:
        table, session = visit.path("table"), visit.path("session")
        if not is_name(table) or not is_name(session):
            raise not_there()
        return f"{table}/{session}"

    async def _made(self, visit: Visit, make: Callable[[NightRecord], _Export]) -> _Export:
        session = self._session(visit)

        def work() -> _Export:
            use(visit.language)
            if not session_folder(self._data, session).path.is_dir():
                raise not_there()
            return make(open_record(session, self._data))

        try:
            async with self._one:
                return await run_in_threadpool(work)
        except UsageFault as fault:
            raise self._refused(fault, HTTPStatus.NOT_FOUND) from fault
        except (MonitorError, RulesError, VisionError, OSError) as fault:
            raise self._refused(fault, HTTPStatus.CONFLICT) from fault

    def _refused(self, fault: Exception, status: HTTPStatus) -> Refusal:
        told = told_of(fault, self._data)
        return Refusal(status, told, told)

    def _bundle(self, record: NightRecord, number: int) -> _Export:
        finding = record.finding(number)
        content = make_bundle(record, number, key_of(self._data))
        digest = sha256(content).hexdigest()
        return _Export(bundle_name(record, finding), "application/zip", content, digest)


def evidence_pages(desk: Desk, data: Path) -> list[Page]:
    """What reviewers and administrators may take with them."""
    pages = EvidencePages(desk, data)
    return [
        Page("GET", "/findings/{table}/{session}/{number}/evidence.zip", pages.evidence, EXPORTERS),
        Page("GET", "/review/{table}/{session}/export/{file}", pages.report, EXPORTERS),
    ]


def _table(place: int) -> Callable[[Chosen, Language], bytes]:
    return lambda chosen, language: csv_table(tables_of(chosen, language)[place])


_REPORTS: dict[str, Callable[[Chosen, Language], bytes]] = {
    "report.pdf": report_pdf,
    "report.html": lambda chosen, language: report_page(chosen, language).encode(),
    "coups.csv": _table(0),
    "stakes.csv": _table(1),
    "findings.csv": _table(2),
}
_MEDIA_TYPES = {
    "pdf": "application/pdf",
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
}


def _download(export: _Export) -> Response:
    disposition = f"attachment; filename*=utf-8''{quote(export.name)}"
    headers = {"content-disposition": disposition, "cache-control": "no-store"}
    return Response(export.content, media_type=export.media_type, headers=headers)
