"""What the queue takes for worth labelling, and how it chooses among that."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from veedor.datasets.digests import sha256_of
from veedor.datasets.film import Film
from veedor.monitor import cli
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.labelling.queue import Order, fill
from veedor.monitor.labelling.queue_alike import alike, appearance
from veedor.monitor.labelling.queue_cameras import beside, conflicts
from veedor.monitor.labelling.queue_choice import APART_S, CARDS, Described, choose
from veedor.monitor.labelling.queue_record import CONTRADICTION, CORRECTED, DISMISSED, moments
from veedor.monitor.labelling.queue_signals import Setting, scored
from veedor.monitor.labelling.queue_tracks import disagreements
from veedor.monitor.labelling.store import LabelStore
from veedor.monitor.labelling.waiting import read_queue
from veedor.monitor.reviewed import open_reviewed
from veedor.monitor.reviewed_files import Recorded, write_recordings, write_sight
from veedor.monitor.store.layout import SessionFolder
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.percept import Percept
from veedor.vision.reader import RANKS, SUITS


def look(
    index: int, *things: tuple[ObjectClass, float, float, str], rank_sure: float = 0.97, score: float = 0.9
) -> Percept:
    """A look 0.16 s after the one before, with things (class, x mm, y mm, card)."""
    count = len(things)
    ranks = np.full((count, 13), np.nan, np.float32)
    suits = np.full((count, 4), np.nan, np.float32)
    for row, (_, _, _, face) in enumerate(things):
        if face:
            ranks[row] = (1 - rank_sure) / 12
            ranks[row, RANKS.index(face[0])] = rank_sure
            suits[row] = 0.01
            suits[row, SUITS.index(face[1])] = 0.97
    square = np.array([[0, 0], [30, 0], [30, 44], [0, 44]], np.float32)
    corners = np.array([square + np.array([x / 2 + 400, y / 2 + 300]) for _, x, y, _ in things], np.float32)
    return Percept(
        index,
        round(index * 0.16, 3),
        Detections(
            corners.reshape(-1, 4, 2),
            np.full(count, score, np.float32),
            np.array([int(kind) for kind, *_ in things], np.int64),
        ),
        np.array([(x, y) for _, x, y, _ in things], np.float32).reshape(-1, 2),
        ranks,
        suits,
        np.zeros((count, 0), np.float32),
        np.full((count, 8), np.nan, np.float32),
        np.ones(count, np.bool_),
    )


FACE, CHIP, HAND = ObjectClass.CARD_FACE, ObjectClass.CHIP_STACK, ObjectClass.HAND


def test_a_card_read_otherwise_once_and_a_chip_unseen_once_are_told() -> None:
    looks = [look(n, (FACE, 0, 0, "7H"), (CHIP, 300, 0, "")) for n in range(10)]
    looks[4] = look(4, (FACE, 0, 0, "9H"), (CHIP, 300, 0, ""))
    looks[7] = look(7, (FACE, 0, 0, "7H"))
    told = {(each.look, each.usual, each.here) for each in disagreements(looks)}
    assert told == {(4, "7", "9"), (7, "", "")}


def test_what_a_hand_hides_is_no_flicker() -> None:
    looks = [look(n, (CHIP, 300, 0, "")) for n in range(10)]
    looks[5] = look(5, (HAND, 340, 40, ""))
    assert list(disagreements(looks)) == []


def test_a_thing_taken_away_is_no_flicker() -> None:
    things = [(CHIP, 300, 0, ""), (CHIP, 500, 0, "")]
    looks = [look(n, *(things if n < 6 else [])) for n in range(20)]
    assert list(disagreements(looks)) == []


def test_doubtful_readings_count_for_more_than_sure_ones() -> None:
    sure = look(0, (FACE, 0, 0, "7H"))
    unsure = look(1, (FACE, 0, 0, "7H"), rank_sure=0.5)
    first, second = scored([sure, unsure], Setting(labelled=100))
    assert second.score > first.score + 0.3
    assert second.reasons[0].kind == "reading"
    assert "7H at 0.50" in second.reasons[0].why.en and "7H con 0.50" in second.reasons[0].why.es


def test_a_table_with_few_labels_counts_for_more() -> None:
    one = look(0, (FACE, 0, 0, "7H"))
    few, many = (scored([one], Setting(labelled=count))[0].score for count in (0, 200))
    assert few > many


Lines = list[dict[str, object]]


def write_session(data: Path, events: Lines, findings: Lines = (), decisions: Lines = ()) -> SessionFolder:  # type: ignore[assignment]
    folder = SessionFolder(data, "m1/20260101T210000Z")
    folder.path.mkdir(parents=True)
    for path, lines in (
        (folder.journal, events), (folder.findings, findings), (folder.decisions, decisions),
    ):  # fmt: skip
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def journal(*events: dict[str, object]) -> list[dict[str, object]]:
    return [
        {"id": n, "schema": 1, "source": "vision", "confidence": 1.0} | event
        for n, event in enumerate(events, 1)
    ]


def test_a_card_more_than_the_shoe_holds_is_a_contradiction(tmp_path: Path) -> None:
    turned = [{"t": 10.0 + n, "event": "card_turned", "card": f"c{n}", "shows": "7H"} for n in range(4)]
    folder = write_session(tmp_path, journal({"t": 0.0, "event": "shoe_started", "decks": 3}, *turned))
    found = moments(folder)
    assert [(each.t_s, each.kind) for each in found] == [(13.0, CONTRADICTION)]
    assert "4" in found[0].why.es and "3 packs" in found[0].why.en


def test_a_total_that_the_cards_do_not_make_is_a_contradiction(tmp_path: Path) -> None:
    events = journal(
        {"t": 1.0, "event": "coup_opened", "coup": 1},
        {"t": 2.0, "event": "card_dealt", "card": "c1", "to": "P1"},
        {"t": 3.0, "event": "card_dealt", "card": "c2", "to": "P1"},
        {"t": 4.0, "event": "card_turned", "card": "c1", "shows": "7H"},
        {"t": 4.1, "event": "card_turned", "card": "c2", "shows": "KS"},
        {"t": 5.0, "event": "checked", "hand": "P1", "points": 8, "source": "voice"},
    )
    assert [each.kind for each in moments(write_session(tmp_path, events))] == [CONTRADICTION]


def test_corrections_and_dismissed_findings_point_at_what_was_seen(tmp_path: Path) -> None:
    events = journal(
        {"t": 4.0, "event": "card_turned", "card": "c1", "shows": "7H"},
        {"t": 9.0, "event": "event_corrected", "corrects": 1, "by": "ana",
         "replacement": {"t": 4.0, "event": "card_turned", "card": "c1", "shows": "9H"}},
    )  # fmt: skip
    findings = [
        {"number": 3, "code": "PAYOUT_WRONG", "verdict": "broken", "coup": 1, "t": 30.0, "events": [1]}
    ]
    decisions = [{"finding": 3, "action": "dismiss"}]
    found = {(each.kind, each.t_s) for each in moments(write_session(tmp_path, events, findings, decisions))}
    assert (CORRECTED, 4.0) in found and (DISMISSED, 4.0) in found
    ruled = [*decisions, {"finding": 3, "action": "rule"}]
    again = moments(write_session(tmp_path / "ruled", events, findings, ruled))
    assert DISMISSED not in {each.kind for each in again}, "the last word counts"


def described(t_s: float, face: int | None, place: int = 0) -> Described:
    faces, places = np.zeros(CARDS), np.zeros(20)
    if face is not None:
        faces[face] = 1
    places[place] = 1
    return Described("m1/a", "m1", t_s, faces, places)


def test_rare_cards_come_before_more_of_the_same() -> None:
    frames = [described(n * 3.0, 5) for n in range(5)] + [described(100.0, 9, 3)]
    order = [index for index, _ in choose(frames, np.ones(6), 2)]
    assert 5 in order


def test_two_pictures_of_one_moment_are_one() -> None:
    frames = [described(n * APART_S / 4, n, n) for n in range(4)]
    assert len(choose(frames, np.ones(4), 4)) == 1


def test_the_choice_is_always_the_same() -> None:
    rng = np.random.default_rng(3)
    frames = [described(float(n), int(rng.integers(52)), int(rng.integers(20))) for n in range(60)]
    scores = rng.random(60)
    assert choose(frames, scores, 20) == choose(frames, scores.copy(), 20)


@pytest.mark.parametrize("moved_mm", [0.0, 80.0])
def test_pictures_with_the_same_things_at_the_same_places_are_alike(moved_mm: float) -> None:
    rng = np.random.default_rng(1)
    image = rng.integers(0, 255, (720, 1280, 3), np.uint8)
    noisy = np.clip(image.astype(np.int16) + rng.integers(-2, 3, image.shape), 0, 255).astype(np.uint8)
    one = appearance(image, look(0, (FACE, 0, 0, "7H")))
    other = appearance(noisy, look(1, (FACE, moved_mm, 0, "7H")))
    assert alike(one, other) is (moved_mm == 0.0)


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reviewed session of five seconds: a card is read as something else for a moment in the fourth."""
    data = tmp_path_factory.mktemp("night")
    video = data / "camera.mp4"
    film = Film(video, (1280, 720), Fraction(25, 2))
    rng = np.random.default_rng(7)
    for _ in range(63):
        film.add(rng.integers(60, 90, (720, 1280, 3), np.uint8))
    film.close()
    folder = write_session(data, journal({"t": 0.0, "event": "shoe_started", "decks": 3}))
    clip = bundled_clip("demo")
    (folder.path / "table.toml").write_bytes(clip.table.read_bytes())
    recorded = Recorded(video, sha256_of(video), 0.0, 5.04, (1280, 720))
    write_recordings(folder.path, [recorded])
    looks = [look(n, (FACE, 0, 0, "7H"), (CHIP, 300, 0, "")) for n in range(30)]
    looks[22] = look(22, (FACE, 0, 0, "9H"), (CHIP, 300, 0, ""), rank_sure=0.5)
    write_sight(folder.path, [looks])
    return data


