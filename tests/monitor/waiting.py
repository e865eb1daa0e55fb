"""Waiting for what another thread or process is about to do."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_S = 90.0  # of a machine that stalls; what holds sooner is not waited for


def until(holds: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    """Return once it holds; the test fails where it never does."""
    end = time.monotonic() + patience_s
    while not holds():
        if time.monotonic() > end:
            raise AssertionError("did not come to hold")
        time.sleep(0.01)
