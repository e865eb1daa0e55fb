"""argparse for a person at a console: one line for a fault, in their language, and exit status 2."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from veedor.monitor.language import Language, current, text

# argparse's own phrases have no Spanish catalogue in Python's distribution.
_SPANISH = (
    (re.compile(r"^the following arguments are required: (.*)$"), r"faltan argumentos: \1"),
    (re.compile(r"^unrecognized arguments: (.*)$"), r"argumentos desconocidos: \1"),
    (re.compile(r"^argument (.*?): expected (?:one|at least one) argument$"), r"falta el valor de \1"),
    (re.compile(r"^argument (.*?): invalid \w+ value: (.*)$"), r"valor no válido para \1: \2"),
    (
        re.compile(r"^argument (.*?): invalid choice: (.*?) \(choose from (.*)\)$"),
        r"valor no válido para \1: \2 (puede ser \3)",
    ),
    (re.compile(r"^argument (.*?): not allowed with argument (.*)$"), r"\1 no puede usarse junto con \2"),
    (re.compile(r"^one of the arguments (.*) is required$"), r"falta uno de estos argumentos: \1"),
)


def localised(message: str) -> str:
    """argparse's message in the current language, on one line."""
    message = " ".join(message.split())
    if current() is Language.ES:
        for pattern, replacement in _SPANISH:
            if pattern.match(message):
                return pattern.sub(replacement, message)
    return message


def add_data(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """`--data DIR`: the data folder."""
    words = text(es="carpeta de datos", en="data folder")
    parser.add_argument("--data", type=Path, required=required, metavar="DIR", help=words)


def add_json(parser: argparse.ArgumentParser) -> None:
    """`--json`: the result for other programs."""
    parser.add_argument("--json", action="store_true", help=text(es="resultado en JSON", en="print JSON"))


def add_kept_table(parser: argparse.ArgumentParser) -> None:
    """`--table T`: for what tells of a session that may have kept the file of its table, or not."""
    parser.add_argument(
        "--table",
        type=Path,
        metavar="T",
        help=text(
            es="archivo de la mesa, si la sesión no lo guardó",
            en="the table file, where the session has kept none",
        ),
    )


def whole_number(least: int = 0, most: int | None = None) -> Callable[[str], int]:
    """Reads a whole number from `least` to `most`, for argparse."""

    def count(written: str) -> int:
        number = int(written)
        if number < least or (most is not None and number > most):
            raise ValueError(written)
        return number

    return count


class Parser(argparse.ArgumentParser):
    """An argument parser whose usage errors are one line on standard error."""

    def error(self, message: str) -> NoReturn:
        hint = text(es=f"vea {self.prog} --help", en=f"see {self.prog} --help")
        sys.stderr.write(f"{self.prog}: {localised(message)} ({hint})\n")
        raise SystemExit(2)
