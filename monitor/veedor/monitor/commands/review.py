"""`veedor review`: recordings frame by frame into journal, findings, report and clips."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from veedor.monitor.arguments import add_data
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.monitor.progress import LINE_EVERY_S, Progress
from veedor.monitor.summary import outcome

if TYPE_CHECKING:
    from veedor.monitor.recordings import Video
    from veedor.monitor.review import ReviewOrder, ReviewResult

SHORTEST_SEGMENT_S = 1.0
MOST_WORKERS = 256


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "review",
        help=text(es="revisa grabaciones", en="review recordings"),
        description=text(
            es="Revisa grabaciones cuadro por cuadro y deja en DIR registro, hallazgos, informe y los clips, "
            "o la revisión como sesión de una carpeta de datos. Una carpeta vale por los "
            "vídeos que hay en ella. Si se interrumpe, la misma orden sigue donde estaba, con el mismo "
            "resultado.",
            en="Reviews recordings frame by frame and leaves journal, findings, report and clips, or the "
            "review as a session of a data folder. A folder stands for the videos in it. If it "
            "is interrupted, the same command goes on where it was, with the same result.",
        ),
    )
    parser.add_argument("videos", nargs="*", type=Path, metavar="VIDEO")
    _add_inputs(parser)
    _add_outputs(parser)


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    def path(option: str, metavar: str, es: str, en: str) -> None:
        parser.add_argument(option, type=Path, metavar=metavar, help=text(es=es, en=en))

    path("--table", "T", "mesa", "table file")
    path("--events", "FILE", "registro o transcripción (.vtt, .srt) de lo dicho",
         "journal or transcript of what was said")  # fmt: skip
    path("--list", "FILE", "lista de grabaciones con sus horas (TOML o CSV)",
         "list of recordings with their times (TOML or CSV)")  # fmt: skip
    path("--config", "FILE", "la noche entera: varias mesas (TOML)", "a whole night: several tables (TOML)")
    parser.add_argument(
        "--started",
        action="append",
        default=[],
        metavar="TIME",
        help=text(
            es="cuándo empezó la primera grabación, o cada una (se repite)",
            en="when the first recording began, or each (repeat it)",
        ),
    )
    parser.add_argument(
        "--profile", metavar="P", help=text(es="perfil de reglas en vez del de la mesa", en="other rules")
    )
    parser.add_argument(
        "--leave-out-unreadable",
        action="store_true",
        help=text(es="deja fuera las grabaciones ilegibles", en="go on without recordings that are none"),
    )


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, metavar="DIR", help=text(es="salida", en="output"))
    add_data(parser, required=False)
    parser.add_argument(
        "--replace",
        action="store_true",
        help=text(
            es="sustituye en --out una revisión de otras grabaciones",
            en="replace a review of other recordings in --out",
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
    from veedor.monitor.review import review_all

    if not 1 <= args.workers <= MOST_WORKERS:
        bounds = text(es=f"de 1 a {MOST_WORKERS}", en=f"1 to {MOST_WORKERS}")
        raise UsageFault(f"--workers {args.workers}: {bounds}")
    if not SHORTEST_SEGMENT_S <= args.segment < float("inf"):
        shortest = f"{SHORTEST_SEGMENT_S:g}"
        raise UsageFault(
            f"--segment {args.segment:g}: " + text(es=f"al menos {shortest}", en=f"at least {shortest}")
        )
    orders = _orders(args)
    with _Bars() as bars:
        results = review_all(orders, bars.show)
    for result in results:
        print(json.dumps(_summary(result), ensure_ascii=False) if args.json else _words(result))
        for line in (*result.remarks, *result.notes):
            print(line, file=sys.stderr)
    return 0


def _orders(args: argparse.Namespace) -> list[ReviewOrder]:
    from veedor.monitor.night_file import read_night
    from veedor.monitor.review import ReviewOrder

    def order(
        table: Path, videos: tuple[Video, ...], events: Path | None, profile: str | None
    ) -> ReviewOrder:
        return ReviewOrder(
            videos, table, args.out, args.data, events, profile,
            args.workers, args.segment, args.lang, args.replace, args.leave_out_unreadable,
        )  # fmt: skip

    if args.config is None:
        if args.table is None:
            raise UsageFault(text(es="falta --table o --config", en="--table or --config is missing"))
        return [order(args.table, _videos(args), args.events, args.profile)]
    alone = ("videos", "table", "events", "list", "started", "out")
    clash = next((name for name in alone if getattr(args, name)), None)
    if clash is not None:
        shown = "VIDEO" if clash == "videos" else f"--{clash}"
        raise UsageFault(f"--config: {shown} " + text(es="no va con esto", en="does not go with it"))
    night = read_night(args.config)
    return [
        replace(
            order(each.file, _within(each.videos), each.events, args.profile or each.profile),
            out=each.out,
            data=args.data or night.data,
        )
        for each in night.tables
    ]


def _videos(args: argparse.Namespace) -> tuple[Video, ...]:
    from veedor.monitor.night_file import moment, read_list
    from veedor.monitor.recordings import Video

    listed = [] if args.list is None else read_list(args.list)
    if listed and (args.videos or args.started):
        raise UsageFault(
            "--list: " + text(es="no va con VIDEO ni --started", en="not with VIDEO or --started")
        )
    if listed:
        return _within(listed)
    if not args.videos:
        raise UsageFault(text(es="ninguna grabación", en="no recording"))
    videos = _within(Video(path) for path in args.videos)
    started = [moment(each, "--started") for each in args.started]
    if len(started) not in (0, 1, len(videos)):
        wanted = text(es="una vez, o una por grabación", en="once, or once a recording")
        raise UsageFault(f"--started: {wanted}")
    rest = [None] * (len(videos) - len(started))
    return tuple(replace(each, started=at) for each, at in zip(videos, [*started, *rest], strict=True))


def _within(videos: Iterable[Video]) -> tuple[Video, ...]:
    """The recordings, folders opened; what of a folder is left out is said."""
    from veedor.monitor.recording_folders import opened_folders

    found, notes = opened_folders(videos)
    for line in notes:
        print(line, file=sys.stderr)
    return found


class _Bars:
    """One progress bar a stage on standard error, with the time it still takes."""

    def __init__(self) -> None:
        self._stage = ""
        self._bar: Progress | None = None
        self._began_at = time.monotonic()

    def show(self, stage: str, done: float, whole: float) -> None:
        if not whole:
            return
        if stage != self._stage:
            self.close()
            self._stage = stage
            label, unit = {
                "open": (text(es="abrir", en="open"), text(es="grabaciones", en="recordings")),
                "perceive": (text(es="ver", en="look"), "s"),
                "judge": (text(es="juzgar", en="judge"), "s"),
                "evidence": (text(es="pruebas", en="evidence"), text(es="hallazgos", en="findings")),
            }[stage]
            self._bar = Progress(label, unit, done)
            if time.monotonic() - self._began_at >= LINE_EVERY_S:
                self._bar.announce(whole)
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
    for code, _ in result.findings:
        codes[code] = codes.get(code, 0) + 1
    return {
        "table": str(result.order.table),
        "coups": result.coups,
        "events": result.events,
        "findings": len(result.findings),
        "codes": codes,
        "duration_s": round(result.duration_s, 3),
        "segments": result.segments,
        "resumed": result.resumed,
        "session": result.session,
        "known": result.known,
        "notes": list(result.notes),
    }


def _words(result: ReviewResult) -> str:
    broken = sum(verdict == "broken" for _, verdict in result.findings)
    rest = len(result.findings) - broken
    where = []
    if result.order.out is not None:
        report = result.order.out / "report.html"
        where.append(text(es=f"informe en {report}", en=f"report in {report}"))
    if result.session is not None:
        there = text(es=" (ya estaba)", en=" (was there already)") if result.known else ""
        where.append(text(es=f"sesión {result.session}", en=f"session {result.session}") + there)
    taken = f" ({result.resumed}/{result.segments} " + text(es="ya estaban)", en="were there already)")
    return "; ".join([outcome(result.coups, broken, rest), *where]) + (taken if result.resumed else "")
