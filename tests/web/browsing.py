"""What tests in a browser share: Chromium, a site on a port, pages opened as somebody, pictures to show."""

from __future__ import annotations

import os
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import pytest
import uvicorn
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.clips import encode_clip
from veedor.vision.sources import VideoSource

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
AXE = Path(os.environ.get("AXE_CORE", "node_modules/axe-core/axe.min.js"))
NEEDS_AXE = pytest.mark.skipif(
    not AXE.is_file(), reason="axe-core is not there: npm install --no-save axe-core"
)


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium; what needs it is skipped where it or Playwright is not installed."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as driver:
        # A test may run as root in a container, where Chromium's own sandbox cannot be had.
        found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


class Served:
    """A site on a port of loopback, which can be taken away and given back."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self.port = 0
        self.start()

    def start(self) -> None:
        listening = socket.socket()
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", self.port))
        self.port = listening.getsockname()[1]
        config = uvicorn.Config(self._app, log_level="error", lifespan="off", timeout_graceful_shutdown=1)
        self._server, self._listening = uvicorn.Server(config), listening
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listening]})
        self._thread.start()

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._listening.close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def visiting(chromium: Any, door: Any, address: str) -> Iterator[Callable[..., Any]]:
    """Opens a page as somebody; every fault of a script or of the policy fails the test."""
    contexts, faults = [], []

    def open_page(who: str | None, path: str, lang: str = "en", size: tuple[int, int] = (1280, 800)) -> Any:
        context = chromium.new_context(viewport={"width": size[0], "height": size[1]})
        contexts.append(context)
        context.add_cookies([{"name": "veedor-language", "value": lang, "url": address}])
        if who is not None:
            token = door.sessions.begin(door.accounts.find(who), "127.0.0.1")
            context.add_cookies([{"name": "veedor", "value": token, "url": address}])
        return open_in(context, path)

    def open_in(context: Any, path: str) -> Any:
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda told: faults.append(told.text) if "Content Security" in told.text else None)
        page.goto(address + path, wait_until="domcontentloaded")
        return page

    open_page.again = open_in  # type: ignore[attr-defined]  # another tab of the same browser
    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


@lru_cache
def pictures() -> tuple[bytes, bytes]:
    """Two seconds of the bundled session as a clip, and a still of it."""
    frames = list(islice(VideoSource(bundled_clip("demo").video).frames(), 25))
    clip = encode_clip(frames, 12.5)
    assert clip is not None
    return clip, cv2.imencode(".jpg", frames[0].image)[1].tobytes()


def barriers(page: Any, where: str) -> list[str]:
    """What axe-core finds serious or critical on a page, a line each."""
    page.evaluate(AXE.read_text())
    told = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{where}: {each['impact']} {each['id']}: {node['target']} {node['failureSummary']}"
        for each in told["violations"]
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]


def check_width(page: Any, where: str) -> None:
    """Fails where something is wider than the window."""
    page.wait_for_timeout(100)
    over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert over <= 0, f"{where} is {over} px wider than {page.viewport_size['width']}"


def until(page: Any, expression: str) -> None:
    """Waits for something on the page; Playwright's own way is what the policy of the pages forbids."""
    for _ in range(150):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(100)
    raise AssertionError(expression)
