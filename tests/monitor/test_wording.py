"""Events, stakes and findings in words: nothing says None or nothing where something is not known."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields, replace
from decimal import Decimal
from typing import Any

import pytest
from veedor.monitor.finding_views import finding_view
from veedor.monitor.language import Language
from veedor.monitor.story import BetStory, tell
from veedor.monitor.wording import (
    amount_text,
    card_name,
    clock,
    describe,
    person_name,
    signed_amount,
    zone_name,
)
from veedor.rules.checks import ALL_CODES
from veedor.rules.event_codec import COMMON
from veedor.rules.events import (
    EVENT_TYPES,
    BetPaid,
    BetPlaced,
    BetRemoved,
    CoupOpened,
    EventCorrected,
    Said,
    TableEvent,
)
from veedor.rules.finding import Finding
from veedor.rules.verdict import Reason, Verdict

EMPTY = re.compile(r"None|\bnull\b|NaN|nan\b|\{|\}|\(\s*\)|«»|“”|: *$|, *$|^\s*$|  | $|: ,|: \(")
SAMPLES = {
    "str": "x1", "int": 3, "Decimal": Decimal(50), "bool": True, "tuple[str, ...]": ("x1",),
    "TableEvent": Said("P1", "no", t=1.0),
}  # fmt: skip
VALUES = {"pose": "crossed", "face": "up", "where": "floor", "shows": "7H", "words": "carta"}


def event(kind: type[TableEvent], *, full: bool) -> Any:
    told: dict[str, object] = {}
    for field in fields(kind):
        if field.name not in COMMON and (full or field.default is MISSING):
            told[field.name] = VALUES.get(field.name, SAMPLES[str(field.type).removesuffix(" | None")])
    return kind(**told, t=1.0)  # type: ignore[arg-type]


def variants(kind: type[TableEvent]) -> list[TableEvent]:
    """With everything, with what must be alone, and without each thing that may be missing."""
    whole = event(kind, full=True)
    optional = [
        field.name for field in fields(kind) if field.name not in COMMON and field.default in (None, ())
    ]
    return [whole, event(kind, full=False)] + [
        replace(whole, **{name: kind.__dataclass_fields__[name].default}) for name in optional
    ]  # fmt: skip


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("kind", EVENT_TYPES, ids=lambda kind: kind.__name__)
def test_an_event_with_anything_missing_is_a_sentence(kind: type[TableEvent], language: Language) -> None:
    for each in variants(kind):
        told = describe(each, language)
        assert not EMPTY.search(told), (each, told)


@pytest.mark.parametrize("language", Language)
def test_what_is_not_known_is_a_question_mark(language: Language) -> None:
    told = [
        person_name(None, language), person_name("", language), zone_name("", language), card_name(None),
        card_name(""), amount_text(None), amount_text(Decimal("NaN")), clock(0.0), signed_amount(Decimal(0)),
    ]  # fmt: skip
    assert not [each for each in told if not each or EMPTY.search(each)]


@pytest.mark.parametrize("code", ALL_CODES)
@pytest.mark.parametrize("verdict", [Verdict.BROKEN, Verdict.UNDECIDED, Verdict.INSPECTOR])
def test_a_finding_without_facts_is_shown_in_words(code: str, verdict: Verdict) -> None:
    reason = Reason("view", "") if verdict is Verdict.UNDECIDED else None
    for actor in ("none", "seat3", ""):
        view = finding_view(1, Finding(code, verdict, 0, 1.0, actor, "x", "info", 1.0, reason=reason))
        texts = [view.title, view.remedy, view.expected, view.found, view.reason]
        for each in (text for both in texts for text in (both.es, both.en)):
            assert not re.search(r"None|\{|\}|\( *\)|: *$", each), each


def test_a_stake_without_seat_or_amount_is_told() -> None:
    coup = tell([CoupOpened(1, t=0.0), BetPlaced("b1", "P1", t=1.0)])[0]
    assert [bet.who for bet in coup.bets] == ["?"]


def test_a_correction_by_nothing_is_told() -> None:
    for language in Language:
        assert not EMPTY.search(describe(EventCorrected(3, t=1.0), language))


def test_what_happens_to_a_stake_names_it_as_people_do() -> None:
    stake = BetStory("b16", "half:P1", Decimal(500), 4, "seat4", 1.0)
    paid, other = BetPaid("b16", Decimal(500), t=9.0), BetRemoved("b7", t=9.5)
    assert describe(paid, Language.EN, [stake]) == "paid seat 4's 500 on the half line of paño 1: 500"
    es = "pagada la postura de 500 del asiento 4 en la media del paño 1: 500"
    assert describe(paid, Language.ES, [stake]) == es
    assert describe(other, Language.EN, [stake]) == "b7 removed"  # of another coup
