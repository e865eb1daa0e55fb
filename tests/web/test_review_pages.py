"""The review pages: finding a coup by what is remembered, correcting it, deciding on it; and misuse."""

from __future__ import annotations

import re
import shutil
from typing import Any

import pytest
from night import SESSION, night
from veedor.monitor import sheets
from veedor.monitor.coup_view_night import read_night
from veedor.monitor.ops.heartbeat import Heartbeat, Pulse
from veedor.monitor.store import search
from veedor.web.access.audit import Filter
from veedor.web.access.people import Role
from veedor.web.review_ranges import ranged

COUP = f"/review/{SESSION}/coups/1"
LAST = str(len(night()))
TURN = str(next(each.id for each in night() if getattr(each, "shows", None) == "9C"))
STAKE = str(next(each.id for each in night() if getattr(each, "bet", None) == "b1"))
NO_BET = '[{"corrects": %s}]' % STAKE  # noqa: UP031 - braces stand for themselves


def rosa(archive: Any) -> Any:
    """The reviewer's browser."""
    return archive.signed_in(Role.REVIEWER)


def folder(archive: Any) -> Any:
    return archive.store.folder(SESSION)


@pytest.mark.parametrize(
    ("line", "places"),
    [
        ("23:40", ["2", "1"]),  # in course at that minute, then the other within ten minutes
        ("23:38 asiento 4", ["1", "2"]),
        ("mesa-3 seat 7", ["1", "2"]),
        ("seat 2", []),
        ("PAYOUT_WRONG", ["1"]),
        ("1500..2500", ["1"]),
        ("2026-03-01", ["1", "2"]),
        ("2026-03-02", []),
        ("23:30-23:39", ["1", "2"]),
        ("23:30-23:38", ["1"]),
        ("04:00", []),
        ("mesa-9", ["1", "2"]),  # no such table: the word is told, and limits nothing
    ],
)
def test_what_somebody_remembers_finds_the_coup(archive: Any, line: str, places: list[str]) -> None:
    from urllib.parse import quote

    page = rosa(archive).get(f"/review/search?q={quote(line)}").text
    assert re.findall(r'<tr class="coup-row[^>]*coups/(\d+)"', page) == places
    assert ("Not understood" in page) == ("mesa-9" in line)


def test_a_line_that_fits_one_coup_leads_there(archive: Any) -> None:
    me = rosa(archive)
    answer = me.get("/review/search?q=seat%204%201500..2500&go=1")
    assert (answer.status, answer.headers["location"]) == (303, COUP)
    assert me.get("/review/search?q=seat%204&go=1").status == 200
    assert me.get("/review/search?q=seat%2099&go=1").status == 200


def test_sessions_can_be_listed_by_kind_and_by_what_waits(archive: Any) -> None:
    me = rosa(archive)
    for query, listed in (
        ("", 1),
        ("?kind=review", 1),
        ("?kind=live", 0),
        ("?table=mesa-1", 0),
        ("?open=1", 1),
    ):
        assert me.get(f"/review{query}").text.count("<tr data-href=") == listed, query
    verdict(archive, verdict="confirmed", seen="0")
    assert "<tr data-href=" not in me.get("/review?open=1").text


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ("person=seat4&low=2000", ["1"]),
        ("person=4&high=1500", ["2"]),
        ("verdict=broken&state=open", ["1"]),
        ("state=dismissed", []),
        ("since=2026-03-01&until=2026-03-01&from=23:40&to=23:50", ["2"]),
        ("from=23:00&to=01:00", ["1", "2"]),
        ("table=mesa-1", []),
        ("code=PAYOUT_WRONG&person=croupier", ["1"]),
    ],
)
def test_filters_limit_together(archive: Any, query: str, places: list[str]) -> None:
    page = rosa(archive).get(f"/review/search?{query}").text
    assert re.findall(r'<tr class="coup-row[^>]*coups/(\d+)"', page) == places


def test_a_coup_says_what_was_required_due_and_done(archive: Any) -> None:
    page = rosa(archive).get(COUP).text
    assert "What the rules required" in page and "free (cuadro: P1 T, P2 T)" in page
    row = page[page.index('id="stake-b1"') :].partition("</tr>")[0]
    for words in ("seat 4", "half line, paño 1", "P1", "−1\u202f000", "−2\u202f000", "breaks"):
        assert words in row
    assert f'href="{COUP}/what-if?event={TURN}"' in page


def test_who_only_watches_sees_the_coup_and_no_way_to_change_it(archive: Any) -> None:
    page = archive.signed_in(Role.OPERATOR).get(COUP).text
    assert "what-if" not in page and "/verdict" not in page


def what_if(archive: Any, **fields: str) -> Any:
    return rosa(archive).post(f"{COUP}/what-if", fields)


