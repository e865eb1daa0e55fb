"""A live source over a real RTSP server: what a wire or a camera can do to it, and what comes out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import numpy as np
import pytest
from rtsp_camera import RtspCamera, picture, rtsp_camera, write_stream
from veedor.vision.errors import SourceError
from veedor.vision.frames import Frame
from veedor.vision.stream_address import is_live, shown_address, stream_address
from veedor.vision.streams import GapReason, LiveStream, StreamGap, StreamSettings

PATIENCE_S = 60.0
SECRET = "p@ss_w0rd"


class Watched:
    """What came from a stream so far."""

    def __init__(self, stream: LiveStream) -> None:
        self.stream = stream
        self.frames: list[Frame] = []
        self.gaps: list[StreamGap] = []

    def until(self, met: Callable[[], bool]) -> None:
        """Take what comes until `met`; the test fails if that never happens."""
        deadline = time.monotonic() + PATIENCE_S
        while not met():
            assert time.monotonic() < deadline, f"{len(self.frames)} frames, gaps {self.gaps}"
            item = self.stream.take(0.1)
            if isinstance(item, Frame):
                assert not self.frames or item.t_s > self.frames[-1].t_s, "media time ran back"
                assert not self.frames or item.index > self.frames[-1].index
                _ = item.image
                self.frames.append(item)
            elif item is not None:
                self.gaps.append(item)

    def more(self, count: int) -> None:
        """Take so many frames."""
        wanted = len(self.frames) + count
        self.until(lambda: len(self.frames) >= wanted)

    def lost(self, reason: GapReason) -> bool:
        """Whether the newest gap lasts, for that reason."""
        return bool(self.gaps) and self.gaps[-1].until_s is None and self.gaps[-1].reason == reason

    def restored(self) -> bool:
        """Whether the newest gap is over."""
        return bool(self.gaps) and self.gaps[-1].until_s is not None


@contextmanager
def watched(camera: RtspCamera, **settings: object) -> Iterator[Watched]:
    stop = threading.Event()
    how = StreamSettings(**{"stall_s": 1.0, "frozen_s": 1.0, **settings})  # type: ignore[arg-type]
    stream = LiveStream(stream_address(camera.url), settings=how)
    stream.connect()
    stream.start(stop)
    try:
        yield Watched(stream)
    finally:
        stop.set()
        camera.hold = False
        stream.join(5)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_stream(tmp_path_factory.mktemp("film") / "film.mp4", 5)


@pytest.fixture
def camera(tmp_path: Path, film: Path) -> Iterator[RtspCamera]:
    with rtsp_camera(tmp_path, film) as camera:
        yield camera


def test_a_cut_stream_is_taken_up_again_at_another_rate_and_size(camera: RtspCamera, tmp_path: Path) -> None:
    with watched(camera, size=(320, 180)) as seen:
        seen.more(12)
        camera.refuse = True
        camera.show(write_stream(tmp_path / "other.mp4", 3, rate=25, size=(640, 360)))
        camera.cut()
        seen.until(lambda: seen.lost(GapReason.CUT))
        seen.until(lambda: "cannot be opened" in (seen.stream.health().fault or ""))
        camera.refuse = False
        seen.until(seen.restored)
        seen.more(20)
        health = seen.stream.health()
    begun, over = seen.gaps
    last = max(frame.t_s for frame in seen.frames if frame.t_s <= begun.t_s + 1e-6)
    assert begun.t_s - last < 0.2 and over.t_s == begun.t_s and over.until_s is not None
    assert not [frame for frame in seen.frames if begun.t_s < frame.t_s < over.until_s]
    assert seen.frames[-1].image.shape == (180, 320, 3)
    assert health.connections == 2 and health.gaps == 1 and health.lost is None
    assert health.declared_fps == pytest.approx(25, rel=0.05)


def test_pictures_stamped_as_they_are_sent_come_all_and_in_order(tmp_path: Path) -> None:
    film = write_stream(tmp_path / "film.mp4", 20, b_pictures=3)
    with rtsp_camera(tmp_path, film) as camera, watched(camera) as seen:
        seen.more(40)  # the first key picture's follow out of order
        begun = len(seen.frames)
        seen.more(24)
        steps = np.diff([frame.t_s for frame in seen.frames[begun:]])
        assert steps.max() < 2.5 / 12, "pictures are missing"


def test_a_stream_that_stalls_is_told_and_called_again(camera: RtspCamera) -> None:
    with watched(camera) as seen:
        seen.more(5)
        camera.hold = True
        seen.until(lambda: seen.lost(GapReason.STALLED))
        camera.hold = False
        seen.until(seen.restored)
        seen.more(5)


def test_half_of_the_packets_lost_gives_no_smeared_picture(camera: RtspCamera) -> None:
    with watched(camera) as seen:
        seen.more(30)
        camera.drop = 0.5
        seen.until(lambda: seen.lost(GapReason.DAMAGED))
        begun = time.monotonic()
        seen.until(lambda: time.monotonic() - begun > 4)
        camera.drop = 0.0
        seen.until(seen.restored)
        seen.more(10)
        assert seen.stream.health().damage_signs > 5
    whole = np.stack([picture(number)[::4, ::4] for number in range(60)]).astype(np.int16)
    for frame in seen.frames:
        error = np.abs(whole - frame.image[::4, ::4]).mean(axis=(1, 2, 3)).min()
        assert error < 6, f"frame at {frame.t_s} is like none of the film's by {error}"


def test_a_picture_that_freezes_is_a_loss_from_its_first_repetition(tmp_path: Path) -> None:
    still = write_stream(tmp_path / "still.mp4", 8, still=(2.0, 5.0))
    with rtsp_camera(tmp_path, still) as camera, watched(camera) as seen:
        seen.until(lambda: seen.lost(GapReason.FROZEN))
        seen.until(seen.restored)
    begun, over = seen.gaps
    assert over.until_s is not None and 2.0 < over.until_s - begun.t_s < 4.0


def test_pictures_of_another_shape_are_none(camera: RtspCamera) -> None:
    with watched(camera, size=(200, 200)) as seen:
        seen.until(lambda: seen.lost(GapReason.OTHER_SHAPE))
    assert not seen.frames


class MotionJpeg(BaseHTTPRequestHandler):
    """A camera that sends ten JPEGs a second over HTTP and says of no picture when it was taken."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=next")
        self.end_headers()
        for number in range(600):
            jpeg = cv2.imencode(".jpg", picture(number))[1].tobytes()
            head = f"--next\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
            try:
                self.wfile.write(head.encode() + jpeg + b"\r\n")
            except OSError:
                return
            time.sleep(0.1)

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_a_motion_jpeg_camera_is_timed_by_when_its_pictures_come() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), MotionJpeg)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    stop = threading.Event()
    stream = LiveStream(stream_address(f"http://127.0.0.1:{server.server_port}/live"))
    try:
        stream.connect()
        stream.start(stop)
        seen = Watched(stream)
        seen.more(20)
        assert seen.frames[-1].t_s == pytest.approx(stream.now_s(), abs=0.5) and not seen.gaps
        assert stream.health().declared_fps is None and not stream.health().wrong_rate
    finally:
        stop.set()
        server.shutdown()
        server.server_close()


