"""`clock.jsonl` beside a journal: which wall-clock time its media times had."""

from __future__ import annotations

import json
from pathlib import Path

from veedor.vision.stream_clock import WallClock

MOST_STEPS = 1000  # of one session, some 70 KB; a clock that is set more often is none to go by
STEP, LAST_STEP = "step", "last step that is noted"


class ClockLog:
    """Writes down each point of a wall clock once. A disk that takes nothing more costs no journal line."""

    def __init__(self, path: Path, wall: WallClock) -> None:
        self._path = path
        self._wall = wall
        self._noted_s = -1.0
        self._steps = _steps_in(path)

    def follow(self) -> None:
        """Write the points that are new."""
        points = [point for point in list(self._wall.points) if point.t_s > self._noted_s]
        if not points:
            return
        self._noted_s = points[-1].t_s
        lines, steps = [], self._steps
        for point in points:
            told = point.to_json()
            if point.why == STEP:
                steps += 1
                if steps > MOST_STEPS:
                    continue
                if steps == MOST_STEPS:
                    told["why"] = LAST_STEP
            lines.append(json.dumps(told))
        if not lines:
            return
        try:
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write("".join(line + "\n" for line in lines))
        except OSError:
            self._noted_s = points[0].t_s - 1e-6
        else:
            self._steps = steps


def _steps_in(path: Path) -> int:
    """Steps that an earlier part of the session has noted."""
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            return sum(f'"{STEP}"' in line or f'"{LAST_STEP}"' in line for line in lines)
    except OSError:
        return 0
