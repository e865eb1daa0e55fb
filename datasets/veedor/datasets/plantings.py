"""Does the rule checker find what was planted, all of it and nothing else? One session at a time.

The player of sessions says on its own what must be found (code, coup, time, actor, remedy); this compares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from veedor.datasets.play import (
    DEVIATIONS,
    PUNTO_DEVIATIONS,
    Fix,
    Order,
    PlantedFinding,
    Session,
    play_journal,
)
from veedor.datasets.play.money import ChipLike, ChipSet
from veedor.datasets.play.script import can_be_planted
from veedor.rules.checker import Checker
from veedor.rules.checks import ALL_CODES
from veedor.rules.finding import Finding, standing
from veedor.rules.profile import SHIPPED, RuleProfile, load_profile
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.verdict import Step, Verdict

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


_PAGE = """# What can be planted

Made from the code by `python -m veedor.datasets.plantings docs/rules-plantings.md`; a test keeps it current.

Every code of [rules.md](rules.md) can be planted in a played session, so that the checker is measured on it:
`python tests/benchmarks/plantings.py OUT.jsonl` plays 20,000 clean coups under each profile, in which nothing
may be found, and plants each code 200 times under each profile that has it; it must be found with its actor
and its remedy, and nothing else. "felt" is what `veedor simulate --infraction CODE` can film; "limits" what
the profile must set for it (the shipped ones leave them to the table's authorisation).

| code | profiles | felt | limits |
|---|---|---|---|
"""
# In units of the table: what a house's authorisation may set.
LIMITS = {"bank_max": 300, "bet_min": 2, "bet_max": 20}


def plantable_codes(profile: str) -> list[str]:
    """The codes that can be planted in a game, its limits set."""
    rules = with_limits(load_profile(profile))
    if rules.family == DOS_PANOS:
        return sorted(code for code, kind in DEVIATIONS.items() if can_be_planted(kind, rules))
    return sorted(code for code, kind in PUNTO_DEVIATIONS.items() if kind.belongs_to(rules.family))


def with_limits(rules: RuleProfile) -> RuleProfile:
    """The profile as a house with an authorisation has it: with a largest bank and stakes within limits."""
    rate = rules.amount("cagnotte_rate") or rules.amount("commission_rate")
    unit = ChipSet.of(CHIPS).unit(int(rate * 10_000))
    limits = {key: units * unit for key, units in LIMITS.items()}
    if rules.family == DOS_PANOS:
        limits["bet_min"] = unit  # players there stake single units
    return rules.with_config(limits)


def page() -> str:
    """The page of the docs that lists every code and where it can be planted."""
    games = {profile: plantable_codes(profile) for profile in SHIPPED}
    rows = []
    for code in ALL_CODES:
        where = ", ".join(f"`{profile}`" for profile, codes in games.items() if code in codes)
        kind = DEVIATIONS.get(code)
        limits = kind.limits if kind is not None else PUNTO_DEVIATIONS[code].limits
        felt = "yes" if kind is not None and kind.on_felt else ""
        rows.append(f"| `{code}` | {where} | {felt} | {', '.join(limits)} |\n")
    return _PAGE + "".join(rows)


def rules_for(profile: str, code: str) -> RuleProfile:
    """The shipped profile, with limits where the infraction is against one."""
    rules = load_profile(profile)
    kind = DEVIATIONS.get(code) if rules.family == DOS_PANOS else PUNTO_DEVIATIONS.get(code)
    return with_limits(rules) if kind is not None and kind.limits else rules


def clean_faults(profile: str, seed: int, coups: int) -> list[str]:
    """What the checker says of proper play: every line is one too many.

    Every other session has everyday coups only, every fourth a house's limits.
    """
    rules = load_profile(profile)
    if seed % 4 == 3:
        rules = with_limits(rules)
    varied = seed % 2 == 1 and seed % 4 != 3  # who breaks the bank stakes more than any limit
    session = play_journal(rules, seed, coups, chips=CHIPS, panos=PANOS, varied=varied)
    return [f"unplanted: {_shown(one)}" for one in Checker(rules).judge(session.journal)]


def planting_faults(profile: str, code: str, seed: int) -> list[str]:
    """Where the checker and the player of sessions differ about one planted infraction; empty if nowhere."""
    rules = rules_for(profile, code)
    session = play_journal(rules, seed, COUPS_A_PLANTING, [Order(code)], chips=CHIPS, panos=PANOS)
    if code not in {one.code for one in session.planted}:
        return [f"{code} was not planted"]
    return differences(session, Checker(rules).judge(session.journal))


def differences(session: Session, found: Sequence[Finding]) -> list[str]:
    """What was planted and not found so, and what was found and not planted."""
    left = standing(found)
    faults = []
    for planted in session.planted:
        match = next((one for one in left if _is_it(planted, one)), None)
        if match is None:
            faults.append(f"missed: {planted}")
            continue
        left.remove(match)
        told = [one.steps for one in found if one.key == match.key]
        if not any(_same_remedy(planted.remedy, steps) for steps in told):
            faults.append(f"remedy: {planted}, told {[[_step(step) for step in steps] for steps in told]}")
    return faults + [f"unplanted: {_shown(one)}" for one in left]


def _is_it(planted: PlantedFinding, finding: Finding) -> bool:
    same = (finding.code, finding.coup, finding.actor) == (planted.code, planted.coup, planted.actor)
    return same and finding.verdict is Verdict.BROKEN and abs(finding.t - planted.t) <= TIME_SLACK_S


def _same_remedy(fixes: Sequence[Fix], steps: Sequence[Step]) -> bool:
    """Whether the steps are these fixes, in this order; a step may say more (the rule, the cells)."""
    return len(fixes) == len(steps) and all(
        fix.what == step.key and all(step.values.get(key) == value for key, value in fix.which)
        for fix, step in zip(fixes, steps, strict=True)
    )


def _step(step: Step) -> str:
    return f"{step.key} {' '.join(step.values.values())}".strip()


def _shown(finding: Finding) -> str:
    return f"{finding.code} {finding.verdict} coup {finding.coup} t {finding.t:g} {finding.actor}"


if __name__ == "__main__":
    import sys
    from pathlib import Path

    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
