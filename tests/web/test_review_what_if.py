"""What if: the checker on a corrected copy of a journal, and the corrections once they are saved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from night import SESSION, leave_night
from veedor.monitor import what_if_saving
from veedor.monitor.coup_view import view_of
from veedor.monitor.coup_view_night import Night, judge, read_night
from veedor.monitor.language import Language, use
from veedor.monitor.store import FindingFilter, Store, StoreError
from veedor.monitor.store.search import CoupFilter, search
from veedor.monitor.what_if import (
    ADDED,
    Change,
    ChangeFault,
    consider,
    corrections,
    event_of,
    read_changes,
    written,
)
from veedor.monitor.what_if_saving import Author, StaleFault, complete, save
from veedor.rules.events import (
    BetPlaced,
    CardTurned,
    EventCorrected,
    Said,
    SessionOpened,
    TableEvent,
    ViewLost,
    ViewRestored,
    encode_event,
)

ANA = Author("ana", "misread")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    leave_night(tmp_path)
    with Store.of_data(tmp_path) as store:
        store.reindex(SESSION)
        yield store


@pytest.fixture
def read(store: Store) -> Night:
    return read_night(store.folder(SESSION))


def shown(night: Night, face: str) -> Any:
    return next(each for each in night.written if isinstance(each, CardTurned) and each.shows == face)


def misread(night: Night) -> Change:
    """The bank's nine was a two: it loses both paños."""
    card = shown(night, "9C")
    return Change(card.id, replace(card, shows="2C"))


