"""Pictures of the labelling pages for the docs, of rendered pictures with what the shipped models propose.

    python tests/benchmarks/label_pictures.py docs/images [--lang es]

Needs Chromium and Playwright.
"""

from __future__ import annotations

import argparse
import shutil
import socket
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn
from labelling import PASSWORD, prepare
from labelling_script import READY, Truth
from page_pictures import Pit
from veedor.monitor.eyes import open_eyes
from veedor.monitor.labelling.revisions import Change, State
from veedor.monitor.labelling.store import LabelStore
from veedor.monitor.labelling.waiting import Waiting, write_queue
from veedor.monitor.language import Bilingual
from veedor.monitor.store import Store
from veedor.web.access.accounts import Accounts
from veedor.web.access.audit import Audit
from veedor.web.access.database import AccountsFile
from veedor.web.access.people import Role
from veedor.web.access.sessions import Sessions
from veedor.web.access.throttle import Throttle
from veedor.web.app import AppSetting, create_app
from veedor.web.door import GuardedDoor

SEED = 911
UNSURE = Bilingual("el modelo duda de una carta", "the model is unsure of a card")
FEW_SEEN = Bilingual("la mesa es nueva", "the table is new")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--lang", choices=("es", "en"), default="es")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(scratch)
        truth = prepare(data, 130, SEED, open_eyes(threads=1))
        worked_on(LabelStore(data), truth)
        take(data, ordered(truth), args.out, args.lang)
    return 0


def ordered(truth: Truth) -> list[str]:
    """The pictures by name, the one with most faces last."""
    return sorted(truth, key=lambda name: (sum(each.rank is not None for each in truth[name]), name))


def worked_on(store: LabelStore, truth: Truth) -> None:
    """Two pictures finished, one of them with a second opinion; the others wait with their reasons."""
    names = ordered(truth)
    for name in names[-2:]:
        ids = tuple(each.id for each in truth[name])
        store.save_change(name, Change(truth[name], "ana", 0, State.DONE, ids))
    other = list(truth[names[-1]][:-1])
    faces = [n for n, each in enumerate(other) if each.rank is not None]
    other[faces[0]] = replace(other[faces[0]], rank="8")
    moved = tuple((x + 6.0, y) for x, y in other[faces[1]].corners_px)
    other[faces[1]] = replace(other[faces[1]], corners_px=moved)  # type: ignore[arg-type]  # four of four
    store.save(names[-1], other, "bea", 0, State.SECOND)
    write_queue(
        store.folder,
        [Waiting(name, 3.0 - n, (UNSURE, FEW_SEEN)[: 1 + n % 2]) for n, name in enumerate(names[:-2])],
    )


def take(data: Path, names: list[str], out: Path, lang: str) -> None:
    from playwright.sync_api import sync_playwright

    file = AccountsFile(data / "accounts.sqlite")
    door = GuardedDoor(Accounts(file), Sessions(file), Audit(file), Throttle(time.monotonic))
    people = [
        door.accounts.add("ana", Role.ADMINISTRATOR, PASSWORD),
        door.accounts.add("lucía", Role.LABELLER, PASSWORD),
    ]
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    site = Pit([], Store.of_data(data))
    app = create_app(site, door, AppSetting(data=data))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True).start()
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    one = f"/label/pictures/{names[-3]}"
    wanted = (
        ("label-queue", "/label", people[1]),
        ("label", one, people[1]),
        ("label-near", one, people[1]),
        ("label-keys", one, people[1]),
        ("label-agreement", "/label/agreement", people[0]),
        ("label-compare", f"/label/pictures/{names[-1]}?with=bea", people[0]),
    )
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, path, person in wanted:
            context = browser.new_context(viewport={"width": 1280, "height": 800}, device_scale_factor=1.5)
            for cookie, value in (
                ("veedor-language", lang),
                ("veedor", door.sessions.begin(person, "127.0.0.1")),
            ):
                context.add_cookies([{"name": cookie, "value": value, "url": address}])
            page = context.new_page()
            page.goto(address + path, wait_until="domcontentloaded")
            prepare_page(page, name)
            page.screenshot(path=out / f"{name}.jpg", type="jpeg", quality=80)
            context.close()
        browser.close()
    server.should_exit = True


def prepare_page(page: Any, name: str) -> None:
    """What somebody would have done before he looks so."""
    if name in ("label-queue", "label-agreement"):
        page.wait_for_timeout(1500)
        return
    while not page.evaluate(READY):
        page.wait_for_timeout(100)
    keys = {"label": 3, "label-near": 12, "label-keys": 3}.get(name, 0)
    for _ in range(keys):
        page.keyboard.press("Enter")
    if name == "label-near":
        page.keyboard.press(" ")
    elif name == "label-keys":
        page.keyboard.press("?")
    elif name == "label-compare":
        page.locator("#differences li button").first.click()
    page.wait_for_timeout(2000)


if __name__ == "__main__":
    sys.exit(main())
