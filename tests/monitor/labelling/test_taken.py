"""A labeller reads the time of a picture as the review's pages tell it, wherever it stands."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from veedor.datasets.labelled import LabelledPicture
from veedor.monitor.labelling.taken import moment_text, picture_name, session_time, taken_text
from veedor.monitor.reviewed_files import Recorded, write_recordings
from veedor.monitor.store.layout import SessionFolder

SESSION = "mesa-3/20261129T210000Z-review"
# Taken 30 s into the second recording, whose own timestamps begin at 1.4 s.
TAKEN = LabelledPicture(
    picture_name(SESSION, 3754.0), "b" * 64, 2_826_000, Fraction(1, 90_000), 64, 48, SESSION, "mesa-3",
    None, "model", 0, (),
)  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = SessionFolder(tmp_path, SESSION)
    folder.path.mkdir(parents=True)
    folder.about.write_text(json.dumps({"started_at": "2026-11-29T22:00:00-03:00"}))
    recordings = [
        Recorded(Path("a.mp4"), "a" * 64, 0.0, 3700.0, (64, 48), 0.0),
        Recorded(Path("b.mp4"), "b" * 64, 3724.0, 3900.0, (64, 48), 3724.0),
    ]
    write_recordings(folder.path, recordings)
    return tmp_path


def test_a_picture_of_a_session_is_told_by_the_sessions_clock_and_the_walls(data: Path) -> None:
    assert taken_text(data, TAKEN) == f"{SESSION} · 23:02:34 · 1:02:34.0"
    assert taken_text(data, TAKEN) == moment_text(data, SESSION, 3754.0)


def test_one_that_came_from_elsewhere_is_placed_by_its_recording(data: Path) -> None:
    foreign = replace(TAKEN, id="frame_17", pts=2_700_000)
    assert session_time(data, foreign) == 3754.0
    unknown = replace(foreign, session="mesa-3/20250101T000000Z")
    assert taken_text(data, unknown) == "mesa-3/20250101T000000Z · 0:30.0"
    for name in ("somebody's night", "../..", "x" * 400):
        assert taken_text(data, replace(foreign, session=name)) == f"{name} · 0:30.0"
    assert taken_text(data, replace(foreign, session="stills")) == ""
