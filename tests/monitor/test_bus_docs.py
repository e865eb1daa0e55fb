"""docs/bus.md: its client runs as it stands, and it tells of every kind, command, event and field."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from dataclasses import fields
from pathlib import Path

import pytest
from veedor.monitor.announcements import Announcements
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.bus import EVENT, KINDS, BusPublisher, BusSetting, Header
from veedor.monitor.fold import Fold
from veedor.monitor.operator_events import ENTERED, OperatorDesk
from veedor.rules.event_codec import COMMON
from veedor.rules.events import EVENT_TYPES, TableEvent, event_name
from veedor.rules.journal import Fsync, read_journal
from veedor.rules.profile import load_profile
from veedor.vision.table_file import load_table

DOCS = (Path(__file__).resolve().parents[2] / "docs" / "bus.md").read_text(encoding="utf-8")
CLIENT, BUTTON_BOX = re.findall(r"```python\n(.*?)```", DOCS, flags=re.DOTALL)


def test_the_client_of_the_docs_runs_in_ten_lines(tmp_path: Path) -> None:
    assert len(CLIENT.splitlines()) == 10
    publisher = BusPublisher(BusSetting(tmp_path / "bus", "mesa-3"), {})
    command = [sys.executable, "-c", CLIENT, str(tmp_path / "bus" / "mesa-3.json")]
    reader = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    told = threading.Event()

    def tell() -> None:
        while not told.wait(0.05):
            publisher.publish(EVENT, {"event": "betting_closed"}, 12.5)

    teller = threading.Thread(target=tell)
    teller.start()
    try:
        assert reader.stdout is not None
        line = reader.stdout.readline().split()
    finally:
        told.set()
        teller.join()
        reader.kill()
        reader.communicate()
        publisher.close()
    assert line[0] == "event" and int(line[1]) >= 1 and line[2:] == ["12.5", "betting_closed"]


def test_the_button_box_of_the_docs_enters_and_corrects(tmp_path: Path) -> None:
    table = load_table(bundled_clip("demo").table)
    journal = tmp_path / "journal.jsonl"
    with Fold(table, load_profile(table.profile), Announcements(), journal, Fsync.NEVER) as fold:
        desk = OperatorDesk(fold, lambda: 3.0)
        publisher = BusPublisher(BusSetting(tmp_path / "bus", "mesa-3"), desk.handlers())
        try:
            exec(BUTTON_BOX.replace("/var/lib/veedor/bus", str(tmp_path / "bus")), {})
        finally:
            publisher.close()
    names = [event_name(type(event)) for event in read_journal(journal).events]
    assert names == ["session_opened", "said", "event_corrected"]


@pytest.mark.parametrize("kind", EVENT_TYPES, ids=event_name)
def test_every_event_and_field_is_documented(kind: type[TableEvent]) -> None:
    row = re.search(rf"^\| `{event_name(kind)}` \|(.*)\|$", DOCS, flags=re.MULTILINE)
    assert row is not None
    assert re.findall(r"`(\w+)`", row.group(1)) == [f.name for f in fields(kind) if f.name not in COMMON]


def test_every_kind_header_and_command_is_documented() -> None:
    for name in (*KINDS, *(f.name for f in fields(Header)), "snapshot", "watching", "still", *ENTERED):
        assert f"`{name}`" in DOCS
    for name in ("operator_event", "correct_event", "transcript"):
        assert f"| `{name}` |" in DOCS
