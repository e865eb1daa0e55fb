"""`veedor watch`: a camera, an RTSP address or a file at its own pace, with the live page."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from veedor.monitor.language import text

if TYPE_CHECKING:
    from veedor.monitor.pacing import TimedFrame


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from veedor.web.demo_command import add_live_options

    parser = subparsers.add_parser(
        "watch",
        help=text(es="vigila en vivo", en="watch live"),
        description=text(
            es="Vigila en vivo una cámara (su número), una dirección RTSP o un archivo a su ritmo. Puede "
            "dejar cuadros sin mirar; cada hueco queda en el registro. Termina con la fuente o con Ctrl-C.",
            en="Watches a camera (its number), an RTSP address or a file at its own pace. Frames may be left "
            "out; each gap is journalled. Ends with the source or Ctrl-C.",
        ),
    )
    parser.add_argument("source", metavar=text(es="FUENTE", en="SOURCE"))
    parser.add_argument(
        "--table", type=Path, required=True, metavar="T", help=text(es="mesa", en="table file")
    )
    parser.add_argument(
        "--events", type=Path, metavar="FILE",
        help=text(es="registro o transcripción de lo dicho", en="journal or transcript of words"),
    )  # fmt: skip
    add_live_options(parser)


def run(args: argparse.Namespace) -> int:
    from veedor.monitor.announcements import Announcements, past_the_end, read_announcements
    from veedor.monitor.cameras import CameraSource, is_camera
    from veedor.monitor.live_folder import empty_folder, new_folder
    from veedor.monitor.pacing import Pace
    from veedor.rules.profile import load_profile
    from veedor.vision.sources import VideoSource
    from veedor.vision.table_file import load_table
    from veedor.web.live_command import LiveRun, run_live
    from veedor.web.live_server import Serving

    table = load_table(args.table)
    load_profile(table.profile, named_in=args.table)
    announcements = Announcements() if args.events is None else read_announcements(args.events)
    camera = CameraSource(args.source) if is_camera(args.source) else None
    video = VideoSource(Path(args.source)) if camera is None else None

    def frames(stop: threading.Event) -> Iterable[TimedFrame]:
        if camera is not None:
            return camera.frames(stop)
        assert video is not None
        return Pace(stop).paced(video.frames())

    if args.events is not None and video is not None:
        late = past_the_end(announcements, args.events.name, video.info.duration_s)
        announcements = replace(announcements, notes=(*announcements.notes, *late))
    for note in announcements.notes:
        print(note, file=sys.stderr)
    name = args.source if video is None else video.path.name
    duration_s = None if video is None else video.info.duration_s
    serving = Serving(args.port, args.linger, not args.no_browser).reserved()

    def folder() -> Path:
        return new_folder(Path("out"), table.id) if args.out is None else empty_folder(args.out)

    live = LiveRun(table, name, frames, duration_s, announcements, folder)
    status = run_live(live, serving, args.lang)
    if camera is not None and camera.failure is not None:
        print(f"veedor watch: {camera.failure}", file=sys.stderr)
        return 1  # whoever keeps the service running should start it again
    return status
