"""Sessions, findings and journals for tests of the store."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from veedor.monitor.store import SessionRecord, Store
from veedor.monitor.store.patient_journal import PatientJournal
from veedor.rules.events import BettingOpened, CardDealt, CoupClosed, CoupOpened, SessionOpened, TableEvent
from veedor.rules.finding import Finding
from veedor.rules.verdict import Verdict


def quiet(line: str) -> None:
    """An alarm that nobody hears."""


def a_finding(
    t: float = 12.0,
    verdict: Verdict = Verdict.BROKEN,
    *,
    coup: int = 1,
    code: str = "P_DRAW_ON_6PLUS",
    events: tuple[int, ...] = (),
) -> Finding:
    return Finding(
        code=code,
        verdict=verdict,
        coup=coup,
        t=t,
        actor="P1",
        rule="001 VIII.4 p2",
        severity="rectify",
        confidence=0.93,
        events=events,
    )


def a_coup(number: int, start_s: float) -> list[TableEvent]:
    return [
        CoupOpened(coup=number, t=start_s),
        BettingOpened(t=start_s + 1),
        CardDealt(card="c1", to="P1", t=start_s + 5),
        CoupClosed(coup=number, t=start_s + 20),
    ]


class Table:
    """A watched table without pictures: a journal and its record."""

    def __init__(self, store: Store, table_id: str = "mesa-3") -> None:
        self.record = SessionRecord.begin(store, table_id, f"Mesa {table_id[-1]}", alarm=quiet)
        self.journal = PatientJournal(self.record.folder.journal, alarm=quiet)
        self.happens([SessionOpened("dos-panos-limitada", t=0.0, started_at=now())])

    def happens(self, events: list[TableEvent]) -> list[TableEvent]:
        numbered = [self.journal.append(each) for each in events]
        self.record.events(numbered)
        return numbered

    def end(self) -> None:
        self.journal.close()
        self.record.end()


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def veedor(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """The program as a person starts it."""
    command = [sys.executable, "-m", "veedor.monitor.cli", "--lang", "en", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def spoilt_pages(path: Path) -> None:
    """Every page of a database but the first is no more."""
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(bytes(data))
