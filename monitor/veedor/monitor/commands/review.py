"""`veedor review`: recordings frame by frame into journal, findings, report and clips."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.monitor.progress import Progress
from veedor.monitor.summary import outcome

if TYPE_CHECKING:
    from veedor.monitor.review import ReviewResult

SHORTEST_SEGMENT_S = 1.0
MOST_WORKERS = 256


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "review",
        help=text(es="revisa grabaciones", en="review recordings"),
        description=text(
            es="Revisa grabaciones cuadro por cuadro y deja en DIR registro, hallazgos, informe y "
            "los clips. Si se interrumpe, la misma orden sigue donde estaba, con el mismo resultado.",
            en="Reviews recordings frame by frame and leaves journal, findings, report and clips. If it "
            "is interrupted, the same command goes on where it was, with the same result.",
        ),
    )
    parser.add_argument("videos", nargs="+", type=Path, metavar="VIDEO")
    parser.add_argument(
        "--table", type=Path, required=True, metavar="T", help=text(es="mesa", en="table file")
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help=text(es="salida", en="output"))
    parser.add_argument(
        "--events",
        type=Path,
        metavar="FILE",
        help=text(
            es="registro o transcripción (.vtt, .srt) de lo dicho",
            en="journal or transcript of what was said",
        ),
    )
    parser.add_argument(
        "--workers",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help=text(es="procesos", en="processes"),
    )
    parser.add_argument(
        "--segment",
        type=float,
        default=20.0,
        metavar="S",
        help=text(
            es="segundos por parte: lo más que cuesta una interrupción",
            en="seconds of a part: the most that an interruption costs",
        ),
    )
    parser.add_argument("--json", action="store_true", help=text(es="resumen en JSON", en="print JSON"))


def run(args: argparse.Namespace) -> int:
    from veedor.monitor.review import ReviewOrder, review

    if not 1 <= args.workers <= MOST_WORKERS:
        bounds = text(es=f"de 1 a {MOST_WORKERS}", en=f"1 to {MOST_WORKERS}")
        raise UsageFault(f"--workers {args.workers}: {bounds}")
    if not SHORTEST_SEGMENT_S <= args.segment < float("inf"):
        shortest = f"{SHORTEST_SEGMENT_S:g}"
        raise UsageFault(
            f"--segment {args.segment:g}: " + text(es=f"al menos {shortest}", en=f"at least {shortest}")
        )
    order = ReviewOrder(
        tuple(args.videos), args.table, args.out, args.events, args.workers, args.segment, args.lang
    )
    with _Bars() as bars:
        result = review(order, bars.show)
    print(json.dumps(_summary(result), ensure_ascii=False) if args.json else _words(result, args.out))
    for note in result.notes:
        print(note, file=sys.stderr)
    return 0


class _Bars:
    """One progress bar a stage on standard error, with the time it still takes."""

    def __init__(self) -> None:
        self._stage = ""
        self._bar: Progress | None = None

    def show(self, stage: str, done: float, whole: float) -> None:
        if not whole:
            return
        if stage != self._stage:
            self.close()
            self._stage = stage
            names = {
                "perceive": text(es="ver", en="look"),
                "judge": text(es="juzgar", en="judge"),
                "evidence": text(es="pruebas", en="evidence"),
            }
            unit = text(es="hallazgo", en="finding") if stage == "evidence" else "s"
            self._bar = Progress(names[stage], unit, done)
        if self._bar is not None:
            self._bar.show(done, whole)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> _Bars:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _summary(result: ReviewResult) -> dict[str, object]:
    codes: dict[str, int] = {}
    for finding in result.findings:
        codes[finding.code] = codes.get(finding.code, 0) + 1
    return {
        "coups": result.coups,
        "events": result.events,
        "findings": len(result.findings),
        "codes": codes,
        "duration_s": round(result.duration_s, 3),
        "segments": result.segments,
        "resumed": result.resumed,
        "notes": list(result.notes),
    }


def _words(result: ReviewResult, out: Path) -> str:
    broken = sum(finding.verdict == "broken" for finding in result.findings)
    rest = len(result.findings) - broken
    taken = f" ({result.resumed}/{result.segments} " + text(es="ya estaban)", en="were there already)")
    report = out / "report.html"
    where = text(es=f"informe en {report}", en=f"report in {report}")
    return f"{outcome(result.coups, broken, rest)}; {where}" + (taken if result.resumed else "")
