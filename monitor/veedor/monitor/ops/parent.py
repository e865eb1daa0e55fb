"""Processes of a service end with it, however it ends: it alone holds the other end of their pipe."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable

log = logging.getLogger(__name__)

NAME = "VEEDOR_SERVICE_PIPE"
# What has not ended in order by then is ended: a fresh service wants its tables and its port.
END_S = 20.0


class Lifeline:
    """The service's end. The kernel closes it when the service dies, by `kill -9` too."""

    def __init__(self) -> None:
        self.theirs, self._mine = os.pipe()  # neither is passed on by itself

    def environment(self) -> dict[str, str]:
        """Of a process that is to end with this one; `theirs` is to be passed to it."""
        return {**os.environ, NAME: str(self.theirs)}

    def close(self) -> None:
        os.close(self._mine)
        os.close(self.theirs)


def end_with_service(end: Callable[[], None] | None = None) -> None:
    """Call `end`, or send ourselves SIGTERM, when the service that started this process has gone.

    Does nothing in a process that no service has started.
    """
    told = os.environ.pop(NAME, "")
    if not told.isdecimal():
        return
    watch = threading.Thread(target=_wait, args=(int(told), end or _terminate), name="service", daemon=True)
    watch.start()


def _wait(pipe: int, end: Callable[[], None]) -> None:
    try:
        while os.read(pipe, 1):
            pass
    except OSError:
        return  # no such pipe: whoever set the variable was no service
    log.warning("the service has gone")
    end()
    time.sleep(END_S)
    os._exit(1)


def _terminate() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
