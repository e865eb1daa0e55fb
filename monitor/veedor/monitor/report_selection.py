"""Which part of a night a report is about, and the report as a page."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from urllib.parse import quote

from veedor.monitor.errors import UsageFault
from veedor.monitor.language import Bilingual, Language, text
from veedor.monitor.pages import FindingView
from veedor.monitor.report import ReportHead, ReportInput, embedded, render_report
from veedor.monitor.report_record import Coup, NightRecord, RecordedFinding
from veedor.monitor.report_words import decision_words
from veedor.rules.rulebook import rulebook


@dataclass(frozen=True)
class Selection:
    """Findings by number or code, coups by number as announced; what is empty or None does not limit."""

    findings: tuple[int, ...] = ()
    codes: tuple[str, ...] = ()
    coups: tuple[int, int] | None = None

    @property
    def whole(self) -> bool:
        return not self.findings and not self.codes and self.coups is None

    def takes_coup(self, number: int | None) -> bool:
        return self.coups is None or (number is not None and self.coups[0] <= number <= self.coups[1])

    def takes(self, finding: RecordedFinding) -> bool:
        view = finding.view
        return (
            (not self.findings or finding.number in self.findings)
            and (not self.codes or view.code in self.codes)
            and self.takes_coup(view.coup)
        )


@dataclass(frozen=True)
class Chosen:
    """What of a night is told. `coups` are those asked for; by findings or codes, those that have one."""

    record: NightRecord
    coups: tuple[Coup, ...]
    findings: tuple[RecordedFinding, ...]
    selection: Selection

    def of_coup(self, coup: Coup) -> tuple[RecordedFinding, ...]:
        return tuple(each for each in self.findings if coup.holds(each.view))

    def elsewhere(self) -> tuple[RecordedFinding, ...]:
        """Findings of no coup that is told."""
        told = {each.number for coup in self.coups for each in self.of_coup(coup)}
        return tuple(each for each in self.findings if each.number not in told)


def choose(record: NightRecord, selection: Selection) -> Chosen:
    """The part of the night that is asked for; UsageFault where something asked for is not there."""
    for number in selection.findings:
        record.finding(number)
    for code in selection.codes:
        if code not in rulebook().codes:
            none = text(
                es="no hay tal código; `veedor rules` los da", en="no such code; `veedor rules` has them"
            )
            raise UsageFault(f"{code}: {none}")
    findings = tuple(each for each in record.standing if selection.takes(each))
    by_finding = bool(selection.findings or selection.codes)
    coups = tuple(
        coup
        for coup in record.coups
        if selection.takes_coup(coup.story.number)
        and (not by_finding or any(coup.holds(each.view) for each in findings))
    )
    if not selection.whole and not coups and not findings:
        nothing = text(
            es="nada de lo que se pide está en la sesión", en="nothing that is asked for is in the session"
        )
        raise UsageFault(f"{record.name}: {nothing}")
    return Chosen(record, coups, findings, selection)


def report_page(chosen: Chosen, language: Language, beside: Path | None = None) -> str:
    """The report as one HTML file, stills inside; clips as links from a file in the folder `beside`."""
    head = head_of(chosen.record, metadata.version("veedor"), language)
    views = [_shown(each, beside) for each in chosen.findings]
    stories, accounts = [each.story for each in chosen.coups], [each.account for each in chosen.coups]
    return render_report(head, stories, accounts, views, decided_on(chosen.findings))


def head_of(record: NightRecord, version: str, language: Language) -> ReportHead:
    """What a report says of its session; `version` is the program's where the session does not tell it."""
    return ReportHead(
        record.files.table_name,
        record.profile.id,
        videos(record),
        tuple(record.files.makers.models.items()),
        record.files.makers.version or version,
        language,
    )


def decided_on(findings: Iterable[RecordedFinding]) -> dict[int, list[Bilingual]]:
    """What people decided about each finding, in words."""
    return {
        each.number: [
            Bilingual(*(decision_words(word.line, language) for language in Language))
            for word in each.decisions
        ]
        for each in findings
    }


def videos(record: NightRecord) -> tuple[ReportInput, ...]:
    """The recordings of a session as a report names them."""
    return tuple(
        ReportInput(each.name, each.stop_s - each.start_s, each.frames, each.sha256)
        for each in record.files.videos
    )


def _shown(finding: RecordedFinding, beside: Path | None) -> FindingView:
    view, still = finding.view, finding.still_bytes()
    if finding.clip is not None and beside is not None:
        view = replace(view, clip=quote(os.path.relpath(finding.clip, beside)))
    return view if still is None else embedded(view, still)


def parse_coups(written: str) -> tuple[int, int]:
    """`12` or `12-30`; UsageFault for anything else."""
    first, dash, last = written.partition("-")
    numbers = (first, last if dash else first)
    if not all(each.isascii() and each.isdigit() and len(each) < 7 for each in numbers):
        expected = text(es="se espera 12 o 12-30", en="12 or 12-30 is expected")
        raise UsageFault(f"--coups {written[:40]}: {expected}")
    low, high = int(numbers[0]), int(numbers[1])
    return min(low, high), max(low, high)
