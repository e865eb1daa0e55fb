"""The index never stops the watch: whatever happens to its file or its thread, the files have everything."""

from __future__ import annotations

import contextlib
import errno
import logging
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from record_play import Table, a_coup, a_finding, spoilt_pages
from veedor.monitor.store import Action, Decision, Store, StoreError
from veedor.monitor.store import indexer as indexer_module
from veedor.monitor.store.indexer import Indexer
from veedor.monitor.store.patient_database import ASIDE, MOST_ASIDE
from veedor.monitor.store.rebuild import check
from veedor.monitor.store.reserve import DiskReserve
from waiting import until


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer_module, "RETRY_S", 0.05)


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def store(tmp_path: Path, told: list[str]) -> Iterator[Store]:
    with Store.of_data(tmp_path, alarm=told.append) as opened:
        yield opened


def played(store: Store, number: int = 1) -> Table:
    """A table that has played a coup and told a finding, all of it indexed as far as it can be."""
    table = Table(store)
    play_coup(table, number)
    table.record.flush()
    return table


def play_coup(table: Table, number: int) -> None:
    table.happens(a_coup(number, 60.0 * number))
    table.record.finding(number, a_finding(coup=number))


def garbage(path: Path) -> None:
    path.write_bytes(b"not a database at all " * 400)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def deleted(path: Path) -> None:
    path.unlink()


def all_of_it_deleted(path: Path) -> None:
    for each in path.parent.glob("store.sqlite*"):
        each.unlink()


def of_another_program(path: Path) -> None:
    all_of_it_deleted(path)
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE photographs (x TEXT)")
    other.close()


