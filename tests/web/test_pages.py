"""What people do on the pages, and what becomes of it."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from veedor.monitor.bookkeeping import Bookkeeper
from veedor.monitor.live_state import LiveState
from veedor.monitor.sight_book import Unseen
from veedor.monitor.store import StoreError
from veedor.monitor.story import tell
from veedor.rules.events import BankDeposited, CoupOpened
from veedor.rules.profile import load_profile
from veedor.web.access.audit import Filter
from veedor.web.access.people import Role
from veedor.web.keys import TABLE_KEYS, hand_keys

JSON = "application/json"


def decide(web: Any, number: int, **fields: str) -> Any:
    path = f"/findings/mesa-1/{web.session}/{number}/decision"
    return web.signed_in(Role.OPERATOR).post(path, fields, JSON)


def test_a_decision_is_on_disk_before_it_is_acknowledged(web: Any) -> None:
    answer = decide(web, 1, answer="dismissed", reason="put right at the table")
    assert answer.status == 200 and json.loads(answer.text)["saved"] is True
    path = web.data / "tables" / "mesa-1" / web.session / "decisions.jsonl"
    (line,) = [json.loads(each) for each in path.read_text().splitlines()]
    assert (line["finding"], line["action"], line["who"]) == (1, "dismiss", "operator")
    assert line["reason"] == "put right at the table"
    (entry,) = web.door.audit.entries(Filter(act="decided dismissed"))
    assert (entry.who, entry.detail) == ("operator", "put right at the table")


def test_a_decision_that_could_not_be_written_is_not_acknowledged(
    web: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object) -> None:
        raise StoreError("decisions.jsonl: No space left on device")

    monkeypatch.setattr(web.store, "record_decision", full)
    answer = decide(web, 1, answer="accepted")
    assert answer.status == 503
    assert json.loads(answer.text) == {"fault": "NOT saved: decisions.jsonl: No space left on device"}
    assert web.door.audit.entries(Filter(act="decided accepted")) == []


def test_the_live_page_shows_who_decided_what(web: Any) -> None:
    decide(web, 1, answer="accepted")
    page = web.signed_in(Role.REVIEWER).get("/tables/mesa-1").text
    assert "<strong>accepted</strong> by operator" in page
    assert page.count('class="answers"') == 3  # an answer may be thought better of


def test_an_administrator_sees_findings_and_cannot_decide(web: Any) -> None:
    page = web.signed_in(Role.ADMINISTRATOR).get("/tables/mesa-1").text
    assert "P_DRAW_ON_6PLUS" in page and 'class="answers"' not in page


def test_what_is_accepted_or_dismissed_is_no_longer_open_and_what_is_escalated_is(web: Any) -> None:
    decide(web, 1, answer="accepted")
    decide(web, 2, answer="escalated", reason="ask the inspector")
    page = web.signed_in(Role.OPERATOR).get("/handover").text
    assert "BET_AFTER_NMV" not in page
    assert "P_DRAW_ON_6PLUS" in page and "ask the inspector" in page
    assert "SLOW_VIEW" in page  # nobody has looked at it yet


def test_the_live_page_says_which_zones_cannot_be_seen(web: Any) -> None:
    page = web.signed_in(Role.OPERATOR).get("/tables/mesa-1").text
    assert "paño 1 · hand" in page and 'class="unseen"' in page
    assert "paño 1 · mano (tapada)" in web.signed_in(Role.OPERATOR).get("/tables/mesa-1?lang=es").text


def test_the_live_page_and_the_wall_say_why_the_table_cannot_be_seen(web: Any) -> None:
    board = web.site.watched[0].board
    board.publish(replace(board.latest()[1], unseen=(Unseen("", 129.0, "frame gap"),)))
    why = "no se miraron todas las imágenes: falta procesador o llegan pocas"
    browser = web.signed_in(Role.OPERATOR)
    assert f"no se ve: toda la mesa ({why})" in " ".join(browser.get("/tables/mesa-1?lang=es").text.split())
    assert f"no se ve: toda la mesa <small>({why})</small>" in browser.get("/wall?lang=es").text


def test_the_language_asked_for_is_remembered(web: Any) -> None:
    browser = web.signed_in(Role.OPERATOR)
    assert '<html lang="es">' in browser.get("/wall?lang=es").text
    assert '<html lang="es">' in browser.get("/handover").text
    assert '<html lang="en">' in browser.get("/handover?lang=en").text


def test_the_wall_shows_the_newest_alert_that_nobody_has_answered(web: Any) -> None:
    browser = web.signed_in(Role.OPERATOR)
    page = browser.get("/wall").text
    assert "lamp-partly" in page and "<strong>2</strong>" in page  # SLOW_VIEW accuses nobody
    assert page.index('class="first') < page.index("infractions unanswered")
    decide(web, 1, answer="accepted")
    decide(web, 2, answer="dismissed", reason="no")
    later = web.signed_in(Role.OPERATOR).get("/wall").text
    assert "unanswered" not in later and "Nothing to report" not in later
    assert "<strong>1</strong> to look at" in later
    decide(web, 3, answer="accepted")
    assert "Nothing to report" in web.signed_in(Role.OPERATOR).get("/wall").text


def test_the_wall_does_not_report_nothing_of_a_table_that_it_cannot_see(web: Any) -> None:
    watched = web.site.watched[0]
    _, state = watched.board.latest()
    watched.board.publish(replace(state, findings=(), unseen=(replace(state.unseen[0], zone=""),)))
    page = web.signed_in(Role.OPERATOR).get("/wall").text
    assert "<strong>Cannot see</strong>: Mesa 1" in page and "othing to report" not in page


def test_what_is_in_doubt_is_folded_behind_what_was_told(web: Any) -> None:
    for path in ("/tables/mesa-1", "/handover"):
        page = web.signed_in(Role.OPERATOR).get(path).text
        folded = page.index('<details id="doubts-')
        assert page.index("P_DRAW_ON_6PLUS") < folded < page.index("SLOW_VIEW"), path


@pytest.mark.parametrize("signed_in", [True, False])
@pytest.mark.parametrize(("lang", "words"), [("es", "no hay ninguna página"), ("en", "there is no page")])
def test_an_address_that_no_page_has_is_answered_by_a_page(
    web: Any, lang: str, words: str, signed_in: bool
) -> None:
    browser = web.signed_in(Role.OPERATOR) if signed_in else web.stranger()
    for path in ("/nothing", "/static/nothing", "/tables/mesa-1/nothing/at/all"):
        answer = browser.get(f"{path}?lang={lang}")
        assert answer.status == 404 and words in answer.text and f'<html lang="{lang}">' in answer.text
    answer = browser.ask("DELETE", "/sign-in", headers={"accept": "text/html"})
    assert answer.status == 405 and "<h1>405</h1>" in answer.text and "allow" in answer.headers


@pytest.mark.parametrize(
    ("preferred", "shown"),
    [
        ("es-AR,es;q=0.9,en;q=0.8", "es"),
        ("en;q=0.5, es;q=0.7", "es"),
        ("fr, de;q=0.9, es;q=0.1", "es"),
        ("es;q=0, fr", "en"),
        ("en-US", "en"),
        ("*;q=x,;;,es;q=²", "en"),
    ],
)
def test_who_chose_no_language_gets_the_browser_s(web: Any, preferred: str, shown: str) -> None:
    browser = web.stranger()
    page = browser.get("/sign-in", **{"accept-language": preferred})
    assert f'<html lang="{shown}">' in page.text
    other = "en" if shown == "es" else "es"
    assert (
        f'<html lang="{other}">' in browser.get(f"/sign-in?lang={other}", **{"accept-language": shown}).text
    )
    assert f'<html lang="{other}">' in browser.get("/sign-in", **{"accept-language": shown}).text


def test_the_stills_of_the_hand_over_are_one_line_of_the_audit(web: Any) -> None:
    browser = web.signed_in(Role.OPERATOR)
    browser.get("/handover")
    browser.get(f"/findings/mesa-1/{web.session}/1/still.jpg")
    told = [(each.act, each.detail) for each in web.door.audit.entries(Filter())]
    assert ("saw hand-over", "1 still") in told and "saw still" not in [act for act, _ in told]


@pytest.mark.parametrize(
    ("change", "lamp"),
    [({"silent_s": 5.0}, "silent"), ({"silent_s": 1.0}, "partly")],
)
def test_a_table_whose_process_is_silent_is_said_to_be(web: Any, change: dict[str, Any], lamp: str) -> None:
    web.site.watched[0] = replace(web.site.watched[0], **change)
    assert f"lamp-{lamp}" in web.signed_in(Role.OPERATOR).get("/wall").text


@pytest.mark.parametrize(
    ("fields", "event"),
    [
        ({"key": "closed"}, {"event": "betting_closed"}),
        ({"key": "open"}, {"event": "betting_opened"}),
        ({"key": "coup"}, {"event": "coup_opened"}),
        ({"key": "banco", "seat": "4"}, {"event": "banco_called", "bettor": "seat4", "seat": 4}),
        ({"key": "bank", "amount": "2500"}, {"event": "bank_declared", "amount": "2500"}),
        ({"key": "deposit", "amount": "50.000"}, {"event": "bank_deposited", "amount": "50000"}),
        ({"key": "left"}, {"event": "banker_left"}),
        ({"key": "said:P1:carta"}, {"event": "said", "by": "P1", "words": "carta"}),
        ({"key": "said:P2:no"}, {"event": "said", "by": "P2", "words": "no"}),
        ({"key": "said:banker:cuadro"}, {"event": "said", "by": "banker", "words": "cuadro"}),
        ({"key": "said:P1:abato"}, {"event": "said", "by": "P1", "words": "abato"}),
        ({"key": "said:P2:repeat"}, {"event": "said", "by": "P2", "words": "repeat"}),
        ({"key": "point:P2:0"}, {"event": "said", "by": "P2", "words": "point", "point": 0}),
        (
            {"key": "ruling", "text": " la carta  vuelve ", "by": "inspector"},
            {"event": "ruling", "by": "inspector", "text": "la carta vuelve"},
        ),
    ],
)
def test_a_key_enters_its_event(web: Any, fields: dict[str, str], event: dict[str, object]) -> None:
    answer = web.signed_in(Role.OPERATOR).post("/tables/mesa-1/entries", fields, JSON)
    assert answer.status == 200 and json.loads(answer.text)["saved"] is True
    assert web.site.commands.events == [("mesa-1", event, "operator")]
    assert web.door.audit.entries(Filter(act="entered"))[0].subject == f"mesa-1/{web.session}#1"


def test_every_key_s_event_is_one_of_the_journal() -> None:
    from veedor.rules.events import UnknownEvent, decode_event
    from veedor.web.keys import entered

    along = {"seat": "3", "amount": "100", "text": "so it is", "by": "director"}
    hands = ("P1", "P2")
    words = [key for column in hand_keys(hands) for key in column.words]
    for key in (*TABLE_KEYS, *words):
        event = decode_event({"id": 1, "t": 1.0, "source": "operator", **entered(key.id, along, hands)})
        assert not isinstance(event, UnknownEvent)


def test_no_hot_key_means_two_things() -> None:
    hot = [key.hot for key in TABLE_KEYS]
    hot += [key.hot for column in hand_keys(("P1", "P2")) for key in column.words]
    assert len(hot) == len(set(hot)) and not set(hot) & set("ulkm")


def test_an_entry_is_replaced_or_withdrawn_and_both_are_on_record(web: Any) -> None:
    operator = web.signed_in(Role.OPERATOR)
    operator.post("/tables/mesa-1/entries", {"key": "said:P1:carta"})
    answer = operator.post("/tables/mesa-1/entries/1", {"key": "said:P1:no"}, JSON)
    assert json.loads(answer.text)["told"] == "paño 1: “no”"
    assert operator.post("/tables/mesa-1/entries/1", {"withdraw": "1"}).status == 409
    assert operator.post("/tables/mesa-1/entries/2", {"withdraw": "1"}).status == 303
    no = {"event": "said", "by": "P1", "words": "no"}
    assert web.site.commands.events[1:] == [("mesa-1", 1, no, "operator"), ("mesa-1", 2, None, "operator")]
    page = operator.get("/tables/mesa-1/keypad").text
    assert page.count("entry fallen") == 2 and "corrects #1" in page
    assert page.count(">corrected</small>") == 1 and page.count(">withdrawn</small>") == 1
    acts = [each.act for each in web.door.audit.entries(Filter())]
    assert acts[:3] == [
        "saw keypad",
        "corrected 2",
        "refused",
    ]


def test_a_key_that_did_not_arrive_says_so(web: Any) -> None:
    web.site.commands.fault = "mesa-1: no answer in 2 s"
    answer = web.signed_in(Role.OPERATOR).post("/tables/mesa-1/entries", {"key": "closed"}, JSON)
    assert answer.status == 503
    assert json.loads(answer.text) == {"fault": "NOT recorded: mesa-1: no answer in 2 s"}
    assert web.door.audit.entries(Filter(act="entered")) == []


def test_a_table_without_speaking_hands_has_only_the_table_s_keys(web: Any) -> None:
    table = web.site.watched[0]
    web.site.watched[0] = replace(table, face=replace(table.face, hands=()))
    page = web.signed_in(Role.OPERATOR).get("/tables/mesa-1/keypad").text
    assert 'data-key="closed"' in page and "said:P1" not in page and 'data-key="banco"' not in page
    assert 'data-key="deposit"' not in page


def test_a_deposit_is_the_bank_that_the_live_page_shows(web: Any) -> None:
    events = [BankDeposited(Decimal(50_000), t=0.5), CoupOpened(1, t=1.0)]
    books = Bookkeeper(load_profile("dos-panos-limitada"))
    for event in events:
        books.feed(event)
    (table,) = web.site.tables()
    table.board.publish(LiveState(t_s=2.0, coup=tell(events)[0], account=books.accounts[-1]))
    page = web.signed_in(Role.OPERATOR).get("/tables/mesa-1?lang=en").text
    assert "bank <strong>50\u202f000</strong>" in page


def test_a_clip_is_served_in_ranges(web: Any) -> None:
    path = f"/findings/mesa-1/{web.session}/1/clip.mp4"
    whole = web.signed_in(Role.REVIEWER).get(path)
    part = web.signed_in(Role.REVIEWER).get(path, range="bytes=100-199")
    assert (whole.status, whole.headers["content-type"]) == (200, "video/mp4")
    assert part.status == 206 and part.body == whole.body[100:200]
