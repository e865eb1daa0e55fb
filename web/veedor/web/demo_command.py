"""`veedor demo`: the bundled session through the whole pipeline, at its own pace, with the live page."""

from __future__ import annotations

import argparse
from pathlib import Path

from veedor.monitor.language import text


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "demo",
        help=text(
            es="pasa una sesión grabada y sirve la página",
            en="play a recorded session, serve the page",
        ),
        description=text(
            es="Pasa una sesión grabada por todo el sistema, a su ritmo, y sirve la página solo en esta "
            "máquina. Termina con la sesión o con Ctrl-C; deja el registro y los hallazgos en una carpeta.",
            en="Plays a recorded session through the whole pipeline at its own pace and serves the page on "
            "this machine only. Ends with the session or Ctrl-C; leaves journal and findings in a folder.",
        ),
    )
    add_live_options(parser)
    parser.add_argument(
        "--speed",
        type=positive,
        default=1.0,
        metavar="X",
        help=text(es="veces su ritmo", en="times its own pace"),
    )


def add_live_options(parser: argparse.ArgumentParser) -> None:
    """The options of every command that serves a live page."""
    parser.add_argument(
        "--port",
        type=int,
        default=0,
        metavar="N",
        help=text(es="puerto; 0, uno libre", en="port; 0 takes a free one"),
    )
    parser.add_argument(
        "--no-browser", action="store_true", help=text(es="no abre el navegador", en="open no browser")
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help=text(es="carpeta del registro", en="folder for the journal")
    )
    parser.add_argument(
        "--linger", type=not_negative, default=5.0, metavar="S",
        help=text(es="segundos que la página sigue tras el final", en="seconds the page stays after the end"),
    )  # fmt: skip


def positive(written: str) -> float:
    """A number above zero, for argparse."""
    number = float(written)
    if not 0 < number < float("inf"):
        raise ValueError(written)
    return number


def not_negative(written: str) -> float:
    """A number from zero up, for argparse."""
    number = float(written)
    if not 0 <= number < float("inf"):
        raise ValueError(written)
    return number


def run(args: argparse.Namespace) -> int:
    from veedor.monitor.announcements import read_announcements
    from veedor.monitor.bundled import bundled_clip
    from veedor.monitor.live_folder import record_folder
    from veedor.monitor.pacing import Pace
    from veedor.vision.sources import VideoSource
    from veedor.vision.table_file import load_table
    from veedor.web.live_command import LiveRun, run_live
    from veedor.web.live_server import Serving

    clip = bundled_clip("demo")
    source = VideoSource(clip.video)
    serving = Serving(args.port, args.linger, not args.no_browser).reserved()

    live = LiveRun(
        load_table(clip.table),
        clip.video.parent.name,
        lambda stop: Pace(stop, args.speed).paced(source.frames()),
        source.info.duration_s,
        read_announcements(clip.announcements),
        lambda: record_folder(args.out, "demo"),
    )
    return run_live(live, serving, args.lang)
