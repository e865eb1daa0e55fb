"""The review pages when something is broken, missing or slow, or asked for by who should not have it."""

from __future__ import annotations

import asyncio
import errno
import json
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from night import SESSION, night
from veedor.monitor import what_if_saving
from veedor.monitor.coup_view_night import read_night
from veedor.monitor.ops.heartbeat import Heartbeat, Pulse
from veedor.monitor.store import StoreError
from veedor.monitor.store.writing import SessionInfo
from veedor.web import evidence_pages, review_lists
from veedor.web.access.people import Role
from veedor.web.review_query import read_query

COUP = f"/review/{SESSION}/coups/1"
LAST = str(len(night()))
STAKE = next(each.id for each in night() if getattr(each, "bet", None) == "b1")
CORRECTION = {"draft": json.dumps([{"corrects": STAKE}]), "seen": LAST, "reason": "no such stake"}


def rosa(archive: Any) -> Any:
    """The reviewer's browser."""
    return archive.signed_in(Role.REVIEWER)


def folder(archive: Any) -> Any:
    return archive.store.folder(SESSION)


def test_a_session_whose_table_is_being_started_again_is_that_tables_own(archive: Any) -> None:
    """It has read the journal already and numbers its events from there on."""
    pulse, then = Pulse(archive.data, "mesa-3"), time.time() - 300.0
    pulse.beat(Heartbeat(SESSION, 1, then, 9.0, then, {}))
    pulse.opens("models")
    answer = rosa(archive).post(f"{COUP}/corrections", CORRECTION)
    assert answer.status == 409 and "running" in answer.text
    pulse.opened()
    assert rosa(archive).post(f"{COUP}/corrections", CORRECTION).status == 303


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("recordings.json", {"schema": 1, "recordings": [{}]}),
        ("recordings.json", {"schema": 1, "recordings": [{"path": "a.mp4", "sha256": "x", "start_s": "now",
                                                          "stop_s": None, "size": [4, 4]}]}),
        ("sight/index.json", {"schema": 1, "runs": [{"file": 3}]}),
        ("sight/index.json", {"schema": 1, "runs": 7}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["", "/video/0.mp4", "/sight.json"])
def test_damaged_files_of_a_session_are_told_in_a_line(
    archive: Any, name: str, content: object, path: str
) -> None:
    damaged = folder(archive).path / name
    damaged.parent.mkdir(exist_ok=True)
    damaged.write_text(json.dumps(content))
    answer = rosa(archive).get(COUP + path)
    assert answer.status in (200, 404, 409), answer.text
    assert str(archive.data) not in answer.text


