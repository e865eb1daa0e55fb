"""One finding of the record: its page, still, clip, and what a person decides about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.responses import (
    FileResponse,
    JSONResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from veedor.monitor.fault_words.telling import message_of
from veedor.monitor.language import Language
from veedor.monitor.sheets import csv_file, csv_parts
from veedor.rules.verdict import Verdict
from veedor.web.findings_desk import told_and_doubts
from veedor.web.live_pages import Desk, decides
from veedor.web.site import Answer, FindingKey, RecordedFinding, SiteFault
from veedor.web.visits import Refusal, Visit, not_there

LONGEST_REASON = 500
HANDOVER_COLUMNS = (
    "table", "session", "number", "found_at", "coup", "code", "verdict", "severity", "title",
    "decision", "who", "at", "reason",
)  # fmt: skip


class FindingPages:
    """Handlers of single findings and of the list of those that wait."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def show(self, visit: Visit) -> Response:
        finding = await run_in_threadpool(self._desk.site.record.finding, self._key(visit))
        if finding is None:
            raise not_there()
        await self._desk.saw(visit, "saw finding", _subject(finding.key))
        return await self._page(visit, finding)

    async def _page(self, visit: Visit, finding: RecordedFinding, refusal: Refusal | None = None) -> Response:
        """The finding's page; with what was not saved, if something was not."""
        shown = await run_in_threadpool(self._desk.findings.recorded, finding)
        return self._desk.renderer.page(
            visit,
            "finding.html.j2",
            HTTPStatus.OK if refusal is None else refusal.status,
            each=shown,
            found_at=finding.at,
            decides=decides(visit),
            csrf=visit.csrf,
            fault="" if refusal is None else refusal.words(visit.language),
            reason=visit.form.get("reason", ""),
            at_address="" if refusal is None else shown.page,
        )

    async def still(self, visit: Visit) -> Response:
        path = await run_in_threadpool(self._desk.site.record.still, self._key(visit))
        if path is None:
            raise not_there()
        await self._desk.saw(visit, "saw still", _subject(self._key(visit)))
        return FileResponse(path, media_type="image/jpeg")

    async def clip(self, visit: Visit) -> Response:
        """The clip; browsers ask for it in ranges."""
        path = await run_in_threadpool(self._desk.site.record.clip, self._key(visit))
        if path is None:
            raise not_there()
        await self._desk.saw(visit, "saw clip", _subject(self._key(visit)))
        return FileResponse(path, media_type="video/mp4")

    async def decide(self, visit: Visit) -> Response:
        """Accept, dismiss with a reason, or escalate; answered once it is written down."""
        try:
            return await self._decided(visit)
        except Refusal as refusal:
            finding = None
            if not visit.wants_json:  # scripts tell it in the page that they are on
                finding = await run_in_threadpool(self._desk.site.record.finding, self._key(visit))
            if finding is None:
                raise
            return await self._page(visit, finding, refusal)

    async def _decided(self, visit: Visit) -> Response:
        key = self._key(visit)
        answer = self._answer(visit)
        reason = visit.written("reason", LONGEST_REASON)
        if answer is Answer.DISMISSED and not reason:
            raise Refusal(
                HTTPStatus.UNPROCESSABLE_ENTITY, "falta el motivo", "a reason is needed to dismiss a finding"
            )
        verdict = await run_in_threadpool(self._verdict, key)
        if verdict is None:
            raise not_there()
        if verdict == Verdict.WITHDRAWN:
            raise withdrawn()
        try:
            decision = await run_in_threadpool(
                self._desk.findings.decide, key, answer, reason, visit.who.name
            )
        except SiteFault as fault:
            raise Refusal(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"NO se guardó: {message_of(fault, Language.ES)}",
                f"NOT saved: {fault}",
            ) from fault
        await self._desk.did(visit, f"decided {answer.value}", _subject(key), reason)
        if visit.wants_json:
            return JSONResponse({"saved": True, "answer": answer, "who": decision.who, "at": decision.at})
        back = {"handover": "/handover", "finding": f"/findings/{key.table}/{key.session}/{key.number}"}
        root = "/" if self._desk.at_root else f"/tables/{key.table}"
        return RedirectResponse(back.get(visit.form.get("back", ""), root), HTTPStatus.SEE_OTHER)

    async def handover(self, visit: Visit) -> Response:
        """What is open at the end of a shift, all tables together: infractions first, then newest first."""
        found = await run_in_threadpool(self._desk.site.record.open_findings)
        told, in_doubt = await run_in_threadpool(
            lambda: told_and_doubts(self._desk.findings.recorded(each) for each in found)
        )
        shown = (*told, *(each for coup in in_doubt for each in coup.found))
        stills = [_subject(each.key) for each in shown if each.still is not None]
        await self._desk.saw_with_stills(visit, "saw hand-over", stills)
        return self._desk.renderer.page(
            visit,
            "handover.html.j2",
            found=told,
            in_doubt=in_doubt,
            found_at={each.key: each.at for each in found},
            names=self._names(),
            decides=decides(visit),
            csrf=visit.csrf,
        )

    async def handover_csv(self, visit: Visit) -> Response:
        found = await run_in_threadpool(self._desk.site.record.open_findings)
        await self._desk.did(visit, "exported hand-over", f"{len(found)}")
        rows = (_handover_row(each, visit.language) for each in found)
        return csv_answer("handover.csv", HANDOVER_COLUMNS, rows)

    def _names(self) -> dict[str, str]:
        return {table.id: table.face.name for table in self._desk.site.tables()}

    def _verdict(self, key: FindingKey) -> str | None:
        """As the running table has it, else the record; None where there is no such finding."""
        for table in self._desk.site.tables():
            if (table.id, table.session) == (key.table, key.session):
                _, state = table.board.latest()
                for view in state.findings:
                    if view.number == key.number:
                        return view.verdict
        recorded = self._desk.site.record.finding(key)
        return None if recorded is None else recorded.view.verdict

    def _key(self, visit: Visit) -> FindingKey:
        return FindingKey(visit.path("table"), visit.path("session"), visit.number("number"))

    def _answer(self, visit: Visit) -> Answer:
        try:
            answer = Answer(visit.form.get("answer", ""))
            if answer is Answer.RULED:  # rulings are written on the review page
                raise ValueError
            return answer
        except ValueError:
            raise Refusal(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                "se acepta, se descarta o se escala",
                "accepted, dismissed or escalated is expected",
            ) from None


