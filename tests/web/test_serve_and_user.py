"""`veedor user` and `veedor serve` as they are typed."""

from __future__ import annotations

import contextlib
import getpass
import io
import json
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from signing_in import csrf_in
from veedor.monitor import cli
from veedor.web.access.accounts import Accounts
from veedor.web.access.audit import Audit, Filter
from veedor.web.access.database import AccountsFile
from veedor.web.access.people import Role

PASSWORD = "a long enough secret"


def user(*words: str, data: Path, piped: str = PASSWORD, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO(piped + "\n"))
    return cli.main(["--lang", "en", "user", *words, "--data", str(data)])


def test_accounts_by_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def act(*words: str) -> int:
        return user(*words, data=tmp_path, monkeypatch=monkeypatch)

    assert act("add", "Ana", "--role", "administrator", "--password-stdin") == 0
    assert act("add", "beto", "--role", "operator", "--password-stdin") == 0
    assert act("role", "beto", "--role", "reviewer") == 0
    assert act("password", "beto", "--password-stdin") == 0
    assert act("disable", "beto") == 0
    capsys.readouterr()
    assert act("list", "--json") == 0
    people = json.loads(capsys.readouterr().out)
    assert [(each["name"], each["role"], each["disabled"]) for each in people] == [
        ("ana", "administrator", False),
        ("beto", "reviewer", True),
    ]
    file = AccountsFile(tmp_path / "accounts.sqlite")
    acts = [each.act for each in Audit(file).entries(Filter())]
    file.close()
    assert acts[::-1] == ["account add", "account add", "account role", "account password", "account disable"]


def test_the_data_folder_is_for_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = tmp_path / "there"
    there.mkdir(mode=0o755)
    for data, mode in ((tmp_path / "new" / "data", 0o700), (there, 0o755)):
        words = ("add", "ana", "--role", "administrator", "--password-stdin")
        assert user(*words, data=data, monkeypatch=monkeypatch) == 0
        assert data.stat().st_mode & 0o777 == mode
        assert [each.stat().st_mode & 0o777 for each in data.glob("*.sqlite*")] == [0o600]


