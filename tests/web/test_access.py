"""Accounts, passwords, sessions, throttle and audit log."""

from __future__ import annotations

import logging
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from signing_in import csrf_in, sign_in
from veedor.web.access.accounts import Accounts
from veedor.web.access.audit import Audit, Entry, Filter, Outcome
from veedor.web.access.database import AccountsFile
from veedor.web.access.people import AccountFault, Role
from veedor.web.access.sessions import ABSOLUTE, IDLE, MOST_OF_ONE
from veedor.web.access.throttle import PER_ACCOUNT, PER_ADDRESS, WINDOW_S, Throttle
from veedor.web.door import GuardedDoor

PASSWORD = "a long enough secret"


def test_a_password_is_kept_as_argon2id_and_nowhere_else(
    door: GuardedDoor, accounts_file: AccountsFile
) -> None:
    stored = accounts_file.rows("SELECT password FROM people")
    assert all(row[0].startswith("$argon2id$") and PASSWORD not in row[0] for row in stored)
    assert accounts_file.path.stat().st_mode & 0o077 == 0


def test_who_signs_in_gets_a_session_that_scripts_and_other_sites_do_not(web: Any) -> None:
    browser = web.stranger()
    answer = sign_in(browser, "Operator", PASSWORD)
    assert (answer.status, answer.headers["location"]) == (303, "/")
    (cookie,) = [each for each in answer.set_cookies if each.startswith("veedor=")]
    assert {"httponly", "samesite=strict", "path=/"} <= {part.strip().lower() for part in cookie.split(";")}
    assert browser.get("/wall").status == 200
    assert web.door.audit.entries(Filter(act="sign-in"))[0].outcome is Outcome.DONE


def test_over_tls_the_session_never_leaves_it(web: Any) -> None:
    from veedor.web.app import AppSetting, create_app

    web.app = create_app(web.site, web.door, AppSetting(secure=True))
    browser = web.stranger()
    answer = browser.get("/sign-in")
    assert all("secure" in cookie.lower() for cookie in answer.set_cookies)
    assert "max-age" in answer.headers["strict-transport-security"]
    body = f"csrf={csrf_in(answer.text)}&name=operator&password={PASSWORD.replace(' ', '+')}".encode()
    headers = {"content-type": "application/x-www-form-urlencoded", "origin": "https://127.0.0.1:8443"}
    answer = browser.ask("POST", "/sign-in", headers=headers, body=body)
    assert answer.status == 303
    (cookie,) = [each for each in answer.set_cookies if each.startswith("__Host-veedor=")]
    assert "secure" in cookie.lower() and "path=/" in cookie.lower() and "domain" not in cookie.lower()


@pytest.mark.parametrize(
    ("name", "password"), [("operator", "not it"), ("nobody", PASSWORD), ("operator", "")]
)
def test_wrong_name_and_wrong_password_get_the_same_answer(web: Any, name: str, password: str) -> None:
    browser = web.stranger()
    answer = sign_in(browser, name, password)
    assert answer.status == 401 and "veedor" not in browser.cookies
    assert "Name or password is not right" in answer.text


def test_signing_in_needs_the_door_s_own_token(web: Any) -> None:
    browser = web.stranger()
    assert browser.post("/sign-in", {"name": "operator", "password": PASSWORD}).status == 403
    browser.get("/sign-in")
    fields = {"csrf": "0" * 64, "name": "operator", "password": PASSWORD}
    assert browser.post("/sign-in", fields).status == 403


def test_guessing_one_account_s_password_is_slowed_down_whatever_the_guess(web: Any) -> None:
    browser = web.stranger()
    for _ in range(PER_ACCOUNT):
        assert sign_in(browser, "operator", "not it").status == 401
    answer = sign_in(browser, "operator", PASSWORD)
    assert answer.status == 429 and 0 < int(answer.headers["retry-after"]) <= WINDOW_S
    assert len(web.door.audit.entries(Filter(act="sign-in"))) == PER_ACCOUNT, "knocking on fills no disk"
    assert sign_in(web.stranger(), "reviewer", PASSWORD).status == 303
    web.clock.pass_by(seconds=WINDOW_S + 1)
    assert sign_in(browser, "operator", PASSWORD).status == 303


def test_a_new_password_by_the_administrator_lets_in_who_was_slowed_down(web: Any) -> None:
    browser = web.stranger()
    for _ in range(PER_ACCOUNT):
        assert sign_in(browser, "operator", "not it").status == 401
    assert sign_in(browser, "operator", PASSWORD).status == 429
    web.door.accounts.set_password("operator", "another long secret")
    assert sign_in(browser, "operator", "another long secret").status == 303


