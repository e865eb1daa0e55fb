"""Fonts, colours and words of the printed report."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from xml.sax.saxutils import escape

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import Paragraph
from veedor.monitor.language import Language

# Bitstream Vera comes with reportlab, may be embedded by anybody, and has the letters of western languages.
PLAIN, BOLD, SLANTED = "VeedorPlain", "VeedorBold", "VeedorSlanted"
_FILES = {PLAIN: "Vera.ttf", BOLD: "VeraBd.ttf", SLANTED: "VeraIt.ttf"}

INK, QUIET, EDGE, GROUND = HexColor("#1c2022"), HexColor("#5b6569"), HexColor("#c9c5ba"), HexColor("#f3f1ec")
RED, GREEN, BLUE = HexColor("#b3201f"), HexColor("#17693f"), HexColor("#1a5f9c")
TONES = {
    "money": RED,
    "annul": RED,
    "rectify": HexColor("#b45f06"),
    "warn": HexColor("#8a6d00"),
    "info": BLUE,
}
UNDECIDED = HexColor("#5f686c")

_SUITS = {
    "♠": ("de picas", "of spades"),
    "♥": ("de corazones", "of hearts"),
    "♦": ("de diamantes", "of diamonds"),
    "♣": ("de tréboles", "of clubs"),
}
_CARD = re.compile(r"(10|[A2-9JQK?])([♠♥♦♣])")
_SPACES = str.maketrans({"\u202f": "\u00a0", "\u2009": "\u00a0", "\t": " ", "\n": " ", "\r": " "})


@lru_cache(maxsize=1)
def register_fonts() -> frozenset[int]:
    """Make the fonts known; returns the characters that all of them have."""
    have: frozenset[int] | None = None
    for name, file in _FILES.items():
        font = TTFont(name, file)
        pdfmetrics.registerFont(font)
        known = frozenset(font.face.charToGlyph)
        have = known if have is None else have & known
    pdfmetrics.registerFontFamily(PLAIN, normal=PLAIN, bold=BOLD, italic=SLANTED, boldItalic=BOLD)
    return have or frozenset()


def printable_text(words: str, language: Language) -> str:
    """In letters that the fonts have: cards in words, letters of far languages without their marks."""
    words = _CARD.sub(lambda found: f"{found[1]} {_SUITS[found[2]][language is Language.EN]}", words)
    words = words.translate(_SPACES).replace("→", "->")
    have = register_fonts()
    return "".join(each if ord(each) in have else _like(each, have) for each in words)


def _like(character: str, have: frozenset[int]) -> str:
    bare = [each for each in unicodedata.normalize("NFKD", character) if not unicodedata.combining(each)]
    return "".join(each if ord(each) in have else "?" for each in bare) or "?"


@lru_cache(maxsize=64)
def style(
    size: float = 8.0, *, bold: bool = False, right: bool = False, colour: object = INK
) -> ParagraphStyle:
    register_fonts()
    return ParagraphStyle(
        f"s{size}{bold}{right}{colour}",
        fontName=BOLD if bold else PLAIN,
        fontSize=size,
        leading=size * 1.32,
        textColor=colour,
        alignment=TA_RIGHT if right else 0,
        splitLongWords=1,
    )


class Words:
    """Makes paragraphs in one language."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def say(self, es: str, en: str) -> str:
        return es if self.language is Language.ES else en

    def plain(self, words: str) -> str:
        """For drawing: no markup."""
        return printable_text(words, self.language)

    def safe(self, words: str) -> str:
        """For paragraphs: what looks like markup is printed as it stands."""
        return escape(printable_text(words, self.language))

    def line(self, words: str, how: ParagraphStyle | None = None) -> Paragraph:
        return Paragraph(self.safe(words), how or style())

    def marked(self, markup: str, how: ParagraphStyle | None = None) -> Paragraph:
        """Text that has been made safe already, with markup of ours around it."""
        return Paragraph(markup, how or style())
