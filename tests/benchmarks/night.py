"""A night of twelve files: time against real time; the same bytes from 1 worker, 2 workers and after kills.

    veedor simulate --seed 61 --coups 16 --infraction random:6 --size 1280x720 --out SESSION
    python tests/benchmarks/night.py SESSION OUT [--minutes-a-file 10] [--runs one,two,killed]

makes the recordings (see night_files.py), reviews them with one worker, with `--workers`, and with as many
while it is killed twice with SIGKILL and started again, and prints as JSON: seconds and times real time of
each, whether all results are the same bytes, what the notes say, coups and findings. Runs that are left out
of `--runs` are compared as an earlier time left them in OUT. Not a test: two hours of recordings take that
long with one worker on a busy machine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from night_files import Night, make_night

VEEDOR = [sys.executable, "-m", "veedor.monitor.cli"]
RUNS = ("one", "two", "killed")
RESULTS = ".work/results"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("session", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes-a-file", type=float, default=10.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--segment", type=float, default=20.0)
    parser.add_argument("--runs", default=",".join(RUNS))
    args = parser.parse_args()
    made_at = time.perf_counter()
    night = make_night(args.session, args.out / "recordings", 60 * args.minutes_a_file)
    report: dict[str, Any] = {
        "recorded_s": night.length_s,
        "files": len(night.videos),
        "bytes": sum(each.stat().st_size for each in night.videos),
        "made_s": round(time.perf_counter() - made_at, 1),
        "cores": len(os.sched_getaffinity(0)),
        "load_before": round(os.getloadavg()[0], 2),
    }
    wanted = [each for each in RUNS if each in args.runs.split(",")]
    segments = len(night.videos) * math.ceil(night.file_s / args.segment)
    for name in wanted:
        out = args.out / name
        shutil.rmtree(out, ignore_errors=True)
        (args.out / f"{name}.json").unlink(missing_ok=True)
        workers = 1 if name == "one" else args.workers
        command = [
            *order(args.session, night, out),
            "--workers",
            str(workers),
            "--segment",
            str(args.segment),
        ]
        report[name] = {
            "workers": workers,
            **timed(command, out, segments, kills=2 if name == "killed" else 0),
        }
        report[name]["times_real_time"] = round(night.length_s / report[name]["s"], 3)
        (args.out / f"{name}.json").write_text(json.dumps(report[name], ensure_ascii=False), encoding="utf-8")
        print(json.dumps({name: report[name]}), file=sys.stderr, flush=True)
    done = [name for name in RUNS if (args.out / f"{name}.json").exists()]
    report |= {name: json.loads((args.out / f"{name}.json").read_text("utf-8")) for name in done}
    digests = {name: contents(args.out / name) for name in done}
    first = digests[done[0]]
    differences = {
        f"{done[0]} {name}": sorted(
            each for each in first.keys() | found if first.get(each) != found.get(each)
        )
        for name, found in digests.items()
    }
    report["files_compared"] = len(first)
    report["differences"] = {name: found for name, found in differences.items() if found}
    report["same"] = not report["differences"]
    print(json.dumps(report, ensure_ascii=False, indent=1))


def order(session: Path, night: Night, out: Path) -> list[str]:
    """The command; recordings are named in no order, the clock in their names says it."""
    videos = sorted(
        (str(each) for each in night.videos), key=lambda name: hashlib.sha256(name.encode()).digest()
    )
    told = ["--table", str(session / "table.toml"), "--events", str(night.words)]
    return [*VEEDOR, "review", *videos, *told, "--out", str(out), "--lang", "en", "--json"]


def timed(command: list[str], out: Path, segments: int, *, kills: int) -> dict[str, Any]:
    """Run it, killing it hard as often as said at even parts of the work; seconds of all tries together."""
    began = time.perf_counter()
    cpu_before = os.times()
    killed_at = []
    for turn in range(kills):
        program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while program.poll() is None:
            done = len(list((out / RESULTS).glob("*.percepts")))
            if done >= max(1, segments * (turn + 1) // (kills + 1)):
                break
            time.sleep(0.05)
        else:
            raise SystemExit("it ended before it could be killed")
        os.kill(program.pid, signal.SIGKILL)
        program.wait()
        killed_at.append(done)
    done_run = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    cpu = os.times()
    summary = json.loads(done_run.stdout)
    return {
        "s": round(time.perf_counter() - began, 1),
        "cpu_s_of_last_try": round(
            cpu.children_user + cpu.children_system - cpu_before.children_user - cpu_before.children_system, 1
        ),
        **({"killed_after_segments": killed_at} if kills else {}),
        **{name: summary[name] for name in ("segments", "resumed", "coups", "events", "findings", "codes")},
        "notes": summary["notes"],
    }


def contents(out: Path) -> dict[str, str]:
    """Digests of everything that a review leaves but what it keeps for itself."""
    files = [each for each in sorted(out.rglob("*")) if each.is_file() and ".work" not in each.parts]
    return {str(each.relative_to(out)): hashlib.sha256(each.read_bytes()).hexdigest() for each in files}


if __name__ == "__main__":
    main()
