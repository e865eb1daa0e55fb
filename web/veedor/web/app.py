"""The web application: every page with who may open it, behind one gate."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from veedor.monitor import pages
from veedor.web.account_pages import AccountPages
from veedor.web.door import GuardedDoor, LocalDoor
from veedor.web.evidence_pages import evidence_pages
from veedor.web.finding_pages import FindingPages
from veedor.web.findings_desk import FindingsDesk
from veedor.web.gate import (
    ADMINISTRATORS,
    DECIDERS,
    EVERYBODY,
    LABELLERS,
    OPERATORS,
    REVIEWERS,
    WATCHERS,
    Gate,
    GateSetting,
    Page,
)
from veedor.web.home import home
from veedor.web.keypad_pages import KeypadPages
from veedor.web.label_desk import LabelDesk
from veedor.web.label_pages import LARGEST_LABELS, LabelPages
from veedor.web.live_pages import Desk, LivePages
from veedor.web.rendering import Renderer
from veedor.web.review_archive import Archive
from veedor.web.review_changes import ReviewChanges
from veedor.web.review_coups import ReviewCoups
from veedor.web.review_lists import ReviewLists
from veedor.web.review_verdicts import ReviewVerdicts
from veedor.web.safety import LOOPBACK_NAMES, Guard
from veedor.web.sign_in_pages import SignInPages
from veedor.web.site import Site
from veedor.web.store_record import StoreRecord
from veedor.web.wall_pages import WallPages

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class AppSetting:
    """`host_names` are those the site is asked for by; `secure` when browsers reach it over TLS.

    `data` is the data folder, for pages that work on its files; without one there are no such pages.
    """

    host_names: frozenset[str] = LOOPBACK_NAMES
    secure: bool = False
    data: Path | None = None


def create_app(site: Site, door: GuardedDoor | None = None, setting: AppSetting | None = None) -> Starlette:
    """The pages of `site`. Without a door it is a local one: its one table at `/`, nothing to sign in to."""
    setting = AppSetting() if setting is None else setting
    archive = archive_of(site) if door is not None else None
    renderer = Renderer(
        guarded=door is not None, keypad=site.commands is not None, reviewed=archive is not None
    )
    gate_setting = GateSetting(setting.secure, site.language, renderer.refused)
    anybody = LocalDoor() if door is None else door
    desk = Desk(site, anybody, renderer, FindingsDesk(site), gate_setting.cookie, door is None)
    listed = table_pages(desk)
    if door is None:
        listed += local_pages(desk)
    else:
        signing = SignInPages(door, renderer, gate_setting.cookie, setting.secure)
        listed += served_pages(desk) + account_pages(AccountPages(door, renderer), signing)
    if archive is not None:
        listed += review_pages(desk, archive) + evidence_pages(desk, archive.data)
        if setting.data is not None:
            listed += label_pages(LabelPages(desk, LabelDesk(setting.data)))
    gate = Gate(anybody, gate_setting)
    routes = [
        *gate.routes(listed),
        Route("/static/parts.css", _parts_css),
        Mount("/static", StaticFiles(directory=_HERE / "static")),
    ]
    guard = Middleware(Guard, host_names=setting.host_names, secure=setting.secure)
    no_page = dict.fromkeys((HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED), gate.no_page)
    return Starlette(routes=routes, middleware=[guard], exception_handlers=no_page)


def table_pages(desk: Desk) -> list[Page]:
    """A table's live page and keypad, and its findings."""
    live, keypad, findings = LivePages(desk), KeypadPages(desk), FindingPages(desk)
    one = "/findings/{table}/{session}/{number}"
    return [
        Page("GET", "/tables/{table}", live.show, WATCHERS),
        Page("GET", "/tables/{table}/state", live.stream, WATCHERS),
        Page("GET", "/tables/{table}/picture", live.picture, WATCHERS),
        Page("GET", "/tables/{table}/stills/{number}.jpg", live.still, WATCHERS),
        Page("GET", "/tables/{table}/keypad", keypad.show, OPERATORS),
        Page("GET", "/tables/{table}/keypad/state", keypad.stream, OPERATORS),
        Page("POST", "/tables/{table}/entries", keypad.enter, OPERATORS),
        Page("POST", "/tables/{table}/entries/{entry}", keypad.correct, OPERATORS),
        Page("GET", one, findings.show, WATCHERS),
        Page("GET", one + "/still.jpg", findings.still, WATCHERS),
        Page("GET", one + "/clip.mp4", findings.clip, WATCHERS),
        Page("POST", one + "/decision", findings.decide, DECIDERS),
    ]