def test_two_cameras_that_read_a_card_differently_are_told(tmp_path: Path) -> None:
    names, faces = ("m1/20260101T210000Z-review", "m1/20260101T210005Z-review"), ("7H", "9H")
    for number, (name, face) in enumerate(zip(names, faces, strict=True)):
        folder = SessionFolder(tmp_path, name)
        folder.path.mkdir(parents=True)
        started = f"2026-01-01T21:00:0{5 * number}+00:00"
        video = tmp_path / f"{number}.mp4"
        write_recordings(
            folder.path,
            [Recorded(video, str(number) * 64, 0.0, 20.0, (1280, 720), started_at=started)],
        )
        write_sight(folder.path, [[look(n, (FACE, 0, 0, face)) for n in range(100)]])
    one, other = (open_reviewed(tmp_path, name) for name in names)
    others = beside(one, [one, other])
    assert [(each.session, each.shift_s) for each in others] == [(other, -5.0)]
    found = list(conflicts(list(one.sight(0.0, 60.0)), others))
    assert found and min(each.look for each in found) >= 30  # the second began five seconds later
    assert "7 0.97 / 9 0.97" in found[0].why.en


def copied(night: Path, tmp_path: Path) -> Path:
    shutil.copytree(night / "tables", tmp_path / "tables")
    return tmp_path


