"""Pictures of the review pages for the docs, of a data folder that `veedor review --data` has left.

    python tests/benchmarks/review_pictures.py DATA docs/images [--lang es]

The coup shown is the one with the gravest finding; the what-if halves the stake that was settled wrong, and
saves nothing. Needs Chromium and Playwright.
"""

from __future__ import annotations

import argparse
import shutil
import socket
import sys
import tempfile
import threading
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import uvicorn
from page_pictures import PASSWORD, Pit
from veedor.monitor.store import Store
from veedor.monitor.store.search import CoupFilter, FoundCoup, search
from veedor.web.access.accounts import Accounts
from veedor.web.access.audit import Audit
from veedor.web.access.database import AccountsFile
from veedor.web.access.people import Role
from veedor.web.access.sessions import Sessions
from veedor.web.access.throttle import Throttle
from veedor.web.app import create_app
from veedor.web.door import GuardedDoor

_GRAVE = ("annul", "money", "rectify", "warn", "info")
_READY = (
    "document.getElementById('overlay').dataset.ready === 'yes' && !document.getElementById('video').seeking"
)
WAIT_S = 60


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--lang", choices=("es", "en"), default="es")
    args = parser.parse_args()
    with Store.of_data(args.data) as store:
        coup = gravest(search(store, CoupFilter(with_findings=True)))
        with tempfile.TemporaryDirectory() as scratch:
            take(store, coup, args.out, args.lang, Path(scratch))
    return 0


def gravest(coups: list[FoundCoup]) -> FoundCoup:
    def rank(coup: FoundCoup) -> int:
        broken = [each.severity for each in coup.findings if each.verdict == "broken"]
        return min((_GRAVE.index(each) for each in broken), default=len(_GRAVE))

    return min(coups, key=rank)


def take(store: Store, coup: FoundCoup, out: Path, lang: str, scratch: Path) -> None:
    """Serve the pages and take their pictures."""
    from playwright.sync_api import sync_playwright

    file = AccountsFile(scratch / "accounts.sqlite")
    door = GuardedDoor(Accounts(file), Sessions(file), Audit(file), Throttle(time.monotonic))
    person = door.accounts.add("rosa", Role.REVIEWER, PASSWORD)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    app = create_app(Pit([], store), door)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True).start()
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    place = f"/review/{coup.session}/coups/{coup.place}"
    gravest_first = min(coup.findings, key=lambda each: _GRAVE.index(each.severity))
    at = "" if coup.at is None else f"?q={coup.at:%H:%M}"
    pages = (
        ("review-search", f"/review/search{at}", (1280, 640)),
        ("review-session", f"/review/{coup.session}", (1280, 720)),
        ("review", f"{place}#finding-{gravest_first.number}", (1280, 1120)),
        ("review-what-if", f"{place}/what-if", (1280, 1080)),
        ("review-statistics", "/review/statistics", (1280, 800)),
        ("review-phone", place, (390, 844)),
    )
    with sync_playwright() as driver:
        found = shutil.which("chromium") or shutil.which("google-chrome")
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        for name, path, (width, height) in pages:
            context = browser.new_context(
                viewport={"width": width, "height": height}, device_scale_factor=1.5
            )
            context.add_cookies([{"name": "veedor-language", "value": lang, "url": address}])
            token = door.sessions.begin(person, "127.0.0.1")
            context.add_cookies([{"name": "veedor", "value": token, "url": address}])
            page = context.new_page()
            page.set_default_timeout(WAIT_S * 1000)
            page.goto(address + path, wait_until="domcontentloaded")
            prepare(page, name, place, address)
            page.screenshot(path=out / f"{name}.jpg", type="jpeg", quality=80)
            context.close()
        browser.close()
    server.should_exit = True
    file.close()


def prepare(page: Any, name: str, place: str, address: str) -> None:
    """What somebody would have done before he looks so."""
    if name == "review-what-if":
        page.goto(address + place, wait_until="domcontentloaded")
        page.locator(".stake-row.breaks .pen").first.click()
        amount = page.locator('input[name="field-amount"]')
        amount.wait_for()
        amount.fill(f"{Decimal(amount.input_value()) / 2:f}")
        page.locator(".editing button.strong").click()
        page.locator("#fates-title").wait_for()
        page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    elif name in ("review", "review-phone"):
        for _ in range(WAIT_S):
            if page.evaluate(_READY):
                break
            page.wait_for_timeout(1000)
        page.wait_for_timeout(3000)
        page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(800)


if __name__ == "__main__":
    sys.exit(main())
