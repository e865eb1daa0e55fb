"""How long correcting pre-filled objects takes in the labelling page, the server being killed in the middle.

    python tests/benchmarks/labelling.py [--objects 200] [--seed 911] [--json FILE]

Pictures of a played session are rendered, the shipped models propose what stands in them, and a scripted
browser puts right what is wrong, object by object and with the keys and drags that a person would use, until
each picture says what was drawn. In the middle the server is killed with SIGKILL and started again two
seconds later: what it had acknowledged must be there, and the page must send the rest by itself. The script
does not think: the figures are what the page costs, and how many keys and drags an object needs. Needs
Chromium and Playwright.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from labelling_script import Labeller, Truth, lost
from veedor.datasets.labelled import LabelledObject, LabelledPicture, corners_of_detection
from veedor.datasets.looks import random_look
from veedor.datasets.play import play_session
from veedor.datasets.render.renderer import Renderer
from veedor.datasets.render.truth import ObjectTruth
from veedor.datasets.simulate import Simulation, table_of
from veedor.monitor.eyes import Eyes, open_eyes
from veedor.monitor.labelling.agreement import Disagreement, agreement_on
from veedor.monitor.labelling.proposals import propose
from veedor.monitor.labelling.revisions import Revision, State
from veedor.monitor.labelling.store import LabelStore
from veedor.monitor.labelling.tables import keep_table
from veedor.monitor.stills import look
from veedor.vision.detections import ObjectClass
from veedor.vision.table_file import load_table
from veedor.web.access.accounts import Accounts
from veedor.web.access.database import AccountsFile
from veedor.web.access.people import Role

SIZE = (1920, 1080)
PROFILE, COUPS = "dos-panos-limitada", 14
NAME, PASSWORD = "ana", "only for this measurement"
TIME_BASE = Fraction(1, 25)
FIRST_S, EVERY_S = 12.0, 17.0
LEAST_SEEN = 0.5
AWAY_S = 2.0


def prepare(data: Path, objects: int, seed: int, eyes: Eyes) -> Truth:
    """Pictures with at least so many proposed objects in the store of `data`; what was drawn, by picture."""
    table_look, camera = random_look(seed, split="play", size=SIZE)
    session = play_session(
        PROFILE, seed, COUPS, layout=table_look.layout, chips=table_look.chips,
        back_colours=table_look.back_colours,
    )  # fmt: skip
    assert session.timeline is not None
    table = table_of(Simulation(PROFILE, seed, COUPS, size=SIZE), table_look, camera)
    store, renderer = LabelStore(data), Renderer(table_look, camera)
    keep_table(store.folder, table)
    truth: Truth = {}
    proposed, t_s = 0, FIRST_S
    while proposed < objects:
        if t_s > session.timeline.duration_s:
            raise SystemExit(f"the session has {proposed} objects only")
        pts = round(t_s / TIME_BASE)
        rendered = renderer.render(session.timeline.scene_at(t_s), np.random.default_rng([seed, pts]))
        found = propose(look(rendered.image, eyes, table), table)
        name = f"{seed}-{pts:05d}"
        store.add(
            LabelledPicture(
                name, f"{seed:064x}", pts, TIME_BASE, *SIZE, "rendered", table.id, None, "model", 0, found
            ),
            rendered.image,
        )
        truth[name] = tuple(made for each in rendered.objects if (made := as_label(each)) is not None)
        proposed += len(found)
        t_s += EVERY_S
    return truth


def as_label(each: ObjectTruth) -> LabelledObject | None:
    """What a person would mark: nothing that is hidden for the greater part."""
    if each.visible_fraction < LEAST_SEEN:
        return None
    corners = corners_of_detection(each.corners_px)
    if each.kind is ObjectClass.CARD_FACE and each.face:
        return LabelledObject(each.id, each.kind, corners, each.face[0], each.face[1])
    if each.chips:
        return LabelledObject(each.id, each.kind, corners, chips=tuple(each.chips), count=len(each.chips))
    return LabelledObject(each.id, each.kind, corners)


class Server:
    """`veedor serve` as a process that can be killed and started again at the same address."""

    def __init__(self, data: Path) -> None:
        file = AccountsFile(data / "accounts.sqlite")
        Accounts(file).add("root", Role.ADMINISTRATOR, PASSWORD)
        Accounts(file).add(NAME, Role.LABELLER, PASSWORD)
        file.close()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._data = data
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        program = "import sys; from veedor.monitor.cli import main; sys.exit(main(sys.argv[1:]))"
        listen = ["serve", "--data", str(self._data), "--listen", f"127.0.0.1:{self.port}"]
        self.process = subprocess.Popen([sys.executable, "-c", program, *listen], stdout=subprocess.DEVNULL)
        until = time.monotonic() + 120
        while time.monotonic() < until:
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise SystemExit("veedor serve does not answer")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()


class Accident:
    """Kills the server once so many objects are done, and starts it again while the work goes on."""

    def __init__(self, server: Server, at: int) -> None:
        self._server, self._at = server, at
        self.happened = False
        self._again: threading.Thread | None = None

    def between(self, done: int) -> None:
        if done >= self._at and not self.happened:
            self.happened = True
            self._server.kill()
            self._again = threading.Thread(target=self._come_back)
            self._again.start()

    def _come_back(self) -> None:
        time.sleep(AWAY_S)
        self._server.start()

    def over(self) -> None:
        if self._again is not None:
            self._again.join()


def measure(data: Path, truth: Truth, page: Any, server: Server) -> dict[str, object]:
    """Sign in, label every picture, and compare what the store holds with what was drawn."""
    store = LabelStore(data)
    table = load_table(next((store.folder / "tables").glob("*.toml")))
    chips = [chip.name for chip in sorted(table.chips, key=lambda chip: chip.value)]
    objects = sum(len(store.proposal(name).objects) for name in truth)
    accident = Accident(server, objects // 2)
    labeller = Labeller(page, truth, chips, accident.between)
    page.goto(f"{server.address}/sign-in")
    page.fill("[name=name]", NAME)
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/label", wait_until="domcontentloaded")
    page.goto(f"{server.address}/label/next", wait_until="domcontentloaded")
    began = time.monotonic()
    for _ in truth:
        labeller.picture(store)
    seconds = time.monotonic() - began
    accident.over()
    work = labeller.work
    return {
        "pictures": len(truth), "objects": work.objects, "right_already": work.right,
        "corrected": work.corrected, "deleted": work.deleted, "added": work.added,
        "keys": work.keys, "drags": work.drags, "seconds": round(seconds, 1),
        "seconds_an_object": round(seconds / max(1, work.objects + work.added), 3),
        "keys_an_object": round(work.keys / max(1, work.objects + work.added), 2),
        "server_killed_after": accident.happened and objects // 2,
        "acknowledged": len(work.acknowledged), "lost": lost(LabelStore(data), work),
        "before": _against(store, truth, final=False), "after": _against(store, truth, final=True),
    }  # fmt: skip


def _against(store: LabelStore, truth: Truth, *, final: bool) -> dict[str, object]:
    """The labels of all pictures against what was drawn."""
    together = None
    for name, drawn in truth.items():
        labels = store.final(name) if final else store.proposal(name)
        if labels is None:
            return {"unfinished": name}
        true = Revision(name, 0, None, "drawn", "", State.DONE, drawn)
        each = agreement_on(true, labels)
        together = each if together is None else together.with_picture(each)
    assert together is not None
    figures = {
        "found": together.found_share, "iou": together.mean_iou, "rank": together.rank_share,
        "suit": together.suit_share, "chips": together.chips_share,
    }  # fmt: skip
    rounded = {name: None if value is None else round(value, 4) for name, value in figures.items()}
    told = [f"{each.picture}: {_told(each)}" for each in together.disagreements] if final else []
    return rounded | ({"differences": told} if final else {})


def _told(each: Disagreement) -> str:
    named = [f"{one.kind.name.lower()} {one.id}" if one else "nothing" for one in (each.first, each.second)]
    return f"{each.on.value}, drawn {named[0]}, labelled {named[1]}, IoU {each.iou:.2f}"


def run(data: Path, objects: int, seed: int) -> dict[str, object]:
    from playwright.sync_api import sync_playwright

    truth = prepare(data, objects, seed, open_eyes(threads=1))
    server = Server(data)
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-dev-shm-usage"]
            )
            page = browser.new_context(viewport={"width": 1600, "height": 900}, locale="en").new_page()
            page.set_default_timeout(60_000)
            measured = measure(data, truth, page, server)
            page.wait_for_timeout(200)
            browser.close()
    finally:
        server.end()
    return measured


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--objects", type=int, default=200)
    parser.add_argument("--seed", type=int, default=911)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        measured = run(Path(scratch), args.objects, args.seed)
    text = json.dumps(measured, indent=1)
    if args.json is not None:
        args.json.write_text(text + "\n", encoding="utf-8")
    print(text)
    return 1 if measured["lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
