"""Whether a table's last session goes on, and what is known of it then."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from veedor.monitor.fold import Fold
from veedor.monitor.ops.heartbeat import last_heartbeat
from veedor.monitor.sight_book import RESTART
from veedor.monitor.store import told_findings
from veedor.monitor.store.layout import SessionFolder, session_folder
from veedor.monitor.store.lines import read_lines
from veedor.rules.finding import Finding
from veedor.rules.journal import read_journal
from veedor.rules.settled import corrections_of, settled
from veedor.rules.verdict import Verdict
from veedor.vision.observer import LATENCY_S


@dataclass(frozen=True)
class Continued:
    """A session that broke off or was stopped a moment ago.

    `now_s` is the media time of this moment; nobody has looked since `unseen_since_s`, or what was seen since
    has not been told.
    """

    session: str
    now_s: float
    unseen_since_s: float

    @property
    def origin_s(self) -> float:
        """Where media time is zero on the monotonic clock."""
        return time.monotonic() - self.now_s


def session_to_continue(data: Path, table: str, resume_s: float) -> Continued | None:
    """The table's last session, if it was running at most `resume_s` ago; else None."""
    last = last_heartbeat(data, table)
    if last is None or last.session.partition("/")[0] != table:
        return None
    # A wall clock that was set back says nothing about how long it was.
    gone_s = max(last.age_s(), 0.5)
    folder = session_folder(data, last.session)
    if gone_s > resume_s or not folder.journal.is_file():
        return None
    return Continued(last.session, last.t_s + gone_s, max(0.0, last.t_s - LATENCY_S))


def take_up(fold: Fold, folder: SessionFolder, gap: Continued) -> list[tuple[int, Finding]]:
    """Bring a fold to where its session's journal ends; findings that are to be told, by number.

    What only the end of the record had decided is among them, withdrawn: it was not the end.
    """
    found: list[tuple[int, Finding]] = []
    heard, fold.on_finding = fold.on_finding, lambda number, finding: found.append((number, finding))
    fold.judgement.know(told_findings(folder))
    events = read_journal(folder.journal).events
    fold.resume(settled(events, corrections_of(events)), gap.unseen_since_s, RESTART)
    fold.on_finding = heard
    stale = [(number, each) for number, each in _standing(folder).items() if number not in fold.findings]
    return stale + [(number, each) for number, each in found if fold.findings.get(number) == each]


def _standing(folder: SessionFolder) -> Mapping[int, Finding]:
    """The findings that findings.jsonl leaves standing, as withdrawals of them."""
    standing: dict[int, Finding] = {}
    for _, line in read_lines(folder.findings, []):
        number = line.get("number")
        if type(number) is not int:
            continue
        standing.pop(number, None)
        if line.get("verdict") != Verdict.WITHDRAWN:
            with suppress(KeyError, TypeError, ValueError):
                standing[number] = _withdrawal(line)
    return standing


def _withdrawal(line: Mapping[str, Any]) -> Finding:
    return Finding(
        str(line["code"]),
        Verdict.WITHDRAWN,
        int(line["coup"]),
        float(line["t"]),
        str(line["actor"]),
        str(line["rule"]),
        str(line["severity"]),
        float(line["confidence"]),
        subject=str(line.get("subject", "")),
        revises=True,
    )
