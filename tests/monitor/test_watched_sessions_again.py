"""A watched session is opened like a reviewed one: pictures come from the rolling buffer while they last."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import av
import moving_pictures as pictures
import pytest
from veedor.monitor.errors import MonitorError
from veedor.monitor.reviewed import ReviewedSession, is_review, open_reviewed
from veedor.monitor.ring import RingBuffer, RingLimits
from veedor.monitor.ring_segments import segments_in
from veedor.monitor.store import StoreError
from veedor.monitor.store.layout import new_session_folder
from veedor.vision.sources import VideoSource


@pytest.fixture
def session(tmp_path: Path) -> ReviewedSession:
    """Five seconds of a table's pictures, 100 s into its session; what was before is gone."""
    folder = new_session_folder(tmp_path, "mesa-3", datetime(2026, 11, 29, 21, tzinfo=UTC))
    ring = RingBuffer(tmp_path / "ring" / "mesa-3", session=folder.session, limits=RingLimits(segment_s=2.0))
    source = VideoSource(pictures.write_video(tmp_path / "camera.mp4", 50))

    class Later:
        begin, end = ring.begin, ring.end

        def packet(self, packet: av.Packet, t_s: float) -> None:
            ring.packet(packet, t_s + 100.0)

        def frame(self, frame: object) -> None:
            raise AssertionError

    assert sum(1 for _ in source.frames(recorder=Later())) == 50
    ring.close()
    assert len(segments_in(tmp_path / "ring" / "mesa-3")) > 1
    return open_reviewed(tmp_path, folder.session)


def test_pictures_are_found_by_their_times(session: ReviewedSession) -> None:
    assert not session.is_review and session.recordings == () and not is_review(session.folder)
    assert session.frame_times(101.85, 102.25) == pytest.approx([101.9, 102.0, 102.1, 102.2], abs=1e-3)
    for t_s, number in ((100.0, 0), (101.94, 19), (102.0, 20), (104.9, 49)):
        exact = session.picture_at(t_s)
        assert exact is not None and exact.recording is None
        assert pictures.grey_of(exact.frame.image) == number % 15, t_s
        assert float(exact.pts * exact.time_base) == exact.frame.t_s
    assert session.frame_at(50.0) is None


def test_a_stretch_goes_over_the_borders_of_the_buffers_files(session: ReviewedSession) -> None:
    with av.open(io.BytesIO(session.stretch(101.5, 103.5))) as container:
        shown = [pictures.grey_of(frame.to_ndarray(format="bgr24")) for frame in container.decode(video=0)]
    assert shown == [number % 15 for number in range(15, 35)]


def test_what_is_gone_is_told(session: ReviewedSession) -> None:
    assert len(session.gone()) == 1 and "100 s" in session.gone()[0]
    for segment in segments_in(session.folder.data / "ring" / "mesa-3"):
        segment.path.unlink()
    assert len(session.gone()) == 1
    assert session.frame_at(102.0) is None and session.frame_times(0.0, 200.0) == []
    with pytest.raises(StoreError):
        session.stretch(101.0, 102.0)


def test_what_a_watched_session_has_not_got(session: ReviewedSession) -> None:
    assert session.made_by is None and list(session.sight(0.0, 999.0)) == []
    assert issubclass(StoreError, MonitorError)
