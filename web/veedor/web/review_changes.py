"""What if, and corrections that are saved."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response
from veedor.monitor import language
from veedor.monitor.coup_view import view_of
from veedor.monitor.coup_view_night import JudgedCoup
from veedor.monitor.errors import MonitorError
from veedor.monitor.fault_words.telling import message_of
from veedor.monitor.finding_views import finding_view
from veedor.monitor.language import Language, text
from veedor.monitor.what_if import (
    MOST_CHANGES,
    Change,
    ChangeFault,
    FindingChange,
    WhatIf,
    consider,
    read_changes,
    written,
)
from veedor.monitor.what_if_saving import Author, StaleFault, changed_findings, check_sense, save
from veedor.rules.events import BetPlaced, EventCorrected, TableEvent
from veedor.vision.errors import VisionError
from veedor.web.live_pages import Desk
from veedor.web.review_archive import Archive, Opened, coup_of
from veedor.web.review_forms import ADDABLE, EventForm, changes_of, empty_form, form_of
from veedor.web.visits import Refusal, Visit, told_of

LONGEST_REASON = 500
LONGEST_DRAFT = 9_000
_T = TypeVar("_T")


@dataclass(frozen=True)
class Tried:
    """What a reviewer has tried so far: changes, what follows, the form that is open, and what went wrong.

    `sent`: what is to be sent again for the same page in the other language, where there was a fault.
    """

    draft: tuple[Change, ...] = ()
    form: EventForm | None = None
    outcome: WhatIf | None = None
    fault: str = ""
    reason: str = ""
    sent: Mapping[str, str] = field(default_factory=dict)

    @property
    def faulty(self) -> str:
        """The field of the form that the fault is about; empty where it is about none."""
        return self.form.faulty(self.fault) if self.form is not None else ""

    @property
    def fault_words(self) -> str:
        """The fault without the journal's name for the field, beside which it stands."""
        return self.fault.partition(":")[2].strip() if self.faulty else self.fault


