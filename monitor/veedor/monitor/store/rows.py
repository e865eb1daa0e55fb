"""What the store answers with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from veedor.monitor.language import Bilingual
from veedor.monitor.pages import FindingView


class Action(StrEnum):
    """What a person does about a finding.

    `rule` is an inspector's ruling, its words the reason; `reopen` takes a decision back; `protect` keeps the
    evidence.
    """

    ACCEPT = "accept"
    DISMISS = "dismiss"
    ESCALATE = "escalate"
    RULE = "rule"
    REOPEN = "reopen"
    PROTECT = "protect"
    RELEASE = "release"


class State(StrEnum):
    """Where a finding stands with the people who review it."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DISMISSED = "dismissed"
    ESCALATED = "escalated"
    RULED = "ruled"


@dataclass(frozen=True)
class SessionRow:
    """One run of one table. `ended_at` None while it runs and where it was killed."""

    session: str
    table_id: str
    table_name: str
    profile: str | None
    started_at: str | None
    ended_at: str | None
    source: str | None
    coups: int
    findings: int  # that stand
    open_findings: int  # of them, not decided on by anybody


@dataclass(frozen=True)
class CoupRow:
    """A coup; `number` as announced (anew with each shoe), `place` counts those of the session from 1."""

    session: str
    place: int
    number: int
    opened_t: float
    closed_t: float | None
    first_event: int
    last_event: int | None
    findings: int


@dataclass(frozen=True)
class EventRow:
    """A journal event; `body` is the event as its journal line has it."""

    session: str
    id: int
    t: float
    kind: str
    source: str
    body: Mapping[str, Any]


@dataclass(frozen=True)
class ClipRow:
    """The evidence of a finding: names of files in `folder`, which lies below the session's folder."""

    session: str
    finding: int
    folder: str
    clip: str | None
    still: str | None
    start_s: float | None
    stop_s: float | None
    gaps: tuple[tuple[float, float], ...]
    bytes: int
    made_at: str
    removed_at: str | None = None
    removed_why: str | None = None


@dataclass(frozen=True)
class DecisionRow:
    """One thing that one person did about a finding."""

    session: str
    id: int
    finding: int
    action: Action
    reason: str
    who: str
    at: str
    verdict: str | None


@dataclass(frozen=True)
class FindingRow:
    """A finding as it stands now, and where it stands with the people who review it."""

    session: str
    table_id: str
    number: int
    code: str
    verdict: str
    severity: str
    coup: int
    t: float
    actor: str
    confidence: float
    reported_at: str | None
    reports: int
    body: Mapping[str, Any]
    state: State
    protected: bool
    has_clip: bool
    has_still: bool

    @property
    def events(self) -> tuple[int, ...]:
        """Ids of the events it rests on."""
        return tuple(int(each) for each in self.body.get("events", ()))

    def view(self) -> FindingView:
        """As pages print it; addresses of still and clip are the page's to fill in."""
        words = self.body.get("texts", {})

        def both(name: str) -> Bilingual:
            plain = str(self.body.get(name) or "")
            spanish, english = (words.get(each, {}).get(name, plain) for each in ("es", "en"))
            return Bilingual(spanish, english)

        title = both("title")
        return FindingView(
            number=self.number,
            code=self.code,
            verdict=self.verdict,
            severity=self.severity,
            coup=self.coup or None,
            t_s=self.t,
            actor=self.actor,
            rule=str(self.body.get("rule", "")),
            title=title if title.en else Bilingual(self.code, self.code),
            remedy=both("remedy"),
            expected=both("expected"),
            found=both("found"),
            reason=both("reason"),
            confidence=self.confidence,
        )


@dataclass(frozen=True)
class FindingFilter:
    """Which findings to list; what is None or empty does not limit. Newest first."""

    table_id: str | None = None
    session: str | None = None
    states: tuple[State, ...] = ()
    verdicts: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()
    coup: int | None = None
    since: str | None = None  # of `reported_at`, ISO 8601 in UTC
    until: str | None = None
    withdrawn: bool = False  # also those taken back
    limit: int = 100
    offset: int = 0


def gaps_text(gaps: tuple[tuple[float, float], ...]) -> str:
    """Gaps as the store keeps them."""
    return json.dumps([list(each) for each in gaps])
