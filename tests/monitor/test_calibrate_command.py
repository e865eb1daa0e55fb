from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from veedor.datasets.layouts import dos_panos_10
from veedor.monitor.cli import main
from veedor.vision.calibration import reference_points
from veedor.vision.camera import Camera, look_at
from veedor.vision.felt_lines import PRINTED
from veedor.vision.registration import Doubt, Registration
from veedor.vision.table import reprojection_error_mm
from veedor.vision.table_file import load_table, save_table

LAYOUT = dos_panos_10()
SIZE = (960, 540)
CAMERA = look_at(
    SIZE, focal_px=900.0, position_mm=np.array([0.0, -200.0, 2900.0]), target_mm=np.array([0.0, 0.0, 0.0])
)
NAMES = ("P1.hand:top-left", "P1.hand:bottom-right", "P2.hand:top-right", "P2.hand:bottom-left",
         "banker_hand:top-left", "banker_hand:top-right", "P1.seat5.half:end", "P2.seat10.half:end",
         "P1.caballo:start", "P2.caballo:end")  # fmt: skip


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    image = np.full((SIZE[1], SIZE[0], 3), (60, 92, 20), np.uint8)
    curves = [
        np.vstack([zone.polygon_mm, zone.polygon_mm[:1]]) for zone in LAYOUT.zones if zone.kind in PRINTED
    ]
    for curve in curves + [line.points_mm for line in LAYOUT.lines]:
        drawn = np.round(CAMERA.project(curve) * 16).astype(np.int32)
        cv2.polylines(image, [drawn], False, (150, 205, 226), 2, cv2.LINE_AA, 4)
    path = tmp_path_factory.mktemp("felt") / "felt.png"
    cv2.imwrite(str(path), image)
    return path


def clicks(names: tuple[str, ...] = NAMES, camera: Camera = CAMERA) -> str:
    known = reference_points(LAYOUT)
    pixels = camera.project(np.array([known[name] for name in names]))
    return ";".join(f"{name}={x:.2f},{y:.2f}" for name, (x, y) in zip(names, pixels, strict=True))


def run(*words: object) -> int:
    return main(["calibrate", *(str(word) for word in words), "--lang", "en"])


