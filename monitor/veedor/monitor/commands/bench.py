"""`veedor bench`: speed figures as JSON."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text

NAMES = ("review", "rules")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "bench",
        help=text(es="mide velocidad y memoria", en="measure speed and memory"),
        description=text(
            es="Mide la velocidad de la revisión (frente a la duración del vídeo y a solo descodificarlo) y "
            "del reglamento, por etapas, y la memoria. Cifras en JSON.",
            en="Measures the speed of review (against the clip's length and decoding alone) and of the "
            "rule checker, by stage, and memory. Figures as JSON.",
        ),
    )
    parser.add_argument("names", nargs="*", metavar=text(es="NOMBRE", en="NAME"), help=", ".join(NAMES))
    parser.add_argument("--clip", type=Path, metavar="VIDEO", help=text(es="otro vídeo", en="another video"))
    parser.add_argument("--table", type=Path, metavar="T", help=text(es="su mesa", en="its table file"))
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--json", action="store_true", help=text(es="en una línea", en="on one line"))


def run(args: argparse.Namespace) -> int:
    names = args.names or list(NAMES)
    unknown = next((name for name in names if name not in NAMES), None)
    if unknown is not None:
        raise UsageFault(
            text(es=f"{unknown}: no hay tal medida; hay", en=f"{unknown}: no such benchmark; there are")
            + f" {', '.join(NAMES)}"
        )
    if (args.clip is None) != (args.table is None):
        raise UsageFault(text(es="--clip y --table van juntos", en="--clip and --table go together"))
    figures = {name: _measure(name, args) for name in names}
    print(json.dumps(figures, ensure_ascii=False, indent=None if args.json else 1))
    return 0


def _measure(name: str, args: argparse.Namespace) -> object:
    if name == "rules":
        from veedor.monitor.benchmarks_rules import bench_rules

        return bench_rules()
    from veedor.monitor.bench_review import bench_review

    if args.clip is not None:
        return bench_review(args.clip, args.table, args.workers)
    from veedor.monitor.bundled import bundled_clip

    clip = bundled_clip("bench")
    return bench_review(clip.video, clip.table, args.workers)