def test_a_misread_card_is_tried_seen_and_saved(archive: Any) -> None:
    me = rosa(archive)
    form = me.get(f"{COUP}/what-if?event={TURN}").text
    assert 'name="field-shows"' in form and "None of this is saved" in form
    before = folder(archive).journal.read_bytes()
    fields = {"about": TURN, "field-shows": "2C", "field-card": "c9", "field-t": "54"}
    page = me.post(f"{COUP}/what-if", fields).text
    assert "With the changes" in page and "goes away" not in page and "In other coups" in page
    assert "CAGNOTTE" not in page and page.count("fate-new") == 4
    assert folder(archive).journal.read_bytes() == before
    draft = re.search(r'name="draft" value="([^"]*)"', page)
    assert draft is not None
    words = draft.group(1).replace("&#34;", '"')
    answer = me.post(f"{COUP}/corrections", {"draft": words, "seen": LAST, "reason": "it is a two"})
    assert (answer.status, answer.headers["location"]) == (303, f"{COUP}?saved=1")
    assert "2♣" in me.get(COUP).text
    (entry,) = archive.door.audit.entries(Filter(act="corrected record"))
    assert entry.who == "reviewer" and "it is a two" in entry.detail and entry.subject == f"{SESSION}/1"


def test_a_stake_can_be_taken_back_and_another_added(archive: Any) -> None:
    page = what_if(archive, about=STAKE, remove="1").text
    assert "taken back:" in page and "goes away" in page
    added = what_if(
        archive, about="0", event="bet_placed",
        **{"field-zone": "P2", "field-amount": "500", "field-seat": "6", "field-t": "16"},
    ).text  # fmt: skip
    assert "added:" in added and "bet of 500, paño 2 (seat 6)" in added
    moved = what_if(archive, about=STAKE, **{"field-zone": "P1", "field-amount": "2000", "field-t": "18"})
    assert moved.text.count('class="changes"') == 1 and "→" in moved.text
    later = what_if(archive, about=STAKE, **{"field-zone": "P1", "field-amount": "2000", "field-t": "40"})
    assert "taken back:" in later.text and "added:" in later.text, "another time is another event"


def test_a_change_that_was_tried_can_be_undone(archive: Any) -> None:
    page = what_if(archive, draft=NO_BET, drop="0").text
    assert "Changes tried" not in page and "With the changes" not in page


def test_the_second_tab_is_told_and_keeps_what_it_wrote(archive: Any) -> None:
    me, eva = rosa(archive), rosa(archive)
    fields = {"seen": LAST, "reason": "mine"}
    assert me.post(f"{COUP}/corrections", {**fields, "draft": NO_BET}).status == 303
    kept = folder(archive).journal.read_bytes()
    other = '[{"corrects":8}]'
    answer = eva.post(f"{COUP}/corrections", {**fields, "draft": other, "reason": "my own reason"})
    assert answer.status == 409 and "NOT saved" in answer.text
    assert folder(archive).journal.read_bytes() == kept
    assert other.replace('"', "&#34;") in answer.text, "the changes are still there to be looked at again"
    again = eva.post(f"{COUP}/what-if", {"draft": other}).text
    seen = re.search(r'name="seen" value="(\d+)"', again)
    assert seen is not None and int(seen.group(1)) == int(LAST) + 1
    assert eva.post(f"{COUP}/corrections", {**fields, "draft": other, "seen": seen.group(1)}).status == 303


def test_a_running_session_is_the_tables_own(archive: Any) -> None:
    import os
    import time

    Pulse(archive.data, "mesa-3").beat(Heartbeat(SESSION, os.getpid(), time.time(), 9.0, time.time(), {}))
    fields = {"draft": NO_BET, "seen": LAST, "reason": "now"}
    answer = rosa(archive).post(f"{COUP}/corrections", fields)
    assert answer.status == 409 and "running" in answer.text
    assert read_night(folder(archive)).last_id == int(LAST)


def verdict(archive: Any, **fields: str) -> Any:
    return rosa(archive).post(f"/review/{SESSION}/findings/1/verdict", fields)


def test_a_ruling_is_written_down_shown_and_audited(archive: Any) -> None:
    words = "Se devuelven 1000 al asiento 4: la línea juega la mitad."
    assert verdict(archive, verdict="ruling", reason=words, seen="0", place="1").status == 303
    (row,) = archive.store.decisions(SESSION)
    assert (row.action, row.reason, row.who) == ("rule", words, "reviewer")
    page = rosa(archive).get(COUP).text
    assert words in page and "inspector&#39;s ruling" in page.lower()
    (entry,) = archive.door.audit.entries(Filter(act="verdict ruling"))
    assert entry.detail == words
    found = rosa(archive).get("/review/search?state=ruled").text
    assert "coups/1" in found


