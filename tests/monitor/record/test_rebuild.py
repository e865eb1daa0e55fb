"""Everything in the store can be had again from the files, whatever happened to it or to them."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from record_play import Table, a_coup, a_finding, spoilt_pages, veedor
from veedor.monitor import cli
from veedor.monitor.store import Action, Decision, Store, StoreError
from veedor.monitor.store.migrations import NEWEST, TABLES
from veedor.monitor.store.rebuild import all_rows, check, rebuild
from veedor.rules.events import BettingOpened, CoupClosed, CoupOpened, EventCorrected, UnknownEvent
from veedor.rules.verdict import Verdict

_TIMES = st.floats(0, 1e5, allow_nan=False)
_EVENTS = st.one_of(
    st.builds(CoupOpened, coup=st.none() | st.integers(1, 99), t=_TIMES),
    st.builds(CoupClosed, coup=st.none() | st.integers(1, 99), t=_TIMES),
    st.builds(EventCorrected, st.integers(0, 12), st.none() | st.builds(CoupOpened, t=_TIMES), t=_TIMES),
    st.builds(BettingOpened, t=_TIMES, source=st.sampled_from(["vision", "voice"])),
    st.builds(
        UnknownEvent, name=st.sampled_from(["tea_served", "dog_seen"]), payload=st.just({"n": 1}), t=_TIMES
    ),
)
_FINDINGS = st.builds(a_finding, t=_TIMES, verdict=st.sampled_from(Verdict), coup=st.integers(0, 9))
_DECISIONS = st.builds(Decision, st.sampled_from(Action), st.text(max_size=8), st.text(max_size=20))
_DEEDS = st.lists(
    st.one_of(
        st.tuples(st.just("events"), st.lists(_EVENTS, max_size=4)),
        st.tuples(st.just("finding"), st.integers(1, 4), _FINDINGS),
        st.tuples(st.just("decision"), st.integers(1, 4), _DECISIONS),
        st.tuples(st.just("torn"), st.sampled_from(["journal", "findings", "decisions"])),
        st.tuples(st.just("new session"), st.booleans(), st.sampled_from(["m1", "m2"])),
    ),
    max_size=25,
)


def rows(data: Path) -> dict[str, list[tuple[object, ...]]]:
    with Store.of_data(data) as store, store.database.reading() as db:
        return {table: all_rows(db, table) for table in TABLES}


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=_DEEDS)
def test_a_rebuild_gives_the_same_rows(deeds, tmp_path: Path) -> None:
    data = Path(tempfile.mkdtemp(dir=tmp_path))
    with Store.of_data(data) as store:
        table = Table(store, "m1")
        for kind, *rest in deeds:
            _do(store, table, kind, rest)
            if kind == "new session":
                proper, name = rest
                if proper:
                    table.end()
                else:  # broken off
                    table.journal.close()
                    table.record.stop()
                table = Table(store, name)
        table.record.flush()
    before = rows(data)
    assert check(data).differences == ()
    rebuild(data)
    assert rows(data) == before
    (data / "store.sqlite").unlink()
    rebuild(data)
    assert rows(data) == before


def test_a_correction_that_stands_before_its_event_counts_at_once(tmp_path: Path) -> None:
    with Store.of_data(tmp_path) as store:
        table = Table(store)
        table.happens([EventCorrected(4, CoupOpened(7, t=2.0), t=1.0)])
        table.happens([BettingOpened(t=1.0)])
        table.record.flush()
        table.happens([BettingOpened(t=2.0)])
        table.record.flush()
        assert [each.number for each in store.coups(table.record.session)] == [7]
        table.end()
    assert check(tmp_path).differences == ()


def _do(store: Store, table: Table, kind: str, rest: list) -> None:
    if kind == "events":
        table.happens(rest[0])
    elif kind == "finding":
        table.record.finding(*rest)
    elif kind == "decision":
        table.record.flush()
        if store.finding(table.record.session, rest[0]) is not None:
            store.record_decision(table.record.session, *rest)
    elif kind == "torn":
        # As a killed writer of an earlier life would have left it; writers cut it off.
        path = getattr(table.record.folder, rest[0])
        if rest[0] != "journal" and path.exists():
            with path.open("ab") as file:
                file.write(b'{"id": 99, "ev')


def test_lines_that_say_nothing_are_told_and_the_rest_is_there(tmp_path: Path) -> None:
    with Store.of_data(tmp_path) as store:
        table = Table(store)
        table.record.finding(1, a_finding())
        table.end()
        folder = table.record.folder
    with folder.findings.open("a", encoding="utf-8") as file:
        file.write('[1]\n{"code": 5}\n{"code": "X", "verdict": "broken", "sev')
    folder.decisions.write_text('{"finding": 1, "action": "burn", "who": "a", "reason": "", "at": ""}\n')
    with folder.journal.open("a", encoding="utf-8") as file:
        file.write('{"id": 2, "t": 1, "event": "coup_op')
    faults = rebuild(tmp_path).faults
    assert len(faults) == 5
    assert any("last line is cut short" in each and "findings.jsonl:4" in each for each in faults)
    with Store.of_data(tmp_path) as store:
        assert store.count_findings() == 1


@pytest.mark.parametrize(
    "line",
    [
        '{"code": "\\ud800", "verdict": "broken", "severity": "warn", "actor": "P1", "t": 1}',
        '{"number": 1e30, "code": "X", "verdict": "broken", "severity": "warn", "actor": "P1", "t": 1}',
        '{"number": 99999999999999999999, "code": "X", "verdict": "b", "severity": "w", "actor": "", "t": 1}',
        '{"code": "X", "verdict": "broken", "severity": "warn", "actor": "P1", "t": NaN}',
        "[" * 100_000,
    ],
)
def test_hostile_lines_do_not_stop_a_rebuild(tmp_path: Path, line: str) -> None:
    folder = tmp_path / "tables" / "m" / "1"
    folder.mkdir(parents=True)
    (folder / "findings.jsonl").write_text(line + "\n")
    (folder / "journal.jsonl").write_text(
        '{"id": 99999999999999999999, "t": 1, "event": "coup_opened", "coup": 99999999999999999999}\n'
        '{"id": 2, "t": 1, "event": "\\ud800"}\n'
    )
    rebuild(tmp_path)
    assert check(tmp_path).differences == ()


def test_the_command_rebuilds_and_tells_differences(tmp_path: Path) -> None:
    with Store.of_data(tmp_path) as store:
        table = Table(store)
        table.happens(a_coup(1, 10.0))
        table.record.finding(1, a_finding())
        table.end()
        with store.database.writing() as db:
            db.execute("UPDATE findings SET actor = 'P2'")
            db.execute("DELETE FROM coups")
    checked = veedor("store", "check", "--data", tmp_path)
    assert checked.returncode == 1
    assert "says something else" in checked.stdout and "coups" in checked.stdout
    assert veedor("store", "rebuild", "--data", tmp_path).returncode == 0
    assert veedor("store", "check", "--data", tmp_path).returncode == 0


@pytest.mark.parametrize("damage", ["not a database at all " * 300, ""])
def test_a_store_that_is_none_is_one_line_and_a_rebuild_keeps_it(tmp_path: Path, damage: str, capsys) -> None:
    with Store.of_data(tmp_path) as store:
        table = Table(store)
        table.record.finding(1, a_finding())
        table.end()
    path = tmp_path / "store.sqlite"
    if damage:
        path.write_text(damage)
    else:
        spoilt_pages(path)
    assert cli.main(["store", "check", "--data", str(tmp_path), "--lang", "en"]) in (1, 2)
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    if damage:
        assert said.err.count("\n") == 1 and "veedor store rebuild" in said.err
    assert cli.main(["store", "rebuild", "--data", str(tmp_path)]) == 0
    assert cli.main(["store", "check", "--data", str(tmp_path)]) == 0
    assert (tmp_path / "store.sqlite.unusable-1").exists()


def test_a_store_of_a_later_version_is_one_line(tmp_path: Path, capsys) -> None:
    with Store.of_data(tmp_path) as store, store.database.writing() as db:
        db.execute(f"PRAGMA user_version = {NEWEST + 1}")
    with pytest.raises(StoreError, match=f"schema {NEWEST + 1}"):
        Store.of_data(tmp_path)
    assert cli.main(["store", "check", "--data", str(tmp_path), "--lang", "es"]) == 2
    assert "versión posterior" in capsys.readouterr().err


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "store.sqlite") as other:
        other.execute("CREATE TABLE photographs (x TEXT)")
    other.close()
    with pytest.raises(StoreError, match="of another program"):
        Store.of_data(tmp_path)


def test_a_folder_that_is_none_or_cannot_be_written_is_one_line(tmp_path: Path, capsys) -> None:
    assert cli.main(["store", "rebuild", "--data", str(tmp_path / "none"), "--lang", "en"]) == 2
    assert "not a folder" in capsys.readouterr().err
    (tmp_path / "store.sqlite").mkdir()
    assert cli.main(["store", "rebuild", "--data", str(tmp_path), "--lang", "en"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("made_before", [False, True])
def test_a_read_only_folder_is_one_line(made_before: bool) -> None:
    data = Path(tempfile.mkdtemp(prefix="veedor-test-"))
    try:
        if made_before:
            Store.of_data(data).close()
            for file in data.iterdir():
                file.chmod(0o444)
        data.chmod(0o555)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:  # as somebody whom the folder does not belong to; root may write everywhere
            if os.geteuid() == 0:
                os.setuid(65534)
            try:
                rebuild(data)
            except StoreError as fault:
                os.write(writing, str(fault).encode())
            os._exit(0)
        os.close(writing)
        os.waitpid(child, 0)
        told = os.read(reading, 1000).decode()
        os.close(reading)
        assert str(data) in told and "\n" not in told
    finally:
        data.chmod(0o755)
        shutil.rmtree(data)


_WRITER = """
import sys, itertools
sys.path.insert(0, {here!r})
from pathlib import Path
from record_play import Table, a_coup, a_finding
from veedor.monitor.store import Store, Decision, Action
store = Store.of_data(Path({data!r}))
table = Table(store)
print("ready", flush=True)
for number in itertools.count(1):
    events = table.happens(a_coup(number, number * 60.0))
    table.record.finding(number, a_finding(coup=number, events=(events[0].id,)))
    if number % 3 == 0:
        table.record.flush()
        store.record_decision(table.record.session, number, Decision(Action.ACCEPT, "ana"))
