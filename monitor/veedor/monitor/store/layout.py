"""Where everything lies in a data folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from veedor.monitor.language import text
from veedor.monitor.private_folder import private_folder
from veedor.monitor.store.errors import StoreError
from veedor.monitor.utc import utc_stamp

STORE, TABLES, RING = "store.sqlite", "tables", "ring"
JOURNAL, FINDINGS, DECISIONS, ABOUT = "journal.jsonl", "findings.jsonl", "decisions.jsonl", "session.json"
TABLE, PROFILE = "table.toml", "profile.toml"  # as they were when the session was judged
EVIDENCE, FINDING, CLIP, STILL = "evidence", "finding.json", "clip.mp4", "still.jpg"
# Names become folders and addresses: nothing that leads elsewhere, nothing hidden.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class SessionFolder:
    """One session's folder below a data folder."""

    data: Path
    session: str  # TABLE/START

    @property
    def path(self) -> Path:
        return self.data / TABLES / self.session

    @property
    def table_id(self) -> str:
        return self.session.partition("/")[0]

    @property
    def journal(self) -> Path:
        return self.path / JOURNAL

    @property
    def findings(self) -> Path:
        return self.path / FINDINGS

    @property
    def decisions(self) -> Path:
        return self.path / DECISIONS

    @property
    def about(self) -> Path:
        return self.path / ABOUT

    @property
    def table_file(self) -> Path:
        return self.path / TABLE

    @property
    def profile_file(self) -> Path:
        """Kept where the session was judged by it; a watched one goes by its table's."""
        return self.path / PROFILE

    @property
    def evidence(self) -> Path:
        return self.path / EVIDENCE


def session_folder(data: Path, session: str) -> SessionFolder:
    """The folder of a session by its name; StoreError for a name that could lead out of the data folder."""
    table_id, slash, start = session.partition("/")
    if not slash or not is_name(table_id) or not is_name(start):
        shown = session[:80]
        raise StoreError(text(es=f"{shown}: no es una sesión", en=f"{shown}: not a session"))
    return SessionFolder(data, session)


def new_session_folder(data: Path, table_id: str, started: datetime) -> SessionFolder:
    """Make the folder of a session that begins; its name is the start in UTC, and a number if it is taken."""
    if not is_name(table_id):
        shown = table_id[:80]
        raise StoreError(
            text(
                es=f"mesa {shown!r}: sólo letras, cifras y . _ - (64 como mucho)",
                en=f"table {shown!r}: only letters, digits and . _ - (64 at most)",
            )
        )
    stamp = utc_stamp(started)
    parent = data / TABLES / table_id
    try:
        private_folder(parent)
        for number in range(1, 10_000):
            name = stamp if number == 1 else f"{stamp}-{number}"
            try:
                (parent / name).mkdir()
            except FileExistsError:
                continue
            return SessionFolder(data, f"{table_id}/{name}")
    except OSError as fault:
        raise StoreError(f"{fault.filename or parent}: {fault.strerror or fault}") from fault
    raise StoreError(f"{parent / stamp}: " + text(es="ya existe", en="taken"))


def session_folders(data: Path) -> Iterator[SessionFolder]:
    """Every session of a data folder, by table and start."""
    tables = data / TABLES
    if not tables.is_dir():
        return
    for table in sorted(each for each in tables.iterdir() if each.is_dir() and is_name(each.name)):
        for folder in sorted(each for each in table.iterdir() if each.is_dir() and is_name(each.name)):
            yield SessionFolder(data, f"{table.name}/{folder.name}")


def evidence_name(number: int, code: str) -> str:
    """The folder of a finding's evidence, below the session's `evidence` folder."""
    return f"{number:04d}-{code}"


def is_name(name: str) -> bool:
    """Whether it may be one part of a path."""
    return _NAME.fullmatch(name) is not None
