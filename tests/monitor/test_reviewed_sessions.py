"""A review becomes a session of the data folder: the same files of truth, exact pictures, made once."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import av
import numpy as np
import pytest
from moving_pictures import write_pictures
from small_tables import small_table
from veedor.monitor import cli
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.reviewed import ReviewedSession, open_reviewed
from veedor.monitor.store import Store, StoreError
from veedor.monitor.store.rebuild import check
from veedor.rules.events import BankerLeft, ViewLost, ViewRestored
from veedor.rules.journal import read_journal
from veedor.vision.table_file import load_table, save_table

SIZE, SCALE = (160, 90), 12
RATE = 10
FIRST, SECOND = "Paño ñ 2026-11-29_22-00-00.mp4", "Paño ñ 2026-11-29_22-00-13.mp4"
WORDS = [
    {"t": 0.0, "event": "session_opened", "profile": "dos-panos-limitada", "unit": 250, "bank": 100000},
    {"t": 0.0, "event": "shoe_started", "decks": 6},
    {"t": 0.1, "event": "players_seen", "pano": "P1", "players": ["seat2", "seat3"]},
    {"t": 0.2, "event": "banker_seated", "banker": "banker1"},
    {"t": 0.5, "event": "coup_opened", "coup": 1},
    {"t": 0.6, "event": "bank_declared", "amount": 100000},
    {"t": 0.8, "event": "betting_opened"},
    {"t": 1.5, "event": "betting_closed"},
    {"t": 1.9, "event": "banker_left", "banker": "banker1"},
]


def picture(number: int) -> np.ndarray:
    """Grey, with the number of the frame in the brightness of a corner that no zone is in."""
    image = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    image[:16, :16] = 20 + 7 * number
    return image


def number_of(image: np.ndarray) -> int:
    return round((float(image[4:12, 4:12].mean()) - 18) / 7)  # every encoding darkens by some levels


def write_video(path: Path, numbers: range, *, rotation: int = 0) -> None:
    shown = [np.ascontiguousarray(np.rot90(picture(n), -rotation // 90)) for n in numbers]
    write_pictures(path, shown, rate=RATE, crf=4, rotation=rotation)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table that nothing lies on, filmed for three seconds and, ten later and turned, for two more."""
    folder = tmp_path_factory.mktemp("noche del 29")
    write_video(folder / FIRST, range(30))
    write_video(folder / SECOND, range(20), rotation=180)
    save_table(small_table(load_table(bundled_clip("demo").table), SCALE), folder / "table.toml")
    lines = [json.dumps({"id": n, "source": "operator", **each}) + "\n" for n, each in enumerate(WORDS, 1)]
    (folder / "words.jsonl").write_text("".join(lines), "utf-8")
    return folder


def review(inputs: Path, *options: str) -> int:
    given = [str(inputs / SECOND), str(inputs / FIRST), "--table", str(inputs / "table.toml")]
    said = ["--events", str(inputs / "words.jsonl"), "--workers", "1", "--lang", "en", "--json"]
    return cli.main(["review", *given, *said, *options])


