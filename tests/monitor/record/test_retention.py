"""What may go goes, oldest first; what is under review stays, and the journal always."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from record_play import Table, a_finding
from veedor.monitor.retention import DAY_S, Retention, RetentionPolicy
from veedor.monitor.store import Action, Decision, State, Store
from veedor.monitor.store.database import Database
from veedor.monitor.store.rebuild import check
from veedor.monitor.store.reserve import DiskReserve
from veedor.monitor.store.retained import kept_evidence
from veedor.monitor.store.truth import clip_of
from veedor.monitor.stretch_cache import cached_stretches

NOW = datetime(2026, 11, 30, tzinfo=UTC)
SIZE = 100_000


class Disk:
    """A disk of which we say how much is free: what is deleted in the folder becomes free."""

    def __init__(self, data: Path, free: int) -> None:
        self._data, self._size = data, free + used(data)

    def free(self, path: Path) -> int:
        return self._size - used(self._data)


def used(data: Path) -> int:
    return sum(each.stat().st_size for each in data.rglob("*.mp4")) + sum(
        each.stat().st_size for each in data.rglob("*.nut")
    )


class House:
    """A data folder with evidence of as many findings as asked for, each a day older than the next."""

    def __init__(self, data: Path, findings: int) -> None:
        self.data, self.told = data, list[str]()
        self.store = Store.of_data(data)
        self.table = Table(self.store)
        for number in range(1, findings + 1):
            self.table.record.finding(number, a_finding(t=float(number)))
            age = timedelta(days=findings - number)
            self._evidence(number, (NOW - age).isoformat().replace("+00:00", "Z"))
        self.table.record.flush()
        self.session = self.table.record.session

    def _evidence(self, number: int, made_at: str) -> None:
        folder = self.table.record.folder.evidence / f"{number:04d}-X"
        folder.mkdir(parents=True)
        (folder / "clip.mp4").write_bytes(bytes(SIZE))
        about = {
            "number": number,
            "made_at": made_at,
            "clip": {"file": "clip.mp4", "bytes": SIZE, "start_s": 1.0, "stop_s": 9.0, "gaps": []},
        }
        (folder / "finding.json").write_text(json.dumps(about))
        row = clip_of(self.table.record.folder, folder.name)
        assert row is not None
        self.table.record.clip(row)

    def decide(self, number: int, action: Action) -> None:
        self.store.record_decision(self.session, number, Decision(action, "ana"))

    def segment(self, number: int, age_s: float) -> Path:
        folder = self.data / "ring" / "mesa-3"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{number:09d}_s_0_4000_{SIZE}.nut"
        path.write_bytes(bytes(SIZE))
        written = NOW.timestamp() - age_s
        os.utime(path, (written, written))
        return path

    def retention(self, policy: RetentionPolicy, free: int = 10**12) -> Retention:
        disk = Disk(self.data, free)
        return Retention(self.store, policy, alarm=self.told.append, free_bytes=disk.free, now=NOW.timestamp)

    def left(self) -> list[int]:
        clips = self.data.rglob("clip.mp4")
        return sorted(int(each.parent.name[:4]) for each in clips)


LOOSE = RetentionPolicy(max_age_days=None, min_free_gb=0.0, keep_open=False)


@pytest.fixture
def house(tmp_path: Path):
    made = House(tmp_path, 6)
    yield made
    made.table.end()
    made.store.close()


def test_what_is_older_than_the_age_goes_and_says_so(house: House) -> None:
    done = house.retention(RetentionPolicy(max_age_days=2.5, min_free_gb=0.0, keep_open=False)).run()
    assert done is not None and (done.evidence, done.freed_bytes) == (3, 3 * SIZE)
    assert house.left() == [4, 5, 6]
    row = house.store.clip(house.session, 1)
    assert row is not None and row.removed_why == "age" and row.removed_at is not None
    assert not house.store.finding(house.session, 1).has_clip
    assert house.store.evidence_file(house.session, 1, "clip") is None
    assert check(house.data).differences == ()


def test_what_is_too_much_goes_oldest_first(house: House) -> None:
    house.retention(RetentionPolicy(max_age_days=None, max_gb=2.5e-4, min_free_gb=0.0, keep_open=False)).run()
    assert house.left() == [5, 6]


def test_what_is_under_review_stays_whatever_its_age(house: House) -> None:
    for number, action in enumerate((Action.ACCEPT, Action.ESCALATE, Action.DISMISS, Action.PROTECT), 1):
        house.decide(number, action)
    policy = RetentionPolicy(max_age_days=0.0, min_free_gb=0.0)
    assert house.retention(policy).run().held == 4
    assert house.left() == [2, 4, 5, 6]  # 5 and 6 nobody has decided on
    house.decide(4, Action.RELEASE)
    house.decide(2, Action.ACCEPT)
    house.retention(RetentionPolicy(max_age_days=0.0, min_free_gb=0.0, keep_open=False)).run()
    assert house.left() == [6]


def test_a_full_disk_costs_the_oldest_that_nobody_holds_and_is_told(house: House) -> None:
    house.decide(1, Action.ESCALATE)
    old, new = house.segment(1, 4.5 * DAY_S), house.segment(2, 60.0)
    policy = RetentionPolicy(max_age_days=None, min_free_gb=0.001, keep_open=False)
    retention = house.retention(policy, free=1_000_000 - 3 * SIZE)
    done = retention.run()
    assert done is not None and done.short_bytes == 0
    # Of 2 (four days), the old segment (four and a half) and 3 (three days) the oldest three went.
    assert house.left() == [1, 4, 5, 6] and not old.exists() and new.exists()
    assert len(house.told) == 1 and "nearly full" in house.told[0]
    retention.run()
    assert retention.troubles == ()


def test_a_full_disk_with_nothing_left_to_delete_is_an_alarm_and_gives_the_reserve(house: House) -> None:
    for number in range(1, 7):
        house.decide(number, Action.ESCALATE)
    reserve = house.data / "reserve"
    DiskReserve(house.data, 1000).keep(10**9)
    assert reserve.stat().st_size == 1000
    retention = house.retention(RetentionPolicy(min_free_gb=1.0), free=0)
    done = retention.run()
    assert done is not None and done.short_bytes == 10**9 and done.held == 6
    assert house.left() == [1, 2, 3, 4, 5, 6]
    assert "nothing left to delete" in house.told[-1] and not reserve.exists()
    assert (house.table.record.folder.journal).exists()
    count = len(house.told)
    retention.run()
    assert len(house.told) == count


def test_a_store_that_has_no_room_to_be_opened_takes_the_reserve(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    DiskReserve(house.data, 1000).keep(10**9)
    opened = Database._open

    def on_a_full_disk(database: Database, busy_s: float) -> sqlite3.Connection:
        if (house.data / "reserve").exists():
            fault = sqlite3.OperationalError("disk I/O error")
            fault.sqlite_errorcode = sqlite3.SQLITE_IOERR | 18 << 8  # of the log's shared memory
            raise fault
        return opened(database, busy_s)

    monkeypatch.setattr(Database, "_open", on_a_full_disk)
    with Store.of_data(house.data) as store:
        assert store.count_findings() == 6
    assert not (house.data / "reserve").exists()


def test_only_one_process_deletes_at_a_time(house: House) -> None:
    import fcntl

    with (house.data / "retention.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert house.retention(LOOSE).run() is None
    assert house.told == []
    assert house.retention(LOOSE).run() is not None


def test_a_decision_taken_while_deleting_still_counts(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = RetentionPolicy(max_age_days=0.5, min_free_gb=0.0, keep_open=False)
    calls = [0]

    def first_then_protect(store, one=None):
        calls[0] += 1
        if calls[0] == 2:
            house.decide(1, Action.PROTECT)
        return kept_evidence(store, one)

    monkeypatch.setattr("veedor.monitor.retention.kept_evidence", first_then_protect)
    house.retention(policy).run()
    assert house.left() == [1, 6]
    assert house.store.finding(house.session, 1).state is State.OPEN


_FULL_JOURNAL = """
import resource, signal, sys
sys.path.insert(0, {here!r})
from pathlib import Path
from record_play import Table, a_coup, a_finding
from veedor.monitor.store import Store
from veedor.rules.journal import read_journal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = Store.of_data(Path({data!r}))
table = Table(store)
told = []
table.journal._alarm._alarm = told.append
table.record._alarm._alarm = told.append
for number in range(1, 4):
    table.happens(a_coup(number, number * 60.0))