def test_an_address_that_tries_many_names_is_slowed_down_too() -> None:
    now = [0.0]
    throttle = Throttle(lambda: now[0])
    for number in range(PER_ADDRESS):
        assert throttle.wait_s(f"name{number}", "192.0.2.7") == 0
        throttle.failed(f"name{number}", "192.0.2.7")
    assert throttle.wait_s("another", "192.0.2.7") == WINDOW_S
    assert throttle.wait_s("another", "192.0.2.8") == 0
    throttle.succeeded("another")
    assert throttle.wait_s("another", "192.0.2.7") == WINDOW_S
    now[0] = WINDOW_S
    assert throttle.wait_s("another", "192.0.2.7") == 0


def test_the_throttle_remembers_no_more_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veedor.web.access.throttle.MOST_KEPT", 50)
    throttle = Throttle(lambda: 0.0)
    for number in range(500):
        throttle.failed(f"name{number}", f"192.0.2.{number}")
    assert len(throttle._failures) == 50


def test_a_session_ends_when_nobody_is_there_and_after_a_shift(web: Any) -> None:
    idle, busy = web.signed_in(Role.OPERATOR), web.signed_in(Role.OPERATOR)
    for _ in range(int(ABSOLUTE / (IDLE / 2)) - 1):
        web.clock.pass_by(seconds=IDLE.total_seconds() / 2)
        assert busy.get("/wall").status == 200
    assert idle.get("/wall", accept="*/*").status == 401
    web.clock.pass_by(seconds=IDLE.total_seconds() / 2 + 1)
    assert busy.get("/wall", accept="*/*").status == 401


@pytest.mark.parametrize("act", ["disable", "role", "password", "sign-out"])
def test_what_an_administrator_takes_away_is_gone_at_once(web: Any, act: str) -> None:
    operator, administrator = web.signed_in(Role.OPERATOR), web.signed_in(Role.ADMINISTRATOR)
    fields = {"role": "reviewer", "password": "another long secret"}
    assert administrator.post(f"/accounts/operator/{act}", fields).status == 303
    assert operator.get("/wall", accept="*/*").status == 401
    assert web.door.audit.entries(Filter(act=f"account {act}"))[0].who == "administrator"


