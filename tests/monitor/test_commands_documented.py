"""docs/commands.md tells of every command and every option."""

from __future__ import annotations

import argparse
import importlib
import re
from pathlib import Path

import pytest
from veedor.monitor import cli

DOCS = (Path(__file__).resolve().parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
EVERYWHERE = {"--help", "--lang"}


def section(name: str) -> str:
    found = re.search(rf"^## veedor {name}$(.*?)(?=^## |\Z)", DOCS, flags=re.DOTALL | re.MULTILINE)
    assert found is not None, f"docs/commands.md has no section on veedor {name}"
    return found.group(1)


def options_of(command: cli.Command) -> set[str]:
    subparsers = argparse.ArgumentParser().add_subparsers()
    importlib.import_module(command.module).add_parser(subparsers)
    parser: argparse.ArgumentParser = subparsers.choices[command.name]
    return {option for action in parser._actions for option in action.option_strings if len(option) > 2}


@pytest.mark.parametrize("command", cli.COMMANDS, ids=lambda command: command.name)
def test_every_option_is_documented(command: cli.Command) -> None:
    told = section(command.name)
    missing = {option for option in options_of(command) - EVERYWHERE if f"`{option}" not in told}
    assert not missing


@pytest.mark.parametrize("command", cli.COMMANDS, ids=lambda command: command.name)
def test_no_option_is_documented_that_there_is_not(command: cli.Command) -> None:
    told = set(re.findall(r"`(--[a-z-]+)", section(command.name)))
    assert told <= options_of(command) | {"--events"}


def test_no_command_is_documented_that_there_is_not() -> None:
    assert set(re.findall(r"^## veedor (\w+)$", DOCS, flags=re.MULTILINE)) == {
        each.name for each in cli.COMMANDS
    }
