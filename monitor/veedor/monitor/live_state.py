"""What a running table shows of itself, and the board where pages read it.

The loop that watches the table publishes; any number of readers take the latest. Nobody waits for a reader.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from veedor.monitor.bookkeeping import CoupAccount
from veedor.monitor.language import Bilingual
from veedor.monitor.pages import FindingView
from veedor.monitor.sight_book import Unseen
from veedor.monitor.story import CoupStory


@dataclass(frozen=True)
class FeltObject:
    """An object on the felt from above. `kind` card, chips, plaque, hand or other; angle counter-clockwise.

    `label` is a card's face (`7H`, `??`) or a bet's amount; `plays` names what a bet plays, empty otherwise.
    """

    id: str
    kind: str
    x_mm: float
    y_mm: float
    rotation_deg: float = 0.0
    label: str = ""
    colour: str = ""
    plays: str = ""


@dataclass(frozen=True)
class LiveState:
    """One moment of a watched table.

    `t_s` is media time; `finished` once the source is at its end and everything is written. `lag_s` how far
    the loop is behind the source; `dropped` counts frames that were not looked at because of that.
    """

    t_s: float = 0.0
    duration_s: float | None = None
    finished: bool = False
    lag_s: float = 0.0
    dropped: int = 0
    objects: tuple[FeltObject, ...] = ()
    coup: CoupStory | None = None
    account: CoupAccount = field(default_factory=CoupAccount)
    duties: tuple[Bilingual, ...] = ()  # what the rules require now
    findings: tuple[FindingView, ...] = ()
    coups_closed: int = 0
    unseen: tuple[Unseen, ...] = ()  # what of the table cannot be seen now


MOST_STILLS = 40  # of a table that a service watches, in each of its processes


@dataclass
class Board:
    """The latest state, picture and stills of one table; safe to use from several threads.

    With `most_stills` only so many are kept, of the findings that came last: a night has hundreds, of some
    200 KB each, and all of them are in the record too.
    """

    viewers: int = 0
    most_stills: int | None = None
    _state: LiveState = field(default_factory=LiveState)
    _version: int = 0
    _picture: bytes | None = None
    _picture_version: int = 0
    _stills: dict[int, bytes] = field(default_factory=dict)
    _had_still: set[int] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def publish(self, state: LiveState) -> None:
        with self._lock:
            self._state, self._version = state, self._version + 1

    def publish_picture(self, jpeg: bytes) -> None:
        with self._lock:
            self._picture, self._picture_version = jpeg, self._picture_version + 1

    def publish_still(self, number: int, jpeg: bytes) -> None:
        """The still of finding `number`."""
        with self._lock:
            self._stills[number] = jpeg
            self._had_still.add(number)
            if self.most_stills is not None and len(self._stills) > self.most_stills:
                del self._stills[next(iter(self._stills))]

    def forget_stills(self) -> None:
        """Numbers count anew: another session."""
        with self._lock:
            self._stills.clear()
            self._had_still.clear()

    def finish(self) -> None:
        with self._lock:
            self._state, self._version = replace(self._state, finished=True), self._version + 1

    def latest(self) -> tuple[int, LiveState]:
        """The number of the latest state, rising with each, and the state."""
        with self._lock:
            return self._version, self._state

    def picture(self) -> tuple[int, bytes | None]:
        """The number of the latest picture and its JPEG, None before the first."""
        with self._lock:
            return self._picture_version, self._picture

    @contextmanager
    def viewed(self) -> Iterator[None]:
        """While somebody looks at the picture."""
        with self._lock:
            self.viewers += 1
        try:
            yield
        finally:
            with self._lock:
                self.viewers -= 1

    def still(self, number: int) -> bytes | None:
        with self._lock:
            return self._stills.get(number)

    def had_still(self, number: int) -> bool:
        """Whether there was one of the finding, which the record may have alone by now."""
        with self._lock:
            return number in self._had_still
