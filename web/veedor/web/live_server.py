"""Runs a live loop and its page side by side, and ends both together."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass, replace

import uvicorn
from starlette.applications import Starlette
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.monitor.signals import answered_by

LOOPBACK = "127.0.0.1"
BACKLOG = 128
HIGHEST_PORT = 65535


@dataclass(frozen=True)
class Serving:
    """How a page is served. `linger_s` is how long it stays up after the end; `port` 0 takes a free one;
    `listening` is the port's socket once it is reserved."""

    port: int = 0
    linger_s: float = 5.0
    browser: bool = True
    listening: socket.socket | None = None

    def reserved(self) -> Serving:
        """The same with its port taken; UsageFault if that cannot be had. Before anything is written."""
        return replace(self, listening=_listen(self.port))


def serve_beside(work: Callable[[threading.Event], None], app: Starlette, serving: Serving) -> bool:
    """Run `work` in a thread and `app` on loopback until the work is over or Ctrl-C or SIGTERM comes.

    `work` gets the event that tells it to stop. True if it came to its own end; what it raised is raised.
    """
    listening = serving.listening or _listen(serving.port)
    stop = threading.Event()
    config = uvicorn.Config(
        app,
        log_level="error",  # "Invalid HTTP request received." would be a line for whatever a scanner sends
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    logging.getLogger("uvicorn.error").addFilter(is_ours)
    server = uvicorn.Server(config)
    failure: list[BaseException] = []

    def act() -> None:
        try:
            work(stop)
        except BaseException as raised:  # passed on below, in the thread that can report it
            failure.append(raised)
        else:
            stop.wait(serving.linger_s)
        server.should_exit = True

    loop = threading.Thread(target=act, name="live loop")
    address = f"http://{LOOPBACK}:{listening.getsockname()[1]}/"
    print(text(es=f"{address}  (Ctrl-C termina)", en=f"{address}  (Ctrl-C ends)"), flush=True)
    interrupted = False
    with answered_by(signal.default_int_handler, signal.SIGTERM):
        loop.start()
        try:
            if serving.browser:
                _open_browser(address)
            server.run(sockets=[listening])
        except KeyboardInterrupt:
            interrupted = True
        finally:
            stop.set()
            loop.join()
            listening.close()
    if failure:
        raise failure[0]
    return not interrupted


def is_ours(record: logging.LogRecord) -> bool:
    """Not the line for each request that broke off in the middle of an answer."""
    return "without completing response" not in record.getMessage()


def _listen(port: int) -> socket.socket:
    if not 0 <= port <= HIGHEST_PORT:
        raise UsageFault(
            text(es=f"puerto {port}: de 0 a {HIGHEST_PORT}", en=f"port {port}: 0 to {HIGHEST_PORT}")
        )
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
        listening.listen(BACKLOG)  # whoever follows the address before the server runs waits for it
    except OSError as fault:
        listening.close()
        raise UsageFault(
            text(
                es=f"puerto {port}: no se puede usar: {fault.strerror or fault}",
                en=f"port {port}: cannot be used: {fault.strerror or fault}",
            )
        ) from None
    return listening


def _open_browser(address: str) -> None:
    """Only where there is a screen: without one `webbrowser` may take over the terminal."""
    has_screen = sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if has_screen:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