class ReviewChanges:
    """Handlers of what a reviewer tries and saves."""

    def __init__(self, desk: Desk, archive: Archive) -> None:
        self._desk = desk
        self._archive = archive

    async def ask(self, visit: Visit) -> Response:
        """The form of one event of the coup, or of one that was missed."""
        opened, coup = await self._asked(visit, lambda: self._opened(visit))
        form = await self._asked(visit, lambda: self._form(opened, coup, visit.request.query_params))
        return self._page(visit, opened, coup, Tried(form=form))

    async def consider(self, visit: Visit) -> Response:
        """What would follow from the changes so far and the one just written; nothing is saved."""
        opened, coup = await self._asked(visit, lambda: self._opened(visit))
        draft = await self._asked(visit, lambda: self._draft(visit, opened))
        folder = self._archive.store.folder(opened.name)
        try:
            more = await self._asked(visit, lambda: self._more(visit, opened), told=ChangeFault)
            wanted = _without(_joined(draft, more), visit.form.get("drop", ""))
            await self._asked(visit, lambda: check_sense(folder, opened.night, wanted), told=ChangeFault)
            outcome = await self._asked(visit, lambda: self._outcome(opened, wanted), told=ChangeFault)
        except ChangeFault as fault:
            form = await self._asked(visit, lambda: self._form_sent(visit, opened))
            if form is None:
                raise _refused(fault) from fault
            before = await self._asked(visit, lambda: self._outcome(opened, draft))
            tried = Tried(draft, form, before, str(fault), visit.form.get("reason", ""), sent=visit.form)
            return self._page(visit, opened, coup, tried, HTTPStatus.UNPROCESSABLE_ENTITY)
        form = await self._asked(visit, lambda: self._form(opened, coup, visit.form))
        await self._desk.saw(visit, "asked what if", f"{opened.name}/{coup.place}")
        return self._page(
            visit, opened, coup, Tried(wanted, form, outcome, reason=visit.form.get("reason", ""))
        )

    async def save(self, visit: Visit) -> Response:
        """Write the changes into the journal; answered once they are on disk."""
        opened, coup = await self._asked(visit, lambda: self._opened(visit))
        draft = await self._asked(visit, lambda: self._draft(visit, opened))
        if not draft:
            raise _wrong("nada que guardar", "nothing to save")
        try:
            reason = _reason(visit)
            if self._archive.is_running(opened.name):
                raise Refusal(
                    HTTPStatus.CONFLICT,
                    "la sesión está en curso; corríjala con el teclado de la mesa",
                    "the session is running; correct it at the table's keypad",
                )
            author, seen = Author(visit.who.name, reason), _whole(visit.form.get("seen", ""))
            saved = await self._asked(
                visit, lambda: save(self._archive.store, opened.name, draft, author, seen), told=ChangeFault
            )
        except (StaleFault, ChangeFault, Refusal) as fault:
            return await self._unsaved(visit, coup, draft, fault)
        lines = ", ".join(str(each.id) for each in saved.lines)
        found = ", ".join(str(each) for each in changed_findings(saved.outcome)) or "-"
        detail = f"events {lines}; findings {found}; {reason}"
        await self._desk.did(visit, "corrected record", f"{opened.name}/{coup.place}", detail)
        address = f"{opened.address}/coups/{coup.place}?saved={len(saved.lines)}"
        return RedirectResponse(address, HTTPStatus.SEE_OTHER)

    async def _unsaved(
        self, visit: Visit, coup: JudgedCoup, draft: tuple[Change, ...], fault: Exception
    ) -> Response:
        """The page as it was, with why nothing was saved: neither changes nor reason are lost."""
        status = HTTPStatus.CONFLICT if isinstance(fault, StaleFault) else HTTPStatus.UNPROCESSABLE_ENTITY
        told, outcome = str(fault), None
        fresh = await self._asked(visit, lambda: self._archive.open(visit))
        if isinstance(fault, Refusal):
            status, told = fault.status, fault.words(visit.language)
            outcome = await self._asked(visit, lambda: self._outcome(fresh, draft))
        words = text(es="NO se guardó: ", en="NOT saved: ") + told
        tried = Tried(draft, None, outcome, words, visit.form.get("reason", ""))
        return self._page(visit, fresh, coup, tried, status)

    def _opened(self, visit: Visit) -> tuple[Opened, JudgedCoup]:
        opened = self._archive.open(visit)
        return opened, coup_of(opened, visit)

    def _draft(self, visit: Visit, opened: Opened) -> tuple[Change, ...]:
        words = visit.form.get("draft", "")
        if len(words) > LONGEST_DRAFT:
            raise ChangeFault(text(es="demasiados cambios", en="too many changes"))
        return read_changes(words, _last_s(opened))

    def _more(self, visit: Visit, opened: Opened) -> tuple[Change, ...]:
        """The change that the form says, if it says one."""
        if "about" not in visit.form or "choose" in visit.form or "drop" in visit.form:
            return ()
        number = _whole(visit.form["about"])
        old = None if number == 0 else _event(opened, number)
        bets = tuple(each.bet for each in opened.judged.events if isinstance(each, BetPlaced))
        return changes_of(visit.form, old, _last_s(opened), bets)

    def _outcome(self, opened: Opened, draft: tuple[Change, ...]) -> WhatIf | None:
        if len(draft) > MOST_CHANGES:
            raise ChangeFault(text(es=f"hasta {MOST_CHANGES} cambios", en=f"up to {MOST_CHANGES} changes"))
        return consider(opened.night, draft, opened.judged) if draft else None

    def _form_sent(self, visit: Visit, opened: Opened) -> EventForm | None:
        """The form that somebody has just sent, as it was written; None where it was none of the page's."""
        about, profile = visit.form.get("about", ""), opened.judged.profile
        if "choose" in visit.form or not re.fullmatch(r"[0-9]{1,12}", about, re.ASCII):
            return None
        try:
            form = form_of(_event(opened, int(about)), profile) if int(about) else None
            form = form or empty_form(visit.form.get("event", ""), 0.0, profile)
        except ChangeFault:
            return None
        return form.as_written(visit.form)

    def _form(self, opened: Opened, coup: JudgedCoup, asked: Mapping[str, str]) -> EventForm | None:
        """The form that is asked for: of an event by its number, or of a new one by its kind."""
        profile = opened.judged.profile
        if asked.get("event", "").isascii() and asked.get("event", "").isdigit():
            return form_of(_event(opened, _whole(asked["event"])), profile)
        if asked.get("add"):
            written_t = asked.get("t", "")
            plain = written_t.replace(".", "", 1)
            given = plain.isascii() and plain.isdigit() and len(written_t) < 12
            return empty_form(asked["add"], float(written_t) if given else coup.story.last_t, profile)
        return None

    def _page(
        self, visit: Visit, opened: Opened, coup: JudgedCoup, tried: Tried, status: HTTPStatus = HTTPStatus.OK
    ) -> Response:
        profile = opened.judged.profile
        outcome = tried.outcome
        after = None if outcome is None else outcome.after.coup(coup.place)
        standing = {each.id: each for each in opened.judged.events}
        return self._desk.renderer.page(
            visit,
            "review_what_if.html.j2",
            status,
            opened=opened,
            coup=coup,
            before=view_of(coup, profile),
            after=None if after is None else view_of(after, profile),
            here=() if outcome is None else tuple(map(_shown, outcome.of_coup(coup.place))),
            elsewhere=() if outcome is None else tuple(map(_shown, outcome.elsewhere(coup.place))),
            tried=tried,
            draft=[(change, standing.get(change.corrects)) for change in tried.draft],
            draft_words=written(tried.draft),
            seen=opened.night.last_id,
            events=[each for each in coup.story.events if not isinstance(each, EventCorrected)],
            addable=ADDABLE,
            judged_otherwise=_recorded(opened, coup)
            != {(number, each.code, str(each.verdict)) for number, each in coup.findings},
            csrf=visit.csrf,
        )

    async def _asked(
        self, visit: Visit, question: Callable[[], _T], told: type[MonitorError] | None = None
    ) -> _T:
        """In a thread, in the visitor's language; what cannot be done is refused in a line."""
        language.use(visit.language)
        try:
            return await run_in_threadpool(question)
        except ChangeFault as fault:
            if told is ChangeFault:
                raise
            raise _refused(fault) from fault
        except StaleFault:
            raise
        except (MonitorError, VisionError) as fault:
            words = told_of(fault, self._archive.data)
            raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, words, words) from fault


