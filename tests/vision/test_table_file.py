from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from veedor.datasets.layouts import dos_panos_10, layout_path
from veedor.vision.camera import look_at
from veedor.vision.errors import TableFileError
from veedor.vision.layout import LineKind, ZoneKind
from veedor.vision.table import ChipType, ReferencePoint, Table, reprojection_error_mm
from veedor.vision.table_file import load_layout, load_table, save_table

CAMERA = look_at(
    (1920, 1080),
    focal_px=1300.0,
    position_mm=np.array([30.0, -500.0, 2300.0]),
    target_mm=np.array([0.0, 10.0, 0.0]),
    distortion=(-0.08, 0.02, 0.001, -0.001, 0.0),
)
POINTS_MM = ((-300.0, 200.0), (400.0, 100.0), (0.0, -300.0), (900.0, 300.0))


def a_table() -> Table:
    points = tuple(
        ReferencePoint(f"p{number}", mm, tuple(CAMERA.project(np.array([mm]))[0]))
        for number, mm in enumerate(POINTS_MM)
    )
    chips = (
        ChipType("rojo", 5, (200, 30, 40), centre_rgb=(240, 236, 230)),
        ChipType('placa "cien"', 100, (240, 230, 200), plaque=True, size_mm=(90.0, 60.0)),
    )
    return Table(
        "mesa-1",
        "Mesa ñ 1",
        "dos-panos-limitada",
        dos_panos_10(),
        chips,
        CAMERA,
        points,
        0.8,
        felt_rgb=(20, 92, 60),
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    save_table(a_table(), tmp_path / "table.toml")
    return tmp_path / "table.toml"


def test_a_table_is_read_back_as_written(path: Path) -> None:
    table, wanted = load_table(path), a_table()
    assert (table.id, table.name, table.profile) == (wanted.id, wanted.name, wanted.profile)
    assert table.chips == wanted.chips
    assert table.chip("rojo").value == 5
    assert table.reprojection_error_mm == 0.8
    assert table.felt_rgb == (20, 92, 60)
    assert [zone.name for zone in table.layout.zones] == [zone.name for zone in wanted.layout.zones]
    assert table.camera is not None
    points = np.array([[-900.0, 300.0, 0.0], [700.0, -300.0, 14.0]])
    assert np.allclose(table.camera.project(points), CAMERA.project(points), atol=1e-3)
    error = reprojection_error_mm(table.camera, table.reference_points)
    assert error is not None and error < 0.1


def test_a_table_without_calibration_has_no_camera(tmp_path: Path) -> None:
    save_table(replace(a_table(), camera=None, reference_points=()), tmp_path / "t.toml")
    assert load_table(tmp_path / "t.toml").camera is None


@pytest.mark.parametrize(
    ("old", "new", "key", "fault"),
    [
        ('kind = "shoe"', 'kind = "shoo"', "zones[shoe].kind", "found 'shoo'"),
        ('name = "tips"', 'name = "bank"', "layout.zones", "'bank' stands twice"),
        ('name = "tips"', 'name = ""', ".name", "expected a text"),
        (
            "[[-200.0, 490.0], [200.0, 490.0], [200.0, 690.0], [-200.0, 690.0]]",
            "[[-200.0, 490.0], [200.0, 690.0], [200.0, 490.0], [-200.0, 690.0]]",
            "zones[bank].polygon_mm",
            "crosses",
        ),
        (
            "[[-200.0, 490.0], [200.0, 490.0], [200.0, 690.0], [-200.0, 690.0]]",
            "[[-200.0, 490.0], [200.0, 490.0]]",
            "zones[bank].polygon_mm",
            "at least 3",
        ),
        ("pano = 2", "pano = 3", ".pano", "expected 1 or 2, found 3"),
        ("half_width_mm = 12.0", "half_width_mm = 0", ".half_width_mm", "more than 0"),
        ("value = 5", "value = -5", "chips[rojo].value", "more than 0"),
        ("value = 5", 'value = "five"', "chips[rojo].value", "whole number"),
        ("value = 5", "value = 99999999999999999999999", "chips[rojo].value", "at most 1e+09"),
        ("diameter_mm = 40.0", "diameter_mm = 1e300", "chips[rojo].diameter_mm", "at most 1e+09"),
        ("diameter_mm = 40.0", f"diameter_mm = {10**400}", "chips[rojo].diameter_mm", "at most 1e+09"),
        ("diameter_mm = 40.0", "diameter_mm = " + "9" * 5000, "", "not valid TOML"),
        ("colour_rgb = [200, 30, 40]", "colour_rgb = [200, 30, 400]", "chips[rojo].colour_rgb", "0 to 255"),
        ("width = 1920", "width = 0", "calibration.width", "above 0"),
        ("schema = 1", "schema = 7", "schema", "expected 1, found 7"),
        ("reprojection_error_mm", "reprojektion", "calibration.reprojektion", "unknown key"),
        ('id = "mesa-1"', "", "id", "missing"),
        ('id = "mesa-1"', 'id = "../../etc/x"', "id", "letters, digits"),
        ('id = "mesa-1"', 'id = ".."', "id", "letters, digits"),
        ('id = "mesa-1"', 'id = "mesa á"', "id", "letters, digits"),
        ('name = "Mesa ñ 1"', f'name = "{"a" * 81}"', "name", "up to 80 letters"),
        ('name = "Mesa ñ 1"', 'name = "a\\nb"', "name", "in one line"),
        ('id = "mesa-1"', "id = ", "", "not valid TOML"),
    ],
)
def test_a_faulty_table_is_one_line_with_file_key_and_fault(
    path: Path, old: str, new: str, key: str, fault: str
) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(TableFileError) as caught:
        load_table(path)
    message = str(caught.value)
    assert str(path) in message and key in message and fault in message and "\n" not in message


@pytest.mark.parametrize("homography", ["[[1, 0, 0], [2, 0, 0], [0, 0, 1]]", "[[1, 0], [0, 1]]", '"none"'])
def test_a_bad_homography_is_refused(path: Path, homography: str) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    changed = [f"homography = {homography}" if line.startswith("homography") else line for line in lines]
    path.write_text("\n".join(changed), encoding="utf-8")
    with pytest.raises(TableFileError, match=r"calibration\.homography"):
        load_table(path)


def test_missing_and_foreign_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(TableFileError, match=r"gone\.toml: no such file"):
        load_table(tmp_path / "gone.toml")
    (tmp_path / "picture.toml").write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(TableFileError, match=r"picture\.toml"):
        load_table(tmp_path / "picture.toml")
    with pytest.raises(TableFileError):
        load_table(tmp_path)


def test_the_shipped_layout_is_what_the_geometry_says() -> None:
    shipped, drawn = load_layout(layout_path("dos-panos-10")), dos_panos_10()
    assert [zone.name for zone in shipped.zones] == [zone.name for zone in drawn.zones]
    for one, other in zip(shipped.zones, drawn.zones, strict=True):
        assert np.allclose(one.polygon_mm, other.polygon_mm, atol=0.01)


def test_seats_run_from_the_banker_and_mirror() -> None:
    layout = dos_panos_10()
    left = [layout.zone(f"P1.seat{seat}.bet").centre_mm for seat in range(1, 6)]
    right = [layout.zone(f"P2.seat{seat}.bet").centre_mm for seat in range(6, 11)]
    assert left[0][1] > 300 and left[4][1] < -300 and abs(left[2][1]) < 5
    assert all(np.allclose(one * (-1, 1), other) for one, other in zip(left, right, strict=True))
    assert layout.zone_at(*left[2]) is layout.zone("P1.seat3.bet")


def test_the_half_line_divides_player_and_bet_zone() -> None:
    layout = dos_panos_10()
    line = next(line for line in layout.lines if line.name == "P1.seat3.half")
    middle = line.points_mm[len(line.points_mm) // 2]
    assert line.kind is LineKind.HALF
    for zone in (layout.zone("P1.seat3.player"), layout.zone("P1.seat3.bet")):
        assert abs(zone.inside_mm(*middle)) < 1.0
    outwards = middle * (1.03, 1.0)
    found = layout.zone_at(*outwards)
    assert found is not None and found.kind is ZoneKind.PLAYER


def test_bet_areas_do_not_overlap() -> None:
    layout = dos_panos_10()
    kinds = {ZoneKind.BET, ZoneKind.PLAYER, ZoneKind.OTHER_PANO, ZoneKind.FORBIDDEN, ZoneKind.HAND}
    zones = [zone for zone in layout.zones if zone.kind in kinds]
    for zone in zones:
        centre = zone.centre_mm
        assert [other.name for other in zones if other.inside_mm(*centre) > 0] == [zone.name]
