"""A site with accounts as tests have it: a real store and real accounts, a table in this process."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from argon2 import PasswordHasher
from starlette.applications import Starlette
from veedor.datasets.labelled import LabelledObject, LabelledPicture
from veedor.datasets.layouts import layout_path
from veedor.monitor.felt_svg import draw_felt
from veedor.monitor.finding_views import finding_view
from veedor.monitor.labelling.revisions import State
from veedor.monitor.labelling.store import LabelStore
from veedor.monitor.language import Bilingual, Language
from veedor.monitor.live_state import Board, FeltObject, LiveState
from veedor.monitor.sight_book import Unseen
from veedor.monitor.store import SessionRecord, Store
from veedor.monitor.story import tell
from veedor.rules.events import BetPlaced, BettingOpened, CardDealt, CardTurned, CoupOpened, Said
from veedor.rules.finding import Finding
from veedor.rules.verdict import Reason, Verdict
from veedor.vision.detections import ObjectClass
from veedor.vision.table import Table
from veedor.vision.table_file import load_layout
from veedor.web.access.accounts import Accounts
from veedor.web.access.audit import Audit
from veedor.web.access.database import AccountsFile
from veedor.web.access.passwords import Passwords
from veedor.web.access.people import Role
from veedor.web.access.sessions import Sessions
from veedor.web.access.throttle import Throttle
from veedor.web.app import AppSetting, create_app
from veedor.web.door import GuardedDoor
from veedor.web.site import Press, Receipt, SiteFault, TableFace, WatchedTable
from veedor.web.store_record import StoreRecord

sys.path.insert(0, str(Path(__file__).parent))  # for what the tests share
from browsing import browser
from night import SESSION, leave_evidence, leave_journal, leave_night, night

HOST = "127.0.0.1:8443"
PASSWORD = "a long enough secret"
TABLE = Table("mesa-1", "Mesa 1", "dos-panos-limitada", load_layout(layout_path("dos-panos-10")))
FINDINGS = (
    Finding("BET_AFTER_NMV", Verdict.BROKEN, 1, 9.0, "seat5", "001 VII p3", "money", 1.0,
            facts={"call": "0:07.4", "bet": "b6", "stake": "3500", "bettor": "seat5", "zone": "P1"}),
    Finding("P_DRAW_ON_6PLUS", Verdict.BROKEN, 3, 121.4, "P2", "001 VIII.4 p5", "rectify", 0.93,
            facts={"hand": "P2", "points": "6"}),
    Finding("SLOW_VIEW", Verdict.UNDECIDED, 3, 130.0, "P1", "001 VIII.4 p1", "info", 0.4,
            reason=Reason("view", "P1.hand")),
)  # fmt: skip


@dataclass
class Clock:
    """Wall and monotonic clock that stand still until they are moved."""

    at: datetime = datetime(2026, 3, 1, 20, 0, tzinfo=UTC)

    def wall(self) -> datetime:
        return self.at

    def seconds(self) -> float:
        return self.at.timestamp()

    def pass_by(self, **much: float) -> None:
        self.at += timedelta(**much)


@dataclass
class Entered:
    """The table's end of the keypad: keeps what was entered; `fault` makes it refuse."""

    events: list[Any] = field(default_factory=list)
    fault: str = ""

    def send(self, table: str, event: Mapping[str, object], press: Press) -> Receipt:
        return self._taken((table, dict(event), press.by))

    def correct(self, table: str, entry: int, event: Mapping[str, object] | None, press: Press) -> Receipt:
        return self._taken((table, entry, event, press.by))

    def _taken(self, what: object) -> Receipt:
        if self.fault:
            raise SiteFault(self.fault)
        self.events.append(what)
        return Receipt(len(self.events), 12.0 + len(self.events))


@dataclass
class TestedSite:
    """A store's record and one or more boards of this process."""

    __test__ = False

    record: StoreRecord
    commands: Entered
    watched: list[WatchedTable]
    language: Language = Language.EN

    def tables(self) -> Sequence[WatchedTable]:
        return self.watched


