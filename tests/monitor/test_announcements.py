"""Event files that are not as they should be: one line a kind of fault, and a record that is well formed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from veedor.monitor import language
from veedor.monitor.announcements import Announcements, past_the_end, read_announcements
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.fold import Fold
from veedor.monitor.language import Language
from veedor.rules.events import (
    BetPlaced,
    BettingClosed,
    CardDrawn,
    CoupOpened,
    SessionOpened,
    TableEvent,
    ViewLost,
)
from veedor.rules.journal import Fsync, read_journal
from veedor.rules.profile import load_profile
from veedor.rules.verdict import Verdict
from veedor.vision.percept import Percept
from veedor.vision.table_file import load_table

OPENED = {"event": "session_opened", "profile": "dos-panos-limitada", "t": 0.0, "unit": 250}


@pytest.fixture(autouse=True)
def in_english() -> None:
    language.use(Language.EN)


def written(path: Path, *lines: dict[str, object]) -> Path:
    numbered = [{"id": number, **line} for number, line in enumerate(lines, 1)]
    path.write_text("".join(json.dumps(line) + "\n" for line in numbered))
    return path


def test_another_schema_is_told_and_not_handed_on(tmp_path: Path) -> None:
    path = written(tmp_path / "e.jsonl", {**OPENED, "schema": 99}, {"event": "coup_opened", "t": 1.0})
    read = read_announcements(path)
    assert read.notes == ("e.jsonl: line 1: schema 99: this version reads schema 1",)
    assert isinstance(read.events[0], SessionOpened) and read.events[0].schema == 1


def test_times_that_run_back_are_told_once_and_the_session_opens_first(tmp_path: Path) -> None:
    rest = [{"event": "coup_opened", "coup": number, "t": 400.0 - 10 * number} for number in range(1, 30)]
    read = read_announcements(written(tmp_path / "e.jsonl", {**OPENED, "t": 400.0, "schema": 1}, *rest))
    assert read.notes == ("e.jsonl: line 12: t 290: runs back from 400; 2 times like that",)
    assert isinstance(read.events[0], SessionOpened) and read.events[0].t == 0.0
    times = [event.t for event in read.events]
    assert times == sorted(times)


def test_a_session_opened_twice_is_opened_once(tmp_path: Path) -> None:
    path = written(tmp_path / "e.jsonl", OPENED, {"event": "coup_opened", "t": 1.0}, {**OPENED, "t": 2.0})
    assert sum(isinstance(event, SessionOpened) for event in read_announcements(path).events) == 1


def heard(*events: TableEvent) -> Announcements:
    return Announcements((SessionOpened("dos-panos-limitada", t=0.0, source="operator"), *events))


def test_events_past_the_end_are_told_in_one_line() -> None:
    said = heard(CoupOpened(1, t=5.0), BettingClosed(t=30.0), CoupOpened(2, t=40.0))
    (line,) = past_the_end(said, "e.jsonl", 20.0)
    assert line.startswith(
        "e.jsonl: 2 of its events are past the end of the recording (20.0 s), from 30.0 s on"
    )
    assert past_the_end(said, "e.jsonl", 40.0) == ()


def folded(tmp_path: Path, said: Announcements, *, hear_rest: bool = True) -> tuple[Fold, list[TableEvent]]:
    """What comes of an empty table looked at for 20 s."""
    table = load_table(bundled_clip("demo").table)
    profile = load_profile(table.profile)
    with Fold(table, profile, said, tmp_path / "journal.jsonl", Fsync.NEVER) as fold:
        for number in range(126):
            fold.look(Percept.empty(number, number * 0.16, len(table.chips)))
        fold.finish(hear_rest=hear_rest)
    return fold, list(read_journal(tmp_path / "journal.jsonl").events)


def test_events_past_the_end_accuse_nobody(tmp_path: Path) -> None:
    said = heard(
        CoupOpened(1, t=5.0, source="operator"),
        CardDrawn("c1", "banker", "down", t=18.0, source="operator"),
        BettingClosed(t=30.0, source="operator"),
        BetPlaced("b1", "P1", None, "seat1", 1, t=50.0, source="operator"),
    )
    fold, journal = folded(tmp_path, said)
    lost = next(event for event in journal if isinstance(event, ViewLost))
    assert lost.t == 20.0 and journal.index(lost) < next(
        place for place, event in enumerate(journal) if isinstance(event, BettingClosed)
    )
    assert fold.findings and all(
        finding.verdict is Verdict.UNDECIDED and finding.reason is not None
        for finding in fold.findings.values()
    )


def test_a_live_table_has_not_heard_what_was_not_said_yet(tmp_path: Path) -> None:
    said = heard(CoupOpened(1, t=5.0), BettingClosed(t=30.0))
    _, journal = folded(tmp_path, said, hear_rest=False)
    assert not any(isinstance(event, BettingClosed | ViewLost) for event in journal)


def test_a_journal_with_corrections_is_taken_as_it_stands(tmp_path: Path) -> None:
    lines = [
        OPENED,
        {"id": 2, "t": 5.0, "event": "said", "by": "P1", "words": "carta"},
        {"id": 3, "t": 6.0, "event": "betting_closed"},
        {
            "id": 4, "t": 9.0, "event": "event_corrected", "corrects": 2,
            "replacement": {"t": 5.0, "event": "said", "by": "P1", "words": "no"},
        },
    ]  # fmt: skip
    read = read_announcements(written(tmp_path / "e.jsonl", *lines))
    assert [type(event).__name__ for event in read.events] == ["SessionOpened", "Said", "BettingClosed"]
    assert getattr(read.events[1], "words") == "no"  # noqa: B009
