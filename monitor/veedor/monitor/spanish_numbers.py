"""Amounts and points as a Spanish-speaking dealer says them, or as a transcript writes them in figures."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

from veedor.monitor.written_amounts import UnclearAmount, read_amount

_UNITS = {
    "cero": 0, "un": 1, "uno": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6,
    "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "once": 11, "doce": 12, "trece": 13, "catorce": 14,
    "quince": 15, "dieciseis": 16, "diecisiete": 17, "dieciocho": 18, "diecinueve": 19, "veinte": 20,
    "veintiun": 21, "veintiuno": 21, "veintiuna": 21, "veintidos": 22, "veintitres": 23,
    "veinticuatro": 24, "veinticinco": 25, "veintiseis": 26, "veintisiete": 27, "veintiocho": 28,
    "veintinueve": 29,
}  # fmt: skip
_TENS = {
    "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "setenta": 70, "ochenta": 80,
    "noventa": 90,
}  # fmt: skip
_HUNDREDS = {
    "cien": 100, "ciento": 100, "doscientos": 200, "trescientos": 300, "cuatrocientos": 400,
    "quinientos": 500, "seiscientos": 600, "setecientos": 700, "ochocientos": 800, "novecientos": 900,
}  # fmt: skip
_HUNDREDS |= {word[:-2] + "as": value for word, value in _HUNDREDS.items() if word.endswith("os")}
_SMALL = _UNITS | _TENS | _HUNDREDS
_SCALES = {"mil": 1_000, "millon": 1_000_000, "millones": 1_000_000}

_DASH = "-\u2010-\u2015\u2212\ufe63\uff0d"
# A dash between words or at the start of what somebody says is none.
_MINUS = re.compile(
    rf"(?:(?<=\bde)|(?<=\bde ))[{_DASH}]\s*(?:[€$]\s*)?(?=\w)|(?<=[^\w])[{_DASH}](?:[€$]\s*)?(?=\d)"
)
_LESS = "menos"

_FIGURES = re.compile(r"\d[\d.,]*(?: \d{3}(?!\d))*(?:[.,]\d+)?", re.ASCII)


def plain(phrase: str) -> str:
    """Lower case, no accents, no punctuation but points and commas between digits; single spaces.

    A minus is the word: `banca de -5` becomes `banca de menos 5`.
    """
    decomposed = unicodedata.normalize("NFD", _MINUS.sub(f" {_LESS} ", phrase.strip().lower()))
    letters = "".join(mark for mark in decomposed if not unicodedata.combining(mark))
    letters = re.sub(r"[^\w\s.,]|(?<!\d)[.,]|[.,](?!\d)", " ", letters)
    return " ".join(letters.split())


def number_in(phrase: str) -> int | None:
    """The first number in a phrase that `plain` made, in words or figures; None if there is none.

    One that can be read in two ways, that is not whole, or with a minus before it is none.

    >>> number_in("la banca es de dos mil quinientos euros")
    2500
    """
    amount = amount_in(phrase)
    return None if amount is None or amount != amount.to_integral_value() else int(amount)


def amount_in(phrase: str) -> Decimal | None:
    """As `number_in`, with decimals: `12,50`, `2 mil`, `1,5 millones`."""
    figures = _FIGURES.search(phrase)
    if figures is None:
        number = _in_words(phrase.split())
        return None if number is None else Decimal(number)
    if phrase[: figures.start()].split()[-1:] == [_LESS]:
        return None
    try:
        amount = read_amount(figures.group())
    except UnclearAmount:
        return None
    for word in phrase[figures.end() :].split():
        if word not in _SCALES:
            break
        amount *= _SCALES[word]
    return amount


def _in_words(words: list[str]) -> int | None:
    start = next((at for at, word in enumerate(words) if word in _SMALL or word in _SCALES), None)
    if start is None or words[max(start - 1, 0)] == _LESS:
        return None
    total, group = 0, 0
    for word in words[start:]:
        if word in _SMALL:
            group += _SMALL[word]
        elif word in _SCALES:
            total, group = total + max(group, 1) * _SCALES[word], 0
        elif word != "y":
            break
    return total + group
