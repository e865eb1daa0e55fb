"""A night to review as tests have it: two coups at a table, one stake on the line collected whole."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from veedor.datasets.layouts import layout_path
from veedor.monitor.coup_view_night import judge, read_night
from veedor.monitor.store import ClipRow, SessionRecord
from veedor.monitor.store.layout import SessionFolder
from veedor.monitor.store.session_record import finding_line
from veedor.rules.events import (
    BankDeclared,
    BankDeposited,
    BetCollected,
    BetPaid,
    BetPlaced,
    BettingClosed,
    BettingOpened,
    CagnottePaid,
    CardDealt,
    CardDrawn,
    CardTurned,
    CoupClosed,
    CoupOpened,
    HandTaken,
    PlayersSeen,
    Said,
    SessionOpened,
    ShoeStarted,
    TableEvent,
    encode_event,
)
from veedor.rules.finding import Finding
from veedor.vision.table import Table
from veedor.vision.table_file import load_layout, save_table

PROFILE = "dos-panos-limitada"
STARTED = "2026-03-01T23:38:00-03:00"
SESSION = "mesa-3/20260302T023800Z-review"
TABLE = Table("mesa-3", "Mesa 3", PROFILE, load_layout(layout_path("dos-panos-10")))
# Faces by order of extraction: P1, P2, B, twice round, then the thirds of P1, P2 and B.
FIRST = ("4H", "9S", "TH", "KD", "2D", "JC", "QH", "6H", "9C")
SECOND = ("9H", "7S", "2H", "TD", "JD", "4C")


def night(start_s: float = 0.0) -> list[TableEvent]:
    """Coup 1: the bank wins with nine, and takes 2000 from seat 4's line, where 1000 plays. Coup 2: right."""
    events: list[TableEvent] = [
        SessionOpened(PROFILE, STARTED, t=0.0),
        ShoeStarted(6, t=0.5),
        PlayersSeen("P1", ("seat1", "seat4"), t=0.6),
        PlayersSeen("P2", ("seat6", "seat7"), t=0.7),
        BankDeposited(Decimal(50_000), t=1.0),
        *_coup(1, start_s + 10.0, FIRST, thirds=True),
        BetCollected("b1", Decimal(2000), t=start_s + 61.0),
        BetCollected("b2", Decimal(1000), t=start_s + 63.0),
        CagnottePaid(Decimal(40), t=start_s + 66.0),
        CoupClosed(1, t=start_s + 70.0),
        *_coup(2, start_s + 80.0, SECOND, thirds=False),
        BetPaid("b3", Decimal(1000), t=start_s + 131.0),
        BetPaid("b4", Decimal(1000), t=start_s + 133.0),
        CoupClosed(2, t=start_s + 140.0),
    ]
    return [replace(event, id=number) for number, event in enumerate(events, 1)]


def _coup(number: int, start_s: float, faces: tuple[str, ...], *, thirds: bool) -> Iterable[TableEvent]:
    bets = (f"b{2 * number - 1}", f"b{2 * number}")
    zone, amount = ("half:P1", Decimal(2000)) if number == 1 else ("P1", Decimal(1000))
    yield CoupOpened(number, t=start_s)
    yield BankDeclared(Decimal(20_000), t=start_s + 1)
    yield BettingOpened(t=start_s + 2)
    yield BetPlaced(bets[0], zone, amount, "seat4", 4, t=start_s + 5)
    yield BetPlaced(bets[1], "P2", Decimal(1000), "seat7", 7, t=start_s + 7)
    yield BettingClosed(t=start_s + 10)
    for place in range(6):
        yield from _dealt(place, ("P1", "P2", "B")[place % 3], start_s + 12 + place)
    holders = ("seat1", "seat6") if number == 1 else ("seat4", "seat7")  # the bank has won: hands pass on
    yield HandTaken("P1", holders[0], t=start_s + 19)
    yield HandTaken("P2", holders[1], t=start_s + 20)
    if thirds:
        yield Said("P1", "carta", t=start_s + 22)
        yield Said("P2", "carta", t=start_s + 24)
        yield from _dealt(6, "P1", start_s + 26)
        yield from _dealt(7, "P2", start_s + 28)
        yield from _dealt(8, "B", start_s + 32)
    else:
        yield Said("P1", "abato", t=start_s + 22)
        yield Said("P2", "no", t=start_s + 24)
    for place, shows in enumerate(faces):
        yield CardTurned(f"c{place + 1}", shows, t=start_s + 36 + place)


def _dealt(place: int, hand: str, t: float) -> Iterable[TableEvent]:
    yield CardDrawn(f"c{place + 1}", t=t)
    yield CardDealt(f"c{place + 1}", hand, t=t + 0.4)


def leave_journal(folder: SessionFolder, events: Iterable[TableEvent]) -> None:
    """The journal and the table's file in a session's folder."""
    lines = [json.dumps(encode_event(event)) + "\n" for event in events]
    folder.journal.write_text("".join(lines), encoding="utf-8")
    save_table(TABLE, folder.path / "table.toml")


def leave_night(data: Path, events: Iterable[TableEvent] | None = None) -> SessionFolder:
    """A whole session of a data folder, with the findings that follow from its journal."""
    folder = SessionFolder(data, SESSION)
    folder.path.mkdir(parents=True)
    leave_journal(folder, night() if events is None else events)
    about = {
        "schema": 1,
        "kind": "review",
        "table_name": "Mesa 3",
        "started_at": STARTED,
        "ended_at": STARTED,
    }
    folder.about.write_text(json.dumps(about), encoding="utf-8")
    read = read_night(folder)
    found = judge(read.standing(), read.profile).findings()
    with folder.findings.open("w", encoding="utf-8") as file:
        for seq, (number, finding) in enumerate(found.items(), 1):
            line = {**finding_line(number, finding, "2026-03-02T09:00:00Z"), "seq": seq}
            file.write(json.dumps(line) + "\n")
    return folder


def leave_evidence(
    record: SessionRecord, found: tuple[int, Finding], files: tuple[bytes, bytes], stop_s: float
) -> None:
    """The clip and the still of a finding where its evidence lies, and in the index."""
    number, finding = found
    folder = record.folder.evidence / f"{number:04d}-{finding.code}"
    folder.mkdir(parents=True)
    for name, content in zip(("clip.mp4", "still.jpg"), files, strict=True):
        (folder / name).write_bytes(content)
    place = f"evidence/{folder.name}"
    record.clip(ClipRow(record.session, number, place, "clip.mp4", "still.jpg", 0.0, stop_s, (), 1, "2026"))
