"""The label store: what is acknowledged stays, nobody overwrites another, second opinions are blind."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np
import pytest
from veedor.datasets.labelled import LabelledObject, LabelledPicture, LabelledSet
from veedor.monitor.labelling.revisions import Change, LabelFault, Stale, State
from veedor.monitor.labelling.store import LabelStore
from veedor.vision.detections import ObjectClass

IMAGE = np.random.default_rng(5).integers(0, 255, (60, 80, 3), np.uint8)


def card(name: str, x: float = 10.0, rank: str | None = "7", **more: object) -> LabelledObject:
    corners = ((x, 5.5), (x + 9.25, 5.5), (x + 9.25, 18.0), (x, 18.0))
    return LabelledObject(name, ObjectClass.CARD_FACE, corners, rank, "H", **more)  # type: ignore[arg-type]


def picture(name: str = "p1", *objects: LabelledObject, pts: int = 512) -> LabelledPicture:
    return LabelledPicture(
        name, "ab" * 32, pts, Fraction(1, 12800), 80, 60, "mesa-1/S", "mesa-1", None, "x", 0, tuple(objects)
    )


@pytest.fixture
def store(tmp_path: Path) -> LabelStore:
    store = LabelStore(tmp_path)
    store.add(picture("p1", card("a", extra=(("confidence", "0.41"),)), card("b", 30.0)), IMAGE)
    return store


def test_a_picture_comes_with_its_pixels_and_the_models_proposal(store: LabelStore, tmp_path: Path) -> None:
    again = LabelStore(tmp_path)
    assert [each.id for each in again.pictures()] == ["p1"]
    assert np.array_equal(cv2.imread(str(again.file_of("p1"))), IMAGE)
    proposal = again.latest("p1")
    assert (proposal.number, proposal.author, proposal.state) == (0, "model", State.PROPOSED)
    assert proposal.objects[0].extra == (("confidence", "0.41"),)
    assert again.about("p1").t == Fraction(512, 12800)


def test_revisions_are_added_and_nothing_is_changed(store: LabelStore, tmp_path: Path) -> None:
    first = store.save("p1", [card("a", 11.125)], "ana", 0, State.DRAFT)
    before = (tmp_path / "labels" / "revisions.jsonl").read_bytes()
    second = store.save("p1", [card("a", 11.125, "8")], "ana", first.number, State.DONE)
    assert (tmp_path / "labels" / "revisions.jsonl").read_bytes().startswith(before)
    assert [each.number for each in LabelStore(tmp_path).revisions("p1")] == [0, 1, 2]
    assert LabelStore(tmp_path).latest("p1") == second
    assert store.final("p1") == second


def test_what_a_person_saves_is_not_a_guess(store: LabelStore) -> None:
    saved = store.save("p1", store.latest("p1").objects, "ana", 0, State.DONE)
    assert all(not each.extra for each in saved.objects)


def test_another_hands_revision_is_not_overwritten(store: LabelStore, tmp_path: Path) -> None:
    theirs = LabelStore(tmp_path).save("p1", [card("a")], "bea", 0, State.DRAFT)
    with pytest.raises(Stale) as stale:
        store.save("p1", [card("b")], "ana", 0, State.DRAFT)
    assert stale.value.newest == theirs
    assert store.save("p1", [card("b")], "ana", 1, State.DRAFT).number == 2


def test_the_same_attempt_twice_is_one_revision(store: LabelStore) -> None:
    change = Change((card("a"),), "ana", 0, State.DRAFT, ("a", "gone"), "attempt-1")
    first = store.save_change("p1", change)
    assert store.save_change("p1", change) == first
    assert first.checked == ("a",)
    assert len(store.revisions("p1")) == 2


def test_a_second_opinion_starts_from_the_proposal_and_stays_beside(store: LabelStore) -> None:
    done = store.save("p1", [card("a", rank="8")], "ana", 0, State.DONE)
    assert store.latest_second("p1", "bea") is None
    draft = store.save("p1", [card("a", rank="9")], "bea", 0, State.SECOND_DRAFT)
    with pytest.raises(Stale):
        store.save("p1", [card("a")], "bea", 0, State.SECOND)
    second = store.save("p1", [card("a", rank="9")], "bea", draft.number, State.SECOND)
    assert store.latest("p1") == done, "the picture's own line is untouched"
    assert store.finals("p1") == {"ana": done, "bea": second}
    standing = store.standing("p1")
    assert (standing.newest.number, standing.authors, standing.seconds) == (1, ("ana",), ("bea",))
    assert store.save("p1", [card("a")], "ana", done.number, State.DONE).number == 4
    assert store.save("p1", [card("a", rank="K")], "bea", second.number, State.SECOND).number == 5
    assert store.finals("p1") == {"ana": done, "bea": second}, "what is settled later is nobody's own"
    assert list(store.finals("p1")) == ["ana", "bea"]


@pytest.mark.parametrize("torn", [b'{"schema": 1, "pict', b"\x00" * 300, b'{"a": 1}'])
def test_a_torn_last_line_is_cut_off(store: LabelStore, tmp_path: Path, torn: bytes) -> None:
    store.save("p1", [card("a")], "ana", 0, State.DRAFT)
    path = tmp_path / "labels" / "revisions.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    assert LabelStore(tmp_path).latest("p1").number == 1
    assert path.read_bytes() == whole
    path.write_bytes(whole + torn)  # by another process that was killed while this one has it open
    assert store.save("p1", [], "ana", 1, State.DRAFT).number == 2
    assert len(path.read_bytes().splitlines()) == 3


@pytest.mark.parametrize(
    "spoilt", ["not json\n", "[]\n", '{"schema": 2}\n', '{"schema": 1, "picture": "p1"}\n']
)
def test_a_damaged_line_is_named(store: LabelStore, tmp_path: Path, spoilt: str) -> None:
    path = tmp_path / "labels" / "revisions.jsonl"
    with path.open("a") as file:
        file.write(spoilt)
    with pytest.raises(LabelFault, match=r"revisions\.jsonl:2: "):
        LabelStore(tmp_path)


def test_what_the_disk_refuses_is_not_acknowledged(
    store: LabelStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (tmp_path / "labels" / "revisions.jsonl").read_bytes()

    def full(fd: int, data: bytes) -> None:
        os.write(fd, data[:20])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("veedor.monitor.store.lines.write_all", full)
        with pytest.raises(LabelFault, match="No space left"):
            store.save("p1", [card("a")], "ana", 0, State.DRAFT)
    assert (tmp_path / "labels" / "revisions.jsonl").read_bytes() == before
    assert store.save("p1", [card("a")], "ana", 0, State.DRAFT).number == 1


@pytest.mark.parametrize(
    ("objects", "fault"),
    [([card("a"), card("a")], "twice"), ([card(str(n)) for n in range(501)], "more than")],
)
def test_labels_that_cannot_be_are_refused(
    store: LabelStore, objects: list[LabelledObject], fault: str
) -> None:
    with pytest.raises(LabelFault, match=fault):
        store.save("p1", objects, "ana", 0, State.DRAFT)


def test_pictures_that_cannot_be_are_refused(store: LabelStore) -> None:
    with pytest.raises(LabelFault, match="another picture"):
        store.add(picture("p1", pts=513), IMAGE)
    with pytest.raises(LabelFault, match="not its size"):
        store.add(picture("p2"), IMAGE[:, :70])
    with pytest.raises(LabelFault, match="no such picture"):
        store.latest("p9")
    assert len(store.pictures()) == 1


def test_a_set_comes_in_and_goes_out_whole(store: LabelStore, tmp_path: Path) -> None:
    store.save("p1", [card("a", 11.123456789)], "ana", 0, State.DONE)
    store.add(picture("p2", card("c"), pts=99), IMAGE)
    out = store.as_set("all", done_only=False)
    assert [each.id for each in store.as_set("done", done_only=True).pictures] == ["p1"]
    other = LabelStore(tmp_path / "other")
    assert len(other.import_set(out, "import")) == 2
    assert other.import_set(out, "import") == (), "the same again changes nothing"
    back = other.as_set("all", done_only=True)
    assert [(each.id, each.objects) for each in back.pictures] == [(e.id, e.objects) for e in out.pictures]
    changed = LabelledSet("x", "1", (out.pictures[0].with_objects([card("a", rank="K")]),), out.folder)
    assert [each.number for each in store.import_set(changed, "cvat")] == [2]
    assert store.latest("p1").author == "cvat"


def _save_many(data: Path, name: str, count: int) -> None:
    store = LabelStore(data)
    for number in range(count):
        while True:
            newest = store.latest("p1")
            try:
                store.save("p1", (*newest.objects, card(f"{name}{number}")), name, newest.number, State.DRAFT)
                break
            except Stale:
                continue


def test_processes_and_threads_share_it_without_losing_a_thing(store: LabelStore, tmp_path: Path) -> None:
    start = multiprocessing.get_context("fork")
    workers: list[multiprocessing.process.BaseProcess | threading.Thread] = [
        start.Process(target=_save_many, args=(tmp_path, name, 8)) for name in ("ana", "bea")
    ]
    workers += [threading.Thread(target=_save_many, args=(tmp_path, name, 8)) for name in ("eva", "ida")]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    found = {each.id for each in store.latest("p1").objects}
    assert found == {"a", "b"} | {
        f"{name}{number}" for name in ("ana", "bea", "eva", "ida") for number in range(8)
    }
    assert [each.number for each in store.revisions("p1")] == list(range(33))


def test_what_was_acknowledged_outlives_a_kill(store: LabelStore, tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from veedor.monitor.labelling.store import LabelStore;"
        "from veedor.monitor.labelling.revisions import State;"
        "s = LabelStore(Path(sys.argv[1])); n = 0\n"
        "while True:\n"
        "    n = s.save('p1', s.latest('p1').objects, 'ana', n, State.DRAFT).number; print(n, flush=True)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    told = [int(child.stdout.readline()) for _ in range(12)]
    child.send_signal(signal.SIGKILL)
    told += [int(line) for line in child.stdout.read().split("\n")[:-1]]
    child.wait()
    kept = LabelStore(tmp_path).latest("p1").number
    assert told[-1] <= kept <= told[-1] + 1
    lines = (tmp_path / "labels" / "revisions.jsonl").read_text().splitlines()
    assert [json.loads(line)["number"] for line in lines] == list(range(kept + 1))
