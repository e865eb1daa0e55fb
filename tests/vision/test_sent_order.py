"""Cameras that stamp pictures in the order they send them: files and streams of theirs are shown in order."""

from __future__ import annotations

from pathlib import Path

import av
import pytest
from test_sources import grey, write_video
from veedor.monitor.clips import encode_clip
from veedor.vision.sent_order import ShownTimes
from veedor.vision.sources import VideoSource

TIMES_MS = [40 * number for number in range(50)]


@pytest.fixture
def as_sent(tmp_path: Path) -> Path:
    """A video with B-pictures whose stamps count on from packet to packet."""
    plain, path = write_video(tmp_path / "plain.mp4", TIMES_MS), tmp_path / "as_sent.mkv"
    with av.open(str(plain)) as source, av.open(str(path), "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        packets = [packet for packet in source.demux(video=0) if packet.size]
        stamps = sorted(packet.pts for packet in packets)
        assert stamps != [packet.pts for packet in packets]
        for packet, stamp in zip(packets, stamps, strict=True):
            packet.pts = packet.dts = stamp
            packet.stream = stream
            target.mux(packet)
    return path


def test_a_files_pictures_come_in_the_order_they_are_shown(as_sent: Path) -> None:
    frames = list(VideoSource(as_sent).frames())
    assert [frame.index for frame in frames] == list(range(50))
    assert [round(grey(frame)) for frame in frames] == sorted(round(grey(frame)) for frame in frames)
    assert [frame.t_s for frame in frames] == pytest.approx([ms / 1000 for ms in TIMES_MS])


def test_so_they_do_from_a_moment_on(as_sent: Path) -> None:
    whole = {frame.index: grey(frame) for frame in VideoSource(as_sent).frames()}
    for frame in VideoSource(as_sent).frames(1.2, 1.6):
        assert grey(frame) == pytest.approx(whole[frame.index])


def test_a_clip_of_it_can_be_made(as_sent: Path) -> None:
    clip = encode_clip(VideoSource(as_sent).frames(), 25.0)
    assert clip is not None


def test_a_clip_leaves_out_what_runs_back(as_sent: Path) -> None:
    frames = list(VideoSource(as_sent).frames())
    assert encode_clip([frames[3], frames[1], frames[1], frames[4]], 25.0) is not None


@pytest.mark.parametrize("name", ["as_sent", "plain"])
def test_a_streams_pictures_get_their_times_in_order(as_sent: Path, name: str) -> None:
    times, found = ShownTimes(), []
    path = as_sent.with_name("as_sent.mkv" if name == "as_sent" else "plain.mp4")
    with av.open(str(path)) as container:
        base = container.streams.video[0].time_base
        for packet in container.demux(video=0):
            if packet.size:
                times.sent(packet.pts)
            for picture in packet.decode():
                level = float(picture.to_ndarray(format="gray")[40:, 60:].mean())
                if times.stamp(picture):
                    found.append((round(float(picture.pts * base) * 1000), level))
    # The first pictures give the camera away; from the key picture after them on nothing is missing.
    sure = found if name == "plain" else [each for each in found if each[0] >= 400]
    assert [ms for ms, _ in sure] == [ms for ms in TIMES_MS if name == "plain" or ms >= 400]
    assert [level for _, level in sure] == sorted(level for _, level in sure)
