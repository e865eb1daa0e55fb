"""What every test starts from."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Iterator

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings
from veedor.monitor.language import Language, use

# Tests whose parts are processes and sockets of their own: on a machine that stalls, one may wait in vain.
# Such a test is run once more when it fails, and says so; what fails twice fails.
OF_PROCESSES = frozenset(
    {
        "test_bus.py", "test_bus_docs.py", "test_cameras.py", "test_in_a_browser.py", "test_live_server.py",
        "test_label_killed.py", "test_label_page.py", "test_operator_events.py", "test_ops_table.py",
        "test_ops_service.py", "test_review_in_a_browser.py", "test_serve_and_user.py", "test_store.py",
        "test_streams.py", "test_two_cameras.py",
    }
)  # fmt: skip

# How fast a machine makes examples is no property of what is tested.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


def pytest_configure() -> None:
    """Ctrl-C means what it means at a terminal, also where the tests run in the background.

    A shell starts what it puts in the background with SIGINT ignored, and programs inherit that.
    """
    main = threading.current_thread() is threading.main_thread()
    if main and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    """Texts are English unless a test asks for Spanish; that ends with the test."""
    use(Language.EN)
    yield
    use(Language.EN)


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test of processes a second time where it failed."""
    if item.path.name not in OF_PROCESSES or not isinstance(item, pytest.Function):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    if any(report.failed for report in reports):
        warnings.warn(f"{item.nodeid} failed once and was run again", stacklevel=1)
        item._initrequest()
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
