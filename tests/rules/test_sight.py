"""Views of the whole table that were lost: what may have been missed accuses nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from veedor.rules.checker import Checker
from veedor.rules.events import (
    BetPlaced,
    BettingClosed,
    BettingOpened,
    CoupOpened,
    TableEvent,
    ViewLost,
    ViewRestored,
)
from veedor.rules.finding import Finding
from veedor.rules.profile import load_profile
from veedor.rules.verdict import Verdict

GAP = "frame gap"


def judged(views: Sequence[TableEvent]) -> list[Finding]:
    """The findings on a stake placed 8 s after the call, with views lost and restored."""
    played: list[TableEvent] = [
        CoupOpened(1, t=10.0, source="voice"),
        BettingOpened(t=11.0, source="voice"),
        BettingClosed(t=20.0, source="voice"),
        BetPlaced("b1", "P1", None, "seat1", 1, t=28.0),
    ]
    checker = Checker(load_profile("dos-panos-limitada"))
    found: list[Finding] = []
    for number, event in enumerate(sorted([*played, *views], key=lambda event: event.t), 1):
        found += checker.feed(replace(event, id=number))
    return [finding for finding in found if finding.code == "BET_AFTER_NMV"]


def test_a_late_stake_seen_all_along_is_broken() -> None:
    assert [finding.verdict for finding in judged([])] == [Verdict.BROKEN]


@pytest.mark.parametrize(
    ("lost", "restored"),
    [(23.0, 26.0), (19.0, 29.5), (5.0, 21.0), (12.0, None), (5.0, None), (27.2, 28.4), (19.2, 20.5)],
)
def test_a_late_stake_that_may_have_been_missed_before_is_undecided(
    lost: float, restored: float | None
) -> None:
    views: list[TableEvent] = [ViewLost((), GAP, t=lost)]
    views += [] if restored is None else [ViewRestored((), GAP, t=restored)]
    (finding,) = judged(views)
    assert finding.verdict is Verdict.UNDECIDED
    assert finding.reason_text("en") == "the view of the table was lost"
    assert finding.reason_text("es") == "se perdió la vista de la mesa"


@pytest.mark.parametrize(
    ("lost", "restored"),
    [(2.0, 9.5), (23.0, 24.5)],  # before the coup; too short to hide more than when something happened
)
def test_a_late_stake_is_broken_all_the_same_where_the_loss_does_not_touch_it(
    lost: float, restored: float
) -> None:
    (finding,) = judged([ViewLost((), GAP, t=lost), ViewRestored((), GAP, t=restored)])
    assert finding.verdict is Verdict.BROKEN


def test_a_view_restored_from_one_cause_may_be_lost_for_another() -> None:
    views = [
        ViewLost((), "camera moved", t=5.0),
        ViewLost((), GAP, t=12.0),
        ViewRestored((), GAP, t=13.5),
    ]
    assert judged(views)[0].verdict is Verdict.UNDECIDED
