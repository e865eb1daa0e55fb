"""Findings of records that lack what a record may lack: words, not None, nothing or the program's numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, replace
from typing import Any

import pytest
from playing import Record
from test_codes import TESTS
from veedor.rules.checker import Checker
from veedor.rules.checks import ALL_CODES
from veedor.rules.event_codec import COMMON
from veedor.rules.finding import Finding
from veedor.rules.verdict import Verdict

LEAKS = re.compile(
    r"None|\bnull\b(?! coup)|\b[Nn]a[Nn]\b|Decimal|\{|\}|\( *\)|\(t? ?—\)|«»|“”|, ,|  |^\s*$|: *$|— \w+ —"
)

# A journal's numbers of stakes and cards, and seconds of a recording: nobody at a table knows them.
INTERNAL = re.compile(r"\b[bc]\d+\b|\(t \d|\bt \d|\bseat\d|\bhalf:|\w\.hand|_hand")


def records() -> list[Any]:
    """Every record that the tests of the codes play."""
    seen: list[Any] = []
    findings = Record.findings

    def noting(self: Any) -> Any:
        seen.append(self)
        return findings(self)

    Record.findings = noting  # type: ignore[method-assign]
    try:
        for test in TESTS.values():
            marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
            for values in marks[0].args[1] if marks else [()]:
                test(*(values if isinstance(values, tuple) else (values,)))
    finally:
        Record.findings = findings  # type: ignore[method-assign]
    return seen


RECORDS = records()


def optional(kind: type) -> list[str]:
    return [
        field.name
        for field in fields(kind)
        if field.name not in COMMON and field.default is None and field.default is not MISSING
    ]


def lacking(events: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """The record as it is, and without one optional field after the other, and without any."""
    yield "whole", events
    for kind in {type(event) for event in events}:
        for name in optional(kind):
            stripped = [replace(each, **{name: None}) if type(each) is kind else each for each in events]
            if stripped != events:
                yield f"{kind.__name__}.{name}", stripped
    yield "bare", [replace(each, **dict.fromkeys(optional(type(each)))) for each in events]


def texts(finding: Finding) -> Iterator[tuple[str, str]]:
    for lang in ("es", "en"):
        for part in ("name", "expected", "found", "remedy", "reason_text"):
            text = getattr(finding, part)(lang)
            if text is not None:
                yield f"{part} {lang}", text
        yield "line", str(finding.actor)


def found(record: Any, events: list[Any]) -> Iterator[Finding]:
    checker = Checker(record.profile, bank=record.bank)
    for event in events:
        yield from checker.feed(event)
    yield from checker.finish()


def test_no_finding_says_none_where_a_word_is_missing() -> None:
    leaks: dict[tuple[str, str, str], str] = {}
    told: set[str] = set()
    for record in RECORDS:
        for what, events in lacking(list(record.events)):
            for finding in found(record, events):
                if finding.verdict is Verdict.WITHDRAWN:
                    continue
                told.add(finding.code)
                for part, text in texts(finding):
                    if LEAKS.search(text) or (part != "line" and INTERNAL.search(text)):
                        leaks.setdefault((finding.code, part, what), text)
    assert not leaks, "\n".join(f"{key}: {text}" for key, text in leaks.items())
    assert not set(ALL_CODES) - told


@pytest.mark.parametrize("code", ALL_CODES)
def test_texts_of_a_finding_without_any_facts_are_words(code: str) -> None:
    finding = Finding(code, Verdict.BROKEN, 0, 1.0, "none", "x", "info", 1.0, facts={})
    bare = replace(finding, facts={"bet": None, "amount": "None"})  # type: ignore[dict-item]
    for each in (finding, bare):
        for part, text in texts(each):
            assert not re.search(r"None|\{|\}|^\s*$", text), (part, text)
