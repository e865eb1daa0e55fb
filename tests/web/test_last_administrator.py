"""Somebody is always left in charge, whoever changes accounts; and what only reads accounts makes none."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from veedor.monitor import cli
from veedor.web.access.accounts import Accounts, LastAdministrator
from veedor.web.access.database import AccountsFile
from veedor.web.access.people import Role

PASSWORD = "a long enough secret"


def accounts_of(data: Path) -> Accounts:
    return Accounts(AccountsFile(data / "accounts.sqlite"))


@pytest.mark.parametrize("words", [("disable", "ana"), ("role", "ana", "--role", "reviewer")])
def test_the_command_line_keeps_the_last_administrator(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    accounts = accounts_of(tmp_path)
    accounts.add("ana", Role.ADMINISTRATOR, PASSWORD)
    accounts.add("beto", Role.ADMINISTRATOR, PASSWORD)
    accounts.disable("beto")
    command = ["--lang", "en", "user", *words, "--data", str(tmp_path)]
    assert cli.main(command) == 2
    assert capsys.readouterr().err == "veedor user: ana: no administrator would be left\n"
    assert [(each.name, each.role, each.disabled) for each in accounts.people()] == [
        ("ana", Role.ADMINISTRATOR, False), ("beto", Role.ADMINISTRATOR, True),
    ]  # fmt: skip
    accounts.disable("beto", disabled=False)
    assert cli.main(command) == 0


def test_a_site_without_any_administrator_can_still_be_put_right(tmp_path: Path) -> None:
    accounts = accounts_of(tmp_path)
    accounts.add("caro", Role.OPERATOR, PASSWORD)
    accounts.set_role("caro", Role.REVIEWER)
    accounts.set_role("caro", Role.ADMINISTRATOR)
    with pytest.raises(LastAdministrator):
        accounts.set_role("caro", Role.OPERATOR)


@pytest.mark.parametrize(
    ("act", "fields"), [("disable", {}), ("role", {"role": "operator"})], ids=lambda value: str(value)
)
def test_the_pages_have_the_same_rule(web: Any, act: str, fields: dict[str, str]) -> None:
    answer = web.signed_in(Role.ADMINISTRATOR).post(f"/accounts/administrator/{act}", fields)
    assert answer.status == 409 and "no administrator would be left" in answer.text
    person = web.door.accounts.find("administrator")
    assert person.role is Role.ADMINISTRATOR and not person.disabled


READING = [
    ("user", "list", "--data", "typo"), ("user", "list", "--json", "--data", "typo"),
    ("user", "password", "ana", "--data", "typo", "--password-stdin"),
    ("user", "role", "ana", "--role", "operator", "--data", "typo"),
    ("user", "disable", "ana", "--data", "typo"),
    ("user", "enable", "ana", "--data", "typo"), ("user", "list", "--data", "there"),
    ("serve", "--data", "typo"), ("serve", "--data", "there"), ("bus", "listen", "--data", "typo"),
    ("bus", "listen", "--data", "typo", "--table", "m1"), ("bus", "keys", "--data", "typo"),
    ("bus", "keys", "--client", "box", "--data", "typo"), ("store", "check", "--data", "typo"),
    ("store", "rebuild", "--data", "typo"), ("watch", "--config", "typo.toml"),
    ("doctor", "--config", "typo.toml"),
    ("watch", "typo.mp4", "--table", "typo.toml", "--out", "typo"),
    ("review", "typo.mp4", "--table", "typo.toml", "--out", "typo"),
    ("simulate", "--profile", "typo", "--out", "typo"), ("simulate", "--infraction", "TYPO", "--out", "typo"),
    ("calibrate", "typo.png", "--layout", "dos-panos-10", "--out", "typo/t.toml"),
    ("calibrate", "typo.png", "--layout", "typo", "--out", "typo.toml"),
    ("calibrate", "typo.png", "--check", "typo.toml"),
    ("picture", "typo.png", "--out", "typo/p.png"),
    ("picture", "rtsp://127.0.0.1:9/x", "--out", "typo.png"),
    ("enrol", "chips", "typo.png", "--table", "typo.toml", "--at", "1,2=a:1", "--out", "typo"),
    ("read", "typo.png"), ("check", "typo.jsonl"), ("models", "promote", "typo", "--data", "typo"),
    ("evaluate", "--set", "felt-webcam", "--data", "typo", "--record", "typo.json"),
]  # fmt: skip


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_a_misspelt_folder_or_file_is_told_and_nothing_is_made(
    command: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO(PASSWORD + "\n"))
    assert cli.main(["--lang", "en", *command]) in (1, 2)
    assert [each.name for each in tmp_path.rglob("*")] == ["there"]
    if command[0] != "doctor":
        assert capsys.readouterr().err.count("\n") == 1


def test_without_a_terminal_a_password_is_not_typed_in_the_clear(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "veedor.monitor.cli", "--lang", "en", "user", "add", "ana"]
    command += ["--role", "operator", "--data", str(tmp_path)]
    given = f"{PASSWORD}\n{PASSWORD}\n"
    done = subprocess.run(command, input=given, capture_output=True, text=True, start_new_session=True)
    assert (done.returncode, done.stderr) == (2, "veedor user: no terminal here: use --password-stdin\n")
