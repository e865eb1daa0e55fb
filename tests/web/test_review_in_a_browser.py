"""The review in Chromium, as a reviewer works: from a remembered time to a ruling, with real pictures.

Skipped where there is no Chromium or no Playwright; the accessibility check also where axe-core is not found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsing import NEEDS_AXE, Served, barriers, check_width, until, visiting
from night import SESSION, leave_night, night
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.coup_view_night import read_night
from veedor.monitor.reviewed_files import Recorded, write_recordings, write_sight
from veedor.rules.events import EventCorrected
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.percept import Percept
from veedor.vision.sources import VideoSource
from veedor.vision.table_file import load_table, save_table

COUP = f"/review/{SESSION}/coups/1"
START_S = 4.0  # of the session: where its recording begins


def seen(number: int, t_s: float, x: float) -> Percept:
    """A card at `x` and a stake of seat 4 on its half line."""
    corners = np.array(
        [[[x, 300], [x + 30, 300], [x + 30, 342], [x, 342]], [[500, 700], [530, 700], [530, 730], [500, 730]]]
    )
    ranks, suits = np.full((2, 13), np.nan, np.float32), np.full((2, 4), np.nan, np.float32)
    ranks[0], suits[0] = np.eye(13)[6], np.eye(4)[1]
    kinds = np.array([ObjectClass.CARD_FACE, ObjectClass.CHIP_STACK])
    return Percept(
        number, t_s, Detections(corners.astype(np.float32), np.ones(2, np.float32), kinds),
        np.array([[-700, 20], [-1046, -441]], np.float32), ranks, suits, np.full((2, 0), np.nan, np.float32),
        np.full((2, 8), np.nan, np.float32), np.ones(2, np.bool_),
    )  # fmt: skip


@pytest.fixture
def night_data(tmp_path: Path) -> Path:
    """A night whose recording is the bundled one; the card moves a pixel with every picture."""
    folder = leave_night(tmp_path)
    clip = bundled_clip("demo")
    info = VideoSource(clip.video).info
    size = clip.video.stat().st_size
    shown = Recorded(
        clip.video, "0" * 64, START_S, START_S + info.duration_s, (info.width, info.height), START_S,
        frames=info.frames, bytes=size,
    )  # fmt: skip
    write_recordings(folder.path, [shown])
    save_table(load_table(clip.table), folder.path / "table.toml")
    times = [START_S + round(number * 0.08, 6) for number in range(900)]
    write_sight(folder.path, [[seen(number, t, 800.0 + number) for number, t in enumerate(times)]])
    return tmp_path


@pytest.fixture
def store(archive: Any) -> Any:
    return archive.store


@pytest.fixture
def address(archive: Any) -> Iterator[str]:
    served = Served(archive.app)
    yield served.address
    served.stop()


@pytest.fixture
def visit(chromium: Any, door: Any, address: str) -> Iterator[Callable[..., Any]]:
    with visiting(chromium, door, address) as open_page:

        def as_reviewer(
            path: str, lang: str = "en", size: tuple[int, int] = (1280, 800), who: str = "reviewer"
        ) -> Any:
            return open_page(who, path, lang, size)

        yield as_reviewer


def moment(page: Any) -> float:
    return float(page.evaluate("document.getElementById('video').dataset.t"))


def ready(page: Any) -> None:
    until(page, "document.getElementById('overlay').dataset.ready === 'yes'")
    until(
        page, "document.getElementById('video').readyState >= 2 && !document.getElementById('video').seeking"
    )
    until(page, "Boolean(document.getElementById('video').dataset.t)")


@pytest.mark.parametrize(
    ("lang", "seat", "ruled"), [("es", "asiento", "resolución"), ("en", "seat", "ruling")]
)
def test_from_a_remembered_time_to_a_ruling_by_keys_alone(
    visit: Any, store: Any, lang: str, seat: str, ruled: str
) -> None:
    page = visit("/review", lang)
    page.keyboard.type(f"23:38 {seat} 4")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/review/search"))
    until(page, "document.querySelectorAll('.coup-row').length === 2")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(COUP + "$"))
    row = page.locator("#stake-b1").inner_text()
    assert f"{seat} 4" in row and "−2\u202f000" in row and "−1\u202f000" in row
    assert "-1046" in row, "the place in millimetres"
    page.keyboard.press("r")
    page.keyboard.type("Se devuelven 1000")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile("#finding-1$"))
    until(page, "document.querySelectorAll('.decision').length === 1")
    assert ruled in page.locator(".decision").inner_text()
    (decision,) = store.decisions(SESSION)
    assert (decision.action, decision.reason) == ("rule", "Se devuelven 1000")


def test_a_misread_card_is_corrected_and_the_verdict_changes_before_it_is_saved(
    visit: Any, store: Any
) -> None:
    page = visit(COUP)
    page.locator('.face[aria-label*="9♣"]').click()
    page.wait_for_url(re.compile("what-if"))
    page.locator('select[name="field-shows"]').select_option("2C")
    page.keyboard.press("Tab")
    page.locator("button.strong", has_text="See what changes").press("Enter")
    page.locator("#fates-title").wait_for()
    assert page.locator(".after .hand", has_text="bank").locator(".points").inner_text() == "2"
    assert page.locator(".fate-new").count() == 4 and page.locator(".fate-changed").count() == 1
    assert not any(isinstance(each, EventCorrected) for each in read_night(store.folder(SESSION)).written)
    page.locator('input[name="reason"]').fill("it is a two")
    page.keyboard.press("Enter")
    page.locator(".saved").wait_for()
    assert page.locator('.face[aria-label*="2♣"]').count() == 1
    (line,) = [each for each in read_night(store.folder(SESSION)).written if isinstance(each, EventCorrected)]
    assert (line.by, line.reason) == ("reviewer", "it is a two")


def test_two_tabs_that_save_at_once_lose_nothing(visit: Any, store: Any) -> None:
    stake = next(each.id for each in night() if getattr(each, "bet", None) == "b2")
    tabs = [visit(f"{COUP}/what-if?event={stake}") for _ in range(2)]
    for number, tab in enumerate(tabs):
        tab.locator('input[name="field-amount"]').fill(str(500 + number))
        tab.locator("button.strong", has_text="See what changes").click()
        tab.locator('input[name="reason"]').fill(f"tab {number}")
    tabs[0].locator("button.strong", has_text="Save the correction").click()
    tabs[0].locator(".saved").wait_for()
    tabs[1].locator("button.strong", has_text="Save the correction").click()
    tabs[1].locator(".fault").wait_for()
    assert "NOT saved" in tabs[1].locator(".fault").inner_text()
    assert "501" in tabs[1].locator(".changes").inner_text(), "what the second wrote is still there"
    written = [each for each in read_night(store.folder(SESSION)).written if isinstance(each, EventCorrected)]
    assert [each.reason for each in written] == ["tab 0"]


def test_the_video_steps_picture_by_picture_with_what_was_seen_in_each(visit: Any) -> None:
    page = visit(COUP)
    ready(page)
    first = moment(page)
    assert first == pytest.approx(61.0, abs=0.08), "it opens at the finding"
    for key, by in ((".", 0.08), (".", 0.08), (",", -0.08), ("ArrowLeft", -1.0)):
        before = moment(page)
        page.keyboard.press(key)
        until(page, f"Math.abs(document.getElementById('video').dataset.t - {before + by}) < 0.081")
        ready(page)
        assert moment(page) - before == pytest.approx(by, abs=0.0801 if abs(by) == 1.0 else 1e-6)
        number = round((moment(page) - START_S) / 0.08)
        points = page.locator("#overlay .seen-card").get_attribute("points")
        assert float(points.partition(",")[0]) == pytest.approx(800.5 + number), "outlines of that picture"
        told = page.evaluate("document.getElementById('video').currentTime")
        assert told >= 0
    assert page.locator("#overlay text").first.text_content() == "7♥"
    page.keyboard.press("o")
    assert page.locator("#overlay polygon").count() == 0
    assert page.locator("#seen .felt-card").count() == 1, "the table from above goes on showing it"
    page.keyboard.press("o")
    assert page.locator("#overlay polygon").count() == 2


def test_the_video_plays_on_from_piece_to_piece_faster_and_to_the_next_finding(visit: Any) -> None:
    page = visit(COUP + "#t=19.0")
    ready(page)
    assert moment(page) == pytest.approx(19.0, abs=0.09)
    for _ in range(2):
        page.keyboard.press("]")
    assert page.locator("#speed").inner_text() == "4×"
    page.keyboard.press("Space")
    until(page, "document.getElementById('video').dataset.t > 23")
    assert page.evaluate("document.getElementById('video').src").endswith("/video/1.mp4")
    page.keyboard.press("Space")
    page.keyboard.press("n")
    until(page, "Math.abs(document.getElementById('video').dataset.t - 61) < 0.09")
    assert page.evaluate("document.activeElement.id") == "finding-1"
    page.keyboard.press("k")
    page.wait_for_url(re.compile("/coups/2$"))
    page.keyboard.press("j")
    page.wait_for_url(re.compile("/coups/1$"))


def test_the_pieces_hold_every_picture_of_the_recording_at_its_time(
    visit: Any, address: str, chromium: Any
) -> None:
    import io

    import av

    page = visit(COUP)
    told = json.loads(page.evaluate(f"fetch('{COUP}/sight.json').then((each) => each.text())"))
    assert len(told["times"]) == len(set(told["times"])) > 700
    shown: set[float] = set()
    for number, (start, stop, first) in enumerate(told["pieces"]):
        body = page.evaluate(
            f"fetch('{COUP}/video/{number}.mp4').then((each) => each.arrayBuffer())"
            ".then((each) => Array.from(new Uint8Array(each)))"
        )
        with av.open(io.BytesIO(bytes(body))) as container:
            stream = container.streams.video[0]
            times = [
                round(float(each.pts * stream.time_base) + first, 3) for each in container.decode(stream)
            ]
        assert times[0] == pytest.approx(first) and first <= start + 0.08
        shown |= {each for each in times if start <= each < stop}
    assert sorted(shown) == pytest.approx([round(each, 3) for each in told["times"]])


PAGES = [
    "/review", "/review/search?q=23:40", "/review/search?person=seat4&low=500", "/review/statistics",
    f"/review/{SESSION}", COUP, f"{COUP}/what-if", f"{COUP}/what-if?event=9", f"{COUP}/what-if?add=said",
]  # fmt: skip


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_every_page_of_the_review_fits_its_screen(visit: Any, width: int, height: int) -> None:
    for path in PAGES:
        page = visit(path, "es", (width, height))
        check_width(page, path)


@NEEDS_AXE
@pytest.mark.parametrize("lang", ["es", "en"])
def test_no_page_of_the_review_has_a_serious_barrier(visit: Any, lang: str) -> None:
    found = []
    for path in PAGES:
        page = visit(path, lang)
        found += barriers(page, path)
    assert found == []