def without_tables(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("DROP TABLE findings")
    other.close()


def a_folder(path: Path) -> None:
    all_of_it_deleted(path)
    path.mkdir()


DAMAGE = [garbage, spoilt_pages, emptied, deleted, of_another_program, without_tables]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_index_is_put_aside_at_the_start_and_made_anew(
    tmp_path: Path, told: list[str], damage: Callable[[Path], None]
) -> None:
    with Store.of_data(tmp_path, alarm=told.append) as store:
        played(store).end()
    assert not told
    damage(tmp_path / "store.sqlite")
    with Store.of_data(tmp_path, alarm=told.append) as store:
        table = played(store, 2)
        until(lambda: len(store.sessions()) == 2)  # the earlier one too, by itself
        assert store.count_findings() == 2
        table.end()
    assert check(tmp_path).differences == ()
    if damage not in (emptied, deleted):
        [aside] = [each for each in tmp_path.glob(f"store.sqlite{ASIDE}*") if each.suffix != ".lock"]
        [line] = told
        assert aside.name in line and str(tmp_path / "store.sqlite") in line and "\n" not in line


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_in_the_midst_costs_nothing_that_happens_after_it(
    store: Store, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    played(store).end()
    table = played(store)
    damage(tmp_path / "store.sqlite")
    for number in range(2, 6):
        play_coup(table, number)
        table.record.flush()
    with contextlib.suppress(StoreError):
        store.examine()
    until(lambda: (table.record.flush(), not table.record.troubles and store.count_findings() == 6)[1])
    table.end()
    assert check(tmp_path).differences == ()


def test_an_index_that_cannot_be_opened_at_all_is_told_and_taken_up_when_it_can(
    store: Store, tmp_path: Path, told: list[str]
) -> None:
    table = played(store)
    table.record._alarm._alarm = told.append
    a_folder(tmp_path / "store.sqlite")
    table.happens(a_coup(2, 120.0))
    table.record.finding(2, a_finding(coup=2))
    table.record.flush()
    assert table.record.troubles.keys() == {"index"} and len(told) == 1
    assert len((table.record.folder.findings).read_text().splitlines()) == 2
    shutil.rmtree(tmp_path / "store.sqlite")
    until(lambda: not table.record.troubles)
    assert store.count_findings() == 2
    table.end()
    assert check(tmp_path).differences == ()


def test_a_full_disk_is_no_damage(store: Store, tmp_path: Path, told: list[str]) -> None:
    table = played(store)
    table.record._alarm._alarm = told.append
    with store.database.reading() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages}")
    for number in range(2, 40):
        play_coup(table, number)
    table.record.flush()
    assert table.record.troubles.keys() == {"index"} and "full" in told[0]
    assert not [*tmp_path.glob(f"*{ASIDE}*")]
    with store.database.reading() as db:
        db.execute("PRAGMA max_page_count = 1000000")
    until(lambda: not table.record.troubles)
    table.end()
    assert check(tmp_path).differences == () and store.count_findings() == 39


_OTHER = """
import sys, time
sys.path.insert(0, {here!r})
from pathlib import Path
from record_play import Table, a_coup, a_finding
from veedor.monitor.store import Store
store = Store.of_data(Path({data!r}), alarm=lambda line: None)
table = Table(store, "mesa-7")
number = 0
for line in sys.stdin:
    number += 1
    table.happens(a_coup(number, number * 60.0))
    table.record.finding(number, a_finding(coup=number))
    table.record.flush()
    print("done", flush=True)
table.end()
store.close()
"""


def test_another_process_goes_over_to_the_new_file(store: Store, tmp_path: Path, told: list[str]) -> None:
    """It has the old one open; nothing it writes goes astray, and it takes nothing of the new one with it."""
    script = _OTHER.format(here=str(Path(__file__).parent), data=str(tmp_path))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", script], text=True, **pipes) as other:

        def goes_on() -> None:
            other.stdin.write("on\n")
            other.stdin.flush()
            assert other.stdout.readline() == "done\n"

        goes_on()
        table = played(store)
        garbage(tmp_path / "store.sqlite")
        table.record.finding(2, a_finding(coup=2))
        table.record.flush()
        table.record.flush()
        assert len(told) == 1
        goes_on()
        goes_on()
        until(lambda: store.count_findings() == 5)
        other.stdin.close()
    table.end()
    assert other.returncode == 0 and check(tmp_path).differences == ()


def test_few_damaged_files_are_kept(store: Store, tmp_path: Path) -> None:
    for _ in range(MOST_ASIDE + 2):
        garbage(tmp_path / "store.sqlite")
        assert store.count_findings() == 0
    assert len([each for each in tmp_path.glob(f"*{ASIDE}*") if not each.name.endswith(("wal", "shm"))]) == 3


def test_a_decision_does_not_wait_for_the_index(store: Store, tmp_path: Path) -> None:
    table = played(store)
    with store.database.writing() as db:
        db.execute("DELETE FROM sessions")
    row = store.record_decision(table.record.session, 1, Decision(Action.ACCEPT, "ana"))
    assert row.verdict == "broken" and row.id == 1
    with pytest.raises(StoreError, match="no finding 7"):
        store.record_decision(table.record.session, 7, Decision(Action.ACCEPT, "ana"))
    store.reindex(table.record.session)
    assert [each.who for each in store.decisions(table.record.session)] == ["ana"]
    table.end()


def test_an_index_thread_that_dies_is_told_and_started_anew(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = played(store)
    alarms: list[str] = []
    table.record._alarm._alarm = alarms.append
    kept = Indexer._bring_in

    def dies(self: Indexer, job: object) -> None:
        monkeypatch.setattr(Indexer, "_bring_in", kept)
        raise SystemExit  # what no handler of faults catches

    monkeypatch.setattr(Indexer, "_bring_in", dies)
    table.happens(a_coup(2, 120.0))
    until(lambda: not table.record._index._thread.is_alive())
    table.record.tend()
    table.record.finding(2, a_finding(coup=2))
    table.record.flush()
    assert len(alarms) == 1 and "started anew" in alarms[0]
    table.end()
    assert check(tmp_path).differences == ()


def test_no_fault_of_whatever_kind_ends_the_index_thread(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    table = played(store)
    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        patch.setattr(Store, "record_events", lambda *_: {}["no such key"])
        for number in (2, 3):
            table.happens(a_coup(number, 60.0 * number))
        # The trouble stands before the log has it: the thread writes both, one after the other.
        until(lambda: any(each.name == indexer_module.__name__ and each.exc_info for each in caplog.records))
        assert "KeyError" in table.record.troubles["index"]
    until(lambda: not table.record.troubles)
    table.end()
    assert check(tmp_path).differences == ()


def test_a_session_begins_on_a_disk_without_a_byte_to_spare(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    DiskReserve(tmp_path, size=4096).keep(1 << 30)
    mkdir = Path.mkdir

    def full(path: Path, *how: object, **more: object) -> None:
        if (tmp_path / "reserve").exists() and "tables" in path.parts:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        mkdir(path, *how, **more)

    monkeypatch.setattr(Path, "mkdir", full)
    table = played(store)
    assert not (tmp_path / "reserve").exists()
    table.end()
    monkeypatch.undo()
    assert check(tmp_path).differences == ()