def test_an_open_stream_ends_with_its_session(web: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    from veedor.web.streams import Holding, Source, changes

    monkeypatch.setattr("veedor.web.streams._STILL_ALLOWED_S", 0.0)
    browser = web.signed_in(Role.OPERATOR)

    async def read() -> list[str]:
        lines = []
        source = Source(lambda: 1, lambda: {"status": "x"}, look_s=0.01)
        async for line in changes(source, Holding(web.door, browser.cookies["veedor"])):
            lines.append(line)
            web.door.sessions.end_all("operator")
        return lines

    assert asyncio.run(read())[-1].startswith("event: signed-out")


def test_signing_out_ends_the_session_and_not_only_the_cookie(web: Any) -> None:
    browser = web.signed_in(Role.OPERATOR)
    token = browser.cookies["veedor"]
    assert browser.post("/sign-out").status == 303
    assert web.door.sessions.holder(token) is None


def test_a_password_given_by_somebody_else_opens_only_the_page_to_change_it(web: Any) -> None:
    web.door.accounts.add("new", Role.OPERATOR, PASSWORD, must_change=True)
    browser = web.stranger()
    assert sign_in(browser, "new", PASSWORD).headers["location"] == "/account"
    assert browser.get("/wall").headers["location"] == "/account"
    assert browser.get("/wall/state", accept="*/*").status == 403
    change = {"old": PASSWORD, "new": "my own long secret", "again": "my own long secret"}
    assert browser.post("/account/password", change | {"new": PASSWORD, "again": PASSWORD}).status == 422
    assert browser.post("/account/password", change).status == 303
    assert sign_in(web.stranger(), "new", "my own long secret").headers["location"] == "/"


def test_the_last_administrator_stays_one(web: Any) -> None:
    browser = web.signed_in(Role.ADMINISTRATOR)
    assert browser.post("/accounts/administrator/disable").status == 409
    assert browser.post("/accounts/administrator/role", {"role": "operator"}).status == 409
    web.door.accounts.add("second", Role.ADMINISTRATOR, PASSWORD)
    assert browser.post("/accounts/administrator/disable").status == 303


@pytest.mark.parametrize("password", ["short", "x" * 257, "aaaaaaaaaaaaaa", "my-operator-1"])
def test_passwords_that_are_too_easy_are_none(door: GuardedDoor, password: str) -> None:
    with pytest.raises(AccountFault):
        door.accounts.set_password("operator", password)


@pytest.mark.parametrize("name", ["", "a b", "-x", "x" * 65, "a/b", "../x", "a\nb", "<b>"])
def test_names_that_are_none_make_no_account(door: GuardedDoor, name: str) -> None:
    with pytest.raises(AccountFault):
        door.accounts.add(name, Role.OPERATOR, PASSWORD)


def test_a_name_is_one_however_it_is_written(door: GuardedDoor) -> None:
    door.accounts.add("Íñigo", Role.OPERATOR, PASSWORD)
    for written in ("íñigo", "I\u0301n\u0303igo", " ÍÑIGO "):
        person = door.accounts.proven(written, PASSWORD)
        assert person is not None and person.name == "íñigo"
    with pytest.raises(AccountFault, match="has an account already"):
        door.accounts.add("íñigo", Role.REVIEWER, PASSWORD)


def test_nobody_holds_more_sessions_than_he_can_have_browsers(door: GuardedDoor) -> None:
    person = door.accounts.find("operator")
    assert person is not None
    for _ in range(MOST_OF_ONE + 5):
        door.sessions.begin(person, "")
    assert len(door.sessions.open()) == MOST_OF_ONE


def test_the_audit_log_can_be_added_to_and_nothing_else(
    door: GuardedDoor, accounts_file: AccountsFile
) -> None:
    door.audit.note(Entry("operator", "192.0.2.7", "saw wall"))
    for change in ("UPDATE audit SET who = 'x'", "DELETE FROM audit"):
        with (
            pytest.raises(sqlite3.IntegrityError, match="the audit log stands"),
            accounts_file.changing() as link,
        ):
            link.execute(change)
    assert [each.who for each in door.audit.entries(Filter())] == ["operator"]


def test_the_audit_log_is_paged_and_filtered(door: GuardedDoor) -> None:
    for number in range(2500):
        door.audit.note(Entry(f"person{number % 2}", "", "saw wall" if number % 3 else "sign-in"))
    assert len(list(door.audit.everything(Filter()))) == 2500
    assert len(list(door.audit.everything(Filter(who="person1", act="sign-in")))) == 417
    first = door.audit.entries(Filter())
    assert door.audit.entries(Filter(before=first[-1].id))[0].id == first[-1].id - 1


def test_one_look_is_one_line(web: Any) -> None:
    browser = web.signed_in(Role.REVIEWER)
    clip = f"/findings/mesa-1/{web.session}/1/clip.mp4"
    for _ in range(5):
        assert browser.get(clip, range="bytes=0-99").status == 206
    seen = web.door.audit.entries(Filter(act="saw clip"))
    assert [(each.who, each.subject) for each in seen] == [("reviewer", f"mesa-1/{web.session}/1")]


def test_two_processes_share_the_file(tmp_path: Path, door: GuardedDoor, accounts_file: AccountsFile) -> None:
    other = AccountsFile(accounts_file.path)
    try:
        theirs = Audit(other)
        threads = [
            threading.Thread(target=lambda log=log: [log.note(Entry("a", "", "act")) for _ in range(40)])
            for log in (door.audit, theirs)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(theirs.entries(Filter(act="act"), 1000)) == 80
        Accounts(other).disable("operator")
        assert door.accounts.proven("operator", PASSWORD) is None
    finally:
        other.close()


def test_a_file_that_is_none_is_one_line(tmp_path: Path) -> None:
    from veedor.monitor.errors import UsageFault

    path = tmp_path / "accounts.sqlite"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(UsageFault, match=r"accounts\.sqlite: cannot be used"):
        AccountsFile(path)


def test_who_has_not_signed_in_yet_is_no_warning_and_a_hostile_try_is(
    web: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "veedor.web"):
        assert web.stranger().get("/").status == 303
        assert {each.levelno for each in caplog.records} == {logging.INFO}
        caplog.clear()
        assert web.stranger().get("/wall", accept="application/json").status == 401
        assert web.stranger().post("/accounts", {"name": "x"}).status == 401
        assert web.signed_in(Role.OPERATOR).get("/accounts").status == 403
    assert [each.levelno for each in caplog.records if "refused" in each.message] == [logging.WARNING] * 3
