"""What a rule says about a moment of play, before the checker makes a finding of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from veedor.rules.coup import Coup
from veedor.rules.event_types import TableEvent
from veedor.rules.profile import RuleProfile
from veedor.rules.session import Session


class Verdict(StrEnum):
    """The three verdicts, and the one that takes an earlier finding back."""

    BROKEN = "broken"
    UNDECIDED = "undecided"
    INSPECTOR = "inspector"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a verdict is undecided: what is missing (``word``, ``card``, ``view``, ``person``…) and whose.

    ``about`` are more facts of it, for its text.
    """

    kind: str
    what: str = ""
    about: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do to put a coup right, as a key of the rulebook's steps with its values."""

    key: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judgement:
    """One rule found broken, undecided or a matter for the inspector.

    ``evidence`` are the events it rests on, ``facts`` fill the rulebook's texts; ``subject`` tells apart two
    judgements of the same code and actor in one coup; ``rule`` replaces the code's own citation. ``odds``:
    how often such evidence, where it is doubtful, tells of a breach and not of something seen wrongly.
    """

    code: str
    t: float
    actor: str
    evidence: tuple[TableEvent, ...]
    verdict: Verdict = Verdict.BROKEN
    rule: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    reason: Reason | None = None
    subject: str = ""
    severity: str | None = None
    odds: float = 1.0


def undecided(
    code: str, reason: Reason, *, t: float, actor: str, evidence: tuple[TableEvent, ...]
) -> Judgement:
    """A judgement that says what was missing; one for each code, actor and coup."""
    return Judgement(code, t, actor, evidence, Verdict.UNDECIDED, reason=reason)


class Moment:
    """An event with the session before and after it.

    ``coup`` is the coup in course after the event, or just closed, an empty one if there is none;
    ``coup_before`` the same coup before the event, None if the event opened it; ``profile`` the one in force.
    """

    __slots__ = ("after", "before", "coup", "coup_before", "event", "profile")

    def __init__(self, before: Session, after: Session, event: TableEvent) -> None:
        self.before, self.after, self.event = before, after, event
        self.profile: RuleProfile = after.profile
        coup, coup_before = after.coup, before.coup
        self.coup: Coup = coup or Coup(0, self.profile.hands[:-1], self.profile.bank_hand)
        is_same = coup is not None and coup_before is not None and coup_before.opened is coup.opened
        self.coup_before: Coup | None = coup_before if is_same else None


class Rule(Protocol):
    """One small rule.

    ``check`` is asked only about the events in ``listens``. A plain rule answers with what this event broke.
    A ``standing`` rule answers with everything of its codes that holds of the coup as now known, or None
    where the event changes nothing for it; what it no longer says is taken back.
    """

    @property
    def codes(self) -> tuple[str, ...]: ...

    @property
    def families(self) -> tuple[str, ...]: ...

    @property
    def listens(self) -> tuple[type[TableEvent], ...]: ...

    @property
    def standing(self) -> bool: ...

    def check(self, moment: Moment) -> Sequence[Judgement] | None: ...


Check = Callable[[Moment], Sequence[Judgement] | None]


@dataclass(frozen=True, slots=True)
class FunctionRule:
    """A rule written as one function."""

    codes: tuple[str, ...]
    families: tuple[str, ...]
    listens: tuple[type[TableEvent], ...]
    check: Check
    standing: bool = False


def rule(
    codes: str, families: tuple[str, ...], listens: tuple[type[TableEvent], ...], *, standing: bool = False
) -> Callable[[Check], FunctionRule]:
    """Makes a rule of a function; ``codes`` separated by spaces."""

    def make(check: Check) -> FunctionRule:
        return FunctionRule(tuple(codes.split()), families, listens, check, standing)

    return make
