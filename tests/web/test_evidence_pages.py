"""Evidence and reports as reviewers and administrators download them, and what the audit log says of it."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from veedor.monitor.evidence_bundle_check import check_bundle
from veedor.monitor.evidence_bundle_keys import open_key
from veedor.web.access.audit import Filter
from veedor.web.access.people import Role

FORMS = {
    "report.pdf": b"%PDF", "report.html": b"<!doctype html>", "coups.csv": b"\xef\xbb\xbftable,",
    "stakes.csv": b"\xef\xbb\xbftable,", "findings.csv": b"\xef\xbb\xbftable,",
}  # fmt: skip


def test_a_downloaded_bundle_holds_and_its_hash_is_in_the_audit_log(web: Any, tmp_path: Path) -> None:
    answer = web.signed_in(Role.REVIEWER).get(f"/findings/mesa-1/{web.session}/1/evidence.zip")
    assert answer.status == 200 and answer.headers["content-type"] == "application/zip"
    assert f"evidence-mesa-1-{web.session}-0001-BET_AFTER_NMV.zip" in answer.headers["content-disposition"]
    path = tmp_path / "taken.zip"
    path.write_bytes(answer.body)
    verdict = check_bundle(path)
    assert verdict.whole and verdict.manifest is not None
    assert verdict.manifest.signer == open_key(web.data).signer
    acts = {each.act: each for each in web.door.audit.entries(Filter())}
    exported = acts["exported evidence"]
    assert (exported.who, exported.subject) == ("reviewer", f"mesa-1/{web.session}/1")
    assert exported.detail == sha256(answer.body).hexdigest()
    assert acts["made evidence key"].who == "reviewer"


def test_the_same_bundle_comes_again_with_the_same_key(web: Any) -> None:
    browser, address = web.signed_in(Role.ADMINISTRATOR), f"/findings/mesa-1/{web.session}/1/evidence.zip"
    assert browser.get(address).body == browser.get(address).body
    made = [each for each in web.door.audit.entries(Filter()) if each.act == "made evidence key"]
    assert len(made) == 1


@pytest.mark.parametrize("name", FORMS)
def test_each_form_of_a_report_comes_as_a_file_and_is_audited(web: Any, name: str) -> None:
    answer = web.signed_in(Role.REVIEWER).get(f"/review/mesa-1/{web.session}/export/{name}")
    assert answer.status == 200 and answer.body.startswith(FORMS[name])
    assert answer.headers["content-disposition"].startswith("attachment; ")
    assert answer.headers["cache-control"] == "no-store"
    (exported,) = [each for each in web.door.audit.entries(Filter()) if each.act == f"exported {name}"]
    assert exported.detail == sha256(answer.body).hexdigest()


def test_the_report_is_in_the_language_of_who_asks(web: Any) -> None:
    browser = web.signed_in(Role.REVIEWER)
    spanish = browser.get(f"/review/mesa-1/{web.session}/export/findings.csv?lang=es")
    assert "se perdió la vista" in spanish.text.lower()
    english = browser.get(f"/review/mesa-1/{web.session}/export/findings.csv?lang=en")
    assert "The view of the hand of paño 1 was lost" in english.text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/findings/mesa-1/SESSION/99/evidence.zip", 404),
        ("/findings/mesa-1/SESSION/x/evidence.zip", 404),
        ("/findings/mesa-1/20010101T000000Z/1/evidence.zip", 404),
        ("/findings/mesa-1/../1/evidence.zip", 404),
        ("/findings/mesa-1/%2e%2e/1/evidence.zip", 404),
        ("/review/mesa-1/SESSION/export/journal.jsonl", 404),
        ("/review/mesa-1/SESSION/export/%2e%2e", 404),
        ("/review/none/SESSION/export/report.pdf", 404),
        ("/review/mesa-1/SESSION/export/coups.csv?coups=x", 404),
        ("/review/mesa-1/SESSION/export/coups.csv?coups=900-901", 404),
    ],
)
def test_what_is_not_there_is_said_without_the_machines_folders(web: Any, path: str, status: int) -> None:
    answer = web.signed_in(Role.REVIEWER).get(path.replace("SESSION", web.session))
    assert answer.status == status
    assert str(web.data) not in answer.text


def test_a_key_that_others_may_read_signs_nothing(web: Any) -> None:
    browser, address = web.signed_in(Role.REVIEWER), f"/findings/mesa-1/{web.session}/1/evidence.zip"
    assert browser.get(address).status == 200
    (web.data / "evidence-key.pem").chmod(0o644)
    answer = browser.get(address)
    assert answer.status == 409 and "chmod 600" in answer.text and str(web.data) not in answer.text


def test_pages_offer_it_to_those_who_may(web: Any) -> None:
    finding, session = f"/findings/mesa-1/{web.session}/1", f"/review/mesa-1/{web.session}"
    for role in (Role.REVIEWER, Role.ADMINISTRATOR, Role.OPERATOR):
        browser, may = web.signed_in(role), role is not Role.OPERATOR
        assert (f'href="{finding}/evidence.zip"' in browser.get(finding).text) == may
        assert (f'href="{session}/export/report.pdf"' in browser.get(session).text) == may
