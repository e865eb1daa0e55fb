"""`veedor watch` as a benchmark runs it: the service, every message of its bus, words at their time."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from live_browser import NAME, PASSWORD
from live_load import family
from veedor.monitor.announcements import read_announcements
from veedor.monitor.bus import BusClient, BusFault, CommandClient, bus_folder
from veedor.monitor.operator_events import ENTERED
from veedor.rules.events import SessionOpened, TableEvent, encode_event
from veedor.vision.table import Table
from veedor.vision.table_file import load_table

VEEDOR = [sys.executable, "-m", "veedor.monitor.cli"]


class Service:
    """`veedor watch` and what is read of it: messages, words, pages."""

    def __init__(self, out: Path, session: Path, source: str) -> None:
        self.table: Table = load_table(session / "table.toml")
        self.data = out / "data"
        self._log = (out / "service.log").open("wb")
        self.port = _free_port()
        shutil.copy(session / "table.toml", out / "table.toml")
        opened = read_announcements(session / "announcements.jsonl").events[0]
        unit = f"unit = {opened.unit}\n" if isinstance(opened, SessionOpened) and opened.unit else ""
        (out / "tables.toml").write_text(
            f'data = "data"\n[[table]]\nfile = "table.toml"\nsource = "{source}"\n{unit}'
            f'[web]\nlisten = "127.0.0.1:{self.port}"\n[limits]\nring_gb = 5\n'
            "[retention]\nmin_free_gb = 1\n",
            encoding="utf-8",
        )
        self.data.mkdir()
        for name, role in ((NAME, "operator"), ("chief", "administrator")):
            user = [
                *VEEDOR,
                "user",
                "add",
                name,
                "--data",
                str(self.data),
                "--role",
                role,
                "--password-stdin",
            ]
            subprocess.run(user, input=PASSWORD.encode(), check=True, stdout=subprocess.DEVNULL)
        command = [*VEEDOR, "watch", "--config", str(out / "tables.toml"), "--log", "json"]
        self.process = subprocess.Popen(command, stderr=self._log)

    def parts(self) -> dict[str, list[int]]:
        """The service's processes by what they do."""
        found: dict[str, list[int]] = {"supervisor": [self.process.pid], "table": [], "web": []}
        for pid in family(self.process.pid)[1:]:
            try:
                line = Path(f"/proc/{pid}/cmdline").read_bytes()
            except OSError:
                continue
            found["table" if b"table_process" in line else "web"].append(pid)
        return found

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()
        self._log.close()


class Listener:
    """Every message of the table, with the picture that had been taken in last."""

    def __init__(self, folder: Path, table: str, log: Path) -> None:
        self.findings: list[dict[str, Any]] = []
        self.health: dict[str, Any] = {}
        self.words: dict[int, float] = {}  # id of an entered event: when it was sent
        self.events: dict[int, dict[str, Any]] = {}
        self._arrived = self._zero = 0.0  # wall clock: of the newest picture, of media time 0
        self._stop = threading.Event()
        self._args = folder, table, log
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        folder, table, log = self._args
        with log.open("w", encoding="utf-8") as file:
            while not self._stop.is_set():
                try:
                    with BusClient.at(folder, table, ("frame", "event", "finding", "health")) as client:
                        while not self._stop.is_set():
                            self._take(client, file)
                except BusFault:
                    self._stop.wait(0.2)

    def _take(self, client: BusClient, file: Any) -> None:
        message = client.receive(0.5)
        if message is None:
            return
        header, data = message.header, dict(message.data)
        file.write(json.dumps([message.kind, header.at, header.t, time.time(), data]) + "\n")
        if message.kind == "frame":
            self._arrived = header.at - float(str(data["late_s"]))
            self._zero = self._arrived - header.t
        elif message.kind == "health":
            self.health = data
        elif message.kind == "finding":
            self.findings.append(
                {
                    **data,
                    "said_at": header.at,
                    "frame_at": self._arrived,
                    "happened_at": self._zero + header.t,
                }
            )
        elif message.kind == "event":
            self.events[int(str(data["id"]))] = data

    def close(self) -> None:
        self._stop.set()
        self._thread.join()


def speak(
    words: list[TableEvent], begun: float, listener: Listener, service: Service, stop: threading.Event
) -> None:
    """Enter each word over the bus when its moment of the film has come."""
    desk = CommandClient(bus_folder(service.data))
    for word in words:
        line = {key: value for key, value in encode_event(word).items() if key not in ("id", "t")}
        if line["event"] not in ENTERED:
            continue
        if stop.wait(max(0.0, begun + word.t - time.time())):
            return
        sent = time.time()
        try:
            answer = desk.send_operator_event(service.table.id, line, by=NAME)
            listener.words[int(str(answer["id"]))] = sent
        except BusFault as fault:
            print(f"{word}: {fault}", file=sys.stderr)
    desk.close()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
