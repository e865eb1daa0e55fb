"""Amounts and points as a Spanish-speaking dealer says them, or as a transcript writes them in figures."""

from __future__ import annotations

import re
import unicodedata

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

# Thousands are grouped with points or spaces: 1.000, 12 500. A comma would be a decimal.
_FIGURES = re.compile(r"\d{1,3}(?:[. ]\d{3})+(?!\d)|\d+")


def plain(phrase: str) -> str:
    """Lower case, no accents, no punctuation but points between digits; single spaces."""
    decomposed = unicodedata.normalize("NFD", phrase.lower())
    letters = "".join(mark for mark in decomposed if not unicodedata.combining(mark))
    letters = re.sub(r"(?<=\d)\.(?=\d{3}\b)", "·", letters)
    letters = re.sub(r"[^\w\s·]", " ", letters)
    return " ".join(letters.replace("·", ".").split())


def number_in(phrase: str) -> int | None:
    """The first number in a phrase that `plain` made, in words or figures; None if there is none.

    >>> number_in("la banca es de dos mil quinientos euros")
    2500
    """
    figures = _FIGURES.search(phrase)
    if figures is not None:
        return int(re.sub(r"[. ]", "", figures.group()))
    words = phrase.split()
    start = next((at for at, word in enumerate(words) if word in _SMALL or word in _SCALES), None)
    if start is None:
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
