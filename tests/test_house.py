"""The layout of the house: what must hold for the areas to live in one import package."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
AREAS = ("rules", "vision", "models", "datasets", "monitor", "web")
MOST_LINES = 400


@pytest.mark.parametrize("area", AREAS)
def test_no_init_directly_in_an_areas_namespace_folder(area: str) -> None:
    # One would turn `veedor` into a regular package and hide the other areas.
    assert not (ROOT / area / "veedor" / "__init__.py").exists()
    assert (ROOT / area / "veedor" / area / "__init__.py").exists()


@pytest.mark.parametrize("area", AREAS)
def test_every_area_says_what_it_is(area: str) -> None:
    assert (ROOT / area / "README.md").read_text(encoding="utf-8").startswith("# ")


def test_modules_stay_readable() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for area in AREAS
        for path in (ROOT / area / "veedor").rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > MOST_LINES
    }
    assert not long, f"modules past {MOST_LINES} lines: {long}"


def test_every_area_is_packed_into_the_wheel() -> None:
    import tomllib

    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    assert sorted(build["targets"]["wheel"]["packages"]) == sorted(f"{area}/veedor" for area in AREAS)
    assert sorted(build["dev-mode-dirs"]) == sorted(AREAS)
