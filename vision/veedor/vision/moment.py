"""One look at the table as the watches share it."""

from __future__ import annotations

from dataclasses import dataclass, field

from veedor.vision.arms import Arms
from veedor.vision.covering import Cover
from veedor.vision.percept import Percept
from veedor.vision.tracker import Track, Tracker


@dataclass(frozen=True)
class Moment:
    """A percept with what it means for tracks, cover and arms; `ended` are rested tracks that are gone."""

    percept: Percept
    tracker: Tracker
    cover: Cover
    arms: Arms
    ended: list[Track] = field(default_factory=list)

    @property
    def t_s(self) -> float:
        return self.percept.t_s

    @property
    def frame(self) -> int:
        return self.percept.index
