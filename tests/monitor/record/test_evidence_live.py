"""Evidence of a running table: a folder a finding, whole or not there, and gaps are told."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from films import FPS, Film, grey_of, pictures_of
from record_play import Table, a_coup, a_finding
from veedor.monitor.evidence_live import EvidenceKeeper, EvidenceSettings, versions
from veedor.monitor.evidence_live_folder import Origin, picture_at
from veedor.monitor.ring import RingBuffer, RingLimits
from veedor.monitor.store import Store
from veedor.monitor.store.rebuild import check, rebuild
from veedor.rules.verdict import Verdict
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.percept import Percept

SETTINGS = EvidenceSettings(before_s=1.0, after_s=1.0, longest_s=4.0, patience_s=30.0)


def a_percept(t_s: float) -> Percept:
    """A card that fills the middle of the picture."""
    corners = np.array([[[20, 10], [44, 10], [44, 38], [20, 38]]], np.float32)
    found = Detections(corners, np.ones(1, np.float32), np.array([ObjectClass.CARD_BACK]))
    unread = [np.full((1, width), np.nan, np.float32) for width in (13, 4, 2, 8)]
    return Percept(round(t_s * FPS), t_s, found, np.zeros((1, 2), np.float32), *unread, np.ones(1, bool))


class Watched:
    """A table with a buffer and a keeper of evidence."""

    def __init__(self, data: Path, settings: EvidenceSettings = SETTINGS) -> None:
        self.store = Store.of_data(data)
        self.table = Table(self.store)
        self.told: list[str] = []
        limits = RingLimits(segment_s=1.0, min_free_bytes=0)
        self.ring = RingBuffer(data / "ring" / "mesa-3", session=self.record.session, limits=limits)
        self.keeper = self.keep(settings)

    def keep(self, settings: EvidenceSettings) -> EvidenceKeeper:
        origin = Origin(
            self.record.session, self.record.info.started_at, versions("dos-panos-limitada", {"reader": "ab"})
        )
        return EvidenceKeeper(self.record, self.ring, origin, settings=settings, alarm=self.told.append)

    @property
    def record(self):
        return self.table.record

    def settled(self) -> None:
        until = time.monotonic() + 20
        while self.keeper.waiting and time.monotonic() < until:
            time.sleep(0.02)
        assert not self.keeper.waiting
        self.record.flush()

    def folders(self) -> list[str]:
        evidence = self.record.folder.evidence
        return sorted(each.name for each in evidence.iterdir()) if evidence.exists() else []

    def about(self, name: str) -> dict:
        return json.loads((self.record.folder.evidence / name / "finding.json").read_text(encoding="utf-8"))

    def close(self) -> None:
        self.ring.close()
        self.keeper.close()
        self.table.end()
        self.store.close()


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    made = Watched(tmp_path)
    yield made
    made.close()


NAME = "0001-P_DRAW_ON_6PLUS"


def test_a_finding_gets_clip_still_and_all_that_it_says(watched: Watched, tmp_path: Path) -> None:
    (opened, *_) = watched.table.happens(a_coup(1, 4.0))
    finding = a_finding(t=5.0, events=(opened.id,))
    watched.record.finding(1, finding)
    for number in range(80):
        watched.keeper.saw(a_percept(number / FPS))
    watched.keeper.found(1, finding, [opened])
    Film.of(80).play(watched.ring)
    watched.settled()

    assert watched.folders() == [NAME]
    about = watched.about(NAME)
    assert about["clip"]["start_s"] <= 3.0 and about["clip"]["stop_s"] >= 5.9 and about["clip"]["gaps"] == []
    assert about["finding"]["code"] == finding.code and about["events"][0]["event"] == "coup_opened"
    assert about["texts"]["es"]["title"] != about["texts"]["en"]["title"]
    assert "001" in about["rule"]["source"] and about["rule"]["es"]["rule"]
    assert about["versions"]["model reader"] == "ab" and about["versions"]["veedor"]
    session = watched.store.session(watched.record.session)
    assert about["moment"] > session.started_at[:19]

    clip = watched.store.evidence_file(watched.record.session, 1, "clip")
    assert clip is not None
    times = [about["clip"]["start_s"] + t_s for t_s, _ in pictures_of(clip)]
    assert times[0] <= 3.0 and times[-1] >= 5.9
    still = cv2.imread(str(watched.store.evidence_file(watched.record.session, 1, "still")))
    # The moment's own picture, with the card's outline drawn in.
    assert abs(int(still[2, 2].mean()) - grey_of(50)) <= 6
    assert np.ptp(still[8:12, 30].astype(int)) > 20
    assert watched.store.finding(watched.record.session, 1).has_clip
    rebuild(tmp_path)
    assert watched.store.clip(watched.record.session, 1).clip == "clip.mp4"


def test_it_waits_for_what_comes_after_the_moment(watched: Watched) -> None:
    film = Film.of(80)
    film.play(watched.ring, numbers=range(52))
    watched.keeper.found(1, a_finding(t=5.0), [])
    time.sleep(0.7)
    assert watched.folders() == [] and watched.keeper.waiting == 1
    film.play(watched.ring, numbers=range(60, 80))
    watched.settled()
    ((start, stop),) = watched.about(NAME)["clip"]["gaps"]
    assert (start, stop) == (pytest.approx(5.1, abs=0.1), pytest.approx(6.0, abs=0.01))


def test_pictures_that_never_come_are_told_as_missing(tmp_path: Path) -> None:
    watched = Watched(tmp_path, replace(SETTINGS, after_s=0.5, patience_s=0.1))
    Film.of(20).play(watched.ring)
    watched.keeper.found(1, a_finding(t=1.0), [], still=b"\xff\xd8in reserve")
    watched.keeper.found(2, a_finding(t=60.0), [], still=b"\xff\xd8in reserve")
    watched.settled()
    assert watched.about(NAME)["clip"]["gaps"] == []
    about = watched.about(NAME.replace("1", "2", 1))
    assert about["clip"]["gaps"] == [[59.0, 60.5]] and "file" not in about["clip"]
    row = watched.store.clip(watched.record.session, 2)
    assert row is not None and row.clip is None and row.still == "still.jpg"
    watched.close()
    assert check(tmp_path).differences == ()


def test_another_word_on_a_finding_keeps_the_pictures(watched: Watched) -> None:
    Film.of(80).play(watched.ring)
    watched.keeper.found(1, a_finding(t=5.0, verdict=Verdict.UNDECIDED), [])
    watched.settled()
    before = watched.about(NAME)
    watched.keeper.found(1, a_finding(t=5.0, verdict=Verdict.BROKEN), [])
    watched.keeper.found(2, a_finding(t=5.0, verdict=Verdict.WITHDRAWN), [])
    watched.settled()
    after = watched.about(NAME)
    assert (before["finding"]["verdict"], after["finding"]["verdict"]) == ("undecided", "broken")
    assert before["clip"] == after["clip"] and before["made_at"] == after["made_at"]
    assert watched.folders() == [NAME]


def test_what_a_kill_left_half_made_is_made_anew(watched: Watched) -> None:
    Film.of(80).play(watched.ring)
    half = watched.record.folder.evidence / f".{NAME}.part"
    half.mkdir(parents=True)
    (half / "clip.mp4").write_bytes(b"half")
    watched.keeper.close()
    watched.keeper = watched.keep(SETTINGS)
    assert watched.folders() == []
    watched.keeper.found(1, a_finding(t=5.0), [])
    watched.settled()
    assert watched.folders() == [NAME]


def test_a_disk_that_takes_nothing_is_an_alarm_and_the_evidence_comes_later(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("veedor.monitor.evidence_live.RETRY_S", 0.05)
    watched.record.folder.evidence.write_bytes(b"in the way")
    Film.of(80).play(watched.ring)
    watched.keeper.found(1, a_finding(t=5.0), [])
    until = time.monotonic() + 10
    while not watched.told and time.monotonic() < until:
        time.sleep(0.02)
    assert len(watched.told) == 1 and watched.keeper.troubles
    watched.record.folder.evidence.unlink()
    watched.settled()
    assert watched.folders() == [NAME] and not watched.keeper.troubles


def test_closing_makes_what_still_waits(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    Film.of(52).play(watched.ring)
    watched.keeper.found(1, a_finding(t=5.0), [])
    watched.close()
    assert watched.folders() == [NAME]
    assert watched.about(NAME)["clip"]["gaps"]


def test_a_finding_that_rests_on_events_far_apart_shows_its_end(watched: Watched) -> None:
    (early, *_) = watched.table.happens(a_coup(1, 1.0))
    Film.of(80).play(watched.ring)
    watched.keeper.found(1, a_finding(t=6.0, events=(early.id,)), [early])
    watched.settled()
    assert watched.about(NAME)["clip"]["start_s"] == pytest.approx(3.0, abs=0.01)


def test_a_picture_is_found_by_its_time(tmp_path: Path) -> None:
    clip = tmp_path / "clip.mp4"
    clip.write_bytes(Film.of(40, reordered=True).data)
    for number in (0, 7, 10, 39):
        image = picture_at(clip, number / FPS + 0.04)
        assert image is not None and abs(int(image.mean()) - grey_of(number)) <= 4
    assert picture_at(tmp_path / "none.mp4", 0.0) is None
