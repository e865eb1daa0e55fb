"""One picture of whatever can be watched, saved without loss; what shows nothing is refused in words."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from moving_pictures import write_pictures
from rtsp_camera import SIZE, picture, rtsp_camera, write_stream
from veedor.datasets.layouts import dos_panos_10
from veedor.monitor import still_source
from veedor.monitor.cli import main
from veedor.monitor.errors import UsageFault
from veedor.monitor.still_source import picture_of
from veedor.vision.calibration import reference_points
from veedor.vision.camera import look_at


def run(*words: object) -> int:
    return main(["--lang", "en", *(str(word) for word in words)])


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_stream(tmp_path_factory.mktemp("film") / "film.mp4", 6.0)


def test_a_picture_of_a_camera_is_saved_without_loss(
    film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(still_source, "LOOKED_S", 1.5)
    out = tmp_path / "felt.png"
    with rtsp_camera(tmp_path, film) as camera:
        secret = camera.url.replace("rtsp://", "rtsp://ana:hunter2@")
        assert run("picture", secret, "--out", out, "--json") == 0
    told = capsys.readouterr().out
    assert "hunter2" not in told and json.loads(told)["pictures"] > 3
    saved = cv2.imread(str(out))
    assert saved.shape == (SIZE[1], SIZE[0], 3)
    # Middle values: nearer to the ground behind the moving bar than any single picture is.
    assert float(cv2.absdiff(saved[: SIZE[1] // 4], picture(0)[: SIZE[1] // 4]).mean()) < 12.0


def test_calibrate_and_enrol_take_a_camera_and_a_second_of_a_recording(
    film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(still_source, "LOOKED_S", 0.8)
    table = tmp_path / "table.toml"
    above, middle = np.array([0.0, -200.0, 2900.0]), np.zeros(3)
    view = look_at(SIZE, focal_px=300.0, position_mm=above, target_mm=middle)
    corners = [name for name in reference_points(dos_panos_10()) if ".hand:" in name]
    pixels = view.project(np.array([reference_points(dos_panos_10())[name] for name in corners]))
    points = ";".join(f"{name}={x:.2f},{y:.2f}" for name, (x, y) in zip(corners, pixels, strict=True))
    with rtsp_camera(tmp_path, film) as camera:
        command = ("calibrate", camera.url, "--layout", "dos-panos-10", "--out", table, "--points", points)
        assert run(*command) == 0
        assert run("calibrate", camera.url, "--check", table) in (0, 1)
        capsys.readouterr()
        assert run("enrol", "chips", camera.url, "--table", table, "--at", "9000,9000=red:20") == 2
        assert "rtsp://" in capsys.readouterr().err
    assert run("calibrate", film, "--at", "2.5", "--check", table) in (0, 1)
    capsys.readouterr()
    assert run("calibrate", film, "--at", "60", "--check", table) == 2
    assert "no picture at 60 s" in capsys.readouterr().err
    assert run("enrol", "chips", film, "--table", table, "--at", "60", "--at", "5,5=red:20") == 2
    assert "no picture at 60 s" in capsys.readouterr().err
    assert run("enrol", "chips", film, "--table", table, "--at", "2:1.5", "--at", "5,5=red:20") == 2
    assert "there is no recording 2" in capsys.readouterr().err
    assert run("enrol", "chips", film, "--table", table, "--at", "1.5") == 2
    assert "no chip is pointed at" in capsys.readouterr().err


def test_the_second_of_a_recording_is_that_picture(tmp_path: Path) -> None:
    shades = [np.full((90, 160, 3), 20 + 8 * number, np.uint8) for number in range(24)]
    for each in shades:
        each[:10] = 255
    video = write_pictures(tmp_path / "shades.mp4", shades, rate=12)
    for number in (0, 6, 20):
        grey = picture_of(str(video), number / 12).image[60, 80, 0]
        assert abs(int(grey) - (20 + 8 * number)) <= 6
    assert picture_of(str(video)).pictures == 9


@pytest.mark.parametrize(("shade", "said"), [(0, "black"), (128, "of one colour")])
def test_a_recording_that_shows_nothing_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], shade: int, said: str
) -> None:
    video = write_pictures(tmp_path / "blank.mp4", [np.full((90, 160, 3), shade, np.uint8)] * 12, rate=12)
    assert run("picture", video, "--out", tmp_path / "x.png") == 2
    shown = capsys.readouterr().err
    assert said in shown and shown.count("\n") == 1 and not (tmp_path / "x.png").exists()


def test_a_camera_that_stands_still_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(still_source, "PATIENCE_S", 5.0)
    frozen = write_stream(tmp_path / "frozen.mp4", 6.0, still=(0.0, 6.0))
    with rtsp_camera(tmp_path, frozen) as camera:
        assert run("picture", camera.url, "--out", tmp_path / "x.png") == 2
    assert "picture frozen" in capsys.readouterr().err and not (tmp_path / "x.png").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rtsp://127.0.0.1:9/x",), "cannot be opened"), (("7",), "cannot be opened"),
        (("rtsp://ana:hunter2@127.0.0.1:9/x",), "***"), (("nothing.mp4",), "no such file"),
        (("nothing.png",), "no such file"), (("0", "--at", "3"), "only a recording has seconds"),
    ],
)  # fmt: skip
def test_what_cannot_be_opened_is_one_line(
    words: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("picture", *words, "--out", tmp_path / "x.png") == 2
    shown = capsys.readouterr().err
    assert said in shown and "hunter2" not in shown and shown.count("\n") == 1


def test_only_a_lossless_file_is_written(film: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match=r"\.png"):
        still_source.save_picture(picture(0), tmp_path / "x.jpg")
    still_source.save_picture(picture(3), tmp_path / "x.png")
    assert (cv2.imread(str(tmp_path / "x.png")) == picture(3)).all()
