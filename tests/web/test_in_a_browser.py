"""The pages in Chromium, as people use them: keys and mouse, both languages, a clip that plays, a phone.

Skipped where there is no Chromium or no Playwright; the accessibility check also where axe-core is not found
(`npm install --no-save axe-core` in the checkout, or its file named by AXE_CORE).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from browsing import NEEDS_AXE, Served, barriers, check_width, pictures, until, visiting
from night import leave_evidence
from veedor.monitor.finding_views import finding_view
from veedor.monitor.store import SessionRecord
from veedor.rules.finding import Finding
from veedor.rules.verdict import Verdict
from veedor.web.site import Answer, Decision, FindingKey

PASSWORD = "a long enough secret"
ANOTHER = Finding(
    "WRONG_HAND_HOLDER", Verdict.BROKEN, 3, 132.0, "seat3", "001 VIII.2 p1", "warn", 0.9,
    facts={"hand": "P1", "by": "seat3"},
)  # fmt: skip


@pytest.fixture
def evidence() -> Callable[[SessionRecord, int, Finding], None]:
    def leave(record: SessionRecord, number: int, finding: Finding) -> None:
        leave_evidence(record, (number, finding), pictures(), 2.0)

    return leave


@pytest.fixture
def address(web: Any) -> Iterator[str]:
    """The site served on loopback; its table has a real picture and stills."""
    _, still = pictures()
    board = web.site.watched[0].board
    board.publish_picture(still)
    _, state = board.latest()
    for view in state.findings:
        board.publish_still(view.number, still)
    views = tuple(replace(view, still=f"/stills/{view.number}.jpg") for view in state.findings)
    board.publish(replace(state, findings=views))
    served = Served(web.app)
    yield served.address
    served.stop()


@pytest.fixture
def visit(chromium: Any, web: Any, address: str) -> Iterator[Callable[..., Any]]:
    with visiting(chromium, web.door, address) as open_page:
        yield open_page


def a_new_finding(web: Any, finding: Finding = ANOTHER) -> None:
    board = web.site.watched[0].board
    _, state = board.latest()
    board.publish(replace(state, findings=(*state.findings, finding_view(len(state.findings) + 1, finding))))


@pytest.mark.parametrize(("lang", "title"), [("es", "Mesas"), ("en", "Tables")])
def test_signing_in_with_the_keyboard_alone(visit: Any, lang: str, title: str) -> None:
    page = visit(None, "/", lang)
    assert page.url.endswith("/sign-in")
    until(page, "document.activeElement.name === 'name'")
    page.keyboard.type("operator")
    page.keyboard.press("Tab")
    page.keyboard.type("not the password")
    page.keyboard.press("Enter")
    page.get_by_role("alert").filter(has_text=re.compile("not right|no son correctos")).wait_for()
    until(page, "document.activeElement.name === 'password'")
    assert page.locator("[name=name]").input_value() == "operator"
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=title).wait_for()
    assert page.url.endswith("/wall")


def test_each_role_is_shown_what_it_may_do_and_no_more(visit: Any) -> None:
    shown = {
        who: (
            page.locator("#to-keypad").count(),
            page.get_by_role("button", name="Accept", include_hidden=True).count(),
            page.get_by_role("link", name="Audit").count(),
        )
        for who in ("operator", "reviewer", "administrator")
        for page in [visit(who, "/tables/mesa-1")]
    }
    assert shown == {"operator": (1, 3, 0), "reviewer": (0, 3, 0), "administrator": (0, 0, 1)}
    told = visit("labeller", "/tables/mesa-1").get_by_role("alert").inner_text()
    assert "your role" in told.lower()


def test_an_administrator_makes_an_account_whose_owner_chooses_the_password(visit: Any, web: Any) -> None:
    page = visit("administrator", "/accounts")
    form = page.locator("form.fields")
    form.get_by_label("Name", exact=True).fill("nueva")
    form.get_by_label("Role").select_option("reviewer")
    form.get_by_label(re.compile("Password")).fill("given for once")
    form.get_by_role("button").click()
    page.get_by_role("rowheader", name=re.compile("nueva")).wait_for()
    theirs = visit(None, "/sign-in")
    theirs.get_by_label("Name").fill("nueva")
    theirs.get_by_label("Password").fill("given for once")
    theirs.keyboard.press("Enter")
    theirs.get_by_label("The present one").fill("given for once")
    theirs.get_by_label(re.compile("The new one")).fill("known to me alone")
    theirs.get_by_label("Again").fill("known to me alone")
    theirs.keyboard.press("Enter")
    theirs.get_by_label("Password").wait_for()
    assert web.door.accounts.proven("nueva", "known to me alone") is not None


def test_the_live_page_shows_the_table_and_hears_of_a_finding_at_once(visit: Any, web: Any) -> None:
    page = visit("operator", "/tables/mesa-1")
    until(page, "document.getElementById('picture').naturalWidth > 0")
    assert page.locator("svg .felt-card").count() == 1
    assert page.locator("svg .unseen").count() == 1
    assert "Coup 3" in page.locator("#coup").inner_text()
    page.locator("#coup").click()  # a browser plays nothing before it is touched
    page.locator("#sound:not(.blocked)").wait_for()
    a_new_finding(web)
    page.locator("#finding-4").wait_for()
    page.locator("#sound[data-played='1']").wait_for()
    a_new_finding(web, replace(ANOTHER, verdict=Verdict.UNDECIDED))
    page.locator("#finding-5").wait_for(state="attached")
    assert page.locator("#finding-5").is_hidden(), "what nobody is accused of is folded"
    assert page.locator("#sound").get_attribute("data-played") == "1", "what nobody is accused of is silent"
    page.keyboard.press("m")
    a_new_finding(web)
    page.locator("#finding-6").wait_for()
    assert page.locator("#sound").get_attribute("data-played") == "1", "muted is muted"


@pytest.mark.parametrize(("lang", "accepted"), [("es", "aceptado"), ("en", "accepted")])
def test_a_finding_is_looked_at_and_accepted_with_keys_while_its_clip_plays(
    visit: Any, web: Any, lang: str, accepted: str
) -> None:
    page = visit("operator", "/tables/mesa-1", lang)
    page.locator("#finding-1[data-clip]").wait_for()
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.id") == "finding-1"
    page.keyboard.press("v")
    until(page, "document.querySelector('#enlarged video').currentTime > 0.2")
    a_new_finding(web)  # what arrives meanwhile does not stop it
    page.locator("#finding-4").wait_for(state="attached")
    until(page, "document.querySelector('#enlarged video').currentTime > 0.8")
    page.keyboard.press("Escape")
    until(page, "document.activeElement.id === 'finding-1'")
    page.keyboard.press("a")
    page.locator("#finding-1 .decision-accepted").get_by_text(accepted).wait_for()
    (row,) = web.store.decisions(f"mesa-1/{web.session}", 1)
    assert (row.action, row.who) == ("accept", "operator")


def test_what_is_in_doubt_is_unfolded_by_the_keys_before_they_decide_on_it(visit: Any, web: Any) -> None:
    for number in (1, 2):
        key = FindingKey("mesa-1", web.session, number)
        web.site.record.decide(key, Decision(Answer.ACCEPTED, "", "operator", "2026-12-01T00:00:00+00:00"))
    page = visit("operator", "/tables/mesa-1")
    page.locator(".doubts summary").wait_for()
    assert not page.locator("#finding-3").is_visible()
    page.keyboard.press("a")
    until(page, "document.activeElement.id === 'finding-3'")
    assert page.locator("#finding-3").is_visible()
    assert web.store.decisions(f"mesa-1/{web.session}", 3) == [], "nobody decides on what he does not see"
    page.keyboard.press("a")
    page.locator("#finding-3 .decision-accepted").wait_for()


def test_a_finding_is_dismissed_with_a_reason_by_key_or_mouse(visit: Any, web: Any) -> None:
    page = visit("reviewer", "/tables/mesa-1")
    page.locator("#finding-2").focus()
    page.keyboard.press("d")
    page.get_by_role("heading", name="Why is it dismissed?").wait_for()
    page.keyboard.press("2")
    page.locator("#finding-2 .decision-dismissed").wait_for()
    page.locator("#finding-1").get_by_role("button", name="Dismiss").click()
    page.get_by_label("Another reason").fill("the croupier was teaching")
    page.keyboard.press("Enter")
    page.locator("#finding-1 .decision-dismissed").wait_for()
    page.locator("details:has(#finding-3) summary").click()
    page.locator("#finding-3").get_by_role("button", name="Escalate").click()
    page.locator("#finding-3 .decision-escalated").wait_for()
    reasons = {row.finding: row.reason for row in web.store.decisions(f"mesa-1/{web.session}")}
    assert reasons == {2: "Put right at the table already", 1: "the croupier was teaching", 3: ""}


def test_a_finding_is_dismissed_though_another_came_while_the_reason_was_chosen(visit: Any, web: Any) -> None:
    page = visit("operator", "/tables/mesa-1")
    page.locator("#finding-2").focus()
    page.keyboard.press("d")
    a_new_finding(web)
    page.locator("#finding-4").wait_for(state="attached")
    page.keyboard.press("2")
    page.locator("#finding-2 .decision-dismissed").wait_for()
    until(page, "document.activeElement.id === 'finding-2'")


def test_a_dismissal_without_a_reason_is_none(visit: Any, web: Any) -> None:
    page = visit("operator", "/tables/mesa-1")
    page.locator("#finding-2").focus()
    page.keyboard.press("d")
    page.get_by_label("Another reason").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.locator("#dismissing").wait_for(state="hidden")
    assert web.store.decisions(f"mesa-1/{web.session}") == []


def test_what_was_not_saved_is_said_loudly(visit: Any, web: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from veedor.monitor.store import StoreError

    def full(*args: object) -> None:
        raise StoreError("decisions.jsonl: No space left on device")

    monkeypatch.setattr(web.store, "record_decision", full)
    page = visit("operator", "/tables/mesa-1")
    page.locator("#finding-2").focus()
    page.keyboard.press("a")
    page.get_by_text("NOT saved: decisions.jsonl: No space left on device").wait_for()


@pytest.mark.parametrize(
    ("lang", "recorded", "withdrawn"), [("es", "anotado", "retirado"), ("en", "recorded", "withdrawn")]
)
def test_the_keypad_with_hot_keys(visit: Any, web: Any, lang: str, recorded: str, withdrawn: str) -> None:
    page = visit("operator", "/tables/mesa-1/keypad", lang)
    said = page.locator("#said")
    for number, key in enumerate("jhnq", 1):
        page.keyboard.press(key)
        page.locator(f'.entry[data-entry="{number}"]').wait_for()
    assert recorded in said.inner_text()
    page.keyboard.press("o")
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    page.locator('.entry[data-entry="5"]').wait_for()
    page.keyboard.press("ArrowRight")  # from the first paño's point to the bank's
    page.keyboard.press("6")
    page.locator('.entry[data-entry="6"]').wait_for()
    page.keyboard.press("k")  # it was a seven
    page.keyboard.press("7")
    page.locator('.entry[data-entry="6"].fallen').wait_for()
    page.keyboard.press("u")
    page.locator('.entry[data-entry="7"].fallen').wait_for()
    assert withdrawn in said.inner_text()
    events = [each[1] if isinstance(each[1], dict) else each[1:3] for each in web.site.commands.events]
    assert [each["event"] for each in events[:4]] == [
        "coup_opened",
        "betting_opened",
        "betting_closed",
        "said",
    ]
    assert events[4] == {"event": "banco_called", "bettor": "seat7", "seat": 7}
    assert events[5:] == [
        {"event": "said", "by": "banker", "words": "point", "point": 6},
        (6, {"event": "said", "by": "banker", "words": "point", "point": 7}),
        (7, None),
    ]


def test_a_press_that_the_network_lost_is_sent_again_as_the_same_one(visit: Any, web: Any) -> None:
    page = visit("operator", "/tables/mesa-1/keypad", "en")
    sent: list[str] = []

    def lose_first(route: Any) -> None:
        sent.append(str(route.request.post_data))
        route.abort() if len(sent) in (1, 3, 4) else route.continue_()

    page.route("**/entries", lose_first)
    page.keyboard.press("n")
    page.locator('.entry[data-entry="1"]').wait_for()
    assert "recorded" in page.locator("#said").inner_text()
    page.keyboard.press("h")  # both are lost: the person is told to look
    until(page, "document.getElementById('said').textContent.includes('No connection')")
    presses = [re.search(r"press=(\w+)", each) for each in sent]
    marks = [found.group(1) for found in presses if found is not None]
    assert len(marks) == 4 and marks[0] == marks[1] != marks[2] == marks[3]
    assert len(web.site.commands.events) == 1


def test_the_keypad_with_a_finger_on_a_phone(visit: Any, web: Any) -> None:
    page = visit("operator", "/tables/mesa-1/keypad", "es", (390, 844))
    page.get_by_role("button", name="No va más").click()
    page.get_by_role("group", name="Punto de Paño 2").get_by_role("button", name="4", exact=True).click()
    page.get_by_role("button", name="Resolución").click()
    page.get_by_label("Texto").fill("la carta vuelve al primer paño")
    page.locator("#needs-ruling").get_by_role("button", name="Anotar").click()
    page.locator('.entry[data-entry="3"]').wait_for()
    page.locator('.entry[data-entry="1"]').get_by_role("button", name="Retirar").click()
    page.locator('.entry[data-entry="1"].fallen').wait_for()
    assert web.site.commands.events[3] == ("mesa-1", 1, None, "operator")


def test_a_key_that_did_not_arrive_is_said_loudly(visit: Any, web: Any) -> None:
    web.site.commands.fault = "mesa-1: no answer in 2 s"
    page = visit("operator", "/tables/mesa-1/keypad")
    page.keyboard.press("n")
    page.locator("#said.bad").get_by_text("NOT recorded: mesa-1: no answer in 2 s").wait_for()


def test_what_was_refused_need_not_be_typed_again(visit: Any, web: Any) -> None:
    page = visit("operator", "/tables/mesa-1/keypad", "es")
    box = page.locator("#needs-ruling")
    for words, fault in (("la carta vuelve", "mesa-1: no answer in 2 s"), ("la carta vuelve a P1", "")):
        web.site.commands.fault = fault
        page.get_by_role("button", name="Resolución").click()
        page.get_by_label("Texto").fill(words)
        box.get_by_role("button", name="Anotar").click()
        page.locator(".said.bad" if fault else ".said.good").wait_for()
        page.get_by_role("button", name="Resolución").click()
        assert page.get_by_label("Texto").input_value() == (words if fault else "")
        page.keyboard.press("Escape")


def test_the_wall_is_read_from_three_metres_and_walked_with_keys(visit: Any, web: Any) -> None:
    page = visit("operator", "/wall", "en", (1920, 1080))
    names = ["#alert strong", "#alert .what", ".tile h2", ".tile .lamp"]
    for name in names:
        page.locator(name).first.wait_for()
    # In one go: news may replace an element between finding and measuring it.
    sizes = page.evaluate(
        "names => Object.fromEntries(names.map(n => "
        "[n, parseFloat(getComputedStyle(document.querySelector(n)).fontSize)]))",
        names,
    )
    # 15 mm at 3 m is 48 px on a 27 inch screen of 1920 px; a lamp is told by its colour as well.
    assert sizes["#alert strong"] >= 48 and sizes["#alert .what"] >= 48
    assert sizes[".tile h2"] >= 38 and sizes[".tile .lamp"] >= 30
    page.locator("body").click(position={"x": 5, "y": 1075})
    a_new_finding(web)
    page.locator('.tile[data-alert="4"]').wait_for()
    page.locator("#sound[data-played='1']").wait_for()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/tables/mesa-1$"), wait_until="commit")


def test_a_session_that_is_revoked_leaves_the_page(visit: Any, web: Any) -> None:
    page = visit("operator", "/tables/mesa-1")
    page.locator("#finding-1").wait_for()
    web.door.sessions.end_all("operator")
    page.wait_for_url(re.compile("/sign-in$"))


EVERY_PAGE = [
    (None, "/sign-in"),
    ("operator", "/wall"),
    ("operator", "/tables/mesa-1"),
    ("operator", "/tables/mesa-1/keypad"),
    ("operator", "/handover"),
    ("reviewer", "/findings/mesa-1/SESSION/1"),
    ("labeller", "/account"),
    ("administrator", "/accounts"),
    ("administrator", "/audit"),
    ("labeller", "/audit"),
]


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_every_page_fits_its_screen(visit: Any, web: Any, width: int, height: int) -> None:
    for who, path in EVERY_PAGE:
        page = visit(who, path.replace("SESSION", web.session), "es", (width, height))
        check_width(page, path)
        if path in ("/wall", "/tables/mesa-1") and width == 1280:
            assert page.evaluate("document.documentElement.scrollHeight") <= height, path


def test_on_a_small_screen_most_of_the_side_is_for_findings(visit: Any, web: Any) -> None:
    page = visit("operator", "/tables/mesa-1", "es", (1280, 800))
    page.locator("#finding-1").wait_for()
    boxes = {name: page.locator(f".{name}").first.bounding_box() for name in ("coup", "findings", "picture")}
    assert boxes["findings"]["height"] > 1.3 * boxes["coup"]["height"]
    assert boxes["findings"]["width"] > 1.2 * boxes["picture"]["width"]
    assert boxes["coup"]["y"] + boxes["coup"]["height"] <= boxes["findings"]["y"]


@NEEDS_AXE
@pytest.mark.parametrize("lang", ["es", "en"])
def test_no_page_has_a_serious_barrier(visit: Any, web: Any, lang: str) -> None:
    found = []
    for who, path in EVERY_PAGE:
        page = visit(who, path.replace("SESSION", web.session), lang)
        found += barriers(page, path)
    assert found == []


@pytest.mark.parametrize("path", ["/tables/mesa-1", "/handover"])
def test_a_finding_s_code_stands_in_one_line_on_a_phone(visit: Any, path: str) -> None:
    page = visit("reviewer", path, "en", (390, 844))
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.locator(".finding header code").first.wait_for()
    for code in page.locator(".finding header code").all():
        assert code.evaluate("each => each.getClientRects().length === 1 && each.offsetHeight < 40"), path
