"""Findings: what was against the rules, said so that somebody can act on it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from veedor.rules.rulebook import UNKNOWN, fill, rulebook
from veedor.rules.verdict import Reason, Step, Verdict


@dataclass(frozen=True, slots=True)
class Finding:
    """One verdict on one rule, with its citation, remedy, confidence and evidence.

    ``t`` is media time in seconds; ``coup`` 0 outside any coup; ``events`` the ids of the journal events it
    rests on, ``frames`` the first and last video frame of those, None without video. ``revises`` is True for
    one that changes, or with verdict ``withdrawn`` takes back, an earlier finding with the same ``key``.
    """

    code: str
    verdict: Verdict
    coup: int
    t: float
    actor: str
    rule: str
    severity: str
    confidence: float
    events: tuple[int, ...] = ()
    frames: tuple[int, int] | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    reason: Reason | None = None
    subject: str = ""
    revises: bool = False

    @property
    def key(self) -> tuple[int, str, str, str]:
        """What makes two findings speak of the same thing."""
        return (self.coup, self.code, self.actor, self.subject)

    def name(self, lang: str = "en") -> str:
        """What happened, in a few words."""
        return rulebook().codes[self.code].texts[lang].name

    def expected(self, lang: str = "en") -> str:
        """What the rule asks for here; where nothing is known of the case, what its source says."""
        entry = rulebook().codes[self.code]
        text = fill(entry.texts[lang].expected, self.facts, lang)
        if not self.facts and UNKNOWN in text:
            text = re.sub(rf" \([^()]*{UNKNOWN}[^()]*\)", "", text)
            if UNKNOWN in text:
                return f"lo que dice {self.rule}" if lang == "es" else f"what {self.rule} says"
        return text

    def found(self, lang: str = "en") -> str:
        """What was done instead; for an undecided finding, what was missing."""
        reason = self.reason_text(lang)
        if reason is not None and not self.facts:
            return reason
        return fill(rulebook().codes[self.code].texts[lang].found, self.facts, lang)

    def remedy(self, lang: str = "en") -> str:
        """What to do now: the steps of this very case if it has any, else the rule's general remedy."""
        if not self.steps:
            return rulebook().codes[self.code].texts[lang].remedy
        book = rulebook().steps
        return "; ".join(
            fill(book[step.key][lang], {**self.facts, **step.values}, lang) for step in self.steps
        )

    def reason_text(self, lang: str = "en") -> str | None:
        """What was missing, for an undecided finding."""
        if self.reason is None:
            return None
        about = {"what": self.reason.what, **self.reason.about}
        return fill(rulebook().reasons[self.reason.kind][lang], about, lang)

    def to_json(self, lang: str = "en") -> dict[str, object]:
        """The finding as a line of findings.jsonl, texts in ``es`` or ``en``."""
        line: dict[str, object] = {
            "code": self.code,
            "verdict": str(self.verdict),
            "coup": self.coup,
            "t": self.t,
            "actor": self.actor,
            "rule": self.rule,
            "expected": self.expected(lang),
            "found": self.found(lang),
            "remedy": self.remedy(lang),
            "severity": self.severity,
            "confidence": round(self.confidence, 4),
            "events": list(self.events),
        }
        if self.frames is not None:
            line["frames"] = list(self.frames)
        reason = self.reason_text(lang)
        if reason is not None:
            line["reason"] = reason
        if self.revises:
            line["revises"] = True
        return line


def standing(findings: Iterable[Finding]) -> list[Finding]:
    """The findings that still stand once every revision is applied, in order of first report."""
    kept: dict[tuple[int, str, str, str], Finding] = {}
    for finding in findings:
        if finding.verdict is Verdict.WITHDRAWN:
            kept.pop(finding.key, None)
        else:
            kept[finding.key] = finding
    return list(kept.values())
