"""The live monitor end to end, from a camera's stream to a page in a browser, with planted infractions.

    veedor simulate --coups 12 --fps 25 --infraction BET_AFTER_NMV@1 … --out SESSION
    python tests/benchmarks/live_page.py OUT --session SESSION [--minutes 30]

An RTSP server streams the session, over and over, each round's coups counted on; `veedor watch` watches it
with its pages, words are entered over the bus at their time, and a signed-in page in Chromium notes when it
shows what. Written to OUT: film, data folder, the service's log, every message, each finding's delays and
`report.json`, which is printed too. Delays are

- `from_frame`: from the arrival at the table's process of the newest picture that had been looked at when
  the finding came out, to the page having drawn it;
- `from_word`: the same from a word's arrival, for findings whose last event is a word;
- `from_moment`: from the finding's own `t`, what was waited for certainty included.

Found and false are told against what the rule checker says of the true journal, shown as often: where one
round ends and the next begins, hands change hands against the rules, and that is to be found as well.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import shutil
import socket
import subprocess
import sys
import threading
import time
from math import ceil
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "vision"))
from disturbed import streamable
from live_browser import NAME, PASSWORD, page_watched
from live_camera import show
from live_load import Sampler, family, spread, summary
from live_rounds import duration_s, expected, rounds_of, shown_again, verdicts
from veedor.monitor.announcements import read_announcements
from veedor.monitor.bus import BusClient, BusFault, CommandClient, bus_folder
from veedor.monitor.operator_events import ENTERED
from veedor.rules.events import CoupOpened, SessionOpened, TableEvent, encode_event
from veedor.rules.journal import read_journal
from veedor.vision.table import Table
from veedor.vision.table_file import load_table

VEEDOR = [sys.executable, "-m", "veedor.monitor.cli"]
AFTER_S = 8.0  # before the end: what happens later is not told any more


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


def delays(listener: Listener, shown: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each finding, once for each verdict it had: what its appearance on the page waited for."""
    on_page = {(each["number"], each["verdict"]): each for each in shown}
    rows: dict[tuple[int, str], dict[str, Any]] = {}
    for finding in listener.findings:
        key = finding["number"], finding["verdict"]
        if finding["verdict"] == "withdrawn" or key in rows:
            continue
        seen = on_page.get(key)
        at = None if seen is None else seen["at"]
        last = max(finding["events"], key=lambda each: listener.events.get(each, {}).get("t", 0.0), default=0)
        word_at = listener.words.get(last)

        def since(begun: float | None, at: float | None = at) -> float | None:
            return None if at is None or begun is None else round(at - begun, 3)

        rows[key] = {
            "number": finding["number"],
            "verdict": finding["verdict"],
            "code": finding["code"],
            "coup": finding["coup"],
            "t": finding["t"],
            "from_word" if word_at else "from_frame": since(word_at or finding["frame_at"]),
            "from_moment": since(finding["happened_at"]),
            "from_bus": since(finding["said_at"]),
        }
    return list(rows.values())


def waits(rows: list[dict[str, Any]], kind: str) -> dict[str, float]:
    return spread([row[kind] for row in rows if row.get(kind) is not None])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--session", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--rate", type=int, default=25)
    args = parser.parse_args()
    args.out.mkdir(parents=True)
    once = streamable(args.session / "video.mp4", args.session / f"streamed-{args.rate}.mp4", rate=args.rate)
    round_s = duration_s(once)
    end_s = 60.0 * args.minutes
    rounds = ceil(end_s / round_s)
    film = rounds_of(once, args.out / "film.mp4", rounds)
    truth = shown_again(read_journal(args.session / "truth.jsonl").events, rounds, round_s)
    words = shown_again(read_announcements(args.session / "announcements.jsonl").events, rounds, round_s)
    coups = max(event.coup or 0 for event in truth if isinstance(event, CoupOpened)) // rounds
    lines = (args.session / "findings.jsonl").read_text(encoding="utf-8").splitlines()
    planted = {
        (each["code"], each["coup"] + number * coups)
        for each in map(json.loads, lines)
        for number in range(rounds)
        if each["t"] + number * round_s < end_s - AFTER_S
    }

    mine, theirs = multiprocessing.get_context("spawn").Pipe()
    camera = multiprocessing.get_context("spawn").Process(target=show, args=(args.out, film, theirs))
    camera.start()
    url = str(mine.recv()).partition("?")[0]
    service = Service(args.out, args.session, url)
    listener = Listener(bus_folder(service.data), service.table.id, args.out / "messages.jsonl")
    browser: list[int] = []
    begun: list[float] = []
    stop = threading.Event()
    sampler = Sampler(
        lambda: {**service.parts(), "browser": list(browser), "camera": [camera.pid or 0]},
        lambda: listener.health,
    )

    def follow() -> None:
        while not stop.is_set():
            if mine.poll(0.2):
                begun.append(mine.recv())
                if len(begun) == 1:
                    threading.Thread(
                        target=speak, args=(words, begun[0], listener, service, stop), daemon=True
                    ).start()

    threading.Thread(target=follow, daemon=True).start()
    until = time.time() + 180.0
    try:
        shown, address = page_watched(
            f"http://127.0.0.1:{service.port}",
            service.table.id,
            lambda: begun[0] + end_s if begun else until,
            browser,
        )
    finally:
        stop.set()
        sampler.close()
        service.close()
        listener.close()
        mine.send("end")
        camera.join(10)
    rows = delays(listener, shown)
    (args.out / "delays.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    accusing = [row for row in rows if row["verdict"] == "broken"]
    kinds = ("from_frame", "from_word", "from_moment", "from_bus")
    report = {
        "page": address,
        "minutes": args.minutes,
        "rounds": rounds,
        "connections": len(begun),
        "delays_s": {kind: waits(rows, kind) for kind in kinds},
        "delays_of_accusations_s": {kind: waits(accusing, kind) for kind in kinds},
        "not_shown": [row["number"] for row in rows if row["from_moment"] is None],
        **verdicts(listener.findings, expected(service.table.profile, truth, end_s - AFTER_S), planted),
        **summary(sampler.samples),
    }
    (args.out / "report.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
