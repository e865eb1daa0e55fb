"""A table's live page: picture, felt, running coup and findings, pushed as they change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response, StreamingResponse
from veedor.web.access.audit import Entry
from veedor.web.access.people import Role
from veedor.web.door import Door
from veedor.web.findings_desk import FindingsDesk, told_and_doubts
from veedor.web.rendering import Renderer
from veedor.web.site import FindingKey, Site, WatchedTable
from veedor.web.streams import LOOK_S, Holding, Source, event_stream
from veedor.web.visits import Visit, not_there

_BOUNDARY = "veedor-picture"
FEED = 40  # findings on the page, and as many in doubt; earlier ones that are open: the hand-over list
_AGAIN_S, _KEEP_ALIVE_S = 0.3, 10.0
SILENT_S = 3.0  # nothing heard of a table's process for so long: the page says so


@dataclass(frozen=True)
class Desk:
    """What every page's handlers share."""

    site: Site
    door: Door
    renderer: Renderer
    findings: FindingsDesk
    cookie: str
    at_root: bool  # the site's one table has its page at `/`

    def table(self, visit: Visit) -> WatchedTable:
        """The table the address names; of a local site, the one there is."""
        tables = self.site.tables()
        if "table" not in visit.request.path_params:
            return tables[0]
        return self.current(visit.path("table"))

    def current(self, table_id: str) -> WatchedTable:
        """The table as it is now: its session and process may be others than a moment ago."""
        found = next((each for each in self.site.tables() if each.id == table_id), None)
        if found is None:
            raise not_there()
        return found

    def holding(self, visit: Visit) -> Holding:
        return Holding(self.door, visit.request.cookies.get(self.cookie, ""))

    async def saw(self, visit: Visit, act: str, subject: str) -> None:
        """Write down once for each session that something was looked at."""
        await self.door.note_once(visit.session, Entry(visit.who.name, visit.address, act, subject))

    async def saw_with_stills(self, visit: Visit, act: str, of: Iterable[str]) -> None:
        """The same of a list with these findings' stills: one entry with their number, none for each."""
        stills = [("saw still", each) for each in of]
        detail = f"{len(stills)} still{'' if len(stills) == 1 else 's'}" if stills else ""
        entry = Entry(visit.who.name, visit.address, act, detail=detail)
        await self.door.note_once(visit.session, entry, stills)

    async def did(self, visit: Visit, act: str, subject: str, detail: str = "") -> None:
        await self.door.note(Entry(visit.who.name, visit.address, act, subject, detail))


class LivePages:
    """Handlers of one table's page and what it loads."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def show(self, visit: Visit) -> Response:
        table = self._desk.table(visit)
        await self._desk.saw(visit, "saw table", table.id)
        base = "" if self._desk.at_root else f"/tables/{table.id}"
        parts = await run_in_threadpool(self.parts, table.id, visit)
        return self._desk.renderer.page(
            visit,
            "live.html.j2",
            table=table,
            face=table.face,
            base=base,
            parts=parts,
            decides=decides(visit),
        )

    def parts(self, table_id: str, visit: Visit) -> Mapping[str, str]:
        """The changing parts of the page by the id of the element that holds them."""
        table = self._desk.current(table_id)
        _, state = table.board.latest()
        found, in_doubt = told_and_doubts(self._desk.findings.of_table(table, FEED))
        part = self._desk.renderer.part
        shared = {"state": state, "felt": table.face.felt}
        return {
            "status": part("live_status.html.j2", visit.language, silent=silent_seconds(table), **shared),
            "objects": part("live_objects.html.j2", visit.language, **shared),
            "coup": part("live_coup.html.j2", visit.language, **shared),
            "findings": part(
                "live_findings.html.j2",
                visit.language,
                found=found,
                in_doubt=in_doubt,
                csrf=visit.csrf,
                decides=decides(visit),
            ),
        }

    async def stream(self, visit: Visit) -> Response:
        table_id = self._desk.table(visit).id

        def version() -> object:
            table = self._desk.current(table_id)
            return (
                table.board.latest()[0],
                table.session,
                silent_seconds(table),
                self._desk.findings.of_table(table, FEED),
            )

        source = Source(
            version,
            lambda: self.parts(table_id, visit),
            lambda: self._desk.at_root and self._desk.current(table_id).board.latest()[1].finished,
        )
        return event_stream(source, self._desk.holding(visit))

    async def picture(self, visit: Visit) -> Response:
        """The picture as it changes, JPEG after JPEG (multipart/x-mixed-replace); one JPEG with `?once`."""
        table = self._desk.table(visit)
        if "once" in visit.request.query_params:
            _, jpeg = table.board.picture()
            if jpeg is None:
                raise not_there()
            return Response(jpeg, media_type="image/jpeg")
        pictures = self._pictures(table, self._desk.holding(visit))
        return StreamingResponse(pictures, media_type=f"multipart/x-mixed-replace; boundary={_BOUNDARY}")

    async def _pictures(self, table: WatchedTable, holding: Holding) -> AsyncIterator[bytes]:
        board, seen, still_s, again_s = table.board, 0, 0.0, _AGAIN_S
        # Browsers show a part once its end has come: each is sent with the boundary that closes it.
        boundary = f"--{_BOUNDARY}\r\n".encode()
        with board.viewed():
            yield boundary
            while await holding.holds():
                version, jpeg = board.picture()
                if jpeg is not None and (version != seen or still_s >= again_s):
                    # Chromium shows a part when the next one begins: a picture that stands is sent again.
                    again_s = _AGAIN_S if version != seen else _KEEP_ALIVE_S
                    seen, still_s = version, 0.0
                    head = f"Content-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                    yield head.encode() + jpeg + b"\r\n" + boundary
                elif board.latest()[1].finished:
                    return
                await asyncio.sleep(LOOK_S / 4)
                still_s += LOOK_S / 4

    async def still(self, visit: Visit) -> Response:
        """A finding's still: the board's own at once, the record's later."""
        table, number = self._desk.table(visit), visit.number("number")
        jpeg = table.board.still(number)
        if jpeg is not None:
            return Response(jpeg, media_type="image/jpeg")
        key = FindingKey(table.id, table.session, number)
        path = await run_in_threadpool(self._desk.site.record.still, key)
        if path is None:
            raise not_there()
        return FileResponse(path, media_type="image/jpeg")


def silent_seconds(table: WatchedTable) -> int:
    """Whole seconds without a word of the table's process, 0 while it is well."""
    return int(table.silent_s) if table.silent_s >= SILENT_S else 0


def decides(visit: Visit) -> bool:
    return visit.who.role in (Role.OPERATOR, Role.REVIEWER)
