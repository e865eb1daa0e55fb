"""Findings and decisions of a data folder, through its store."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from veedor.monitor import store as stored
from veedor.monitor.store import Action, DecisionRow, FindingFilter, FindingRow, State, Store, StoreError
from veedor.web.site import Answer, Decision, FindingKey, RecordedFinding, SiteFault

MOST_LISTED = 200
_MOST_OF_SESSION = 10_000
# A finding is on the page before the store has it: so long is waited for it.
_INDEXED_S, _STEP_S = 2.0, 0.1
_ACTIONS = {
    Answer.ACCEPTED: Action.ACCEPT,
    Answer.DISMISSED: Action.DISMISS,
    Answer.ESCALATED: Action.ESCALATE,
    Answer.RULED: Action.RULE,
}
_ANSWERS = {action: answer for answer, action in _ACTIONS.items()}
_ANSWERED = (State.ACCEPTED, State.DISMISSED, State.ESCALATED, State.RULED)


class StoreRecord:
    """The record of every table of a data folder."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def store(self) -> Store:
        return self._store

    def decide(self, key: FindingKey, decision: Decision) -> None:
        until = time.monotonic() + _INDEXED_S
        try:
            while self._store.finding(_session(key), key.number) is None and time.monotonic() < until:
                time.sleep(_STEP_S)
            done = stored.Decision(_ACTIONS[decision.answer], decision.who, decision.reason)
            self._store.record_decision(_session(key), key.number, done)
        except StoreError as fault:
            raise SiteFault(str(fault)) from fault

    def decisions(self, table: str, session: str) -> Mapping[int, Decision]:
        try:
            name = f"{table}/{session}"
            wanted = FindingFilter(session=name, states=_ANSWERED, limit=_MOST_OF_SESSION)
            standing = {row.number: row.state for row in self._store.findings(wanted)}
            rows = self._store.decisions(name) if standing else []
        except StoreError:
            return {}
        found: dict[int, Decision] = {}
        for row in rows:
            decision = _decision(row)
            if decision is not None and standing.get(row.finding) == decision.answer.value:
                found[row.finding] = decision
        return found

    def open_findings(self) -> Sequence[RecordedFinding]:
        wanted = FindingFilter(states=(State.OPEN, State.ESCALATED), limit=MOST_LISTED)
        try:
            return [self._recorded(row) for row in self._store.findings(wanted)]
        except StoreError:
            return []

    def finding(self, key: FindingKey) -> RecordedFinding | None:
        try:
            row = self._store.finding(_session(key), key.number)
            return None if row is None else self._recorded(row)
        except StoreError:
            return None

    def still(self, key: FindingKey) -> Path | None:
        return self._file(key, "still")

    def clip(self, key: FindingKey) -> Path | None:
        return self._file(key, "clip")

    def _file(self, key: FindingKey, name: str) -> Path | None:
        try:
            return self._store.evidence_file(_session(key), key.number, name)
        except StoreError:
            return None

    def _recorded(self, row: FindingRow) -> RecordedFinding:
        table, _, session = row.session.partition("/")
        decision = None
        if row.state is not State.OPEN:
            told = [_decision(each) for each in self._store.decisions(row.session, row.number)]
            fitting = [each for each in told if each is not None and each.answer.value == row.state]
            decision = fitting[-1] if fitting else None
        key = FindingKey(table, session, row.number)
        return RecordedFinding(key, row.view(), decision, row.reported_at or "")


def _decision(row: DecisionRow) -> Decision | None:
    answer = _ANSWERS.get(row.action)
    return None if answer is None else Decision(answer, row.reason, row.who, row.at)


def _session(key: FindingKey) -> str:
    return f"{key.table}/{key.session}"
