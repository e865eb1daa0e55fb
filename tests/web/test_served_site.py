"""The pages of a table on a real bus, with its store, through the whole application."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from veedor.monitor.announcements import Announcements
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.bus import HEALTH, BusSetting, bus_folder
from veedor.monitor.fold import Fold
from veedor.monitor.language import Language
from veedor.monitor.operator_events import OperatorDesk
from veedor.monitor.ops.bus_table import BusBoard
from veedor.monitor.store import SessionRecord, Store
from veedor.rules.journal import Fsync, read_journal
from veedor.rules.profile import load_profile
from veedor.vision.table_file import load_table, save_table
from veedor.web.access.people import Role
from veedor.web.app import create_app
from veedor.web.served_site import ServedSite

TABLE = replace(load_table(bundled_clip("demo").table), id="mesa-7", name="Mesa siete")


class Running:
    """What a table's process has of its bus and its journal, without cameras."""

    def __init__(self, data: Path, store: Store) -> None:
        self.record = SessionRecord.begin(store, TABLE.id, TABLE.name, source="cam", alarm=print)
        self.folder = self.record.folder.path
        save_table(TABLE, self.folder / "table.toml")
        profile = load_profile(TABLE.profile)
        self.journal = self.folder / "journal.jsonl"
        self.fold = Fold(TABLE, profile, Announcements(), self.journal, Fsync.EVERY_COUP)
        desk = OperatorDesk(self.fold, lambda: 12.5)
        self.board = BusBoard(BusSetting(bus_folder(data), TABLE.id), desk.handlers())

    def beat(self) -> None:
        health = {"session": self.record.session, "last": self.board.bus.numbers()}
        self.board.bus.publish(HEALTH, health, 12.5)

    def close(self) -> None:
        self.board.bus.close()
        self.fold.__exit__(None, None, None)
        self.record.end()


@pytest.fixture
def running(web: Any) -> Iterator[Running]:
    table = Running(web.data, web.store)
    yield table
    table.close()


@pytest.fixture
def served(web: Any, running: Running) -> Iterator[ServedSite]:
    site = ServedSite(web.data, web.store, Language.EN)
    web.app = create_app(site, web.door)
    until = time.monotonic() + 20
    while not site.tables() or site.tables()[0].session not in running.record.session:
        running.beat()
        assert time.monotonic() < until, "the table is not found on the bus"
        time.sleep(0.05)
    yield site
    site.close()


def shown(web: Any, running: Running, words: str) -> str:
    """The live page once it says `words`."""
    browser = web.signed_in(Role.OPERATOR)
    for _ in range(200):
        running.beat()
        page = browser.get("/tables/mesa-7").text
        if words in page:
            return str(page)
        time.sleep(0.05)
    raise AssertionError(f"{words!r} never came")


def test_a_table_s_page_has_its_felt_name_and_state(web: Any, running: Running, served: ServedSite) -> None:
    from veedor.monitor.live_state import LiveState

    running.board.publish(LiveState(t_s=61.0, coups_closed=4))
    page = shown(web, running, "4 coups")
    assert "Mesa siete" in page and page.count('class="zone') > 30


def test_a_key_pressed_on_the_page_is_in_the_table_s_journal_when_it_is_answered(
    web: Any, running: Running, served: ServedSite
) -> None:
    browser = web.signed_in(Role.OPERATOR)
    answer = browser.post("/tables/mesa-7/entries", {"key": "said:P1:carta"}, "application/json")
    told = json.loads(answer.text)
    assert (answer.status, told["saved"], told["t"]) == (200, True, 12.5)
    (said,) = [each for each in read_journal(running.journal).events if each.id == told["entry"]]
    assert (said.source, said.by, said.words) == ("operator", "P1", "carta")  # type: ignore[attr-defined]
    entry = f"/tables/mesa-7/entries/{told['entry']}"
    assert browser.post(entry, {"key": "said:P1:no"}, "application/json").status == 200
    correction = read_journal(running.journal).events[-1]
    assert correction.corrects == told["entry"]  # type: ignore[attr-defined]
    assert correction.by == "operator"  # type: ignore[attr-defined]
    again = f"/tables/mesa-7/entries/{correction.id}"
    assert browser.post(again, {"withdraw": "1"}, "application/json").status == 200


def test_a_table_that_says_no_is_heard(web: Any, running: Running, served: ServedSite) -> None:
    running.board.bus.close()
    browser = web.signed_in(Role.OPERATOR)
    answer = browser.post("/tables/mesa-7/entries", {"key": "closed"}, "application/json")
    assert answer.status == 503 and "NOT recorded" in json.loads(answer.text)["fault"]
    until = time.monotonic() + 20
    while "lamp-silent" not in web.signed_in(Role.OPERATOR).get("/wall").text:
        assert time.monotonic() < until, "a table without a process is shown as well"
        time.sleep(0.2)


def test_a_finding_of_the_bus_is_decided_in_the_store(web: Any, running: Running, served: ServedSite) -> None:
    from veedor.monitor.finding_views import finding_view
    from veedor.monitor.live_state import LiveState
    from veedor.rules.finding import Finding
    from veedor.rules.verdict import Verdict

    finding = Finding("BET_AFTER_NMV", Verdict.BROKEN, 1, 9.0, "seat5", "001 VII p3", "money", 1.0)
    running.board.publish_still(1, b"\xff\xd8still")
    view = replace(finding_view(1, finding), still="/stills/1.jpg")
    running.record.finding(1, finding)
    running.board.publish(LiveState(t_s=10.0, findings=(view,)))
    shown(web, running, "BET_AFTER_NMV")
    browser = web.signed_in(Role.OPERATOR)
    assert browser.get("/tables/mesa-7/stills/1.jpg").body == b"\xff\xd8still"
    session = running.record.session.partition("/")[2]
    path = f"/findings/mesa-7/{session}/1/decision"
    assert browser.post(path, {"answer": "accepted"}, "application/json").status == 200
    (row,) = web.store.decisions(running.record.session)
    assert (row.finding, row.action, row.who) == (1, "accept", "operator")
    assert "<strong>accepted</strong> by operator" in shown(web, running, "accepted")