def withdrawn() -> Refusal:
    """Nobody decides on a finding that was taken back."""
    return Refusal(
        HTTPStatus.CONFLICT,
        "el hallazgo se retiró: no hay qué decidir",
        "the finding was withdrawn: there is nothing to decide",
    )


def _handover_row(each: RecordedFinding, language: Language) -> list[str]:
    view, decision = each.view, each.decision
    decided = ["", "", "", ""]
    if decision is not None:
        decided = [decision.answer.value, decision.who, decision.at, decision.reason]
    coup = "" if view.coup is None else str(view.coup)
    found = [each.key.table, each.key.session, str(each.key.number), each.at, coup]
    return [*found, view.code, view.verdict, view.severity, view.title.in_language(language), *decided]


def csv_answer(name: str, columns: Sequence[str], rows: Iterable[Iterable[object]]) -> Response:
    """A sheet to keep under that name."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(csv_file(columns, rows), media_type="text/csv; charset=utf-8", headers=headers)


def csv_stream(name: str, columns: Sequence[str], rows: Iterable[Iterable[object]]) -> Response:
    """The same for a sheet of any length: it is made while it is sent."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(csv_parts(columns, rows), media_type="text/csv; charset=utf-8", headers=headers)


def _subject(key: FindingKey) -> str:
    return f"{key.table}/{key.session}/{key.number}"
