"""What a table's page says it cannot see."""

from __future__ import annotations

from veedor.monitor.sight_book import SightBook, Unseen
from veedor.rules.events import ViewLost, ViewRestored


def test_a_zone_is_unseen_from_its_loss_to_its_return() -> None:
    book = SightBook()
    book.feed(ViewLost(("P1.hand",), "covered", t=2.0))
    book.feed(ViewLost(("P1.hand", "shoe"), "covered", t=3.0))
    assert book.unseen == (Unseen("P1.hand", 2.0, "covered"), Unseen("shoe", 3.0, "covered"))
    book.feed(ViewRestored(("P1.hand",), "covered", t=4.0))
    assert book.unseen == (Unseen("shoe", 3.0, "covered"),)


def test_the_whole_table_is_told_first_and_returns_by_itself() -> None:
    book = SightBook()
    book.feed(ViewLost(("P1.hand",), "covered", t=2.0))
    book.feed(ViewLost((), "frame gap", t=3.0))
    assert [each.zone for each in book.unseen] == ["", "P1.hand"]
    book.feed(ViewRestored((), "frame gap", t=5.0))
    assert [each.zone for each in book.unseen] == ["P1.hand"]


def test_what_is_lost_for_two_reasons_is_seen_again_when_both_are_over() -> None:
    book = SightBook()
    book.feed(ViewLost((), "lines not seen", t=3.0))
    book.feed(ViewLost((), "frame gap", t=4.0))
    book.feed(ViewRestored((), "lines not seen", t=9.0))
    assert book.unseen == (Unseen("", 3.0, "frame gap"),)  # not seen without a break
    book.feed(ViewRestored((), "frame gap", t=10.0))
    assert book.unseen == ()


def test_a_process_that_starts_anew_ends_the_losses_of_the_one_before() -> None:
    book = SightBook()
    book.feed(ViewLost(("P1.hand",), "covered", t=2.0))
    book.feed(ViewLost((), "end of the pictures", t=4.0))
    book.feed(ViewLost((), "restart", t=5.0))
    assert book.unseen == (Unseen("", 5.0, "restart"),)
    book.feed(ViewRestored((), "restart", t=9.0))
    assert book.unseen == ()
