"""The store: what pages ask, what people decide, and that several processes may write."""

from __future__ import annotations

import json
import multiprocessing
import sqlite3
from pathlib import Path

import pytest
from record_play import Table, a_coup, a_finding, quiet
from veedor.monitor.store import (
    Action,
    ClipRow,
    Decision,
    FindingFilter,
    SessionRecord,
    State,
    Store,
    StoreError,
    told_findings,
)
from veedor.monitor.store import database as database_module
from veedor.monitor.store.migrations import MIGRATIONS, migrate, version_of
from veedor.monitor.store.rebuild import all_rows, check
from veedor.rules.events import CoupClosed, CoupOpened, EventCorrected
from veedor.rules.verdict import Verdict


@pytest.fixture
def store(tmp_path: Path):
    with Store.of_data(tmp_path) as opened:
        yield opened


def test_a_session_is_listed_with_its_coups_events_and_findings(store: Store) -> None:
    table = Table(store)
    events = table.happens(a_coup(7, 10.0))
    table.record.finding(1, a_finding(t=15.0, coup=7, events=(events[2].id,)))
    table.happens([CoupOpened(t=40.0)])
    table.record.flush()

    (session,) = store.sessions()
    assert (session.table_id, session.table_name, session.profile) == (
        "mesa-3",
        "Mesa 3",
        "dos-panos-limitada",
    )
    assert (session.coups, session.findings, session.open_findings, session.ended_at) == (2, 1, 1, None)
    assert [(each.number, each.closed_t, each.findings) for each in store.coups(session.session)] == [
        (7, 30.0, 1),
        (8, None, 0),
    ]
    assert [each.kind for each in store.events(session.session, place=1)] == [
        "coup_opened",
        "betting_opened",
        "card_dealt",
        "coup_closed",
    ]
    (finding,) = store.findings()
    (dealt,) = store.events(session.session, ids=finding.events)
    assert dealt.body["card"] == "c1"
    view = finding.view()
    assert view.title.es and view.title.es != view.title.en
    table.end()
    assert store.session(session.session).ended_at is not None


def test_coups_follow_the_time_of_events_and_their_corrections(store: Store) -> None:
    table = Table(store)
    # What is said is written at once, what is seen some seconds later.
    table.happens([CoupOpened(coup=4, t=5.0), CoupOpened(coup=5, t=40.0), CoupClosed(coup=4, t=38.0)])
    (misheard,) = table.happens([CoupOpened(coup=17, t=80.0, source="voice")])
    table.happens([EventCorrected(misheard.id, CoupOpened(coup=7, t=80.0, source="operator"), t=90.0)])
    table.happens([CoupOpened(coup=1, t=100.0)])
    table.record.finding(1, a_finding(t=101.0, coup=1))
    table.end()
    coups = store.coups(table.record.session)
    assert [(each.number, each.opened_t, each.closed_t) for each in coups] == [
        (4, 5.0, 38.0),
        (5, 40.0, None),
        (7, 80.0, None),
        (1, 100.0, None),
    ]
    assert [each.findings for each in coups] == [0, 0, 0, 1]


def test_a_session_that_broke_off_goes_on_in_its_folder(store: Store) -> None:
    table = Table(store)
    table.happens(a_coup(1, 10.0))
    table.record.finding(1, a_finding(t=15.0))
    table.journal.close()
    table.record.stop()
    session = table.record.session
    assert told_findings(store.folder(session)) == [(a_finding().key, 1)]

    again = SessionRecord.resume(store, session, alarm=quiet)
    again.finding(1, a_finding(t=15.0))
    again.finding(2, a_finding(t=25.0))
    again.end()
    assert [each.number for each in store.findings()] == [2, 1]
    assert store.finding(session, 1).reports == 1
    assert store.session(session).ended_at is not None
    with pytest.raises(StoreError, match="no such folder"):
        SessionRecord.resume(store, "mesa-3/none", alarm=quiet)