@pytest.fixture(scope="module")
def data(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "casa"
    assert review(inputs, "--data", str(folder)) == 0
    return folder


@pytest.fixture
def session(data: Path) -> ReviewedSession:
    with Store.of_data(data, read_only=True) as store:
        names = [row.session for row in store.sessions()]
    return open_reviewed(data, min(names))


def test_a_review_becomes_a_session_with_its_files_of_truth(data: Path, session: ReviewedSession) -> None:
    folder = session.folder.path
    assert folder.name.endswith("-review") and folder.parent.name == "mesa-1"
    about = json.loads((folder / "session.json").read_text("utf-8"))
    assert about["kind"] == "review" and about["profile"] == "dos-panos-limitada"
    assert FIRST in about["source"] and about["notes"]
    lines = [json.loads(line) for line in (folder / "findings.jsonl").read_text("utf-8").splitlines()]
    assert [each["seq"] for each in lines] == [each["number"] for each in lines] == [1]
    assert lines[0]["texts"]["es"]["title"]
    evidence = next((folder / "evidence").iterdir())
    found = json.loads((evidence / "finding.json").read_text("utf-8"))
    assert found["clip"]["gaps"] == [[3.0, found["clip"]["stop_s"]]]
    assert (
        found["clip"]["sha256"] and (evidence / "clip.mp4").is_file() and (evidence / "still.jpg").is_file()
    )
    assert {"journal.jsonl", "recordings.json", "table.toml", "profile.toml", "made_by.json"} <= {
        each.name for each in folder.iterdir()
    }


def test_the_store_knows_it_as_a_rebuild_would(data: Path, session: ReviewedSession) -> None:
    assert check(data).differences == ()
    with Store.of_data(data, read_only=True) as store:
        row = store.session(session.session)
        assert row is not None and row.findings == row.open_findings == 1
        assert row.started_at is not None and len(store.coups(session.session)) == 1
        assert store.evidence_file(session.session, 1, "clip") is not None


def test_the_gap_between_recordings_is_journalled_and_what_was_said_is_there(
    session: ReviewedSession,
) -> None:
    events = read_journal(session.folder.journal).events
    lost = [each.t for each in events if isinstance(each, ViewLost) and each.reason == "not recorded"]
    back = [each.t for each in events if isinstance(each, ViewRestored) and each.reason == "not recorded"]
    assert (lost, back) == ([3.0], [13.0])
    assert any(isinstance(each, BankerLeft) for each in events)


def test_pictures_are_found_by_their_times(inputs: Path, session: ReviewedSession) -> None:
    assert [each.path.name for each in session.recordings] == [FIRST, SECOND]
    assert [(each.start_s, each.stop_s) for each in session.recordings] == [(0.0, 3.0), (13.0, 15.0)]
    assert [each.rotation_deg for each in session.recordings] == [0, 180]
    assert session.frame_times(2.75, 13.15) == [2.8, 2.9, 13.0, 13.1]
    for t_s, number in ((0.0, 0), (1.234, 12), (2.9, 29), (13.0, 0), (14.05, 10), (14.95, 19)):
        exact = session.picture_at(t_s)
        assert exact is not None and exact.recording is not None
        assert number_of(exact.frame.image) == number, t_s
        assert exact.frame.t_s <= t_s + 1e-6
        at_s = float(exact.pts * exact.time_base) + exact.recording.offset_s
        assert at_s == pytest.approx(exact.frame.t_s, abs=1e-6)
    assert session.frame_at(8.0) is None
    assert session.table.camera is not None and session.table.camera.width == SIZE[0]
    assert session.profile.id == "dos-panos-limitada" and session.gone() == ()


def test_a_stretch_holds_the_pictures_of_its_time_and_is_made_once(
    data: Path, session: ReviewedSession
) -> None:
    clip = session.stretch(2.0, 13.5)
    with av.open(io.BytesIO(clip)) as container:
        shown = [number_of(frame.to_ndarray(format="bgr24")) for frame in container.decode(video=0)]
    assert shown == [*range(20, 30), *range(5)]
    cached = list((data / "cache" / "stretches").iterdir())
    assert len(cached) == 1 and session.stretch(2.0, 13.5) == cached[0].read_bytes()
    with pytest.raises(StoreError, match=r"5\.0-6\.0 s"):
        session.stretch(5.0, 6.0)
    with pytest.raises(StoreError):
        session.stretch(0.0, 10_000.0)


def test_what_was_seen_is_kept(session: ReviewedSession) -> None:
    looks = [each.t_s for each in session.sight(0.0, 99.0)]
    assert looks == sorted(looks) and looks[0] == 0.0 and looks[-1] >= 14.8
    assert not [t_s for t_s in looks if 3.0 <= t_s < 13.0]
    assert [each.t_s for each in session.sight(13.0, 13.3)] == [t_s for t_s in looks if 13.0 <= t_s < 13.3]


def test_the_same_review_again_is_the_same_session(
    inputs: Path, data: Path, session: ReviewedSession, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {each: each.read_bytes() for each in session.folder.path.rglob("*") if each.is_file()}
    assert review(inputs, "--data", str(data)) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["known"] is True and summary["session"] == session.session
    assert {each: each.read_bytes() for each in session.folder.path.rglob("*") if each.is_file()} == before


def test_other_rules_make_another_session_that_names_the_first(
    inputs: Path, session: ReviewedSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    shutil.copytree(session.folder.data, data)
    profile = tmp_path / "casa.toml"
    profile.write_bytes((session.folder.path / "profile.toml").read_bytes() + b"\n# ours\n")
    assert review(inputs, "--data", str(data), "--profile", str(profile)) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["known"] is False and summary["resumed"] == summary["segments"]
    again = open_reviewed(data, summary["session"])
    assert again.made_by is not None and again.made_by.of == session.session
    assert session.made_by is not None and session.made_by.of is None
    assert again.made_by.models == session.made_by.models
    assert again.made_by.profile_sha256 != session.made_by.profile_sha256


def test_recordings_that_are_gone_are_named(session: ReviewedSession, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(session.folder.data, data)
    kept = data / "tables" / session.session / "recordings.json"
    about = json.loads(kept.read_text("utf-8"))
    about["recordings"][0]["path"] = str(tmp_path / "gone.mp4")
    kept.write_text(json.dumps(about), "utf-8")
    moved = open_reviewed(data, session.session)
    assert len(moved.gone()) == 1 and "gone.mp4" in moved.gone()[0]
    assert moved.frame_at(1.0) is None and moved.frame_at(13.5) is not None
    (data / "recordings" / "noviembre").mkdir(parents=True)
    shutil.copy(session.recordings[0].path, data / "recordings" / "noviembre" / "gone.mp4")
    found = open_reviewed(data, session.session)
    assert found.gone() == () and found.frame_at(1.0) is not None


def test_sessions_that_are_none(data: Path) -> None:
    for name in ("mesa-1/none", "../etc", "mesa-1"):
        with pytest.raises(StoreError):
            open_reviewed(data, name)


def test_a_kill_leaves_no_half_session(inputs: Path, data: Path, tmp_path: Path) -> None:
    copy = tmp_path / "data"
    shutil.copytree(data, copy)
    table = copy / "tables" / "mesa-1"
    (table / ".20261129T210000Z-review.part").mkdir()
    (table / ".20261129T210000Z-review.part" / "journal.jsonl").write_text("half")
    words = inputs.parent / f"{inputs.name}-words.jsonl"
    words.write_text("".join((inputs / "words.jsonl").read_text().splitlines(keepends=True)[:-1]))
    assert review(inputs, "--data", str(copy), "--events", str(words)) == 0
    assert not list(table.glob(".*.part"))
    assert len([each for each in table.iterdir() if each.is_dir()]) == 2


def test_a_finished_folder_of_other_recordings_is_not_replaced(
    inputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    table, words = str(inputs / "table.toml"), str(inputs / "words.jsonl")

    def one(name: str, *options: str) -> int:
        given = ["review", str(inputs / name), "--table", table, "--events", words, "--out", str(out)]
        return cli.main([*given, "--workers", "1", "--lang", "en", *options])

    assert one(FIRST) == 0
    before = (out / "findings.jsonl").read_bytes()
    assert one(FIRST) == 0 and (out / "findings.jsonl").read_bytes() == before
    capsys.readouterr()
    assert one(SECOND) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and f"{out}: " in told and "--replace" in told
    assert (out / "findings.jsonl").read_bytes() == before
    assert one(SECOND, "--replace") == 0
    assert SECOND in (out / "report.html").read_text("utf-8")


def test_a_folder_of_something_else_is_not_taken(
    inputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "journal.jsonl").write_text("a watched table's")
    assert review(inputs, "--out", str(tmp_path)) == 2
    assert f"{tmp_path}: " in capsys.readouterr().err
    assert (tmp_path / "journal.jsonl").read_text() == "a watched table's"


def test_a_night_of_two_tables_in_one_call(
    inputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fourth = (inputs / "table.toml").read_text("utf-8").replace('id = "mesa-1"', 'id = "mesa-4"', 1)
    (tmp_path / "m4.toml").write_text(fourth, "utf-8")
    (tmp_path / "night.toml").write_text(
        f'data = "data"\n[[table]]\nfile = "{inputs}/table.toml"\nrecordings = ["{inputs}/*-00.mp4"]\n'
        f'[[table]]\nfile = "m4.toml"\nout = "m4"\nrecordings = ["{inputs}/{SECOND}"]\n',
        "utf-8",
    )
    assert cli.main(["review", "--config", str(tmp_path / "night.toml"), "--workers", "2", "--json"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["session"].partition("/")[0] for each in told] == ["mesa-1", "mesa-4"]
    assert (tmp_path / "m4" / "report.html").is_file()
    with Store.of_data(tmp_path / "data", read_only=True) as store:
        assert {row.table_id for row in store.sessions()} == {"mesa-1", "mesa-4"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--table", "t.toml", "a.mp4"], "--out or --data"),
        (["a.mp4", "--out", "o"], "--table or --config"),
        (["--table", "t.toml", "--out", "o"], "no recording"),
        (["--config", "n.toml", "a.mp4"], "VIDEO"),
        (["--table", "t.toml", "--out", "o", "a.mp4", "--started", "noon"], "--started: expected a date"),
        (["--table", "t.toml", "--out", "o", "a", "b", "c"] + 2 * ["--started", "2026-11-29"], "--started"),
    ],
)
def test_orders_that_make_no_sense(options: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["review", *options, "--lang", "en"]) == 2
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1 and told in shown
