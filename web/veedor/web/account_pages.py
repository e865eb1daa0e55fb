"""A person's own account, the administrator's page of everybody's, and the audit log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response
from veedor.monitor.language import use
from veedor.web.access.accounts import LastAdministrator
from veedor.web.access.audit import PAGE, Entry, Filter
from veedor.web.access.people import AccountFault, Person, Role
from veedor.web.door import GuardedDoor
from veedor.web.finding_pages import csv_answer
from veedor.web.rendering import Renderer
from veedor.web.visits import Refusal, Visit, not_there

ACTS = ("role", "disable", "enable", "password", "sign-out")


@dataclass(frozen=True)
class AccountPages:
    """Handlers of accounts and audit log."""

    door: GuardedDoor
    renderer: Renderer

    async def own(self, visit: Visit, refusal: Refusal | None = None) -> Response:
        """One's own page; with what was not changed, if something was not."""
        sessions = await run_in_threadpool(self.door.sessions.open)
        mine = [
            (each, _moment(each.began), _moment(each.seen))
            for each in sessions
            if each.name == visit.who.name
        ]
        return self._page(visit, "account.html.j2", "/account", refusal, sessions=mine)

    def _page(
        self, visit: Visit, template: str, address: str, refusal: Refusal | None, **context: object
    ) -> Response:
        response = self.renderer.page(
            visit,
            template,
            HTTPStatus.OK if refusal is None else refusal.status,
            csrf=visit.csrf,
            fault="" if refusal is None else refusal.words(visit.language),
            at_address="" if refusal is None else address,
            **context,
        )
        response.headers.update({} if refusal is None else refusal.headers)
        return response

    async def own_password(self, visit: Visit) -> Response:
        """A new password of one's own choice; every session of it ends, this one too."""
        try:
            return await self._own_password(visit)
        except Refusal as refusal:
            return await self.own(visit, refusal)

    async def _own_password(self, visit: Visit) -> Response:
        me = visit.who.name
        tries = await run_in_threadpool(self.door.accounts.tries_of, me)
        wait_s = self.door.throttle.wait_s(tries, visit.address)
        if wait_s > 0:
            later = {"retry-after": str(int(wait_s) + 1)}
            raise Refusal(HTTPStatus.TOO_MANY_REQUESTS, "demasiados intentos", "too many tries", later)
        self.door.throttle.failed(tries, visit.address)
        if await run_in_threadpool(self.door.accounts.proven, me, visit.form.get("old", "")) is None:
            raise Refusal(
                HTTPStatus.FORBIDDEN, "la contraseña actual no es esa", "that is not the present password"
            )
        self.door.throttle.succeeded(tries)
        if visit.form.get("new", "") != visit.form.get("again", ""):
            raise _fault("no son iguales", "they differ")
        if visit.form.get("new", "") == visit.form.get("old", ""):
            raise _fault("es la misma", "it is the same one")
        await self._change(visit, lambda: self.door.accounts.set_password(me, visit.form.get("new", "")))
        await self._did(visit, "account password", me)
        return RedirectResponse("/sign-in", HTTPStatus.SEE_OTHER)

    async def own_sign_out(self, visit: Visit) -> Response:
        """End every session of one's own."""
        await run_in_threadpool(self.door.sessions.end_all, visit.who.name)
        await self._did(visit, "account sign-out", visit.who.name)
        return RedirectResponse("/sign-in", HTTPStatus.SEE_OTHER)

    async def everybody(self, visit: Visit, refusal: Refusal | None = None) -> Response:
        """All accounts; with what was not changed, if something was not."""
        people = await run_in_threadpool(self.door.accounts.people)
        sessions = await run_in_threadpool(self.door.sessions.open)
        counts = {each.name: sum(s.name == each.name for s in sessions) for each in people}
        return self._page(
            visit,
            "accounts.html.j2",
            "/accounts",
            refusal,
            people=people,
            counts=counts,
            roles=list(Role),
            about=visit.request.path_params.get("name", ""),
            written=visit.form,
        )

    async def add(self, visit: Visit) -> Response:
        try:
            return await self._add(visit)
        except Refusal as refusal:
            return await self.everybody(visit, refusal)

    async def _add(self, visit: Visit) -> Response:
        name, role = visit.form.get("name", ""), _role(visit.form.get("role", ""))
        password = visit.form.get("password", "")
        await self._change(visit, lambda: self.door.accounts.add(name, role, password, must_change=True))
        await self._did(visit, "account add", name, role.value)
        return RedirectResponse("/accounts", HTTPStatus.SEE_OTHER)

    async def change(self, visit: Visit) -> Response:
        name, act = visit.path("name"), visit.path("act")
        person = await run_in_threadpool(self.door.accounts.find, name)
        if person is None or act not in ACTS:
            raise not_there()
        try:
            return await self._changed(visit, person, act)
        except Refusal as refusal:
            return await self.everybody(visit, refusal)

    async def _changed(self, visit: Visit, person: Person, act: str) -> Response:
        accounts, detail = self.door.accounts, ""
        if act == "role":
            role = _role(visit.form.get("role", ""))
            detail = f"{person.role.value} → {role.value}"
            await self._change(visit, lambda: accounts.set_role(person.name, role))
        elif act == "password":
            word = visit.form.get("password", "")
            await self._change(visit, lambda: accounts.set_password(person.name, word, must_change=True))
        elif act == "sign-out":
            await run_in_threadpool(self.door.sessions.end_all, person.name)
        else:
            await self._change(visit, lambda: accounts.disable(person.name, disabled=act == "disable"))
        await self._did(visit, f"account {act}", person.name, detail)
        return RedirectResponse("/accounts", HTTPStatus.SEE_OTHER)

    async def audit(self, visit: Visit) -> Response:
        wanted = _filter(visit)
        entries = await run_in_threadpool(self.door.audit.entries, wanted)
        acts = await run_in_threadpool(self.door.audit.acts)
        await self.door.note_once(visit.session, Entry(visit.who.name, visit.address, "saw audit"))
        older = entries[-1].id if len(entries) == PAGE else 0
        return self.renderer.page(
            visit, "audit.html.j2", entries=entries, acts=acts, wanted=wanted, older=older
        )

    async def audit_csv(self, visit: Visit) -> Response:
        wanted = _filter(visit)
        await self._did(visit, "exported audit", "", f"who={wanted.who} act={wanted.act}")
        return await run_in_threadpool(self._audit_sheet, wanted)

    def _audit_sheet(self, wanted: Filter) -> Response:
        columns = ("id", "at", "who", "address", "act", "subject", "detail", "outcome")
        found = self.door.audit.everything(wanted)
        return csv_answer("audit.csv", columns, ([getattr(each, name) for name in columns] for each in found))

    async def _change(self, visit: Visit, change: Callable[[], object]) -> None:
        use(visit.language)
        try:
            await run_in_threadpool(change)
        except LastAdministrator:
            raise Refusal(
                HTTPStatus.CONFLICT, "no quedaría ningún administrador", "no administrator would be left"
            ) from None
        except AccountFault as fault:
            raise _fault(str(fault), str(fault)) from None

    async def _did(self, visit: Visit, act: str, subject: str, detail: str = "") -> None:
        await self.door.note(Entry(visit.who.name, visit.address, act, subject, detail))


def _role(written: str) -> Role:
    try:
        return Role(written)
    except ValueError:
        raise _fault("papel desconocido", "unknown role") from None


def _filter(visit: Visit) -> Filter:
    asked = visit.request.query_params
    before = asked.get("before", "")
    number = int(before) if before.isascii() and before.isdigit() and len(before) < 16 else 0
    return Filter(asked.get("who", ""), asked.get("act", ""), number)


def _fault(es: str, en: str) -> Refusal:
    return Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, es, en)


def _moment(timestamp: float) -> str:
    return datetime.fromtimestamp(timestamp, UTC).strftime("%Y-%m-%d %H:%M")