def test_a_finding_revised_keeps_its_number_and_one_taken_back_is_no_longer_listed(store: Store) -> None:
    table = Table(store)
    table.record.finding(1, a_finding(verdict=Verdict.UNDECIDED))
    table.record.finding(2, a_finding(t=20.0))
    table.record.finding(1, a_finding(verdict=Verdict.BROKEN))
    table.record.finding(2, a_finding(t=20.0, verdict=Verdict.WITHDRAWN))
    table.end()
    (finding,) = store.findings()
    assert (finding.number, finding.verdict, finding.reports) == (1, "broken", 2)
    assert store.count_findings(FindingFilter(withdrawn=True)) == 2


def test_decisions_are_kept_with_who_when_and_why(store: Store) -> None:
    table = Table(store)
    table.record.finding(1, a_finding())
    table.record.flush()
    session = table.record.session
    store.record_decision(session, 1, Decision(Action.ESCALATE, "ana", "ver de nuevo"))
    done = store.record_decision(session, 1, Decision(Action.ACCEPT, "benito"))
    assert store.finding(session, 1).state is State.ACCEPTED
    assert [(each.who, each.reason) for each in store.decisions(session, 1)] == [
        ("ana", "ver de nuevo"),
        ("benito", ""),
    ]
    line = json.loads(store.folder(session).decisions.read_text(encoding="utf-8").splitlines()[1])
    assert line["at"] == done.at and line["action"] == "accept"
    store.record_decision(session, 1, Decision(Action.REOPEN, "ana"))
    assert store.count_findings(FindingFilter(states=(State.OPEN,))) == 1
    table.end()


def test_a_decision_on_what_has_changed_since_is_open_again_unless_escalated(store: Store) -> None:
    table = Table(store)
    for number in (1, 2):
        table.record.finding(number, a_finding(verdict=Verdict.UNDECIDED))
    table.record.flush()
    session = table.record.session
    store.record_decision(session, 1, Decision(Action.DISMISS, "ana"))
    store.record_decision(session, 2, Decision(Action.ESCALATE, "ana"))
    for number in (1, 2):
        table.record.finding(number, a_finding(verdict=Verdict.BROKEN))
    table.record.flush()
    assert [store.finding(session, number).state for number in (1, 2)] == [State.OPEN, State.ESCALATED]
    table.end()


