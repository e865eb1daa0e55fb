"""Who is let in: the accounts behind a served site, or the one person at a local one."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from starlette.concurrency import run_in_threadpool
from veedor.web.access.accounts import Accounts
from veedor.web.access.audit import Audit, Entry
from veedor.web.access.people import Person, Role
from veedor.web.access.sessions import Sessions, SignedIn
from veedor.web.access.throttle import Throttle

_REMEMBERED = 5_000


class Door(Protocol):
    """Tells who holds a session, and writes down what they see and do."""

    async def holder(self, token: str) -> SignedIn | None: ...

    async def note(self, entry: Entry) -> None: ...

    async def note_once(self, session: str, entry: Entry, covers: Iterable[tuple[str, str]] = ()) -> None:
        """For what a page asks for again and again: one entry for each session and subject.

        `covers`: acts and subjects that this entry tells of as well.
        """


class LocalDoor:
    """On this machine alone, without accounts: whoever has the page is its operator."""

    def __init__(self) -> None:
        self._me = SignedIn(Person("local", Role.OPERATOR), "local", secrets.token_hex(32))

    async def holder(self, token: str) -> SignedIn | None:
        return self._me

    async def note(self, entry: Entry) -> None:
        return

    async def note_once(self, session: str, entry: Entry, covers: Iterable[tuple[str, str]] = ()) -> None:
        return


@dataclass
class GuardedDoor:
    """Accounts, sessions and audit log of a data folder, asked in threads: the file may have to wait."""

    accounts: Accounts
    sessions: Sessions
    audit: Audit
    throttle: Throttle
    _noted: OrderedDict[tuple[str, str, str], None] = field(default_factory=OrderedDict)

    async def holder(self, token: str) -> SignedIn | None:
        return await run_in_threadpool(self.sessions.holder, token) if token else None

    async def note(self, entry: Entry) -> None:
        await run_in_threadpool(self.audit.note, entry)

    async def note_once(self, session: str, entry: Entry, covers: Iterable[tuple[str, str]] = ()) -> None:
        key = (session, entry.act, entry.subject)
        if key in self._noted:
            self._noted.move_to_end(key)
            return
        self._noted |= dict.fromkeys([key, *((session, *each) for each in covers)])
        while len(self._noted) > _REMEMBERED:
            self._noted.popitem(last=False)
        await self.note(entry)
