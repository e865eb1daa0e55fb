"""`veedor watch`: a camera, an RTSP address or a file at its own pace, with the live page."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from veedor.monitor.language import text


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from veedor.web.demo_command import add_live_options

    parser = subparsers.add_parser(
        "watch",
        help=text(es="vigila en vivo", en="watch live"),
        description=text(
            es="Vigila en vivo una cámara (su número), una dirección RTSP o HTTP, o un archivo a su ritmo. "
            "Una cámara que se pierde se vuelve a llamar; cada hueco queda en el registro, con su motivo. "
            "Termina con el archivo o con Ctrl-C. Con --config vigila varias mesas como servicio.",
            en="Watches a camera (its number), an RTSP or HTTP address, or a file at its own pace. A camera "
            "that is lost is called again; each gap is journalled with its reason. Ends with the file or "
            "Ctrl-C. With --config several tables are watched, as a service.",
        ),
    )
    parser.add_argument("source", nargs="?", metavar=text(es="FUENTE", en="SOURCE"))
    parser.add_argument("--table", type=Path, metavar="T", help=text(es="mesa", en="table file"))
    parser.add_argument(
        "--config", type=Path, metavar="FILE",
        help=text(es="mesas y ajustes del servicio (tables.toml)", en="tables and settings of the service"),
    )  # fmt: skip
    parser.add_argument(
        "--log", choices=("text", "json"), default="text",
        help=text(es="forma de lo que anota el servicio", en="form of what the service logs"),
    )  # fmt: skip
    parser.add_argument(
        "--events", type=Path, metavar="FILE",
        help=text(es="registro o transcripción de lo dicho", en="journal or transcript of words"),
    )  # fmt: skip
    add_live_options(parser)


def run(args: argparse.Namespace) -> int:
    from veedor.monitor.errors import UsageFault

    if args.config is not None:
        if args.source is not None or args.table is not None or args.events is not None:
            raise UsageFault(
                text(
                    es="--config nombra las mesas y sus fuentes: sin FUENTE, --table ni --events",
                    en="--config names tables and their sources: no SOURCE, --table or --events",
                )
            )
        from veedor.monitor.ops.config import read_config
        from veedor.monitor.ops.logs import run_logged
        from veedor.monitor.ops.supervisor import run_service

        return run_logged(args.log, "veedor", lambda: run_service(read_config(args.config), args.log))
    if args.source is None or args.table is None:
        raise UsageFault(
            text(es="faltan FUENTE y --table, o --config", en="SOURCE and --table are needed, or --config")
        )
    from veedor.monitor.announcements import Announcements, past_the_end, read_announcements
    from veedor.monitor.cameras import open_table
    from veedor.monitor.live_folder import record_folder
    from veedor.rules.profile import load_profile
    from veedor.vision.table_file import load_table
    from veedor.web.live_command import LiveRun, run_live
    from veedor.web.live_server import Serving

    table = load_table(args.table)
    load_profile(table.profile, named_in=args.table)
    announcements = Announcements() if args.events is None else read_announcements(args.events)
    source = open_table(table, args.source)
    if args.events is not None and source.duration_s is not None:
        late = past_the_end(announcements, args.events.name, source.duration_s)
        announcements = replace(announcements, notes=(*announcements.notes, *late))
    for note in announcements.notes:
        print(note, file=sys.stderr)
    serving = Serving(args.port, args.linger, not args.no_browser).reserved()

    live = LiveRun(
        table,
        source.shown,
        source.items,
        source.duration_s,
        announcements,
        lambda: record_folder(args.out, table.id),
        source.wall,
        source.now_s,
    )
    return run_live(live, serving, args.lang)
