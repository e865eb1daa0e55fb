"""docs/first-hour.md: its commands are commands, with options that there are, and its tables.toml is read."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from veedor.monitor import cli
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.ops.config import read_config

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "first-hour.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE, flags=re.DOTALL)
LINES = [line for block in BLOCKS for line in block.replace("\\\n", " ").splitlines()]
COMMANDS = [line for line in LINES if line.startswith("veedor ") and line != "veedor --version"]


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_of_the_page_can_be_given_so(line: str) -> None:
    words = shlex.split(line)[1:]
    command = next(each for each in cli.COMMANDS if each.name == words[0])
    parser = cli._parser(command, cli._load(command))
    parser.parse_args(words)


def test_the_page_goes_the_whole_way() -> None:
    told = {shlex.split(line)[1] for line in COMMANDS}
    assert told >= {"doctor", "picture", "calibrate", "enrol", "watch", "user"}


def test_the_service_of_the_page_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MESA_3", "user:password")
    (config,) = re.findall(r"cat > tables.toml <<'END'\n(.*?)END\n", PAGE, flags=re.DOTALL)
    (tmp_path / "tables.toml").write_text(config, encoding="utf-8")
    shutil.copy(bundled_clip("demo").table, tmp_path / "mesa-3.toml")
    for name in ("cert.pem", "key.pem"):
        (tmp_path / name).write_text("")
    try:
        read = read_config(tmp_path / "tables.toml")
    except Exception as fault:  # the certificate is looked at as well, and this one is none
        assert "cert.pem" in str(fault) or "key.pem" in str(fault)
    else:
        assert read.tables[0].live


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#]+)\)", PAGE))))
def test_every_link_of_the_page_leads_somewhere(link: str) -> None:
    assert (DOCS / link).exists()
