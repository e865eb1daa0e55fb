"""What a disturbed stream leaves: a session over a real RTSP server, with faults under way.

    python tests/benchmarks/disturbed.py OUT [--session DIR] [--faults none,cuts,restart,loss,freeze,stall]

streams a session (the bundled one unless named; `veedor simulate` makes others) live, each fault in a run of
its own, and prints one JSON line a run: the losses in the journal with their reasons, the findings that stand
as broken, and which of those were not planted. Not a test: each run takes as long as the session, and a
machine that does not keep up loses looks of its own. Needs aio-rtsp-toolkit.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av

sys.path.insert(0, str(Path(__file__).parents[1] / "vision"))
from rtsp_camera import RtspCamera
from veedor.monitor.announcements import read_announcements
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.cameras import open_table
from veedor.monitor.eyes import open_eyes
from veedor.monitor.fold import Fold
from veedor.monitor.live import LiveLoop, LiveSetting
from veedor.monitor.live_state import Board
from veedor.rules.events import ViewLost, ViewRestored
from veedor.rules.journal import Fsync, read_journal
from veedor.rules.profile import load_profile
from veedor.vision.table_file import load_table

FROZEN = (60.0, 75.0)


class LiveCamera(RtspCamera):
    """Whoever connects gets the film from where it is now, as from a camera that runs all the time.

    The film begins with the first connection: words come at their times from there on.
    """

    def __init__(self, folder: Path, film: Path) -> None:
        super().__init__(folder, film)
        self.film = film
        self.url = self.url.partition("?")[0]
        self.started: float | None = None

    async def _wire(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.refuse:
            rest = self._folder.parent / "rest.mp4"
            if self.started is None:
                self.started = time.monotonic()
            if cut_from(self.film, rest, time.monotonic() - self.started):
                os.replace(rest, self._folder / "live.mp4")
        await super()._wire(reader, writer)


def cut_from(film: Path, out: Path, start_s: float) -> bool:
    """Copy the film from the key picture at or before `start_s`; whether anything is left."""
    with av.open(str(film)) as source, av.open(str(out), "w") as target:
        stream = source.streams.video[0]
        copy = target.add_stream_from_template(stream)
        source.seek(int(start_s / stream.time_base), stream=stream, backward=True)
        first: int | None = None
        for packet in source.demux(stream):
            if packet.pts is None or packet.dts is None:
                continue
            first = packet.dts if first is None else first
            packet.pts, packet.dts, packet.stream = packet.pts - first, packet.dts - first, copy
            target.mux(packet)
        return first is not None


def streamable(video: Path, out: Path, *, rate: int, frozen: bool = False) -> Path:
    """The film with two key pictures a second and no picture out of order, at most `rate` a second."""
    if out.exists():
        return out
    part = out.with_suffix(".part.mp4")
    with av.open(str(video)) as source, av.open(str(part), "w") as target:
        stream = source.streams.video[0]
        stream.thread_type = "AUTO"
        options = {"g": str(max(1, rate // 2)), "bf": "0", "crf": "21", "preset": "ultrafast", "threads": "2"}
        copy = target.add_stream("libx264", rate=rate, options=options)
        copy.width, copy.height, copy.pix_fmt = stream.width, stream.height, "yuv420p"
        last_tick, held = -1, None
        for frame in source.decode(stream):
            tick = int(frame.time * rate + 1e-6)
            if tick == last_tick:
                continue
            last_tick = tick
            still = frozen and FROZEN[0] <= frame.time < FROZEN[1]
            if not still:
                held = frame.reformat(format="yuv420p")
            assert held is not None
            shown = av.VideoFrame.from_ndarray(held.to_ndarray(), format="yuv420p")
            shown.pts, shown.time_base = tick, Fraction(1, rate)
            target.mux(copy.encode(shown))
        target.mux(copy.encode(None))
    return part.rename(out)


@dataclass(frozen=True)
class Fault:
    """What happens to the camera, as a script that runs beside it; `film` is what it shows."""

    film: Callable[[], Path]
    script: Callable[[LiveCamera, threading.Event], None]


def faults(video: Path, out: Path) -> dict[str, Fault]:
    def usual() -> Path:
        return streamable(video, out / "usual.mp4", rate=12)

    def nothing(camera: LiveCamera, over: threading.Event) -> None:
        return

    def cuts(camera: LiveCamera, over: threading.Event) -> None:
        for _ in range(5):
            if over.wait(15):
                return
            camera.refuse = True
            camera.cut()
            over.wait(20)
            camera.refuse = False

    def restart(camera: LiveCamera, over: threading.Event) -> None:
        over.wait(50)
        camera.film, camera.refuse = out / "slower.mp4", True
        camera.cut()
        over.wait(5)
        camera.refuse = False

    def loss(camera: LiveCamera, over: threading.Event) -> None:
        while not over.wait(40):
            camera.drop = 0.5
            over.wait(10)
            camera.drop = 0.0

    def stall(camera: LiveCamera, over: threading.Event) -> None:
        while not over.wait(40):
            camera.hold = True
            over.wait(8)
            camera.hold = False

    def before_restart() -> Path:
        streamable(video, out / "slower.mp4", rate=8)
        return usual()

    def still() -> Path:
        return streamable(video, out / "frozen.mp4", rate=12, frozen=True)

    return {
        "none": Fault(usual, nothing),
        "cuts": Fault(usual, cuts),
        "restart": Fault(before_restart, restart),
        "loss": Fault(usual, loss),
        "stall": Fault(usual, stall),
        "freeze": Fault(still, nothing),
    }


def watch(session: Path, fault: Fault, folder: Path) -> dict[str, object]:
    """Watch the session under a fault; what was lost and what was found."""
    folder.mkdir(parents=True)
    shown = fault.film()
    table = load_table(session / "table.toml")
    stop = threading.Event()
    with LiveCamera(folder, shown) as camera, av.open(str(shown)) as film:
        duration_s = float(film.duration / av.time_base)
        source = open_table(table, camera.url)
        threading.Thread(target=fault.script, args=(camera, stop), daemon=True).start()
        threading.Timer(duration_s - 1.0, stop.set).start()
        words = read_announcements(session / "announcements.jsonl")
        journal = folder / "journal.jsonl"
        board = Board()
        with Fold(table, load_profile(table.profile), words, journal, Fsync.EVERY_COUP) as fold:
            LiveLoop(LiveSetting(table, open_eyes(threads=2), fold, board, None)).run(source.items(stop))
            found = [finding.to_json() for finding in fold.findings.values()]
        health = source.health()[0]
    planted = [json.loads(line) for line in (session / "findings.jsonl").read_text().splitlines()]
    wanted = {(each["code"], each["coup"]) for each in planted if each["verdict"] == "broken"}
    broken = {(each["code"], each["coup"]) for each in found if each["verdict"] == "broken"}
    losses = [event for event in read_journal(journal).events if isinstance(event, ViewLost | ViewRestored)]
    return {
        "losses": [
            [round(event.t, 1), "lost" if isinstance(event, ViewLost) else "restored", event.reason]
            for event in losses
        ],
        "connections": health.connections,
        "not_looked_at": board.latest()[1].dropped,
        "planted": sorted(wanted),
        "found": sorted(broken & wanted),
        "false": sorted(broken - wanted),
        "undecided": sum(each["verdict"] == "undecided" for each in found),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--session", type=Path, default=bundled_clip("demo").table.parent)
    parser.add_argument("--faults", default="none,cuts,restart,loss,stall,freeze")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    known = faults(args.session / "video.mp4", args.out)
    for name in args.faults.split(","):
        result = watch(args.session, known[name], args.out / f"{name}-{time.time():.0f}")
        print(json.dumps({"fault": name, **result}), flush=True)


if __name__ == "__main__":
    main()