def test_only_sessions_of_the_data_folder_are_exported(
    archive: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "elsewhere"
    (other / "private").mkdir(parents=True)
    shutil.copytree(folder(archive).path, other / "private" / "night")
    monkeypatch.chdir(other)
    for name in ("report.pdf", "findings.csv"):
        assert rosa(archive).get(f"/review/private/night/export/{name}").status == 404
    assert rosa(archive).get("/findings/private/night/1/evidence.zip").status == 404


@pytest.mark.parametrize(
    "event",
    [
        {"event": "bet_placed", "bet": "b9", "zone": "P1", "amount": "500", "seat": 99},
        {"event": "bet_placed", "bet": "b9", "zone": "P1", "amount": "500", "bettor": "seat99"},
        {"event": "bet_placed", "bet": "b9", "zone": "roof", "amount": "500", "seat": 4},
        {"event": "bet_placed", "bet": "b9", "zone": "P1", "amount": "0.001", "seat": 4},
        {"event": "bet_placed", "bet": "b9", "zone": "P1", "amount": "5e14", "seat": 4},
        {"event": "coup_opened", "coup": 10**25},
        {"event": "cagnotte_paid", "amount": "0"},
    ],
)
def test_what_cannot_have_been_at_the_table_is_no_correction(archive: Any, event: dict[str, object]) -> None:
    draft = json.dumps([{"corrects": 0, "event": {**event, "t": 16.0}}])
    before = folder(archive).journal.read_bytes()
    assert rosa(archive).post(f"{COUP}/what-if", {"draft": draft}).status == 422
    assert rosa(archive).post(f"{COUP}/corrections", {**CORRECTION, "draft": draft}).status == 422
    assert folder(archive).journal.read_bytes() == before


def test_a_disk_that_takes_no_correction_is_told(archive: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(what_if_saving, "write_whole", full)
    answer = rosa(archive).post(f"{COUP}/corrections", CORRECTION)
    assert answer.status == 503 and "NOT saved" in answer.text and str(archive.data) not in answer.text
    assert read_night(folder(archive)).last_id == int(LAST)


def test_what_is_in_the_journal_is_never_said_not_to_be_saved(
    archive: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StoreError("findings.jsonl: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(what_if_saving, "_tell", full)
        assert rosa(archive).post(f"{COUP}/corrections", CORRECTION).status == 303
    assert read_night(folder(archive)).last_id == int(LAST) + 1
    rosa(archive).get(COUP)
    told = archive.store.finding(SESSION, 1)
    assert told is not None and told.verdict == "withdrawn", "told once there is room"


def test_a_day_is_found_however_many_sessions_came_after(
    archive: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        name = f"mesa-4/20260401T0{number}0000Z"
        archive.store.record_session(
            SessionInfo(name, "mesa-4", "Mesa 4", started_at=f"2026-04-01T0{number}:00:00Z")
        )
    monkeypatch.setattr(review_lists, "MOST_SESSIONS", 2)
    page = rosa(archive).get("/review?since=2026-03-01&until=2026-03-01").text
    assert f'<tr data-href="/review/{SESSION}">' in page
    assert "<option>mesa-3</option>" in page, "a table is offered though its sessions are old"


def test_a_table_that_is_called_like_a_seat_is_the_table() -> None:
    query = read_query({"q": "s1 23:40"}, ["s1"])
    assert (query.filter.table_id, query.filter.person, query.near) == ("s1", None, 23 * 60 + 40)
    assert read_query({"q": "s1"}, ["mesa-1"]).filter.person == "seat1"
    assert read_query({"q": "sala-20.30"}, ["sala-20.30"]).filter.table_id == "sala-20.30"


def test_the_afternoon_and_one_amount_are_understood() -> None:
    query = read_query({"q": "11:40pm seat 4 500"}, ["mesa-1"])
    assert (query.near, query.filter.person, query.unknown) == (23 * 60 + 40, "seat4", ())
    assert query.filter.low == query.filter.high == 500
    assert [read_query({"q": each}, []).near for each in ("12:10 a.m.", "12:10 p.m.", "11:40")] == [
        10,
        730,
        700,
    ]


async def _status(app: Any, path: str, cookies: dict[str, str]) -> int:
    found: list[int] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            found.append(message["status"])

    cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
    headers = [(b"host", b"127.0.0.1"), (b"cookie", cookie.encode()), (b"accept", b"text/html")]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "headers": headers,
        "client": ("192.0.2.7", 50000), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    await app(scope, receive, send)
    return found[0]


def test_a_hundred_exports_at_once_leave_the_pages_working(
    archive: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = threading.Event()

    def slow(chosen: object, language: object) -> bytes:
        over.wait(30)
        return b"%PDF"

    monkeypatch.setitem(evidence_pages._REPORTS, "report.pdf", slow)  # type: ignore[arg-type]
    cookies = rosa(archive).cookies

    async def rush() -> list[int]:
        address = f"/review/{SESSION}/export/report.pdf"
        asked = [asyncio.create_task(_status(archive.app, address, cookies)) for _ in range(100)]
        try:
            await asyncio.sleep(0.2)
            page = asyncio.create_task(_status(archive.app, "/review", cookies))
            done, _ = await asyncio.wait({page}, timeout=10)
            assert done, "the pages wait for the exports"
        finally:
            over.set()
        return [await page, *await asyncio.gather(*asked)]

    assert set(asyncio.run(rush())) == {200}


def test_nobody_decides_on_what_another_has_corrected_away(archive: Any) -> None:
    address = f"/review/{SESSION}/findings/1/verdict"
    assert rosa(archive).post(f"{COUP}/corrections", CORRECTION).status == 303
    answer = rosa(archive).post(address, {"verdict": "confirmed", "seen": "0"})
    assert answer.status == 409 and "withdrawn" in answer.text
    assert archive.store.decisions(SESSION) == []


def test_a_button_pressed_twice_is_pressed_once(archive: Any) -> None:
    me, address = rosa(archive), f"/review/{SESSION}/findings/1/verdict"
    decision = {"verdict": "dismissed", "reason": "a chip was hidden", "seen": "0"}
    assert [me.post(address, decision).status for _ in range(2)] == [303, 303]
    assert len(archive.store.decisions(SESSION)) == 1
    assert me.post(address, {**decision, "reason": "another"}).status == 409
    assert [me.post(f"{COUP}/corrections", CORRECTION).status for _ in range(2)] == [303, 303]
    assert read_night(folder(archive)).last_id == int(LAST) + 1
    assert me.post(f"{COUP}/corrections", {**CORRECTION, "reason": "another"}).status == 409
