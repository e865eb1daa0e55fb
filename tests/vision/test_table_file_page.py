"""docs/table-file.md: its example loads, and it tells of every key that the loader knows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from veedor.vision.layout import LineKind, ZoneKind
from veedor.vision.table_file import load_table, save_table
from veedor.vision.toml_reading import Section

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "table-file.md").read_text(encoding="utf-8")
EXAMPLE, PLAQUE = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
# Which part of the page tells of the keys of which part of a file.
PARTS = {
    "": "## Top level", "chips": "## `[[chips]]`", "calibration": "## `[calibration]`",
    "calibration.points": "`[[calibration.points]]`", "cameras": "## `[[cameras]]`",
    "cameras.calibration": "## `[calibration]`", "layout": "## `[layout]`",
    "layout.zones": "`[[layout.zones]]`", "layout.lines": "`[[layout.lines]]`",
}  # fmt: skip


def part_of_page(heading: str) -> str:
    """From a heading to the next of its kind."""
    begin = PAGE.index(heading, PAGE.index("## Top level"))
    ends = [PAGE.find(other, begin + len(heading)) for other in {*PARTS.values(), "\n## "}]
    return PAGE[begin : min((end for end in ends if end > 0), default=len(PAGE))]


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """The keys that the loader asks for, by part of the file."""
    seen: dict[str, set[str]] = {}
    finish = Section.finish

    def noting(section: Section) -> None:
        part = re.sub(r"\[[^]]*\]", "", section._key)
        seen.setdefault(part, set()).update(section._known)
        finish(section)

    monkeypatch.setattr(Section, "finish", noting)
    path = tmp_path / "table.toml"
    path.write_text(EXAMPLE, encoding="utf-8")
    load_table(path)
    seen["cameras.calibration"] |= seen["calibration"]  # read by the same function
    return seen


def test_the_example_of_the_page_loads_and_comes_back(tmp_path: Path) -> None:
    path, again = tmp_path / "table.toml", tmp_path / "again.toml"
    path.write_text(EXAMPLE, encoding="utf-8")
    table = load_table(path)
    assert table.camera is not None and [chip.plaque for chip in table.chips] == [False, True]
    assert len(table.cameras) == 1 and table.cameras[0].camera.width == 1280
    (point,) = table.reference_points
    assert abs(table.camera.to_felt([point.px])[0] - point.mm).max() < 0.5  # type: ignore[arg-type]
    save_table(table, again)
    assert load_table(again).chips == table.chips


def test_every_key_that_is_known_is_told_of(known: dict[str, set[str]]) -> None:
    assert set(known) == set(PARTS)
    for part, keys in known.items():
        told = set(re.findall(r"`(\w+)`", part_of_page(PARTS[part])))
        assert keys <= told, (part, keys - told)


def test_every_key_of_the_page_is_known(known: dict[str, set[str]]) -> None:
    for part, heading in PARTS.items():
        rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", part_of_page(heading), flags=re.MULTILINE)
        listed = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
        assert listed <= known[part], (part, listed - known[part])


def test_the_page_has_every_key_in_its_example_and_every_kind(known: dict[str, set[str]]) -> None:
    for keys in known.values():
        for key in keys:
            assert re.search(rf"(^|\[|\.){key}\b", EXAMPLE, flags=re.MULTILINE), key
    for kind in (*ZoneKind, *LineKind):
        assert f"`{kind}`" in PAGE


def test_the_plaque_of_the_page_is_one(tmp_path: Path) -> None:
    path = tmp_path / "mesa.toml"
    path.write_text(EXAMPLE + "\n" + PLAQUE, encoding="utf-8")
    (plaque,) = [chip for chip in load_table(path).chips if chip.name == "gold"]
    assert plaque.plaque and plaque.size_mm == (84.0, 54.0)
