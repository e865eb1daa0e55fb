"""The rolling buffer: what was seen can be cut out again, whatever happened meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import av
import pytest
from films import FPS, Film, frame, grey_of, packets_of, pictures_of
from veedor.monitor.ring import RingBuffer, RingLimits, Surroundings
from veedor.monitor.ring_cut import gaps_between
from veedor.monitor.ring_segments import segments_in
from veedor.monitor.ring_streams import parameter_sets

SHORT = RingLimits(segment_s=2.0, min_free_bytes=0)


@pytest.fixture
def ring(tmp_path: Path):
    buffer = RingBuffer(tmp_path / "ring", session="s1", limits=SHORT)
    yield buffer
    buffer.close()


@pytest.mark.parametrize("reordered", [False, True])
def test_a_clip_holds_its_stretch_as_the_camera_sent_it(
    ring: RingBuffer, tmp_path: Path, reordered: bool
) -> None:
    film = Film.of(100, reordered=reordered)
    film.play(ring, at_s=50.0)
    assert len(segments_in(ring.folder)) == 5
    assert ring.recorded_until_s == pytest.approx(60.0, abs=0.15)

    clip = tmp_path / "clip.mp4"
    cut = ring.cut(53.5, 56.5, clip)
    assert cut is not None and cut.gaps == ()
    assert cut.start_s == pytest.approx(53.0, abs=0.002)  # the keyframe before
    assert 56.4 < cut.stop_s < 56.8
    shown = pictures_of(clip)
    assert len(shown) == cut.pictures
    for t_s, grey in shown:
        number = round((cut.start_s + t_s - 50.0) * FPS)
        assert abs(grey - grey_of(number)) <= 4
    source = tmp_path / "source.mp4"
    source.write_bytes(film.data)
    assert set(packets_of(clip)) <= set(packets_of(source))  # nothing was encoded again


def test_pictures_without_packets_are_encoded(ring: RingBuffer, tmp_path: Path) -> None:
    for number in range(60):
        ring.frame(frame(number, 5.0 + number / FPS))
        if number % 10 == 9:
            ring.flush()
    ring.end()
    ring.flush()
    cut = ring.cut(6.5, 9.0, tmp_path / "clip.mp4")
    assert cut is not None and cut.gaps == ()
    for t_s, grey in pictures_of(tmp_path / "clip.mp4"):
        assert abs(grey - grey_of(round((cut.start_s + t_s - 5.0) * FPS))) <= 4


def test_a_gap_of_the_stream_is_told(ring: RingBuffer, tmp_path: Path) -> None:
    Film.of(40).play(ring, at_s=10.0)
    Film.of(40).play(ring, at_s=24.0)  # connected again ten seconds later
    cut = ring.cut(12.0, 26.0, tmp_path / "clip.mp4")
    assert cut is not None
    ((start, stop),) = cut.gaps
    assert start == pytest.approx(13.9, abs=0.05) and stop == pytest.approx(24.0, abs=0.05)
    times = [t_s for t_s, _ in pictures_of(tmp_path / "clip.mp4")]
    assert max(b - a for a, b in pairwise(times)) == pytest.approx(10.1, abs=0.1)


def test_packets_that_are_missing_are_told_as_a_gap(ring: RingBuffer, tmp_path: Path) -> None:
    film = Film.of(100)
    film.play(ring, numbers=range(40))
    film.play(ring, numbers=range(60, 100))
    cut = ring.cut(2.0, 8.0, tmp_path / "clip.mp4")
    assert cut is not None
    assert cut.gaps == ((pytest.approx(3.9, abs=0.05), pytest.approx(6.0, abs=0.05)),)


def test_a_stretch_that_is_not_there_gives_no_clip(ring: RingBuffer, tmp_path: Path) -> None:
    Film.of(20).play(ring)
    assert ring.cut(50.0, 60.0, tmp_path / "clip.mp4") is None
    cut = ring.cut(1.0, 9.0, tmp_path / "part.mp4")
    assert cut is not None and cut.gaps == ((pytest.approx(1.9), 9.0),)
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["part.mp4"]


def test_another_camera_in_the_stretch_is_not_mixed_in(ring: RingBuffer, tmp_path: Path) -> None:
    Film.of(40).play(ring, at_s=0.0)
    Film.of(40, width=96).play(ring, at_s=4.0)
    first = ring.cut(2.0, 6.0, tmp_path / "first.mp4", about_s=3.0)
    second = ring.cut(2.0, 6.0, tmp_path / "second.mp4", about_s=5.0)
    assert first is not None and second is not None
    assert first.gaps == ((pytest.approx(3.9), 6.0),)
    assert second.gaps == ((2.0, pytest.approx(4.0)),)
    with av.open(str(tmp_path / "second.mp4")) as container:
        assert container.streams.video[0].width == 96


def test_a_stream_that_names_no_parameters_in_its_header_is_cut_all_the_same(
    ring: RingBuffer, tmp_path: Path
) -> None:
    raw = tmp_path / "raw.h264"
    with av.open(str(raw), "w", format="h264") as container:
        stream = container.add_stream("libx264", rate=FPS, options={"x264-params": "keyint=10:bframes=0"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(40):
            shown = av.VideoFrame.from_ndarray(frame(number, 0.0).image, format="bgr24")
            container.mux(stream.encode(shown))
        container.mux(stream.encode(None))
    with av.open(str(raw), format="h264") as container:
        stream = container.streams.video[0]
        ring.begin(stream)
        ring.flush()
        template = ring._template
        template.stream.codec_context.extradata = None
        for number, packet in enumerate(each for each in container.demux(stream) if each.size):
            ring.packet(packet, number / FPS)
    ring.end()
    ring.flush()
    cut = ring.cut(0.0, 3.0, tmp_path / "clip.mp4")
    assert cut is not None and len(pictures_of(tmp_path / "clip.mp4")) == cut.pictures


def test_motion_jpeg_becomes_a_clip_that_browsers_play(ring: RingBuffer, tmp_path: Path) -> None:
    source = tmp_path / "source.avi"
    with av.open(str(source), "w") as container:
        stream = container.add_stream("mjpeg", rate=FPS)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuvj420p"
        for number in range(40):
            shown = av.VideoFrame.from_ndarray(frame(number, 0.0).image, format="bgr24")
            container.mux(stream.encode(shown))
        container.mux(stream.encode(None))
    Film(source.read_bytes()).play(ring)
    cut = ring.cut(1.0, 3.0, tmp_path / "clip.mp4")
    assert cut is not None and cut.gaps == ()
    with av.open(str(tmp_path / "clip.mp4")) as container:
        assert container.streams.video[0].codec_context.name == "h264"
    for t_s, grey in pictures_of(tmp_path / "clip.mp4"):
        assert abs(grey - grey_of(round((cut.start_s + t_s) * FPS))) <= 4


def test_parameter_sets_are_found_by_their_kind() -> None:
    data = b"\0\0\0\1\x67seq\0\0\1\x68pic\0\0\1\x65slice"
    assert parameter_sets(data, "h264") == b"\0\0\0\1\x67seq\0\0\0\1\x68pic"
    assert parameter_sets(b"\0\0\1\x65slice", "h264") == b""


def test_what_is_old_or_too_much_goes_and_the_newest_stays(tmp_path: Path) -> None:
    clock = [1_000_000.0]
    limits = RingLimits(segment_s=2.0, max_bytes=1, max_age_s=3600.0, min_free_bytes=0)
    ring = RingBuffer(tmp_path, session="s1", limits=limits, around=Surroundings(wall=lambda: clock[0]))
    for minute in range(4):
        Film.of(20).play(ring, at_s=minute * 60.0)
        newest = segments_in(tmp_path)[-1].path
        os.utime(newest, (clock[0], clock[0]))
        ring.close()
        clock[0] += 50.0
        ring = RingBuffer(tmp_path, session="s1", limits=limits, around=Surroundings(wall=lambda: clock[0]))
    # Of what was written 50, 100, 150 and 200 s ago, the limits leave what is younger than a minute.
    Film.of(20).play(ring, at_s=300.0)
    assert [each.start_s for each in segments_in(tmp_path)] == [180.0, 300.0]
    ring.close()


def test_age_alone_lets_segments_go(tmp_path: Path) -> None:
    limits = RingLimits(segment_s=2.0, max_age_s=600.0, min_free_bytes=0)
    ring = RingBuffer(tmp_path, session="s1", limits=limits)
    Film.of(20).play(ring)
    ring.close()
    old = segments_in(tmp_path)[0].path
    os.utime(old, (1e9, 1e9))
    ring = RingBuffer(tmp_path, session="s1", limits=limits)
    Film.of(20).play(ring, at_s=10.0)
    assert not old.exists() and len(segments_in(tmp_path)) == 1
    ring.close()


def test_after_a_loss_of_power_torn_segments_are_dropped_and_told_without_alarm(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ring = RingBuffer(tmp_path, session="s1", limits=SHORT)
    Film.of(60).play(ring)
    ring.close()
    first, second, third = (each.path for each in segments_in(tmp_path))
    second.write_bytes(second.read_bytes()[:100])
    (tmp_path / "000000099.part").write_bytes(b"half a segm")
    told: list[str] = []
    caplog.set_level("INFO")
    again = RingBuffer(tmp_path, session="s1", limits=SHORT, alarm=told.append)
    assert again.dropped_at_start == sorted([second.name, "000000099.part"])
    assert not told and len(caplog.messages) == 2 and not second.exists()
    cut = again.cut(0.5, 5.5, tmp_path / "clip.mp4")
    assert cut is not None and cut.gaps == ((pytest.approx(1.9), pytest.approx(4.0)),)
    # It goes on with higher numbers and the same time line.
    Film.of(20).play(again, at_s=6.0)
    assert [each.number for each in segments_in(tmp_path)][:2] == [1, 3]
    assert again.cut(5.0, 7.0, tmp_path / "on.mp4").gaps == ()
    again.close()
    assert third.exists() and first.exists()


_KILLED = """
import sys
sys.path.insert(0, {here!r})
from pathlib import Path
from films import Film
from veedor.monitor.ring import RingBuffer, RingLimits
ring = RingBuffer(Path({folder!r}), session="s1", limits=RingLimits(segment_s=2.0, min_free_bytes=0))
film, at_s = Film.of(100), 0.0
print("ready", flush=True)
while True:
    film.play(ring, at_s=at_s)
    at_s += 10.0