def test_clicked_points_make_a_table_file_that_holds(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "mesa-7.toml"
    assert run(picture, "--layout", "dos-panos-10", "--out", out, "--points", clicks(), "--json") == 0
    line = json.loads(capsys.readouterr().out)
    assert line["written"] and line["points"] == len(NAMES) and line["reprojection_error_mm"] < 1
    assert 0.3 < line["error_mm"] < 5 and line["error_mm"] < line["worst_mm"] < 20
    table = load_table(out)
    assert table.id == "mesa-7" and table.camera is not None
    assert {point.name for point in table.reference_points} == set(NAMES)
    assert reprojection_error_mm(table.camera, table.reference_points) == pytest.approx(
        table.reprojection_error_mm, abs=0.01
    )
    assert run(picture, "--check", out) == 0
    assert "holds" in capsys.readouterr().out


@pytest.mark.parametrize("wrong", [("--id", "../../etc/x"), ("--id", "mesa á"), ("--name", "a" * 81)])
def test_a_table_that_the_service_would_refuse_is_not_written(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: tuple[str, str]
) -> None:
    out = tmp_path / "mesa-7.toml"
    words = ("--layout", "dos-panos-10", "--out", out, "--points", clicks(), *wrong)
    assert run(picture, *words) == 2
    said = capsys.readouterr().err
    assert wrong[0] in said and said.count("\n") == 1 and not out.exists()


def test_a_check_fails_where_the_camera_was_moved(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "t.toml"
    assert run(picture, "--layout", "dos-panos-10", "--out", out, "--points", clicks()) == 0
    image = cv2.imread(str(picture))
    cv2.imwrite(str(tmp_path / "moved.png"), np.roll(image, 4, axis=0))
    assert run(tmp_path / "moved.png", "--check", out) == 1
    assert "more than 5 mm off" in capsys.readouterr().err


def test_points_from_a_file_and_a_table_that_keeps_its_chips(picture: Path, tmp_path: Path) -> None:
    from dataclasses import replace

    from veedor.vision.table import ChipType

    out, points = tmp_path / "t.toml", tmp_path / "points.toml"
    known = reference_points(LAYOUT)
    pixels = CAMERA.project(np.array([known[name] for name in NAMES]))
    points.write_text(
        "".join(f'"{name}" = [{x:.2f}, {y:.2f}]\n' for name, (x, y) in zip(NAMES, pixels, strict=True))
    )
    assert run(picture, "--layout", "dos-panos-10", "--out", out, "--points-file", points, "--id", "m1") == 0
    first = load_table(out)
    save_table(replace(first, chips=(ChipType("5", 5, (200, 30, 40)),)), out)
    assert (
        run(picture, "--layout", "dos-panos-10", "--out", out, "--points-file", points, "--name", "Mesa") == 0
    )
    again = load_table(out)
    assert (again.id, again.name, len(again.chips)) == ("m1", "Mesa", 1)


def test_points_close_together_that_agree_are_not_enough(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "t.toml"
    corners = ("P1.hand:top-left", "P1.hand:top-right", "P1.hand:bottom-left", "P1.hand:bottom-right")
    assert run(picture, "--layout", "dos-panos-10", "--out", out, "--points", clicks(corners)) == 1
    said = capsys.readouterr().err
    assert "above 5 mm (" in said and "more points, further apart" in said and not out.exists()


def test_points_with_too_large_an_error_write_nothing(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "t.toml"
    given = clicks().replace(NAMES[0], "P1.hand:bottom-left")  # one corner taken for another
    assert run(picture, "--layout", "dos-panos-10", "--out", out, "--points", given) == 1
    said = capsys.readouterr().err
    assert "above 5 mm" in said and "nothing is written" in said and not out.exists()


def test_a_doubted_registration_writes_nothing(
    picture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "veedor.vision.registration.register", lambda image, layout: Registration(CAMERA, Doubt.AMBIGUOUS)
    )
    out = tmp_path / "t.toml"
    assert run(picture, "--layout", "dos-panos-10", "--out", out) == 1
    assert "another position" in capsys.readouterr().err and not out.exists()


def test_a_found_registration_leaves_landmarks_to_check_it_by(
    picture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = Registration(CAMERA, None, support=0.9, error_mm=0.4, worst_mm=1.0)
    monkeypatch.setattr("veedor.vision.registration.register", lambda image, layout: found)
    out = tmp_path / "t.toml"
    assert run(picture, "--layout", "dos-panos-10", "--out", out) == 0
    assert "error 0.40 mm, at most 1.00 mm" in capsys.readouterr().out
    table = load_table(out)
    assert len(table.reference_points) > 20 and (table.reprojection_error_mm or 9) < 2


def test_the_names_of_points_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--layout", "dos-panos-10", "--list-points", "--json") == 0
    assert json.loads(capsys.readouterr().out)["P1.hand:top-left"] == [-880.0, 120.0]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["x.png"], "--layout is missing"),
        (["x.png", "--layout", "dos-panos-10"], "SOURCE and --out"),
        (["--layout", "nowhere", "--out", "t.toml", "x.png"], "nowhere"),
        (["x.png", "--layout", "dos-panos-10", "--out", "t.toml"], "x.png"),
        (["PICTURE", "--layout", "dos-panos-10", "--out", "t.toml", "--points", "a=1"], "expected NAME=X,Y"),
        (["PICTURE", "--layout", "dos-panos-10", "--out", "t.toml", "--points", "a=1,2"], "no point 'a'"),
        (["PICTURE", "--layout", "dos-panos-10", "--out", "t.toml", "--profile", "none"], "none"),
        (["PICTURE", "--check", "t.toml"], "t.toml"),
        (["PICTURE", "--layout", "dos-panos-10", "--out", "t.toml", "--max-error", "0"], "more than 0"),
        (
            ["PICTURE", "--layout", "dos-panos-10", "--out", "t.toml", "--points-file", "p.toml"],
            "name = [x, y]",
        ),
    ],
)
def test_bad_usage_is_one_line(
    words: list[str], told: str, picture: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("p.toml").write_text("a = 1\n")
    assert run(*[str(picture) if word == "PICTURE" else word for word in words]) == 2
    err = capsys.readouterr().err
    assert told in err and err.count("\n") == 1 and not Path("t.toml").exists()


def with_places_swapped(one: str, other: str) -> str:
    pairs = dict(pair.split("=") for pair in clicks().split(";"))
    pairs[one], pairs[other] = pairs[other], pairs[one]
    return ";".join(f"{name}={place}" for name, place in pairs.items())


@pytest.mark.parametrize(
    "pair", [("banker_hand:top-left", "banker_hand:top-right"), ("P1.hand:top-left", "P2.caballo:end")]
)
def test_two_swapped_points_are_named(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], pair: tuple[str, str]
) -> None:
    out = tmp_path / "t.toml"
    assert run(picture, "--layout", "dos-panos-10", "--out", out, "--points", with_places_swapped(*pair)) == 1
    said = capsys.readouterr().err
    assert f"contradict each other: {pair[0]} and {pair[1]} seem to be swapped" in said
    assert "further apart" not in said and not out.exists()


@pytest.mark.parametrize("name", NAMES)
def test_the_one_point_that_is_misplaced_is_named(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    out = tmp_path / "t.toml"
    pairs = dict(pair.split("=") for pair in clicks().split(";"))
    x, y = (float(each) for each in pairs[name].split(","))
    pairs[name] = f"{x + 60},{y - 25}"
    given = ";".join(f"{each}={place}" for each, place in pairs.items())
    assert run(picture, "--layout", "dos-panos-10", "--out", out, "--points", given) == 1
    assert f"the worst is {name}:" in capsys.readouterr().err and not out.exists()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (";", "--points: no point"),
        ("", "--points: no point"),
        (clicks() + f";{NAMES[0]}=1,2", f"--points: {NAMES[0]}: the point is given twice"),
        (clicks(NAMES[:3]), "--points: at least 4 points are needed, and there are 3"),
        (clicks(NAMES[1:]) + f";{NAMES[0]}=1e180,2e180", f"{NAMES[0]}=1e+180,2e+180: far outside"),
        (clicks(NAMES[1:]) + f";{NAMES[0]}=-961,0", f"{NAMES[0]}=-961,0: far outside"),
        (clicks() + ";P1\x1b[31m=1,2", "no point 'P1\\x1b[31m'"),
    ],
)
def test_points_that_will_not_do_are_refused(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], given: str, told: str
) -> None:
    out = tmp_path / "t.toml"
    assert run(picture, "--layout", "dos-panos-10", "--out", out, "--points", given) == 2
    said = capsys.readouterr().err
    assert told in said and said.count("\n") == 1 and "\x1b" not in said and not out.exists()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("p.toml", "", "no point"),
        ("p.json", "{}", "no point"),
        ("p.json", '{"points": {}}', "no point"),
        ("p.json", "[" * 100_000, "expected name = [x, y]"),
        *(
            ("p.json", f'{{"P1.hand:top-left": {place}}}', "expected name = [x, y]")
            for place in ("[1, 2, 3]", '"12"', "[true, false]", "[1]", "null", "{}")
        ),
        ("p.json", '{"P1.hand:top-left": [NaN, 1]}', "P1.hand:top-left: not a number"),
        ("p.json", '{"P1.hand:top-left": [1, 2]}', "at least 4 points"),
        ("p.json", '{"a": [1, 2], "a": [1, 3]}', "a stands there twice"),
        ("p.toml", "a = [1, 2]", "no point 'a'"),
    ],
)
def test_a_file_of_points_that_will_not_do_is_named(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: str, told: str
) -> None:
    out, file = tmp_path / "t.toml", tmp_path / name
    file.write_text(content)
    assert run(picture, "--layout", "dos-panos-10", "--out", out, "--points-file", file) == 2
    said = capsys.readouterr().err
    assert f"{file}: " in said and told in said and said.count("\n") == 1 and not out.exists()