def test_two_who_decide_at_once_do_not_overwrite_each_other(archive: Any) -> None:
    assert verdict(archive, verdict="confirmed", seen="0").status == 303
    answer = verdict(archive, verdict="dismissed", reason="a long thought", seen="0")
    assert answer.status == 409 and "a long thought" in answer.text
    assert [each.action for each in archive.store.decisions(SESSION)] == ["accept"]
    assert verdict(archive, verdict="dismissed", reason="a long thought", seen="1").status == 303


def test_a_corrected_verdict_is_open_again(archive: Any) -> None:
    verdict(archive, verdict="dismissed", reason="no", seen="0")
    fields = {"draft": NO_BET, "seen": LAST, "reason": "no such stake"}
    assert rosa(archive).post(f"{COUP}/corrections", fields).status == 303
    row = archive.store.finding(SESSION, 1)
    assert row is not None and row.verdict == "withdrawn"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, 422),
        ({"verdict": "guilty", "seen": "0"}, 422),
        ({"verdict": "dismissed", "seen": "0"}, 422),
        ({"verdict": "ruling", "seen": "0", "reason": " "}, 422),
        ({"verdict": "ruling", "seen": "0", "reason": "x" * 2001}, 422),
        ({"verdict": "confirmed"}, 422),
        ({"verdict": "confirmed", "seen": "-1"}, 422),
        ({"verdict": "confirmed", "seen": "٣"}, 422),
        ({"verdict": "confirmed", "seen": "9" * 5000}, 422),
    ],
)
def test_verdicts_that_make_no_sense_are_none(archive: Any, fields: dict[str, str], status: int) -> None:
    assert verdict(archive, **fields).status == status
    assert archive.store.decisions(SESSION) == []


@pytest.mark.parametrize(
    ("path", "fields", "status"),
    [
        ("what-if", {"draft": "{"}, 422),
        ("what-if", {"draft": "[" * 3000}, 422),
        ("what-if", {"draft": '[{"corrects":1}]'}, 422),
        ("what-if", {"draft": '[{"corrects":99999}]'}, 422),
        ("what-if", {"about": "99999", "remove": "1"}, 422),
        ("what-if", {"about": "0", "remove": "1"}, 422),
        ("what-if", {"about": "x"}, 422),
        ("what-if", {"about": TURN, "field-shows": "1Z", "field-card": "c9"}, 422),
        ("what-if", {"about": TURN, "field-shows": "2C", "field-card": "c9", "field-t": "1e9"}, 422),
        ("what-if", {"about": TURN, "field-shows": "2C", "field-card": "c9", "field-t": "9999999"}, 422),
        ("what-if", {"about": STAKE, "field-zone": "P1", "field-amount": "-5"}, 422),
        ("what-if", {"about": STAKE, "field-zone": "P1", "field-amount": "NaN"}, 422),
        ("what-if", {"about": "0", "event": "session_opened", "field-t": "3"}, 422),
        ("what-if", {"about": "0", "event": "event_corrected", "field-t": "3"}, 422),
        (
            "what-if",
            {"about": "0", "event": "ruling", "field-by": "x", "field-text": "a\x00", "field-t": "3"},
            422,
        ),
        ("what-if", {"add": "launch"}, 422),
        ("corrections", {}, 422),
        ("corrections", {"draft": "[]", "seen": LAST, "reason": "x"}, 422),
        ("corrections", {"draft": NO_BET, "seen": LAST}, 422),
        ("corrections", {"draft": NO_BET, "seen": LAST, "reason": "x" * 501}, 422),
        ("corrections", {"draft": NO_BET, "reason": "x"}, 422),
        ("corrections", {"draft": NO_BET, "seen": "7", "reason": "x"}, 409),
        ("corrections", {"draft": '[{"corrects":1}]', "seen": LAST, "reason": "x"}, 422),
    ],
)
def test_changes_that_make_no_sense_change_nothing(
    archive: Any, path: str, fields: dict[str, str], status: int
) -> None:
    before = folder(archive).journal.read_bytes()
    assert rosa(archive).post(f"{COUP}/{path}", fields).status == status
    assert folder(archive).journal.read_bytes() == before
    assert rosa(archive).get(COUP).status == 200


