"""A report and an evidence bundle's page as Chromium shows them, from a file, in both languages."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from browsing import pictures, until

sys.path.insert(0, str(Path(__file__).parents[1] / "monitor"))
from recorded_nights import a_session
from veedor.monitor.evidence_bundle import make_bundle
from veedor.monitor.evidence_bundle_keys import key_of
from veedor.monitor.language import Language
from veedor.monitor.report_record import NightRecord
from veedor.monitor.report_record_files import open_record
from veedor.monitor.report_selection import Selection, choose, report_page

WORDS = {"es": ("Jugada", "Remedio", "aceptado · ana"), "en": ("Coup", "Remedy", "accepted · ana")}


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> NightRecord:
    """A night whose findings have a clip that plays and a real still."""
    data = tmp_path_factory.mktemp("data")
    session = a_session(data)
    clip, still = pictures()
    for folder in (data / "tables" / session / "evidence").iterdir():
        (folder / "clip.mp4").write_bytes(clip)
        (folder / "still.jpg").write_bytes(still)
    return open_record(session, data)


def opened(chromium: Any, path: Path, width: int = 1280) -> tuple[Any, list[str]]:
    page = chromium.new_page(viewport={"width": width, "height": 900})
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda told: faults.append(told.text) if told.type == "error" else None)
    page.on("request", lambda asked: faults.append(asked.url) if asked.url.startswith("http") else None)
    page.goto(path.as_uri(), wait_until="domcontentloaded")
    return page, faults


@pytest.mark.parametrize("first", ["es", "en"])
def test_a_report_is_read_in_both_languages_without_a_server(
    first: str, chromium: Any, record: NightRecord, tmp_path: Path
) -> None:
    path = tmp_path / "informe ñ.html"
    path.write_text(report_page(choose(record, Selection()), Language(first), tmp_path), "utf-8")
    page, faults = opened(chromium, path)
    other = "en" if first == "es" else "es"
    for language in (first, other):
        page.locator(f"label[for=to-{language}]").click()
        shown = page.locator("body").inner_text()
        for word in WORDS[language]:
            assert word in shown
        assert WORDS["en" if language == "es" else "es"][1] not in shown
    until(page, "[...document.images].every((each) => each.complete && each.naturalWidth > 0)")
    assert page.evaluate("document.images.length") == len(record.standing)
    video = page.locator("video").first
    video.evaluate("(each) => { each.preload = 'auto'; each.load(); }")
    until(page, "document.querySelector('video').readyState >= 2")
    page.close()
    assert faults == []


def test_a_report_fits_a_phone(chromium: Any, record: NightRecord, tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    path.write_text(report_page(choose(record, Selection(coups=(1, 1))), Language.ES), "utf-8")
    page, faults = opened(chromium, path, width=390)
    page.locator(".finding").first.wait_for()
    first = page.locator(".finding article").first.bounding_box()
    assert first["x"] >= 0 and first["x"] + first["width"] <= 390
    page.close()
    assert faults == []


def test_a_bundles_page_shows_still_and_clip_once_unpacked(
    chromium: Any, record: NightRecord, tmp_path: Path
) -> None:
    (tmp_path / "one.zip").write_bytes(make_bundle(record, 1, key_of(tmp_path)))
    with zipfile.ZipFile(tmp_path / "one.zip") as bundle:
        bundle.extractall(tmp_path / "one")
    page, faults = opened(chromium, tmp_path / "one" / "page.html")
    until(page, "document.images.length === 1 && document.images[0].naturalWidth > 0")
    page.locator("video").evaluate("(each) => { each.preload = 'auto'; each.load(); }")
    until(page, "document.querySelector('video').readyState >= 2")
    assert record.finding(1).view.title.es in page.locator("body").inner_text()
    page.close()
    assert faults == []
