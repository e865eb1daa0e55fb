from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from containers import dated
from veedor.vision.errors import SourceError, VisionError
from veedor.vision.frames import Frame
from veedor.vision.sources import VideoSource, is_picture, read_image

WIDTH, HEIGHT = 160, 96


def picture(number: int) -> np.ndarray:
    """A picture that carries its number as a grey level, with a white block at the top left."""
    image = np.full((HEIGHT, WIDTH, 3), 20 + 2 * number, np.uint8)
    image[:24, :32] = 255
    return image


def write_video(path: Path, times_ms: list[int], *, rotation: int | None = None, **options: str) -> Path:
    with av.open(str(path), "w", options=options) as container:
        stream = container.add_stream("libx264", rate=25, options={"g": "10", "bf": "2", "crf": "8"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
        if rotation is not None:
            stream.set_display_rotation(rotation)
        for number, time_ms in enumerate(times_ms):
            frame = av.VideoFrame.from_ndarray(picture(number), format="bgr24")
            frame.pts, frame.time_base = time_ms, Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


@pytest.fixture
def video(tmp_path: Path) -> Path:
    return write_video(tmp_path / "clip.mp4", [40 * number for number in range(50)])


def grey(frame: Frame) -> float:
    return float(frame.image[40:, 60:].mean())


def test_frames_carry_index_and_media_time(video: Path) -> None:
    source = VideoSource(video)
    frames = list(source.frames())
    assert [frame.index for frame in frames] == list(range(50))
    assert frames[10].t_s == pytest.approx(0.4)
    assert (source.info.width, source.info.height, source.info.frames) == (WIDTH, HEIGHT, 50)
    assert source.info.rate_fps == pytest.approx(25.0)
    assert source.info.duration_s == pytest.approx(2.0)
    assert source.fault is None
    assert not frames[0].image.flags.writeable


def test_a_variable_rate_keeps_the_times_of_the_file(tmp_path: Path) -> None:
    times = [0, 40, 90, 500, 520, 1700]
    frames = list(VideoSource(write_video(tmp_path / "vfr.mp4", times)).frames())
    assert [round(frame.t_s * 1000) for frame in frames] == times


def test_a_matroska_file_that_lost_its_end_says_how_much(tmp_path: Path) -> None:
    whole = write_video(tmp_path / "whole.mkv", [40 * n for n in range(110)])
    assert VideoSource(whole).fault is None
    cut = tmp_path / "cámara 2.mkv"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    source = VideoSource(cut)
    assert source.fault is not None and "cámara 2.mkv: cut off: holds" in source.fault
    assert source.fault.endswith("of 4.4 s")
    assert len(list(source.frames())) == source.info.frames < 110


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_every_quarter_turn_is_undone(tmp_path: Path, rotation: int) -> None:
    source = VideoSource(write_video(tmp_path / "turned.mp4", [0, 40, 80], rotation=rotation))
    assert source.info.rotation_deg == rotation
    frame = next(source.frames())
    straight = next(VideoSource(write_video(tmp_path / "straight.mp4", [0, 40, 80])).frames()).image
    assert np.array_equal(frame.image, np.rot90(straight, rotation // 90))


def test_frames_are_found_by_their_timestamps(tmp_path: Path) -> None:
    source = VideoSource(write_video(tmp_path / "late.mkv", [5000, 5040, 5090, 5500]))
    assert source.times() == [0.0, 0.04, 0.09, 0.5]
    assert source.times(0.04, 0.5) == [0.04, 0.09]
    pts, time_base = source.timestamp(2)
    assert pts * time_base == Fraction(5090, 1000)
    assert source.fault is None


def test_a_container_says_when_it_was_made(tmp_path: Path) -> None:
    path = write_video(tmp_path / "plain.mp4", [0, 40])
    assert VideoSource(path).created_at is None
    made = datetime(2026, 11, 29, 22, tzinfo=UTC)
    assert VideoSource(dated(path, tmp_path / "dated.mp4")).created_at == made


def test_sound_is_no_frames(tmp_path: Path) -> None:
    path = tmp_path / "with sound.mkv"
    with av.open(str(path), "w") as container:
        sound = container.add_stream("aac", rate=8000, layout="mono")
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for number in range(10):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture(number), format="bgr24")))
            noise = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
            noise.sample_rate = 8000
            container.mux(sound.encode(noise))
        container.mux(stream.encode())
        container.mux(sound.encode())
    source = VideoSource(path)
    assert source.info.frames == len(list(source.frames())) == 10
    assert source.fault is None


def test_times_count_from_the_first_frame(tmp_path: Path) -> None:
    frames = list(VideoSource(write_video(tmp_path / "late.mkv", [5000, 5040, 5080])).frames())
    assert [frame.t_s for frame in frames] == [0.0, 0.04, 0.08]


def test_a_part_holds_the_same_frames_as_the_whole(video: Path) -> None:
    source = VideoSource(video)
    whole = {frame.index: frame.image for frame in source.frames()}
    part = list(source.frames(0.6, 1.2))
    assert [frame.index for frame in part] == list(range(15, 30))
    assert all(np.array_equal(frame.image, whole[frame.index]) for frame in part)


def test_a_rotation_tag_is_honoured(tmp_path: Path) -> None:
    source = VideoSource(write_video(tmp_path / "turned.mp4", [0, 40, 80], rotation=90))
    assert (source.info.width, source.info.height) == (HEIGHT, WIDTH)
    frame = next(source.frames())
    assert frame.image.shape == (WIDTH, HEIGHT, 3)
    # Turned counter-clockwise by a quarter, the white block goes from top left to bottom left.
    assert frame.image[-20:, :12].mean() > 200
    assert frame.image[:20, :12].mean() < 60
    thumbnail = frame.thumbnail(24, 40)
    assert thumbnail.shape == (40, 24, 3)
    assert thumbnail[-4:, :4, 0].mean() > 180


def test_a_truncated_file_gives_what_it_holds_and_names_the_fault(tmp_path: Path) -> None:
    path = write_video(tmp_path / "whole.mp4", [40 * n for n in range(50)], movflags="faststart")
    data = path.read_bytes()
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(data[: len(data) * 3 // 4])
    source = VideoSource(cut)
    frames = list(source.frames())
    assert 10 < len(frames) < 50
    assert source.fault is not None and "cut.mp4" in source.fault and "\n" not in source.fault


def test_a_file_without_its_index_is_one_clear_line(tmp_path: Path, video: Path) -> None:
    data = video.read_bytes()
    cut = tmp_path / "headless.mp4"
    cut.write_bytes(data[: len(data) // 2])
    with pytest.raises(SourceError, match=r"headless\.mp4"):
        VideoSource(cut)


@pytest.mark.parametrize("data", [b"", b"This is no video at all.\n" * 40, b"\x00" * 4096])
def test_what_is_no_video_is_one_clear_line(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "text.mp4"
    path.write_bytes(data)
    with pytest.raises(VisionError) as caught:
        VideoSource(path)
    assert "text.mp4" in str(caught.value) and "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"gone\.mp4: no such file"):
        VideoSource(tmp_path / "gone.mp4")


def test_a_folder_is_no_video(tmp_path: Path) -> None:
    with pytest.raises(SourceError):
        VideoSource(tmp_path)


def test_a_damaged_middle_does_not_end_the_video(video: Path, tmp_path: Path) -> None:
    data = bytearray(video.read_bytes())
    start = data.find(b"mdat") + 4
    length = int.from_bytes(data[start - 8 : start - 4], "big")
    middle = start + length // 3
    data[middle : middle + 400] = bytes(400)
    path = tmp_path / "hurt.mp4"
    path.write_bytes(bytes(data))
    frames = list(VideoSource(path).frames())
    assert frames[-1].index >= 45


def test_pictures(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    cv2.imwrite(str(path), picture(3))
    assert is_picture(path) and not is_picture(tmp_path / "clip.mp4")
    assert np.array_equal(read_image(path), picture(3))
    path.write_bytes(b"not a picture")
    with pytest.raises(SourceError, match=r"a\.png"):
        read_image(path)


def test_the_thumbnail_of_planes_agrees_with_that_of_the_picture(video: Path) -> None:
    frame = next(VideoSource(video).frames(1.0))
    small = frame.thumbnail(40, 24)
    plain = Frame.from_image(0, 0.0, frame.image).thumbnail(40, 24)
    # Video luma runs from 16 to 235, the picture's own from 0 to 255.
    assert abs((small[12:, 20:, 0].mean() - 16) * 255 / 219 - plain[12:, 20:, 0].mean()) < 4
