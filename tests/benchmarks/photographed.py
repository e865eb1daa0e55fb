"""Pages of a site as pictures for the docs: served on loopback, opened in Chromium as somebody."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from veedor.web.access.people import Person
from veedor.web.door import GuardedDoor

sys.path.insert(0, str(Path(__file__).parents[1] / "web"))
from browsing import CHROMIUM, Served

PASSWORD = "only for these pictures"
WAIT_S = 60


@dataclass(frozen=True)
class Shot:
    """A picture's name, the page it is of, and who looks at it."""

    name: str
    path: str
    who: Person
    size: tuple[int, int] = (1280, 800)


def options(about: str | None) -> argparse.ArgumentParser:
    """A parser that says what a program of these is for, and asks in which language the pages are."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lang", choices=("es", "en"), default="es")
    return parser


@contextmanager
def served(app: Any) -> Iterator[str]:
    """The address of a site."""
    site = Served(app)
    yield site.address
    site.stop()


def pages(address: str, door: GuardedDoor, shots: Iterable[Shot], lang: str) -> Iterator[tuple[Shot, Any]]:
    """Each page opened, one after another."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
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
