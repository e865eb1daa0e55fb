"""What somebody may send who means no good, or a program that is broken: refused, logged, alive."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from signing_in import sign_in
from veedor.web.access.audit import Filter, Outcome
from veedor.web.access.people import Role

NAMES = ("a" * 9_000, "", " ", "\x00", "a\r\nb", "<script>", "' OR 1=1 --", "ñ" * 65)
FORM = "application/x-www-form-urlencoded"
ORIGIN = {"origin": "http://127.0.0.1:8443", "accept": "text/html"}


def alive(web: Any) -> None:
    assert web.signed_in(Role.OPERATOR).get("/wall").status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/findings/mesa-1/..%2f..%2f/1/clip.mp4",
        "/findings/..%2f..%2fetc/passwd/1/clip.mp4",
        "/findings/../../1/clip.mp4",
        "/findings/%2e%2e/%2e%2e/1/clip.mp4",
        "/findings/mesa-1/%00/1/still.jpg",
        "/findings/mesa-1/x'%20OR%201=1--/1/clip.mp4",
        "/findings/mesa-1/nowhere/1/still.jpg",
        "/findings/mesa-1/{session}/2/clip.mp4",
        "/findings/mesa-1/{session}/0/clip.mp4",
        "/findings/mesa-1/{session}/-1/clip.mp4",
        "/findings/mesa-1/{session}/99999999999999999999999999/clip.mp4",
        "/findings/mesa-1/{session}/1/clip.mp4/..",
        "/findings/mesa-1/{session}/1/finding.json",
        "/tables/mesa-1/stills/77.jpg",
        "/tables/mesa-1/stills/99999999999999999999999999.jpg",
        f"/tables/mesa-1/stills/{'9' * 5000}.jpg",
        "/tables/mesa-1/stills/%D9%A3.jpg",
        "/tables/..%2f..%2fetc",
        "/tables/mesa-2",
        "/tables/%F0%9F%83%8F",
        "/static/../serve_command.py",
        "/static/%2e%2e/serve_command.py",
        "/accounts.sqlite",
        "/store.sqlite",
    ],
)
def test_no_path_leads_out_of_what_is_served(web: Any, path: str) -> None:
    answer = web.signed_in(Role.OPERATOR).get(path.replace("{session}", web.session))
    assert answer.status == 404
    assert b"root:" not in answer.body and b"SQLite" not in answer.body
    alive(web)


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"content-type": FORM}, b"csrf=" + b"x" * 17_000, 413),
        ({"content-type": FORM, "content-length": "99999999999"}, b"", 413),
        ({"content-type": FORM, "content-length": "-5"}, b"", 400),
        ({"content-type": FORM, "content-length": "many"}, b"", 400),
        ({"content-type": FORM, "content-length": "0"}, b"x" * 20_000, 413),  # says less than it sends
        ({"content-type": FORM}, b"answer", 400),
        ({"content-type": FORM}, b"\xff\xfe\x00", 400),
        ({"content-type": FORM}, b"csrf=%ff%fe", 400),
        ({"content-type": FORM}, b"csrf=1&csrf=2", 400),
        ({"content-type": FORM}, b"&".join(b"a%d=1" % n for n in range(41)), 400),
        ({"content-type": "application/json"}, b'{"answer": "accepted"}', 415),
        ({"content-type": "multipart/form-data; boundary=x"}, b"--x--", 415),
        ({}, b"answer=accepted", 415),
    ],
)
def test_bodies_that_are_none_are_refused(
    web: Any, headers: dict[str, str], body: bytes, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    browser = web.signed_in(Role.OPERATOR)
    path = f"/findings/mesa-1/{web.session}/1/decision"
    with caplog.at_level(logging.WARNING, "veedor.web"):
        answer = browser.ask("POST", path, headers={**ORIGIN, **headers}, body=body)
    assert answer.status == status
    assert f"refused {status} POST {path}" in caplog.text
    assert web.door.audit.entries(Filter())[0].outcome is Outcome.REFUSED
    assert web.store.decisions(f"mesa-1/{web.session}") == []
    alive(web)


def test_a_name_of_a_million_characters_is_too_large_a_form(web: Any) -> None:
    browser = web.stranger()
    browser.get("/sign-in")
    body = b"name=" + b"a" * 1_000_000 + b"&password=x"
    answer = browser.ask("POST", "/sign-in", headers={**ORIGIN, "content-type": FORM}, body=body)
    assert answer.status == 413
    alive(web)


@pytest.mark.parametrize(
    "name", ["a" * 9_000, "", " ", "\x00", "a\r\nb", "<script>", "' OR 1=1 --", "ñ" * 65]
)
def test_names_that_are_none_sign_nobody_in_and_forge_no_line(web: Any, name: str) -> None:
    browser = web.stranger()
    answer = sign_in(browser, name, "x")
    assert answer.status == 401
    (entry,) = web.door.audit.entries(Filter(act="sign-in"))
    assert entry.outcome is Outcome.FAILED
    assert entry.who.isprintable() and len(entry.who) <= 64 * 4
    page = web.signed_in(Role.ADMINISTRATOR).get("/audit").text
    assert "<script>" not in page.replace('<script type="module"', "")


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, 422),
        ({"answer": "deleted"}, 422),
        ({"answer": "dismissed"}, 422),
        ({"answer": "dismissed", "reason": "   "}, 422),
        ({"answer": "dismissed", "reason": "x" * 501}, 422),
        ({"answer": "dismissed", "reason": "put\x00right"}, 422),
        ({"answer": "dismissed", "reason": "put \u202eright"}, 422),
    ],
)
def test_decisions_that_make_no_sense_are_none(web: Any, fields: dict[str, str], status: int) -> None:
    path = f"/findings/mesa-1/{web.session}/1/decision"
    assert web.signed_in(Role.REVIEWER).post(path, fields).status == status
    assert web.store.decisions(f"mesa-1/{web.session}") == []


@pytest.mark.parametrize("number", [0, 99, 10**12])
def test_nobody_decides_about_what_was_never_found(web: Any, number: int) -> None:
    path = f"/findings/mesa-1/{web.session}/{number}/decision"
    assert web.signed_in(Role.REVIEWER).post(path, {"answer": "accepted"}).status == 404


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"key": "launch"},
        {"key": "said:P3:carta"},
        {"key": "said:P1:money"},
        {"key": "point:P1:10"},
        {"key": "point:P9:4"},
        {"key": "banco"},
        {"key": "banco", "seat": "0"},
        {"key": "banco", "seat": "٣"},
        {"key": "banco", "seat": "9" * 4000},
        {"key": "bank", "amount": "1e9"},
        {"key": "bank", "amount": "-5"},
        {"key": "bank", "amount": "NaN"},
        {"key": "bank", "amount": "9" * 4000},
        {"key": "ruling"},
        {"key": "ruling", "text": "x" * 501},
        {"key": "ruling", "text": "a\x00b"},
        {"key": "ruling", "text": "annulled", "by": "seat3"},
    ],
)
def test_keys_that_are_none_enter_nothing(web: Any, fields: dict[str, str]) -> None:
    answer = web.signed_in(Role.OPERATOR).post("/tables/mesa-1/entries", fields)
    assert answer.status == 422
    assert web.site.commands.events == []


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "POST"])
def test_other_methods_are_not_for_pages(web: Any, method: str) -> None:
    assert web.signed_in(Role.ADMINISTRATOR).ask(method, "/wall", headers=ORIGIN).status == 405


@pytest.mark.parametrize("cookie", ["", "x", "x" * 5000, "ñ", "../../x", "' OR 1=1 --"])
def test_made_up_sessions_hold_nothing(web: Any, cookie: str) -> None:
    browser = web.stranger()
    browser.cookies["veedor"] = cookie.encode("utf-8").decode("latin-1")
    assert browser.get("/wall", accept="*/*").status == 401


def test_foreign_hosts_learn_nothing(web: Any) -> None:
    answer = web.signed_in(Role.OPERATOR).get("/wall", host="evil.example")
    assert answer.status == 421 and "Mesa" not in answer.text


def test_what_people_write_is_escaped_wherever_it_is_shown(web: Any) -> None:
    words = "<img src=x onerror=alert(1)>\"'&"
    path = f"/findings/mesa-1/{web.session}/2/decision"
    operator = web.signed_in(Role.OPERATOR)
    assert operator.post(path, {"answer": "escalated", "reason": words}).status == 303
    web.site.commands.events.clear()
    assert operator.post("/tables/mesa-1/entries", {"key": "ruling", "text": words}).status == 303
    for page in ("/tables/mesa-1", "/handover", f"/findings/mesa-1/{web.session}/2", "/tables/mesa-1/keypad"):
        text = operator.get(page).text
        assert "<img src=x" not in text and "&lt;img src=x onerror=alert(1)&gt;" in text


def test_a_spreadsheet_finds_no_formula_in_an_export(web: Any) -> None:
    path = f"/findings/mesa-1/{web.session}/2/decision"
    reviewer = web.signed_in(Role.REVIEWER)
    reviewer.post(path, {"answer": "escalated", "reason": "=HYPERLINK(1)"})
    sheet = reviewer.get("/handover.csv").text
    assert "'=HYPERLINK(1)" in sheet
    (exported,) = web.door.audit.entries(Filter(act="exported hand-over"))
    assert exported.who == "reviewer"
