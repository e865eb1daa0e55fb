"""A signed-in page in Chromium that notes when it shows each finding."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from live_load import family

NAME, PASSWORD = "ana", "a long enough secret"
# Noted once it is drawn: in the task after the one that draws the next picture of the page.
WATCH_PAGE = """() => {
  window.shown = [];
  const known = new Set();
  const look = () => {
    for (const each of document.querySelectorAll(".finding")) {
      const key = each.dataset.number + " " + each.dataset.verdict;
      if (known.has(key)) continue;
      known.add(key);
      const { number, verdict } = each.dataset;
      const told = () => window.shown.push({ number: Number(number), verdict, at: Date.now() / 1000 });
      requestAnimationFrame(() => setTimeout(told));
    }
  };
  new MutationObserver(look).observe(document.getElementById("findings"), { childList: true, subtree: true });
  look();
}"""


def page_watched(
    base: str, table: str, until: Callable[[], float], pids: list[int]
) -> tuple[list[dict[str, Any]], str]:
    """Sign in, open the table's page and note what it shows until that time; with the page's address."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        pids[:] = [pid for pid in family(os.getpid()) if _is_browser(pid)]
        page = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en").new_page()
        _patiently(lambda: page.goto(f"{base}/sign-in"))
        page.fill("[name=name]", NAME)
        page.fill("[name=password]", PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url: "sign-in" not in url)
        _patiently(lambda: _found(page.goto(f"{base}/tables/{table}", wait_until="domcontentloaded")))
        page.evaluate(WATCH_PAGE)
        while time.time() < until():
            page.wait_for_timeout(1000)
            pids[:] = [pid for pid in family(os.getpid()) if _is_browser(pid)]
        shown: list[dict[str, Any]] = page.evaluate("() => window.shown")
        address = str(page.url)
        browser.close()
    return shown, address


def _found(answer: Any) -> None:
    if answer is None or answer.status != 200:
        raise RuntimeError("not there yet")


def _patiently(attempt: Callable[[], Any]) -> None:
    for _ in range(120):
        try:
            attempt()
            return
        except Exception:  # the service is starting
            time.sleep(0.5)
    attempt()


def _is_browser(pid: int) -> bool:
    try:
        return b"chrom" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
