"""The catalogue of what is checked: every code with its source, severity and texts in two languages."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from veedor.rules.telling import in_words

LANGUAGES = ("es", "en")
SEVERITIES = ("info", "warn", "rectify", "money", "annul")


@dataclass(frozen=True, slots=True)
class RuleTexts:
    """Texts of one code in one language; braces are filled from a finding's facts."""

    name: str
    expected: str
    found: str
    remedy: str
    sees: str


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """One code: the catalogue rules behind it, its source, how grave it is, what it needs, its texts."""

    code: str
    rules: tuple[str, ...]
    source: str
    severity: str
    needs: str
    texts: Mapping[str, RuleTexts]


@dataclass(frozen=True, slots=True)
class Rulebook:
    """All codes, and the sentences that remedies and reasons are made of, by key and language."""

    codes: Mapping[str, RuleEntry]
    steps: Mapping[str, Mapping[str, str]]
    reasons: Mapping[str, Mapping[str, str]]


UNKNOWN = "—"


class _Facts(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return UNKNOWN


def fill(template: str, facts: Mapping[str, str], lang: str) -> str:
    """The template with its facts in words; a fact that is missing, or that nobody knows, shows as a dash."""
    return template.format_map(_Facts(in_words(facts, lang))).rstrip()


@lru_cache(maxsize=1)
def rulebook() -> Rulebook:
    """The rulebook that ships with the package, read once."""
    document = tomllib.loads((Path(__file__).parent / "rulebook.toml").read_text(encoding="utf-8"))
    codes = {
        code: RuleEntry(
            code=code,
            rules=tuple(entry["rules"]),
            source=entry["source"],
            severity=entry["severity"],
            needs=entry["needs"],
            texts={lang: RuleTexts(**entry[lang]) for lang in LANGUAGES},
        )
        for code, entry in document["codes"].items()
    }
    return Rulebook(codes, document["steps"], document["reasons"])