"""


def test_a_writer_killed_at_any_moment_leaves_whole_segments(tmp_path: Path) -> None:
    for pause_s in (0.05, 0.2, 0.45):
        folder = tmp_path / f"{pause_s}"
        script = _KILLED.format(here=str(Path(__file__).parent), folder=str(folder))
        writer = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
        time.sleep(pause_s)
        writer.kill()
        writer.wait()
        writer.stdout.close()
        ring = RingBuffer(folder, session="s1", limits=SHORT)
        assert len(ring.dropped_at_start) <= 1
        whole_s = ring.recorded_until_s
        if whole_s > 2.0:
            cut = ring.cut(0.0, whole_s - 0.2, tmp_path / "clip.mp4")
            assert cut is not None and cut.gaps == ()
            assert len(pictures_of(tmp_path / "clip.mp4")) == cut.pictures
        ring.close()


def test_another_sessions_time_is_not_mixed_up_with_this_ones(tmp_path: Path) -> None:
    ring = RingBuffer(tmp_path, session="s1", limits=SHORT)
    Film.of(20).play(ring)
    ring.close()
    ring = RingBuffer(tmp_path, session="s2", limits=SHORT)
    assert ring.recorded_until_s == 0.0 and ring.cut(0.0, 2.0, tmp_path / "clip.mp4") is None
    assert ring.bytes > 0
    ring.close()


def test_a_segment_that_somebody_has_deleted_is_a_gap(ring: RingBuffer, tmp_path: Path) -> None:
    Film.of(60).play(ring)
    segments_in(ring.folder)[1].path.unlink()
    cut = ring.cut(0.0, 5.9, tmp_path / "clip.mp4")
    assert cut is not None and cut.gaps == ((pytest.approx(1.9), pytest.approx(4.0)),)


def test_a_disk_without_room_costs_the_oldest_first_then_recording_and_is_told_once(tmp_path: Path) -> None:
    free = [10_000_000]
    told: list[str] = []

    def on_a_disk() -> RingBuffer:
        limits = RingLimits(segment_s=2.0, min_free_bytes=1_000_000)
        around = Surroundings(free_bytes=lambda path: free[0])
        return RingBuffer(tmp_path, session="s1", limits=limits, alarm=told.append, around=around)

    ring = on_a_disk()
    Film.of(60).play(ring)
    for each in segments_in(tmp_path)[:2]:
        os.utime(each.path, (1e9, 1e9))
    ring.close()
    free[0] = 1_000_000 - 1
    ring = on_a_disk()
    Film.of(40).play(ring, at_s=6.0)
    assert [each.start_s for each in segments_in(tmp_path)] == [2.0, 4.0] or len(segments_in(tmp_path)) == 1
    assert len(told) == 1 and "disk full" in told[0]
    assert ring.troubles
    free[0] = 10_000_000
    Film.of(40).play(ring, at_s=20.0)
    assert ring.cut(20.0, 23.0, tmp_path / "clip.mp4").gaps == ()
    assert ring.troubles == ()
    ring.close()


_FULL = """
import resource, signal, sys
sys.path.insert(0, {here!r})
from pathlib import Path
from films import Film
from veedor.monitor.ring import RingBuffer, RingLimits
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
told = []
limits = RingLimits(segment_s=2.0, min_free_bytes=0)
ring = RingBuffer(Path({folder!r}), session="s1", limits=limits, alarm=told.append)
film = Film.of(40)
resource.setrlimit(resource.RLIMIT_FSIZE, (200, resource.RLIM_INFINITY))
film.play(ring, at_s=0.0)
assert told, "nothing was told"
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
ring._retry_s = 0.0
film.play(ring, at_s=10.0)
cut = ring.cut(10.0, 13.0, Path({folder!r}) / "clip.mp4")
assert cut is not None and cut.gaps == (), cut
ring.close()
print(told[0])
"""


def test_writes_that_fail_half_way_are_told_and_recording_goes_on_later(tmp_path: Path) -> None:
    script = _FULL.format(here=str(Path(__file__).parent), folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path) in done.stdout
    assert all(each.start_s >= 10.0 for each in segments_in(tmp_path))


def test_gaps_are_told_at_the_edges_too() -> None:
    assert gaps_between([1.0, 1.1, 1.2], (1.0, 1.2)) == ()
    assert gaps_between([3.0, 3.1], (1.0, 5.0)) == ((1.0, 3.0), (3.1, 5.0))
    assert gaps_between([0.8, 2.0], (1.0, 2.0)) == ((1.0, 2.0),)
