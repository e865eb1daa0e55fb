"""What a night leaves in memory: counted, for whatever grows with it without being the record itself."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from no_eyes import NO_EYES
from veedor.monitor import live
from veedor.monitor.announcements import Announcements
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.bus import HEALTH, STATE, BoardBridge, BusPublisher, BusSetting, state_to_json
from veedor.monitor.fold import Fold
from veedor.monitor.judgement import _MARKS
from veedor.monitor.language import Bilingual
from veedor.monitor.live import LiveLoop, LiveSetting
from veedor.monitor.live_state import MOST_STILLS, Board, LiveState
from veedor.monitor.ops.bus_table import BusBoard
from veedor.monitor.pacing import TimedFrame
from veedor.monitor.pages import FindingView
from veedor.rules.events import BettingClosed, BettingOpened, CoupClosed, CoupOpened
from veedor.rules.finding import Finding
from veedor.rules.journal import Fsync
from veedor.rules.profile import load_profile
from veedor.rules.verdict import Verdict
from veedor.vision.frames import Frame
from veedor.vision.table_file import load_table
from waiting import until

TABLE = load_table(bundled_clip("demo").table)
PROFILE = load_profile(TABLE.profile)
PICTURE = np.zeros((1080, 1920, 3), np.uint8)


def finding(number: int) -> Finding:
    return Finding(
        "P_DRAW_ON_6PLUS", Verdict.BROKEN, number, float(number), "P1", "001 VIII.4", "rectify", 0.9
    )


@pytest.fixture
def fold(tmp_path: Path) -> Iterator[Fold]:
    with Fold(TABLE, PROFILE, Announcements(), tmp_path / "journal.jsonl", Fsync.NEVER) as made:
        yield made


def test_a_table_keeps_the_newest_stills_and_draws_each_once(
    fold: Fold, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []
    jpeg = live.jpeg

    def counted(picture: np.ndarray, quality: int) -> bytes:  # type: ignore[type-arg]
        if quality == live.STILL_QUALITY:
            drawn.append(quality)
        return jpeg(picture[:90, :160], quality)

    monkeypatch.setattr(live, "jpeg", counted)
    board = BusBoard(BusSetting(tmp_path / "bus", TABLE.id), {})
    most = 3 * MOST_STILLS

    def frames() -> Iterator[TimedFrame]:
        for number in range(most):
            fold.judgement.standing[number + 1] = finding(number + 1)
            yield TimedFrame(Frame.from_image(number, 0.16 * number, PICTURE), 0.0)

    try:
        LiveLoop(LiveSetting(TABLE, NO_EYES, fold, board, None)).run(frames())
    finally:
        board.bus.close()
    assert len(drawn) == most and len(board.latest()[1].findings) == most
    kept = [number for number in range(most + 1) if board.still(number) is not None]
    assert kept == list(range(most - MOST_STILLS + 1, most + 1))


def test_a_local_page_keeps_them_all_for_its_report() -> None:
    board = Board()
    for number in range(3 * MOST_STILLS):
        board.publish_still(number, b"jpeg")
    assert board.still(0) == b"jpeg"


def view(number: int) -> FindingView:
    words = {name: Bilingual("", "") for name in ("title", "expected", "found", "remedy", "reason")}
    made = replace(live.finding_view(number, finding(number)), still=f"/stills/{number}.jpg")
    return replace(made, **{name: value for name, value in words.items() if hasattr(made, name)})


def test_the_pages_ask_for_few_stills_once_and_for_others_in_a_new_session(tmp_path: Path) -> None:
    asked: list[object] = []
    session = ["first"]

    def still(wanted: Mapping[str, object], who: str) -> tuple[Mapping[str, object], bytes]:
        asked.append(wanted["number"])
        return {}, f"{session[0]} {wanted['number']}".encode()

    most = 2 * MOST_STILLS
    state = state_to_json(LiveState(findings=tuple(view(number) for number in range(1, most + 1))))
    publisher = BusPublisher(BusSetting(tmp_path / "bus", TABLE.id), {"still": still})
    bridge = BoardBridge(tmp_path / "bus", TABLE.id)

    def says(told: str) -> None:
        publisher.publish(HEALTH, {"session": f"{TABLE.id}/{told}"}, 0.0)
        publisher.publish(STATE, state, 0.0)
        time.sleep(0.02)

    try:
        until(lambda: (says("first"), bridge.board.still(most) == f"first {most}".encode())[1])
        for _ in range(5):
            says("first")
        assert bridge.board.still(most - MOST_STILLS) is None
        until(lambda: len(set(asked)) == MOST_STILLS)
        assert len(asked) == MOST_STILLS
        session[0] = "second"
        until(lambda: (says("second"), bridge.board.still(most) == f"second {most}".encode())[1])
    finally:
        bridge.close()
        publisher.close()


def members(root: object) -> int:
    """How many things hang on an object, in containers of whatever kind."""
    seen: set[int] = set()
    waiting, count = [root], 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, type) or one is TABLE or one is PROFILE:
            continue
        seen.add(id(one))
        if isinstance(one, dict):
            inside = [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set | frozenset | deque):
            inside = list(one)
        else:
            inside = [vars(one)] if hasattr(one, "__dict__") else []
            inside += [getattr(one, name, None) for name in getattr(type(one), "__slots__", ())]
        count += len(inside)
        waiting += inside
    return count


def test_what_judges_holds_no_more_after_many_coups_than_after_some(fold: Fold) -> None:
    """Events are the record and stay; marks to judge anew from, observer and checker do not grow."""

    def play(first: int, last: int) -> None:
        for coup in range(first, last):
            t_s = 60.0 * coup
            fold._take([CoupOpened(coup, t=t_s), BettingOpened(t=t_s + 1), BettingClosed(t=t_s + 20)])
            fold._take([CoupClosed(coup, t=t_s + 40)])
            fold.judgement.insert(replace(fold.events[-1], id=0, t=t_s + 39.0))  # a late one, judged anew

    play(1, _MARKS + 20)
    judgement = fold.judgement
    early = members(fold.observer), members(judgement.checker), len(judgement._marks)
    play(_MARKS + 20, 4 * _MARKS)
    assert (members(fold.observer), members(judgement.checker), len(judgement._marks)) == early
    assert len(judgement._marks) <= _MARKS


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="Linux only")
def test_what_lies_free_between_things_that_stay_goes_back_to_the_system() -> None:
    """In a process of its own: here others have used the memory before."""
    done = subprocess.run([sys.executable, "-c", HOLES], capture_output=True, text=True, check=True)
    full, before, after = map(float, done.stdout.split())
    assert full - before < 20.0 and before - after > 40.0


HOLES = """
import sys
from veedor.monitor.ops.memory import few_arenas, give_back
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 1e6
few_arenas()
kept = [(bytearray(60_000), bytearray(600)) for _ in range(1500)]
full = resident()
kept = [small for _, small in kept]
before = resident()
give_back()
print(full, before, resident())
"""
