"""The live loop and its page start and end together."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from veedor.monitor import cli
from veedor.monitor.errors import UsageFault
from veedor.web.live_server import Serving, serve_beside
from veedor.web.safety import Guard

PROGRAM = """
    import threading
    from starlette.applications import Starlette
    from veedor.web.live_server import Serving, serve_beside

    def work(stop):
        stop.wait()
        print("journal closed", flush=True)

    done = serve_beside(work, Starlette(), Serving(browser=False))
    print("own end" if done else "told to end", flush=True)
"""


async def hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse("hello")


def app() -> Starlette:
    return Starlette(routes=[Route("/", hello)])


def test_the_page_is_there_while_the_work_runs_and_for_a_while_after(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answers: list[str] = []

    def work(stop: threading.Event) -> None:
        address = ""
        while not address:
            address = "".join(re.findall(r"http://127\.0\.0\.1:\d+/", capsys.readouterr().out))
            time.sleep(0.01)
        answers.append(httpx.get(address).text)

    assert serve_beside(work, app(), Serving(linger_s=0.1, browser=False))
    assert answers == ["hello"]


def test_what_the_work_raises_is_raised() -> None:
    def work(stop: threading.Event) -> None:
        raise UsageFault("camera: gone")

    with pytest.raises(UsageFault, match="camera: gone"):
        serve_beside(work, app(), Serving(browser=False))


def test_a_taken_port_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageFault, match=f"port {port}: cannot be used: Address already in use"):
            serve_beside(lambda stop: None, app(), Serving(port, browser=False))


@pytest.mark.parametrize("port", [70_000, -1])
def test_a_port_that_is_none_is_named(port: int) -> None:
    with pytest.raises(UsageFault, match=f"port {port}: 0 to 65535"):
        Serving(port).reserved()


@pytest.mark.parametrize("port", ["taken", "99999", "-1"])
def test_a_demo_that_cannot_start_leaves_nothing_behind(
    port: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = str(taken.getsockname()[1]) if port == "taken" else port
        assert cli.main(["demo", "--no-browser", f"--port={number}", "--lang", "en"]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith(f"veedor demo: port {number}: ") and shown.err.count("\n") == 1
    assert shown.out == "" and not list(tmp_path.iterdir())


def test_what_is_no_http_at_all_makes_no_noise(capfd: pytest.CaptureFixture[str]) -> None:
    serving = Serving(linger_s=0.1, browser=False).reserved()
    assert serving.listening is not None
    address = serving.listening.getsockname()

    def work(stop: threading.Event) -> None:
        for nonsense in (
            b"\x16\x03\x01\x02\x00",
            b"GET / HTTP/9.9\r\n\r\n",
            b"\r\n" * 3 + b"@@ @@ @@\r\n\r\n",
            b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n",
        ):
            with socket.create_connection(address, timeout=10) as client:
                client.sendall(nonsense)
                client.shutdown(socket.SHUT_WR)
                client.recv(4096)

    assert serve_beside(work, Guard(app()), serving)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_let_the_work_finish(kind: signal.Signals) -> None:
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None and program.stderr is not None
        assert program.stdout.readline().startswith("http://127.0.0.1:")
        time.sleep(0.5)
        os.kill(program.pid, kind)
        rest = program.stdout.read()
        assert program.wait(timeout=20) == 0
        assert rest.splitlines() == ["journal closed", "told to end"]
        assert "Traceback" not in program.stderr.read()
