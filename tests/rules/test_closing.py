"""Which close ends the coup in course, and what a word that arrives late is judged by."""

from __future__ import annotations

from veedor.rules.checker import Checker
from veedor.rules.events import CoupClosed, CoupOpened
from veedor.rules.profile import load_profile


def test_a_close_that_names_a_coup_that_is_not_there_ends_nothing() -> None:
    checker = Checker(load_profile("dos-panos-limitada"))
    for event in (CoupOpened(4, t=1.0, id=1), CoupClosed(99, t=2.0, id=2), CoupClosed(3, t=3.0, id=3)):
        assert checker.feed(event) == []
        assert checker.session.open_coup is not None
    checker.feed(CoupClosed(4, t=4.0, id=4))
    assert checker.session.open_coup is None


def test_a_close_without_a_number_ends_the_coup_in_course() -> None:
    checker = Checker(load_profile("dos-panos-limitada"))
    checker.feed(CoupOpened(4, t=1.0, id=1))
    checker.feed(CoupClosed(t=2.0, id=2))
    assert checker.session.open_coup is None
