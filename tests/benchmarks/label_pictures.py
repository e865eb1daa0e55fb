"""Pictures of the labelling pages for the docs, of rendered pictures with what the shipped models propose.

    python tests/benchmarks/label_pictures.py docs/images [--lang es]

Needs Chromium and Playwright.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from labelling import prepare
from labelling_script import READY, Truth
from page_pictures import Pit
from photographed import PASSWORD, Shot, options, pages, served, taken
from veedor.monitor.eyes import open_eyes
from veedor.monitor.labelling.revisions import Change, State
from veedor.monitor.labelling.store import LabelStore
from veedor.monitor.labelling.waiting import Waiting, write_queue
from veedor.monitor.language import Bilingual
from veedor.monitor.store import Store
from veedor.web.access.database import AccountsFile
from veedor.web.access.people import Role
from veedor.web.app import AppSetting, create_app
from veedor.web.serving import guarded_door

SEED = 911
UNSURE = Bilingual("el modelo duda de una carta", "the model is unsure of a card")
FEW_SEEN = Bilingual("la mesa es nueva", "the table is new")


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("out", type=Path)
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
    door = guarded_door(AccountsFile(data / "accounts.sqlite"))
    ana = door.accounts.add("ana", Role.ADMINISTRATOR, PASSWORD)
    lucia = door.accounts.add("lucía", Role.LABELLER, PASSWORD)
    one = f"/label/pictures/{names[-3]}"
    shots = (
        Shot("label-queue", "/label", lucia),
        Shot("label", one, lucia),
        Shot("label-near", one, lucia),
        Shot("label-keys", one, lucia),
        Shot("label-agreement", "/label/agreement", ana),
        Shot("label-compare", f"/label/pictures/{names[-1]}?with=bea", ana),
    )
    with served(create_app(Pit([], Store.of_data(data)), door, AppSetting(data=data))) as address:
        for shot, page in pages(address, door, shots, lang):
            prepare_page(page, shot.name)
            taken(page, out, shot.name)


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
