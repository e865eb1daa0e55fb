"""Planted infractions, end to end: what `veedor review` finds in sessions of `veedor simulate`.

    python tests/benchmarks/planted.py OUT [--seeds 101-110] [--coups 3] [--infractions 2]

makes each session that OUT does not hold yet, reviews it with its announcements, and prints as JSON: findings
recalled and false ones a coup, cards with the right rank in the right hand, stakes by zone and amount. A
finding counts when code and coup agree; only what stands as `broken` counts as told. Looks, felts, cameras
and decks of these seeds are of the split that training never shows. Not a test: it takes an hour on two
cores.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from veedor.monitor.journal_score import JournalScore, score_findings, score_journal
from veedor.rules.journal import read_journal

VEEDOR = [sys.executable, "-m", "veedor.monitor.cli"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", default="101-110")
    parser.add_argument("--coups", type=int, default=3)
    parser.add_argument("--infractions", type=int, default=2)
    args = parser.parse_args()
    first, _, last = args.seeds.partition("-")
    total = JournalScore()
    for seed in range(int(first), int(last or first) + 1):
        session = args.out / str(seed)
        if not (session / "video.mp4").exists():
            wanted = ["--profile", "dos-panos-limitada", "--seed", str(seed), "--coups", str(args.coups)]
            wanted += ["--infraction", f"random:{args.infractions}", "--out", str(session)]
            subprocess.run([*VEEDOR, "simulate", *wanted], check=True)
        review = args.out / f"{seed}-review"
        told = ["--table", str(session / "table.toml"), "--events", str(session / "announcements.jsonl")]
        video = str(session / "video.mp4")
        subprocess.run([*VEEDOR, "review", video, *told, "--out", str(review)], check=True)
        score = judge(session, review)
        total += score
        print(json.dumps({"seed": seed, **score.to_json()}), flush=True)
    coups = max(1, total.coups.of)
    a_coup = round(total.false_findings / coups, 3)
    print(json.dumps({"all": total.to_json(), "false_findings_a_coup": a_coup}))


def judge(session: Path, review: Path) -> JournalScore:
    """Score one review against its session's truth."""
    truth = read_journal(session / "truth.jsonl").events
    score = score_journal(truth, read_journal(review / "journal.jsonl").events)
    score_findings(stands(session / "findings.jsonl"), stands(review / "findings.jsonl"), score)
    return score


def stands(findings: Path) -> list[tuple[str, int]]:
    """Code and coup of the findings that stand as broken after every revision."""
    last: dict[tuple[str, int, str, float], str] = {}
    for line in findings.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        last[entry["code"], entry["coup"], entry["actor"], entry["t"]] = entry["verdict"]
    return [(code, coup) for (code, coup, _, _), verdict in last.items() if verdict == "broken"]


if __name__ == "__main__":
    main()
