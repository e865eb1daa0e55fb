"""Where somebody lands who has just come in."""

from __future__ import annotations

from http import HTTPStatus

from starlette.responses import RedirectResponse, Response
from veedor.web.gate import WATCHERS
from veedor.web.visits import Visit


async def home(visit: Visit) -> Response:
    """The wall for who watches, one's own account for the others."""
    return RedirectResponse("/wall" if visit.who.role in WATCHERS else "/account", HTTPStatus.SEE_OTHER)
