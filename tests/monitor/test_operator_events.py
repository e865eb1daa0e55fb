"""What people enter: at once in the journal, judged in its place, corrected with the correction on record."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from veedor.monitor.announcements import Announcements
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.bus import BusFault, BusPublisher, BusSetting, CommandClient
from veedor.monitor.fold import EntryFault, Fold
from veedor.monitor.judgement import Judgement
from veedor.monitor.operator_events import OperatorDesk
from veedor.rules.events import BettingClosed, CoupOpened, EventCorrected, Said, SessionOpened, ViewLost
from veedor.rules.finding import Finding
from veedor.rules.journal import Fsync, read_journal
from veedor.rules.profile import load_profile
from veedor.rules.settled import corrections_of, settled
from veedor.rules.verdict import Verdict
from veedor.vision.percept import Percept
from veedor.vision.table_file import load_table

TABLE = load_table(bundled_clip("demo").table)
PROFILE = load_profile(TABLE.profile)
CARTA = {"event": "said", "by": "P1", "words": "carta"}


class Clock:
    t_s = 0.0

    def __call__(self) -> float:
        return self.t_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def fold(tmp_path: Path) -> Iterator[Fold]:
    with Fold(TABLE, PROFILE, Announcements(), tmp_path / "journal.jsonl", Fsync.NEVER) as made:
        yield made


@pytest.fixture
def desk(fold: Fold, clock: Clock) -> OperatorDesk:
    return OperatorDesk(fold, clock)


def look_until(fold: Fold, t_s: float, start_s: float = 0.0) -> None:
    for number in range(round(start_s / 0.16), round(t_s / 0.16) + 1):
        fold.look(Percept.empty(number, round(number * 0.16, 3), len(TABLE.chips)))


def written(tmp_path: Path) -> list[Any]:
    return list(read_journal(tmp_path / "journal.jsonl").events)


def test_an_entry_is_in_the_journal_when_it_is_answered(
    fold: Fold, desk: OperatorDesk, clock: Clock, tmp_path: Path
) -> None:
    look_until(fold, 4.0)
    clock.t_s = 4.1
    taken = desk.enter(CARTA)
    line = written(tmp_path)[-1]
    assert line == taken == Said("P1", "carta", t=4.1, id=2, source="operator")
    look_until(fold, 12.0, 4.2)
    assert [type(event) for event in fold.events] == [SessionOpened, Said]
    assert len(written(tmp_path)) == 2  # one line, however long it waited to be judged


def test_an_entry_about_a_moment_ago_stands_at_that_moment(
    fold: Fold, desk: OperatorDesk, clock: Clock, tmp_path: Path
) -> None:
    look_until(fold, 20.0)
    clock.t_s = 20.0
    desk.enter({"event": "coup_opened"})
    look_until(fold, 22.0, 20.1)
    clock.t_s = 22.0
    desk.enter({"event": "betting_closed"})
    late = desk.enter({"event": "betting_opened"}, ago_s=1.5)
    assert late.t == 20.5
    look_until(fold, 30.0, 22.1)
    assert [event.t for event in fold.events] == [0.0, 20.0, 20.5, 22.0]
    assert [event.id for event in written(tmp_path)] == [1, 2, 3, 4]
    assert [event.t for event in written(tmp_path)] == [0.0, 20.0, 22.0, 20.5]
    events = written(tmp_path)
    assert list(settled(events, corrections_of(events))) == fold.events


def test_what_a_player_says_is_judged_at_once_and_what_was_seen_before_it_takes_its_place(
    fold: Fold, desk: OperatorDesk, clock: Clock, tmp_path: Path
) -> None:
    look_until(fold, 4.0)
    fold.lose(4.05, "stream cut")
    clock.t_s = 4.1
    desk.enter(CARTA)
    assert [type(event) for event in fold.events] == [SessionOpened, Said]
    look_until(fold, 12.0, 4.2)
    assert [type(event) for event in fold.events] == [SessionOpened, ViewLost, Said]
    assert [type(event) for event in written(tmp_path)] == [SessionOpened, Said, ViewLost]


def test_words_keep_their_order_and_the_bankers_wait_for_what_was_seen(
    fold: Fold, desk: OperatorDesk, clock: Clock
) -> None:
    look_until(fold, 4.0)
    clock.t_s = 4.1
    desk.enter({**CARTA, "by": "banker", "words": "no"})
    desk.enter(CARTA)
    assert [type(event) for event in fold.events] == [SessionOpened]
    look_until(fold, 12.0, 4.2)
    assert [event.by for event in fold.events if isinstance(event, Said)] == ["banker", "P1"]


@pytest.mark.parametrize("judged", [False, True], ids=["while it waits", "after it was judged"])
def test_a_correction_is_on_record_and_the_old_line_stays(
    fold: Fold, desk: OperatorDesk, clock: Clock, tmp_path: Path, judged: bool
) -> None:
    look_until(fold, 4.0)
    clock.t_s = 4.1
    wrong = desk.enter(CARTA)
    if judged:
        look_until(fold, 12.0, 4.2)
        clock.t_s = 12.0
    right = desk.correct(wrong.id, {**CARTA, "words": "no"}, by="ana", reason="misheard")
    assert isinstance(right, EventCorrected) and right.by == "ana" and right.t == clock.t_s
    look_until(fold, 20.0, clock.t_s)
    [stands] = [event for event in fold.events if isinstance(event, Said)]
    assert stands == Said("P1", "no", t=4.1, id=right.id, source="operator")
    lines = written(tmp_path)
    assert lines[1] == wrong and lines[2] == right
    with pytest.raises(EntryFault, match="there is none"):
        desk.correct(wrong.id, None, by=None, reason=None)
    desk.correct(right.id, None, by="ana", reason=None)
    assert not [event for event in fold.events if isinstance(event, Said)]


def test_a_correction_withdraws_the_finding_that_rested_on_it(fold: Fold) -> None:
    told: list[tuple[int, Finding]] = []
    fold.on_finding = lambda number, finding: told.append((number, finding))
    judgement = fold.judgement
    deal = [
        {"event": "coup_opened", "coup": 1}, {"event": "betting_opened"},
        {"event": "bet_placed", "bet": "b1", "zone": "P1", "amount": 100, "bettor": "seat1", "seat": 1},
        {"event": "betting_closed"},
        *[{"event": "card_dealt", "card": f"c{n}", "to": to}
          for n, to in enumerate(("P1", "P2", "B", "P1", "P2", "B"), 1)],
        {"event": "said", "by": "P1", "words": "no"}, {"event": "said", "by": "P2", "words": "no"},
        {"event": "card_dealt", "card": "c7", "to": "P1"},
    ]  # fmt: skip
    from veedor.rules.events import decode_event

    for number, line in enumerate(deal, 1):
        event = decode_event({"t": float(number), "source": "import", **line})
        fold._take([event])
    broken = {number for number, finding in told if finding.verdict is Verdict.BROKEN}
    assert broken, "a card after « no » is against the rules"
    no = next(event for event in fold.events if isinstance(event, Said) and event.by == "P1")
    told.clear()
    fold.correct(EventCorrected(no.id, Said("P1", "carta", t=-1.0, source="operator"), t=30.0))
    assert {number for number, finding in told if finding.verdict is Verdict.WITHDRAWN} == broken
    assert not broken & set(judgement.standing)
    whole = Judgement(PROFILE)
    for event in fold.events:
        whole.feed(event)
    assert whole.standing == judgement.standing and whole.teller.coups == judgement.teller.coups


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"event": "card_dealt", "card": "c1", "to": "P1"}, "not one that is entered"),
        ({"event": "session_opened", "profile": "x"}, "not one that is entered"),
        ({"event": ["said"]}, "not one that is entered"),
        ({"event": "said", "by": "P1"}, "words: missing"),
        ({"event": "said", "by": "x" * 1_000_000, "words": "no"}, "by: too long"),
        ({"event": "players_seen", "pano": "P1", "players": ["a"] * 1000}, "players: too long"),
        ({**CARTA, "source": "vision"}, "source: one of"),
        ({"event": "bank_declared", "amount": "NaN"}, "amount"),
        ({"event": "bank_declared", "amount": 10**30}, "amount"),
        ({"event": "said", "by": "P1", "words": "\ud800"}, "words: has characters that do not show"),
    ],
)
def test_what_cannot_be_an_entry_is_refused_and_leaves_no_line(
    desk: OperatorDesk, tmp_path: Path, event: dict[str, object], said: str
) -> None:
    with pytest.raises(EntryFault, match=said):
        desk.enter(event)
    assert len(written(tmp_path)) == 1


def test_the_beginning_of_a_record_is_no_correction(desk: OperatorDesk, tmp_path: Path) -> None:
    said = desk.enter(CARTA)
    with pytest.raises(EntryFault, match="not an event that can be corrected"):
        desk.correct(said.id, {"event": "session_opened", "profile": "x"}, by="ana", reason=None)
    assert len(written(tmp_path)) == 2


def test_a_transcript_speaks_as_it_comes(fold: Fold, desk: OperatorDesk, clock: Clock) -> None:
    clock.t_s = 5.0
    assert isinstance(desk.say("Hagan juego", "crupier")[0], CoupOpened)
    clock.t_s = 9.0
    [closed] = desk.say("No va más", "crupier", ago_s=0.5)
    assert isinstance(closed, BettingClosed) and closed.t == 8.5 and closed.source == "voice"
    assert desk.say("¿Quién gana el domingo?", "asiento 3") == ()


def test_a_coup_that_was_entered_is_not_opened_again_by_words(desk: OperatorDesk, clock: Clock) -> None:
    clock.t_s = 5.0
    desk.enter({"event": "coup_opened", "coup": 7})
    assert not [event for event in desk.say("Hagan juego", None) if isinstance(event, CoupOpened)]


def test_entries_come_over_the_bus_from_several_at_once(
    fold: Fold, desk: OperatorDesk, clock: Clock, tmp_path: Path
) -> None:
    publisher = BusPublisher(BusSetting(tmp_path / "bus", "m1"), desk.handlers())
    client = CommandClient(tmp_path / "bus")
    clock.t_s = 3.0
    try:
        told = client.send_operator_event("m1", CARTA, by="ana")
        assert (told["id"], told["t"]) == (2, 3.0)
        fixed = client.correct_event("m1", 2, {**CARTA, "words": "no"}, by="ana", reason="x")
        assert fixed["id"] == 3
        for asked in ({"event": 3}, {"event": CARTA, "ago_s": "soon"}, {"event": CARTA, "ago_s": 9e9}):
            with pytest.raises(BusFault):
                client.ask("m1", "operator_event", asked)
        with pytest.raises(BusFault, match="corrects"):
            client.ask("m1", "correct_event", {"corrects": "2"})

        def many() -> None:
            mine = CommandClient(tmp_path / "bus")
            for _ in range(20):
                mine.send_operator_event("m1", CARTA)
            mine.close()

        threads = [threading.Thread(target=many) for _ in range(3)]
        for thread in threads:
            thread.start()
        look_until(fold, 10.0)
        for thread in threads:
            thread.join()
    finally:
        client.close()
        publisher.close()
    lines = written(tmp_path)
    assert [event.id for event in lines] == list(range(1, 64))
    assert not read_journal(tmp_path / "journal.jsonl").faults


def resumed(tmp_path: Path, told: Callable[[Fold], None]) -> tuple[Fold, Fold]:
    """A fold whose process died after `told`, and the one that goes on with its journal."""
    path = tmp_path / "journal.jsonl"
    with Fold(TABLE, PROFILE, Announcements(), path, Fsync.NEVER) as first:
        told(first)
    with path.open("ab") as file:
        file.write(b'{"id": 99, "t": 5')  # the line that was being written
    from veedor.rules.journal import JournalWriter

    second = Fold(TABLE, PROFILE, Announcements(), JournalWriter(path, fsync=Fsync.NEVER))
    events = read_journal(path).events
    second.resume(settled(events, corrections_of(events)), 8.0, "restart")
    return first, second


def test_a_record_that_broke_off_goes_on_with_the_gap_in_it(tmp_path: Path) -> None:
    def told(fold: Fold) -> None:
        look_until(fold, 4.0)
        fold.enter(CoupOpened(4, t=4.0, source="operator"))
        fold.enter(Said("P1", "no", t=5.0, source="operator"))
        look_until(fold, 12.0, 4.1)

    first, second = resumed(tmp_path, told)
    with second:
        look_until(second, 40.0, 30.0)
        second.finish()
    lines = written(tmp_path)
    assert [event.id for event in lines] == list(range(1, len(lines) + 1))
    assert not read_journal(tmp_path / "journal.jsonl").faults
    lost = next(event for event in lines if isinstance(event, ViewLost))
    assert (lost.t, lost.zones, lost.reason) == (8.0, (), "restart")
    assert [type(event).__name__ for event in lines[-2:]] == ["ViewLost", "ViewRestored"]
    assert lines[-1].t > 30.0 and sum(isinstance(event, SessionOpened) for event in lines) == 1
    assert second.events[: len(first.events)] == first.events and not second.findings


@pytest.mark.parametrize("ago_s", [10**400, float("nan"), float("inf"), -1, True, "1"])
def test_how_long_ago_is_seconds_of_a_minute(desk: OperatorDesk, ago_s: object) -> None:
    with pytest.raises(EntryFault, match="ago_s"):
        desk.handlers()["operator_event"]({"event": CARTA, "ago_s": ago_s}, "local")


def test_a_time_past_all_counting_is_no_time(desk: OperatorDesk) -> None:
    desk.enter(CARTA)
    with pytest.raises(EntryFault, match="t: expected seconds"):
        desk.correct(2, {**CARTA, "t": 10**400}, by=None, reason=None)
