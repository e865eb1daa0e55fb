"""Amounts as people write them, in Spanish and in English, where only one reading is possible.

No money has more than two decimals. So three digits behind a point or a comma are thousands in either
language, one or two are decimals, and what could still be both is not guessed at.
"""

from __future__ import annotations

import re
from decimal import Decimal

_SPACES = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f'’](?=\d{3}(?!\d))")
_PLAIN = re.compile(r"(\d+)(?:[.,](\d{1,2}))?", re.ASCII)
_GROUPED = re.compile(r"([1-9]\d{0,2})((?:([.,])\d{3})(?:\3\d{3})*)(?:(?!\3)[.,](\d{1,2}))?", re.ASCII)
_TWO_WAYS = re.compile(r"\d{1,3}(?:[.,]\d{3})+", re.ASCII)
_PROGRAM = re.compile(r"\d+(\.\d{1,2})?", re.ASCII)


class UnclearAmount(ValueError):
    """No amount, or one that can be read in two ways; `es` and `en` say which."""

    def __init__(self, es: str, en: str) -> None:
        super().__init__(en)
        self.es, self.en = es, en


def read_amount(written: str) -> Decimal:
    """`100.000`, `100,000`, `100 000`, `1.234,50`, `1,234.50`, `12,5`, `12.50`; UnclearAmount for the rest.

    >>> read_amount("100.000"), read_amount("1.234,5")
    (Decimal('100000'), Decimal('1234.5'))
    """
    shown = written.strip()
    text = _SPACES.sub("", shown)
    plain = _PLAIN.fullmatch(text)
    if plain is not None:
        return Decimal(plain[1] + (f".{plain[2]}" if plain[2] else ""))
    grouped = _GROUPED.fullmatch(text) if text == shown or not re.search(r"[.,]\d{3}(?!\d)", text) else None
    if grouped is not None:
        whole = grouped[1] + re.sub(r"[.,]", "", grouped[2])
        return Decimal(whole + (f".{grouped[4]}" if grouped[4] else ""))
    if re.fullmatch(r"[\d.,]+", text) and re.search(r"\d", text):
        raise UnclearAmount(
            f"'{shown:.30}' se puede leer de dos maneras: escriba solo cifras, y los céntimos tras una coma",
            f"'{shown:.30}' can be read in two ways: write figures alone, and cents behind a point",
        )
    raise UnclearAmount(f"'{shown:.30}' no es un importe", f"'{shown:.30}' is no amount")


def as_program(written: str) -> tuple[str, str] | None:
    """Why a program may not send an amount so (Spanish, English); None where it may.

    A program writes a decimal point: its `100.000` may be one hundred or, passed on from a person, a
    hundred thousand.
    """
    text = written.strip()
    if _PROGRAM.fullmatch(text):
        return None
    if _TWO_WAYS.fullmatch(text):
        parts = re.split(r"[.,]", text)
        readings = {"".join(parts), parts[0]} if len(parts) == 2 and not int(parts[1]) else {"".join(parts)}
        hint_es, hint_en = " o ".join(sorted(readings)), " or ".join(sorted(readings))
        return (
            f"'{text:.30}' se puede leer de dos maneras: escriba {hint_es}",
            f"'{text:.30}' can be read in two ways: write {hint_en}",
        )
    return (
        f"se esperaban cifras con hasta dos decimales tras un punto, y hay '{text:.30}'",
        f"expected figures with at most two decimals behind a point, found '{text:.30}'",
    )
