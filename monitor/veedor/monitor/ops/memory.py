"""Memory that is free goes back to the system: who runs all night is to be no larger in the morning.

Pictures of 6 MB come and go in half a dozen threads; what lies free between smaller things is kept by the C
library for each thread, and looks like a leak.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from functools import cache

GIVE_BACK_S = 60.0
_ARENA_MAX, _ARENAS = -8, 2


@cache
def _library() -> ctypes.CDLL | None:
    """The GNU C library; None on systems that have another."""
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "malloc_trim") and hasattr(library, "mallopt") else None


def few_arenas() -> None:
    """All threads of this process share two heaps; to be called before they begin."""
    library = _library()
    if library is not None:
        library.mallopt(_ARENA_MAX, _ARENAS)


def give_back() -> None:
    """What is free goes back now; takes some milliseconds."""
    library = _library()
    if library is not None:
        library.malloc_trim(0)


def keep_small(stop: threading.Event) -> None:
    """Do so now and then, in a thread, until `stop` is set."""

    def work() -> None:
        while not stop.wait(GIVE_BACK_S):
            give_back()

    threading.Thread(target=work, name="memory", daemon=True).start()