def test_a_decision_stands_in_its_file_though_the_index_is_occupied(tmp_path: Path) -> None:
    with Store(tmp_path / "store.sqlite", busy_s=0.05) as store:
        table = Table(store)
        table.record.finding(1, a_finding())
        table.end()
        other = sqlite3.connect(tmp_path / "store.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        done = store.record_decision(table.record.session, 1, Decision(Action.ACCEPT, "ana"))
        assert done.id == 1 and store.decisions(table.record.session) == []
        other.execute("ROLLBACK")
        store.settle()
        assert store.decisions(table.record.session) == [done]


def test_only_sessions_that_the_index_lacks_something_of_are_read_again(store: Store) -> None:
    table = Table(store)
    table.record.finding(1, a_finding())
    table.record.flush()
    table.journal.append(CoupOpened(t=5.0))  # killed before the index had it
    table.record.stop()
    table.journal.close()
    assert store.reindex_behind("mesa-3") == [table.record.session]
    assert store.reindex_behind("mesa-3") == []
    with table.record.folder.findings.open("a") as file:
        file.write('{"torn')
    assert store.reindex_behind("mesa-3") == []
    assert len(store.coups(table.record.session)) == 1


def test_nothing_is_decided_about_a_finding_that_there_is_not(store: Store) -> None:
    table = Table(store)
    with pytest.raises(StoreError, match="no finding 9"):
        store.record_decision(table.record.session, 9, Decision(Action.ACCEPT, "ana"))
    assert not table.record.folder.decisions.exists()
    table.end()


@pytest.mark.parametrize("session", ["../../etc", "mesa-3/..", "mesa-3", "a/b/c", "/etc/passwd", "mesa-3/.x"])
def test_no_name_leads_out_of_the_data_folder(store: Store, session: str) -> None:
    with pytest.raises(StoreError, match="not a session"):
        store.folder(session)


def test_the_files_of_a_finding_are_given_only_while_they_are_there(store: Store) -> None:
    table = Table(store)
    table.record.finding(1, a_finding())
    table.record.flush()
    clip = ClipRow(
        table.record.session, 1, "evidence/0001-X", "clip.mp4", None, 7.0, 17.0, ((9.0, 9.5),), 4, "2026"
    )
    store.record_clip(clip)
    assert store.clip(clip.session, 1) == clip
    assert store.evidence_file(clip.session, 1, "clip") is None
    folder = table.record.folder.evidence / "0001-X"
    folder.mkdir(parents=True)
    (folder / "clip.mp4").write_bytes(b"film")
    assert store.evidence_file(clip.session, 1, "clip") == folder / "clip.mp4"
    assert store.evidence_file(clip.session, 1, "../../journal.jsonl") is None
    assert store.finding(clip.session, 1).has_clip
    table.end()


def _write_much(data: Path, table_id: str) -> None:
    with Store.of_data(data) as store:
        table = Table(store, table_id)
        for number in range(1, 21):
            table.happens(a_coup(number, number * 60.0))
            table.record.finding(number, a_finding(coup=number))
        table.end()


def test_several_processes_write_at_once(store: Store, tmp_path: Path) -> None:
    fork = multiprocessing.get_context("fork")
    writers = [fork.Process(target=_write_much, args=(tmp_path, f"mesa-{each}")) for each in (1, 2, 3)]
    table = Table(store, "mesa-9")
    table.record.finding(1, a_finding())
    table.record.flush()
    for writer in writers:
        writer.start()
    for number in range(30):
        action = Action.PROTECT if number % 2 else Action.RELEASE
        store.record_decision(table.record.session, 1, Decision(action, "ana"))
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    table.end()
    assert store.count_findings() == 61
    assert [each.id for each in store.decisions(table.record.session)] == list(range(1, 31))
    assert check(tmp_path).differences == ()


def test_what_an_occupied_index_has_not_taken_comes_in_later(tmp_path: Path) -> None:
    told: list[str] = []
    with Store(tmp_path / "store.sqlite", busy_s=0.05) as store:
        table = Table(store)
        table.record._alarm._alarm = told.append
        table.record.flush()
        other = sqlite3.connect(tmp_path / "store.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        table.happens(a_coup(1, 10.0))
        table.record.finding(1, a_finding())
        table.record.flush()
        assert store.count_findings() == 0
        assert len(told) == 1 and "locked" in told[0]
        other.execute("ROLLBACK")
        table.record.flush()
        assert store.count_findings() == 1
        table.end()
    assert check(tmp_path).differences == ()


def test_a_store_of_an_earlier_schema_is_brought_up_with_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    old = sqlite3.connect(path, isolation_level=None)
    migrate(old, upto=1)
    old.execute("INSERT INTO sessions (session, table_id, table_name) VALUES ('m/1', 'm', 'M')")
    old.close()
    with Store(path) as store:
        assert store.session("m/1").table_name == "M"
        with store.database.reading() as db:
            assert version_of(db) == len(MIGRATIONS)
            assert all_rows(db, "clips") == []


def test_a_migration_that_fails_leaves_the_store_as_it_was(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "store.sqlite"
    Store(path).close()
    broken = (*MIGRATIONS, "CREATE TABLE more (x TEXT);\nCREATE TABLE sessions (x TEXT);\n")
    monkeypatch.setattr("veedor.monitor.store.migrations.MIGRATIONS", broken)
    raw = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError):
        migrate(raw, upto=len(broken))
    assert version_of(raw) == len(MIGRATIONS)
    assert raw.execute("SELECT count(*) FROM sqlite_master WHERE name = 'more'").fetchone() == (0,)


def test_a_rebuild_that_replaces_the_file_waits_for_nobody(tmp_path: Path) -> None:
    with (
        Store.of_data(tmp_path),
        pytest.raises(StoreError, match="in use"),
        database_module.alone(tmp_path / "store.sqlite"),
    ):
        pass


def test_an_index_is_for_its_owner_alone(tmp_path: Path) -> None:
    with Store.of_data(tmp_path) as store:
        SessionRecord.begin(store, "mesa-1", "Mesa 1", alarm=print).end()
        modes = [(tmp_path / f"store.sqlite{end}").stat().st_mode & 0o777 for end in ("", "-wal", "-shm")]
    assert modes == [0o600] * 3
