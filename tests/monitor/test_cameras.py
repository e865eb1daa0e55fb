"""A table watched over RTSP: what is lost is in the journal, and nothing else comes of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from no_eyes import NO_EYES
from rtsp_camera import RtspCamera, rtsp_camera, write_stream
from veedor.monitor.announcements import Announcements
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.cameras import CameraGap, FileSource, Item, Opening, TableCameras, open_source, open_table
from veedor.monitor.clock_log import ClockLog
from veedor.monitor.errors import UsageFault
from veedor.monitor.fold import Fold
from veedor.monitor.live import LiveLoop, LiveSetting
from veedor.monitor.live_state import Board
from veedor.monitor.pacing import TimedFrame
from veedor.rules.events import BettingOpened, CoupOpened, SessionOpened, TableEvent, ViewLost, ViewRestored
from veedor.rules.journal import Fsync, read_journal
from veedor.rules.profile import load_profile
from veedor.vision.frames import Frame
from veedor.vision.streams import GapReason, StreamGap
from veedor.vision.table_file import load_table
from waiting import until

SIZE = (384, 216)
PATIENCE_S = 40.0


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_stream(tmp_path_factory.mktemp("film") / "film.mp4", 5, size=SIZE)


@pytest.fixture
def camera(tmp_path: Path, film: Path) -> Iterator[RtspCamera]:
    with rtsp_camera(tmp_path, film) as camera:
        yield camera


def watch(
    camera: RtspCamera,
    tmp_path: Path,
    script: Callable[[Board, Any], None],
    words: tuple[TableEvent, ...] = (),
) -> list[TableEvent]:
    """Watch the camera in a thread while `script` runs; the journal."""
    table, board, path = load_table(bundled_clip("demo").table), Board(), tmp_path / "journal.jsonl"
    source = open_table(table, camera.url)
    stop = threading.Event()
    announcements = Announcements(events=words)
    with Fold(table, load_profile(table.profile), announcements, path, Fsync.NEVER) as fold:
        clock = ClockLog(tmp_path / "clock.jsonl", source.wall)
        loop = LiveLoop(LiveSetting(table, NO_EYES, fold, board, None, clock))
        thread = threading.Thread(target=lambda: loop.run(source.items(stop)), daemon=True)
        thread.start()
        try:
            script(board, source)
        finally:
            stop.set()
            camera.hold = False
            thread.join(20)
        assert not thread.is_alive()
    assert board.latest()[1].finished and not fold.findings
    return list(read_journal(path).events)


def losses(journal: list[TableEvent]) -> list[tuple[type[TableEvent], str | None]]:
    return [(type(event), event.reason) for event in journal if isinstance(event, ViewLost | ViewRestored)]


def test_a_cut_stream_is_a_lost_view_until_it_comes_again(camera: RtspCamera, tmp_path: Path) -> None:
    def script(board: Board, source: Any) -> None:
        until(lambda: board.latest()[1].t_s > 2.0)
        camera.refuse = True
        camera.cut()
        until(lambda: source.health()[0].lost == GapReason.CUT)
        # The page's clock and what is said go on although nothing is seen.
        cut_s = board.latest()[1].t_s
        until(lambda: board.latest()[1].t_s > cut_s + 6.0 and bool(board.latest()[1].unseen))
        camera.refuse = False
        until(lambda: source.health()[0].lost is None)
        back_s = source.now_s()
        until(lambda: board.latest()[1].t_s > back_s + 3.0)

    words = (SessionOpened("dos-panos-libre", t=0.0), CoupOpened(1, t=5.0), BettingOpened(t=6.0))
    journal = watch(camera, tmp_path, script, words)
    told = losses(journal)
    assert told[0] == (ViewLost, "stream cut") and (ViewRestored, "stream cut") in told
    assert {reason for _, reason in told} <= {"stream cut", "frame gap"}
    times = [event.t for event in journal]
    assert times == sorted(times) and [event.t for event in journal if isinstance(event, BettingOpened)] == [
        6.0
    ]
    points = [json.loads(line) for line in (tmp_path / "clock.jsonl").read_text().splitlines()]
    assert points[0]["why"] == "start" and points[0]["utc"].endswith("+00:00")


def test_a_frozen_picture_is_a_lost_view_from_its_beginning(tmp_path: Path) -> None:
    still = write_stream(tmp_path / "still.mp4", 14, size=SIZE, still=(2.0, 8.0))

    def script(board: Board, source: Any) -> None:
        until(lambda: source.health()[0].lost == GapReason.FROZEN)
        until(lambda: source.health()[0].lost is None)
        back_s = source.now_s()
        until(lambda: board.latest()[1].t_s > back_s + 2.5)

    with rtsp_camera(tmp_path, still) as camera:
        journal = watch(camera, tmp_path, script)
    frozen = [
        event
        for event in journal
        if isinstance(event, ViewLost | ViewRestored) and event.reason == "picture frozen"
    ]
    lost, restored = frozen
    assert (
        isinstance(lost, ViewLost) and isinstance(restored, ViewRestored) and 4.0 < restored.t - lost.t < 8.0
    )


def test_a_camera_that_is_not_there_is_named_or_waited_for(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match=r"rtsp://127\.0\.0\.1:9/x: cannot be opened"):
        open_source("rtsp://127.0.0.1:9/x")
    stop = threading.Event()
    items = open_source("rtsp://127.0.0.1:9/x", Opening(patient=True)).items(stop)
    gaps = (item for item in items if isinstance(item, CameraGap))
    assert next(gaps).gap.reason == GapReason.NO_CONNECTION
    stop.set()
    assert list(items)[-1:] != [None]


def test_a_file_is_watched_at_its_own_pace_and_gives_its_packets(film: Path) -> None:
    kept = Kept()
    source = FileSource(film, Opening(recorder=kept), speed=50.0)
    frames = [item.frame for item in source.items(threading.Event()) if isinstance(item, TimedFrame)]
    assert len(frames) == 60 and source.duration_s == pytest.approx(5.0, abs=0.1)
    assert kept.times == pytest.approx([frame.t_s for frame in frames], abs=1e-6) and kept.ended == 1


def test_a_stream_gives_its_packets_once_for_each_connection(camera: RtspCamera) -> None:
    kept, stop = Kept(), threading.Event()
    source = open_source(camera.url, Opening(recorder=kept))
    items = source.items(stop)
    frames = (item for item in items if isinstance(item, TimedFrame))
    first = [next(frames).frame.t_s for _ in range(5)]
    camera.cut()
    for item in items:
        if isinstance(item, CameraGap) and item.gap.until_s is not None:
            break
    later = [next(frames).frame.t_s for _ in range(5)]
    stop.set()
    assert kept.begun == 2 and kept.ended >= 1
    assert all(min(abs(t_s - other) for other in kept.times) < 0.02 for t_s in first)
    assert kept.times == sorted(kept.times) and kept.times[-1] >= later[-1] - 0.05


def test_two_cameras_are_one_source(film: Path) -> None:
    table = load_table(bundled_clip("demo").table)
    cameras = TableCameras([FileSource(film, speed=20.0), FileSource(film, speed=20.0)])
    frames = [item for item in cameras.items(threading.Event()) if isinstance(item, TimedFrame)]
    assert sorted({item.camera for item in frames}) == [0, 1] and len(frames) == 120
    assert cameras.duration_s == pytest.approx(5.0, abs=0.1) and cameras.shown == "film.mp4, film.mp4"
    with pytest.raises(UsageFault, match="no source"):
        open_table(replace(table, source=None))


def test_losses_of_all_kinds_leave_a_journal_in_order(tmp_path: Path) -> None:
    table, path = load_table(bundled_clip("demo").table), tmp_path / "journal.jsonl"

    def items() -> Iterator[Item]:
        picture = np.zeros((1080, 1920, 3), np.uint8)
        for number in range(200):
            t_s = round(number * 0.16, 6)
            if number == 60:
                yield CameraGap(StreamGap(t_s - 3.0, None, "picture frozen"))
            if number == 110:
                yield CameraGap(StreamGap(60 * 0.16 - 3.0, t_s, "picture frozen"))
            if not 60 <= number < 110:
                yield TimedFrame(Frame.from_image(number, t_s, picture), 0.0)

    with Fold(table, load_profile(table.profile), Announcements(), path, Fsync.NEVER) as fold:
        LiveLoop(LiveSetting(table, NO_EYES, fold, Board(), None)).run(items())
    journal = list(read_journal(path).events)
    assert [event.t for event in journal] == sorted(event.t for event in journal)
    told = losses(journal)
    assert told.count((ViewLost, "picture frozen")) == told.count((ViewRestored, "picture frozen")) == 1


class Kept:
    """Notes what a recorder is given."""

    def __init__(self) -> None:
        self.begun, self.ended, self.times = 0, 0, list[float]()

    def begin(self, stream_template: Any) -> None:
        assert stream_template.width > 0
        self.begun += 1

    def packet(self, packet: Any, t_s: float) -> None:
        assert packet.size > 0
        self.times.append(t_s)

    def frame(self, frame: Frame) -> None:
        raise AssertionError("a source with packets gives packets")

    def end(self) -> None:
        self.ended += 1
