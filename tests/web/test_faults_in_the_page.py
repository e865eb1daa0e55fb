"""What cannot be is told in the page, beside its field, in the visitor's language; nothing is lost."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from conftest import HOST
from night import SESSION, night
from veedor.web.access.people import Role

COUP = f"/review/{SESSION}/coups/1"
VERDICT = f"/review/{SESSION}/findings/1/verdict"
LAST = str(len(night()))
STAKE = str(next(each.id for each in night() if getattr(each, "bet", None) == "b1"))
TURN = str(next(each.id for each in night() if getattr(each, "shows", None) == "9C"))
NO_BET = '[{"corrects": %s}]' % STAKE  # noqa: UP031 - braces stand for themselves
BAD_STAKE = {"about": STAKE, "field-zone": "P1", "field-amount": "5OO", "field-seat": "4", "field-t": "13.5"}


def rosa(archive: Any) -> Any:
    """The reviewer's browser."""
    return archive.signed_in(Role.REVIEWER)


def languages(page: str) -> list[str]:
    """Where the page's language links lead."""
    nav = re.search(r'<nav class="languages".*?</nav>', page, re.DOTALL)
    assert nav is not None
    return [each.replace("&amp;", "&") for each in re.findall(r'(?:href|action)="([^"]+)"', nav[0])]


def test_an_amount_that_is_none_stands_beside_its_field_with_all_that_was_written(archive: Any) -> None:
    draft = f'[{{"corrects":{TURN}}}]'
    for code, told in (("en", "is no amount"), ("es", "no es un importe")):
        answer = rosa(archive).post(f"{COUP}/what-if?lang={code}", {**BAD_STAKE, "draft": draft})
        assert answer.status == 422
        field = re.search(r"<label>[^<]*<input name=\"field-amount\".*?</label>", answer.text, re.DOTALL)
        assert field is not None and told in field[0] and 'value="5OO"' in field[0]
        assert 'aria-invalid="true"' in field[0] and "field-fault" in field[0]
        assert 'value="13.5"' in answer.text and draft.replace('"', "&#34;") in answer.text
        forms = languages(answer.text)
        assert forms == [f"{COUP}/what-if?lang=es", f"{COUP}/what-if?lang=en"], "with the form sent along"
        nav = answer.text[answer.text.index('class="languages"') :].partition("</nav>")[0]
        assert nav.count('name="field-amount" value="5OO"') == 2


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"about": STAKE, "field-zone": "P1", "field-amount": "500", "field-t": "soon"}, "t"),
        ({"about": STAKE, "field-zone": "P1", "field-amount": "500", "field-seat": "four"}, "seat"),
        ({"about": STAKE, "field-zone": "P1", "field-amount": "500", "field-seat": "77"}, "seat"),
    ],
)
def test_so_is_every_other_field_of_a_correction(archive: Any, fields: dict[str, str], name: str) -> None:
    answer = rosa(archive).post(f"{COUP}/what-if", fields)
    assert answer.status == 422
    tag = re.search(rf'<input name="field-{name}"[^>]*>', answer.text)
    assert tag is not None and 'aria-invalid="true"' in tag[0] and fields[f"field-{name}"] in tag[0]


def test_amounts_are_read_as_either_language_writes_them(archive: Any) -> None:
    answer = rosa(archive).post(f"{COUP}/what-if", {**BAD_STAKE, "field-amount": "1.500"})
    assert answer.status == 200 and "&#34;amount&#34;:1500" in answer.text


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"draft": NO_BET, "seen": LAST, "reason": ""}, "falta el motivo"),
        ({"draft": NO_BET, "seen": LAST, "reason": "y" * 501}, "hasta 500 caracteres"),
        ({"draft": NO_BET, "seen": "7", "reason": "nobody bet"}, "NO se guardó"),
    ],
)
def test_a_correction_that_is_not_saved_keeps_changes_and_reason(
    archive: Any, fields: dict[str, str], told: str
) -> None:
    answer = rosa(archive).post(f"{COUP}/corrections?lang=es", fields)
    assert answer.status in (409, 422) and told in answer.text and "NO se guardó: " in answer.text
    assert fields["reason"] in answer.text and f"{{&#34;corrects&#34;:{STAKE}}}" in answer.text
    assert languages(answer.text) == [f"{COUP}/what-if?lang=es", f"{COUP}/what-if?lang=en"]


