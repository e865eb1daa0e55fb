"""How far a long command is and how long it still takes: a bar on a terminal, elsewhere lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from veedor.monitor.language import text

if TYPE_CHECKING:
    from typing import NoReturn

    from tqdm import tqdm

LINE_EVERY_S = 10.0


def show_count(done: int, whole: int, name: str = "") -> None:
    """So many of so many, on one line of a terminal that is written over; nothing in a log."""
    if sys.stderr.isatty():
        line = f"{name} {done}/{whole}".lstrip()
        sys.stderr.write(f"\r{line}" + ("\n" if done == whole else ""))
        sys.stderr.flush()


class Progress:
    """One stage on standard error. A log file gets no carriage returns."""

    def __init__(
        self, label: str, unit: str, done: float = 0.0, *, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._label, self._unit, self._now = label, unit, now
        self._begin = done
        self._last = self._told = (done, 0.0)
        self._began_at = self._told_at = now()
        self._bar: tqdm[NoReturn] | None = None

    def show(self, done: float, whole: float) -> None:
        """So much of the whole is done."""
        self._last = (done, whole)
        if sys.stderr.isatty():
            self._draw(round(done), round(whole))
        elif self._now() - self._told_at >= LINE_EVERY_S:
            self._tell()

    def announce(self, whole: float) -> None:
        """Say in a log that the stage begins: others were told of before."""
        self._last = (self._begin, whole)
        if not sys.stderr.isatty():
            self._tell()

    def _tell(self) -> None:
        self._told_at, self._told = self._now(), self._last
        done, whole = self._last
        label = f"{self._label}: " if self._label else ""
        left = self._left(done, whole)
        print(f"{label}{round(done)}/{round(whole)} {self._unit}{left}", file=sys.stderr, flush=True)

    def _left(self, done: float, whole: float) -> str:
        """How long the rest takes at the pace so far."""
        gone_s = self._now() - self._began_at
        if done <= self._begin or done >= whole or gone_s <= 0.0:
            return ""
        left_s = gone_s * (whole - done) / (done - self._begin)
        hours, rest = divmod(round(left_s), 3600)
        minutes, seconds = divmod(rest, 60)
        span = f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"
        return text(es=f", quedan {span}", en=f", {span} left")

    def _draw(self, done: int, whole: int) -> None:
        if self._bar is None:
            from tqdm import tqdm

            begin = round(self._begin)
            self._bar = tqdm(initial=begin, desc=self._label or None, unit=self._unit, file=sys.stderr)
        self._bar.total = whole
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """The stage is over; in a log the last that was done is told, if the stage was told of at all."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        elif self._told_at != self._began_at and self._told != self._last:
            self._tell()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
