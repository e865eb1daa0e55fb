"""What players say is judged before the cameras have told what they saw: no alarm of it falls away again.

Sessions as played, clean and with infractions; what is seen comes up to five seconds late and in order.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from veedor.datasets.looks import random_look
from veedor.datasets.play import Order, play_journal
from veedor.datasets.play.spots import Felt
from veedor.monitor.fold import stands_alone
from veedor.monitor.judgement import Judgement
from veedor.monitor.operator_events import ENTERED
from veedor.rules.events import TableEvent, event_name
from veedor.rules.profile import load_profile
from veedor.rules.verdict import Verdict

LATE_S = (0.2, 5.0)


def as_they_come(events: tuple[TableEvent, ...], seed: int) -> Iterator[tuple[float, TableEvent]]:
    """Each event and when it is judged: the seen ones late and in order, words that stand alone at once."""
    draw = random.Random(seed)
    told_s = word_s = 0.0
    order = []
    for number, event in enumerate(events, 1):
        event = replace(event, id=number)
        if stands_alone(event) and word_s <= event.t:
            order.append((event.t, number, event))
            continue
        told_s = max(told_s, event.t + draw.uniform(*LATE_S))
        order.append((told_s, number, event))
        if event_name(type(event)) in ENTERED:
            word_s = told_s  # words keep their order
    for judged_s, _, event in sorted(order, key=lambda each: each[:2]):
        yield judged_s, event


@pytest.mark.parametrize(
    "order",
    [
        "",
        "ORDER_OF_SPEECH@3",
        "P_CONTRADICTORY@3",
        "ADVICE@3",
        "BANCO_LATE@3",
        "CARD_TO_NO@2",
        "P_CARD_ON_NATURAL@3",
    ],
)
@pytest.mark.parametrize("seed", range(4))
def test_what_is_told_at_a_word_stands(order: str, seed: int) -> None:
    profile = "dos-panos-limitada"
    look, _ = random_look(7, split="play")
    orders = (Order.parse(order),) if order else ()
    session = play_journal(profile, seed, 6, orders, chips=look.chips, panos=Felt(look.layout).panos)
    judgement, told, at_once = Judgement(load_profile(profile)), set(), False
    for judged_s, event in as_they_come(tuple(session.journal), seed):
        for _, finding in judgement.insert(event):
            if finding.verdict is Verdict.BROKEN:
                told.add((finding.code, finding.coup))
                at_once |= stands_alone(event) and judged_s == event.t
    judgement.finish()
    stand = {(each.code, each.coup) for each in judgement.standing.values() if each.verdict is Verdict.BROKEN}
    assert told == stand
    if order:
        code, _, coup = order.partition("@")
        assert (code, int(coup)) in stand
    if order.startswith(("ORDER", "P_CONTRA", "ADVICE")):
        assert at_once
