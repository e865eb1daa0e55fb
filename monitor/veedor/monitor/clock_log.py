"""`clock.jsonl` beside a journal: which wall-clock time its media times had."""

from __future__ import annotations

import json
from pathlib import Path

from veedor.vision.stream_clock import WallClock


class ClockLog:
    """Writes down each point of a wall clock once. A disk that takes nothing more costs no journal line."""

    def __init__(self, path: Path, wall: WallClock) -> None:
        self._path = path
        self._wall = wall
        self._noted_s = -1.0

    def follow(self) -> None:
        """Write the points that are new."""
        points = [point for point in list(self._wall.points) if point.t_s > self._noted_s]
        if not points:
            return
        self._noted_s = points[-1].t_s
        text = "".join(json.dumps(point.to_json()) + "\n" for point in points)
        try:
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(text)
        except OSError:
            self._noted_s = points[0].t_s - 1e-6
