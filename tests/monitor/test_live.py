"""The live loop: what comes too late is not looked at, and the record says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from no_eyes import NO_EYES
from veedor.monitor.announcements import Announcements
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.fold import Fold
from veedor.monitor.live import HURRIED_S, LATE_S, LiveLoop, LiveSetting
from veedor.monitor.live_state import Board
from veedor.monitor.pacing import TimedFrame
from veedor.rules.events import SessionOpened, ViewLost, ViewRestored
from veedor.rules.journal import Fsync, read_journal
from veedor.rules.profile import load_profile
from veedor.vision.doubt import LOOK_STEP_S
from veedor.vision.frames import Frame
from veedor.vision.table_file import load_table

STEP_S = 0.16


def frames(late: range) -> Iterator[TimedFrame]:
    picture = np.zeros((1080, 1920, 3), np.uint8)
    for number in range(40):
        lag_s = LATE_S + 0.1 if number in late else LATE_S - 0.1
        yield TimedFrame(Frame.from_image(number, round(number * STEP_S, 6), picture), lag_s)


def watched(tmp_path: Path, late: range) -> tuple[list[object], int]:
    """The journal, and how many frames were not looked at."""
    table, board, path = load_table(bundled_clip("demo").table), Board(), tmp_path / "journal.jsonl"
    with Fold(table, load_profile(table.profile), Announcements(), path, Fsync.NEVER) as fold:
        LiveLoop(LiveSetting(table, NO_EYES, fold, board, None)).run(frames(late))
    _, state = board.latest()
    assert state.finished
    return list(read_journal(path).events), state.dropped


def test_lag_that_can_be_made_good_is_no_gap(tmp_path: Path) -> None:
    journal, dropped = watched(tmp_path, range(0))
    assert [type(event) for event in journal] == [SessionOpened] and dropped == 0


def test_frames_that_come_too_late_are_a_lost_view(tmp_path: Path) -> None:
    journal, dropped = watched(tmp_path, range(10, 20))
    opened, lost, restored = journal
    assert isinstance(opened, SessionOpened) and dropped == 10
    assert isinstance(lost, ViewLost) and lost.reason == "frame gap" and lost.t == round(9 * STEP_S, 6)
    assert isinstance(restored, ViewRestored) and restored.t > 20 * STEP_S


def test_a_hurried_table_is_looked_at_less_often_and_nothing_counts_as_missed(tmp_path: Path) -> None:
    picture = np.zeros((1080, 1920, 3), np.uint8)
    step_s, looks = 0.08, list[float]()
    lags = [0.0] * 13 + [HURRIED_S + 0.1] * 50
    items = (
        TimedFrame(Frame.from_image(number, round(number * step_s, 6), picture), lag_s)
        for number, lag_s in enumerate(lags)
    )
    table, path = load_table(bundled_clip("demo").table), tmp_path / "journal.jsonl"
    with Fold(table, load_profile(table.profile), Announcements(), path, Fsync.NEVER) as fold:
        fold.on_look = lambda percept: looks.append(percept.t_s)
        LiveLoop(LiveSetting(table, NO_EYES, fold, Board(), None)).run(items)
    steps = np.diff(looks).round(3)
    assert set(steps[:6]) == {0.16} and set(steps[7:]) == {0.24} and steps[6] <= LOOK_STEP_S
    assert [type(event) for event in read_journal(path).events] == [SessionOpened]
