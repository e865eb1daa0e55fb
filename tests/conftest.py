"""What every test starts from."""

from __future__ import annotations

import signal
import threading


def pytest_configure() -> None:
    """Ctrl-C means what it means at a terminal, also where the tests run in the background.

    A shell starts what it puts in the background with SIGINT ignored, and programs inherit that.
    """
    main = threading.current_thread() is threading.main_thread()
    if main and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