@pytest.mark.parametrize(
    "path",
    [
        f"/review/{SESSION}/coups/0",
        f"/review/{SESSION}/coups/3",
        f"/review/{SESSION}/coups/99999999999",
        f"/review/{SESSION}/coups/-1",
        f"/review/{SESSION}/coups/1/video/99.mp4",
        f"/review/{SESSION}/coups/1/video/..%2f..%2f0.mp4",
        "/review/mesa-3/nowhere",
        "/review/mesa-3/..%2f..",
        "/review/..%2f..%2fetc/passwd",
        "/review/%2e%2e/%2e%2e/coups/1",
        "/review/mesa-3/%00/coups/1",
        f"/review/{SESSION}/journal.jsonl",
    ],
)
def test_no_path_of_the_review_leads_elsewhere(archive: Any, path: str) -> None:
    answer = rosa(archive).get(path)
    assert answer.status == 404 and b"root:" not in answer.body


@pytest.mark.parametrize(
    "query",
    [
        "since=yesterday", "since=2026-13-01", "since=9999-99-99", "since=٢٠٢٦-٠٣-٠١", "from=25:00",
        "low=many", "low=-1", "high=1e9", "code=DROP_TABLE", "verdict=guilty", "state=x", "table=../..",
        "q=" + "x" * 201, "person=" + "x" * 201,
    ],
)  # fmt: skip
def test_searches_that_make_no_sense_are_refused(archive: Any, query: str) -> None:
    from urllib.parse import quote

    for page in ("/review", "/review/search", "/review/statistics", "/review/search.csv"):
        assert rosa(archive).get(f"{page}?{quote(query, safe='=/')}").status == 422


@pytest.mark.parametrize(
    "query", ["since=0001-01-01", "until=9999-12-31", "page=999999", "page=-1", "q=%27%20OR%201=1"]
)
def test_odd_searches_are_answered(archive: Any, query: str) -> None:
    assert rosa(archive).get(f"/review/search?{query}").status == 200


def test_what_people_write_is_escaped(archive: Any) -> None:
    words = "<img src=x onerror=alert(1)>"
    verdict(archive, verdict="ruling", reason=words, seen="0")
    added = {"about": "0", "event": "ruling", "field-by": "inspector", "field-text": words, "field-t": "65"}
    for page in (rosa(archive).get(COUP).text, what_if(archive, **added).text):
        assert "<img src=x" not in page and "&lt;img src=x" in page


def test_the_sheet_has_a_line_for_each_finding_and_no_formula(archive: Any) -> None:
    sheet = rosa(archive).get("/review/search.csv?q=mesa-3").text
    lines = sheet.lstrip("\ufeff").splitlines()
    assert lines[0].startswith("table,session,coup") and len(lines) == 3
    assert "PAYOUT_WRONG" in lines[1] and "23:38:10" in lines[1]
    (entry,) = archive.door.audit.entries(Filter(act="exported coups"))
    assert entry.who == "reviewer"


def test_the_sheet_has_every_coup_however_many(archive: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first = folder(archive).path
    for number in range(2, 5):
        shutil.copytree(first, first.with_name(f"{first.name}-{number}"))
        archive.store.reindex(f"{SESSION}-{number}")
    monkeypatch.setattr(search, "MOST_FOUND", 2)  # of one session, as of one search
    sheet = rosa(archive).get("/review/search.csv").text
    assert sheet.count(",PAYOUT_WRONG,") == 4 and len(sheet.splitlines()) == 1 + 4 * 2
    monkeypatch.setattr(sheets, "_PART", 10)  # sent a line at a time
    assert rosa(archive).get("/review/search.csv").text == sheet


def test_statistics_say_how_many_and_how_sure(archive: Any) -> None:
    verdict(archive, verdict="dismissed", reason="no", seen="0")
    page = rosa(archive).get("/review/statistics").text
    assert "100.0 %" in page and "1/1" in page and "20.7 % – 100.0 %" in page
    assert "too few" in page and "Coups an hour" in page
    assert "14:00" not in page and "22:00" in page


@pytest.mark.parametrize(
    ("asked", "status", "told", "body"),
    [
        ("", 200, None, b"0123456789"),
        ("bytes=0-3", 206, "bytes 0-3/10", b"0123"),
        ("bytes=7-", 206, "bytes 7-9/10", b"789"),
        ("bytes=-2", 206, "bytes 8-9/10", b"89"),
        ("bytes=8-99", 206, "bytes 8-9/10", b"89"),
        ("bytes=10-", 416, "bytes */10", b""),
        ("bytes=5-2", 416, "bytes */10", b""),
        ("bytes=-0", 416, "bytes */10", b""),
        ("bytes=0-1,4-5", 200, None, b"0123456789"),
        ("bytes=-", 200, None, b"0123456789"),
        ("lines=0-1", 200, None, b"0123456789"),
        ("bytes=٠-٣", 200, None, b"0123456789"),
    ],
)
def test_ranges(asked: str, status: int, told: str | None, body: bytes) -> None:
    answer = ranged(b"0123456789", asked, "video/mp4")
    assert (answer.status_code, answer.headers.get("content-range"), answer.body) == (status, told, body)
