"""Pages and parts of pages from their templates, in the visitor's language."""

from __future__ import annotations

from functools import lru_cache
from http import HTTPStatus
from pathlib import Path

from jinja2 import Environment
from starlette.responses import HTMLResponse, Response
from veedor.monitor import pages
from veedor.monitor.language import Language
from veedor.monitor.wording import view_reason
from veedor.web import zone_words
from veedor.web.visits import Refusal, Visit

_TEMPLATES = Path(__file__).parent / "templates"


class Renderer:
    """The templates in both languages.

    `guarded`: there are accounts, so pages name who is signed in; `reviewed`: there are sessions to review.
    """

    def __init__(self, *, guarded: bool, keypad: bool, reviewed: bool = False) -> None:
        self._jinja = {each: _environment(each, guarded, keypad, reviewed) for each in Language}

    def page(
        self, visit: Visit, template: str, status: HTTPStatus = HTTPStatus.OK, **context: object
    ) -> Response:
        jinja = self._jinja[visit.language].get_template(template)
        return HTMLResponse(jinja.render(visit=visit, **context), status)

    def part(self, template: str, language: Language, **context: object) -> str:
        return self._jinja[language].get_template(template).render(**context)

    def refused(self, visit: Visit, refusal: Refusal) -> Response:
        response = self.page(
            visit,
            "refused.html.j2",
            refusal.status,
            words=refusal.words(visit.language),
            code=int(refusal.status),
        )
        response.headers.update(refusal.headers)
        return response


@lru_cache
def _environment(language: Language, guarded: bool, keypad: bool, reviewed: bool) -> Environment:
    jinja = pages.environment(language, _TEMPLATES)
    jinja.globals |= {
        "guarded": guarded,
        "keypad": keypad,
        "reviewed": reviewed,
        "place_text": lambda zone: zone_words.place(zone, language),
        "why_text": lambda reason: view_reason(reason, language),
    }
    return jinja
