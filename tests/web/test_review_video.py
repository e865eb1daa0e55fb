"""A piece of video costs what the piece is long, however the recorder has made the file."""

from __future__ import annotations

import io
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from night import SESSION as SESSION_OF_NIGHT
from veedor.datasets.digests import sha256_of
from veedor.monitor.coup_view_video import first_of, piece_of
from veedor.monitor.reviewed import open_reviewed
from veedor.monitor.reviewed_files import Recorded, write_recordings
from veedor.monitor.store import StoreError
from veedor.monitor.store.layout import SessionFolder
from veedor.web.access.people import Role

RATE, SECONDS = 5, 120
SESSION = "mesa-1/20260301T000000Z-review"


def film(path: Path, keyframe_every_s: int) -> None:
    """Noise that costs bytes, with a keyframe now and then."""
    options = {"g": str(keyframe_every_s * RATE), "keyint_min": str(keyframe_every_s * RATE),
               "sc_threshold": "0", "crf": "20", "preset": "ultrafast", "threads": "1"}  # fmt: skip
    dice = np.random.default_rng(4)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=RATE, options=options)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(RATE * SECONDS):
            frame = av.VideoFrame.from_ndarray(dice.integers(0, 255, (48, 64, 3), np.uint8), format="bgr24")
            frame.pts, frame.time_base = number, Fraction(1, RATE)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def session_of(data: Path, video: Path) -> None:
    folder = SessionFolder(data, SESSION)
    folder.path.mkdir(parents=True)
    size = video.stat().st_size
    one = Recorded(video, sha256_of(video), 0.0, float(SECONDS), (64, 48), frames=RATE * SECONDS, bytes=size)
    write_recordings(folder.path, [one])


def test_a_recording_with_one_keyframe_gives_short_pieces(tmp_path: Path) -> None:
    video = tmp_path / "night.mp4"
    film(video, 3600)
    session_of(tmp_path, video)
    session = open_reviewed(tmp_path, SESSION)
    piece = piece_of(session, 100.0, 104.0)
    assert first_of(session, 100.0, 104.0) == 100.0
    with av.open(io.BytesIO(piece)) as container:
        assert sum(1 for _ in container.decode(video=0)) == 4 * RATE
    assert len(piece) < video.stat().st_size / 4


def test_a_recording_with_near_keyframes_is_copied(tmp_path: Path) -> None:
    video = tmp_path / "night.mp4"
    film(video, 4)
    session_of(tmp_path, video)
    session = open_reviewed(tmp_path, SESSION)
    piece_of(session, 101.0, 104.0)
    assert first_of(session, 101.0, 104.0) == 100.0
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(("start_s", "stop_s"), [(0.0, 0.0), (50.05, 50.06), (100.0, 100.0), (100.0, 99.0)])
@pytest.mark.parametrize("keyframe_every_s", [4, 3600])
def test_a_piece_of_no_length_shows_a_picture(
    tmp_path: Path, start_s: float, stop_s: float, keyframe_every_s: int
) -> None:
    video = tmp_path / "night.mp4"
    film(video, keyframe_every_s)
    session_of(tmp_path, video)
    piece = piece_of(open_reviewed(tmp_path, SESSION), start_s, stop_s)
    with av.open(io.BytesIO(piece)) as container:
        assert sum(1 for _ in container.decode(video=0)) >= 1


@pytest.mark.parametrize("start_s", [119.9, 120.0, 500.0])
def test_a_piece_past_the_end_is_told_in_a_line(tmp_path: Path, start_s: float) -> None:
    video = tmp_path / "night.mp4"
    film(video, 3600)
    session_of(tmp_path, video)
    with pytest.raises(StoreError, match="no pictures"):
        piece_of(open_reviewed(tmp_path, SESSION), start_s, start_s + 0.001)


def test_overlapping_recordings_give_a_clip(tmp_path: Path) -> None:
    video = tmp_path / "night.mp4"
    film(video, 3600)
    session_of(tmp_path, video)
    session = open_reviewed(tmp_path, SESSION)
    one = session.recordings[0]
    write_recordings(session.folder.path, [one, replace(one, offset_s=0.5, start_s=0.5, stop_s=120.5)])
    assert open_reviewed(tmp_path, SESSION).stretch(1.0, 3.0)


def test_a_coup_without_pictures_has_no_video_and_a_line_says_so(archive: Any) -> None:
    write_recordings(archive.store.folder(SESSION_OF_NIGHT).path, [])
    page = archive.signed_in(Role.REVIEWER).get(f"/review/{SESSION_OF_NIGHT}/coups/1/video/0.mp4")
    assert page.status == 404 and "pictures" in page.text and "Traceback" not in page.text
