"""Who is signed in: sessions that end by themselves, by signing out and by being revoked."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta

from veedor.web.access.database import AccountsFile
from veedor.web.access.people import Person, Role

# A shift of twelve hours with its hand-over, and no longer. An open live page or wall counts as being there.
ABSOLUTE = timedelta(hours=14)
IDLE = timedelta(minutes=30)
SEEN_EVERY = timedelta(seconds=30)  # writing down each request would be a disk write for each still
MOST_OF_ONE = 20  # sessions of one person; the oldest goes


@dataclass(frozen=True)
class SignedIn:
    """A session that holds. `key` names it in the file and gives nobody its token."""

    person: Person
    key: str
    csrf: str


@dataclass(frozen=True)
class OpenSession:
    """A session as its owner or an administrator sees it."""

    key: str
    name: str
    began: float
    seen: float
    address: str


class Sessions:
    """Sessions of an accounts file. Only the hash of a token is kept."""

    def __init__(self, file: AccountsFile) -> None:
        self._file = file

    def begin(self, person: Person, address: str) -> str:
        """Sign somebody in; the token for his cookie."""
        token, now = secrets.token_urlsafe(32), self._now()
        with self._file.changing() as link:
            self._drop_expired(link.execute, now)
            link.execute(
                "INSERT INTO sessions VALUES (?,?,?,?,?)", (_key(token), person.name, now, now, address)
            )
            link.execute(
                "DELETE FROM sessions WHERE name = ? AND key NOT IN "
                "(SELECT key FROM sessions WHERE name = ? ORDER BY began DESC LIMIT ?)",
                (person.name, person.name, MOST_OF_ONE),
            )
        return token

    def holder(self, token: str) -> SignedIn | None:
        """Who holds the token, None if it was never given, has expired or was revoked."""
        if len(token) > 100:
            return None
        now, key = self._now(), _key(token)
        rows = self._file.rows(
            "SELECT s.seen, p.* FROM sessions s JOIN people p USING (name) "
            "WHERE s.key = ? AND s.seen > ? AND s.began > ? AND NOT p.disabled",
            key, now - IDLE.total_seconds(), now - ABSOLUTE.total_seconds(),
        )  # fmt: skip
        if not rows:
            return None
        row = rows[0]
        if now - row["seen"] > SEEN_EVERY.total_seconds():
            with self._file.changing() as link:
                link.execute("UPDATE sessions SET seen = ? WHERE key = ?", (now, key))
        person = Person(row["name"], Role(row["role"]), False, bool(row["must_change"]), row["created_at"])
        return SignedIn(person, key, csrf_of(token))

    def end(self, key: str, *, of: str | None = None) -> bool:
        """Revoke one session, of the person `of` if that is given; False if there is none."""
        with self._file.changing() as link:
            query = "DELETE FROM sessions WHERE key = ?" + ("" if of is None else " AND name = ?")
            return link.execute(query, (key,) if of is None else (key, of)).rowcount > 0

    def end_all(self, name: str) -> int:
        with self._file.changing() as link:
            return link.execute("DELETE FROM sessions WHERE name = ?", (name,)).rowcount

    def open(self) -> list[OpenSession]:
        now = self._now()
        with self._file.changing() as link:
            self._drop_expired(link.execute, now)
        rows = self._file.rows("SELECT key, name, began, seen, address FROM sessions ORDER BY began")
        return [OpenSession(*row) for row in rows]

    def _drop_expired(self, execute: object, now: float) -> None:
        assert callable(execute)
        execute(
            "DELETE FROM sessions WHERE seen <= ? OR began <= ?",
            (now - IDLE.total_seconds(), now - ABSOLUTE.total_seconds()),
        )

    def _now(self) -> float:
        return self._file.clock().timestamp()


def csrf_of(token: str) -> str:
    """The token that a page of this session must send back with whatever it changes."""
    return hmac.new(token.encode(), b"csrf", hashlib.sha256).hexdigest()


def _key(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
