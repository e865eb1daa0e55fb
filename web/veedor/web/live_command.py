"""What `veedor demo` and `veedor watch` have in common: a source, a table, a page, a folder."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

from veedor.monitor.announcements import Announcements
from veedor.monitor.cameras import Item
from veedor.monitor.clock_log import ClockLog
from veedor.monitor.durable import write_whole
from veedor.monitor.eyes import model_hashes, open_eyes
from veedor.monitor.felt_svg import draw_felt
from veedor.monitor.fold import Fold
from veedor.monitor.language import Bilingual, Language, counted, text
from veedor.monitor.live import LiveLoop, LiveSetting
from veedor.monitor.live_state import Board
from veedor.monitor.operator_events import OperatorDesk
from veedor.monitor.pages import FindingView
from veedor.monitor.report import ReportHead, embedded, render_report
from veedor.monitor.summary import outcome
from veedor.rules.journal import Fsync
from veedor.rules.profile import load_profile
from veedor.rules.profile_keys import DOS_PANOS
from veedor.vision.stream_clock import WallClock
from veedor.vision.table import Table
from veedor.web.app import create_app
from veedor.web.live_server import Serving, serve_beside
from veedor.web.local_site import DeskCommands, local_site
from veedor.web.site import TableFace

_THREADS = 2  # a look with two threads takes little over half as long; more only fight over the same cores


@dataclass(frozen=True)
class LiveRun:
    """One table to be watched.

    `frames` opens the source; `duration_s` None where it has no end; `folder` makes the folder of the record,
    once nothing else can fail; `wall` is the source's wall clock, where there is one. `now_s` gives the media
    time of this moment: with it, what is said can be entered.
    """

    table: Table
    source_name: str
    frames: Callable[[threading.Event], Iterable[Item]]
    duration_s: float | None
    announcements: Announcements
    folder: Callable[[], Path]
    wall: WallClock | None = None
    now_s: Callable[[], float] | None = None


def run_live(live: LiveRun, serving: Serving, language: Language) -> int:
    """Watch, serve the page, leave journal, findings and report, print a summary; the exit status."""
    profile = load_profile(live.table.profile)
    eyes = open_eyes(threads=_THREADS)
    board = Board()
    name = Bilingual(profile.names["es"], profile.names["en"])
    felt = draw_felt(live.table)
    hands = profile.hands[:2] if profile.family == DOS_PANOS else ()
    face = TableFace(live.table.name, name, live.source_name, felt, language, hands)
    folder = live.folder()
    journal = folder / "journal.jsonl"
    with Fold(live.table, profile, live.announcements, journal, Fsync.EVERY_COUP) as fold:
        clock = None if live.wall is None else ClockLog(folder / "clock.jsonl", live.wall)
        loop = LiveLoop(LiveSetting(live.table, eyes, fold, board, live.duration_s, clock))

        keypad = None if live.now_s is None else DeskCommands(OperatorDesk(fold, live.now_s))

        def work(stop: threading.Event) -> None:
            loop.run(live.frames(stop))
            _leave(live, folder, fold, board, language)

        serve_beside(work, create_app(local_site(board, face, folder, keypad)), serving)
    print(_summary(board, folder))
    return 0


def _leave(live: LiveRun, folder: Path, fold: Fold, board: Board, language: Language) -> None:
    found = fold.findings.values()
    lines = [json.dumps(finding.to_json(language), ensure_ascii=False) + "\n" for finding in found]
    write_whole(folder / "findings.jsonl", "".join(lines).encode())
    _, state = board.latest()
    views = [_with_still(view, board) for view in state.findings]
    head = ReportHead(
        live.table.name,
        fold.profile.id,
        (),
        tuple(model_hashes().items()),
        metadata.version("veedor"),
        language,
        live.announcements.notes,
    )
    report = render_report(head, fold.teller.coups, fold.books.accounts, views)
    write_whole(folder / "report.html", report.encode())


def _with_still(view: FindingView, board: Board) -> FindingView:
    still = board.still(view.number)
    return replace(view, still=None) if still is None else embedded(view, still)


def _summary(board: Board, folder: Path) -> str:
    _, state = board.latest()
    broken = sum(finding.verdict == "broken" for finding in state.findings)
    rest = len(state.findings) - broken
    where = text(es=f"registro en {folder}", en=f"journal in {folder}")
    line = f"{outcome(state.coups_closed, broken, rest)}; {where}"
    if not state.dropped:
        return line
    skipped = counted(
        state.dropped,
        es=("cuadro sin mirar", "cuadros sin mirar"),
        en=("frame not looked at", "frames not looked at"),
    )
    why = text(
        es="la máquina no daba abasto; lo que pudo pasar en ellos queda por decidir",
        en="the machine did not keep up; what may have happened in them is left to be decided",
    )
    return f"{line}\n{skipped}: {why}"
