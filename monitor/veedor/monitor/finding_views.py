"""The rule checker's findings as pages and reports print them."""

from __future__ import annotations

from collections.abc import Callable

from veedor.monitor.language import Bilingual, Language
from veedor.monitor.pages import FindingView
from veedor.rules.finding import Finding


def finding_view(number: int, finding: Finding) -> FindingView:
    """The finding with its words in both languages; a coup of 0 is none."""
    return FindingView(
        number=number,
        code=finding.code,
        verdict=str(finding.verdict),
        severity=finding.severity,
        coup=finding.coup or None,
        t_s=finding.t,
        actor=finding.actor,
        rule=finding.rule,
        title=_both(finding.name),
        remedy=_both(finding.remedy),
        expected=_both(finding.expected),
        found=_both(finding.found),
        reason=_both(lambda language: finding.reason_text(language) or ""),
        confidence=finding.confidence,
    )


def _both(words: Callable[[str], str]) -> Bilingual:
    return Bilingual(_sentence(words(Language.ES)), _sentence(words(Language.EN)))


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
