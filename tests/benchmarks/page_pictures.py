"""Pictures of the pages for the docs, of bundled sessions that go through the whole pipeline for them.

    python tests/benchmarks/page_pictures.py docs/images [--until 36]

Every frame is looked at, however long that takes: the pictures show what the pages show on a machine that
keeps up. Needs Chromium and Playwright.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from photographed import PASSWORD, Shot, options, pages, served, taken
from veedor.monitor.announcements import read_announcements
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.cameras import FileSource, Item, Opening
from veedor.monitor.evidence_live import EvidenceKeeper
from veedor.monitor.evidence_live_folder import Origin
from veedor.monitor.eyes import open_eyes
from veedor.monitor.felt_svg import draw_felt
from veedor.monitor.fold import Fold
from veedor.monitor.language import Bilingual, Language
from veedor.monitor.live import LiveLoop, LiveSetting
from veedor.monitor.live_state import Board
from veedor.monitor.operator_events import OperatorDesk
from veedor.monitor.pacing import TimedFrame
from veedor.monitor.ring import RingBuffer, RingLimits
from veedor.monitor.store import SessionRecord, Store
from veedor.rules.finding import Finding
from veedor.rules.journal import Fsync
from veedor.rules.profile import load_profile
from veedor.vision.table_file import load_table
from veedor.web.access.database import AccountsFile
from veedor.web.access.people import Role
from veedor.web.app import create_app
from veedor.web.local_site import DeskCommands
from veedor.web.serving import guarded_door
from veedor.web.site import Press, TableFace, WatchedTable
from veedor.web.store_record import StoreRecord

EVIDENCE_WAIT_S = 60.0
PAGES = (
    ("wall", "/wall", (1280, 800)),
    ("live", "/tables/mesa-1", (1280, 800)),
    ("keypad", "/tables/mesa-1/keypad", (1280, 800)),
    ("handover", "/handover", (1280, 800)),
    ("phone", "/tables/mesa-1", (390, 844)),
)


class Played:
    """A table whose bundled session has been watched up to `until_s`, every frame of it."""

    def __init__(self, store: Store, clip_name: str, table_id: str, until_s: float) -> None:
        clip = bundled_clip(clip_name)
        table = replace(load_table(clip.table), id=table_id, name=table_id.replace("-", " ").capitalize())
        self.record = SessionRecord.begin(store, table.id, table.name, source="cam-1", alarm=print)
        folder = self.record.folder
        ring_limits = RingLimits(max_bytes=2_000_000_000, max_age_s=3600.0)
        self._ring = RingBuffer(
            store.data / "ring" / table.id, session=folder.session, limits=ring_limits, alarm=print
        )
        self._until_s, self._now_s = until_s, 0.0
        versions = {"veedor": metadata.version("veedor")}
        started = datetime.now(UTC).isoformat(timespec="milliseconds")
        origin = Origin(folder.session, started, versions, table.chips)
        self._evidence = EvidenceKeeper(self.record, self._ring, origin, alarm=print)
        profile = load_profile(table.profile)
        announcements = read_announcements(clip.announcements)
        self.fold = Fold(table, profile, announcements, folder.journal, Fsync.EVERY_COUP)
        self.fold.on_finding, self.fold.on_look = self._found, self._evidence.saw
        self.board = Board()
        self.source = FileSource(clip.video, Opening(recorder=self._ring), speed=1e6)
        setting = LiveSetting(table, open_eyes(threads=2), self.fold, self.board, None)
        self._reached, self._go_on = threading.Event(), threading.Event()
        loop = LiveLoop(setting)
        self._thread = threading.Thread(target=loop.run, args=(self._items(),), daemon=True)
        hands = profile.hands[:2]
        face = TableFace(
            table.name,
            Bilingual(profile.names["es"], profile.names["en"]),
            "cam-1",
            draw_felt(table),
            Language.ES,
            hands,
        )
        session = folder.session.partition("/")[2]
        self.watched = WatchedTable(table.id, session, face, self.board)
        self.commands = DeskCommands(OperatorDesk(self.fold, lambda: self._now_s))

    def watch(self) -> None:
        """Until the moment has come and the evidence of what was found lies there."""
        self._thread.start()
        self._reached.wait()
        until = time.monotonic() + EVIDENCE_WAIT_S
        while self._evidence.waiting and time.monotonic() < until:
            time.sleep(0.5)
        self.record.flush()

    def _items(self) -> Iterator[Item]:
        for item in self.source.items(threading.Event()):
            assert isinstance(item, TimedFrame)
            if item.frame.t_s > self._until_s and not self._reached.is_set():
                self._reached.set()
                self._go_on.wait()
            self._now_s = item.frame.t_s
            self.board.viewers = 1  # pictures as often as if somebody looked
            yield replace(item, late_s=0.0)

    def _found(self, number: int, finding: Finding) -> None:
        self.record.finding(number, finding)
        events = [event for event in self.fold.events if event.id in set(finding.events)]
        self._evidence.found(number, finding, events, self.board.still(number))


class Pit:
    """The played tables as one site."""

    def __init__(self, tables: list[Played], store: Store) -> None:
        self.language = Language.ES
        self.record = StoreRecord(store)
        self.commands = tables[0].commands if tables else None
        self._tables = [each.watched for each in tables]

    def tables(self) -> list[WatchedTable]:
        return self._tables


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--until", type=float, default=36.0, help="media seconds of the first table")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(scratch)
        store = Store.of_data(data)
        tables = [Played(store, "demo", "mesa-1", args.until), Played(store, "bench", "mesa-2", 12.0)]
        for table in tables:
            table.watch()
            _, state = table.board.latest()
            print(f"{table.watched.id}: {state.t_s:.1f} s, {len(state.findings)} findings", flush=True)
        take(Pit(tables, store), data, args.out, args.lang)
    return 0


def take(site: Pit, data: Path, out: Path, lang: str) -> None:
    """Serve the pages and take their pictures."""
    door = guarded_door(AccountsFile(data / "accounts.sqlite"))
    person = door.accounts.add("operator", Role.OPERATOR, PASSWORD)
    for by, words in (("P1", "carta"), ("P2", "no")):
        site.commands.send("mesa-1", {"event": "said", "by": by, "words": words}, Press("operator"))
    shots = [Shot(name, path, person, size) for name, path, size in PAGES]
    with served(create_app(site, door)) as address:
        for shot, page in pages(address, door, shots, lang):
            prepare(page, shot.name)
            taken(page, out, shot.name)


def prepare(page: Any, name: str) -> None:
    """What somebody would have done before he looks so."""
    page.wait_for_timeout(1500)
    if name == "keypad":
        for key in ("h", "n"):
            page.keyboard.press(key)
            page.wait_for_timeout(600)
    elif name in ("live", "phone", "wall"):
        page.locator("body").click(position={"x": 3, "y": 3})
        page.wait_for_timeout(1000)


if __name__ == "__main__":
    sys.exit(main())