def _recorded(opened: Opened, coup: JudgedCoup) -> set[tuple[int, str, str]]:
    """The coup's findings as they were told, maybe by another version of the rules."""
    rows = opened.coups[coup.place - 1].findings if coup.place <= len(opened.coups) else ()
    return {(row.number, row.code, row.verdict) for row in rows}


def _without(draft: tuple[Change, ...], dropped: str) -> tuple[Change, ...]:
    """The draft without the change of that place, if it is one."""
    if not re.fullmatch(r"[0-9]{1,4}", dropped):
        return draft
    return tuple(each for number, each in enumerate(draft) if number != int(dropped))


def _reason(visit: Visit) -> str:
    reason = visit.written("reason", LONGEST_REASON)
    if not reason:
        raise _wrong("falta el motivo", "a reason is needed to correct a record")
    return reason


def _refused(fault: ChangeFault) -> Refusal:
    return Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, message_of(fault, Language.ES), str(fault))


def _joined(draft: tuple[Change, ...], more: tuple[Change, ...]) -> tuple[Change, ...]:
    """The draft with a further change; one of an event that it changes already takes that one's place."""
    again = {each.corrects for each in more if each.corrects}
    return (*(each for each in draft if each.corrects not in again), *more)


def _event(opened: Opened, number: int) -> TableEvent:
    found = next((each for each in opened.judged.events if each.id == number), None)
    if found is None or isinstance(found, EventCorrected):
        raise ChangeFault(text(es=f"no hay suceso {number}", en=f"there is no event {number}"))
    return found


def _last_s(opened: Opened) -> float:
    return max((each.t for each in opened.judged.events), default=0.0) + 60.0


def _shown(change: FindingChange) -> dict[str, Any]:
    view = {
        name: None if finding is None else finding_view(change.number, finding)
        for name, finding in (("before", change.before), ("after", change.after))
    }
    return {"number": change.number, "kind": change.kind, **view}


def _whole(written_number: str) -> int:
    if not (written_number.isascii() and written_number.isdigit()) or len(written_number) > 12:
        raise _wrong("número mal escrito", "malformed number")
    return int(written_number)


def _wrong(es: str, en: str) -> Refusal:
    return Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, es, en)
