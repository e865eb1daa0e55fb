"""Rule checker and player of sessions agree: clean play is clean, the planted is found, nothing else.

A small part of tests/benchmarks/plantings.py; what that once found is kept here by its seed.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from veedor.datasets.layouts import layout_path
from veedor.datasets.plantings import (
    CHIPS,
    PANOS,
    clean_faults,
    differences,
    page,
    plantable_codes,
    planting_faults,
    rules_for,
)
from veedor.datasets.play import DEVIATIONS, Order, fix, play_journal, play_session
from veedor.rules.checker import Checker
from veedor.rules.checks import ALL_CODES
from veedor.rules.profile import SHIPPED, load_profile
from veedor.rules.rules_page import profiles_of
from veedor.vision.table_file import load_layout

PROFILE = "dos-panos-limitada"
PLANTINGS = [(profile, code) for profile in SHIPPED for code in plantable_codes(profile)]
SEEDS = range(3)


@pytest.mark.parametrize("profile", SHIPPED)
@pytest.mark.parametrize("seed", range(4))  # everyday, varied, everyday, within limits
def test_clean_play_gives_no_finding(profile: str, seed: int) -> None:
    assert clean_faults(profile, seed, 40) == []


@pytest.mark.parametrize(("profile", "code"), PLANTINGS)
def test_what_is_planted_is_found_with_its_remedy_and_nothing_else(profile: str, code: str) -> None:
    assert [fault for seed in SEEDS for fault in planting_faults(profile, code, seed)] == []


@pytest.mark.parametrize(
    ("profile", "code", "seed"),
    [
        (PROFILE, "P_STAND_BELOW5", 20),  # the banker taken for the one at fault
        (PROFILE, "P_STAND_BELOW5", 89),
        ("dos-panos-libre", "P_STAND_BELOW5", 49),  # and accused of a breach
        (PROFILE, "P_CARD_ON_NATURAL", 18),  # an early remedy never told again
        (PROFILE, "P_CARD_ON_NATURAL", 104),
        (PROFILE, "BANKER_RESTORED_BREACH", 1),  # a new card left out of the remedy
        ("punto-y-banca-ar", "AR_SUITE_WITHDRAW", 6),
        ("punto-y-banca-ar", "PAYOUT_WRONG", 105),
        ("punto-banco-pr", "PR_WRONG_HOLDER", 112),  # seat 10 before seat 7
        ("punto-banco-pr", "PR_WRONG_HOLDER", 123),
    ],
)
def test_what_the_whole_run_once_showed(profile: str, code: str, seed: int) -> None:
    assert planting_faults(profile, code, seed) == []


@pytest.mark.parametrize("code", sorted(code for code, kind in DEVIATIONS.items() if kind.on_felt))
def test_it_is_found_in_the_order_of_the_felt_too(code: str) -> None:
    layout, rules = load_layout(layout_path("dos-panos-10")), rules_for(PROFILE, code)
    session = play_session(rules, 1, 3, [Order(code)], layout=layout, chips=CHIPS)
    assert session.planted
    assert differences(session, Checker(rules).judge(session.journal)) == []


def test_several_in_one_session_are_each_found() -> None:
    orders = [Order(code) for code in ("P_STAND_BELOW5", "HAND_ROTATION", "CAGNOTTE_WRONG", "DEAL_ORDER")]
    session = play_journal(PROFILE, 5, 8, orders, chips=CHIPS, panos=PANOS)
    assert len(session.planted) == 4
    assert differences(session, Checker(load_profile(PROFILE)).judge(session.journal)) == []


@pytest.mark.parametrize("code", ["HAND_ROTATION", "PLAY_AFTER_CUT", "P_STAND_BELOW5", "BANCO_LATE"])
def test_a_planting_among_uncommon_coups_is_found_alone(code: str) -> None:
    rules = rules_for(PROFILE, code)
    for seed in range(6):
        session = play_journal(rules, seed, 8, [Order(code)], chips=CHIPS, panos=PANOS, varied=True)
        assert differences(session, Checker(rules).judge(session.journal)) == []


def test_every_code_can_be_planted_in_every_game_it_belongs_to() -> None:
    """No code of the checker goes without being measured."""
    assert sorted({code for _, code in PLANTINGS}) == list(ALL_CODES)
    assert len(ALL_CODES) == 64
    for code in ALL_CODES:
        games = [profile for profile, other in PLANTINGS if other == code]
        # Eight packs seldom show nine of a face in a few coups: there the sabot is not planted.
        assert games == [name for name in profiles_of(code) if code != "SHOE_COMPOSITION" or "dos" in name]


def test_the_page_of_plantings_is_current() -> None:
    docs = Path(__file__).parents[2] / "docs" / "rules-plantings.md"
    assert docs.read_text(encoding="utf-8") == page()


def test_a_difference_of_any_kind_is_told() -> None:
    """The measure itself can fail: another time, actor, remedy, one more, one less."""
    session = play_journal(PROFILE, 3, 3, [Order("DEAL_ORDER")], chips=CHIPS, panos=PANOS)
    found = Checker(load_profile(PROFILE)).judge(session.journal)
    [planted] = session.planted
    assert differences(session, found) == []
    for change in (
        {"actor": "croupier"},
        {"t": planted.t + 1},
        {"coup": planted.coup + 1},
        {"code": "CARD_TO_NO"},
    ):
        other = replace(session, planted=(replace(planted, **change),))
        assert [one.split(":")[0] for one in differences(other, found)] == ["missed", "unplanted"]
    for remedy in ((), (fix("move", card="c9", to="B"),), (*planted.remedy, fix("annul"))):
        other = replace(session, planted=(replace(planted, remedy=remedy),))
        assert [one.split(":")[0] for one in differences(other, found)] == ["remedy"]
    assert [one.split(":")[0] for one in differences(session, [])] == ["missed"]
    assert [one.split(":")[0] for one in differences(replace(session, planted=()), found)] == ["unplanted"]
