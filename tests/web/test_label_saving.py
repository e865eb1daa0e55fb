"""What the labelling page sends: taken, refused or told that somebody was before it; never half taken."""

from __future__ import annotations

import errno
import json
from typing import Any

import pytest
from veedor.datasets.labelled_json import object_to_json
from veedor.monitor.labelling.revision_log import RevisionLog
from veedor.monitor.labelling.revisions import State
from veedor.monitor.labelling.store import LabelStore
from veedor.web.access.audit import Filter
from veedor.web.access.people import Role

SAVE = "/label/pictures/p1/labels"
JSON = "application/json"


def sent(web: Any, **fields: object) -> dict[str, str]:
    labels = {"objects": [object_to_json(each) for each in LabelStore(web.data).latest("p1").objects]}
    made = {"state": "draft", "based_on": "1", "labels": json.dumps(labels), "key": "k1"} | fields
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in made.items()}


def test_a_draft_and_the_finished_labels_are_saved_and_on_record(web: Any) -> None:
    browser = web.signed_in(Role.LABELLER)
    draft = browser.post(SAVE, sent(web), accept=JSON)
    assert draft.status == 200 and json.loads(draft.text)["number"] == 3
    again = browser.post(SAVE, sent(web), accept=JSON)
    assert json.loads(again.text)["number"] == 3, "the same attempt, whose answer was lost"
    done = browser.post(SAVE, sent(web, state="done", based_on="3", key="k2"), accept=JSON)
    assert json.loads(done.text)["state"] == "done"
    newest = LabelStore(web.data).latest("p1")
    assert (newest.number, newest.author, newest.state) == (4, "labeller", State.DONE)
    entries = web.door.audit.entries(Filter())
    assert [(each.who, each.act, each.subject) for each in entries[:2]] == [
        ("labeller", "labelled (done)", "p1"), ("labeller", "labels (draft)", "p1"),
    ]  # fmt: skip


def test_who_comes_too_late_is_told_what_is_there(web: Any) -> None:
    browser = web.signed_in(Role.LABELLER)
    answer = browser.post(SAVE, sent(web, based_on="0"), accept=JSON)
    told = json.loads(answer.text)
    assert answer.status == 409 and "ana" in told["fault"]
    assert (told["newest"]["number"], told["newest"]["author"]) == (1, "ana")
    assert told["newest"]["objects"][0]["rank"] == "7"
    assert len(LabelStore(web.data).revisions("p1")) == 3


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"labels": "{"}, 422), ({"labels": "[]"}, 422), ({"labels": "[" * 100_000}, 422),
        ({"labels": {}}, 422),
        ({"labels": {"objects": [{"id": "a"}]}}, 422), ({"labels": {"objects": [7]}}, 422),
        ({"labels": {"objects": [], "checked": [1]}}, 422), ({"state": "second"}, 422), ({"state": ""}, 422),
        ({"based_on": "-1"}, 422), ({"based_on": "1e3"}, 422), ({"based_on": "٣"}, 422),
        ({"based_on": "9" * 5000}, 422), ({"key": "k" * 65}, 422), ({"second": "1"}, 409),
        ({"labels": {"objects": []}, "more": "x" * (1 << 20)}, 413),
    ],
)  # fmt: skip
def test_what_is_not_as_it_must_be_is_refused(web: Any, fields: dict[str, object], status: int) -> None:
    answer = web.signed_in(Role.LABELLER).post(SAVE, sent(web, **fields), accept=JSON)
    assert answer.status == status and json.loads(answer.text)["fault"]
    assert len(LabelStore(web.data).revisions("p1")) == 3


@pytest.mark.parametrize(
    "corners",
    [
        [[0, 0], [0, 9], [9, 9], [9, 0]], [[0, 0], [9, 9], [9, 0], [0, 9]], [[0, 0], [1, 0], [2, 0], [3, 0]],
        [[0, 0], [9, 0], [9, 1e999], [0, 9]], [[0, 0], [9, 0], [9, 9]],
        [[0, 0], [10**400, 0], [9, 9], [0, 9]],
    ],
)  # fmt: skip
def test_outlines_that_cannot_be_are_named(web: Any, corners: object) -> None:
    labels = {"objects": [{"id": "crooked", "kind": "card_face", "corners_px": corners}]}
    answer = web.signed_in(Role.LABELLER).post(SAVE, sent(web, labels=labels), accept=JSON)
    assert answer.status == 422 and "NOT saved" in json.loads(answer.text)["fault"]


@pytest.mark.parametrize("path", ["p2", "..", "%2e%2e%2fx", "p1%00", "a" * 300])
def test_pictures_that_are_not_there(web: Any, path: str) -> None:
    for part in ("", "/picture.png", "/small.jpg", "/state", "/second"):
        assert web.signed_in(Role.LABELLER).get(f"/label/pictures/{path}{part}").status == 404


def test_the_first_opinion_is_kept_from_who_gives_the_second(web: Any) -> None:
    store = LabelStore(web.data)
    web.door.accounts.add("eva", Role.LABELLER, "a long enough secret")
    eva = web.signed_in(Role.LABELLER)
    eva.cookies["veedor"] = web.door.sessions.begin(web.door.accounts.find("eva"), "127.0.0.1")
    page = "/label/pictures/p1"
    assert eva.get(page).headers["location"] == f"{page}/second"
    assert eva.get(f"{page}/state").status == 403
    assert eva.get(f"{page}/state?with=labeller").status == 403
    assert json.loads(eva.get(f"{page}/state?second=1").text)["number"] == 0
    assert "ana" not in eva.get("/label/agreement").text
    assert eva.post(SAVE, sent(web), accept=JSON).status == 403, "nor may she write over it"
    saved = eva.post(SAVE, sent(web, second="1", based_on="0", state="done"), accept=JSON)
    assert saved.status == 200
    assert eva.get(f"{page}/state").status == 200, "once hers is given, she may see the others"
    assert [each.author for each in store.finals("p1").values()] == ["ana", "labeller", "eva"]
    assert "ana / eva" in eva.get("/label/agreement").text


def test_a_damaged_store_is_told_and_the_other_pages_go_on(web: Any) -> None:
    with (web.data / "labels" / "revisions.jsonl").open("a") as file:
        file.write("spoilt\n")
    answer = web.signed_in(Role.LABELLER).get("/label")
    assert answer.status == 503 and "revisions.jsonl:4" in answer.text
    assert web.signed_in(Role.ADMINISTRATOR).get("/wall").status == 200


def test_a_store_that_cannot_be_locked_is_told(web: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = web.signed_in(Role.LABELLER)
    fields = sent(web)
    assert browser.get("/label/pictures/p1/state", accept=JSON).status == 200

    def broken(self: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", "revisions.lock")

    monkeypatch.setattr(RevisionLog, "changing", broken)
    answer = browser.post(SAVE, fields, accept=JSON)
    assert answer.status == 503 and "NOT saved" in json.loads(answer.text)["fault"]


def test_a_picture_without_a_byte_is_told(web: Any) -> None:
    LabelStore(web.data).file_of("p1").write_bytes(b"")
    answer = web.signed_in(Role.LABELLER).get("/label/pictures/p1/small.jpg")
    assert answer.status == 503 and str(web.data) not in answer.text
