"""Whatever is fed, the fold holds: any order of any events, cut records, bounded memory."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import dos_panos
from rules_strategies import any_event
from veedor.rules.checker import Checker
from veedor.rules.finding import standing
from veedor.rules.journal import Fsync, JournalWriter, read_journal
from veedor.rules.profile import SHIPPED, load_profile
from veedor.rules.timeline import account_lines, describe, hands_line
from veedor.rules.verdict import Verdict


@pytest.mark.parametrize("profile", SHIPPED)
@settings(max_examples=60, deadline=None)
@given(events=st.lists(any_event, max_size=60))
def test_any_events_in_any_order_fold_without_raising(profile, events):
    checker = Checker(load_profile(profile), bank=Decimal(1000))
    findings = checker.judge(events)
    for finding in findings:
        for lang in ("es", "en"):
            assert finding.to_json(lang)["remedy"]
        assert 0 <= finding.confidence <= 1
        assert finding.verdict is not Verdict.UNDECIDED or finding.reason is not None
    for event in events:
        assert describe(event, "es") and describe(event, "en")
    if checker.account is not None:
        assert account_lines(checker.account)
        if checker.session.coup is not None:
            hands_line(checker.session.coup, checker.account)


def faulty_record():
    record = dos_panos()
    record.play(
        p1="2H AS", say=("no", "carta"), thirds=(None, "5S", "6D"), p2="KD 4D", b="JC 3H", settle=False
    )
    record.play(holders=("seat2", "seat6"))
    record.play(bets=(("A", 1, "P1", 100), ("C", 3, "forbidden", 20)), settle=False)
    return record


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_shuffled_play_folds_without_raising(data):
    record = faulty_record()
    events = data.draw(st.permutations(record.events))
    checker = Checker(record.profile, bank=record.bank)
    for event in events:
        checker.feed(event)
    checker.finish()


def test_a_record_cut_anywhere_gives_a_prefix_of_the_findings():
    record = faulty_record()
    checker = Checker(record.profile, bank=record.bank)
    by_event = [checker.feed(event) for event in record.events]
    for cut in range(len(record.events)):
        other = Checker(record.profile, bank=record.bank)
        assert [other.feed(event) for event in record.events[:cut]] == by_event[:cut]


@pytest.mark.parametrize("seed", range(3))
def test_a_journal_file_cut_at_any_byte_gives_a_prefix_of_the_findings(tmp_path, seed):
    record = faulty_record()
    whole = tmp_path / "whole.jsonl"
    with JournalWriter(whole, fsync=Fsync.NEVER) as journal:
        for event in record.events:
            journal.append(event)
    content = whole.read_bytes()

    def findings(path):
        checker = Checker(record.profile, bank=record.bank)
        return [finding for event in read_journal(path).events for finding in checker.feed(event)]

    all_of_them = findings(whole)
    assert len(all_of_them) >= 3 and any(one.revises for one in all_of_them)
    cut = tmp_path / "cut.jsonl"
    lengths = set()
    # Every byte of a line, and every line: 40 cuts a seed, spread over the file.
    for place in range(seed, len(content), max(1, len(content) // 40)):
        cut.write_bytes(content[:place])
        found = findings(cut)
        assert found == all_of_them[: len(found)]
        lengths.add(len(found))
    assert len(lengths) >= 3


def test_findings_survive_the_journal(tmp_path):
    record = faulty_record()
    path = tmp_path / "journal.jsonl"
    with JournalWriter(path, fsync=Fsync.NEVER) as journal:
        for event in record.events:
            journal.append(event)
    reading = read_journal(path)
    assert reading.faults == ()
    again = Checker(record.profile, bank=record.bank).judge(reading.events)
    assert again == record.check()[1]
    assert len(standing(again)) == 2


def test_what_the_checker_holds_does_not_grow():
    record = dos_panos()
    sizes = []
    for number in range(60):
        # The bank wins against P1 each time: the hand goes round the two seats.
        record.play(holders=(f"seat{1 + number % 2}", "seat6"))
    checker = Checker(record.profile, bank=record.bank)
    for event in record.events:
        checker.feed(event)
        if type(event).__name__ == "CoupClosed":
            session = checker.session
            sizes.append((len(session.waiting), len(session.coup.bets), len(session.bank.deposits)))
    assert len(set(sizes[1:])) == 1
    assert len(checker.session.shoe.faces) <= 52