@pytest.mark.parametrize(
    ("words", "piped", "told"),
    [
        (("add", "ana", "--role", "operator", "--password-stdin"), "short", "12 to 256 characters"),
        (("add", "a b", "--role", "operator", "--password-stdin"), PASSWORD, "a name has up to 64"),
        (("disable", "nobody"), "", "accounts.sqlite: no such file; `veedor user add` makes the first"),
        (("disable",), "", "a name is missing"),
        (("list", "ana"), "", "list takes no name"),
        (("add", "ana"), "", "--role is missing: operator | reviewer | labeller | administrator"),
        (("role", "ana"), "", "--role is missing"),
        (("disable", "ana", "--role", "operator"), "", "--role goes with add and with role"),
    ],
)
def test_what_cannot_be_is_one_line(
    words: tuple[str, ...],
    piped: str,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert user(*words, data=tmp_path, piped=piped, monkeypatch=monkeypatch) == 2
    shown = capsys.readouterr()
    assert told in shown.err and shown.err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--listen", "0.0.0.0:8443"), "only with --tls-cert and --tls-key, or --behind-proxy"),
        (("--listen", "casino.lan:8443"), "beyond this machine only"),
        (("--listen", "8443"), "HOST:PORT is expected"),
        (("--listen", "127.0.0.1:99999"), "HOST:PORT is expected"),
        (("--tls-cert", "x.pem"), "--tls-cert and --tls-key go together"),
        (("--tls-cert", "x.pem", "--tls-key", "y.pem"), "x.pem: no such file"),
        ((), "no administrator yet: `veedor user add NAME --role administrator"),
    ],
)  # fmt: skip
def test_pages_that_may_not_be_served_are_not(
    options: tuple[str, ...], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["--lang", "en", "serve", "--data", str(tmp_path), *options]) == 2
    shown = capsys.readouterr()
    assert told in shown.err and shown.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "typed", "told", "asked"),
    [
        (("add", "beto", "--role", "operator"), ["short"], "12 to 256 characters", 1),
        (
            ("add", "beto", "--role", "operator"),
            ["beto beto beto"],
            "easily guessed: it needs 4 different",
            1,
        ),
        (("add", "Ana", "--role", "operator"), [], "ana: has an account already", 0),
        (("password", "beto"), [], "beto: has no account", 0),
        (("password", "ana"), ["short"], "12 to 256 characters", 1),
        (("password", "ana"), [PASSWORD, "another long secret"], "they differ", 2),
        (("password", "ana"), [PASSWORD, PASSWORD], "", 2),
    ],
)
def test_nobody_types_a_password_twice_that_cannot_be(
    words: tuple[str, ...],
    typed: list[str],
    told: str,
    asked: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = ("add", "ana", "--role", "administrator", "--password-stdin")
    assert user(*first, data=tmp_path, monkeypatch=monkeypatch) == 0
    prompts: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return typed[len(prompts) - 1]

    monkeypatch.setattr(getpass, "getpass", ask)
    assert user(*words, data=tmp_path, monkeypatch=monkeypatch) == (2 if told else 0)
    assert told in capsys.readouterr().err and len(prompts) == asked


def test_the_pages_are_served_until_told_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("add", "ana", "--role", "administrator", "--password-stdin")
    assert user(*words, data=tmp_path, monkeypatch=monkeypatch) == 0
    command = [sys.executable, "-m", "veedor.monitor.cli", "--lang", "en", "serve", "--data", str(tmp_path)]
    command += ["--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None and program.stderr is not None
        address = re.match(r"(http://127\.0\.0\.1:\d+)/", program.stdout.readline())
        assert address is not None, program.stderr.read()
        with httpx.Client(base_url=address.group(1)) as browser:
            token = csrf_in(browser.get("/sign-in").text)
            fields = {"csrf": token, "name": "ana", "password": PASSWORD}
            answer = browser.post("/sign-in", data=fields, headers={"origin": address.group(1)})
            assert answer.status_code == 303
            assert "There is no table yet" in browser.get("/wall").text
        # A plain copy of the file, taken in the midst of it, has the accounts made since.
        assert user("add", "beto", "--role", "operator", "--password-stdin", data=tmp_path,
                    monkeypatch=monkeypatch) == 0  # fmt: skip
        assert "beto" in people_of(shutil.copy(tmp_path / "accounts.sqlite", tmp_path / "copy.sqlite"))
        program.send_signal(signal.SIGTERM)
        assert program.wait(timeout=20) == 0
        assert "Traceback" not in program.stderr.read()
    # In order: the log says so, and nothing is left beside the files.
    assert not [*tmp_path.glob("*-wal")]
    file = AccountsFile(tmp_path / "accounts.sqlite")
    assert next(each.act for each in Audit(file).entries(Filter())) == "pages end"
    file.close()


def people_of(path: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(path)) as link:
        return [name for (name,) in link.execute("SELECT name FROM people")]


def test_a_plain_copy_of_the_file_has_what_was_just_changed(tmp_path: Path) -> None:
    """Also while another process has it open: nothing that was answered lies in the log alone."""
    first, second = (AccountsFile(tmp_path / "accounts.sqlite") for _ in range(2))
    Accounts(first).add("ana", Role.ADMINISTRATOR, PASSWORD)
    Accounts(second).add("beto", Role.OPERATOR, PASSWORD)
    assert people_of(shutil.copy(first.path, tmp_path / "copy.sqlite")) == ["ana", "beto"]
    first.close()
    assert people_of(shutil.copy(first.path, tmp_path / "later.sqlite")) == ["ana", "beto"]
    second.close()
    second.close()
