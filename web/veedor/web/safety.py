"""What holds for every answer: it was asked for by a name of this machine, and is closed to other sites."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus

from h11 import LocalProtocolError
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})

_HEADERS = {
    # Everything comes from this server; no inline script or style, no framing, no form to elsewhere.
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    # `no-referrer` would make browsers send `Origin: null` with the forms, which are refused without theirs.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}


_TLS_ONLY = "max-age=31536000"


class Guard:
    """ASGI middleware: refuses foreign Host headers and adds the security headers.

    The Host check keeps a page of another site from reaching a loopback server through a name that
    resolves to 127.0.0.1 (DNS rebinding).
    """

    def __init__(
        self, app: ASGIApp, host_names: Iterable[str] = LOOPBACK_NAMES, *, secure: bool = False
    ) -> None:
        self._app = app
        self._headers = _HEADERS | ({"strict-transport-security": _TLS_ONLY} if secure else {})
        self._host_names = frozenset(name.lower() for name in host_names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            await self._answer(scope, receive, send)
        except LocalProtocolError:
            # The body was no HTTP and the server has said so; nothing more can be sent on the connection.
            return

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._known(Headers(scope=scope).get("host", "")):
            refusal = PlainTextResponse("unknown host\n", HTTPStatus.MISDIRECTED_REQUEST)
            await refusal(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_guarded)

    def _known(self, host: str) -> bool:
        name = host.lower()
        if not name.endswith("]"):
            head, colon, port = name.rpartition(":")
            if colon and port.isdigit():
                name = head
        return name in self._host_names
