"""The report of a review: one HTML file with everything in it but the clips, in Spanish and English."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from veedor.monitor.bookkeeping import CoupAccount
from veedor.monitor.language import Bilingual, Language
from veedor.monitor.pages import TEMPLATES, FindingView, environment
from veedor.monitor.story import CoupStory
from veedor.monitor.timeline import Timeline, draw_timeline


@dataclass(frozen=True)
class ReportInput:
    """One recording: `name` without folders, so that a report does not depend on where things lie."""

    name: str
    duration_s: float
    frames: int
    sha256: str


@dataclass(frozen=True)
class ReportHead:
    """What was reviewed, and with what. `profile` is the rule profile's name or id."""

    table: str
    profile: str
    inputs: tuple[ReportInput, ...]
    models: tuple[tuple[str, str], ...]
    version: str
    language: Language
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CoupChapter:
    """A coup with its findings and its drawing."""

    coup: CoupStory
    account: CoupAccount
    findings: tuple[FindingView, ...]
    timeline: Timeline


def render_report(
    head: ReportHead,
    coups: Sequence[CoupStory],
    accounts: Sequence[CoupAccount],
    findings: Sequence[FindingView],
    decided: Mapping[int, Sequence[Bilingual]] | None = None,
) -> str:
    """The report as HTML; the same text for the same contents. `accounts` belong to the coups in order.

    `decided` is what people decided about findings, by number.
    """
    chapters = []
    for place, (coup, account) in enumerate(zip(coups, accounts, strict=True)):
        until = coups[place + 1].opened_t if place + 1 < len(coups) else float("inf")
        own = tuple(each for each in findings if _belongs(each, coup, until))
        flags = [(each.number, each.t_s, f"severity-{each.severity} verdict-{each.verdict}") for each in own]
        chapters.append(CoupChapter(coup, account, own, draw_timeline(coup, flags)))
    told = {each.number for chapter in chapters for each in chapter.findings}
    rest = tuple(each for each in findings if each.number not in told)
    jinja = environment(None)
    page = jinja.get_template("report.html.j2")
    styles = "".join((TEMPLATES / name).read_text("utf-8") for name in ("parts.css", "report.css"))
    return page.render(
        head=head,
        chapters=chapters,
        findings=findings,
        rest=rest,
        styles=styles,
        initial=head.language,
        decided=decided or {},
    )


def embedded(finding: FindingView, still: bytes) -> FindingView:
    """The finding with its still, a JPEG, inside the page itself."""
    return replace(finding, still="data:image/jpeg;base64," + base64.b64encode(still).decode())


def _belongs(finding: FindingView, coup: CoupStory, until_s: float) -> bool:
    """By number where it has one; two shoes of one recording may both have a coup 1, hence by time too."""
    return (finding.coup is None or finding.coup == coup.number) and coup.opened_t <= finding.t_s < until_s
