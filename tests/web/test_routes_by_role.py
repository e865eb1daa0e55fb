"""Every page by who asks for it: the table of who may go where, and what everybody else gets."""

from __future__ import annotations

from typing import Any

import pytest
from night import night
from starlette.routing import Route
from veedor.monitor.labelling.store import LabelStore
from veedor.web.access.people import Role

EVERYBODY = "operator reviewer labeller administrator"
WATCHERS = "operator reviewer administrator"
DECIDERS = "operator reviewer"
EXPORTERS = "reviewer administrator"
LABELLERS = "labeller administrator"
POST = "application/x-www-form-urlencoded"

REVIEWED = "/review/{table}/{session}/coups/{place}"
CORRECTION = {"draft": '[{"corrects": 8}]', "seen": str(len(night())), "reason": "nobody opened the betting"}
VERDICT = {"verdict": "confirmed", "seen": "0"}
NEW = {"name": "new", "role": "operator", "password": "0123456789ab"}
LABELS = {"state": "draft", "based_on": "1", "labels": '{"objects": []}'}
# method, path, who may, what those get, and with which fields
ROUTES: list[tuple[str, str, str, int, dict[str, str]]] = [
    ("GET", "/", EVERYBODY, 303, {}),
    ("GET", "/wall", WATCHERS, 200, {}),
    ("GET", "/wall/state", WATCHERS, 200, {}),
    ("GET", "/handover", WATCHERS, 200, {}),
    ("GET", "/handover.csv", DECIDERS, 200, {}),
    ("GET", "/tables/{table}", WATCHERS, 200, {}),
    ("GET", "/tables/{table}/state", WATCHERS, 200, {}),
    ("GET", "/tables/{table}/picture", WATCHERS, 200, {}),
    ("GET", "/tables/{table}/stills/{number}.jpg", WATCHERS, 200, {}),
    ("GET", "/tables/{table}/keypad", "operator", 200, {}),
    ("GET", "/tables/{table}/keypad/state", "operator", 200, {}),
    ("POST", "/tables/{table}/entries", "operator", 303, {"key": "closed"}),
    ("POST", "/tables/{table}/entries/{entry}", "operator", 404, {"withdraw": "1"}),
    ("GET", "/findings/{table}/{session}/{number}", WATCHERS, 200, {}),
    ("GET", "/findings/{table}/{session}/{number}/still.jpg", WATCHERS, 200, {}),
    ("GET", "/findings/{table}/{session}/{number}/clip.mp4", WATCHERS, 200, {}),
    ("GET", "/findings/{table}/{session}/{number}/evidence.zip", EXPORTERS, 200, {}),
    ("POST", "/findings/{table}/{session}/{number}/decision", DECIDERS, 303, {"answer": "accepted"}),
    ("GET", "/label", LABELLERS, 200, {}),
    ("GET", "/label/next", LABELLERS, 303, {}),
    ("GET", "/label/agreement", LABELLERS, 200, {}),
    ("GET", "/label/pictures/{picture}", LABELLERS, 200, {}),
    ("GET", "/label/pictures/{picture}/second", LABELLERS, 200, {}),
    ("GET", "/label/pictures/{picture}/state", LABELLERS, 200, {}),
    ("GET", "/label/pictures/{picture}/picture.png", LABELLERS, 200, {}),
    ("GET", "/label/pictures/{picture}/small.jpg", LABELLERS, 200, {}),
    ("POST", "/label/pictures/{picture}/labels", LABELLERS, 200, LABELS),
    ("GET", "/review", WATCHERS, 200, {}),
    ("GET", "/review/search", WATCHERS, 200, {}),
    ("GET", "/review/search.csv", DECIDERS, 200, {}),
    ("GET", "/review/statistics", WATCHERS, 200, {}),
    ("GET", "/review/{table}/{session}", WATCHERS, 200, {}),
    ("GET", "/review/{table}/{session}/export/{file}", EXPORTERS, 200, {}),
    ("GET", REVIEWED, WATCHERS, 200, {}),
    ("GET", REVIEWED + "/video/{piece}.mp4", WATCHERS, 404, {}),  # the journal's pictures are gone
    ("GET", REVIEWED + "/sight.json", WATCHERS, 200, {}),
    ("GET", REVIEWED + "/what-if", "reviewer", 200, {}),
    ("POST", REVIEWED + "/what-if", "reviewer", 200, {}),
    ("POST", REVIEWED + "/corrections", "reviewer", 303, CORRECTION),
    ("POST", "/review/{table}/{session}/findings/{number}/verdict", "reviewer", 303, VERDICT),
    ("POST", "/sign-out", EVERYBODY, 303, {}),
    ("GET", "/account", EVERYBODY, 200, {}),
    ("POST", "/account/password", EVERYBODY, 403, {"old": "not it"}),
    ("POST", "/account/sign-out", EVERYBODY, 303, {}),
    ("GET", "/accounts", "administrator", 200, {}),
    ("POST", "/accounts", "administrator", 303, NEW),
    ("POST", "/accounts/{name}/{act}", "administrator", 303, {"role": "reviewer"}),
    ("GET", "/audit", "administrator", 200, {}),
    ("GET", "/audit.csv", "administrator", 200, {}),
]  # fmt: skip
FORGERIES = (
    "no token", "wrong token", "another's token", "no origin", "foreign origin", "null origin",
    "other scheme",
)  # fmt: skip
OPEN = {("GET", "/sign-in"), ("POST", "/sign-in")}
WHO = ["nobody", *(role.value for role in Role)]


