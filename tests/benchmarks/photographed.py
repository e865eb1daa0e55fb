"""Pages of a site as pictures for the docs: served on loopback, opened in Chromium as somebody."""

from __future__ import annotations

import shutil
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from veedor.web.access.people import Person
from veedor.web.door import GuardedDoor

PASSWORD = "only for these pictures"
WAIT_S = 60


@dataclass(frozen=True)
class Shot:
    """A picture's name, the page it is of, and who looks at it."""

    name: str
    path: str
    who: Person
    size: tuple[int, int] = (1280, 800)


@contextmanager
def served(app: Any) -> Iterator[str]:
    """The address of a site."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True).start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True


def pages(address: str, door: GuardedDoor, shots: Iterable[Shot], lang: str) -> Iterator[tuple[Shot, Any]]:
    """Each page opened, one after another."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        found = shutil.which("chromium") or shutil.which("google-chrome")
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        for shot in shots:
            width, height = shot.size
            context = browser.new_context(
                viewport={"width": width, "height": height}, device_scale_factor=1.5
            )
            token = door.sessions.begin(shot.who, "127.0.0.1")
            for name, value in (("veedor-language", lang), ("veedor", token)):
                context.add_cookies([{"name": name, "value": value, "url": address}])
            page = context.new_page()
            page.set_default_timeout(WAIT_S * 1000)
            page.goto(address + shot.path, wait_until="domcontentloaded")
            yield shot, page
            context.close()
        browser.close()


def taken(page: Any, out: Path, name: str) -> None:
    page.screenshot(path=out / f"{name}.jpg", type="jpeg", quality=80)
