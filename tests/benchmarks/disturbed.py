"""What a disturbed stream leaves: `veedor watch` on a session from a real RTSP server, with faults under way.

    python tests/benchmarks/disturbed.py OUT [--session DIR] [--faults none,cuts,restart,…]

streams a session (the bundled one unless named; `veedor simulate` makes others) from a camera in a process of
its own, enters its words over the bus at their time, each fault in a run of its own, and prints one JSON line
a run: the losses in the journal with their reasons, the findings that stand as broken, which of those were
not planted, and how many words were not taken. Not a test: each run takes as long as the session, and a
machine that does not keep up loses looks of its own. Needs aio-rtsp-toolkit.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from live_camera import show
from live_rounds import duration_s, streamable, verdicts
from live_service import Listener, Service, speak
from veedor.monitor.announcements import read_announcements
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.bus import bus_folder
from veedor.monitor.operator_events import ENTERED
from veedor.rules.events import CoupOpened, ViewLost, ViewRestored, encode_event
from veedor.rules.journal import read_journal

FROZEN = (60.0, 75.0)
AFTER_S = 8.0  # after the film's end: what is still told of it


@dataclass
class Scene:
    """The camera's process, the watching service, and whether the film is over."""

    camera: Connection
    service: Service
    over: threading.Event

    def set(self, name: str, value: object) -> None:
        self.camera.send((name, value))


Script = Callable[[Scene], None]


@dataclass(frozen=True)
class Fault:
    """What happens, as a script that runs beside the film from its begin on; `film` is what is shown."""

    film: Callable[[], Path]
    script: Script


def nothing(scene: Scene) -> None:
    return


def cuts(scene: Scene) -> None:
    """Five times without a picture for 20 s."""
    for _ in range(5):
        if scene.over.wait(15):
            return
        scene.set("refuse", True)
        scene.set("cut", None)
        scene.over.wait(20)
        scene.set("refuse", False)


def loss(scene: Scene) -> None:
    """Half the packets lost for 10 s of every 50."""
    while not scene.over.wait(40):
        scene.set("drop", 0.5)
        scene.over.wait(10)
        scene.set("drop", 0.0)


def stall(scene: Scene) -> None:
    """A connection that stays but brings nothing for 8 s of every 48."""
    while not scene.over.wait(40):
        scene.set("hold", True)
        scene.over.wait(8)
        scene.set("hold", False)


def killed(scene: Scene) -> None:
    """SIGKILL to the table's process in the middle of the second coup, and of the third."""
    for wait_s in (50.0, 45.0):
        if scene.over.wait(wait_s):
            return
        for pid in scene.service.parts()["table"]:
            os.kill(pid, signal.SIGKILL)


def faults(video: Path, out: Path) -> dict[str, Fault]:
    def usual() -> Path:
        return streamable(video, out / "usual.mp4", rate=12)

    def slower() -> Path:
        return streamable(video, out / "slower.mp4", rate=8)

    def still() -> Path:
        return streamable(video, out / "frozen.mp4", rate=12, frozen=FROZEN)

    def both() -> Path:
        slower()
        return usual()

    def restart(scene: Scene) -> None:
        """The camera goes for 5 s and comes back with another rate."""
        scene.over.wait(50)
        scene.set("film", slower())
        scene.set("refuse", True)
        scene.set("cut", None)
        scene.over.wait(5)
        scene.set("refuse", False)

    return {
        "none": Fault(usual, nothing),
        "cuts": Fault(usual, cuts),
        "restart": Fault(both, restart),
        "loss": Fault(usual, loss),
        "stall": Fault(usual, stall),
        "freeze": Fault(still, nothing),
        "killed": Fault(usual, killed),
    }


def watch(session: Path, fault: Fault, folder: Path) -> dict[str, Any]:
    """Watch the session under a fault; what was lost and what was found."""
    folder.mkdir(parents=True)
    film = fault.film()
    spawn = multiprocessing.get_context("spawn")
    mine, theirs = spawn.Pipe()
    camera = spawn.Process(target=show, args=(folder, film, theirs), kwargs={"running": True})
    camera.start()
    service = Service(folder, session, str(mine.recv()))
    listener = Listener(bus_folder(service.data), service.table.id, folder / "messages.jsonl")
    words = [
        word
        for word in read_announcements(session / "announcements.jsonl").events
        if encode_event(word)["event"] in ENTERED
    ]
    scene = Scene(mine, service, threading.Event())
    begun = float(mine.recv())  # of the film, when it is asked for
    speaker = threading.Thread(target=speak, args=(words, begun, listener, service, scene.over))
    script = threading.Thread(target=fault.script, args=(scene,))
    speaker.start()
    script.start()
    time.sleep(max(0.0, begun + duration_s(film) - 1.0 - time.time()))
    scene.over.set()
    script.join()
    speaker.join()
    time.sleep(AFTER_S)
    service.close()
    listener.close()
    mine.send("end")
    camera.join(10)
    return {
        **losses(service.data),
        **told(session, listener),
        "words_not_taken": len(words) - len(listener.words),
    }


def losses(data: Path) -> dict[str, Any]:
    """View losses of all journals, with their reasons, and coups that were opened."""
    events = [
        event
        for journal in sorted((data / "tables").rglob("journal.jsonl"))
        for event in read_journal(journal).events
    ]
    return {
        "losses": [
            [round(event.t, 1), "lost" if isinstance(event, ViewLost) else "restored", event.reason]
            for event in events
            if isinstance(event, ViewLost | ViewRestored)
        ],
        "coups": sum(isinstance(event, CoupOpened) for event in events),
    }


def told(session: Path, listener: Listener) -> dict[str, Any]:
    lines = (session / "findings.jsonl").read_text(encoding="utf-8").splitlines()
    planted = {
        (str(each["code"]), int(each["coup"]))
        for each in map(json.loads, lines)
        if each["verdict"] == "broken"
    }
    camera = listener.health["cameras"][0]
    return {
        "connections": camera["connections"],
        "not_looked_at": listener.health["dropped"],
        **verdicts(listener.findings, planted, planted),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--session", type=Path, default=bundled_clip("demo").table.parent)
    parser.add_argument("--faults", default="none,cuts,restart,loss,stall,freeze,killed")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    known = faults(args.session / "video.mp4", args.out)
    for name in args.faults.split(","):
        result = watch(args.session, known[name], args.out / f"{name}-{time.time():.0f}")
        print(json.dumps({"fault": name, **result}), flush=True)


if __name__ == "__main__":
    main()
