"""Who saw, changed and exported what. Entries are added and never changed or deleted."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from veedor.web.access.database import AccountsFile

LONGEST_PART = 300
PAGE = 200
_BATCH = 1000


class Outcome(StrEnum):
    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True)
class Entry:
    """One line of the log. `who` empty where nobody is signed in; `subject` a page, account or finding."""

    who: str
    address: str
    act: str
    subject: str = ""
    detail: str = ""
    outcome: Outcome = Outcome.DONE
    at: str = ""
    id: int = 0


@dataclass(frozen=True)
class Filter:
    """What of the log is asked for; empty is everything. `before` an entry's number, for the page after."""

    who: str = ""
    act: str = ""
    before: int = 0


class Audit:
    """The log of an accounts file."""

    def __init__(self, file: AccountsFile) -> None:
        self._file = file

    def note(self, entry: Entry) -> None:
        """On disk when it returns."""
        parts = (entry.who, entry.address, entry.act, entry.subject, entry.detail)
        with self._file.changing() as link:
            link.execute(
                "INSERT INTO audit (at, who, address, act, subject, detail, outcome) VALUES (?,?,?,?,?,?,?)",
                (self._file.stamp(), *(one_line(part) for part in parts), entry.outcome.value),
            )

    def entries(self, wanted: Filter, limit: int = PAGE) -> list[Entry]:
        """Newest first."""
        rows = self._file.rows(
            "SELECT who, address, act, subject, detail, outcome, at, id FROM audit "
            "WHERE (? = '' OR who = ?) AND (? = '' OR act = ?) AND (? = 0 OR id < ?) "
            "ORDER BY id DESC LIMIT ?",
            wanted.who, wanted.who, wanted.act, wanted.act, wanted.before, wanted.before, limit,
        )  # fmt: skip
        return [_entry(row) for row in rows]

    def everything(self, wanted: Filter) -> Iterator[Entry]:
        """All that the filter lets through, newest first, a batch at a time."""
        while batch := self.entries(wanted, _BATCH):
            yield from batch
            wanted = Filter(wanted.who, wanted.act, batch[-1].id)

    def acts(self) -> list[str]:
        return [str(row[0]) for row in self._file.rows("SELECT DISTINCT act FROM audit ORDER BY act")]


def _entry(row: sqlite3.Row) -> Entry:
    return Entry(
        row["who"], row["address"], row["act"], row["subject"], row["detail"], Outcome(row["outcome"]),
        row["at"], row["id"],
    )  # fmt: skip


def one_line(written: str) -> str:
    """At most so many characters, and none that could forge a line of a log or confuse a terminal."""
    shown = written[:LONGEST_PART]
    safe = "".join(each if each.isprintable() else f"\\x{ord(each):02x}" for each in shown)
    return safe if len(written) <= LONGEST_PART else safe + "…"
