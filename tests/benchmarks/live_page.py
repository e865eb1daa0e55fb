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
import sys
import threading
import time
from math import ceil
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "vision"))
from live_browser import page_watched
from live_camera import show
from live_load import Sampler, spread, summary
from live_rounds import duration_s, expected, rounds_of, shown_again, streamable, verdicts
from live_service import Listener, Service, speak
from veedor.monitor.announcements import read_announcements
from veedor.monitor.bus import bus_folder
from veedor.rules.events import CoupOpened
from veedor.rules.journal import read_journal

AFTER_S = 8.0  # before the end: what happens later is not told any more


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
    url = str(mine.recv())
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
        **verdicts(
            listener.findings,
            expected(service.table.profile, truth, end_s - AFTER_S),
            planted,
            expected(service.table.profile, truth, end_s),
        ),
        **summary(sampler.samples),
    }
    (args.out / "report.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
