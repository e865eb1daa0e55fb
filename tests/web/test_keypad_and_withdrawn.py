"""The keypad once more: amounts, a press sent twice, refusals in words; and findings that were withdrawn."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from veedor.monitor.finding_views import finding_view
from veedor.monitor.live_state import LiveState
from veedor.monitor.story import tell
from veedor.rules.events import (
    BancoCalled,
    BetChanged,
    BetCollected,
    BetPaid,
    BetPlaced,
    CardDealt,
    CardTurned,
    CoupOpened,
    HandTaken,
    Said,
    ViewLost,
)
from veedor.rules.finding import Finding
from veedor.rules.verdict import Verdict
from veedor.web.access.people import Role
from veedor.web.site import Receipt, SiteFault

JSON = "application/json"
ENTRIES = "/tables/mesa-1/entries"


@pytest.mark.parametrize(
    ("written", "amount"),
    [
        ("100.000", "100000"),
        ("100,000", "100000"),
        ("100 000", "100000"),
        ("1.234,50", "1234.50"),
        ("12,5", "12.5"),
    ],
)
def test_the_bank_s_amount_is_written_as_people_write_it(web: Any, written: str, amount: str) -> None:
    fields = {"key": "bank", "amount": written}
    assert web.signed_in(Role.OPERATOR).post(ENTRIES, fields, JSON).status == 200
    assert web.site.commands.events[0][1] == {"event": "bank_declared", "amount": amount}


@pytest.mark.parametrize("written", ["1.234,567", "0.500", "0", "-5", "9" * 30, "ten", ""])
def test_an_amount_that_could_be_two_is_asked_for_again(web: Any, written: str) -> None:
    answer = web.signed_in(Role.OPERATOR).post(f"{ENTRIES}?lang=es", {"key": "bank", "amount": written}, JSON)
    assert answer.status == 422 and json.loads(answer.text)["fault"].startswith("importe: ")
    assert web.site.commands.events == []


def test_a_press_that_is_sent_twice_is_shown_once(web: Any) -> None:
    operator = web.signed_in(Role.OPERATOR)
    fields = {"key": "said:P1:carta", "press": "0123456789abcdef"}
    told = json.loads(operator.post(ENTRIES, fields, JSON).text)
    first = Receipt(told["entry"], told["t"])
    web.site.commands._taken = lambda what: first
    assert json.loads(operator.post(ENTRIES, fields, JSON).text) == told
    assert operator.get("/tables/mesa-1/keypad").text.count('class="entry') == 1
    assert operator.post(ENTRIES, {**fields, "press": "<script>"}, JSON).status == 422


def test_what_the_table_refuses_is_told_in_the_page_s_language(web: Any) -> None:
    def refuse(*told: object) -> None:
        raise SiteFault("mesa-1: seat: expected a seat", "mesa-1: seat: se esperaba un asiento", refused=True)

    web.site.commands._taken = refuse
    operator = web.signed_in(Role.OPERATOR)
    fields = {"key": "banco", "seat": "19"}
    spanish, english = (operator.post(f"{ENTRIES}?lang={each}", fields, JSON) for each in ("es", "en"))
    assert (spanish.status, english.status) == (422, 422)
    assert json.loads(spanish.text)["fault"] == "NO quedó anotado: mesa-1: seat: se esperaba un asiento"
    assert json.loads(english.text)["fault"] == "NOT recorded: mesa-1: seat: expected a seat"


def test_a_finding_that_was_withdrawn_is_not_decided(web: Any) -> None:
    operator = web.signed_in(Role.OPERATOR)
    page = f"/findings/mesa-1/{web.session}/1"
    assert 'value="dismissed"' in operator.get(page).text
    recorded = web.site.record.finding
    web.site.watched = []

    def withdrawn(key: Any) -> Any:
        found = recorded(key)
        return replace(found, view=replace(found.view, verdict=str(Verdict.WITHDRAWN)))

    web.site.record.finding = withdrawn
    shown = operator.get(page).text
    assert 'value="dismissed"' not in shown and 'data-open="no"' in shown
    answer = operator.post(f"{page}/decision?lang=en", {"answer": "accepted"}, JSON)
    assert answer.status == 409 and "was withdrawn" in json.loads(answer.text)["fault"]


@pytest.mark.parametrize("language", ["es", "en"])
def test_a_coup_of_which_little_is_known_is_shown_without_none(web: Any, language: str) -> None:
    bare = [
        CoupOpened(t=0.0), BetPlaced("b1", "P1", t=1.0), BetPlaced("b2", "P2", Decimal(5), t=1.5),
        BetChanged("b1", t=1.6), CardDealt("c1", "P1", t=2.0), HandTaken("P1", t=3.0),
        Said("P1", "no", t=4.0), CardTurned("c1", "??", t=5.0), BetPaid("b1", t=6.0),
        BetCollected("b2", t=6.5), BancoCalled("A", t=7.0), ViewLost(t=8.0),
    ]  # fmt: skip
    finding = Finding("PAYOUT_WRONG", Verdict.BROKEN, 0, 9.0, "none", "x", "money", 1.0, facts={})
    (table,) = web.site.tables()
    state = LiveState(t_s=9.0, coup=tell(bare)[0], findings=(finding_view(1, finding),))
    table.board.publish(state)
    operator = web.signed_in(Role.OPERATOR)
    for address in ("/tables/mesa-1", "/tables/mesa-1/keypad", "/wall"):
        page = operator.get(f"{address}?lang={language}").text
        assert not re.search(r">[^<]*\b(?:None|null|NaN|undefined)\b[^<]*<", page), address


def test_the_hand_over_has_one_name(web: Any) -> None:
    operator = web.signed_in(Role.OPERATOR)
    for language, name in (("en", "Hand-over"), ("es", "Relevo")):
        page = operator.get(f"/handover?lang={language}").text
        assert f"<title>{name}" in page and f">{name}</a>" in page and f"<h1>{name}: " in page
