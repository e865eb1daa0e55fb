"""What is too long is refused and never cut; what cannot be seen is no reason, no ruling and no name."""

from __future__ import annotations

import json
from typing import Any

import pytest
from night import SESSION
from signing_in import sign_in
from veedor.monitor.store import Action, Decision, StoreError
from veedor.web.access.audit import Entry
from veedor.web.access.people import LONGEST_NAME, AccountFault, Role, tidy_name

JSON = "application/json"
ENTRIES = "/tables/mesa-1/entries"
VERDICT = f"/review/{SESSION}/findings/1/verdict"
UNSEEN = ["\u3164", "\u2800", "\u115f", "\u1160", "\u034f", "\ufe0f", "\U000e0100", "\u17b4", "\u200b"]


@pytest.mark.parametrize("written", ["0" * 37 + "1000", "100" + " " * 40 + "000", "1" + " " * 40])
def test_an_amount_that_is_too_long_is_refused_and_not_cut(web: Any, written: str) -> None:
    keypad = web.signed_in(Role.OPERATOR)
    for language, told in (("es", "importe: hasta 40 caracteres"), ("en", "amount: up to 40 characters")):
        answer = keypad.post(f"{ENTRIES}?lang={language}", {"key": "bank", "amount": written}, JSON)
        assert answer.status == 422 and json.loads(answer.text)["fault"] == told
    assert web.site.commands.events == []


@pytest.mark.parametrize("unseen", UNSEEN)
def test_a_ruling_of_what_cannot_be_seen_is_none_and_the_reason_is_told(web: Any, unseen: str) -> None:
    keypad = web.signed_in(Role.OPERATOR)
    for words in (unseen, unseen * 3, f"hola{unseen if unseen != chr(0xFE0F) else chr(0x200B)}"):
        answer = keypad.post(f"{ENTRIES}?lang=es", {"key": "ruling", "text": words}, JSON)
        assert answer.status == 422
        assert json.loads(answer.text)["fault"] == "resolución: tiene caracteres que no se ven"
    assert web.site.commands.events == []


def test_a_ruling_that_is_refused_keeps_its_words_on_the_page(web: Any) -> None:
    words = "vale la apuesta del asiento 4" + chr(0x200B)
    answer = web.signed_in(Role.OPERATOR).post(ENTRIES, {"key": "ruling", "text": words})
    assert answer.status == 422
    assert "characters that do not show" in answer.text and "vale la apuesta del asiento 4" in answer.text


def test_a_ruling_may_have_signs_and_accents(web: Any) -> None:
    words = "año: señal única ✋ ⚠️ 👍"
    fields = {"key": "ruling", "text": words}
    assert web.signed_in(Role.OPERATOR).post(ENTRIES, fields, JSON).status == 200
    assert web.site.commands.events[0][1]["text"] == words


@pytest.mark.parametrize("unseen", UNSEEN)
def test_a_verdict_s_and_a_correction_s_reason_can_be_seen(archive: Any, unseen: str) -> None:
    me = archive.signed_in(Role.REVIEWER)
    verdict = {"verdict": "dismissed", "reason": unseen, "seen": "0", "place": "1"}
    answer = me.post(VERDICT, verdict)
    assert answer.status == 422 and "characters that do not show" in answer.text
    finding = me.post(f"/findings/{SESSION}/1/decision", {"answer": "dismissed", "reason": unseen})
    assert finding.status == 422 and "characters that do not show" in finding.text
    assert archive.store.decisions(SESSION) == []


def test_reasons_keep_their_lines(archive: Any) -> None:
    fields = {"verdict": "ruling", "reason": "uno\r\n\tdos ñ 👍", "seen": "0", "place": "1"}
    assert archive.signed_in(Role.REVIEWER).post(VERDICT, fields).status == 303
    assert archive.store.decisions(SESSION)[0].reason == fields["reason"]


def test_a_decision_that_is_too_long_is_not_kept_in_part(archive: Any) -> None:
    for decision in (Decision(Action.RULE, "rosa", "a" * 2001), Decision(Action.RULE, "r" * 201, "a")):
        with pytest.raises(StoreError, match="2000"):
            archive.store.record_decision(SESSION, 1, decision)
    assert archive.store.decisions(SESSION) == []


def test_names_that_cannot_be_seen_are_none() -> None:
    for unseen in ("\u3164", "\u115f", "ana\u1160"):
        with pytest.raises(AccountFault):
            tidy_name(unseen)
    assert tidy_name("Íñigo") == "íñigo"


def test_a_name_that_goes_on_is_not_the_name_that_it_begins_with(web: Any) -> None:
    name, password = "n" * LONGEST_NAME, "long-enough-for-anybody"
    web.door.accounts.add(name, Role.OPERATOR, password)
    assert web.door.accounts.proven(name, password) is not None
    assert sign_in(web.stranger(), name + "x", password).status == 401
    assert sign_in(web.stranger(), name, password).status == 303


def test_the_audit_is_asked_for_exactly_what_was_written(web: Any) -> None:
    entry = Entry("a" * 128, "here", "x" * 64)
    web.door.audit.note(entry)
    admin = web.signed_in(Role.ADMINISTRATOR)
    shown = admin.get("/audit?who=" + "a" * 128).text
    assert "x" * 64 in shown.partition("<tbody")[2]
    assert "x" * 64 not in admin.get("/audit?who=" + "a" * 129).text.partition("<tbody")[2]
