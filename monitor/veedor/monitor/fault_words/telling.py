"""The messages of areas that know no language, which tell their faults in English, as Spanish.

A message is places and a sentence, `FILE: table[1].source: expected a text, found 5`: the places stay, but
for words as `line`, and the sentence is looked up in the catalogue. There a hole of a small letter holds a
value, which stays, one of a capital a text to look up in turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from veedor.monitor.fault_words import foreign, labels, models, operation, play, rules, tables
from veedor.monitor.language import Language, current, with_system_words

_HOLE = re.compile(r"\{([A-Za-z])\}")
_SENTENCES = (
    *tables.SENTENCES,
    *rules.SENTENCES,
    *play.SENTENCES,
    *labels.SENTENCES,
    *models.SENTENCES,
    *operation.SENTENCES,
    *foreign.SENTENCES,
)
_PHRASES = (*tables.PHRASES, *rules.PHRASES, *play.PHRASES, *labels.PHRASES, *models.PHRASES)
# A name that ends as a file's does is one: `picture 1.png` is no place in a file.
_NAME = r"(?!\S*\.[A-Za-z]\w{1,4}$)[^\s/]+"
_PLACES = (
    (r"(.*), line (\d+)", r"\1, línea \2"),
    (r"line (\d+)", r"línea \1"),
    (r"(.*) at ([\d.-]+,[\d.-]+)", r"\1 en \2"),
    (r"table ('.*')", r"mesa \1"),
    (rf"table ({_NAME})", r"mesa \1"),
    (rf"object ({_NAME})", r"objeto \1"),
    (rf"picture ({_NAME})", r"imagen \1"),
    (rf"image ({_NAME})", r"imagen \1"),
    (rf"annotation ({_NAME})", r"anotación \1"),
    (rf"category ({_NAME})", r"categoría \1"),
    (rf"set ({_NAME})", r"conjunto \1"),
    (rf"recording ({_NAME})", r"grabación \1"),
    (rf"layout ({_NAME})", r"plano \1"),
    (rf"profile ({_NAME})", r"perfil \1"),
    (rf"infraction ({_NAME})", r"infracción \1"),
    (rf"event ({_NAME})", r"suceso \1"),
    (rf"command ({_NAME})", r"orden \1"),
    (r"schema (\S+)", r"esquema \1"),
    (r"perception record", "registro de percepción"),
    (r"run, until", "run, until"),
    (r"chip set", "juego de fichas"),
)


@dataclass(frozen=True)
class Spanish:
    """A message in Spanish, and what of it was left: values, or text that is not known."""

    text: str
    left: tuple[str, ...]


@dataclass(frozen=True)
class _Entry:
    pattern: re.Pattern[str]
    holes: tuple[str, ...]
    spanish: str
    weight: int


def in_words(fault: BaseException) -> str:
    """An error's message on one line, in the language of the user."""
    return " ".join(message_of(fault, current()).split())


def message_of(fault: BaseException, language: Language) -> str:
    """An error's message in that language, as far as it is known."""
    english = str(fault)
    if language is not Language.ES:
        return english
    own = getattr(fault, "spanish", english)
    return own if own != english else in_spanish(english).text


def in_spanish(message: str) -> Spanish:
    """A message in Spanish, as far as the catalogue has it."""
    for start in _starts(message):
        found = _looked_up(_sentences(), message[start:])
        if found is not None:
            places, left = _places(message[:start])
            return Spanish(places + found.text, (*left, *found.left))
    first, mark, rest = message.rpartition("; ")
    if mark:
        one, other = in_spanish(first), in_spanish(rest)
        return Spanish(one.text + mark + other.text, (*one.left, *other.left))
    places, left = _places(message)
    return Spanish(with_system_words(places, Language.ES), left)


def _starts(message: str) -> Iterator[int]:
    yield 0
    yield from (found.end() for found in re.finditer(": ", message))


def _looked_up(entries: tuple[_Entry, ...], sentence: str) -> Spanish | None:
    best, match = None, None
    for entry in entries:
        if best is None or entry.weight > best.weight:
            found = entry.pattern.fullmatch(sentence)
            if found is not None:
                best, match = entry, found
    if best is None or match is None:
        return None
    values: dict[str, str] = {}
    left: list[str] = []
    for hole, value in zip(best.holes, match.groups(), strict=True):
        inner = Spanish(value, (value,))
        if hole.isupper():
            inner = _looked_up(_parts(), value) or in_spanish(value)
        values[hole] = inner.text
        left += inner.left
    return Spanish(_HOLE.sub(lambda hole: values[hole[1]], best.spanish), tuple(left))


def _places(prefix: str) -> tuple[str, tuple[str, ...]]:
    parts, left = [], []
    for part in prefix.split(": "):
        for pattern, spanish in _PLACES:
            found = re.fullmatch(pattern, part, re.DOTALL)
            if found is not None:
                parts.append(found.expand(spanish))
                left.append(" ".join(found.groups()))
                break
        else:
            parts.append(part)
            # One word is a key of a file or an option; it is called so in both languages.
            left += [part] if " " in part else []
    return ": ".join(parts), tuple(left)


@cache
def _sentences() -> tuple[_Entry, ...]:
    return tuple(_entry(*pair) for pair in _SENTENCES)


@cache
def _parts() -> tuple[_Entry, ...]:
    return (*_sentences(), *(_entry(*pair) for pair in _PHRASES))


def _entry(english: str, spanish: str) -> _Entry:
    # The sentence begins after the last place: a hole that it begins with holds no mark of a place.
    pieces = _HOLE.split(english)
    texts, holes = pieces[::2], pieces[1::2]
    pattern = re.escape(texts[0])
    for number, text in enumerate(texts[1:]):
        first = number == 0 and not texts[0]
        pattern += ("((?:(?!: ).)+?)" if first else "(.+?)") + re.escape(text)
    weight = sum(map(len, texts))
    return _Entry(re.compile(pattern, re.DOTALL), tuple(holes), spanish, weight)
