"""Recordings as one stretch of media time, and the clips cut from them."""

from __future__ import annotations

import io
import math
import threading
from pathlib import Path

import av
import moving_pictures as pictures
import numpy as np
import pytest
from veedor.monitor.clips import encode_clip
from veedor.monitor.drawing import Outline, jpeg, outlined
from veedor.monitor.errors import UsageFault
from veedor.monitor.evidence import LONGEST_S, clip_of, span_of
from veedor.monitor.pacing import Pace
from veedor.monitor.recordings import Session, open_session
from veedor.rules.events import BettingClosed
from veedor.vision.camera import Camera, look_at
from veedor.vision.detections import ObjectClass
from veedor.vision.frames import Frame

SIZE = (160, 96)


def camera_of(size: tuple[int, int]) -> Camera:
    return look_at(size, focal_px=100.0, position_mm=np.array([0.0, -10.0, 2000.0]), target_mm=np.zeros(3))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    first = pictures.write_video(tmp_path / "a.mp4", 15)
    second = pictures.write_video(tmp_path / "b.mp4", 10)
    return open_session([first, second], camera_of(SIZE))


def test_a_second_recording_goes_on_where_the_first_ends(session: Session) -> None:
    frames = list(session.frames(0.0, 99.0))
    assert [frame.index for frame in frames] == list(range(25))
    assert [frame.t_s for frame in frames] == pytest.approx([n / 10 for n in range(25)], abs=1e-5)
    assert [pictures.grey_of(frame.image) for frame in frames] == [*range(15), *range(10)]
    assert session.duration_s == pytest.approx(2.5)


def test_a_stretch_across_both_recordings(session: Session) -> None:
    frames = list(session.frames(1.2, 1.8))
    assert [frame.index for frame in frames] == [12, 13, 14, 15, 16, 17]


@pytest.mark.parametrize(("t_s", "index"), [(0.0, 0), (0.34, 3), (1.5, 15), (2.4, 24), (2.5, 24), (60.0, 24)])
def test_the_frame_at_a_moment(session: Session, t_s: float, index: int) -> None:
    frame = session.frame_at(t_s)
    assert frame is not None and frame.index == index


def test_a_recording_of_another_size_is_refused(tmp_path: Path) -> None:
    path = pictures.write_video(tmp_path / "a.mp4", 3)
    with pytest.raises(UsageFault, match=r"a\.mp4: 160 x 96 pixels, the table is calibrated for 320 x 192"):
        open_session([path], camera_of((320, 192)))


def test_a_clip_shows_the_stretch_and_is_the_same_every_time(session: Session) -> None:
    span = span_of(1.5, [], session.duration_s)
    one, two = clip_of(session, span), clip_of(session, span)
    assert one is not None and one == two
    with av.open(io.BytesIO(one)) as container:
        shown = [pictures.grey_of(frame.to_ndarray(format="bgr24")) for frame in container.decode(video=0)]
    assert shown == [*range(15), *range(10)]


def test_a_clip_of_nothing_is_none() -> None:
    assert encode_clip([], 25.0) is None


@pytest.mark.parametrize("times", [[1.0, 0.5, 0.0], [1.0, 1.04, 0.0, 0.04], [1.0, 1.0, 1.000001], [1.0]])
@pytest.mark.parametrize("rate", [25.0, -2.0, 0.0, 1e9, math.inf, math.nan])
def test_times_that_go_back_or_stand_still_make_a_clip(times: list[float], rate: float) -> None:
    image = np.full((48, 64, 3), 90, np.uint8)
    assert encode_clip([Frame.from_image(n, t_s, image) for n, t_s in enumerate(times)], rate, quick=True)


def test_a_clip_of_odd_sides_is_made_even() -> None:
    frames = [Frame.from_image(n, n / 25, np.zeros((95, 161, 3), np.uint8)) for n in range(3)]
    clip = encode_clip(frames, 25.0)
    assert clip is not None
    with av.open(io.BytesIO(clip)) as container:
        stream = container.streams.video[0]
        assert (stream.width % 2, stream.height % 2) == (0, 0)


def test_a_span_holds_the_evidence_within_its_limits() -> None:
    close = span_of(40.0, [BettingClosed(t=35.0)], 100.0)
    assert (close.start_s, close.stop_s) == (32.0, 43.0)
    far = span_of(90.0, [BettingClosed(t=5.0)], 91.0)
    assert (far.start_s, far.stop_s) == (91.0 - LONGEST_S, 91.0)
    assert span_of(1.0, [], 100.0).start_s == 0.0


def test_outlines_are_drawn_on_a_copy() -> None:
    image = np.full((100, 200, 3), 60, np.uint8)
    corners = np.array([[50, 30], [80, 30], [80, 70], [50, 70]], np.float32)
    drawn = outlined(image, [Outline(ObjectClass.CARD_FACE, corners, "7h")])
    assert (image == 60).all()
    assert (drawn[50, 50] != 60).any() and (drawn[50, 65] == 60).all()
    assert outlined(image, [], width_px=100).shape == (50, 100, 3)
    assert outlined(image, [], width_px=400).shape == (100, 200, 3)
    assert jpeg(drawn, 80).startswith(b"\xff\xd8")


class Clock:
    """A clock that only moves when somebody waits, or when told."""

    def __init__(self) -> None:
        self.t = 100.0

    def __call__(self) -> float:
        return self.t


class Waiting(threading.Event):
    """A stop event whose waits move the clock at once."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock

    def wait(self, timeout: float | None = None) -> bool:
        self.clock.t += timeout or 0.0
        return self.is_set()


def frames_at(*times: float) -> list[Frame]:
    return [Frame.from_image(n, t, np.zeros((2, 2, 3), np.uint8)) for n, t in enumerate(times)]


def test_frames_come_at_their_own_pace() -> None:
    clock = Clock()
    came = [clock.t for _ in Pace(Waiting(clock), now=clock).paced(frames_at(5.0, 5.5, 7.0))]
    assert came == pytest.approx([100.0, 100.5, 102.0])


def test_twice_the_speed_takes_half_the_time() -> None:
    clock = Clock()
    came = [clock.t for _ in Pace(Waiting(clock), 2.0, clock).paced(frames_at(0.0, 1.0))]
    assert came == pytest.approx([100.0, 100.5])


def test_a_slow_look_makes_the_next_frames_late() -> None:
    clock = Clock()
    late = []
    for timed in Pace(Waiting(clock), now=clock).paced(frames_at(0.0, 0.1, 0.2, 3.0)):
        late.append(timed.late_s)
        if timed.frame.index == 0:
            clock.t += 1.0
    assert late == pytest.approx([0.0, 0.9, 0.8, 0.0])


def test_a_stopped_pace_gives_no_more_frames() -> None:
    clock = Clock()
    stop = Waiting(clock)
    frames = Pace(stop, now=clock).paced(frames_at(0.0, 1.0))
    next(frames)
    stop.set()
    assert list(frames) == []
