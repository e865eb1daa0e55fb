"""A session that broke off goes on: findings keep their numbers, what its end decided is undone."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from veedor.monitor.announcements import Announcements
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.fold import Fold
from veedor.monitor.ops.heartbeat import Heartbeat, Pulse
from veedor.monitor.ops.sessions import session_to_continue, take_up
from veedor.monitor.store import SessionRecord, Store, told_findings
from veedor.monitor.store.patient_journal import PatientJournal
from veedor.rules.events import SessionOpened, TableEvent, decode_event
from veedor.rules.finding import Finding
from veedor.rules.profile import load_profile
from veedor.rules.verdict import Verdict
from veedor.vision.table_file import load_table

TABLE = load_table(bundled_clip("demo").table)
PROFILE = load_profile(TABLE.profile)
DEAL = ("P1", "P2", "B", "P1", "P2", "B")


def event(t: float, name: str, **payload: object) -> TableEvent:
    return decode_event({"t": t, "event": name, "source": "import", **payload})


# A card before the call, and a coup whose end nobody saw.
PLAYED = [
    event(1.0, "coup_opened", coup=1),
    event(2.0, "betting_opened"),
    event(3.0, "bet_placed", bet="b1", zone="P1", amount=100, bettor="seat1", seat=1),
    event(4.0, "card_drawn", card="c1", by="croupier"),
    event(5.0, "betting_closed"),
    *[event(6.0 + n, "card_dealt", card=f"c{n + 1}", to=to) for n, to in enumerate(DEAL)],
]


def opened(record: SessionRecord, alarm: Callable[[str], None]) -> Fold:
    fold = Fold(TABLE, PROFILE, Announcements(), PatientJournal(record.folder.journal, alarm=alarm))
    fold.on_finding = record.finding
    return fold


END = 7


def played(data: Path) -> tuple[str, dict[int, Finding]]:
    """The session, and what stood before its end; its end has decided one thing more, number `END`."""
    alarms: list[str] = []
    with (
        Store.of_data(data) as store,
        SessionRecord.begin(store, TABLE.id, TABLE.name, alarm=alarms.append) as record,
        opened(record, alarms.append) as fold,
    ):
        fold.open(SessionOpened(PROFILE.id, t=0.0))
        for each in PLAYED:
            fold._take([each])
        before = dict(fold.findings)
        fold.finish()
        record.finding(END, replace(next(iter(before.values())), code="PAYOUT_WRONG", subject="b1"))
    assert not alarms
    return record.session, before


def beat(data: Path, session: str, at: float) -> None:
    Pulse(data, TABLE.id).beat(Heartbeat(session, os.getpid(), at, 40.0, at, {}))


def test_a_session_goes_on_only_shortly_after_it_was_running(tmp_path: Path) -> None:
    session, _ = played(tmp_path)
    assert session_to_continue(tmp_path, TABLE.id, 900.0) is None
    beat(tmp_path, session, time.time() - 100.0)
    gap = session_to_continue(tmp_path, TABLE.id, 900.0)
    assert gap is not None and gap.session == session
    assert gap.now_s == pytest.approx(140.0, abs=5.0) and gap.unseen_since_s == 35.0
    assert session_to_continue(tmp_path, TABLE.id, 50.0) is None
    beat(tmp_path, session, time.time() + 3600.0)  # the wall clock was set back
    gap = session_to_continue(tmp_path, TABLE.id, 900.0)
    assert gap is not None and gap.now_s > 40.0
    beat(tmp_path, f"{TABLE.id}/19990101T000000Z", time.time())
    assert session_to_continue(tmp_path, TABLE.id, 900.0) is None


def test_findings_keep_their_numbers_and_what_the_end_had_decided_is_withdrawn(tmp_path: Path) -> None:
    session, before = played(tmp_path)
    assert before
    beat(tmp_path, session, time.time())
    gap = session_to_continue(tmp_path, TABLE.id, 900.0)
    assert gap is not None
    alarms: list[str] = []
    with Store.of_data(tmp_path) as store:
        about = store.folder(session).about
        assert json.loads(about.read_text())["ended_at"] is not None
        record = SessionRecord.resume(store, session, alarm=alarms.append)
        assert json.loads(about.read_text())["ended_at"] is None  # it was no end
        with opened(record, alarms.append) as fold:
            told = take_up(fold, record.folder, gap)
            assert fold.findings == before
            withdrawn = {number for number, finding in told if finding.verdict is Verdict.WITHDRAWN}
            assert withdrawn == {END}
            # What stood is told again, which is no news; that the end's word is taken back is.
            assert {number for number, finding in told if record.finding(number, finding)} == {END}
            numbers = dict(told_findings(record.folder))
            fold._take([event(60.0, "card_moved", card="c1", to="P2")])
            assert all(numbers[finding.key] == number for number, finding in before.items())
        record.end()
        assert store.session(session).ended_at is not None
        standing = {row.number for row in store.findings() if row.verdict != "withdrawn"}
    assert standing == set(fold.findings) and not alarms
