"""Rule checker and player of sessions agree: clean play is clean, the planted is found, nothing else."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from veedor.datasets.layouts import layout_path
from veedor.datasets.play import DEVIATIONS, PUNTO_DEVIATIONS, Order, Session, play_journal, play_session
from veedor.datasets.scene import ChipStyle
from veedor.rules.checker import Checker
from veedor.rules.events import TableEvent
from veedor.rules.finding import Finding, standing
from veedor.rules.profile import load_profile
from veedor.rules.verdict import Verdict
from veedor.vision.table_file import load_layout

CHIPS = (
    *(ChipStyle(str(value), value, (0, 0, 0)) for value in (5, 20, 50, 100, 500, 1000)),
    ChipStyle("5000", 5000, (0, 0, 0), plaque=True),
)
PANOS = {"P1": (1, 2, 3, 4, 5), "P2": (6, 7, 8, 9, 10)}
PROFILE = "dos-panos-limitada"
Row = tuple[str, int, str, float]


def check(journal: Iterable[TableEvent], profile: str = PROFILE) -> list[Finding]:
    """The checker's findings after all revisions."""
    checker = Checker(load_profile(profile))
    return standing([each for event in journal for each in checker.feed(event)] + checker.finish())


def planted(session: Session) -> list[Row]:
    return sorted((each.code, each.coup, each.actor, round(each.t, 2)) for each in session.planted)


def rows(findings: Iterable[Finding]) -> list[Row]:
    found = list(findings)
    assert all(finding.verdict is Verdict.BROKEN for finding in found)
    return sorted((each.code, each.coup, each.actor, round(each.t, 2)) for each in found)


PROFILES = ("dos-panos-limitada", "dos-panos-libre", "punto-y-banca-ar", "punto-banco-pr")


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("seed", range(5))
def test_clean_play_gives_no_finding(profile: str, seed: int) -> None:
    session = play_journal(profile, seed, 40, chips=CHIPS, panos=PANOS)
    assert check(session.journal, profile) == []


@pytest.mark.parametrize("code", sorted(DEVIATIONS))
def test_what_is_planted_is_found_and_nothing_else(code: str) -> None:
    for seed in range(6):
        session = play_journal(PROFILE, seed, 3, [Order(code)], chips=CHIPS, panos=PANOS)
        assert planted(session)
        assert rows(check(session.journal)) == planted(session), f"seed {seed}"


@pytest.mark.parametrize("code", sorted(DEVIATIONS))
def test_it_is_found_in_the_order_of_the_felt_too(code: str) -> None:
    layout = load_layout(layout_path("dos-panos-10"))
    for seed in (1,):
        session = play_session(PROFILE, seed, 3, [Order(code)], layout=layout, chips=CHIPS)
        assert rows(check(session.journal)) == planted(session), f"seed {seed}"


@pytest.mark.parametrize("code", sorted(PUNTO_DEVIATIONS))
def test_at_punto_y_banca_too_it_is_found_and_nothing_else(code: str) -> None:
    profile = "punto-y-banca-ar" if code.startswith("AR_") else "punto-banco-pr"
    for seed in range(6):
        session = play_journal(profile, seed, 4, [Order(code)], chips=CHIPS, panos=PANOS)
        assert planted(session)
        assert rows(check(session.journal, profile)) == planted(session), f"seed {seed}"


def test_several_in_one_session_are_each_found() -> None:
    orders = [Order(code) for code in ("P_STAND_BELOW5", "HAND_ROTATION", "CAGNOTTE_WRONG", "DEAL_ORDER")]
    session = play_journal(PROFILE, 5, 8, orders, chips=CHIPS, panos=PANOS)
    assert len(planted(session)) == 4
    assert rows(check(session.journal)) == planted(session)