def local_pages(desk: Desk) -> list[Page]:
    """The one table of a local site, at the root."""
    live = LivePages(desk)
    return [
        Page("GET", "/", live.show, WATCHERS),
        Page("GET", "/state", live.stream, WATCHERS),
        Page("GET", "/picture", live.picture, WATCHERS),
        Page("GET", "/stills/{number}.jpg", live.still, WATCHERS),
    ]


def served_pages(desk: Desk) -> list[Page]:
    """What a site of several tables has above them."""
    wall, findings = WallPages(desk), FindingPages(desk)
    return [
        Page("GET", "/", home, EVERYBODY),
        Page("GET", "/wall", wall.show, WATCHERS),
        Page("GET", "/wall/state", wall.stream, WATCHERS),
        Page("GET", "/handover", findings.handover, WATCHERS),
        Page("GET", "/handover.csv", findings.handover_csv, DECIDERS),
    ]


def label_pages(labels: LabelPages) -> list[Page]:
    """What is to be labelled, and one picture's labels."""
    one = "/label/pictures/{picture}"
    return [
        Page("GET", "/label", labels.queue, LABELLERS),
        Page("GET", "/label/next", labels.following, LABELLERS),
        Page("GET", "/label/agreement", labels.agreement, LABELLERS),
        Page("GET", one, labels.show, LABELLERS),
        Page("GET", one + "/second", labels.second, LABELLERS),
        Page("GET", one + "/state", labels.state, LABELLERS),
        Page("GET", one + "/picture.png", labels.picture, LABELLERS),
        Page("GET", one + "/small.jpg", labels.small, LABELLERS),
        Page("POST", one + "/labels", labels.save, LABELLERS, largest=LARGEST_LABELS),
    ]


def archive_of(site: Site) -> Archive | None:
    """The sessions of the data folder behind a site; None where its record is none of a folder."""
    record = site.record
    return Archive(record.store.data, record.store) if isinstance(record, StoreRecord) else None


def review_pages(desk: Desk, archive: Archive) -> list[Page]:
    """Sessions looked at again: lists, coups with their video, corrections, verdicts."""
    lists, coups = ReviewLists(desk, archive), ReviewCoups(desk, archive)
    changes, verdicts = ReviewChanges(desk, archive), ReviewVerdicts(desk, archive, coups)
    session = "/review/{table}/{session}"
    coup = session + "/coups/{place}"
    return [
        Page("GET", "/review", lists.sessions, WATCHERS),
        Page("GET", "/review/search", lists.search, WATCHERS),
        Page("GET", "/review/search.csv", lists.search_csv, DECIDERS),
        Page("GET", "/review/statistics", lists.statistics, WATCHERS),
        Page("GET", session, coups.session, WATCHERS),
        Page("GET", coup, coups.coup, WATCHERS),
        Page("GET", coup + "/video/{piece}.mp4", coups.video, WATCHERS),
        Page("GET", coup + "/sight.json", coups.sight, WATCHERS),
        Page("GET", coup + "/what-if", changes.ask, REVIEWERS),
        Page("POST", coup + "/what-if", changes.consider, REVIEWERS),
        Page("POST", coup + "/corrections", changes.save, REVIEWERS),
        Page("POST", session + "/findings/{number}/verdict", verdicts.decide, REVIEWERS),
    ]


def account_pages(accounts: AccountPages, signing: SignInPages) -> list[Page]:
    """Coming in, one's own account, and what the administrator has."""
    return [
        Page("GET", "/sign-in", signing.show, None),
        Page("POST", "/sign-in", signing.enter, None),
        Page("POST", "/sign-out", signing.leave, EVERYBODY, before_change=True),
        Page("GET", "/account", accounts.own, EVERYBODY, before_change=True),
        Page("POST", "/account/password", accounts.own_password, EVERYBODY, before_change=True),
        Page("POST", "/account/sign-out", accounts.own_sign_out, EVERYBODY, before_change=True),
        Page("GET", "/accounts", accounts.everybody, ADMINISTRATORS),
        Page("POST", "/accounts", accounts.add, ADMINISTRATORS),
        Page("POST", "/accounts/{name}/{act}", accounts.change, ADMINISTRATORS),
        Page("GET", "/audit", accounts.audit, ADMINISTRATORS),
        Page("GET", "/audit.csv", accounts.audit_csv, ADMINISTRATORS),
    ]


async def _parts_css(request: Request) -> Response:
    return Response((pages.TEMPLATES / "parts.css").read_bytes(), media_type="text/css")
