"""Which evidence lies on disk, oldest first, and what keeps it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from veedor.monitor.store.queries import FINDINGS_IN_FULL
from veedor.monitor.store.rows import State
from veedor.monitor.store.store import Store


@dataclass(frozen=True)
class Kept:
    """The files of one finding's evidence, and where the finding stands with those who review it."""

    session: str
    finding: int
    folder: str
    files: tuple[str, ...]
    bytes: int
    made_at: str
    state: State
    protected: bool
    withdrawn: bool


def kept_evidence(store: Store, one: Kept | None = None) -> list[Kept]:
    """Oldest first; of `one` alone, as it stands now, if that is given."""
    only = (None, None) if one is None else (one.session, one.finding)
    with store.database.reading() as db:
        found = db.execute(
            f"SELECT k.*, f.state, f.protected, f.verdict FROM clips k LEFT JOIN ({FINDINGS_IN_FULL}) f"
            " ON f.session = k.session AND f.number = k.finding"
            " WHERE k.removed_at IS NULL AND (k.clip IS NOT NULL OR k.still IS NOT NULL)"
            " AND (?1 IS NULL OR (k.session = ?1 AND k.finding = ?2))"
            " ORDER BY k.made_at, k.session, k.finding",
            only,
        ).fetchall()
    return [_kept(row) for row in found]


def _kept(row: sqlite3.Row) -> Kept:
    return Kept(
        session=row["session"],
        finding=row["finding"],
        folder=row["folder"],
        files=tuple(each for each in (row["clip"], row["still"]) if each is not None),
        bytes=row["bytes"],
        made_at=row["made_at"],
        # Evidence without its finding was made of something: it counts as not decided on.
        state=State(row["state"] or State.OPEN),
        protected=bool(row["protected"]),
        withdrawn=row["verdict"] == "withdrawn",
    )