def test_the_queue_puts_pictures_with_reasons_and_proposals_into_the_store(
    night: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = copied(night, tmp_path)
    assert cli.main(["label", "queue", "--data", str(data), "--take", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["pictures"]
    why = " ".join(each["en"] for each in told[0]["why"])
    assert told[0]["t"] == 3.52 and "read as 7 in 29 looks and here as 9" in why
    store = LabelStore(data)
    about = store.about(told[0]["picture"])
    assert about.t == Fraction(44, 25) * 2 and (about.width, about.height) == (1280, 720)
    assert store.proposal(about.id).author == "model"
    assert {each.kind for each in store.proposal(about.id).objects} == {FACE, CHIP}
    assert read_queue(store.folder)[0].picture == about.id


def test_the_same_folder_gives_the_same_queue(night: Path, tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        data = copied(night, tmp_path / name)
        fill(Order(data, 3))
        made.append((data / "labels" / "queue.json").read_bytes())
    assert made[0] == made[1]


def test_what_is_in_the_store_is_not_queued_again(night: Path, tmp_path: Path) -> None:
    data = copied(night, tmp_path)
    first = fill(Order(data, 1))
    again = fill(Order(data, 5))
    assert first and all(abs(each.t_s - first[0].t_s) >= APART_S for each in again)
    assert len(read_queue(data / "labels")) == len(first) + len(again)


def test_a_folder_without_sessions_is_refused_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["--lang", "en", "label", "queue", "--data", str(tmp_path)]) == 2
    assert "holds no sessions" in capsys.readouterr().err
