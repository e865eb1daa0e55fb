"""The whole way from percepts to findings, on played sessions seen by an oracle instead of by the weights."""

from __future__ import annotations

from dataclasses import replace

import pytest
from veedor.datasets.looks import random_look
from veedor.datasets.oracle import Eyesight, oracle_percepts
from veedor.datasets.play import Order, play_session
from veedor.datasets.simulate import Simulation, table_of
from veedor.monitor.journal_score import score_findings, score_journal
from veedor.rules.checker import Checker
from veedor.rules.events import TableEvent
from veedor.rules.finding import Finding
from veedor.rules.profile import load_profile
from veedor.rules.verdict import Verdict
from veedor.vision.observer import Observer

PROFILE = "dos-panos-limitada"
PERFECT = Eyesight(corner_sigma_px=0.0, missed=0.0, misread=0.0, side_sigma_mm=0.0)


def observed(
    seed: int, orders: tuple[Order, ...], eyesight: Eyesight, coups: int = 1
) -> tuple[list[TableEvent], list[TableEvent], list[tuple[str, int]]]:
    """True journal, observed journal, planted findings."""
    look, camera = random_look(seed, split="play")
    session = play_session(
        PROFILE, seed, coups, orders, layout=look.layout, chips=look.chips, back_colours=look.back_colours
    )
    assert session.timeline is not None
    table = table_of(Simulation(PROFILE, seed, coups, orders), look, camera)
    observer, heard, seen = Observer(table), list(session.announcements), []
    for percept in oracle_percepts(table, session.timeline, eyesight=eyesight, seed=seed):
        while heard and heard[0].t <= percept.t_s:
            seen += observer.hear(heard.pop(0))
        seen += observer.see(percept)
    seen += observer.finish()
    return list(session.journal), seen, [(finding.code, finding.coup) for finding in session.planted]


def judged(events: list[TableEvent]) -> list[tuple[str, int]]:
    """Code and coup of what stands as broken."""
    checker, standing = Checker(load_profile(PROFILE)), {}
    found: list[Finding] = []
    for number, event in enumerate(events, 1):
        found += checker.feed(replace(event, id=number))
    for finding in [*found, *checker.finish()]:
        standing[finding.key] = finding
    return [
        (finding.code, finding.coup) for finding in standing.values() if finding.verdict is Verdict.BROKEN
    ]


@pytest.mark.parametrize(
    ("seed", "code"),
    [(301, "CARD_TO_WRONG_PANO"), (302, "BET_AFTER_NMV"), (303, "PAYOUT_WRONG"), (304, "DEAL_ORDER")],
)
def test_a_coup_seen_well_is_told_as_it_was(seed: int, code: str) -> None:
    truth, seen, planted = observed(seed, (Order(code),), PERFECT)
    score = score_journal(truth, seen)
    score_findings(planted, judged(seen), score)
    assert score.coups.share == score.cards.share == score.bet_zones.share == score.bet_amounts.share == 1.0
    assert score.payments.share == 1.0 and score.false_bets == score.false_settlements == 0
    assert score.findings.share == 1.0 and score.false_findings == 0


def test_a_session_seen_badly_accuses_nobody_wrongly() -> None:
    truth, seen, _ = observed(305, (), Eyesight(), coups=2)
    score = score_journal(truth, seen)
    assert score.cards.share >= 0.95 and score.bet_zones.share >= 0.95 and score.coups.share == 1.0
    assert not judged(seen)


def test_the_journal_is_in_order_of_time_and_the_same_every_time() -> None:
    first, second = (observed(306, (), Eyesight())[1] for _ in range(2))
    assert first == second
    assert [event.t for event in first] == sorted(event.t for event in first)
