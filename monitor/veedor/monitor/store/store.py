"""The store: an index of the data folder's journals, findings, decisions and evidence, for pages to ask.

The files are the truth. What is lost here, `veedor store rebuild` brings back.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from veedor.monitor.language import text
from veedor.monitor.store import layout, queries, truth, writing
from veedor.monitor.store.alarms import Alarm
from veedor.monitor.store.database import BUSY_S, Database
from veedor.monitor.store.errors import StaleDecisionError, StoreError
from veedor.monitor.store.layout import SessionFolder, session_folder
from veedor.monitor.store.lines import append_line
from veedor.monitor.store.patient_database import PatientDatabase
from veedor.monitor.store.rows import (
    Action,
    ClipRow,
    CoupRow,
    DecisionRow,
    EventRow,
    FindingFilter,
    FindingRow,
    SessionRow,
)
from veedor.monitor.store.writing import SessionInfo
from veedor.monitor.utc import utc_now
from veedor.rules.events import TableEvent

LONGEST_REASON, LONGEST_NAME = 2000, 200


@dataclass(frozen=True)
class Decision:
    """What a person does about a finding, and why. `who` is the account's name."""

    action: Action
    who: str
    reason: str = ""


class Store:
    """`store.sqlite` of a data folder; for several threads, beside other processes.

    Opening makes or upgrades it; a damaged file, one of a later version and a folder that cannot be written
    are a StoreError of one line. With `read_only` nothing is made and nothing upgraded.

    With an `alarm` it is a service's: opening never fails, a file that cannot be used is put aside, and the
    rows that a new one lacks are brought in by `reindex` (see `openings`).
    """

    def __init__(
        self, path: Path, *, read_only: bool = False, busy_s: float = BUSY_S, alarm: Alarm | None = None
    ) -> None:
        self.path = path
        self.data = path.parent
        self._db: Database = (
            Database(path, read_only=read_only, busy_s=busy_s)
            if alarm is None
            else PatientDatabase(path, alarm=alarm, busy_s=busy_s)
        )
        self._lock = threading.Lock()  # of the decisions that wait
        self._unindexed: deque[tuple[str, int, Mapping[str, Any]]] = deque()

    @classmethod
    def of_data(cls, data: Path, *, read_only: bool = False, alarm: Alarm | None = None) -> Store:
        """The store of a data folder."""
        return cls(data / layout.STORE, read_only=read_only, alarm=alarm)

    # What happens is written; the files have it already.

    def record_session(self, info: SessionInfo) -> None:
        with self._db.writing() as db:
            writing.put_session(db, info)

    def record_events(self, session: str, events: Iterable[TableEvent]) -> None:
        """Journal events in the order of the journal, numbered by it; those known already are passed over."""
        with self._db.writing() as db:
            writing.put_events(db, session, events)

    def record_finding(self, session: str, line_number: int, line: Mapping[str, Any]) -> None:
        """A line of the session's findings.jsonl with its number from 1."""
        with self._db.writing() as db:
            fault = writing.put_finding(db, session, line_number, line)
        if fault is not None:
            raise StoreError(f"{session} {layout.FINDINGS}:{line_number}: {fault}")

    def record_clip(self, clip: ClipRow) -> None:
        with self._db.writing() as db:
            writing.put_clip(db, clip)

    def record_decision(
        self, session: str, number: int, decision: Decision, seen_id: int | None = None
    ) -> DecisionRow:
        """Append to the session's decisions.jsonl, wait for the disk, then to the index.

        StoreError where there is no such finding, or the disk does not take the line: nothing is decided.
        `seen_id`, where given, is the last decision on the finding that its author knows of, 0 for none:
        StaleDecisionError if there is another by now.
        """
        told = self._told(session, number)
        if told is None:
            raise StoreError(
                text(es=f"{session}: no hay hallazgo {number}", en=f"{session}: no finding {number}")
            )
        code, verdict = told
        who, reason = decision.who, decision.reason
        if len(who) > LONGEST_NAME or len(reason) > LONGEST_REASON:
            raise StoreError(
                text(
                    es=f"el nombre tiene hasta {LONGEST_NAME} caracteres, el motivo hasta {LONGEST_REASON}",
                    en=f"a name has up to {LONGEST_NAME} characters, a reason up to {LONGEST_REASON}",
                )
            )

        path = self.folder(session).decisions

        def make(line_number: int) -> Mapping[str, Any]:
            if seen_id is not None and truth.last_decision(path, number) != seen_id:
                raise StaleDecisionError(
                    text(es="otra persona decidió entretanto", en="somebody else has decided in the meantime")
                )
            return {
                "schema": 1,
                "id": line_number,
                "finding": number,
                "code": code,
                "verdict": verdict,
                "action": str(decision.action),
                "reason": writing.sound(reason),
                "who": writing.sound(who),
                "at": utc_now(),
            }

        line = append_line(path, make)
        # It stands in the file: what the index has no room or time for is brought in with the next one.
        self._unindexed.append((session, line["id"], line))
        with suppress(StoreError):
            self.settle()
        return DecisionRow(
            session,
            line["id"],
            number,
            decision.action,
            line["reason"],
            line["who"],
            line["at"],
            verdict,
        )

    def _told(self, session: str, number: int) -> tuple[str, str] | None:
        """Code and verdict of a finding: a decision on it does not wait for an index that is made anew."""
        with suppress(StoreError):
            found = self.finding(session, number)
            if found is not None:
                return found.code, found.verdict
        return truth.told_of(self.folder(session), number)

    def settle(self) -> None:
        """Bring decisions into the index that stand in their files alone; StoreError where that cannot be."""
        with self._lock:
            while self._unindexed:
                session, line_number, line = self._unindexed[0]
                with self._db.writing() as db:
                    writing.put_decision(db, session, line_number, line)
                self._unindexed.popleft()

    def openings(self) -> int:
        """Another number than before: it is another file, and rows may be missing. StoreError for none."""
        return self._db.openings()

    def examine(self) -> None:
        """Read the whole file; StoreError where it is damaged. Takes seconds of a large one."""
        self._db.examine()

    def reindex(self, session: str) -> list[str]:
        """A session's rows made anew from its files; returns what in those cannot be used."""
        with self._db.writing() as db:
            writing.forget_session(db, session)
            return truth.index_session(db, self.folder(session))

    def reindex_behind(self, table_id: str | None = None) -> list[str]:
        """Bring in what sessions have in their files and not in the index, of one table or all."""
        folders = (each for each in layout.session_folders(self.data) if table_id in (None, each.table_id))
        return [folder.session for folder in folders if self.catch_up(folder)]

    def catch_up(self, folder: SessionFolder) -> bool:
        """Bring in one session if its files say more than the index; whether they did."""
        with self._db.reading() as db:
            behind = truth.is_behind(db, folder)
        if behind:
            self.reindex(folder.session)
        return behind

    # What pages ask.

    def sessions(self, table_id: str | None = None, *, limit: int = 100, offset: int = 0) -> list[SessionRow]:
        """Newest first."""
        with self._db.reading() as db:
            return queries.sessions(db, table_id, limit, offset)

    def session(self, session: str) -> SessionRow | None:
        with self._db.reading() as db:
            return queries.session(db, session)

    def table_ids(self) -> list[str]:
        with self._db.reading() as db:
            return queries.table_ids(db)

    def coups(self, session: str) -> list[CoupRow]:
        with self._db.reading() as db:
            return queries.coups(db, session)

    def events(
        self, session: str, *, ids: Iterable[int] | None = None, place: int | None = None
    ) -> list[EventRow]:
        """As the journal has them: all of a session, those with these ids, those of the coup at `place`."""
        with self._db.reading() as db:
            return queries.events(db, session, ids, place)

    def findings(self, wanted: FindingFilter | None = None) -> list[FindingRow]:
        """Newest first."""
        with self._db.reading() as db:
            return queries.findings(db, wanted or FindingFilter())

    def count_findings(self, wanted: FindingFilter | None = None) -> int:
        with self._db.reading() as db:
            return queries.count_findings(db, wanted or FindingFilter())

    def finding(self, session: str, number: int) -> FindingRow | None:
        """One finding, also one that was taken back."""
        with self._db.reading() as db:
            return queries.finding(db, session, number)

    def decisions(self, session: str, number: int | None = None) -> list[DecisionRow]:
        """In order."""
        with self._db.reading() as db:
            return queries.decisions(db, session, number)

    def clip(self, session: str, number: int) -> ClipRow | None:
        """The evidence of a finding, also where its files were removed."""
        with self._db.reading() as db:
            return queries.clip(db, session, number)

    def evidence_file(self, session: str, number: int, name: str) -> Path | None:
        """Where the `clip` or the `still` of a finding lies, None where there is none (any more)."""
        found = self.clip(session, number)
        if found is None or found.removed_at is not None or name not in ("clip", "still"):
            return None
        file = found.clip if name == "clip" else found.still
        path = None if file is None else self.folder(session).path / found.folder / file
        return path if path is not None and path.is_file() else None

    def folder(self, session: str) -> SessionFolder:
        """A session's folder; StoreError for a name that could lead elsewhere."""
        return session_folder(self.data, session)

    @property
    def database(self) -> Database:
        return self._db

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