@dataclass(frozen=True)
class Answer:
    """The start of an answer and, unless it goes on for ever, all of it."""

    status: int
    headers: Mapping[str, str]
    set_cookies: Sequence[str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Web:
    """A site behind its gate, and browsers of several people."""

    app: Starlette
    site: TestedSite
    door: GuardedDoor
    clock: Clock
    store: Store
    data: Path
    session: str

    def signed_in(self, role: Role) -> Browser:
        """A browser of somebody with this role."""
        person = self.door.accounts.find(role.value)
        assert person is not None
        token = self.door.sessions.begin(person, "127.0.0.1")
        return Browser(self, {"veedor": token})

    def stranger(self) -> Browser:
        return Browser(self, {})


@dataclass
class Browser:
    """Asks as a browser does: same origin, cookies kept."""

    web: Web
    cookies: dict[str, str]

    def get(self, path: str, accept: str = "text/html", **headers: str) -> Answer:
        return self.ask("GET", path, headers={"accept": accept, **headers})

    def post(
        self, path: str, fields: Mapping[str, str] | None = None, accept: str = "text/html", **more: str
    ) -> Answer:
        """With the token of the session and from the site's own page."""
        token = self.csrf
        body = urlencode({**({"csrf": token} if token else {}), **(fields or {})}).encode()
        kind = "application/x-www-form-urlencoded"
        headers = {"accept": accept, "content-type": kind, "origin": f"http://{HOST}", **more}
        return self.ask("POST", path, headers=headers, body=body)

    @property
    def csrf(self) -> str:
        holder = self.web.door.sessions.holder(self.cookies.get("veedor", ""))
        return "" if holder is None else holder.csrf

    def ask(self, method: str, path: str, *, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        sent = {"host": HOST, "content-length": str(len(body)), **headers}
        if self.cookies:
            sent["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        answer = asyncio.run(_ask(self.web.app, method, path, sent, body))
        for cookie in answer.set_cookies:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer


async def _ask(app: Starlette, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
    """Straight to the application: a stream that never ends is left after its first part."""
    from urllib.parse import unquote

    raw, _, query = path.partition("?")
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": unquote(raw), "raw_path": raw.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()],
        "client": ("192.0.2.7", 50000), "server": ("127.0.0.1", 8443),
    }  # fmt: skip
    started: dict[str, Any] = {}
    parts: list[bytes] = []
    enough = asyncio.Event()
    gave = False

    async def receive() -> dict[str, Any]:
        nonlocal gave
        if not gave:
            gave = True
            return {"type": "http.request", "body": body, "more_body": False}
        await enough.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            started.update(message)
        elif message["type"] == "http.response.body":
            parts.append(message.get("body", b""))
            kind = dict(started["headers"]).get(b"content-type", b"")
            endless = kind.startswith((b"text/event-stream", b"multipart/"))
            if not message.get("more_body") or (endless and parts[-1]):
                enough.set()

    task = asyncio.create_task(app(scope, receive, send))  # type: ignore[arg-type]
    waiting = asyncio.create_task(enough.wait())
    await asyncio.wait({task, waiting}, timeout=20, return_when=asyncio.FIRST_COMPLETED)
    enough.set()
    _, pending = await asyncio.wait({task}, timeout=0.5)
    for each in (*pending, waiting):
        each.cancel()
    if not pending:
        task.result()
    assert started, "no answer"
    heads = [(name.decode(), value.decode("latin-1")) for name, value in started["headers"]]
    set_cookies = [value for name, value in heads if name == "set-cookie"]
    return Answer(started["status"], dict(heads), set_cookies, b"".join(parts))


def running_state(findings: Sequence[Finding] = FINDINGS) -> LiveState:
    """A table in the middle of its third coup."""
    coup = tell(
        [
            CoupOpened(3, t=100.0),
            BettingOpened(t=101.0),
            BetPlaced("b1", "half:P2", Decimal(250), "seat7", 7, t=102.0),
            CardDealt("c1", "P1", t=109.0),
            CardDealt("c2", "P1", t=110.0),
            Said("P1", "carta", t=111.0),
            CardTurned("c1", "TH", t=112.0),
        ]
    )[0]
    views = tuple(finding_view(number, finding) for number, finding in enumerate(findings, 1))
    return LiveState(
        131.0, coup=coup, findings=views, coups_closed=2, unseen=(Unseen("P1.hand", 129.0, "covered"),),
        objects=(FeltObject("c1", "card", -700.0, 20.0, 5.0, "TH"),),
    )  # fmt: skip


def a_board(state: LiveState) -> Board:
    board = Board()
    board.publish(state)
    board.publish_picture(b"\xff\xd8picture")
    return board


# The driver keeps the thread's event loop running: other modules want their own.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def accounts_file(tmp_path: Path, clock: Clock) -> Iterator[AccountsFile]:
    file = AccountsFile(tmp_path / "data" / "accounts.sqlite", clock.wall)
    yield file
    file.close()


@pytest.fixture
def door(accounts_file: AccountsFile, clock: Clock) -> GuardedDoor:
    """Four people, one of each role, named after it. Hashing is as cheap as it can be."""
    passwords = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    accounts = Accounts(accounts_file, passwords)
    for role in Role:
        accounts.add(role.value, role, PASSWORD)
    return GuardedDoor(accounts, Sessions(accounts_file), Audit(accounts_file), Throttle(clock.seconds))


Evidence = Callable[[SessionRecord, int, Finding], None]


def plain_evidence(record: SessionRecord, number: int, finding: Finding) -> None:
    """Evidence that nobody looks at."""
    leave_evidence(record, (number, finding), (bytes(range(256)) * 40, b"\xff\xd8still"), 10.0)


@pytest.fixture
def evidence() -> Evidence:
    return plain_evidence


LABELLED = "p1"


def label_store(data: Path) -> LabelStore:
    """A label store with one small picture, finished by Ana and, as second opinion, by the labeller."""
    store = LabelStore(data)
    corners = ((10.0, 10.0), (30.0, 10.0), (30.0, 40.0), (10.0, 40.0))
    seven = LabelledObject("m1", ObjectClass.CARD_FACE, corners, "7", "H")
    about = LabelledPicture(
        LABELLED, "ab" * 32, 512, Fraction(1, 12800), 160, 90, "stills", "none", None, "model", 0, (seven,)
    )
    store.add(about, np.full((90, 160, 3), 80, np.uint8))
    store.save(LABELLED, [seven], "ana", 0, State.DONE)
    store.save(LABELLED, [replace(seven, rank="8")], "labeller", 0, State.SECOND)
    return store


@pytest.fixture
def web(tmp_path: Path, door: GuardedDoor, clock: Clock, evidence: Evidence) -> Iterator[Web]:
    data = tmp_path / "data"
    with Store.of_data(data) as store:
        record = SessionRecord.begin(store, "mesa-1", "Mesa 1", source="demo", alarm=print)
        leave_journal(record.folder, night())
        record.events(night())
        for number, finding in enumerate(FINDINGS, 1):
            record.finding(number, finding)
        evidence(record, 1, FINDINGS[0])
        record.flush()
        session = record.session.partition("/")[2]
        face = TableFace(
            "Mesa 1",
            Bilingual("Bacará a dos paños", "Baccarat of two cloths"),
            "demo",
            draw_felt(TABLE),
            Language.EN,
        )
        watched = WatchedTable("mesa-1", session, face, a_board(running_state()))
        site = TestedSite(StoreRecord(store), Entered(), [watched])
        label_store(data)
        app = create_app(site, door, AppSetting(data=data))
        yield Web(app, site, door, clock, store, data, session)
        record.end()


@pytest.fixture
def night_data(tmp_path: Path) -> Path:
    """A data folder that holds one night to review."""
    leave_night(tmp_path / "night")
    return tmp_path / "night"


@pytest.fixture
def archive(night_data: Path, door: GuardedDoor, clock: Clock) -> Iterator[Web]:
    """A site of that folder, with no table that is being watched."""
    with Store.of_data(night_data) as store:
        store.reindex(SESSION)
        site = TestedSite(StoreRecord(store), Entered(), [])
        app = create_app(site, door, AppSetting())
        yield Web(app, site, door, clock, store, night_data, SESSION.partition("/")[2])
