"""The checker: folds events, asks the rules that listen, and turns their verdicts into findings."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

from veedor.rules.account import Account
from veedor.rules.checks import ALL_RULES
from veedor.rules.coup import TABLE
from veedor.rules.event_types import CoupClosed, CoupOpened, TableEvent, ViewLost, ViewRestored
from veedor.rules.finding import Finding
from veedor.rules.profile import RuleProfile
from veedor.rules.rulebook import rulebook
from veedor.rules.session import Session
from veedor.rules.session_parts import CoupAbandoned, RecordEnded
from veedor.rules.sight import Sight
from veedor.rules.verdict import Check, Judgement, Moment, Reason, Verdict

# Under this confidence of its weakest event nobody is accused: the verdict is undecided. Our number.
UNSURE = 0.5

_Key = tuple[int, str, str, str]


class Checker:
    """Judges one record, event by event, in the order of its journal.

    It holds what the rules need of the past and nothing else, so its memory does not grow with the record.
    """

    def __init__(self, profile: RuleProfile, *, bank: Decimal | None = None) -> None:
        self.profile = profile
        self.session = Session.start(profile, bank)
        # By kind of event: number of the rule, its check, and whether it is a standing one.
        self._rules: dict[type[TableEvent], list[tuple[int, Check, bool]]] = {}
        for index, rule in enumerate(ALL_RULES):
            if profile.family in rule.families:
                for kind in rule.listens:
                    self._rules.setdefault(kind, []).append((index, rule.check, rule.standing))
        self._said: set[_Key] = set()
        self._standing: dict[int, dict[_Key, Judgement]] = {}
        self._opened: TableEvent | None = None
        self._last_t = 0.0
        self._sight = Sight()

    @property
    def account(self) -> Account | None:
        """The account of the last closed coup, of the one in course if none was closed."""
        return self.session.account

    def feed(self, event: TableEvent) -> list[Finding]:
        """Judges one event and returns what it gave rise to, revisions included."""
        if type(event) is CoupClosed and self.session.closes_another(event):
            return []
        found: list[Finding] = []
        if isinstance(event, (ViewLost, ViewRestored)):
            self._sight.note(event)
        elif type(event) is CoupOpened:
            found += self._abandon(event.t, event.confidence)
        found += self._step(event)
        if event.t > self._last_t:
            self._last_t = event.t
        return found

    def fork(self) -> Checker:
        """Another checker that stands where this one does; what either is fed leaves the other as it was."""
        other = copy.copy(self)
        other._said = set(self._said)
        other._standing = {index: dict(known) for index, known in self._standing.items()}
        other._sight = copy.deepcopy(self._sight)
        return other

    def finish(self) -> list[Finding]:
        """Judges what only the end of the record decides."""
        return self._abandon(self._last_t) + self._step(RecordEnded(t=self._last_t))

    def judge(self, events: Iterable[TableEvent]) -> list[Finding]:
        """Every finding of a whole record, revisions included, in the order they come."""
        return [finding for event in events for finding in self.feed(event)] + self.finish()

    def _abandon(self, t: float, confidence: float = 1.0) -> list[Finding]:
        """Judges a coup that was played and never closed, if there is one."""
        coup = self.session.open_coup
        if coup is None or not coup.cards:
            return []
        return self._step(CoupAbandoned(t=t, confidence=confidence))

    def _step(self, event: TableEvent) -> list[Finding]:
        before = self.session
        after = before.apply(event)
        self.session = after
        rules = self._rules.get(type(event))
        coup = after.coup
        if coup is not None and coup.opened is not self._opened:
            if self._opened is not None:
                self._sight.forget(self._opened.t)
            self._opened = coup.opened
            self._said.clear()
            self._standing.clear()
        if not rules:
            return []
        moment = Moment(before, after, event)
        found: list[Finding] = []
        number = 0 if coup is None else coup.number
        for index, check, is_standing in rules:
            judgements = check(moment)
            if judgements is None:
                continue
            if is_standing:
                if judgements or index in self._standing:
                    self._revise(index, number, list(judgements), found)
                continue
            for judgement in judgements:
                key = (number, judgement.code, judgement.actor, judgement.subject)
                if key not in self._said:
                    self._said.add(key)
                    found.append(self._finding(judgement, number))
        return found

    def _revise(self, index: int, number: int, judgements: list[Judgement], found: list[Finding]) -> None:
        old = self._standing.get(index, {})
        new = {(number, one.code, one.actor, one.subject): one for one in judgements}
        for key, judgement in old.items():
            if key not in new:
                finding = self._finding(judgement, number)
                found.append(replace(finding, verdict=Verdict.WITHDRAWN, revises=True))
        for key, judgement in new.items():
            before = old.get(key)
            if before is None:
                found.append(self._finding(judgement, number))
            elif _differs(before, judgement):
                found.append(replace(self._finding(judgement, number), revises=True))
        self._standing[index] = new

    def _finding(self, judgement: Judgement, number: int) -> Finding:
        if judgement.verdict is Verdict.BROKEN and self._sight.was_lost(judgement):
            reason = Reason("view", TABLE)
            judgement = replace(judgement, verdict=Verdict.UNDECIDED, reason=reason)
        return _finding(judgement, number)


def _differs(old: Judgement, new: Judgement) -> bool:
    # Steps go as they are carried out, and once stakes are settled all are barred: neither is a revision.
    # One that was not there before is a remedy better known.
    barred = old.steps and all(step.key == "barred" for step in new.steps)
    if not barred and any(step not in old.steps for step in new.steps):
        return True
    return (old.verdict, old.facts, old.rule, old.reason) != (new.verdict, new.facts, new.rule, new.reason)


def _finding(judgement: Judgement, coup: int) -> Finding:
    entry = rulebook().codes[judgement.code]
    evidence = judgement.evidence
    confidence = _confidence(judgement)
    verdict, reason = judgement.verdict, judgement.reason
    if verdict is Verdict.BROKEN and confidence < UNSURE:
        verdict, reason = Verdict.UNDECIDED, Reason("unsure", f"{confidence:.2f}")
    frames = [event.frames for event in evidence if event.frames is not None]
    return Finding(
        code=judgement.code,
        verdict=verdict,
        coup=coup,
        t=judgement.t,
        actor=judgement.actor,
        rule=judgement.rule or entry.source,
        severity=judgement.severity or entry.severity,
        confidence=confidence,
        events=tuple(sorted({event.id for event in evidence if event.id})),
        frames=(min(a for a, _ in frames), max(b for _, b in frames)) if frames else None,
        facts=judgement.facts,
        steps=judgement.steps,
        reason=reason,
        subject=judgement.subject,
    )


def _confidence(judgement: Judgement) -> float:
    weakest = min((event.confidence for event in judgement.evidence), default=1.0)
    if judgement.odds == 1.0 or weakest == 1.0:
        return weakest
    weight = judgement.odds * weakest
    return round(weight / (weight + 1.0 - weakest), 3)
