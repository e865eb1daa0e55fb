"""Recordings by the clock: their order, what lies between them, what two of them show."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import moving_pictures as pictures
import numpy as np
import pytest
from containers import dated
from veedor.monitor.errors import UsageFault
from veedor.monitor.night_file import read_list, read_night
from veedor.monitor.recording_starts import start_in_name
from veedor.monitor.recordings import Session, Video, damage_of, open_session
from veedor.vision.camera import look_at
from veedor.vision.errors import TableFileError

SIZE = (160, 96)
BEGAN = datetime(2026, 11, 29, 22, tzinfo=UTC)


CAMERA = look_at(SIZE, focal_px=100.0, position_mm=np.array([0.0, -10.0, 2000.0]), target_mm=np.zeros(3))


def video(folder: Path, name: str, frames: int) -> Path:
    """`frames` pictures at 10 a second; other numbers of frames are other recordings."""
    path: Path = pictures.write_video(folder / name, frames)
    return path


def session_of(*started: tuple[Path, float | None]) -> Session:
    """Recordings that began so many seconds after `BEGAN`."""
    videos = [Video(path, None if s is None else BEGAN + timedelta(seconds=s)) for path, s in started]
    return open_session(videos, CAMERA)


def shown(session: Session) -> list[tuple[str, float, float]]:
    return [(each.path.stem, each.start_s, each.stop_s) for each in session.recordings]


@pytest.mark.parametrize(
    ("name", "moment"),
    [
        ("2026-11-29_22-00-00.mp4", datetime(2026, 11, 29, 22)),
        ("Paño 3 cámara 2026-11-29 22.00.05.mkv", datetime(2026, 11, 29, 22, 0, 5)),
        ("NVR_ch1_main_20261129220000_20261129223000.mp4", datetime(2026, 11, 29, 22)),
        ("VID_20261129_220001.mp4", datetime(2026, 11, 29, 22, 0, 1)),
        ("PXL_20261129_220001123.mp4", datetime(2026, 11, 29, 22, 0, 1, 123000)),
        ("20261129T220000Z.ts", datetime(2026, 11, 29, 22, tzinfo=UTC)),
        ("mesa-3.mp4", None),
        ("2026-13-29_22-00-00.mp4", None),
        ("1202611292200001.mp4", None),
    ],
)
def test_the_time_in_a_name(name: str, moment: datetime | None) -> None:
    assert start_in_name(Path(name)) == moment


def test_recordings_go_by_the_clock_whatever_order_they_are_given_in(tmp_path: Path) -> None:
    late = video(tmp_path, "2026-11-29_22-00-03.mp4", 20)
    early = video(tmp_path, "2026-11-29_22-00-00.mp4", 30)
    session = open_session([late, early], CAMERA)
    assert [each.path for each in session.recordings] == [early, late]
    assert session.gaps == () and session.notes == ()
    assert session.started is not None
    assert session.started.astimezone().replace(tzinfo=None) == datetime(2026, 11, 29, 22)
    assert [frame.index for frame in session.frames(0.0, 99.0)] == list(range(50))


def test_a_gap_is_a_gap_in_media_time_and_is_told(tmp_path: Path) -> None:
    session = session_of((video(tmp_path, "a.mp4", 30), 0.0), (video(tmp_path, "b.mp4", 20), 63.0))
    assert shown(session) == [("a", 0.0, 3.0), ("b", 63.0, 65.0)]
    assert session.gaps == ((3.0, 63.0),)
    assert any("a.mp4 - b.mp4: 60.0 s" in note for note in session.notes)
    assert [round(frame.t_s, 3) for frame in session.frames(2.85, 63.15)] == [2.9, 63.0, 63.1]
    before = session.frame_at(30.0)
    assert before is not None and before.t_s == pytest.approx(2.9)


def test_what_two_recordings_show_counts_once(tmp_path: Path) -> None:
    session = session_of((video(tmp_path, "a.mp4", 100), 0.0), (video(tmp_path, "b.mp4", 80), 6.0))
    assert shown(session) == [("a", 0.0, 10.0), ("b", 10.0, 14.0)]
    assert session.recordings[1].offset_s == 6.0
    times = [frame.t_s for frame in session.frames(0.0, 99.0)]
    assert times == sorted(set(times)) and len(times) == 140
    assert any("b.mp4: 4.0 s" in note and "a.mp4" in note for note in session.notes)
    assert all(each.shows(each.start_s) and not each.shows(each.stop_s) for each in session.recordings)


def test_a_recording_within_another_shows_nothing_of_its_own(tmp_path: Path) -> None:
    session = session_of(
        (video(tmp_path, "a.mp4", 100), 0.0),
        (video(tmp_path, "b.mp4", 30), 4.0),
        (video(tmp_path, "c.mp4", 20), 10.0),
    )
    assert shown(session) == [("a", 0.0, 10.0), ("c", 10.0, 12.0)]
    assert any("b.mp4: 3.0 s" in note for note in session.notes)


def test_a_clock_that_drifts_makes_no_gaps(tmp_path: Path) -> None:
    """Files of 3.0 s that begin every 3.2 s by whole seconds of the clock."""
    starts = [0.0, 3.0, 6.0, 10.0, 13.0, 16.0, 19.0, 22.0, 26.0]
    paths = [video(tmp_path, f"{number}.mp4", 30 if number % 2 else 31) for number in range(len(starts))]
    for number, path in enumerate(paths):
        with path.open("ab") as file:  # a box that players pass over makes each another recording
            file.write(b"\0\0\0\x0cfree" + number.to_bytes(4, "big"))
    session = open_session(
        [Video(path, BEGAN + timedelta(seconds=s)) for path, s in zip(paths, starts, strict=True)], CAMERA
    )
    assert session.gaps == () and session.notes == ()


def test_times_of_the_same_moment_inside_all_recordings_are_not_believed(tmp_path: Path) -> None:
    films = [dated(video(tmp_path, f"plain {name}", frames), tmp_path / name)
             for name, frames in (("b.mp4", 30), ("a.mp4", 31))]  # fmt: skip
    session = open_session(films, CAMERA)
    assert [each.path.name for each in session.recordings] == ["b.mp4", "a.mp4"]
    assert session.started is None and len(session.notes) == 1


def test_the_container_says_when_it_began(tmp_path: Path) -> None:
    film = dated(video(tmp_path, "plain.mp4", 10), tmp_path / "a.mp4")
    assert open_session([film], CAMERA).started == BEGAN


def test_times_of_some_recordings_alone_are_left_aside_and_that_is_said(tmp_path: Path) -> None:
    session = open_session(
        [video(tmp_path, "b.mp4", 10), video(tmp_path, "2026-11-29_22-00-00.mp4", 11)], CAMERA
    )
    assert [each.path.name for each in session.recordings] == ["b.mp4", "2026-11-29_22-00-00.mp4"]
    assert session.started is None and len(session.notes) == 1


def test_one_that_began_before_the_first_is_refused(tmp_path: Path) -> None:
    a, b, c = (video(tmp_path, f"{name}.mp4", 10 + n) for n, name in enumerate("abc"))
    with pytest.raises(UsageFault, match=r"c\.mp4"):
        session_of((a, 60.0), (b, None), (c, 0.0))


def test_the_same_recording_given_twice_is_refused(tmp_path: Path) -> None:
    a = video(tmp_path, "a.mp4", 10)
    copy = tmp_path / "copy of a.mp4"
    copy.write_bytes(a.read_bytes())
    with pytest.raises(UsageFault, match=r"copy of a\.mp4: .*a\.mp4"):
        open_session([a, copy], CAMERA)


@pytest.mark.parametrize("second", ["copia_2026-11-29_22-00-00.mp4", "copia_2026-11-29_23-00-00.mp4"])
def test_a_copy_with_a_time_in_its_name_is_refused_too(tmp_path: Path, second: str) -> None:
    a = video(tmp_path, "cam_2026-11-29_22-00-00.mp4", 10)
    copy = tmp_path / second
    copy.write_bytes(a.read_bytes())
    with pytest.raises(UsageFault, match=rf"{second}: .*cam_2026"):
        open_session([a, copy], CAMERA)


def test_one_that_cannot_be_read_may_be_left_out(tmp_path: Path) -> None:
    a = video(tmp_path, "a.mp4", 10)
    bad = tmp_path / "cortada ñ.mp4"
    bad.write_bytes(b"no video" * 99)
    session = open_session([bad, a], CAMERA, leave_out_unreadable=True)
    assert [each.path for each in session.recordings] == [a]
    assert session.notes[0].startswith("cortada ñ.mp4: ")
    with pytest.raises(UsageFault):
        open_session([bad], CAMERA, leave_out_unreadable=True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("l.csv", "file,started\na ñ.mp4,2026-11-29T22:00:00+00:00\n\nb.mp4,\n"),
        ("l.csv", "\ufefffile;started\na ñ.mp4;2026-11-29T22:00:00Z\nb.mp4;\n"),
        (
            "l.toml",
            '[[recording]]\nfile = "a ñ.mp4"\nstarted = 2026-11-29T22:00:00Z\n[[recording]]\nfile="b.mp4"\n',
        ),
        (
            "l.toml",
            '[[recording]]\nfile = "a ñ.mp4"\nstarted = "2026-11-29T22:00:00Z"\n[[recording]]\nfile="b.mp4"',
        ),
    ],
)
def test_lists_of_recordings(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    assert read_list(tmp_path / name) == [
        Video(tmp_path / "a ñ.mp4", BEGAN),
        Video(tmp_path / "b.mp4", None),
    ]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("l.csv", "name\na.mp4\n", "'file'"),
        ("l.csv", "file,started\na.mp4,yesterday\n", "l.csv:2: "),
        ("l.csv", "file\n", "no recording"),
        ("l.toml", "", "recording"),
        ("l.toml", '[[recording]]\nfile = "a"\nstarted = "x"\n', "started: expected a date"),
        ("l.toml", '[[recording]]\nfile = "a"\nbegan = 1\n', "began: unknown key"),
    ],
)
def test_lists_that_are_none(tmp_path: Path, name: str, text: str, told: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises((UsageFault, TableFileError)) as caught:
        read_list(tmp_path / name)
    assert told in str(caught.value) and "\n" not in str(caught.value)


def touched(folder: Path, names: Sequence[str]) -> None:
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"")


def test_a_night_of_two_tables(tmp_path: Path) -> None:
    touched(tmp_path, ["m3/b.mp4", "m3/a.mp4", "m4/x.mp4"])
    (tmp_path / "night.toml").write_text(
        'data = "data"\n[[table]]\nfile = "m3.toml"\nrecordings = ["m3/*.mp4"]\nevents = "m3.vtt"\n'
        '[[table]]\nfile = "m4.toml"\nout = "out4"\nprofile = "casa.toml"\n'
        '[[table.recording]]\nfile = "m4/x.mp4"\nstarted = 2026-11-29T22:00:00Z\n'
    )
    night = read_night(tmp_path / "night.toml")
    assert night.data == tmp_path / "data"
    third, fourth = night.tables
    assert [each.path.name for each in third.videos] == ["a.mp4", "b.mp4"]
    assert third.events == tmp_path / "m3.vtt" and third.out is None
    assert fourth.videos == (Video(tmp_path / "m4/x.mp4", BEGAN),)
    assert fourth.out == tmp_path / "out4" and fourth.profile == str(tmp_path / "casa.toml")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "table: no table"),
        ('[[table]]\nfile = "m.toml"\nrecordings = ["a.mp4"]\n', "out: missing"),
        ('data="d"\n[[table]]\nfile = "m.toml"\nrecordings = ["*.mp4"]\n', "*.mp4: no file"),
        ('data="d"\n[[table]]\nfile = "m.toml"\n', "recordings: no recording"),
        ('data="d"\n[[table]]\nfile = "m.toml"\nrecordings = "a.mp4"\n', "recordings: expected a list"),
        ('data="d"\nworkers=2\n[[table]]\nfile = "m.toml"\nrecordings = ["a.mp4"]\n', "workers: unknown key"),
    ],
)
def test_nights_that_are_none(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "night.toml").write_text(text)
    with pytest.raises(TableFileError) as caught:
        read_night(tmp_path / "night.toml")
    assert told in str(caught.value) and "\n" not in str(caught.value)


def test_frames_that_nobody_could_look_at_are_told(tmp_path: Path) -> None:
    session = session_of((video(tmp_path, "a.mp4", 30), 0.0), (video(tmp_path, "b.mp4", 50), 10.0))
    looks = [number / 5 for number in range(15)] + [10.0 + number / 5 for number in range(25)]
    assert damage_of(session, looks) == ()
    lost = [t_s for t_s in looks if not 11.0 < t_s < 13.5]
    assert damage_of(session, lost) == ("b.mp4: 2.6 s of it cannot be decoded",)


def test_a_slow_camera_is_not_damaged(tmp_path: Path) -> None:
    path = pictures.write_video(tmp_path / "slow.mp4", 12, rate=2)
    session = open_session([path], CAMERA)
    assert damage_of(session, [number / 2 for number in range(12)]) == ()


def test_an_hour_that_comes_twice_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Madrid")
    time.tzset()
    try:
        usual = open_session([video(tmp_path, "2026-10-25_01-30-00.mp4", 10)], CAMERA)
        twice = open_session([video(tmp_path, "2026-10-25_02-30-00.mp4", 11)], CAMERA)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert usual.notes == () and len(twice.notes) == 1 and "2026-10-25_02-30-00.mp4" in twice.notes[0]
    assert usual.started == datetime(2026, 10, 24, 23, 30, tzinfo=UTC)
    assert twice.started == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