"""


def test_a_writer_killed_at_any_moment_loses_nothing_that_stands_in_the_files(tmp_path: Path) -> None:
    for pause_s in (0.05, 0.13, 0.31):
        script = _WRITER.format(here=str(Path(__file__).parent), data=str(tmp_path))
        writer = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
        time.sleep(pause_s)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
    with Store.of_data(tmp_path) as store:
        # The next start brings in what the killed ones had in their files.
        Table(store).end()
        assert store.count_findings() > 0
    assert check(tmp_path).differences == ()
    kept = rows(tmp_path)
    rebuild(tmp_path)
    assert rows(tmp_path) == kept


def test_a_rebuild_killed_half_way_leaves_the_store_as_it_was(tmp_path: Path, monkeypatch) -> None:
    with Store.of_data(tmp_path) as store:
        for _ in range(2):
            table = Table(store)
            table.happens(a_coup(1, 5.0))
            table.end()
    before = rows(tmp_path)
    calls: list[int] = []

    def dies(db, folder):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return []

    monkeypatch.setattr("veedor.monitor.store.rebuild.index_session", dies)
    with pytest.raises(KeyboardInterrupt):
        rebuild(tmp_path)
    assert rows(tmp_path) == before


def test_decisions_wait_for_each_other(tmp_path: Path) -> None:
    with Store.of_data(tmp_path) as store:
        table = Table(store)
        table.record.finding(1, a_finding())
        table.end()
        path = table.record.folder.decisions
        path.touch()
        with path.open() as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            child = os.fork()
            if child == 0:
                held.close()  # or the lock would be the child's own
                with Store.of_data(tmp_path) as mine:
                    mine.record_decision(table.record.session, 1, Decision(Action.ACCEPT, "b"))
                os._exit(0)
            path.write_text('{"finding": 1, "action": "dismiss", "reason": "", "who": "a", "at": "2026"}\n')
        os.waitpid(child, 0)
        store.reindex(table.record.session)
        assert [each.who for each in store.decisions(table.record.session)] == ["a", "b"]
