"""What a reviewer decides about a finding: confirmed, dismissed with a reason, ruled on, or passed on."""

from __future__ import annotations

import re
from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response
from veedor.monitor.store import Action, Decision, StaleDecisionError, StoreError
from veedor.rules.verdict import Verdict
from veedor.web.finding_pages import withdrawn
from veedor.web.live_pages import Desk
from veedor.web.review_archive import Archive
from veedor.web.review_coups import ReviewCoups, Unsaved
from veedor.web.visits import Refusal, Visit, not_there, told_of

LONGEST_RULING = 2000
_VERDICTS = {
    "confirmed": Action.ACCEPT,
    "dismissed": Action.DISMISS,
    "ruling": Action.RULE,
    "escalated": Action.ESCALATE,
}


class ReviewVerdicts:
    """Handlers of verdicts. What is refused is told beside the finding, the words as they were written."""

    def __init__(self, desk: Desk, archive: Archive, coups: ReviewCoups) -> None:
        self._desk = desk
        self._archive = archive
        self._coups = coups

    async def decide(self, visit: Visit) -> Response:
        """A person's verdict on a finding; answered once it is written down."""
        number, place = visit.number("number"), visit.form.get("place", "")
        from_coup = re.fullmatch(r"[0-9]{1,6}", place, re.ASCII) is not None
        try:
            session = await self._decided(visit, number)
        except Refusal as refusal:
            if refusal.status is HTTPStatus.NOT_FOUND or not from_coup or visit.wants_json:
                raise
            unsaved = Unsaved(number, refusal.words(visit.language), visit.form.get("reason", ""))
            return await self._coups.again(visit, int(place), unsaved, refusal)
        back = f"/review/{session}"
        if from_coup:
            back += f"/coups/{place}#finding-{number}"
        return RedirectResponse(back, HTTPStatus.SEE_OTHER)

    async def _decided(self, visit: Visit, number: int) -> str:
        """Write the verdict down; the session it is in."""
        row = await run_in_threadpool(self._archive.row, visit)
        action = _VERDICTS.get(visit.form.get("verdict", ""))
        if action is None:
            raise _wrong(
                "se acepta, se descarta o se resuelve", "accepted, dismissed or a ruling is expected"
            )
        reason = visit.written("reason", LONGEST_RULING)
        if action in (Action.DISMISS, Action.RULE) and not reason:
            raise _wrong("falta el motivo", "a reason is needed")
        written = visit.form.get("seen", "")
        if not re.fullmatch(r"[0-9]{1,12}", written, re.ASCII):
            raise _wrong("número mal escrito", "malformed number")
        seen, decision = int(written), Decision(action, visit.who.name, reason)
        try:
            finding = await run_in_threadpool(self._archive.store.finding, row.session, number)
            if finding is None:
                raise not_there()
            if finding.verdict == Verdict.WITHDRAWN:
                raise withdrawn()
            await run_in_threadpool(self._archive.store.record_decision, row.session, number, decision, seen)
        except StaleDecisionError:
            if not await run_in_threadpool(self._said_already, row.session, number, decision, seen):
                raise Refusal(
                    HTTPStatus.CONFLICT,
                    "NO se guardó: otra persona decidió entretanto; lo suyo sigue escrito abajo",
                    "NOT saved: somebody else has decided in the meantime; what you wrote is still below",
                ) from None
        except StoreError as fault:
            told = told_of(fault, self._archive.data)
            raise Refusal(
                HTTPStatus.SERVICE_UNAVAILABLE, f"NO se guardó: {told}", f"NOT saved: {told}"
            ) from fault
        else:
            await self._desk.did(visit, f"verdict {visit.form['verdict']}", f"{row.session}/{number}", reason)
        return row.session

    def _said_already(self, session: str, number: int, decision: Decision, seen: int) -> bool:
        """Whether it is the same decision once more: a button that was pressed twice."""
        later = [each for each in self._archive.store.decisions(session, number) if each.id > seen]
        return [Decision(each.action, each.who, each.reason) for each in later] == [decision]


def _wrong(es: str, en: str) -> Refusal:
    return Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, es, en)