def test_a_verdict_that_is_not_saved_stands_beside_its_finding(archive: Any) -> None:
    for fields, told, status in (
        ({"verdict": "dismissed", "seen": "0"}, "falta el motivo", 422),
        ({"verdict": "ruling", "seen": "0", "reason": "z" * 2001}, "hasta 2000 caracteres", 422),
        ({"verdict": "dismissed", "seen": "9", "reason": "a long thought"}, "", 409),
    ):
        if status == 409:
            done = {"verdict": "confirmed", "seen": "0", "place": "1"}
            assert rosa(archive).post(VERDICT, done).status == 303
            fields = {**fields, "seen": "0"}
        answer = rosa(archive).post(f"{VERDICT}?lang=es", {**fields, "place": "1"})
        assert answer.status == status and told in answer.text
        finding = answer.text[answer.text.index('id="finding-1"') :].partition("</form>")[0]
        assert fields.get("reason", "") in finding and 'role="alert"' in finding
        assert languages(answer.text) == [f"{COUP}?lang=es", f"{COUP}?lang=en"]
        for each in languages(answer.text):
            assert rosa(archive).get(each).status == 200


@pytest.mark.parametrize("page", ["/review", "/review/search", "/review/statistics"])
def test_a_search_tells_what_is_wrong_with_it_and_keeps_what_was_written(archive: Any, page: str) -> None:
    wrong = {"since": "yesterday", "table": "../.."}
    if page != "/review":
        wrong |= {"low": "many", "from": "25:00"}
    if page.endswith("statistics"):
        wrong["shifts"] = "6 25"
    for code in ("es", "en"):
        answer = rosa(archive).get(f"{page}?{urlencode({**wrong, 'lang': code})}")
        assert answer.status == 422 and answer.text.count('class="fault" id="fault-') == len(wrong)
        assert all(f'value="{wrong[each]}"' in answer.text for each in wrong if each != "table")
        assert ("a day is expected" in answer.text) is (code == "en")
    assert all("since=yesterday" in each for each in languages(answer.text)), "a language keeps the search"


def test_a_finding_dismissed_without_reason_is_asked_for_one(archive: Any) -> None:
    page = f"/findings/{SESSION}/1"
    answer = rosa(archive).post(f"{page}/decision?lang=es", {"answer": "dismissed"})
    assert answer.status == 422 and "falta el motivo" in answer.text
    assert '<textarea name="reason"' in answer.text
    assert languages(answer.text) == [f"{page}?lang=es", f"{page}?lang=en"]
    again = rosa(archive).post(f"{page}/decision", {"answer": "dismissed", "reason": "seen by the inspector"})
    assert again.status == 303


def test_accounts_tell_what_is_wrong_in_their_own_page(archive: Any) -> None:
    admin = archive.signed_in(Role.ADMINISTRATOR)
    new = {"name": "no good", "role": "reviewer", "password": "long-enough-for-anybody"}
    for path, fields, told, status, page in (
        ("/accounts", new, "un nombre tiene", 422, "/accounts"),
        ("/accounts", {**new, "name": "ana", "password": "short"}, "de 12 a 256", 422, "/accounts"),
        ("/accounts/reviewer/password", {"password": "short"}, "de 12 a 256", 422, "/accounts"),
        ("/accounts/administrator/disable", {}, "ningún administrador", 409, "/accounts"),
        ("/account/password", {"old": "not it"}, "la contraseña actual no es esa", 403, "/account"),
    ):
        answer = admin.post(f"{path}?lang=es", fields)
        assert answer.status == status and told in answer.text and f'action="{page}' in answer.text
        assert fields.get("name", "") in answer.text and fields.get("password", "-none-") not in answer.text
        assert languages(answer.text) == [f"{page}?lang=es", f"{page}?lang=en"]


def test_a_refused_form_names_what_was_written_and_its_language_links_lead_to_a_page(archive: Any) -> None:
    me = rosa(archive)
    fields = {"csrf": "stale", "verdict": "ruling", "reason": "an hour of thought", "place": "1"}
    for referer, back in ((f"http://{HOST}{COUP}", COUP), ("https://elsewhere.example/x", "/"), ("", "/")):
        answer = me.post(VERDICT, fields, referer=referer)
        assert answer.status == 403 and "an hour of thought" in answer.text
        assert languages(answer.text) == [f"{back}?lang=es", f"{back}?lang=en"]
        assert f'<p><a href="{back}">' in answer.text
