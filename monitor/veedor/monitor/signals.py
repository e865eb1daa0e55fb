"""Signals for as long as something runs that has its own way to end."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def answered_by(
    handler: Callable[[int, FrameType | None], object], *numbers: signal.Signals
) -> Iterator[None]:
    """While the block lasts these signals go to `handler`; afterwards to whom they went before."""
    earlier = {each: signal.signal(each, handler) for each in numbers}
    try:
        yield
    finally:
        for each, before in earlier.items():
            signal.signal(each, before)
