"""One request as the pages see it: who asks, in which language, with which form."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Match
from veedor.monitor.fault_words.telling import in_words
from veedor.monitor.language import Language
from veedor.monitor.written_text import shows
from veedor.web.access.people import Person

LARGEST_BODY = 16 * 1024
BODY_S = 10.0
MOST_FIELDS = 40
LANGUAGE_COOKIE = "veedor-language"
_LONGEST_PREFERENCE = 500
_WEIGHT = re.compile(r"q\s*=\s*([01](?:\.[0-9]{0,3})?)", re.ASCII | re.IGNORECASE)


class Refusal(Exception):
    """The request is answered with this status and these words; `form` is what was sent with it."""

    def __init__(
        self, status: HTTPStatus, es: str, en: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(en)
        self.status, self.es, self.en = status, es, en
        self.headers = dict(headers or {})
        self.form: Mapping[str, str] = {}

    def words(self, language: Language) -> str:
        return self.es if language is Language.ES else self.en


@dataclass(frozen=True)
class Visit:
    """A request that may be answered. `person` None before anybody has signed in."""

    request: Request
    language: Language
    person: Person | None
    csrf: str
    session: str = ""
    form: Mapping[str, str] = field(default_factory=dict)

    @property
    def who(self) -> Person:
        assert self.person is not None, "a page that is open to anybody asks who it is"
        return self.person

    @property
    def address(self) -> str:
        return address_of(self.request)

    @property
    def wants_json(self) -> bool:
        return "application/json" in self.request.headers.get("accept", "")

    @property
    def shown_at(self) -> str:
        """Where this page can be asked for again: of an answer to a form, the page that the form was on."""
        request = self.request
        if request.method in ("GET", "HEAD"):
            return _with_query(request.url.path, request.url.query)
        try:
            came = urlsplit(request.headers.get("referer", ""))
        except ValueError:
            return "/"
        here = came.netloc.lower() == request.headers.get("host", "").lower()
        return _with_query(came.path, came.query) if here and _is_page(request, came.path) else "/"

    def in_language(self, language: str, at: str = "") -> str:
        """The address of this page, or of the one `at`, in a language; what else it asks for stays."""
        path, _, query = (at or self.shown_at).partition("?")
        kept = [pair for pair in parse_qsl(query, keep_blank_values=True) if pair[0] != "lang"]
        return _with_query(path, urlencode([*kept, ("lang", language)]))

    @property
    def words_written(self) -> list[str]:
        """What a person wrote into the form, for a page that cannot show the form again."""
        return [
            value
            for name, value in self.form.items()
            if value.strip() and (name in ("reason", "text") or name.startswith("field-"))
        ]

    def path(self, name: str) -> str:
        return str(self.request.path_params[name])

    def number(self, name: str) -> int:
        """A number of the address; one that nothing can have is not there."""
        written = self.path(name)
        if not re.fullmatch(r"[0-9]{1,9}", written):
            raise not_there()
        return int(written)

    def written(self, name: str, longest: int) -> str:
        """A field of the form, trimmed.

        Refused if it is longer than it may be or has what does not show: a record must read as it was meant.
        """
        value = self.form.get(name, "").strip()
        if len(value) > longest:
            raise Refusal(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                f"{name}: hasta {longest} caracteres",
                f"{name}: up to {longest} characters",
            )
        if value and not shows(value.translate(dict.fromkeys(map(ord, "\t\r\n"), " "))):
            raise Refusal(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                f"{name}: tiene caracteres que no se ven",
                f"{name}: has characters that do not show",
            )
        return value


def _with_query(path: str, query: str) -> str:
    return f"{path}?{query}" if query else path


def _is_page(request: Request, path: str) -> bool:
    """Whether something answers at that address when it is asked for: not all that take a form do."""
    asked = {"type": "http", "method": "GET", "path": path, "root_path": "", "headers": []}
    routes = getattr(request.scope.get("app"), "routes", ())
    return any(route.matches(asked)[0] is Match.FULL for route in routes)


def not_there() -> Refusal:
    return Refusal(HTTPStatus.NOT_FOUND, "no existe", "no such thing")


def told_of(fault: Exception, data: Path) -> str:
    """What a fault says, without where this machine's data folder lies."""
    return in_words(fault).replace(f"{data}/", "").replace(str(data), "")


Handler = Callable[[Visit], Awaitable[Response]]


def address_of(request: Request) -> str:
    return "" if request.client is None else request.client.host


def language_of(request: Request, default: Language) -> Language:
    """What the page asks for, else what was asked for last, else the browser's, else the site's."""
    chosen = (request.query_params.get("lang"), request.cookies.get(LANGUAGE_COOKIE))
    for asked in (*chosen, *_preferred(request.headers.get("accept-language", ""))):
        if asked in set(Language):
            return Language(asked)
    return default


def _preferred(header: str) -> list[str]:
    """The languages of an Accept-Language header without their regions, the dearest first."""
    weighed = []
    for each in header[:_LONGEST_PREFERENCE].split(","):
        tag, _, weight = each.partition(";")
        written = _WEIGHT.fullmatch(weight.strip()) if weight else None
        if weight and written is None:
            continue
        dear = 1.0 if written is None else float(written[1])
        if dear > 0:
            weighed.append((dear, tag.strip().partition("-")[0].lower()))
    return [tag for _, tag in sorted(weighed, key=lambda each: -each[0])]


async def read_form(request: Request, largest: int = LARGEST_BODY) -> dict[str, str]:
    """The fields of a small urlencoded body. Refuses what is large, slow, of another kind or malformed."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "se espera un formulario", "a form is expected")
    body = await _body(request, largest)
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(body),
            errors="strict",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError:
        raise Refusal(HTTPStatus.BAD_REQUEST, "formulario mal hecho", "malformed form") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise Refusal(HTTPStatus.BAD_REQUEST, "campo repetido", "a field comes twice")
    return fields


async def _body(request: Request, largest: int) -> bytes:
    length = request.headers.get("content-length", "0")
    if not length.isascii() or not length.isdigit() or len(length) > 12:
        raise Refusal(HTTPStatus.BAD_REQUEST, "largo mal escrito", "malformed length")
    if int(length) > largest:
        raise _too_large(largest)
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.stream():
                body += part
                if len(body) > largest:
                    raise _too_large(largest)
    except TimeoutError:
        raise Refusal(HTTPStatus.REQUEST_TIMEOUT, "demasiado lento", "too slow") from None
    except ClientDisconnect:
        raise Refusal(HTTPStatus.BAD_REQUEST, "cortado", "cut off") from None
    return bytes(body)


def _too_large(largest: int) -> Refusal:
    return Refusal(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"hasta {largest} bytes",
        f"up to {largest} bytes",
        {"connection": "close"},
    )
