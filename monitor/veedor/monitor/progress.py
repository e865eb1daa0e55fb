"""How far a long command is: a bar on a terminal, elsewhere now and then a plain line."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NoReturn

    from tqdm import tqdm

LINE_EVERY_S = 10.0


class Progress:
    """One stage on standard error. A log file gets no carriage returns."""

    def __init__(
        self, label: str, unit: str, done: float = 0.0, *, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._label, self._unit, self._now = label, unit, now
        self._done = round(done)
        self._told_at = now()
        self._bar: tqdm[NoReturn] | None = None

    def show(self, done: float, whole: float) -> None:
        """So much of the whole is done."""
        if sys.stderr.isatty():
            self._draw(round(done), round(whole))
        elif self._now() - self._told_at >= LINE_EVERY_S:
            self._told_at = self._now()
            label = f"{self._label}: " if self._label else ""
            print(f"{label}{round(done)}/{round(whole)} {self._unit}", file=sys.stderr, flush=True)

    def _draw(self, done: int, whole: int) -> None:
        if self._bar is None:
            from tqdm import tqdm

            self._bar = tqdm(initial=self._done, desc=self._label or None, unit=self._unit, file=sys.stderr)
        self._bar.total = whole
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
