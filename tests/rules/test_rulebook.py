"""The rulebook and the page made from it: complete, in both languages, and current."""

import re
from pathlib import Path

import pytest
import yaml
from veedor.rules.catalogue import NOT_CHECKED
from veedor.rules.checks import ALL_CODES, ALL_RULES
from veedor.rules.coup_file import read_coup_file
from veedor.rules.expectation import compare
from veedor.rules.profile import SHIPPED
from veedor.rules.profile_keys import FAMILIES
from veedor.rules.rulebook import LANGUAGES, SEVERITIES, fill, rulebook
from veedor.rules.rules_page import TEST_FILES, name_of_test, profiles_of, rules_page

ROOT = Path(__file__).parents[2]
# Rows of each group of the rule catalogue (172 in all).
GROUPS = {"EQ": 19, "PL": 12, "BK": 17, "BT": 12, "BC": 9, "SH": 25, "ER": 38, "AR": 29, "PR": 11}
CATALOGUE = [f"{group}-{n:02}" for group, count in GROUPS.items() for n in range(1, count + 1)]


def test_every_catalogue_rule_has_a_code_or_a_reason():
    judged = {rule for entry in rulebook().codes.values() for rule in entry.rules}
    assert len(CATALOGUE) == 172
    assert sorted(judged | set(NOT_CHECKED)) == sorted(CATALOGUE)
    assert judged.isdisjoint(NOT_CHECKED)


def test_every_catalogue_rule_is_on_the_page():
    page = rules_page()
    assert [rule for rule in CATALOGUE if rule not in page] == []


def test_the_page_in_the_docs_is_the_one_the_code_makes():
    assert (ROOT / "docs" / "rules.md").read_text(encoding="utf-8") == rules_page()


def test_the_page_names_tests_that_exist():
    text = "".join(file.read_text(encoding="utf-8") for file in ROOT.glob(TEST_FILES))
    assert [code for code in ALL_CODES if f"def {name_of_test(code)}(" not in text] == []


def test_codes_of_rules_and_rulebook_are_the_same():
    assert sorted(rulebook().codes) == list(ALL_CODES)


@pytest.mark.parametrize("code", ALL_CODES)
def test_each_code_has_its_texts_in_both_languages(code):
    entry = rulebook().codes[code]
    assert entry.severity in SEVERITIES and entry.source and entry.needs
    fields = {}
    for lang in LANGUAGES:
        texts = entry.texts[lang]
        for part in ("name", "expected", "found", "remedy", "sees"):
            assert getattr(texts, part).strip(), (code, lang, part)
        fields[lang] = set(re.findall(r"{(\w+)}", texts.expected + texts.found))
    assert fields["es"] == fields["en"]
    assert entry.texts["es"].name != entry.texts["en"].name
    assert profiles_of(code)


@pytest.mark.parametrize("kind", ["steps", "reasons"])
def test_steps_and_reasons_have_both_languages_with_the_same_fields(kind):
    for key, texts in getattr(rulebook(), kind).items():
        found = {lang: set(re.findall(r"{(\w+)}", texts[lang])) for lang in LANGUAGES}
        assert found["es"] == found["en"], key


def test_every_step_used_in_the_code_is_in_the_rulebook():
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "rules/veedor/rules").rglob("*.py"))
    used = set(re.findall(r'Step\(\s*"(\w+)"', source)) | set(re.findall(r'Reason\("(\w+)"', source))
    known = set(rulebook().steps) | set(rulebook().reasons)
    assert used <= known


def test_rules_listen_to_something_in_some_game():
    for rule in ALL_RULES:
        assert rule.listens and rule.codes and set(rule.families) <= set(FAMILIES)
    assert all(any(name in profiles_of(code) for code in ALL_CODES) for name in SHIPPED)


def test_the_coup_file_in_the_docs_holds():
    text = (ROOT / "docs" / "rules-files.md").read_text(encoding="utf-8")
    case = read_coup_file(yaml.safe_load(text.split("```yaml\n")[1].split("```")[0]))
    checker, findings = case.check()
    assert case.expect and compare(case, checker, findings) == []


def test_texts_say_seats_as_people_do() -> None:
    facts = {"bettor": "seat4", "who": "seat10, seat2", "bet": "b4"}
    assert fill("{bettor} / {who} / {bet}", facts, "es") == "asiento 4 / asiento 10, asiento 2 / b4"
    assert fill("{bettor} / {who} / {bet}", facts, "en") == "seat 4 / seat 10, seat 2 / b4"


def test_a_stake_is_told_by_amount_person_and_place() -> None:
    facts = {"bet": "b16", "stake": "500", "bettor": "seat4", "zone": "half:P1"}
    assert fill("{bet}", facts, "en") == "seat 4's 500 on the half line of paño 1"
    assert fill("{bet}", facts, "es") == "la postura de 500 del asiento 4 en la media del paño 1"
    assert fill("{bet}", facts | {"stake": "?"}, "en") == "seat 4's stake on the half line of paño 1"
    assert (
        fill("{bet}", facts | {"bettor": "Ana", "zone": "P2"}, "es")
        == "la postura de 500 de Ana en el paño 2"
    )


def test_a_stake_of_whom_nobody_saw_is_told_without_him() -> None:
    facts = {"bettor": "none", "amount": "100", "bet": "b16", "stake": "500", "zone": "caballo"}
    step = rulebook().steps["pay_bettor"]
    assert fill(step["en"], facts, "en") == "the bank owes the bettor 100 more on the 500 a caballo"
    assert (
        fill(step["es"], facts, "es")
        == "la banca debe 100 más a quien apostó, por la postura de 500 a caballo"
    )


@pytest.mark.parametrize(
    ("cards", "en", "es"),
    [
        ("c8", "the 8th card", "la 8.ª carta"),
        ("c1, c2, c13", "the 1st, 2nd, 13th cards", "las cartas 1.ª, 2.ª, 13.ª"),
        ("c23", "the 23rd card", "la 23.ª carta"),
    ],
)
def test_cards_are_told_in_the_order_they_left_the_sabot(cards: str, en: str, es: str) -> None:
    assert (fill("{cards}", {"cards": cards}, "en"), fill("{cards}", {"cards": cards}, "es")) == (en, es)