table.record.flush()
whole = table.record.folder.journal.stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (whole + 30, resource.RLIM_INFINITY))
for number in range(4, 7):
    table.happens(a_coup(number, number * 60.0))
    table.record.finding(number, a_finding(coup=number))
table.record.flush()
waiting, size = table.journal.waiting, table.record.folder.journal.stat().st_size
assert waiting == 12 and size == whole, (waiting, size, whole)
assert any("journal.jsonl" in each for each in told), told
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
table.happens(a_coup(7, 420.0))
table.end()
reading = read_journal(table.record.folder.journal)
assert not reading.faults and [each.id for each in reading.events] == list(range(1, 30)), reading
assert store.count_findings() == 3, store.count_findings()
assert len(store.coups(table.record.session)) == 7
print(len(told))
"""


def test_a_full_disk_delays_journal_and_findings_and_loses_nothing(tmp_path: Path) -> None:
    script = _FULL_JOURNAL.format(here=str(Path(__file__).parent), data=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) <= 4  # told when it begins, not with every event
    assert check(tmp_path).differences == ()


def test_video_made_for_pages_goes_before_any_evidence(house: House) -> None:
    cached = cached_stretches(house.data) / "a.mp4"
    cached.parent.mkdir(parents=True)
    cached.write_bytes(bytes(SIZE))
    os.utime(cached, (NOW.timestamp(), NOW.timestamp()))
    house.retention(LOOSE).run()
    assert cached.exists(), "there is room, and it is fresh"
    short = SIZE / 1e9
    policy = RetentionPolicy(max_age_days=None, min_free_gb=short, keep_open=False)
    done = house.retention(policy, free=0).run()
    assert not cached.exists() and done is not None and done.evidence == 0
    assert house.left() == [1, 2, 3, 4, 5, 6]