def filled(path: str, web: Any) -> str:
    for part, value in {
        "{table}": "mesa-1", "{session}": web.session, "{number}": "1", "{entry}": "1",
        "{name}": "operator", "{act}": "role", "{picture}": "p1", "{file}": "findings.csv",
        "{place}": "1", "{piece}": "0",
    }.items():  # fmt: skip
        path = path.replace(part, value)
    return path


def test_the_table_names_every_route_there_is(web: Any) -> None:
    there = {
        (method, route.path)
        for route in web.app.routes
        if isinstance(route, Route) and not route.path.startswith("/static")
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert there == {(method, path) for method, path, *_ in ROUTES} | OPEN


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize(("method", "path", "may", "status", "fields"), ROUTES)
def test_who_may_go_where(
    web: Any, who: str, method: str, path: str, may: str, status: int, fields: dict[str, str]
) -> None:
    browser = web.stranger() if who == "nobody" else web.signed_in(Role(who))
    path = filled(path, web)
    answer = browser.get(path) if method == "GET" else browser.post(path, fields)
    if who == "nobody":
        # Whoever opens a page is shown the door; what pages load, and forms, are plainly refused.
        assert answer.status == (303 if method == "GET" else 401)
        assert method == "POST" or answer.headers["location"] == "/sign-in"
    elif who in may.split():
        assert answer.status == status
    else:
        assert answer.status == 403
        refused = web.door.audit.entries(_everything())[0]
        assert (refused.who, refused.act, refused.outcome) == (who, "refused", "refused")
        assert refused.subject == f"{method} {path}"


@pytest.mark.parametrize(("method", "path"), [(m, p) for m, p, *_ in ROUTES if m == "GET"])
def test_without_a_session_nothing_but_the_door_is_seen(web: Any, method: str, path: str) -> None:
    answer = web.stranger().get(filled(path, web), accept="*/*")
    assert answer.status == 401
    assert "Mesa" not in answer.text


@pytest.mark.parametrize("forgery", FORGERIES)
@pytest.mark.parametrize(("path", "may", "fields"), [(p, w, f) for m, p, w, _, f in ROUTES if m == "POST"])
def test_what_another_site_makes_a_browser_send_is_refused(
    web: Any, path: str, may: str, fields: dict[str, str], forgery: str
) -> None:
    from urllib.parse import urlencode

    role = Role(may.split()[-1])
    browser = web.signed_in(role)
    sent = {**fields, "csrf": browser.csrf}
    headers = {"content-type": POST, "origin": "http://127.0.0.1:8443", "accept": "text/html"}
    if forgery == "no token":
        del sent["csrf"]
    elif forgery == "wrong token":
        sent["csrf"] = "0" * 64
    elif forgery == "another's token":
        sent["csrf"] = web.signed_in(role).csrf
    elif forgery == "no origin":
        del headers["origin"]
    else:
        headers["origin"] = {
            "foreign origin": "http://evil.example", "null origin": "null",
            "other scheme": "https://127.0.0.1:8443",
        }[forgery]  # fmt: skip
    answer = browser.ask("POST", filled(path, web), headers=headers, body=urlencode(sent).encode())
    assert answer.status == 403
    assert web.site.commands.events == []
    assert web.store.decisions(f"mesa-1/{web.session}") == []
    assert len(web.store.events(f"mesa-1/{web.session}")) == len(night())
    assert len(LabelStore(web.data).revisions("p1")) == 3
    assert web.door.accounts.find("new") is None
    assert web.door.accounts.find("operator").role is Role.OPERATOR
    assert browser.csrf, "the session must still be there"


def _everything() -> Any:
    from veedor.web.access.audit import Filter

    return Filter()
