"""Coming in and going out."""

from __future__ import annotations

import hmac
import math
import secrets
from dataclasses import dataclass
from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response
from veedor.web.access.audit import Entry, Outcome, one_line
from veedor.web.access.people import LONGEST_NAME, LONGEST_PASSWORD, AccountFault, Person, tidy_name
from veedor.web.access.sessions import ABSOLUTE, csrf_of
from veedor.web.door import GuardedDoor
from veedor.web.gate import LOG
from veedor.web.rendering import Renderer
from veedor.web.visits import Visit

_BEFORE = "veedor-before"
_BEFORE_S = 3600


@dataclass(frozen=True)
class SignInPages:
    """Handlers of signing in and out."""

    door: GuardedDoor
    renderer: Renderer
    cookie: str
    secure: bool

    async def show(self, visit: Visit) -> Response:
        if visit.person is not None:
            return RedirectResponse("/", HTTPStatus.SEE_OTHER)
        return self._form(visit, HTTPStatus.OK)

    async def enter(self, visit: Visit) -> Response:
        """Name and password; answers the same, and takes as long, whichever of them was wrong."""
        before = visit.request.cookies.get(_BEFORE, "")
        if not before or not hmac.compare_digest(
            visit.form.get("csrf", "").encode(), csrf_of(before).encode()
        ):
            return self._form(visit, HTTPStatus.FORBIDDEN)
        written, password = visit.form.get("name", ""), visit.form.get("password", "")
        try:
            name = tidy_name(written)
            nobody = False
        except AccountFault:
            name, nobody = written[:LONGEST_NAME], True  # what is told of it; it may be another's name
        tries = await run_in_threadpool(self.door.accounts.tries_of, name)
        wait_s = self.door.throttle.wait_s(tries, visit.address)
        if wait_s > 0:
            # In the program's log: as fast as this is answered, it must not fill the audit's disk.
            LOG.warning("sign-in of %s from %s refused: too many tries", one_line(name), visit.address)
            return self._form(visit, HTTPStatus.TOO_MANY_REQUESTS, wait_s)
        # Counted before it is checked: many at once would otherwise all be let through to the check.
        self.door.throttle.failed(tries, visit.address)
        too_long = nobody or len(password) > LONGEST_PASSWORD
        person = await run_in_threadpool(self.door.accounts.proven, name, "" if too_long else password)
        if person is None:
            await self.door.note(Entry(name, visit.address, "sign-in", outcome=Outcome.FAILED))
            return self._form(visit, HTTPStatus.UNAUTHORIZED)
        self.door.throttle.succeeded(tries)
        return await self._let_in(visit, person)

    async def _let_in(self, visit: Visit, person: Person) -> Response:
        old = await self.door.holder(visit.request.cookies.get(self.cookie, ""))
        if old is not None:
            await run_in_threadpool(self.door.sessions.end, old.key)
        token = await run_in_threadpool(self.door.sessions.begin, person, visit.address)
        await self.door.note(Entry(person.name, visit.address, "sign-in"))
        response = RedirectResponse("/account" if person.must_change else "/", HTTPStatus.SEE_OTHER)
        response.set_cookie(
            self.cookie, token, max_age=int(ABSOLUTE.total_seconds()), path="/", secure=self.secure,
            httponly=True, samesite="strict",
        )  # fmt: skip
        response.delete_cookie(_BEFORE, path="/sign-in", secure=self.secure, httponly=True, samesite="strict")
        return response

    async def leave(self, visit: Visit) -> Response:
        await run_in_threadpool(self.door.sessions.end, visit.session)
        await self.door.note(Entry(visit.who.name, visit.address, "sign-out"))
        response = RedirectResponse("/sign-in", HTTPStatus.SEE_OTHER)
        response.delete_cookie(self.cookie, path="/", secure=self.secure, httponly=True, samesite="strict")
        return response

    def _form(self, visit: Visit, status: HTTPStatus, wait_s: float = 0.0) -> Response:
        before = visit.request.cookies.get(_BEFORE, "")
        if not 20 <= len(before) <= 100:
            before = secrets.token_urlsafe(32)
        minutes = math.ceil(wait_s / 60)
        response = self.renderer.page(
            visit, "sign_in.html.j2", status, csrf=csrf_of(before), code=int(status), minutes=minutes,
            name=visit.form.get("name", "")[:LONGEST_NAME],
        )  # fmt: skip
        response.set_cookie(
            _BEFORE, before, max_age=_BEFORE_S, path="/sign-in", secure=self.secure, httponly=True,
            samesite="strict",
        )  # fmt: skip
        if wait_s > 0:
            response.headers["retry-after"] = str(math.ceil(wait_s))
        return response
