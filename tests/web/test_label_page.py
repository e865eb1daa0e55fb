"""The labelling page in Chromium: keys and mouse, autosave, two tabs, a lost server, both languages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from browsing import AXE, Served, barriers, check_width, until, visiting
from veedor.datasets.labelled import LabelledObject, LabelledPicture
from veedor.monitor.labelling.agreement import outline_iou
from veedor.monitor.labelling.revisions import State
from veedor.monitor.labelling.store import LabelStore
from veedor.monitor.labelling.tables import keep_table
from veedor.vision.detections import ObjectClass
from veedor.vision.table import ChipType

FACE, BACK, STACK = ObjectClass.CARD_FACE, ObjectClass.CARD_BACK, ObjectClass.CHIP_STACK


def box(name: str, kind: ObjectClass, x: float, **more: object) -> LabelledObject:
    corners = ((x, 100.0), (x + 45.0, 100.0), (x + 45.0, 163.0), (x, 163.0))
    return LabelledObject(name, kind, corners, **more)  # type: ignore[arg-type]


OBJECTS = (
    box("m1", FACE, 100.0, rank="7", suit="H", extra=(("confidence", "0.97"),)),
    box("m2", FACE, 200.0, extra=(("confidence", "0.41"),)),
    box("m3", BACK, 300.0, back="red"),
    box("m4", STACK, 400.0, count=1),
)


@pytest.fixture
def store(web: Any) -> LabelStore:
    """Beside the finished picture two to be labelled, of a table with two kinds of chips."""
    from night import TABLE

    store = LabelStore(web.data)
    chips = (ChipType("white", 100, (240, 240, 240)), ChipType("blue", 500, (20, 20, 200)))
    keep_table(store.folder, replace(TABLE, id="mesa-1", name="Mesa 1", chips=chips))
    image = np.random.default_rng(1).integers(0, 255, (400, 640, 3), np.uint8)
    for number, name in enumerate(("one", "two")):
        about = LabelledPicture(
            name, "cd" * 32, number, Fraction(1, 25), 640, 400, "stills", "mesa-1", None, "x", 0, OBJECTS
        )
        store.add(about, image)
    return store


@pytest.fixture
def served(web: Any) -> Iterator[Served]:
    served = Served(web.app)
    yield served
    served.stop()


Opened = Callable[..., Any]


@pytest.fixture
def visit(chromium: Any, web: Any, served: Served, store: LabelStore) -> Iterator[Opened]:
    with visiting(chromium, web.door, served.address) as open_page:

        def opened(who: str, path: str, lang: str = "en", size: tuple[int, int] = (1280, 800)) -> Any:
            return ready(open_page(who, path, lang, size), path)

        def again(context: Any, path: str) -> Any:
            return ready(open_page.again(context, path), path)  # type: ignore[attr-defined]

        opened.again = again  # type: ignore[attr-defined]
        yield opened


def ready(page: Any, path: str) -> Any:
    if "/pictures/" in path:
        until(page, "document.body.dataset.ready === 'yes'")
    return page


def calm(page: Any) -> None:
    """Until everything is saved: a change is told as unsaved at once."""
    until(page, "document.getElementById('saving').dataset.state === 'saved'")


def saved(page: Any, number: int) -> None:
    until(page, f"document.getElementById('saving').matches('[data-state=saved][data-number=\"{number}\"]')")


def pressed(page: Any, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press("Space" if key == "Space" else key)


def test_a_picture_is_labelled_with_keys_alone(visit: Opened, store: LabelStore) -> None:
    page = visit("labeller", "/label")
    page.locator("main a.strong").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/label/pictures/one", wait_until="domcontentloaded")
    until(page, "document.body.dataset.ready === 'yes'")
    # The seven is right; the second card is the ten of clubs, a little to the right; the back is a king;
    # there are two white chips and a blue one.
    pressed(
        page, "Enter t c ArrowRight Shift+ArrowRight Enter k d Enter Shift+Digit1 Shift+Digit1 Shift+Digit2"
    )
    assert "3" in page.locator("#count").input_value()
    pressed(page, "Shift+Enter")
    page.wait_for_url("**/label/pictures/two", wait_until="commit")
    done = store.final("one")
    assert done is not None and done.author == "labeller"
    seven, ten, king, stack = done.objects
    assert (seven.rank, seven.suit, seven.corners_px) == ("7", "H", OBJECTS[0].corners_px)
    assert (ten.rank, ten.suit, ten.corners_px[0]) == ("T", "C", (211.0, 100.0))
    assert (king.kind, king.rank, king.suit, king.back) == (FACE, "K", "D", None)
    assert (stack.chips, stack.count) == (("white", "white", "blue"), 3)
    assert set(done.checked) == {"m1", "m2", "m3", "m4"}


def test_shapes_by_key_undo_and_redo(visit: Opened, store: LabelStore) -> None:
    page = visit("labeller", "/label/pictures/one")
    pressed(
        page, "Control+ArrowRight Control+ArrowRight Control+ArrowUp v v ArrowDown Escape r . Shift+Comma"
    )
    calm(page)
    turned = store.latest("one").objects[0]
    assert turned.corners_px != OBJECTS[0].corners_px
    for _ in range(8):
        page.keyboard.press("u")
    calm(page)
    assert store.latest("one").objects[0].corners_px == OBJECTS[0].corners_px
    for _ in range(8):
        page.keyboard.press("Control+y")
    calm(page)
    assert store.latest("one").objects[0] == turned
    pressed(page, "x")
    calm(page)
    assert [each.id for each in store.latest("one").objects] == ["m2", "m3", "m4"]
    pressed(page, "m 5 s f b")
    page.keyboard.press("Enter")
    calm(page)
    added = store.latest("one").objects[-1]
    assert (added.kind, added.rank) == (BACK, None) and added.id.startswith("n")


def test_corners_are_dragged_with_the_mouse(visit: Opened, store: LabelStore) -> None:
    page = visit("labeller", "/label/pictures/one")
    page.keyboard.press("Space")
    handle = page.locator("#handles [data-handle='2']").bounding_box()
    scale = page.evaluate("new DOMMatrix(getComputedStyle(document.getElementById('picture')).transform).a")
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 5 * scale, y + 3 * scale, steps=4)
    page.mouse.up()
    saved(page, 1)
    corners = store.latest("one").objects[0].corners_px
    assert corners[2] == pytest.approx((150.0, 166.0), abs=0.6)
    assert (corners[0], corners[1], corners[3]) == tuple(OBJECTS[0].corners_px[i] for i in (0, 1, 3))
    page.keyboard.press("u")
    saved(page, 2)
    assert store.latest("one").objects[0] == LabelledObject(
        "m1", FACE, OBJECTS[0].corners_px, "7", "H"
    )  # one drag is one step back
    page.keyboard.press("Home")
    frame = page.locator("#picture").bounding_box()
    at = lambda px, py: (frame["x"] + px * frame["width"] / 640, frame["y"] + py * frame["height"] / 400)  # noqa: E731
    page.keyboard.down("Shift")
    page.mouse.move(*at(500, 200))
    page.mouse.down()
    page.mouse.move(*at(560, 290), steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    saved(page, 3)
    drawn = store.latest("one").objects[-1]
    wanted = LabelledObject("w", FACE, ((500.0, 200.0), (560.0, 200.0), (560.0, 290.0), (500.0, 290.0)))
    assert outline_iou(drawn, wanted) > 0.95


def test_the_server_goes_away_and_comes_back(visit: Opened, served: Served, store: LabelStore) -> None:
    page = visit("labeller", "/label/pictures/one")
    page.keyboard.press("8")
    saved(page, 1)
    served.stop()
    page.keyboard.press("9")
    until(page, "document.getElementById('saving').dataset.state === 'offline'")
    page.keyboard.press("s")
    assert "9" in page.evaluate("Object.values(localStorage).join()")
    assert store.latest("one").objects[0].rank == "8"
    served.start()
    until(page, "document.getElementById('saving').dataset.state === 'saved'")
    newest = store.latest("one").objects[0]
    assert (newest.rank, newest.suit) == ("9", "S")
    assert page.evaluate("Object.keys(localStorage).length") == 0


def test_what_a_closed_tab_had_not_saved_is_back(visit: Opened, served: Served, store: LabelStore) -> None:
    page = visit("labeller", "/label/pictures/one")
    context = page.context
    served.stop()
    page.keyboard.press("9")
    until(page, "Object.values(localStorage).join().includes('\"9\"')")
    page.close(run_before_unload=False)
    served.start()
    page = visit.again(context, "/label/pictures/one")  # type: ignore[attr-defined]
    saved(page, 1)
    assert store.latest("one").objects[0].rank == "9"


def test_leaving_with_something_unsaved_warns(visit: Opened, served: Served) -> None:
    page = visit("labeller", "/label/pictures/one")
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.evaluate("location.href = '/label'")
    page.wait_for_url("**/label", wait_until="commit")
    assert asked == []
    page = visit.again(page.context, "/label/pictures/one")  # type: ignore[attr-defined]
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    served.stop()
    page.keyboard.press("9")
    until(page, "document.getElementById('saving').dataset.state === 'offline'")
    page.evaluate("setTimeout(() => { location.href = '/label'; })")
    page.wait_for_timeout(500)
    assert asked == ["beforeunload"]
    served.start()


@pytest.mark.parametrize(("choice", "ranks"), [("1", ["8", "9"]), ("2", ["8", None]), ("3", ["7", "9"])])
def test_two_people_at_once_choose_what_stays(
    visit: Opened, store: LabelStore, choice: str, ranks: list[str | None]
) -> None:
    page = visit("labeller", "/label/pictures/one")
    theirs = [LabelledObject("m1", FACE, OBJECTS[0].corners_px, "7", "H"),
              LabelledObject("m2", FACE, OBJECTS[1].corners_px, "9"), *OBJECTS[2:]]  # fmt: skip
    store.save("one", theirs, "ana", 0, State.DRAFT)
    page.keyboard.press("8")
    until(page, "document.getElementById('conflict').open")
    assert "ana" in page.locator("#conflict .what").text_content()
    page.keyboard.press(choice)
    saved(page, 1 if choice == "3" else 2)
    assert [each.rank for each in store.latest("one").objects[:2]] == ranks


def test_another_tab_sees_what_this_one_saved(visit: Opened, store: LabelStore) -> None:
    first = visit("labeller", "/label/pictures/one")
    second = visit.again(first.context, "/label/pictures/one")  # type: ignore[attr-defined]
    second.keyboard.press("8")
    saved(second, 1)
    saved(first, 1)
    assert first.evaluate("document.querySelector('.shape text').textContent") == "8♥"
    first.bring_to_front()
    first.keyboard.press("9")
    saved(first, 2)
    assert store.latest("one").objects[0].rank == "9"


def test_a_session_that_ended_is_told_and_taken_up_again(
    visit: Opened, web: Any, served: Served, store: LabelStore
) -> None:
    page = visit("labeller", "/label/pictures/one")
    web.door.sessions.end_all("labeller")
    page.keyboard.press("9")
    until(page, "document.getElementById('saving').dataset.state === 'signedOut'")
    token = web.door.sessions.begin(web.door.accounts.find("labeller"), "127.0.0.1")
    page.context.add_cookies([{"name": "veedor", "value": token, "url": served.address}])
    saved(page, 1)
    assert store.latest("one").objects[0].rank == "9"


def test_a_second_opinion_sees_nothing_of_the_first(visit: Opened, store: LabelStore) -> None:
    first = [box("m1", FACE, 100.0, rank="Q", suit="S"), *OBJECTS[1:]]
    store.save("one", first, "ana", 0, State.DONE)
    page = visit("labeller", "/label/pictures/one")
    assert page.url.endswith("/label/pictures/one/second")
    assert "Q" not in page.evaluate("document.getElementById('outlines').textContent")
    told = page.evaluate("fetch('/label/pictures/one/state').then(r => r.status)")
    assert told == 403
    pressed(page, "8 Shift+Enter")
    page.wait_for_url(lambda url: "/one/" not in url, wait_until="commit")
    second = store.latest_second("one", "labeller")
    assert second is not None and second.state is State.SECOND and second.objects[0].rank == "8"
    assert store.latest("one").objects[0].rank == "Q"
    page = visit("administrator", "/label/pictures/one?with=labeller")
    lines = page.locator("#differences li")
    assert "Q♠" in lines.first.text_content() and "8♥" in lines.first.text_content()
    lines.first.get_by_role("button", name="Take").click()
    saved(page, 2 + 1)
    assert store.latest("one").objects[0].rank == "8"
    figures = visit("administrator", "/label/agreement").locator("tbody").first.text_content()
    assert "ana / labeller" in figures


@pytest.mark.parametrize(("lang", "word"), [("es", "Deshacer"), ("en", "Undo")])
def test_both_languages_without_barriers(visit: Opened, store: LabelStore, lang: str, word: str) -> None:
    store.save("two", OBJECTS, "ana", 0, State.DONE)
    found = []
    one, two = "/label/pictures/one", "/label/pictures/two"
    for path in ("/label", "/label?show=done", "/label/agreement", one, two):
        page = visit("labeller" if path != "/label/agreement" else "administrator", path, lang)
        if path == one:
            assert word in page.locator(".tools").text_content()
            page.keyboard.press("?")
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            check_width(page, path)
        if AXE.is_file():
            found += barriers(page, path)
    assert found == []
