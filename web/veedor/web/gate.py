"""What stands before every page: session, role, origin, token. One table says who may go where."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from veedor.monitor.language import Language
from veedor.web.access.audit import Entry, Outcome, one_line
from veedor.web.access.people import Role
from veedor.web.access.sessions import SignedIn
from veedor.web.door import Door
from veedor.web.visits import (
    LANGUAGE_COOKIE,
    LARGEST_BODY,
    Handler,
    Refusal,
    Visit,
    address_of,
    language_of,
    read_form,
)

LOG = logging.getLogger("veedor.web")
_YEAR_S = 365 * 24 * 3600

EVERYBODY = frozenset(Role)
WATCHERS = frozenset({Role.OPERATOR, Role.REVIEWER, Role.ADMINISTRATOR})
DECIDERS = frozenset({Role.OPERATOR, Role.REVIEWER})
OPERATORS = frozenset({Role.OPERATOR})
REVIEWERS = frozenset({Role.REVIEWER})
EXPORTERS = frozenset({Role.REVIEWER, Role.ADMINISTRATOR})
ADMINISTRATORS = frozenset({Role.ADMINISTRATOR})
LABELLERS = frozenset({Role.LABELLER, Role.ADMINISTRATOR})


@dataclass(frozen=True)
class Page:
    """A method and path, what answers it, and to whom; `roles` None for anybody, signed in or not.

    `before_change`: open to those who must choose a password before anything else. `largest`: bytes of a
    form that is taken.
    """

    method: str
    path: str
    handler: Handler
    roles: frozenset[Role] | None
    before_change: bool = False
    largest: int = LARGEST_BODY


@dataclass(frozen=True)
class GateSetting:
    """`secure`: browsers reach the site over TLS, its own or a proxy's; `language` of who asks for none."""

    secure: bool
    language: Language
    refused: Callable[[Visit, Refusal], Response]

    @property
    def cookie(self) -> str:
        # The prefix keeps other hosts of the domain from planting a session; browsers allow it with TLS only.
        return "__Host-veedor" if self.secure else "veedor"


def _no_page(error: Exception) -> Refusal:
    if isinstance(error, HTTPException) and error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        return Refusal(
            HTTPStatus.METHOD_NOT_ALLOWED,
            "esta dirección no admite lo que se le pide",
            "this address does not take what is asked of it",
            error.headers,
        )
    return Refusal(
        HTTPStatus.NOT_FOUND, "no hay ninguna página en esta dirección", "there is no page at this address"
    )


def stale() -> Refusal:
    """The form's token is not the one that its page was given."""
    return Refusal(
        HTTPStatus.FORBIDDEN, "la página ha caducado; ábrala otra vez", "stale page; open it again"
    )


class Gate:
    """Makes routes of pages."""

    def __init__(self, door: Door, setting: GateSetting) -> None:
        self._door = door
        self._set = setting

    def routes(self, pages: Iterable[Page]) -> list[Route]:
        return [Route(page.path, self._guarded(page), methods=[page.method]) for page in pages]

    async def no_page(self, request: Request, error: Exception) -> Response:
        """The answer at an address that no page has, or not for that method: to all alike."""
        holder = await self._door.holder(request.cookies.get(self._set.cookie, ""))
        person, csrf = (None, "") if holder is None else (holder.person, holder.csrf)
        visit = Visit(request, language_of(request, self._set.language), person, csrf)
        return self._refused(visit, _no_page(error))

    def _guarded(self, page: Page) -> Callable[[Request], object]:
        async def answer(request: Request) -> Response:
            language = language_of(request, self._set.language)
            holder: SignedIn | None = None
            visit: Visit | None = None
            try:
                holder = await self._door.holder(request.cookies.get(self._set.cookie, ""))
                visit = await self._admitted(page, request, language, holder)
                response = await page.handler(visit)
            except Refusal as refusal:
                visit = Visit(
                    request,
                    language,
                    holder.person if holder else None,
                    holder.csrf if holder else "",
                    form=refusal.form if visit is None else visit.form,
                )
                await self._tell(visit, refusal)
                response = self._refused(visit, refusal)
            asked = request.query_params.get("lang")
            if asked in set(Language):
                response.set_cookie(
                    LANGUAGE_COOKIE, asked, max_age=_YEAR_S, secure=self._set.secure, httponly=True,
                    samesite="strict",
                )  # fmt: skip
            return response

        return answer

    async def _admitted(
        self, page: Page, request: Request, language: Language, holder: SignedIn | None
    ) -> Visit:
        if page.method == "POST":
            self._check_origin(request)
        if page.roles is not None:
            if holder is None:
                raise Refusal(HTTPStatus.UNAUTHORIZED, "hay que entrar primero", "sign in first")
            if holder.person.must_change and not page.before_change:
                raise Refusal(
                    HTTPStatus.FORBIDDEN,
                    "elija antes su propia contraseña",
                    "choose a password of your own first",
                )
            if holder.person.role not in page.roles:
                raise Refusal(HTTPStatus.FORBIDDEN, "su papel no lo permite", "your role does not allow that")
        form = await read_form(request, page.largest) if page.method == "POST" else {}
        if holder is None:
            return Visit(request, language, None, "", "", form)
        # Signing in has a token of its own: there is no session yet to take it from.
        if (
            page.method == "POST"
            and page.roles is not None
            and not hmac.compare_digest(form.get("csrf", "").encode(), holder.csrf.encode())
        ):
            fault = stale()
            fault.form = form
            raise fault
        return Visit(request, language, holder.person, holder.csrf, holder.key, form)

    def _check_origin(self, request: Request) -> None:
        """Browsers say where a form comes from; other programs that change something must say it too."""
        scheme = "https" if self._set.secure else "http"
        host = request.headers.get("host", "")
        if request.headers.get("origin", "").lower() != f"{scheme}://{host}".lower():
            raise Refusal(HTTPStatus.FORBIDDEN, "viene de otro sitio", "comes from another site")

    async def _tell(self, visit: Visit, refusal: Refusal) -> None:
        request = visit.request
        where = f"{request.method} {request.url.path}"
        who = "" if visit.person is None else visit.person.name
        LOG.log(
            logging.INFO if _goes_to_sign_in(request, refusal) else logging.WARNING,
            "refused %d %s (%s) to %s at %s",
            refusal.status, one_line(where), refusal, one_line(who) or "nobody", address_of(request),
        )  # fmt: skip
        # What strangers try stands in the program's log: nobody fills the audit's disk by knocking.
        if visit.person is not None:
            detail = f"{int(refusal.status)} {refusal}"
            await self._door.note(Entry(who, visit.address, "refused", where, detail, Outcome.REFUSED))

    def _refused(self, visit: Visit, refusal: Refusal) -> Response:
        request = visit.request
        if _goes_to_sign_in(request, refusal):
            return RedirectResponse("/sign-in", HTTPStatus.SEE_OTHER)
        if _reads(request) and visit.person is not None and visit.person.must_change:
            return RedirectResponse("/account", HTTPStatus.SEE_OTHER)
        if visit.wants_json:
            return JSONResponse(
                {"fault": refusal.words(visit.language)}, refusal.status, headers=refusal.headers
            )
        return self._set.refused(visit, refusal)


def _reads(request: Request) -> bool:
    """Whether a person's browser asks for a page to look at."""
    return request.method == "GET" and "text/html" in request.headers.get("accept", "")


def _goes_to_sign_in(request: Request, refusal: Refusal) -> bool:
    """Whether it is somebody who has not signed in yet, or not again: that is how every day begins."""
    return refusal.status is HTTPStatus.UNAUTHORIZED and _reads(request)
