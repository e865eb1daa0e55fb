"""Records of a night as tests of evidence and reports need them: files alone, without pictures being seen."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import cv2
import numpy as np
from veedor.monitor.store import Action, ClipRow, Decision, SessionRecord, Store
from veedor.rules.checker import Checker
from veedor.rules.events import (
    BankDeclared,
    BetCollected,
    BetPaid,
    BetPlaced,
    BettingClosed,
    BettingOpened,
    CagnottePaid,
    CardDealt,
    CardTurned,
    CoupClosed,
    CoupOpened,
    Said,
    SessionOpened,
    ShoeStarted,
    TableEvent,
)
from veedor.rules.finding import Finding, standing
from veedor.rules.journal import Fsync, JournalWriter
from veedor.rules.profile import load_profile

PROFILE = "dos-panos-limitada"
STARTED = "2026-03-01T21:00:00-03:00"
FACES = {"P1": "7H 9S", "P2": "TD 6C", "B": "KS 4D"}


def a_coup(number: int, start_s: float) -> list[TableEvent]:
    """Two stakes, one of them after the call; paño 1 has six and asks for a card; 500 too little is paid."""
    t = start_s
    events: list[TableEvent] = [
        CoupOpened(number, t=t),
        BankDeclared(Decimal(75000), t=t + 0.5),
        BettingOpened(t=t + 1),
        BetPlaced(f"b{number}1", "P1", Decimal(3000), "seat3", 3, t=t + 3),
        BettingClosed(t=t + 6),
        BetPlaced(f"b{number}2", "P2", Decimal("2500.50"), "seat7", 7, t=t + 7),
    ]
    card = 0
    for _ in range(2):
        for hand in ("P1", "P2", "B"):
            card += 1
            events.append(CardDealt(f"c{card}", hand, t=t + 8 + card))
    events += [Said("P1", "carta", t=t + 16), Said("P2", "no", t=t + 17)]
    for number_of_hand, (_, faces) in enumerate(FACES.items()):
        for turn, face in enumerate(faces.split()):
            events.append(CardTurned(f"c{1 + number_of_hand + 3 * turn}", face, t=t + 20 + turn))
    return [
        *events,
        BetPaid(f"b{number}1", Decimal(2500), t=t + 30),
        BetCollected(f"b{number}2", Decimal("2500.50"), t=t + 31),
        CagnottePaid(Decimal(50), t=t + 33),
        CoupClosed(number, t=t + 35),
    ]


def journal_of(path: Path, coups: int = 2) -> list[TableEvent]:
    """Write a journal of so many coups."""
    opening = SessionOpened(PROFILE, STARTED, Decimal(50), Decimal(75000), 10, t=0.0)
    events = [opening, ShoeStarted(6, t=0.0)]
    for number in range(1, coups + 1):
        events += a_coup(number, 40.0 * number)
    with JournalWriter(path, fsync=Fsync.NEVER) as journal:
        return [journal.append(each) for each in events]


def judged(events: list[TableEvent]) -> list[Finding]:
    return standing(Checker(load_profile(PROFILE)).judge(events))


def a_still(tone: int = 90) -> bytes:
    """A JPEG."""
    picture = np.full((270, 480, 3), (40, tone, 60), np.uint8)
    cv2.ellipse(picture, (240, 135), (200, 100), 0, 0, 360, (60, 130, 80), -1)
    cv2.rectangle(picture, (210, 100), (260, 170), (240, 245, 250), -1)
    return cv2.imencode(".jpg", picture)[1].tobytes()


def a_review(folder: Path, coups: int = 2) -> Path:
    """A folder as `veedor review` leaves it, with stills as files."""
    (folder / "clips").mkdir(parents=True)
    (folder / "stills").mkdir()
    findings = judged(journal_of(folder / "journal.jsonl", coups))
    lines = "".join(json.dumps(each.to_json("en"), ensure_ascii=False) + "\n" for each in findings)
    (folder / "findings.jsonl").write_text(lines, "utf-8")
    for number, each in enumerate(findings, 1):
        (folder / "clips" / f"{number:03d}-{each.code}.mp4").write_bytes(bytes(range(256)) * 8)
        (folder / "stills" / f"{number:03d}-{each.code}.jpg").write_bytes(a_still())
    return folder


def a_session(data: Path, table: str = "mesa-3", coups: int = 2) -> str:
    """A watched session in a data folder, with evidence and decisions; returns its name."""
    data.mkdir(exist_ok=True)
    with Store.of_data(data) as store:
        record = SessionRecord.begin(store, table, "Mesa 3 «Peña»", alarm=print)
        events = journal_of(record.folder.journal, coups)
        record.events(events)
        for number, finding in enumerate(judged(events), 1):
            record.finding(number, finding)
            name = f"{number:04d}-{finding.code}"
            folder = record.folder.evidence / name
            folder.mkdir(parents=True)
            (folder / "clip.mp4").write_bytes(bytes(range(256)) * 8)
            (folder / "still.jpg").write_bytes(a_still())
            about = {
                "schema": 1, "number": number, "made_at": "2026-03-02T00:00:00Z",
                "clip": {"file": "clip.mp4", "bytes": 2048, "start_s": 40.0, "stop_s": 50.0, "gaps": []},
                "still": {"file": "still.jpg", "bytes": 1},
                "versions": {"veedor": "0.1.0", "profile": PROFILE, "model reader": "ab" * 32},
            }  # fmt: skip
            (folder / "finding.json").write_text(json.dumps(about), "utf-8")
            record.clip(
                ClipRow(
                    record.session,
                    number,
                    f"evidence/{name}",
                    "clip.mp4",
                    "still.jpg",
                    40.0,
                    50.0,
                    (),
                    1,
                    "2026",
                )
            )
        record.flush()
        store.record_decision(record.session, 1, Decision(Action.ACCEPT, "ana", "se ve en el clip"))
        record.end()
        return record.session
