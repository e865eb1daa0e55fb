"""A machine that does not keep up misses looks: what it did not see accuses nobody.

Sessions seen by an oracle, with looks left out as a loaded machine leaves them out: evenly, or in bursts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from veedor.datasets.looks import random_look
from veedor.datasets.oracle import Eyesight, oracle_percepts
from veedor.datasets.play import Order, play_session
from veedor.datasets.simulate import Simulation, table_of
from veedor.rules.checker import Checker
from veedor.rules.events import TableEvent, ViewLost, ViewRestored
from veedor.rules.finding import Finding, standing
from veedor.rules.profile import load_profile
from veedor.rules.verdict import Verdict
from veedor.vision.observer import Observer
from veedor.vision.percept import Percept
from veedor.vision.table import Table

PROFILE, SEED, CODE = "dos-panos-limitada", 402, "BET_POSITION_FORBIDDEN"
PERFECT = Eyesight(corner_sigma_px=0.0, missed=0.0, misread=0.0, side_sigma_mm=0.0)


@cache
def watched() -> tuple[Table, tuple[Percept, ...], tuple[TableEvent, ...]]:
    """Two coups, the second with a planted fault: table, every look, what was said."""
    orders = (Order(CODE, coup=2),)
    look, camera = random_look(SEED, split="play")
    session = play_session(
        PROFILE, SEED, 2, orders, layout=look.layout, chips=look.chips, back_colours=look.back_colours
    )
    assert session.timeline is not None
    table = table_of(Simulation(PROFILE, SEED, 2, orders), look, camera)
    looks = tuple(oracle_percepts(table, session.timeline, eyesight=PERFECT, seed=SEED))
    return table, looks, tuple(session.announcements)


def judged(kept: Iterable[int]) -> tuple[list[TableEvent], list[Finding]]:
    """Journal and standing findings where only some looks were taken."""
    table, looks, said = watched()
    observer, heard, journal = Observer(table), list(said), list[TableEvent]()
    for number in kept:
        while heard and heard[0].t <= looks[number].t_s:
            journal += observer.hear(heard.pop(0))
        journal += observer.see(looks[number])
    for event in heard:
        journal += observer.hear(event)
    journal += observer.finish()
    checker, found = Checker(load_profile(PROFILE)), list[Finding]()
    for number, event in enumerate(journal, 1):
        found += checker.feed(replace(event, id=number))
    return journal, standing([*found, *checker.finish()])


def in_bursts(share: float, length: float, seed: int) -> list[int]:
    """Looks of which `share` are lost in runs of about `length`."""
    rng, count, kept, now = np.random.default_rng(seed), len(watched()[1]), list[int](), 0
    while now < count:
        seen = 1 + int(rng.exponential(length * (1 - share) / share))
        kept += range(now, min(count, now + seen))
        now += seen + 1 + int(rng.exponential(length))
    return kept


def test_with_every_look_the_fault_is_told() -> None:
    journal, findings = judged(range(len(watched()[1])))
    assert not any(isinstance(event, ViewLost) for event in journal)
    assert [(found.code, found.verdict) for found in findings] == [(CODE, Verdict.BROKEN)]


@pytest.mark.parametrize("keep", ["2 of 3", "1 of 2", "1 of 5"])
def test_looks_missed_evenly_are_one_lost_view(keep: str) -> None:
    some, _, of = keep.partition(" of ")
    kept = [number for number in range(len(watched()[1])) if number % int(of) < int(some)]
    journal, findings = judged(kept)
    assert [type(event) for event in journal if isinstance(event, ViewLost | ViewRestored)] == [ViewLost]
    assert not [found for found in findings if found.verdict is Verdict.BROKEN]
    assert all(found.reason is not None for found in findings)


@pytest.mark.parametrize(("share", "length"), [(1 / 3, 3), (1 / 2, 15), (4 / 5, 60)])
def test_looks_missed_in_bursts_accuse_nobody_else(share: float, length: float) -> None:
    journal, findings = judged(in_bursts(share, length, seed=1))
    assert any(isinstance(event, ViewLost) for event in journal)
    broken = {(found.code, found.coup) for found in findings if found.verdict is Verdict.BROKEN}
    assert broken <= {(CODE, 2)}
    times = [event.t for event in journal]
    assert times == sorted(times)


def test_a_short_gap_between_coups_takes_nothing_away() -> None:
    _, looks, said = watched()
    second = [event.t for event in said if type(event).__name__ == "CoupOpened"][1]
    kept = [number for number, look in enumerate(looks) if not second - 0.8 < look.t_s < second]
    journal, findings = judged(kept)
    assert any(isinstance(event, ViewRestored) for event in journal)
    assert [(found.code, found.verdict) for found in findings] == [(CODE, Verdict.BROKEN)]
