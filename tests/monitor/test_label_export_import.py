"""`veedor label export` and `veedor label import`: out of the store and back, and nothing half done."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from veedor.datasets.labelled import LabelledObject, LabelledPicture
from veedor.monitor.cli import main
from veedor.monitor.labelling.revisions import State
from veedor.monitor.labelling.store import LabelStore
from veedor.vision.detections import ObjectClass

SIZE = (64, 48)
SHOE = LabelledObject("shoe", ObjectClass.SHOE, ((4.0, 4.0), (24.0, 4.0), (24.0, 14.0), (4.0, 14.0)))


def picture(number: int) -> LabelledPicture:
    instant = 40 * number, Fraction(1, 1000)
    session = f"night-{number}", "t1", None
    return LabelledPicture(f"p{number}", "c" * 64, *instant, *SIZE, *session, "model", 0, (SHOE,))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    store = LabelStore(tmp_path / "data")
    for number in range(3):
        store.add(picture(number), np.full((SIZE[1], SIZE[0], 3), 90 + number, np.uint8))
    store.save("p0", (SHOE,), "ana", 0, State.DONE)
    return tmp_path / "data"


def run(*words: object) -> int:
    return main(["label", *map(str, words), "--lang", "en"])


def exported(data: Path, form: str, *more: str) -> Path:
    out = data.parent / f"out-{form}"
    assert run("export", "--data", data, "--format", form, "--out", out, *more) == 0
    return out


def imported(data: Path, source: Path, form: str, *more: object) -> int:
    return run("import", source, "--data", data, "--format", form, "--author", "berta", *more)


@pytest.mark.parametrize("form", ["yolo-obb", "coco", "cvat-images", "cvat-video"])
def test_what_comes_back_unchanged_makes_no_revision(form: str, data: Path, capsys) -> None:
    before = (data / "labels/revisions.jsonl").read_bytes()
    out = exported(data, form, "--crop")
    assert imported(data, out, form) == 0
    assert capsys.readouterr().out.endswith("0 new revisions, 3 pictures unchanged\n")
    assert (data / "labels/revisions.jsonl").read_bytes() == before


def test_a_frozen_version_goes_out_as_it_was(data: Path, capsys) -> None:
    assert run("version", "--data", data) == 0
    LabelStore(data).save("p0", (), "ana", 1, State.DONE)
    out = exported(data, "coco", "--of-version", "1")
    manifest = json.loads((out / "manifest.json").read_text())
    assert (manifest["version"], [each["id"] for each in manifest["pictures"]]) == ("1", ["p0"])
    assert "shoe" in next(out.glob("annotations/*.json")).read_text().partition('"annotations"')[2]
    assert run("export", "--data", data, "--format", "coco", "--out", "x", "--of-version", 7) == 2


def test_only_done_pictures_if_asked_for(data: Path, capsys) -> None:
    out = exported(data, "coco", "--done-only", "--json")
    told = json.loads(capsys.readouterr().out)
    assert (sum(told["pictures"].values()), told["objects"], told["without_outline"]) == (1, 1, 1)
    assert [path.stem for path in out.rglob("*.png")] == ["p0"]


def moved(out: Path) -> None:
    """Shift the shoe of p1 by ten pixels, as somebody would with another program."""
    for path in out.glob("*.xml"):
        before, mark, after = path.read_text().partition('name="p1.png"')
        after = after.replace(
            "4.0,4.0;24.0,4.0;24.0,14.0;4.0,14.0", "14.0,4.0;34.0,4.0;34.0,14.0;14.0,14.0", 1
        )
        path.write_text(before + mark + (after if mark else ""))


def test_a_correction_becomes_a_revision_of_its_author(data: Path) -> None:
    out = exported(data, "cvat-images")
    moved(out)
    assert imported(data, out, "cvat-images") == 0
    newest = LabelStore(data).latest("p1")
    assert (newest.number, newest.author, newest.state) == (1, "berta", State.DONE)
    assert newest.objects[0].corners_px[0] == (14.0, 4.0)
    assert LabelStore(data).latest("p2").number == 0


def test_what_others_have_saved_meanwhile_is_not_buried(data: Path, capsys) -> None:
    out = exported(data, "cvat-images")
    moved(out)
    store = LabelStore(data)
    store.save("p2", (), "carlos", 0, State.DONE)  # not touched elsewhere: stays as Carlos left it
    store.save("p1", (replace(SHOE, zone="shoe"),), "carlos", 0, State.DRAFT)
    before = (data / "labels/revisions.jsonl").read_bytes()
    assert imported(data, out, "cvat-images") == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        "veedor label: p1: carlos has saved revision 1 since the export (revision 0);"
        " --on-top puts these over it"
    )
    assert (data / "labels/revisions.jsonl").read_bytes() == before
    assert imported(data, out, "cvat-images", "--on-top", "--draft") == 0
    assert LabelStore(data).latest("p1").state is State.DRAFT
    assert LabelStore(data).latest("p2").author == "carlos"


def test_labels_that_come_back_alone_find_their_export(data: Path, tmp_path: Path) -> None:
    out = exported(data, "cvat-images")
    moved(out)
    (split,) = [path for path in out.glob("*.xml") if 'name="p1.png"' in path.read_text()]
    (tmp_path / "annotations.xml").write_bytes(split.read_bytes())
    assert imported(data, tmp_path / "annotations.xml", "cvat-images", "--pictures", out) == 0
    assert LabelStore(data).latest("p1").author == "berta"


@pytest.mark.parametrize("fresh", [True, False], ids=["no store yet", "a store"])
def test_a_bad_file_is_one_line_and_leaves_no_trace(fresh: bool, data: Path, tmp_path: Path, capsys) -> None:
    target = tmp_path / "fresh" if fresh else data
    target.mkdir(exist_ok=True)
    import cv2

    for name in ("a", "b"):
        cv2.imwrite(str(tmp_path / f"{name}.png"), np.zeros((SIZE[1], SIZE[0], 3), np.uint8))
    good = (
        '<image name="a.png" width="64" height="48"><polygon label="shoe" points="1,1;9,1;9,9;1,9"/></image>'
    )
    bad = good.replace("a.png", "b.png").replace("9,9", "nan,9")
    (tmp_path / "bad.xml").write_text(f"<annotations>{good}\n{bad}</annotations>")
    before = sorted((path, path.stat().st_size) for path in target.rglob("*"))
    assert imported(target, tmp_path / "bad.xml", "cvat-images") == 2
    told = capsys.readouterr().err
    assert told == (
        f"veedor label: {tmp_path}/bad.xml, line 2: point 'nan,9' is not two numbers in a picture's reach\n"
    )
    assert sorted((path, path.stat().st_size) for path in target.rglob("*")) == before


def test_strangers_pictures_come_in_and_only_once(data: Path, tmp_path: Path, capsys) -> None:
    import cv2

    cv2.imwrite(str(tmp_path / "x.png"), np.full((SIZE[1], SIZE[0], 3), 7, np.uint8))
    shape = '<polygon label="sabot" points="1,1;9,1;9,9;1,9"/>'
    (tmp_path / "a.xml").write_text(
        f'<annotations><image name="x.png" width="64" height="48">{shape}</image></annotations>'
    )
    words = ("--class", "sabot=shoe", "--session", "fotos", "--table-id", "t9")
    for told in ("1 new revision, 0 pictures unchanged\n", "0 new revisions, 1 picture unchanged\n"):
        assert imported(data, tmp_path / "a.xml", "cvat-images", *words) == 0
        assert capsys.readouterr().out == told
    (found,) = [each for each in LabelStore(data).pictures() if each.session == "fotos"]
    assert found.table == "t9"
    assert LabelStore(data).latest(found.id).state is State.DONE


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("export", "--data", "nowhere", "--format", "coco", "--out", "o"), "nowhere: holds no labels"),
        (("export", "--data", ".", "--format", "coco", "--out", "o", "--every", "0"), "--every: must be 1"),
        (("import", "x", "--data", "nowhere", "--format", "coco", "--author", "a"), "nowhere: not a folder"),
        (("import", "x", "--data", ".", "--format", "coco", "--author", "a"), "x: no such file or folder"),
        (
            ("import", "x", "--data", ".", "--format", "coco", "--author", "a", "--class", "a=b"),
            "--class a=b: KIND is one of card_face",
        ),
        (
            ("import", ".", "--data", ".", "--format", "coco", "--author", "a", "--recording", "."),
            "--recording: only with cvat-video",
        ),
        (
            ("import", ".", "--data", ".", "--format", "coco", "--author", "a", "--pictures", "no"),
            "no: no such file",
        ),
    ],
)
def test_wrong_use_is_one_line(words, fault: str, tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*words) == 2
    told = capsys.readouterr().err
    assert fault in told and told.count("\n") == 1


def test_an_author_may_not_be_nobody(data: Path, tmp_path: Path, capsys) -> None:
    out = exported(data, "cvat-images")
    moved(out)
    capsys.readouterr()
    for author in ("", "model", "a\nb"):
        assert run("import", out, "--data", data, "--format", "cvat-images", "--author", author) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert LabelStore(data).latest("p1").number == 0
