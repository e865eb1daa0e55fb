"""Does the rule checker find what was planted, all of it and nothing else? One session at a time.

The player of sessions says on its own what must be found (code, coup, time, actor, remedy); this compares.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from veedor.datasets.play import DEVIATIONS, PUNTO_DEVIATIONS, Order, Session, play_journal
from veedor.datasets.play.money import ChipLike
from veedor.rules.checker import Checker
from veedor.rules.events import TableEvent
from veedor.rules.finding import Finding, standing
from veedor.rules.profile import load_profile
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.verdict import Verdict

PANOS: dict[str, tuple[int, ...]] = {"P1": (1, 2, 3, 4, 5), "P2": (6, 7, 8, 9, 10)}
COUPS_A_PLANTING = 4  # the infraction is in one of them, so that what follows from it is judged too
TIME_SLACK_S = 0.02


@dataclass(frozen=True)
class PlainChip:
    """A chip as an amount and a name, for sessions without a felt."""

    name: str
    value: int
    plaque: bool = False


CHIPS: tuple[ChipLike, ...] = (
    *(PlainChip(str(value), value) for value in (5, 20, 50, 100, 500, 1000)),
    PlainChip("5000", 5000, plaque=True),
)


def plantable_codes(profile: str) -> list[str]:
    """The codes that can be planted in a game."""
    family = load_profile(profile).family
    if family == DOS_PANOS:
        return sorted(DEVIATIONS)
    return sorted(code for code, kind in PUNTO_DEVIATIONS.items() if kind.belongs_to(family))


def judged(profile: str, journal: Iterable[TableEvent]) -> list[Finding]:
    """The findings that stand when the whole journal has been judged."""
    checker = Checker(load_profile(profile))
    return standing([each for event in journal for each in checker.feed(event)] + checker.finish())


def clean_faults(profile: str, seed: int, coups: int) -> list[str]:
    """What the checker says of proper play: every line is one too many."""
    session = play_journal(profile, seed, coups, chips=CHIPS, panos=PANOS)
    return [f"unplanted: {_shown(one)}" for one in judged(profile, session.journal)]


def planting_faults(profile: str, code: str, seed: int) -> list[str]:
    """Where the checker and the player of sessions differ about one planted infraction; empty if nowhere."""
    session = play_journal(profile, seed, COUPS_A_PLANTING, [Order(code)], chips=CHIPS, panos=PANOS)
    if code not in {one.code for one in session.planted}:
        return [f"{code} was not planted"]
    return differences(session, judged(profile, session.journal))


def differences(session: Session, found: Iterable[Finding]) -> list[str]:
    """What was planted and not found so, and what was found and not planted."""
    left = list(found)
    faults = []
    for planted in session.planted:
        match = next(
            (
                one
                for one in left
                if (one.code, one.coup, one.actor) == (planted.code, planted.coup, planted.actor)
                and one.verdict is Verdict.BROKEN
                and abs(one.t - planted.t) <= TIME_SLACK_S
            ),
            None,
        )
        if match is None:
            faults.append(f"missed: {planted}")
        else:
            left.remove(match)
    return faults + [f"unplanted: {_shown(one)}" for one in left]


def _shown(finding: Finding) -> str:
    return f"{finding.code} {finding.verdict} coup {finding.coup} t {finding.t:g} {finding.actor}"
