"""The live page: one table's picture, felt, running coup and findings, pushed as they change."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from veedor.monitor import pages
from veedor.monitor.felt_svg import FeltDrawing
from veedor.monitor.language import Language
from veedor.monitor.live_state import Board, LiveState
from veedor.web.safety import LOOPBACK_NAMES, Guard

_HERE = Path(__file__).parent
# Ten looks a second: a person sees a change at once, and an idle page costs a comparison of two numbers.
_LOOK_S = 0.1
# A proxy or browser that hears nothing for long gives a stream up.
_KEEP_ALIVE_S = 10.0
_BOUNDARY = "veedor-picture"


@dataclass(frozen=True)
class TableFace:
    """What of a watched table stays the same; `language` is the page's unless it asks otherwise."""

    name: str
    profile: str
    source: str
    felt: FeltDrawing
    language: Language


def live_app(board: Board, face: TableFace, host_names: frozenset[str] = LOOPBACK_NAMES) -> Starlette:
    """The web application that shows `board`; it answers only to `host_names`."""
    page = _LivePage(board, face)
    routes = [
        Route("/", page.show),
        Route("/state", page.stream),
        Route("/picture", page.picture),
        Route("/stills/{number:int}.jpg", page.still),
        Route("/static/parts.css", _parts_css),
        Mount("/static", StaticFiles(directory=_HERE / "static")),
    ]
    return Starlette(routes=routes, middleware=[Middleware(Guard, host_names=host_names)])


async def _parts_css(request: Request) -> Response:
    return Response((pages.TEMPLATES / "parts.css").read_bytes(), media_type="text/css")


class _LivePage:
    def __init__(self, board: Board, face: TableFace) -> None:
        self._board = board
        self._face = face
        self._templates = {each: pages.environment(each, _HERE / "templates") for each in Language}

    async def show(self, request: Request) -> Response:
        language = self._language(request)
        template = self._templates[language].get_template("live.html.j2")
        _, state = self._board.latest()
        return HTMLResponse(template.render(face=self._face, parts=self.fragments(state, language)))

    def fragments(self, state: LiveState, language: Language) -> dict[str, str]:
        """The changing parts of the page by the id of the element that holds them."""
        jinja = self._templates[language]
        names = ("status", "objects", "coup", "findings")
        return {name: jinja.get_template(f"live_{name}.html.j2").render(state=state) for name in names}

    async def stream(self, request: Request) -> Response:
        """Server-sent events: each the parts that have changed, as one JSON object."""
        language = self._language(request)
        return StreamingResponse(self._changes(language), media_type="text/event-stream")

    async def _changes(self, language: Language) -> AsyncIterator[str]:
        sent: dict[str, str] = {}
        seen, quiet_s = -1, 0.0
        while True:
            version, state = self._board.latest()
            if version != seen:
                seen = version
                parts = self.fragments(state, language)
                changed = {name: html for name, html in parts.items() if sent.get(name) != html}
                sent = parts
                if changed:
                    quiet_s = 0.0
                    yield f"data: {json.dumps(changed, ensure_ascii=False)}\n\n"
                if state.finished:
                    yield "event: finished\ndata: {}\n\n"
                    return
            elif quiet_s >= _KEEP_ALIVE_S:
                quiet_s = 0.0
                yield ": still here\n\n"
            await asyncio.sleep(_LOOK_S)
            quiet_s += _LOOK_S

    async def picture(self, request: Request) -> Response:
        """The picture as it changes, JPEG after JPEG (multipart/x-mixed-replace); one JPEG with `?once`."""
        if "once" in request.query_params:
            _, jpeg = self._board.picture()
            if jpeg is None:
                return PlainTextResponse("no picture yet\n", HTTPStatus.NOT_FOUND)
            return Response(jpeg, media_type="image/jpeg")
        return StreamingResponse(
            self._pictures(), media_type=f"multipart/x-mixed-replace; boundary={_BOUNDARY}"
        )

    async def _pictures(self) -> AsyncIterator[bytes]:
        with self._board.viewed():
            async for part in self._parts():
                yield part

    async def _parts(self) -> AsyncIterator[bytes]:
        seen = 0
        # Browsers show a part once its end has come: each is sent with the boundary that closes it.
        boundary = f"--{_BOUNDARY}\r\n".encode()
        yield boundary
        while True:
            version, jpeg = self._board.picture()
            if version != seen and jpeg is not None:
                seen = version
                head = f"Content-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                yield head.encode() + jpeg + b"\r\n" + boundary
            elif self._board.latest()[1].finished:
                return
            await asyncio.sleep(_LOOK_S / 4)

    async def still(self, request: Request) -> Response:
        jpeg = self._board.still(request.path_params["number"])
        if jpeg is None:
            return PlainTextResponse("no such still\n", HTTPStatus.NOT_FOUND)
        return Response(jpeg, media_type="image/jpeg")

    def _language(self, request: Request) -> Language:
        asked = request.query_params.get("lang")
        return Language(asked) if asked in set(Language) else self._face.language
