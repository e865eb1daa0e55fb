"""A session as a camera shows it, several times over: film, events, what of its infractions was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from veedor.rules.checker import Checker
from veedor.rules.events import CoupClosed, CoupOpened, SessionOpened, TableEvent
from veedor.rules.profile import load_profile


def streamable(video: Path, out: Path, *, rate: int, frozen: tuple[float, float] | None = None) -> Path:
    """The film with two key pictures a second and no picture out of order, at most `rate` a second.

    In the seconds of `frozen` it is the same picture again and again.
    """
    if out.exists():
        return out
    part = out.with_suffix(".part.mp4")
    with av.open(str(video)) as source, av.open(str(part), "w") as target:
        stream = source.streams.video[0]
        stream.thread_type = "AUTO"
        options = {"g": str(max(1, rate // 2)), "bf": "0", "crf": "21", "preset": "ultrafast", "threads": "2"}
        copy = target.add_stream("libx264", rate=rate, options=options)
        copy.width, copy.height, copy.pix_fmt = stream.width, stream.height, "yuv420p"
        last_tick, held = -1, None
        for frame in source.decode(stream):
            tick = int(frame.time * rate + 1e-6)
            if tick == last_tick:
                continue
            last_tick = tick
            if frozen is None or not frozen[0] <= frame.time < frozen[1]:
                held = frame.reformat(format="yuv420p")
            assert held is not None
            shown = av.VideoFrame.from_ndarray(held.to_ndarray(), format="yuv420p")
            shown.pts, shown.time_base = tick, Fraction(1, rate)
            target.mux(copy.encode(shown))
        target.mux(copy.encode(None))
    return part.rename(out)


def rounds_of(film: Path, out: Path, count: int) -> Path:
    """The film `count` times, its presentation times going on."""
    if out.exists():
        return out
    part = out.with_suffix(".part.mp4")
    with av.open(str(part), "w") as target:
        copy, shift = None, 0
        for _ in range(count):
            with av.open(str(film)) as source:
                stream = source.streams.video[0]
                copy = copy or target.add_stream_from_template(stream)
                end = 0
                for packet in source.demux(stream):
                    if packet.pts is None or packet.dts is None:
                        continue
                    end = max(end, packet.pts + (packet.duration or 0))
                    packet.pts, packet.dts, packet.stream = packet.pts + shift, packet.dts + shift, copy
                    target.mux(packet)
                shift += end
    return part.rename(out)


def duration_s(film: Path) -> float:
    with av.open(str(film)) as source:
        stream = source.streams.video[0]
        return float(stream.duration * stream.time_base)


def shown_again(events: Sequence[TableEvent], rounds: int, round_s: float) -> list[TableEvent]:
    """The events of each round; the session is opened once, coups count on."""
    coups = max(event.coup or 0 for event in events if isinstance(event, CoupOpened))
    again: list[TableEvent] = []
    for number in range(rounds):
        for event in events:
            if isinstance(event, SessionOpened) and number:
                continue
            moved = replace(event, id=0, t=event.t + number * round_s)
            if isinstance(moved, CoupOpened | CoupClosed) and moved.coup is not None:
                moved = replace(moved, coup=moved.coup + number * coups)
            again.append(moved)
    return again


def expected(profile: str, truth: Iterable[TableEvent], end_s: float) -> Counter[tuple[str, int]]:
    """Code and coup of what the rules say of the true events up to then, and how often."""
    checker = Checker(load_profile(profile))
    found = [finding for event in truth if event.t < end_s for finding in checker.feed(event)]
    broken = {(each.code, each.coup, each.actor, each.subject) for each in found if each.verdict == "broken"}
    return Counter((code, coup) for code, coup, *_ in broken)


def verdicts(
    findings: Iterable[Mapping[str, Any]],
    wanted: Iterable[tuple[str, int]],
    planted: set[tuple[str, int]],
    late: Iterable[tuple[str, int]] = (),
) -> dict[str, Any]:
    """What stands at the end against what was to be found, one for one; `late` may be told and need not."""
    due, allowed = Counter(wanted), Counter(late)
    standing = {each["number"]: each for each in findings}
    broken = Counter(
        (str(each["code"]), int(each["coup"])) for each in standing.values() if each["verdict"] == "broken"
    )
    return {
        "planted": len(planted),
        "planted_found": len(planted & broken.keys()),
        "planted_missed": sorted(planted - broken.keys()),
        "to_be_found": due.total(),
        "found": (broken & due).total(),
        "missed": sorted((due - broken).elements()),
        "false": sorted((broken - (due | allowed)).elements()),
        "by_verdict": dict(Counter(str(each["verdict"]) for each in standing.values())),
    }