def fates(outcome: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in outcome.findings:
        found.setdefault(each.kind, []).append((each.after or each.before).code)
    return found


def test_a_coup_stands_with_what_was_due_and_done(read: Night) -> None:
    judged = judge(read.standing(), read.profile, read.told)
    first = view_of(judged.coups[0], read.profile)
    assert [(each.who, each.due, each.done, each.off) for each in first.stakes] == [
        ("seat4", -1000, -2000, -1000),
        ("seat7", -1000, -1000, 0),
    ]
    assert first.stakes[0].plays == {"P1": Decimal(1000)}
    assert {each.who: each.agrees for each in first.requirements[:2]} == {"P1": True, "P2": True}
    assert [finding.code for _, finding in judged.coups[0].findings] == ["PAYOUT_WRONG"]
    assert judged.coups[1].findings == ()


def test_nobody_was_to_draw_once_the_bank_has_turned_a_natural(read: Night) -> None:
    words = [each for each in read.written if isinstance(each, Said)][2:]
    four = Change(shown(read, "9H").id, replace(shown(read, "9H"), shows="4H"))
    five = Change(shown(read, "2H").id, replace(shown(read, "2H"), shows="5H"))
    outcome = consider(read, [*(Change(each.id) for each in words), four, five])
    view = view_of(outcome.after.coups[1], read.profile)
    assert (view.points["P1"], view.points["B"]) == (4, 9)
    first = view.requirements[0]
    assert (first.who, first.required.en, first.agrees) == (
        "P1",
        "no third card: the bank has a natural",
        True,
    )


def test_another_card_changes_points_money_and_verdicts_there_and_later(read: Night) -> None:
    outcome = consider(read, [misread(read)])
    before, after = (view_of(each.coups[0], read.profile) for each in (outcome.before, outcome.after))
    assert (before.points["B"], after.points["B"]) == (9, 2)
    assert [each.due for each in after.stakes] == [1000, 1000]
    assert (before.bank_after, after.bank_after) == (50_000 + 2000 - 40, 50_000 - 2000)
    assert fates(outcome) == {
        "changed": ["PAYOUT_WRONG"],
        "new": ["PAYOUT_WRONG", "CAGNOTTE_WRONG", "WRONG_HAND_HOLDER", "WRONG_HAND_HOLDER"],
    }
    assert [each.after.code for each in outcome.elsewhere(1) if each.after] == ["WRONG_HAND_HOLDER"] * 2
    assert len(outcome.of_coup(1)) == 3


def test_a_stake_elsewhere_makes_the_collection_right(read: Night) -> None:
    bet = next(each for each in read.written if isinstance(each, BetPlaced) and each.bet == "b1")
    outcome = consider(read, [Change(bet.id, replace(bet, zone="P1"))])
    assert fates(outcome)["gone"] == ["PAYOUT_WRONG"]


def test_a_word_that_was_missed_is_judged_in_its_place(read: Night) -> None:
    no = Said("P1", "no", t=31.5)
    carta = next(each for each in read.written if isinstance(each, Said) and each.words == "carta")
    outcome = consider(read, [Change(carta.id), Change(ADDED, no)])
    assert "CARD_TO_NO" in fates(outcome)["new"]
    assert [each.words for each in outcome.after.events if isinstance(each, Said)][:2] == ["no", "carta"]


def test_going_on_from_a_coup_gives_what_judging_all_of_it_gives(read: Night) -> None:
    def said(judged: Any) -> list[Any]:
        found = sorted(judged.findings().items(), key=lambda each: (each[1].t, each[1].code, each[1].actor))
        accounts = [coup.account for coup in judged.coups]
        return [(each.code, each.verdict, each.facts, each.t) for _, each in found] + accounts

    before = judge(read.standing(), read.profile, read.told)
    for event in read.written[1:]:
        change = [Change(event.id)]
        fresh = judge(read.standing(corrections(read, change)), read.profile, read.told)
        assert said(consider(read, change, before).after) == said(fresh), event


def test_asking_writes_nothing(store: Store, read: Night) -> None:
    folder = store.folder(SESSION)
    before = {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()}
    consider(read, [misread(read)])
    assert {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("number", [0, 1, 9999])
def test_what_does_not_stand_cannot_be_corrected(read: Night, number: int) -> None:
    with pytest.raises(ChangeFault):
        corrections(read, [Change(number)])


def test_nothing_and_the_same_twice_is_refused(read: Night) -> None:
    with pytest.raises(ChangeFault):
        corrections(read, [])
    with pytest.raises(ChangeFault):
        corrections(read, [Change(8), Change(8)])


def test_what_is_saved_is_what_was_shown(store: Store, read: Night) -> None:
    asked = consider(read, [misread(read)])
    journal = store.folder(SESSION).journal
    old = journal.read_bytes()
    saved = save(store, SESSION, [misread(read)], ANA, read.last_id)
    assert journal.read_bytes().startswith(old)
    (line,) = [json.loads(each) for each in journal.read_bytes()[len(old) :].splitlines()]
    assert (line["event"], line["by"], line["reason"], line["source"]) == (
        "event_corrected", "ana", "misread", "operator",
    )  # fmt: skip
    assert line["id"] == read.last_id + 1 == saved.lines[0].id
    again = read_night(store.folder(SESSION))
    judged = judge(again.standing(), again.profile, again.told)
    after = {number: (each.code, each.verdict) for number, each in asked.after.findings().items()}
    assert {number: (each.code, each.verdict) for number, each in judged.findings().items()} == after
    rows = store.findings(FindingFilter(session=SESSION))
    assert {row.number: (row.code, row.verdict) for row in rows} == after


def test_a_finding_that_goes_away_is_withdrawn_and_keeps_its_number(store: Store, read: Night) -> None:
    bet = next(each for each in read.written if isinstance(each, BetPlaced) and each.bet == "b1")
    save(store, SESSION, [Change(bet.id, replace(bet, zone="P1"))], ANA, read.last_id)
    row = store.finding(SESSION, 1)
    assert row is not None and row.verdict == "withdrawn"
    fixed = read_night(store.folder(SESSION))
    back = next(each for each in fixed.standing() if isinstance(each, BetPlaced) and each.bet == "b1")
    save(store, SESSION, [Change(back.id, replace(back, zone="half:P1"))], ANA, fixed.last_id)
    again = store.finding(SESSION, 1)
    assert again is not None and (again.verdict, again.reports) == ("broken", 3)


def test_the_second_of_two_tabs_is_told_and_nothing_of_it_is_written(store: Store, read: Night) -> None:
    save(store, SESSION, [misread(read)], ANA, read.last_id)
    kept = store.folder(SESSION).journal.read_bytes()
    with pytest.raises(StaleFault):
        save(store, SESSION, [Change(8)], Author("eva", "no"), read.last_id)
    assert store.folder(SESSION).journal.read_bytes() == kept


def test_an_addition_moves_coups_in_the_index_as_in_the_files(store: Store, read: Night) -> None:
    opened = next(each for each in read.written if type(each).__name__ == "CoupOpened")
    save(store, SESSION, [Change(ADDED, replace(opened, coup=7, t=5.0))], ANA, read.last_id)
    assert [each.number for each in store.coups(SESSION)] == [7, 1, 2]
    assert store.reindex(SESSION) == []
    assert [each.number for each in store.coups(SESSION)] == [7, 1, 2]


def test_a_save_that_was_cut_off_is_completed_by_whoever_comes_next(
    store: Store, read: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    told = store.folder(SESSION).findings.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(what_if_saving, "_tell", killed)
        with pytest.raises(KeyboardInterrupt):
            save(store, SESSION, [misread(read)], ANA, read.last_id)
    assert any(isinstance(each, EventCorrected) for each in read_night(store.folder(SESSION)).written)
    assert store.folder(SESSION).findings.read_bytes() == told
    complete(store, SESSION)
    lines = store.folder(SESSION).findings.read_text().splitlines()
    complete(store, SESSION)
    assert store.folder(SESSION).findings.read_text().splitlines() == lines
    numbers = [json.loads(each)["number"] for each in lines[len(told.splitlines()) :]]
    assert numbers == [1, 2, 3, 4, 5]


def test_a_disk_that_takes_nothing_leaves_the_journal_as_it_was(
    store: Store, read: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = store.folder(SESSION).journal.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("veedor.monitor.store.lines.write_all", full)
    with pytest.raises(StoreError, match="No space"):
        save(store, SESSION, [misread(read)], ANA, read.last_id)
    assert store.folder(SESSION).journal.read_bytes() == kept
    assert len(store.findings(FindingFilter(session=SESSION))) == 1


def test_changes_go_through_a_page_and_come_back_the_same(read: Night) -> None:
    changes = (misread(read), Change(8), Change(ADDED, Said("P2", "no", t=30.25)))
    back = read_changes(written(changes), 1000.0)
    assert written(back) == written(changes)
    assert [each.corrects for each in back] == [changes[0].corrects, 8, 0]


@pytest.mark.parametrize(
    "words",
    [
        "{", "7", '"x"', "[7]", "[[]]", '[{"corrects": "1"}]', '[{"corrects": -1}]', '[{"corrects": 1.5}]',
        '[{"corrects": true}]', '[{"corrects": 1, "more": 2}]', '[{"corrects": 1, "event": 7}]',
        '[{"corrects": 1, "event": {"event": "session_opened", "t": 1, "profile": "x"}}]',
        '[{"corrects": 1, "event": {"event": "event_corrected", "t": 1, "corrects": 2}}]',
        '[{"corrects": 1, "event": {"event": "said", "t": 1e9, "by": "P1", "words": "no"}}]',
        '[{"corrects": 1, "event": {"event": "said", "t": -1, "by": "P1", "words": "no"}}]',
        '[{"corrects": 1, "event": {"event": "said", "t": NaN, "by": "P1", "words": "no"}}]',
        '[{"corrects": 1, "event": {"event": "bet_placed", "t": 1, "bet": "b", "zone": "P", "amount": "-"}}]',
        '[{"corrects": 1, "event": {"event": "card_turned", "t": 1, "card": "c1", "shows": "1X"}}]',
        '[{"corrects": 1, "event": {"event": "said", "t": 1, "by": "a\\u0000", "words": "no"}}]',
        "[" * 100_000, "[" + ",".join(['{"corrects":1}'] * 41) + "]",
    ],
)  # fmt: skip
def test_changes_that_are_none_are_refused(words: str) -> None:
    with pytest.raises(ChangeFault):
        read_changes(words, 1000.0)


def test_texts_of_any_length_are_no_event() -> None:
    with pytest.raises(ChangeFault):
        event_of({"event": "ruling", "t": 1, "by": "inspector", "text": "x" * 501}, 10.0)
    with pytest.raises(ChangeFault):
        event_of({"event": "lot_drawn", "t": 1, "order": ["P1"] * 41}, 10.0)


def test_stakes_are_found_as_they_were_corrected(store: Store, read: Night) -> None:
    bet = next(each for each in read.written if isinstance(each, BetPlaced) and each.bet == "b1")
    save(store, SESSION, [Change(bet.id, replace(bet, amount=Decimal(777)))], ANA, read.last_id)
    found = search(store, CoupFilter(low=Decimal(700), high=Decimal(800)))
    assert [(each.place, [bet.amount for bet in each.bets]) for each in found] == [(1, [777])]
    assert search(store, CoupFilter(low=Decimal(1900))) == []


@pytest.mark.parametrize("kind", [SessionOpened, ViewLost, ViewRestored])
@pytest.mark.parametrize("language", [Language.ES, Language.EN])
def test_what_the_record_tells_of_itself_is_nobodys_to_correct(
    read: Night, kind: type[TableEvent], language: Language
) -> None:
    use(language)
    told = "no es un suceso que se pueda corregir" if language is Language.ES else "can be corrected"
    own: TableEvent = SessionOpened("dos-panos-limitada", t=1.0) if kind is SessionOpened else kind(t=1.0)
    word = next(each for each in read.written if isinstance(each, Said))
    later = replace(own, id=read.last_id + 1)
    night = replace(read, written=(*read.written, later))
    for change in (Change(later.id), Change(later.id, word), Change(word.id, own), Change(ADDED, own)):
        with pytest.raises(ChangeFault, match=told):
            corrections(night, [change])
    with pytest.raises(ChangeFault):
        event_of({key: each for key, each in encode_event(own).items() if key != "id"}, 100.0)


@pytest.mark.parametrize("hidden", ["\u3164", "\u200b", "a\u202eb", "a\x1b[31m", "\ud800"])
def test_what_a_change_says_can_be_seen(hidden: str) -> None:
    fields = {"event": "ruling", "by": "inspector", "text": hidden, "t": 1.0}
    with pytest.raises(ChangeFault, match="text"):
        event_of(fields, 100.0)
