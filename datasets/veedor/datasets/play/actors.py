"""Hands and the pala as actors: each does one thing after another and goes home when it has nothing to do."""

from __future__ import annotations

from math import hypot

from veedor.datasets.play.spots import Point
from veedor.datasets.play.timeline import Pose, Thing, Track

# Mean speeds over the felt; the peak of a minimum-jerk movement is 1.9 times as fast.
EMPTY_MM_S = 1600.0
LOADED_MM_S = 1250.0
SHORTEST_MOVE_S = 0.3
HOVER_MM = 4.0
CARRY_LIFT_MM = 45.0  # over stacks, cards and the rail


class Actor:
    """One hand (or the pala). It is in the picture only while it is busy."""

    def __init__(
        self, name: str, thing: Thing, home: Point, tracks: list[Track], *, patience_s: float = 0.3
    ) -> None:
        self.patience_s = patience_s  # it stays where it is rather than go home for less than this
        self.name = name
        self.thing = thing
        self.home = Pose(home[0], home[1], 60.0)
        self._tracks = tracks
        self._track: Track | None = None
        self._visits = 0
        self._leave_s: float | None = None

    @property
    def free_s(self) -> float:
        """When its last task is done."""
        if self._leave_s is not None:
            return self._leave_s
        return self._track.times[-1] if self._track is not None else 0.0

    def go(
        self,
        start_s: float,
        to: Point,
        *,
        z_mm: float = HOVER_MM,
        lift_mm: float = 0.0,
        seconds: float | None = None,
    ) -> float:
        """Moves, from home if it is away, not before `start_s`; returns the arrival."""
        self._settle(start_s)
        if self._track is None:
            self._visits += 1
            self._track = Track(f"{self.name}.{self._visits}", self.thing)
            self._track.appear(start_s, self.home)
            self._tracks.append(self._track)
        start_s = max(start_s, self._track.times[-1])
        target = Pose(to[0], to[1], z_mm)
        if seconds is None:
            seconds = max(SHORTEST_MOVE_S, self._track.last.distance_mm(target) / EMPTY_MM_S)
        return self._track.move(start_s, start_s + seconds, target, lift_mm=lift_mm)

    def from_home(self, start_s: float) -> float:
        """Goes home if it is out, and starts anew from there; returns when, at `start_s` or later."""
        if self._track is not None:
            leave_s = max(self.free_s, self._track.times[-1])
            trip_s = max(SHORTEST_MOVE_S, self._track.last.distance_mm(self.home) / EMPTY_MM_S)
            start_s = max(start_s, leave_s + trip_s + 0.1)
            self.leave(leave_s)
            self._settle(float("inf"))
        return self.go(start_s, (self.home.x_mm, self.home.y_mm), z_mm=self.home.z_mm, seconds=0.0)

    def travel_s(self, to: Point) -> float:
        """How long it takes to get to `to` from where it is or will come from."""
        pose = self._track.last if self._track is not None else self.home
        return max(SHORTEST_MOVE_S, hypot(pose.x_mm - to[0], pose.y_mm - to[1]) / EMPTY_MM_S)

    @property
    def where(self) -> Pose:
        return self._track.last if self._track is not None else self.home

    def leave(self, t_s: float) -> None:
        """Nothing more to do from `t_s` on; it goes home unless something comes up at once."""
        self._leave_s = max(t_s, self._track.times[-1] if self._track is not None else t_s)

    def finish(self) -> None:
        self._settle(float("inf"))

    def _settle(self, start_s: float) -> None:
        if self._leave_s is None or self._track is None:
            return
        trip_s = max(SHORTEST_MOVE_S, self._track.last.distance_mm(self.home) / EMPTY_MM_S)
        if self._leave_s + trip_s + self.patience_s <= start_s:
            end_s = self._track.move(self._leave_s, self._leave_s + trip_s, self.home, lift_mm=20.0)
            self._track.gone_s = end_s
            self._track = None
        self._leave_s = None


def loaded_s(start: Point, end: Point) -> float:
    """Time to carry something from one point to another."""
    return max(SHORTEST_MOVE_S, hypot(start[0] - end[0], start[1] - end[1]) / LOADED_MM_S)
