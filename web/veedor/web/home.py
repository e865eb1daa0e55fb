"""Where somebody lands who has just come in."""

from __future__ import annotations

from http import HTTPStatus

from starlette.responses import RedirectResponse, Response
from veedor.web.access.people import Role
from veedor.web.gate import WATCHERS
from veedor.web.visits import Visit


async def home(visit: Visit) -> Response:
    """The wall for who watches, the pictures to label for who labels."""
    if visit.who.role in WATCHERS:
        return RedirectResponse("/wall", HTTPStatus.SEE_OTHER)
    to = "/label" if visit.who.role is Role.LABELLER else "/account"
    return RedirectResponse(to, HTTPStatus.SEE_OTHER)
