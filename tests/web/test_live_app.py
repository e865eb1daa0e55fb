"""The live page: what it serves, to whom, and what it refuses."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from signing_in import csrf_in
from starlette.testclient import TestClient
from veedor.datasets.layouts import layout_path
from veedor.monitor.felt_svg import draw_felt
from veedor.monitor.language import Bilingual, Language
from veedor.monitor.live_state import Board, FeltObject, LiveState
from veedor.monitor.pages import FindingView
from veedor.monitor.story import tell
from veedor.rules.events import (
    BetCollected,
    BetPaid,
    BetPlaced,
    BettingOpened,
    CardDealt,
    CardTurned,
    CoupOpened,
    Said,
)
from veedor.vision.table import Table
from veedor.vision.table_file import load_layout
from veedor.web.app import create_app
from veedor.web.door import LocalDoor
from veedor.web.local_site import local_site
from veedor.web.site import TableFace
from veedor.web.streams import Holding, Source, changes

EMPTY = Bilingual("", "")
TABLE = Table(
    "t", "Mesa", "dos-panos-limitada", load_layout(layout_path("dos-panos-10")), felt_rgb=(40, 40, 120)
)
COUP = tell(
    [
        CoupOpened(7, t=0.0),
        BettingOpened(t=1.0),
        BetPlaced("b1", "half:P2", Decimal(250), "<script>", 7, t=2.0),
        CardDealt("c1", "P1", t=9.0),
        CardDealt("c2", "P1", t=10.0),
        Said("P1", "carta", t=11.0),
        CardTurned("c1", "TH", t=12.0),
    ]
)[0]
FINDING = FindingView(
    1, "P_DRAW_ON_6PLUS", "broken", "rectify", 7, 12.0, "P1", "001 VIII.4 p2",
    Bilingual("Pidió con seis", "Drew on six"), Bilingual("Pasa al paño 2", "Goes to paño 2"),
    EMPTY, EMPTY, EMPTY, 0.9, "/stills/1.jpg",
)  # fmt: skip
STATE = LiveState(
    12.5, 60.0, coup=COUP, findings=(FINDING,), objects=(FeltObject("c1", "card", -700.0, 20.0, 5.0, "TH"),)
)


@pytest.fixture
def board() -> Board:
    board = Board()
    board.publish(STATE)
    return board


@pytest.fixture
def client(board: Board) -> TestClient:
    felt = draw_felt(TABLE)
    face = TableFace("Mesa <3>", Bilingual("banca limitada", "limited bank"), "demo.mp4", felt, Language.ES)
    return TestClient(create_app(local_site(board, face)), base_url="http://127.0.0.1:8000")


def test_the_page_shows_the_state_in_spanish_and_in_english(client: TestClient) -> None:
    spanish, english = client.get("/").text, client.get("/?lang=en").text
    assert '<html lang="es">' in spanish and '<html lang="en">' in english
    for words in (
        "Jugada 7",
        "banca limitada",
        "media, paño 2",
        "Pidió con seis",
        "Pasa al paño 2",
        "RECTIFICAR".lower(),
    ):
        assert words in spanish and words not in english
    for words in ("Coup 7", "limited bank", "half line, paño 2", "Drew on six", "Goes to paño 2"):
        assert words in english and words not in spanish
    for page in (spanish, english):
        assert "10♥" in page and "001 VIII.4 p2" in page and "250" in page


def test_a_settlement_of_which_the_amount_was_not_seen_is_a_question_mark(
    client: TestClient, board: Board
) -> None:
    events = [
        CoupOpened(8, t=0.0),
        BetPlaced("b1", "P1", None, "seat2", 2, t=2.0),
        BetPlaced("b2", "P2", None, "seat7", 7, t=2.5),
        BetCollected("b1", None, t=30.0),
        BetPaid("b2", None, t=31.0),
    ]
    board.publish(replace(STATE, coup=tell(events)[0]))
    page = client.get("/").text
    assert "−?</span>" in page and "+?</span>" in page and "−0" not in page


def test_the_felt_has_the_tables_own_colour(client: TestClient) -> None:
    assert 'fill="#1e1e5a"' in client.get("/").text


def test_names_from_files_are_escaped(client: TestClient) -> None:
    page = client.get("/").text
    assert "Mesa &lt;3&gt;" in page and "&lt;script&gt;" in page and "<script>" not in page


def test_an_unknown_language_falls_back_to_the_page_own(client: TestClient) -> None:
    assert '<html lang="es">' in client.get("/?lang=../../etc").text


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "localhost:9", "[::1]:8000", "LOCALHOST:80"])
def test_loopback_names_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost:8000:1", "[::1].evil", ""],
)
def test_foreign_hosts_are_refused(client: TestClient, host: str) -> None:
    answer = client.get("/", headers={"host": host})
    assert answer.status_code == 421
    assert "Mesa" not in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/stills/../../pyproject.toml",
        "/stills/1.jpg/..",
        "/templates/live.html.j2",
    ],
)
def test_nothing_outside_the_static_folder_is_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/static/live.css", "/static/parts.css", "/static/live.js"])
def test_every_answer_is_closed_to_other_sites(client: TestClient, path: str) -> None:
    for each in ("/", path):
        answer = client.get(each)
        assert answer.status_code == 200
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers


def test_the_page_asks_for_nothing_that_the_policy_forbids(client: TestClient) -> None:
    page = client.get("/").text
    assert " style=" not in page and "<style" not in page and "onclick" not in page
    assert "http://" not in page and "https://" not in page


def test_pictures_and_stills(client: TestClient, board: Board) -> None:
    assert client.get("/picture?once").status_code == 404
    assert client.get("/stills/1.jpg").status_code == 404
    board.publish_picture(b"\xff\xd8picture")
    board.publish_still(1, b"\xff\xd8still")
    assert client.get("/picture?once").content == b"\xff\xd8picture"
    answer = client.get("/stills/1.jpg")
    assert (answer.content, answer.headers["content-type"]) == (b"\xff\xd8still", "image/jpeg")


def test_only_changed_parts_are_pushed_and_the_end_is_told(board: Board) -> None:
    async def listen() -> list[str]:
        source = Source(
            lambda: board.latest()[0],
            lambda: {
                "clock": str(board.latest()[1].t_s),
                "coup": "7",
                "over": str(board.latest()[1].finished),
            },
            lambda: board.latest()[1].finished,
        )
        lines: list[str] = []
        async for line in changes(source, Holding(LocalDoor(), "")):
            lines.append(line)
            if len(lines) == 1:
                board.publish(replace(STATE, t_s=13.0))
            elif len(lines) == 2:
                board.finish()
        return lines

    first, second, third, end = asyncio.run(listen())
    assert set(json.loads(first.removeprefix("data: "))) == {"clock", "coup", "over"}
    assert set(json.loads(second.removeprefix("data: "))) == {"clock"}
    assert json.loads(third.removeprefix("data: ")) == {"over": "True"}
    assert end == "event: finished\ndata: {}\n\n"


def test_the_stream_of_a_local_table_ends_with_it(client: TestClient, board: Board) -> None:
    board.finish()
    told = client.get("/state?lang=en").text
    first = json.loads(told.splitlines()[0].removeprefix("data: "))
    assert set(first) == {"status", "objects", "coup", "findings"}
    assert "ended" in told and told.endswith("event: finished\ndata: {}\n\n")


def test_the_picture_stream_ends_with_the_session(client: TestClient, board: Board) -> None:
    board.publish_picture(bytes(np.arange(200, dtype=np.uint8)))
    board.finish()
    answer = client.get("/picture")
    kind, _, boundary = answer.headers["content-type"].partition("; boundary=")
    assert kind == "multipart/x-mixed-replace"
    parts = answer.content.split(f"--{boundary}\r\n".encode())
    assert parts[1].startswith(b"Content-Type: image/jpeg\r\nContent-Length: 200\r\n\r\n")


def test_where_nothing_can_be_entered_there_is_no_keypad(client: TestClient) -> None:
    assert client.get("/tables/table/keypad").status_code == 404
    assert "to-keypad" not in client.get("/").text


def test_a_local_table_s_findings_are_decided_without_an_account(
    board: Board, tmp_path: Path, client: TestClient
) -> None:
    face = TableFace("Mesa", EMPTY, "demo.mp4", draw_felt(TABLE), Language.EN)
    local = TestClient(create_app(local_site(board, face, tmp_path)), base_url="http://127.0.0.1:8000")
    fields = {"csrf": csrf_in(local.get("/").text), "answer": "accepted"}
    origin = {"origin": "http://127.0.0.1:8000", "accept": "application/json"}
    path = "/findings/table/now/1/decision"
    assert local.post(path, data=fields).status_code == 403
    assert local.post(path, data=fields | {"csrf": "x"}, headers=origin).status_code == 403
    assert local.post(path, data=fields, headers=origin).json()["saved"] is True
    (line,) = [json.loads(each) for each in (tmp_path / "decisions.jsonl").read_text().splitlines()]
    assert (line["finding"], line["action"], line["code"]) == (1, "accept", "P_DRAW_ON_6PLUS")
    assert "accepted</strong> by local" in local.get("/").text