def test_nobody_there_is_one_line_without_the_password() -> None:
    stream = LiveStream(stream_address("rtsp://ana:p%40ss@127.0.0.1:9/x?password=p%40ss"))
    with pytest.raises(SourceError) as fault:
        stream.connect()
    text = str(fault.value)
    assert text.startswith("rtsp://***@127.0.0.1:9/x?password=***: cannot be opened:") and "\n" not in text
    assert "ana" not in text and "p%40ss" not in text and "p%40ss" not in repr(stream.address)


@pytest.mark.parametrize(
    "address",
    [
        f"rtsp://user:{SECRET}@camara/1",
        f"rtsp://camara/user=admin_password={SECRET}_channel=1_stream=0.sdp",
        f"http://camara/video?user=admin&pwd={SECRET}&size=3",
        f"https://camara/video?token={SECRET}#now",
        f"could not open rtsp://user:{SECRET}@camara/1 for reading",
    ],
)
def test_no_address_is_shown_with_its_password(address: str) -> None:
    shown = shown_address(address)
    assert not any(part in shown for part in ("p@ss", "w0rd", "p@")) and "camara" in shown


def test_a_password_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MESA_3", "ana:clave")
    address = stream_address("rtsp://${MESA_3}@camara/1")
    assert address.place == "rtsp://ana:clave@camara/1" and address.shown == "rtsp://***@camara/1"
    monkeypatch.delenv("MESA_3")
    with pytest.raises(SourceError, match="the environment has no MESA_3"):
        stream_address("rtsp://${MESA_3}@camara/1")


@pytest.mark.parametrize(
    ("source", "fault"),
    [("ftp://camara/1", "expected a camera's number or one of"), ("rtsp://", "names no machine"),
     ("rtsp://camara:99999999/1", "not a network address"), ("rtsp://[::1/1", "not a network address")],
)  # fmt: skip
def test_what_is_no_address_is_named(source: str, fault: str) -> None:
    with pytest.raises(SourceError, match=fault):
        stream_address(source)


def test_what_counts_as_live() -> None:
    assert is_live("0") and is_live("RTSP://camara/1") and is_live("http://camara/mjpeg")
    assert not is_live("0.mp4") and not is_live("file:///etc/passwd") and not is_live("rtsp")
